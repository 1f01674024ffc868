"""What is copied, and what is handed over: input once, output never."""

import subprocess
import sys

import numpy as np
import pytest

import hyperslide

PUZZLE = hyperslide.Puzzle("grid:3:3")
STATES = PUZZLE.sample(500, seed=1)
ACTIONS = np.zeros(500, dtype=np.int64)
TABLE = hyperslide.Table.build(PUZZLE)

# Every function that returns arrays of the size of a batch.
OUTPUT = {
    "step_batch": lambda: PUZZLE.step_batch(STATES, ACTIONS),
    "legal_mask": lambda: (PUZZLE.legal_mask(STATES),),
    "expand": lambda: PUZZLE.expand(STATES),
    "is_goal": lambda: (PUZZLE.is_goal(STATES),),
    "cost_to_go": lambda: (PUZZLE.cost_to_go(STATES),),
    "optimal_actions": lambda: (PUZZLE.optimal_actions(STATES),),
    "heuristic": lambda: (PUZZLE.heuristic(STATES, "misplaced"),),
    "rank": lambda: (PUZZLE.rank(STATES),),
    "unrank": lambda: (PUZZLE.unrank(PUZZLE.rank(STATES)),),
    "sample": lambda: (PUZZLE.sample(500),),
    "component": lambda: hyperslide.Puzzle("grid:2:3").component(),
    "Table.cost_to_go": lambda: (TABLE.cost_to_go(STATES),),
    "Table.optimal_actions": lambda: (TABLE.optimal_actions(STATES),),
    "Table.dataset": lambda: TABLE.dataset(500),
    "Table.sample_at": lambda: (TABLE.sample_at(np.full(500, 7)),),
}


def owner(array):
    """Return what owns the memory of an array."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


@pytest.mark.parametrize("name", OUTPUT)
def test_results_are_the_memory_in_which_they_were_computed(name):
    for array in OUTPUT[name]():
        # The owner is a vector of Rust; NumPy owns what it has copied.
        assert not array.flags.owndata and type(owner(array)).__name__ == "PySliceContainer"
        assert array.flags.writeable and array.flags.c_contiguous
        assert not np.shares_memory(array, STATES) and not np.shares_memory(array, ACTIONS)


def test_environments_hand_over_what_grows_with_them():
    envs = hyperslide.SlidingVectorEnv("grid:3:3", 5000, cost_to_go=True, autoreset_mode="same-step", max_episode_steps=2)
    _, before = envs.reset(seed=1)
    for _ in range(4):
        states, rewards, terminated, truncated, info = envs.step(np.zeros(5000, dtype=np.int64))
        for array in (states, rewards, terminated, truncated, info["action_mask"], info["cost_to_go"], info["legal"]):
            assert not array.flags.owndata and array.flags.writeable
        # That each environment has an entry is said by the same array every time, which nobody can change.
        assert info["_action_mask"] is before["_action_mask"] is info["_legal"] and info["_legal"].all()
        assert not info["_legal"].flags.writeable
    assert not info["final_obs"].flags.owndata


def test_a_heuristic_of_ones_own_is_given_the_states_without_a_copy():
    seen = []

    def heuristic(states):
        seen.append(type(owner(states)).__name__)
        return np.zeros(len(states))

    hyperslide.solve("grid:2:2 2,3,1,0", algorithm="astar", heuristic=heuristic)
    assert seen and set(seen) == {"PySliceContainer"}


def test_what_was_returned_does_not_change():
    """No memory of a result is used again."""
    envs = hyperslide.SlidingVectorEnv("grid:3:3", 8)
    envs.reset(seed=1)
    kept = [envs.step(np.full(8, action)) for action in (0, 1, 2, 3)]
    copies = [[part.copy() for part in one[:4]] + [one[4]["action_mask"].copy()] for one in kept]
    for _ in range(50):
        envs.step(np.zeros(8, dtype=int))
    for one, copied in zip(kept, copies):
        for part, as_it_was in zip([*one[:4], one[4]["action_mask"]], copied):
            assert np.array_equal(part, as_it_was)
    states, _ = PUZZLE.step_batch(STATES, ACTIONS)
    states[:] = 0
    assert PUZZLE.is_goal(STATES).shape == (500,)


PEAK = """
import numpy as np, hyperslide
puzzle = hyperslide.Puzzle("grid:4:4")
states = np.tile(puzzle.start, (1_000_000, 1))
actions = np.zeros(len(states), dtype=np.int64)
def status(name):
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith(name))
puzzle.step_batch(states[:10], actions[:10])
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
result = {}
print(status("VmHWM") - before, sum(part.nbytes for part in result))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    "call, copied",
    [
        # step_batch plays in its copy of the states, which it returns.
        ("puzzle.step_batch(states, actions)", 8_000_000),
        ("[puzzle.legal_mask(states)]", 16_000_000),
        ("[puzzle.is_goal(states)]", 16_000_000),
    ],
)
def test_nothing_is_copied_twice(call, copied):
    """The most memory that a call takes is its result and one copy of what it reads."""
    peak, returned = map(int, subprocess.check_output([sys.executable, "-c", PEAK.replace("{}", call)]).split())
    assert peak - returned <= copied + 2_000_000
