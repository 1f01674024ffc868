"""Arbitrary arrays at every entry point that takes arrays.

Each call gives the right answer, compared with a plain reading of the rule, or raises a typed exception;
never a panic (`InternalError`, or PyO3's `PanicException`), and never an answer for a wrong array.
`HYPERSLIDE_FUZZ=100000` throws as many examples instead of the usual ones.
"""

from __future__ import annotations

import os

import numpy as np
import plain
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import hyperslide

LINES = [
    "grid:2:3",
    "grid:3:3",
    "grid:3:4",
    "grid:4:4",
    "grid:2:4 1,2,3,4,5,0,0,0 -> 1,2,3,4,5,0,0,0",
    "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4",
    "cube:3:2 a=0+3,c=5 -> a=1+0,c=4",
    "cube:3:1 1=0,2=1,3=2,4=4,5=3,6=5,7=6 -> 1=1,2=*,3=*,4=*,5=*,6=*,7=*",
]
PUZZLES = {line: hyperslide.Puzzle(line) for line in LINES}
SMALL = [line for line in LINES if line not in ("grid:3:4", "grid:4:4")]
TABLES = {line: hyperslide.Table.build(PUZZLES[line]) for line in SMALL}
# With two bits a state a look-up descends to the goal.
DESCENTS = {line: hyperslide.Table.build(PUZZLES[line], bits=2) for line in SMALL}
THREE = PUZZLES["grid:3:3"]

EXAMPLES = int(os.environ.get("HYPERSLIDE_FUZZ", "25"))
fuzz = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)

# Every kind of number and thing that NumPy has, in either order of bytes.
KINDS = ["?", "b", "B", "h", ">u2", "i", "I", "<i8", ">i8", "Q", "e", "f", "d", ">f8", "D", "U2", "S3", "O", "M8[s]", "m8[s]"]


@st.composite
def layouts(draw, array):
    """Return the same numbers in another layout: strides, order, rights, alignment, subclasses."""
    how = draw(st.sampled_from(["plain", "fortran", "strided", "backward", "readonly", "unaligned", "matrix", "masked"]))
    if array.size == 0 or array.ndim == 0 or array.dtype == object and how == "unaligned":
        return array
    if how == "fortran":
        return np.asfortranarray(array)
    if how == "strided":
        wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), dtype=array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == "backward":
        return np.ascontiguousarray(array[::-1])[::-1]
    if how == "unaligned":
        raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
        view = raw[1:].view(array.dtype).reshape(array.shape) if array.nbytes else array
        view[...] = array
        return view
    if how == "matrix" and array.ndim == 2:
        return array.view(np.matrix)
    if how == "masked" and array.dtype != object:
        return np.ma.masked_array(array, mask=False)
    if how == "readonly":
        array = array.copy()
        array.flags.writeable = False
    return array


def right_states(puzzle):
    """Arrangements of the cells of a puzzle, in arrays of any length."""
    cells = puzzle.start.tolist()
    return st.lists(st.permutations(cells), max_size=12).map(
        lambda rows: np.array(rows, dtype=np.uint8).reshape(-1, len(cells))
    )


def nearly_right(puzzle):
    """Right states in which some cells were overwritten, or of which the last ones are missing."""

    def damage(parts):
        states, changes = parts
        states = states.copy()
        for row, column, value in changes:
            if states.size:
                states[row % len(states), column % states.shape[1]] = value
        return states

    changes = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 63), st.integers(0, 255)), max_size=4)
    return st.tuples(right_states(puzzle), changes).map(damage)


def wild():
    """Anything at all."""
    shapes = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=17)
    return st.one_of(
        st.none(),
        st.integers(-(2**80), 2**80),
        st.floats(),
        st.text(max_size=9),
        st.binary(max_size=9),
        st.lists(st.integers(0, 9), max_size=9),
        st.sampled_from(KINDS).flatmap(lambda kind: arrays.arrays(np.dtype(kind), shapes, fill=st.nothing()) if kind not in ("O",) else arrays.arrays(np.dtype("O"), shapes, elements=st.one_of(st.none(), st.integers()))),
        # Huge ones that take no memory.
        st.sampled_from(
            [
                np.broadcast_to(np.uint8(1), (2**33, 0)),
                np.broadcast_to(np.uint8(1), (0, 2**40)),
                np.broadcast_to(np.zeros((1, 9), dtype=np.uint8), (100_000, 9)),
                np.broadcast_to(np.float32(0), (2**31, 2**20)),
                np.broadcast_to(np.int64(0), (3, 9)),
            ]
        ),
    )


