"""Batches against a plain reading of the rule, and bad input."""

import sys
import threading
import time

import numpy as np
import plain
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import hyperslide

LINES = [
    "grid:3:3",
    "grid:4:4",
    "grid:2:4 1,2,3,4,5,0,0,0 -> 1,2,3,4,5,0,0,0",
    "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4",
    "cube:4:2 1=0,2=3,3=5,4=9,5=14 -> 1=0,2=3,3=5,4=14,5=9",
    "cube:3:2 a=0+3,c=5 -> a=1+0,c=4",
]
PUZZLES = {line: hyperslide.Puzzle(line) for line in LINES}


@pytest.mark.parametrize("line", LINES)
def test_steps_masks_and_children(line):
    puzzle = PUZZLES[line]
    states = puzzle.sample(60, walk=(0, 50), seed=1)
    mask = puzzle.legal_mask(states)
    children, offsets, actions = puzzle.expand(states)
    assert mask.shape == (60, puzzle.actions)
    assert offsets.tolist() == [0, *np.cumsum(mask.sum(axis=1)).tolist()]
    for number, state in enumerate(map(tuple, states.tolist())):
        known = {
            plain.action(puzzle, state, *move): plain.after(state, *move)
            for move in plain.moves(puzzle.board.faces, state)
        }
        assert np.flatnonzero(mask[number]).tolist() == sorted(known)
        of = slice(offsets[number], offsets[number + 1])
        assert actions[of].tolist() == sorted(known)
        assert [tuple(child) for child in children[of].tolist()] == [known[a] for a in sorted(known)]
        every = np.arange(puzzle.actions)
        stepped, legal = puzzle.step_batch(np.tile(states[number], (len(every), 1)), every)
        for action in every:
            assert legal[action] == (action in known)
            assert tuple(stepped[action].tolist()) == known.get(int(action), state)
        for action, child in known.items():
            _, source, target = puzzle.action_move(states[number], action)
            assert plain.after(state, source, target) == child


@pytest.mark.parametrize("line", LINES)
def test_ranks_are_one_to_one(line):
    puzzle = PUZZLES[line]
    states = puzzle.sample(200, seed=3)
    if line == "grid:4:4":
        with pytest.raises(hyperslide.TableError):
            puzzle.rank(states)
        return
    ranks = puzzle.rank(states)
    assert (ranks >= 0).all() and (ranks < puzzle.ranks).all()
    assert (puzzle.unrank(ranks) == states).all()


def test_samples_are_solvable_and_the_same_for_the_same_seed():
    puzzle = PUZZLES["grid:4:4"]
    states = puzzle.sample(1000, seed=7)
    assert (states == puzzle.sample(1000, seed=7)).all()
    assert (states != puzzle.sample(1000, seed=8)).any()
    solved = hyperslide.solve(puzzle.with_start(states[0]), algorithm="anytime", limit_time=0.2)
    assert solved.status in ("solved", "limit-reached")
    small = PUZZLES["grid:3:3"]
    assert (small.cost_to_go(small.sample(1000)) >= 0).all()
    assert (small.cost_to_go(small.sample(20, distance=31)) == 31).all()
    assert (small.cost_to_go(small.sample(20, walk=5)) <= 5).all()
    with pytest.raises(hyperslide.PuzzleError, match="farthest is 31"):
        small.sample(1, distance=32)


