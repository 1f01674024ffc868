"""The environments: Gymnasium's own check, and one at a time against many together."""

import copy
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

import hyperslide

BOARDS = [
    "grid:3:3",
    "grid:2:3 a,a,b,b,c,0 -> a,a,b,b,c,0",
    "grid:2:4 1,2,3,4,5,0,0,0 -> 1,2,3,4,5,0,0,0",
    "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4",
]


@pytest.mark.filterwarnings("error")
@pytest.mark.filterwarnings("ignore:.*not within.*")
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("reward", ["step", "goal", "dense", "distance"])
def test_gymnasium_finds_nothing_wrong(board, reward):
    env = gymnasium.make("hyperslide/Sliding-v0", board=board, reward=reward, cost_to_go=True)
    check_env(env.unwrapped, skip_render_check=True)
    assert env.spec.max_episode_steps == 1000


def test_rewards_and_ends():
    for reward, last in [("step", -1.0), ("goal", 1.0), ("dense", 1.0), ("distance", 1.0)]:
        env = hyperslide.SlidingEnv("grid:3:3", reward=reward, distance=12, cost_to_go=True)
        state, info = env.reset(seed=3)
        total, steps = 0.0, 0
        assert info["cost_to_go"] == 12
        terminated = False
        while not terminated:
            assert (info["action_mask"] == env.action_masks()).all()
            action = int(np.flatnonzero(info["optimal_actions"])[0])
            before = info["cost_to_go"]
            state, gained, terminated, truncated, info = env.step(action)
            total, steps = total + gained, steps + 1
            assert info["cost_to_go"] == before - 1 and not truncated and info["legal"]
        assert (steps, gained) == (12, last)
        assert env.puzzle.is_goal(state[None]).all()
        assert total == {"step": -12, "goal": 1, "dense": total, "distance": 12}[reward]


@pytest.mark.parametrize("board", BOARDS)
def test_a_copy_goes_its_own_way(board):
    env = gymnasium.make("hyperslide/Sliding-v0", board=board, walk=(5, 20), cost_to_go=True)
    env.reset(seed=5)
    env.reset()
    again = copy.deepcopy(env)
    assert again.unwrapped.puzzle is env.unwrapped.puzzle
    before = env.unwrapped.state
    # Both draw the same episodes from here on, and neither moves the other.
    for _ in range(3):
        first = [play(env, action) for action in range(4)]
        assert (again.unwrapped.state == before).all()
        second = [play(again, action) for action in range(4)]
        assert first == second
        before, _ = env.reset()
        assert (again.reset()[0] == before).all()


@pytest.mark.parametrize("mode", ["next-step", "same-step"])
@pytest.mark.parametrize("board", BOARDS)
def test_a_copy_of_many_goes_its_own_way(board, mode):
    envs = hyperslide.SlidingVectorEnv(board, 50, walk=3, autoreset_mode=mode, max_episode_steps=7)
    envs.reset(seed=5)
    again = copy.deepcopy(envs)
    start = envs.states
    random = np.random.default_rng(1)
    actions = [random.integers(envs.single_action_space.n, size=50) for _ in range(20)]
    first = [[part.tolist() for part in envs.step(one)[:4]] for one in actions]
    assert (again.states == start).all() and not (envs.states == start).all()
    assert first == [[part.tolist() for part in again.step(one)[:4]] for one in actions]


def play(env, action):
    state, reward, terminated, truncated, info = env.step(action)
    return state.tolist(), reward, terminated, truncated, info["legal"], info["cost_to_go"]


def test_illegal_actions():
    env = hyperslide.SlidingEnv("grid:3:3", start="puzzle")
    state, info = env.reset()
    assert info["action_mask"].tolist() == [1, 0, 0, 1] and info["action_mask"].dtype == np.int8
    stayed, reward, terminated, _, info = env.step(1)
    assert (stayed == state).all() and reward == -1 and not info["legal"] and terminated
    env = hyperslide.SlidingEnv("grid:3:3", start="puzzle", illegal="raise")
    env.reset()
    with pytest.raises(hyperslide.IllegalActionError, match="not legal"):
        env.step(1)
    for action in (4, -1, 2**40):
        with pytest.raises(hyperslide.IllegalActionError, match="out of range"):
            env.step(action)
    with pytest.raises(TypeError):
        env.step("up")