def is_state(puzzle, states):
    """Say whether an array has the right shape, type and cells, without the package."""
    wanted = sorted(puzzle.start.tolist())
    return (
        isinstance(states, np.ndarray)
        and states.dtype == np.uint8
        and states.ndim == 2
        and states.shape[1] == len(wanted)
        and all(sorted(row) == wanted for row in np.asarray(states).tolist())
    )


def answer(call):
    """Return what a call answers, or None where it raises one of the exceptions that it may."""
    try:
        return call()
    except hyperslide.InternalError:
        raise
    except hyperslide.HyperslideError as error:
        assert "\n" not in str(error) and len(str(error)) < 500
        return None


def known(puzzle, state):
    """Return the state after each legal action, from the rule alone."""
    state = tuple(state)
    return {
        plain.action(puzzle, state, *move): plain.after(state, *move)
        for move in plain.moves(puzzle.board.faces, state)
    }


@fuzz
@given(data=st.data(), line=st.sampled_from(LINES))
def test_states(data, line):
    puzzle = PUZZLES[line]
    states = data.draw(st.one_of(right_states(puzzle), nearly_right(puzzle), wild()))
    if isinstance(states, np.ndarray) and states.size < 10_000:
        states = data.draw(layouts(states))
    right = isinstance(states, np.ndarray) and states.size < 10_000 and is_state(puzzle, states)
    plain_states = np.asarray(states).tolist() if right else []
    calls = {
        "legal_mask": lambda: puzzle.legal_mask(states),
        "expand": lambda: puzzle.expand(states),
        "is_goal": lambda: puzzle.is_goal(states),
        "heuristic": lambda: puzzle.heuristic(states, "misplaced"),
    }
    if line in SMALL:
        calls |= {
            "rank": lambda: puzzle.rank(states),
            "cost_to_go": lambda: TABLES[line].cost_to_go(states),
            "optimal_actions": lambda: TABLES[line].optimal_actions(states),
            "cost_to_go, 2 bits": lambda: DESCENTS[line].cost_to_go(states),
            "optimal_actions, 2 bits": lambda: DESCENTS[line].optimal_actions(states),
            "cost_to_go of a puzzle": lambda: puzzle.cost_to_go(states),
            "optimal_actions of a puzzle": lambda: puzzle.optimal_actions(states),
        }
    for name, call in calls.items():
        found = answer(call)
        if not (isinstance(states, np.ndarray) and states.size >= 10_000):
            assert (found is not None) == right, name
        if not right:
            continue
        if name == "legal_mask":
            assert found.shape == (len(plain_states), puzzle.actions) and found.dtype == np.bool_
            for row, state in zip(found, plain_states):
                assert np.flatnonzero(row).tolist() == sorted(known(puzzle, state))
        elif name == "expand":
            children, offsets, actions = found
            all_known = [sorted(known(puzzle, state).items()) for state in plain_states]
            assert offsets.tolist() == [0, *np.cumsum([len(one) for one in all_known], dtype=int)]
            assert actions.tolist() == [action for one in all_known for action, _ in one]
            assert children.tolist() == [list(child) for one in all_known for _, child in one]
        elif name.startswith("cost_to_go"):
            assert found.dtype == np.int16 and found.shape == (len(plain_states),)
            costs = distances(line)
            assert found.tolist() == [costs.get(tuple(state), -1) for state in plain_states]
        elif name.startswith("optimal_actions"):
            assert found.dtype == np.bool_ and found.shape == (len(plain_states), puzzle.actions)
            costs = distances(line)
            for row, state in zip(found, plain_states):
                cost = costs.get(tuple(state), 0)
                closer = [action for action, child in known(puzzle, state).items() if costs.get(child) == cost - 1]
                assert np.flatnonzero(row).tolist() == sorted(closer)
        elif name == "rank":
            numbered = np.asarray(states)[found >= 0]
            assert (puzzle.unrank(found[found >= 0]) == numbered).all()
        else:
            assert len(found) == len(plain_states)


def distances(line, cache={}):  # noqa: B006
    """Return the distances of all states that can reach the goal, from the rule alone."""
    if line not in cache:
        cache[line] = plain.distances(PUZZLES[line])
    return cache[line]