def test_heuristics_are_those_of_the_search():
    puzzle = PUZZLES["grid:3:3"]
    states = puzzle.sample(300, seed=1)
    costs = puzzle.cost_to_go(states)
    for name in ["lone-token", "linear-conflict", "walking-distance", "misplaced"]:
        estimates = puzzle.heuristic(states, name)
        assert (estimates <= costs).all() and (estimates >= 0).all()
    columns = np.arange(9) % 3
    manhattan = np.zeros(len(states), dtype=int)
    for token in range(1, 9):
        at = (states == token).argmax(axis=1)
        manhattan += abs(at // 3 - (token - 1) // 3) + abs(columns[at] - (token - 1) % 3)
    assert (puzzle.heuristic(states, "lone-token") == manhattan).all()


def test_views_and_other_layouts_are_read():
    puzzle = PUZZLES["grid:3:3"]
    states = puzzle.sample(40, seed=1)
    wide = np.zeros((40, 18), dtype=np.uint8)
    wide[:, ::2] = states
    for other in [np.asfortranarray(states), wide[:, ::2], states[::-1][::-1]]:
        assert (puzzle.legal_mask(other) == puzzle.legal_mask(states)).all()
    states.flags.writeable = False
    for actions in [np.zeros(40, dtype=kind) for kind in (np.int8, np.uint16, np.int32)]:
        stepped, _ = puzzle.step_batch(states, actions)
        assert stepped.flags.writeable


BAD = [
    ([[1, 2]], "must be an array uint8"),
    (np.zeros((2, 9)), "float64"),
    (np.zeros((2, 8), dtype=np.uint8), r"uint8\[2, 8\]"),
    (np.zeros(9, dtype=np.uint8), r"uint8\[9\]"),
    (np.zeros((1, 9), dtype=np.uint8), "state 0 has 9 empty vertices"),
    (np.full((1, 9), 9, dtype=np.uint8), "state 0 has 9 on vertex 0"),
    (np.array([[1, 2, 3, 4, 5, 6, 7, 7, 0]], dtype=np.uint8), "state 0 has 2 tokens 7"),
    (None, "NoneType"),
    ("states", "str"),
]


@pytest.mark.parametrize("states, message", BAD)
def test_wrong_states_are_named(states, message):
    puzzle = PUZZLES["grid:3:3"]
    calls = [
        puzzle.legal_mask,
        puzzle.expand,
        puzzle.cost_to_go,
        puzzle.optimal_actions,
        puzzle.rank,
        puzzle.is_goal,
        lambda states: puzzle.heuristic(states, "blind"),
        lambda states: puzzle.step_batch(states, np.zeros(len(states or []) if states is None else len(states), dtype=int)),
    ]
    for call in calls:
        with pytest.raises(hyperslide.ArrayError, match=message):
            call(states)


def test_wrong_actions_are_named():
    puzzle = PUZZLES["grid:3:3"]
    states = puzzle.sample(2)
    for actions, message in [
        (np.array([0, 4]), "action 1 is 4: the actions of this puzzle are 0 to 3"),
        (np.array([-1, 0]), "action 0 is -1"),
    ]:
        with pytest.raises(hyperslide.IllegalActionError, match=message):
            puzzle.step_batch(states, actions)
    for actions in [np.zeros(3, dtype=int), np.zeros(2), [0, 0], np.zeros((2, 1), dtype=int)]:
        with pytest.raises(hyperslide.ArrayError, match=r"int64\[2\]"):
            puzzle.step_batch(states, actions)
    with pytest.raises(hyperslide.IllegalActionError, match="not legal"):
        puzzle.action_move(puzzle.start, 1)
    with pytest.raises(hyperslide.IllegalActionError, match="move 0: vertex 99"):
        puzzle.play([(99, 0)])
    with pytest.raises(hyperslide.ArrayError, match="rank"):
        puzzle.unrank(np.array([-1]))


anything = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=5),
    st.lists(st.integers(0, 9), max_size=9),
    arrays.arrays(
        st.sampled_from([np.uint8, np.int64, np.float32, np.bool_, np.dtype("U3"), object]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9),
    ),
    arrays.arrays(np.uint8, st.tuples(st.integers(0, 4), st.sampled_from([8, 9, 16]))),
)