def test_a_state_in_which_nothing_moves_ends_the_episode():
    stuck = "cube:3:3 a=0,b=1 -> a=1,b=0"
    env = hyperslide.SlidingEnv(stuck, start="puzzle")
    _, info = env.reset()
    assert not info["action_mask"].any()
    assert env.action_space.sample(info["action_mask"]) == 0
    _, _, terminated, truncated, info = env.step(0)
    assert terminated and not truncated and not info["legal"]


def test_states_can_be_given():
    env = gymnasium.make("hyperslide/Sliding-v0", board="grid:3:3", render_mode="ansi")
    start = np.array([8, 6, 7, 2, 5, 4, 3, 0, 1], dtype=np.uint8)
    state, _ = env.reset(options={"state": start})
    assert (state == start).all() and env.render() == "8,6,7,2,5,4,3,0,1"
    with pytest.raises(hyperslide.SettingError, match="no option 'place'"):
        env.reset(options={"place": start})
    with pytest.raises(hyperslide.ArrayError):
        env.reset(options={"state": start[:5]})


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("reward", ["step", "goal", "dense", "distance"])
@pytest.mark.parametrize("board", BOARDS)
def test_many_are_as_one_at_a_time(board, reward, mode):
    """Against Gymnasium's own vector of single environments, which begin at the same states."""
    count = 5
    many = gymnasium.make_vec(
        "hyperslide/Sliding-v0",
        num_envs=count,
        vectorization_mode="vector_entry_point",
        board=board,
        start="puzzle",
        reward=reward,
        cost_to_go=True,
        autoreset_mode=mode,
        max_episode_steps=13,
    )
    assert isinstance(many, VectorEnv) and many.metadata["autoreset_mode"] == mode
    one = lambda: gymnasium.wrappers.TimeLimit(  # noqa: E731
        hyperslide.SlidingEnv(board, start="puzzle", reward=reward, cost_to_go=True), 13
    )
    singles = SyncVectorEnv([one] * count, autoreset_mode=mode)
    assert many.single_action_space == singles.single_action_space
    assert many.single_observation_space == singles.single_observation_space
    assert many.action_space == singles.action_space
    assert many.observation_space == singles.observation_space
    starts, _ = many.reset()
    expected, _ = singles.reset()
    assert (starts == expected).all()
    random = np.random.default_rng(0)
    ends = 0
    for _ in range(120):
        actions = random.integers(many.single_action_space.n, size=count)
        got, wanted = many.step(actions), singles.step(actions)
        for mine, theirs in zip(got[:4], wanted[:4]):
            assert mine.dtype == theirs.dtype and (mine == theirs).all()
        info, known = got[4], wanted[4]
        assert (info["action_mask"] == known["action_mask"]).all()
        assert (info["cost_to_go"] == known["cost_to_go"]).all()
        assert (info["optimal_actions"] == known["optimal_actions"]).all()
        over = got[2] | got[3]
        ends += over.sum()
        if mode == AutoresetMode.SAME_STEP and over.any():
            assert (info["_final_obs"] == known["_final_obs"]).all()
            assert all((info["final_obs"][n] == known["final_obs"][n]).all() for n in np.flatnonzero(over))
            last, known_last = info["final_info"], known["final_info"]
            assert (last["_cost_to_go"] == known_last["_cost_to_go"]).all()
            for name in ["legal", "action_mask", "cost_to_go", "optimal_actions"]:
                assert (last[name][over] == known_last[name][over]).all(), name
        if mode == AutoresetMode.DISABLED and over.any():
            with pytest.raises(hyperslide.IllegalActionError, match="has ended"):
                many.step(actions)
            again, _ = many.reset(options={"reset_mask": over})
            expected, _ = singles.reset(options={"reset_mask": over})
            assert (again == expected).all()
    assert ends > 10