@fuzz
@given(data=st.data(), line=st.sampled_from(LINES))
def test_actions(data, line):
    puzzle = PUZZLES[line]
    states = data.draw(right_states(puzzle))
    some = st.integers(-2, puzzle.actions + 1)
    whole = arrays.arrays(
        st.sampled_from(["b", "B", "h", ">i4", "<i8", ">i8", "Q"]), len(states), elements=st.integers(0, min(127, puzzle.actions - 1))
    )
    actions = data.draw(
        st.one_of(
            whole,
            arrays.arrays(np.int64, len(states), elements=some),
            arrays.arrays(np.uint64, len(states), elements=st.integers(0, 2**64 - 1)),
            wild(),
        )
    )
    if isinstance(actions, np.ndarray) and actions.size < 10_000:
        actions = data.draw(layouts(actions))
    found = answer(lambda: puzzle.step_batch(states, actions))
    right = (
        isinstance(actions, np.ndarray)
        and actions.dtype.kind in "iu"
        and actions.shape == (len(states),)
        and all(0 <= action < puzzle.actions for action in np.asarray(actions).tolist())
    )
    assert (found is not None) == right
    if found is None:
        return
    stepped, legal = found
    for number, (state, action) in enumerate(zip(states.tolist(), np.asarray(actions).tolist())):
        then = known(puzzle, state)
        assert legal[number] == (action in then)
        assert tuple(stepped[number].tolist()) == then.get(action, tuple(state))


@fuzz
@given(data=st.data(), line=st.sampled_from(SMALL))
def test_single_states(data, line):
    """One state, where a function takes one: right ones, nearly right ones, and anything else."""
    puzzle, table = PUZZLES[line], TABLES[line]
    costs = distances(line)
    rows = st.one_of(right_states(puzzle), nearly_right(puzzle)).filter(len).map(lambda states: states[0])
    one = data.draw(st.one_of(rows, wild()))
    if isinstance(one, np.ndarray) and one.size < 10_000:
        one = data.draw(layouts(one))
    right = isinstance(one, np.ndarray) and one.ndim == 1 and is_state(puzzle, one[None])
    state = tuple(np.asarray(one).reshape(-1).tolist()) if right else ()
    action = data.draw(st.integers(0, puzzle.actions + 1))
    moves = known(puzzle, state) if right else {}
    env = hyperslide.SlidingEnv(puzzle)
    for name, call in {
        "with_start": lambda: puzzle.with_start(one),
        "decode": lambda: puzzle.decode(one),
        "write_state": lambda: puzzle.write_state(one),
        "solution": lambda: (table.solution(one),),
        "solution, 2 bits": lambda: (DESCENTS[line].solution(one),),
        "action_move": lambda: puzzle.action_move(one, action),
        "reset": lambda: env.reset(options={"state": one}),
    }.items():
        found = answer(call)
        if name == "reset" and one is None:
            continue
        assert (found is not None) == (right and (name != "action_move" or action in moves)), name
        if found is None:
            continue
        if name == "with_start":
            assert tuple(found.start.tolist()) == state
        elif name == "decode":
            assert found == [puzzle.labels[cell - 1] if cell else None for cell in state]
        elif name == "action_move":
            token, source, target = found
            assert plain.after(state, source, target) == moves[action]
            assert token == puzzle.labels[state[source] - 1]
        elif name == "reset":
            assert tuple(found[0].tolist()) == state
            assert np.flatnonzero(found[1]["action_mask"]).tolist() == sorted(moves)
        elif name.startswith("solution"):
            (steps,) = found
            assert (steps is None) == (state not in costs)
            if steps is not None:
                assert len(steps) == costs[state]
                for source, target in steps:
                    assert (source, target) in plain.moves(puzzle.board.faces, state)
                    state = plain.after(state, source, target)
                assert costs[state] == 0
                state = tuple(np.asarray(one).reshape(-1).tolist())