@settings(max_examples=300, deadline=None)
@given(states=anything, other=anything, line=st.sampled_from(LINES))
def test_no_array_makes_it_panic(states, other, line):
    puzzle = PUZZLES[line]
    calls = [
        lambda: puzzle.legal_mask(states),
        lambda: puzzle.expand(states),
        lambda: puzzle.rank(states),
        lambda: puzzle.is_goal(states),
        lambda: puzzle.heuristic(states, "lone-token"),
        lambda: puzzle.step_batch(states, other),
        lambda: puzzle.unrank(other),
        lambda: puzzle.with_start(states),
        lambda: puzzle.decode(other),
    ]
    if line not in ("grid:4:4", "cube:4:2 1=0,2=3,3=5,4=9,5=14 -> 1=0,2=3,3=5,4=14,5=9"):
        calls += [lambda: puzzle.cost_to_go(states), lambda: puzzle.optimal_actions(states)]
    for call in calls:
        try:
            call()
        except hyperslide.InternalError:
            raise
        except (hyperslide.HyperslideError, TypeError, OverflowError):
            pass


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=40), number=st.integers(-(2**70), 2**70))
def test_no_text_makes_it_panic(text, number):
    for call in [
        lambda: hyperslide.Puzzle(text),
        lambda: hyperslide.Board(text),
        lambda: hyperslide.Puzzle("grid:3:3", metric=text),
        lambda: hyperslide.Puzzle("grid:3:3", empty=number),
        lambda: hyperslide.Puzzle("cubical/d4-level4", rule=number),
        lambda: hyperslide.solve("grid:2:2", algorithm=text),
        lambda: hyperslide.solve("grid:2:2", heuristic=text),
        lambda: hyperslide.solve("grid:2:2", algorithm="beam", width=number),
        lambda: PUZZLES["grid:3:3"].sample(number if abs(number) > 2**62 else 1, text),
    ]:
        try:
            call()
        except hyperslide.InternalError:
            raise
        except (hyperslide.HyperslideError, TypeError, OverflowError, ValueError):
            pass


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda puzzle: puzzle.sample(-1), hyperslide.SettingError, "-1 is out of range"),
        (lambda puzzle: puzzle.sample(2**40), hyperslide.ArrayError, "does not fit in memory"),
        (lambda puzzle: puzzle.sample(1, seed=2**64), hyperslide.SettingError, "18446744073709551616 is out"),
        (lambda puzzle: puzzle.sample(1, distance=-3), hyperslide.SettingError, "-3 is out of range"),
        (lambda puzzle: puzzle.cost_to_go(puzzle.goal[None], memory=-5), hyperslide.SettingError, "-5 is out"),
        (lambda puzzle: puzzle.action_move(puzzle.start, -1), hyperslide.IllegalActionError, "action -1 is not"),
        (lambda puzzle: puzzle.play([(-1, 1)]), hyperslide.IllegalActionError, "vertex -1 is not on"),
        (lambda puzzle: puzzle.board.destinations(-2, []), hyperslide.BoardError, "vertex -2 is not on"),
        (lambda puzzle: puzzle.unrank(np.array([2**64 - 1], np.uint64)), hyperslide.ArrayError, "18446744073709551615"),
        (lambda puzzle: hyperslide.Table.build(puzzle, threads=10**6), hyperslide.SettingError, "threads is 1000000"),
        (lambda puzzle: hyperslide.Table.build(puzzle, bits=300), hyperslide.SettingError, "300 is out of range"),
        (lambda puzzle: hyperslide.dataset(puzzle, 2**40), hyperslide.ArrayError, "does not fit in memory"),
        (lambda puzzle: hyperslide.Table.build(puzzle, threads=-1), hyperslide.SettingError, "threads: -1 .* write 1 to 1024"),
        (lambda puzzle: hyperslide.Table.build(puzzle, bits=-1), hyperslide.SettingError, "bits: -1 .* write 8 or 2"),
        (lambda puzzle: hyperslide.Puzzle("cubical/d4-level4", rule=-1), hyperslide.SettingError, "rule: -1 .* write 1 to the dimension"),
        (lambda puzzle: hyperslide.Puzzle("grid:3:3", empty=-1), hyperslide.SettingError, "empty: -1 .* write 1 or more"),
        (lambda puzzle: puzzle.sample(1, walk=-1), hyperslide.SettingError, "walk is -1: .* from 0 to 4294967295"),
        (lambda puzzle: puzzle.sample(1, walk=10**30), hyperslide.SettingError, "walk is 10{30}: .* 4294967295"),
        (lambda puzzle: puzzle.sample(1, walk=(0, 2**32)), hyperslide.SettingError, "walk is .*: write a number"),
        (lambda puzzle: puzzle.action_move(puzzle.start, 10**30), hyperslide.IllegalActionError, "action 10{30} is not"),
        (lambda puzzle: puzzle.play([(10**30, 1)]), hyperslide.IllegalActionError, "vertex 10{30} is not on"),
        (lambda puzzle: hyperslide.Table.build(puzzle).sample_at(np.array([2**40])), hyperslide.ArrayError, "write 0 to 31"),
        (lambda puzzle: hyperslide.random("grid:3:3", 2**63), hyperslide.SettingError, "count is 9223372036854775808, which do not fit"),
        (lambda puzzle: hyperslide.random("grid:3:3", -1), hyperslide.SettingError, "count: -1 is out of range"),
        (lambda puzzle: hyperslide.Puzzle("korf15/1", empty=3), hyperslide.SettingError, "leave empty out"),
        (lambda puzzle: hyperslide.Puzzle("torus:1:1"), hyperslide.PuzzleError, "has one vertex"),
    ],
)
def test_numbers_out_of_range_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(PUZZLES["grid:3:3"])


def test_views_larger_than_memory_are_refused():
    """A view repeats one state more often than memory has room for; a failed allocation would end Python."""
    puzzle = PUZZLES["grid:3:3"]
    many = np.broadcast_to(puzzle.start, (2**40, 9))
    calls = [puzzle.legal_mask, puzzle.expand, puzzle.is_goal, puzzle.cost_to_go, puzzle.rank]
    for call in calls:
        with pytest.raises(hyperslide.ArrayError, match="does not fit in memory"):
            call(many)
    with pytest.raises(hyperslide.ArrayError, match="does not fit in memory"):
        puzzle.step_batch(many, np.broadcast_to(np.int64(0), 2**40))


