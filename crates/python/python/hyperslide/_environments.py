"""Gymnasium environments: a single puzzle, and many that step together.

The actions are those of `Puzzle.action_scheme`. An action that is not legal leaves the state as it is
and costs a step, unless `illegal="raise"`. `terminated` says that the goal is reached, or that nothing
can move; there is no limit of steps but the one that is registered or given.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv

from . import _core
from ._arguments import as_puzzle
from ._core import Board, Puzzle
from ._errors import SettingError

States = npt.NDArray[np.uint8]


def _puzzle(puzzle: Puzzle | Board | str, empty: int | None) -> Puzzle:
    if isinstance(puzzle, Puzzle):
        if empty is not None:
            raise SettingError("the puzzle says which vertices are empty: leave empty out")
        return puzzle
    if empty is None:
        return as_puzzle(puzzle, "board")
    if isinstance(puzzle, Board):
        return Puzzle(puzzle.text, metric=puzzle.metric, empty=empty)
    return Puzzle(puzzle, empty=empty)


class SlidingEnv(gymnasium.Env[States, np.int64]):
    """A sliding puzzle.

    Parameters
    ----------
    board:
        A puzzle, a board, or the text of either: a board has the goal 1, 2, ... and `empty` empty
        vertices.
    start, walk, distance:
        How an episode begins: `start="uniform"` (every solvable state is equally likely), `"walk"`
        (100 random moves from the goal) or `"puzzle"` (the puzzle's own start); `walk=N` or
        `walk=(least, most)` for walks of other lengths; `distance=D` for the states at exactly that
        distance, all equally likely. A walk never goes straight back, unless there is no other move.
    reward:
        `"step"` (-1 for every step), `"goal"` (1 when the goal is reached), `"dense"` (tokens newly on
        their goal vertices less those that left theirs) or `"distance"` (by how much the exact distance
        falls). An episode that begins on the goal is not over: it ends when the goal is reached again, or
        at once by an action that is not legal, for which `"goal"` gives 0.
    cost_to_go:
        Whether `info` has the exact distance (`cost_to_go`) and the best moves (`optimal_actions`). A
        table of at most `memory` bytes is then built.
    illegal:
        `"stay"` or `"raise"`.

    Observations are states, `uint8[vertices]`. `info` has `action_mask`, `int8[actions]`, as
    `action_space.sample(mask)` takes it, and `legal`: whether the last action was.
    `reset(options={"state": ...})` begins at a state.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        board: Puzzle | Board | str = "grid:3:3",
        *,
        empty: int | None = None,
        start: str = "uniform",
        walk: int | tuple[int, int] | None = None,
        distance: int | None = None,
        reward: str = "step",
        cost_to_go: bool = False,
        memory: int | None = None,
        illegal: str = "stay",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise SettingError(f"render_mode is {render_mode!r}: write ansi, or None")
        self.puzzle = _puzzle(board, empty)
        self.render_mode = render_mode
        self._core = _core.Environment(
            self.puzzle, start, walk, distance, reward, cost_to_go, memory, illegal
        )
        labels = len(self.puzzle.labels)
        self.observation_space = spaces.Box(0, labels, (self.puzzle.vertices,), np.uint8)
        self.action_space = spaces.Discrete(self.puzzle.actions)
        self._is_new = True

    @property
    def state(self) -> States:
        """The state, `uint8[vertices]`."""
        return self._core.state

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[States, dict[str, Any]]:
        """Begin another episode."""
        super().reset(seed=seed)
        state = _only(options, "state")
        if seed is None and self._is_new:
            seed = int(self.np_random.integers(2**63))
        self._is_new = False
        return self._core.reset(seed, state)

    def step(self, action: Any) -> tuple[States, float, bool, bool, dict[str, Any]]:
        """Play an action.

        Raises `IllegalActionError` for a number that no action has, and with `illegal="raise"` for any
        action that is not legal.
        """
        return self._core.step(action)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, `bool[actions]`, as MaskablePPO asks for it."""
        return self._core.action_masks()

    def render(self) -> str | None:
        """Return the state as it is written."""
        return self._core.text() if self.render_mode == "ansi" else None


def _only(options: dict[str, Any] | None, *names: str) -> Any:
    """Return the first option, and refuse any that is not known."""
    if not options:
        return None
    unknown = [name for name in options if name not in names]
    if unknown:
        raise SettingError(f"there is no option {unknown[0]!r}: write {' or '.join(names)}")
    return options.get(names[0])


class SlidingVectorEnv(VectorEnv[States, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many environments of one puzzle that step together, in one call without a loop in Python.

    The arguments are those of `SlidingEnv`, except that there is no `illegal`: an action that is not legal
    leaves its state as it is. `autoreset_mode`, which `metadata` declares, is
    `"next-step"`, `"same-step"` or `"disabled"` as Gymnasium defines them; with the last one,
    `reset(options={"reset_mask": ...})` begins the next episodes. After `max_episode_steps` an episode is
    truncated. All environments draw from one sequence, that of the seed.
    """

    def __init__(
        self,
        board: Puzzle | Board | str = "grid:3:3",
        num_envs: int = 1,
        *,
        empty: int | None = None,
        start: str = "uniform",
        walk: int | tuple[int, int] | None = None,
        distance: int | None = None,
        reward: str = "step",
        cost_to_go: bool = False,
        memory: int | None = None,
        autoreset_mode: str | AutoresetMode = "next-step",
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise SettingError(f"render_mode is {render_mode!r}: many environments show nothing")
        self.puzzle = _puzzle(board, empty)
        modes = {
            "next-step": AutoresetMode.NEXT_STEP,
            "same-step": AutoresetMode.SAME_STEP,
            "disabled": AutoresetMode.DISABLED,
        }
        if isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = next(name for name, mode in modes.items() if mode == autoreset_mode)
        self._core = _core.VectorEnvironment(
            self.puzzle,
            num_envs,
            start,
            walk,
            distance,
            reward,
            cost_to_go,
            memory,
            autoreset_mode,
            max_episode_steps,
        )
        self.metadata = {"render_modes": [], "autoreset_mode": modes[autoreset_mode]}
        self.render_mode = None
        self.num_envs = num_envs
        vertices, actions = self.puzzle.vertices, self.puzzle.actions
        labels = len(self.puzzle.labels)
        self.single_observation_space = spaces.Box(0, labels, (vertices,), np.uint8)
        self.single_action_space = spaces.Discrete(actions)
        self.observation_space = spaces.Box(0, labels, (num_envs, vertices), np.uint8)
        self.action_space = spaces.MultiDiscrete(np.full(num_envs, actions))
        self._is_new = True

    @property
    def states(self) -> States:
        """The states, `uint8[num_envs, vertices]`."""
        return self._core.states

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[States, dict[str, Any]]:
        """Begin another episode of all environments, or of those in `options["reset_mask"]`."""
        if isinstance(seed, list):
            raise SettingError("all environments draw from one sequence: write one seed")
        states = _only(options, "states", "reset_mask")
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise SettingError(f"reset_mask must be bool[{self.num_envs}], not {mask.dtype}{list(mask.shape)}")
            mask = mask.tolist()
        if seed is not None:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
        if seed is None and self._is_new:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._is_new = False
        return self._core.reset(seed, mask, states)

    def step(
        self, actions: Any
    ) -> tuple[
        States,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play one action in each environment, `int64[num_envs]`.

        Raises `ArrayError` for another shape or type, and `IllegalActionError` for a number that no action
        has; nothing is played then.
        """
        return self._core.step(actions)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, `bool[num_envs, actions]`."""
        return self.puzzle.legal_mask(self._core.states)