@fuzz
@given(data=st.data(), line=st.sampled_from(SMALL))
def test_numbers(data, line):
    """Ranks and distances, of which some are out of range."""
    puzzle, table = PUZZLES[line], TABLES[line]
    most = data.draw(st.sampled_from([5, 40, puzzle.ranks + 1]))
    whole = arrays.arrays(
        st.sampled_from(["i2", ">i4", "<i8", ">i8", "u4", "u8"]), st.integers(0, 5), elements=st.integers(0, min(most, 2**15 - 1))
    )
    signed = arrays.arrays(np.int64, st.integers(0, 5), elements=st.integers(-3, most))
    numbers = data.draw(st.one_of(wild(), whole, signed))
    if isinstance(numbers, np.ndarray) and numbers.size < 10_000:
        numbers = data.draw(layouts(numbers))
    is_whole = isinstance(numbers, np.ndarray) and numbers.ndim == 1 and numbers.dtype.kind in "iu"
    values = np.asarray(numbers).tolist() if is_whole else []
    found = answer(lambda: puzzle.unrank(numbers))
    assert (found is not None) == (is_whole and all(0 <= rank < puzzle.ranks for rank in values))
    if found is not None:
        assert found.shape == (len(values), puzzle.vertices)
        assert puzzle.rank(found).tolist() == values
    found = answer(lambda: table.sample_at(numbers))
    assert (found is not None) == (is_whole and all(0 <= distance <= table.depth for distance in values))
    if found is not None:
        assert [distances(line)[tuple(state)] for state in found.tolist()] == values


@fuzz
@given(data=st.data(), line=st.sampled_from(["grid:2:3", "cube:3:2 a=0+3,c=5 -> a=1+0,c=4"]))
def test_data_sets(data, line, tmp_path_factory):
    """Arrays that are written as data sets, and what is read from files with any arrays or bytes."""
    puzzle = PUZZLES[line]
    drawn = hyperslide.dataset(puzzle, 3, seed=1, table=TABLES[line])
    parts = [drawn.states, drawn.cost_to_go, drawn.optimal_actions]
    which = data.draw(st.sets(st.integers(0, 2)))
    for number in which:
        parts[number] = data.draw(wild().filter(lambda one: not isinstance(one, np.ndarray) or one.size < 10_000))
    folder = tmp_path_factory.getbasetemp()
    path = folder / "fuzzed.parquet"
    saved = answer(lambda: (hyperslide.Dataset(puzzle, *parts).save(path),))
    if not which:
        assert saved is not None
    if saved is not None:
        again = hyperslide.Dataset.load(path)
        assert again.states.tolist() == np.asarray(parts[0]).tolist()
        assert again.cost_to_go.tolist() == np.asarray(parts[1]).tolist()
    # A file of NumPy with such arrays.
    path = folder / "fuzzed.npz"
    names = ["states", "cost_to_go", "optimal_actions"]
    text = np.frombuffer(str(puzzle).encode(), dtype=np.uint8)
    given_arrays = {name: part for name, part in zip(names, parts) if isinstance(part, np.ndarray)}
    np.savez(path, puzzle=data.draw(st.one_of(st.just(text), wild().filter(lambda one: isinstance(one, np.ndarray) and one.size < 10_000))), **given_arrays)
    read = answer(lambda: hyperslide.Dataset.load(path))
    if read is not None:
        assert is_state(read.puzzle, read.states)
    # Damaged bytes.
    for ending in (".parquet", ".npz"):
        path = folder / f"damaged{ending}"
        drawn.save(path)
        raw = bytearray(path.read_bytes())
        for at, byte in data.draw(st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=6)):
            raw[at] = byte
        path.write_bytes(bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw))
        answer(lambda: hyperslide.Dataset.load(path))  # noqa: B023


@fuzz
@given(data=st.data(), algorithm=st.sampled_from(["astar", "beam", "greedy", "weighted-astar"]))
def test_what_a_heuristic_returns(data, algorithm):
    """A heuristic of the caller's own that returns anything, of any layout."""
    puzzle = PUZZLES["grid:2:3"].with_start(np.array([3, 1, 2, 4, 5, 0], dtype=np.uint8))
    odd = data.draw(wild())
    when = data.draw(st.integers(0, 5))
    kind = data.draw(st.sampled_from(["f2", "f4", "f8", ">f8", "i1", ">i4", "i8", "u8"]))
    how = data.draw(st.sampled_from(["plain", "strided", "backward", "odd"]))
    calls = []

    def heuristic(states):
        assert states.dtype == np.uint8 and states.shape[1] == 6
        calls.append(len(states))
        estimates = ((states != puzzle.goal) & (states != 0)).sum(axis=1).astype(kind)
        if how == "odd" and len(calls) > when:
            return odd
        if how == "strided":
            return np.repeat(estimates, 2)[::2]
        if how == "backward":
            return np.ascontiguousarray(estimates[::-1])[::-1]
        return estimates

    found = answer(lambda: hyperslide.solve(puzzle, algorithm=algorithm, heuristic=heuristic, batch=3, limit_nodes=2000))
    if how != "odd":
        assert found is not None
    if found is not None and found.status == "solved":
        assert puzzle.is_goal(found.states()[-1:]).all() and not found.optimal