def test_the_interpreter_is_released():
    puzzle = PUZZLES["grid:4:4"]
    states = np.tile(puzzle.start, (200_000, 1))
    actions = np.zeros(len(states), dtype=int)
    stop, begun, counted = threading.Event(), threading.Event(), [0]

    def count():
        while not stop.is_set():
            counted[0] += 1
            begun.set()
            time.sleep(0)  # gives the interpreter to whoever waits for it

    thread = threading.Thread(target=count)
    thread.start()
    begun.wait()
    interval = sys.getswitchinterval()
    try:
        # From now on nobody has to give the interpreter away, and the thread counts only while it is released.
        sys.setswitchinterval(1000)
        before = counted[0]
        assert sum(range(100_000)) and counted[0] == before
        puzzle.step_batch(states, actions)
        assert counted[0] > before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


def test_batches_in_many_threads_agree():
    puzzle = hyperslide.Puzzle("grid:3:3")
    states = puzzle.sample(2000, seed=1)
    found = []
    work = lambda: found.append(puzzle.cost_to_go(states).tolist())  # noqa: E731
    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 8 and all(one == found[0] for one in found)


def test_unaligned_and_interleaved_actions_are_read():
    puzzle = hyperslide.Puzzle("grid:3:3 1,2,3,4,5,6,7,8,0")
    states = puzzle.sample(5, "uniform", seed=1)
    actions = np.argmax(puzzle.legal_mask(states), axis=1).astype(np.int64)
    expected, _ = puzzle.step_batch(states, actions)
    unaligned = np.frombuffer(b"x" + actions.tobytes(), np.uint8)[1:].view(np.int64)
    assert not unaligned.flags.aligned
    interleaved = np.zeros(5, [("a", "u1"), ("b", "i8")])
    interleaved["b"] = actions
    for given in (unaligned, interleaved["b"]):
        assert np.array_equal(puzzle.step_batch(states, given)[0], expected)


def test_a_puzzle_shares_its_table_with_other_starts():
    puzzle = hyperslide.Puzzle("grid:3:3 8,6,7,2,5,4,3,0,1")
    states = puzzle.sample(50, seed=3)
    # With this memory no table can be built.
    others = [puzzle.with_start(state) for state in states]
    with pytest.raises(hyperslide.TableError):
        others[0].cost_to_go(states, memory=1)
    costs = others[0].cost_to_go(states)
    for other in [puzzle, *others[1:], puzzle.with_start(states[1]).with_start(states[2])]:
        assert (other.cost_to_go(states, memory=1) == costs).all()
    env = hyperslide.SlidingEnv(puzzle.with_start(states[3]), start="puzzle", cost_to_go=True, memory=1)
    assert env.reset()[1]["cost_to_go"] == costs[3]


def test_a_start_in_another_component_has_a_table_of_its_own():
    """No token can move, and the goal is met by two states, neither of which leads to the other."""
    puzzle = hyperslide.Puzzle("cube:2:2 c=1,a=2,b=3 -> c=1,a=2,b=*")
    states = np.array([puzzle.start, puzzle.start[[3, 1, 2, 0]]])
    assert puzzle.cost_to_go(states).tolist() == [0, -1]
    other = puzzle.with_start(states[1])
    assert other.cost_to_go(states).tolist() == [-1, 0]
    assert puzzle.cost_to_go(states).tolist() == [0, -1]
    # Half of all states cannot reach this goal, from wherever the table was built.
    odd = hyperslide.Puzzle("grid:2:2").with_start(np.array([2, 1, 3, 0], np.uint8))
    assert odd.cost_to_go(odd.start[None]).tolist() == [-1]


def test_moves_of_results_are_played():
    puzzle = hyperslide.Puzzle("grid:3:3 8,6,7,2,5,4,3,0,1")
    moves = hyperslide.solve(puzzle).moves
    assert moves is not None
    assert puzzle.is_goal(puzzle.play(moves)[None]).all()
    assert (puzzle.play([tuple(move) for move in moves]) == puzzle.play([move[1:] for move in moves])).all()
    wrong = [*moves[:4], moves[4]._replace(token="9")]
    with pytest.raises(hyperslide.IllegalActionError, match=f"move 4: .* is {moves[4].token}, not 9"):
        puzzle.play(wrong)
    with pytest.raises(hyperslide.IllegalActionError, match="move 0"):
        puzzle.play([("8", 7, 8)])
    for shape in [7, "78", (1,), (1, 2, 3), ("1", 2), ("1", 2, 3, 4), (1.5, 2), None]:
        with pytest.raises(TypeError, match=r"move 0 is .*: write a pair of vertices, as in \(5, 8\)"):
            puzzle.play([shape])