def test_seeds_and_starts_of_many():
    env = hyperslide.SlidingVectorEnv("grid:3:3", 50, cost_to_go=True)
    first, info = env.reset(seed=1)
    assert (first == env.reset(seed=1)[0]).all() and (first != env.reset(seed=2)[0]).any()
    assert (info["cost_to_go"] == env.puzzle.cost_to_go(first)).all()
    _, info = hyperslide.SlidingVectorEnv("grid:3:3", 50, cost_to_go=True, distance=20).reset(seed=1)
    assert (info["cost_to_go"] == 20).all()
    env.step(np.zeros(50, dtype=np.int64))
    assert env.action_masks().shape == (50, 4)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"num_envs": 0}, "num_envs is 0"),
        ({"reward": "x"}, "reward is 'x'"),
        ({"start": "x"}, "start is 'x'"),
        ({"start": "puzzle", "walk": 4}, "only one"),
        ({"autoreset_mode": "x"}, "autoreset_mode is 'x'"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        ({"board": "grid:3:3", "empty": 9}, "empty is 9"),
        ({"walk": (3, 1)}, "lesser bound first"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(hyperslide.SettingError, match=message):
        hyperslide.SlidingVectorEnv(**arguments)


@pytest.mark.parametrize("board", BOARDS)
def test_actions_of_every_type_are_the_same(board):
    random = np.random.default_rng(1)
    env = hyperslide.SlidingVectorEnv(board, 40, walk=30)
    actions = random.integers(0, env.puzzle.actions, size=(20, 40))
    unaligned = np.zeros(8 * 40 + 1, dtype=np.uint8)[1:].view(np.int64)
    played = []
    for form in [
        lambda row: row,
        lambda row: row.astype(np.int32),
        lambda row: row.astype(np.uint8),
        lambda row: row.astype(np.uint64),
        lambda row: row.astype(">i4"),
        lambda row: np.repeat(row, 2)[::2],
        lambda row: np.copyto(unaligned, row) or unaligned,
    ]:
        env.reset(seed=5)
        played.append([[*env.step(form(row))[:4]] for row in actions])
    assert all(np.array_equal(a, b) for other in played[1:] for one, two in zip(played[0], other) for a, b in zip(one, two))


def test_wrong_actions_of_many():
    env = hyperslide.SlidingVectorEnv("grid:3:3", 2)
    env.reset(seed=1)
    for wrong in ([0, 256], [-1, 0], [0, 2**40], [4, 4]):
        with pytest.raises(hyperslide.IllegalActionError, match=f"is {max(wrong, key=abs)}: the actions"):
            env.step(np.array(wrong))
    with pytest.raises(hyperslide.IllegalActionError, match="action 0 is -1"):
        env.step(np.array([-1, 0], dtype=np.int32))
    with pytest.raises(hyperslide.IllegalActionError, match="action 1 is 4"):
        env.step(np.array([0, 4]))
    with pytest.raises(hyperslide.ArrayError, match=r"int64\[2\]"):
        env.step(np.array([0]))
    with pytest.raises(hyperslide.SettingError, match="one seed"):
        env.reset(seed=[1, 2])


def test_threads_that_share_an_environment_do_not_wait_for_each_other():
    """One meets errors while the other looks at the states, which takes both the interpreter and the environment."""
    program = """
import threading
import numpy as np
import hyperslide
envs = hyperslide.SlidingVectorEnv("grid:3:3", 8000, start="puzzle", autoreset_mode="disabled", max_episode_steps=1)
envs.reset()
actions = np.zeros(8000, dtype=np.int64)
envs.step(actions)
stop = threading.Event()
def look():
    while not stop.is_set():
        envs.states
thread = threading.Thread(target=look)
thread.start()
for _ in range(2000):
    try:
        envs.step(actions)
    except hyperslide.IllegalActionError:
        pass
stop.set()
thread.join()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_an_episode_ends_where_nothing_can_move() -> None:
    """No action is legal there, so `illegal="raise"` has nothing to ask for."""
    stuck = hyperslide.Puzzle("cube:3:3 a=0,b=1 -> a=0,b=2")
    env = hyperslide.SlidingEnv(stuck, start="puzzle", illegal="raise")
    env.reset(seed=1)
    _, _, terminated, _, _ = env.step(0)
    assert terminated


def test_vector_environments_keep_their_seed_for_gymnasium() -> None:
    envs = hyperslide.SlidingVectorEnv("grid:3:3", 4)
    envs.reset(seed=11)
    assert envs.np_random_seed == 11


def test_walks_of_the_wrong_type_are_type_errors() -> None:
    for action in (2**70, -(2**70)):
        with pytest.raises(hyperslide.IllegalActionError, match=f"action {action} is out of range: write 0 to 3"):
            hyperslide.SlidingEnv("grid:3:3").step(action)
    with pytest.raises(hyperslide.SettingError, match="num_envs: -1 is out of range: write 1 to 268435456"):
        hyperslide.SlidingVectorEnv("grid:3:3", -1)
    with pytest.raises(TypeError, match="walk is x: write a number of moves"):
        hyperslide.SlidingEnv("grid:3:3", walk="x")
    with pytest.raises(hyperslide.SettingError, match="the lesser bound first"):
        hyperslide.SlidingEnv("grid:3:3", walk=(3, 2))