@fuzz
@given(data=st.data(), count=st.integers(1, 3))
def test_what_is_reset(data, count):
    """The mask of a reset, and steps of one environment by anything."""
    envs = hyperslide.SlidingVectorEnv("grid:2:3", count, walk=3, autoreset_mode="disabled")
    before, _ = envs.reset(seed=1)
    mask = data.draw(st.one_of(arrays.arrays(np.bool_, count), wild()))
    right = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (count,)
    found = answer(lambda: envs.reset(options={"reset_mask": mask}))
    if mask is not None:
        assert (found is not None) == (right or isinstance(mask, list) and np.asarray(mask).dtype == np.bool_)
    if right:
        assert (found[0][~mask] == before[~mask]).all()
    env = hyperslide.SlidingEnv("grid:2:3")
    env.reset(seed=1)
    action = data.draw(st.one_of(st.integers(-3, 5), wild()))
    try:
        state, *_ = env.step(action)
    except (hyperslide.HyperslideError, TypeError, OverflowError) as error:
        assert not isinstance(error, hyperslide.InternalError)
    else:
        assert sorted(state.tolist()) == [0, 1, 2, 3, 4, 5] and 0 <= int(action) < 4


@fuzz
@given(data=st.data(), mode=st.sampled_from(["next-step", "same-step", "disabled"]), count=st.integers(1, 5))
def test_environments(data, mode, count):
    """What the vector environment is given, and that what it answers is what the rule says."""
    gymnasium = pytest.importorskip("gymnasium")
    assert gymnasium
    line = data.draw(st.sampled_from(["grid:2:3", "grid:3:3", "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4"]))
    reward = data.draw(st.sampled_from(["step", "goal", "dense", "distance"]))
    puzzle = PUZZLES[line]
    limit = data.draw(st.integers(1, 6))
    envs = hyperslide.SlidingVectorEnv(
        puzzle, count, walk=(0, 2), reward=reward, autoreset_mode=mode, max_episode_steps=limit
    )
    states, _ = envs.reset(seed=data.draw(st.integers(0, 9)))
    goal = puzzle.goal.tolist()
    costs = distances(line)
    ended = [False] * count
    for _ in range(4):
        bad = data.draw(wild())
        if answer(lambda: envs.step(bad)) is not None:  # noqa: B023
            return
        if answer(lambda: envs.reset(options={"states": bad})) is not None:  # noqa: B023
            ended = [False] * count
        states = envs.states
        actions = np.array(data.draw(st.lists(st.integers(0, puzzle.actions - 1), min_size=count, max_size=count)))
        before = states.tolist()
        if mode == "disabled" and any(ended):
            assert answer(lambda: envs.step(actions)) is None  # noqa: B023
            envs.reset(options={"reset_mask": np.array(ended)})
            ended = [False] * count
            continue
        states, rewards, terminated, truncated, infos = envs.step(actions)
        for number in range(count):
            mask = sorted(known(puzzle, states[number].tolist()))
            assert np.flatnonzero(infos["action_mask"][number]).tolist() == mask
            if mode == "next-step" and ended[number]:
                assert rewards[number] == 0 and not terminated[number] and not truncated[number]
                ended[number] = False
                continue
            then = known(puzzle, before[number])
            is_legal = int(actions[number]) in then
            after = then.get(int(actions[number]), tuple(before[number]))
            solved = list(after) == goal
            placed = [
                sum(cell == wanted != 0 for cell, wanted in zip(cells, goal)) for cells in (before[number], after)
            ]
            expected = {
                "step": -1.0,
                "goal": float(solved and is_legal),
                "dense": float(placed[1] - placed[0]),
                "distance": float(costs[tuple(before[number])] - costs[after]),
            }
            assert infos["legal"][number] == is_legal
            assert terminated[number] == (solved or not then)
            assert rewards[number] == expected[reward]
            is_over = bool(terminated[number] or truncated[number])
            seen = infos["final_obs"][number] if mode == "same-step" and is_over else states[number]
            assert tuple(seen.tolist()) == after
            ended[number] = is_over and mode != "same-step"
