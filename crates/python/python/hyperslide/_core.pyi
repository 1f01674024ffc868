"""The compiled part."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Board",
    "Environment",
    "Puzzle",
    "Table",
    "VectorEnvironment",
    "__version__",
    "census",
    "classify",
    "experiment",
    "experiment_names",
    "instance_names",
    "labelled_census",
    "layers",
    "random_puzzles",
    "read_dataset",
    "registry",
    "solve",
    "write_dataset",
]

__version__: str

_States = npt.NDArray[np.uint8]
_Path = str | PathLike[str]

@final
class Board:
    def __new__(cls, text: str, *, metric: str = "face") -> Board: ...
    @property
    def text(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def vertices(self) -> int: ...
    @property
    def faces(self) -> list[list[int]]: ...
    @property
    def edges(self) -> list[tuple[int, int]] | None: ...
    @property
    def rows(self) -> int | None: ...
    @property
    def columns(self) -> int | None: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def k(self) -> int | None: ...
    def destinations(self, vertex: int, occupied: Sequence[int]) -> list[int]: ...
    def to_svg(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Puzzle:
    def __new__(
        cls,
        text: str,
        *,
        metric: str | None = None,
        rule: int | None = None,
        empty: int | None = None,
    ) -> Puzzle: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Puzzle: ...
    @classmethod
    def from_file(cls, path: _Path) -> Puzzle: ...
    @property
    def board(self) -> Board: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def tokens(self) -> int: ...
    @property
    def vertices(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def action_scheme(self) -> str: ...
    @property
    def start(self) -> _States: ...
    @property
    def goal(self) -> _States: ...
    @property
    def ranks(self) -> int: ...
    def with_start(self, state: _States) -> Puzzle: ...
    def play(
        self, moves: Sequence[tuple[int, int] | tuple[str, int, int]]
    ) -> _States: ...
    def write_state(self, state: _States) -> str: ...
    def decode(self, state: _States) -> list[str | None]: ...
    def action_move(self, state: _States, action: int) -> tuple[str, int, int]: ...
    def step_batch(
        self, states: _States, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[_States, npt.NDArray[np.bool_]]: ...
    def legal_mask(self, states: _States) -> npt.NDArray[np.bool_]: ...
    def expand(
        self, states: _States
    ) -> tuple[_States, npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
    def is_goal(self, states: _States) -> npt.NDArray[np.bool_]: ...
    def cost_to_go(
        self, states: _States, *, memory: int | None = None
    ) -> npt.NDArray[np.int16]: ...
    def optimal_actions(
        self, states: _States, *, memory: int | None = None
    ) -> npt.NDArray[np.bool_]: ...
    def heuristic(self, states: _States, name: str) -> npt.NDArray[np.int32]: ...
    def rank(self, states: _States) -> npt.NDArray[np.int64]: ...
    def unrank(self, ranks: npt.NDArray[np.integer[Any]]) -> _States: ...
    def sample(
        self,
        n: int,
        by: str = "uniform",
        *,
        walk: int | tuple[int, int] | None = None,
        distance: int | None = None,
        seed: int = 0,
        memory: int | None = None,
    ) -> _States: ...
    def component(
        self, limit: int = 100_000
    ) -> tuple[_States, npt.NDArray[np.int16], npt.NDArray[np.int64]]: ...
    def to_svg(self) -> tuple[str, str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...

@final
class Table:
    @classmethod
    def build(
        cls,
        puzzle: Puzzle,
        *,
        bits: int = 8,
        memory: int | None = None,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Table: ...
    @classmethod
    def open(cls, path: _Path) -> Table: ...
    def save(self, path: _Path) -> None: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    @property
    def puzzle(self) -> Puzzle: ...
    @property
    def bits(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def layers(self) -> npt.NDArray[np.int64]: ...
    @property
    def depth(self) -> int: ...
    def cost_to_go(self, states: _States) -> npt.NDArray[np.int16]: ...
    def optimal_actions(self, states: _States) -> npt.NDArray[np.bool_]: ...
    def solution(self, state: _States) -> list[tuple[int, int]] | None: ...
    def dataset(
        self, n: int, by: str = "uniform", *, seed: int = 0
    ) -> tuple[_States, npt.NDArray[np.int16], npt.NDArray[np.bool_]]: ...
    def sample_at(
        self, distances: npt.NDArray[np.integer[Any]], *, seed: int = 0
    ) -> _States: ...
    def __enter__(self) -> Table: ...
    def __exit__(self, *_error: object) -> None: ...

@final
class Environment:
    def __new__(
        cls,
        puzzle: Puzzle,
        start: str,
        walk: int | tuple[int, int] | None,
        distance: int | None,
        reward: str,
        cost_to_go: bool,
        memory: int | None,
        illegal: str,
    ) -> Environment: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Environment: ...
    def reset(
        self, seed: int | None = None, state: _States | None = None
    ) -> tuple[_States, dict[str, Any]]: ...
    def step(self, action: int) -> tuple[_States, float, bool, bool, dict[str, Any]]: ...
    @property
    def state(self) -> _States: ...
    def action_masks(self) -> npt.NDArray[np.bool_]: ...
    def text(self) -> str: ...

@final
class VectorEnvironment:
    def __new__(
        cls,
        puzzle: Puzzle,
        count: int,
        start: str,
        walk: int | tuple[int, int] | None,
        distance: int | None,
        reward: str,
        cost_to_go: bool,
        memory: int | None,
        autoreset: str,
        max_episode_steps: int | None,
    ) -> VectorEnvironment: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> VectorEnvironment: ...
    def reset(
        self,
        seed: int | None = None,
        mask: list[bool] | None = None,
        states: _States | None = None,
    ) -> tuple[_States, dict[str, Any]]: ...
    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[
        _States,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]: ...
    @property
    def states(self) -> _States: ...

def write_dataset(
    path: _Path,
    puzzle: Puzzle,
    states: _States,
    cost_to_go: npt.NDArray[np.integer[Any]],
    optimal_actions: npt.NDArray[np.bool_],
) -> None: ...
def read_dataset(
    path: _Path,
) -> tuple[Puzzle, _States, npt.NDArray[np.int16], npt.NDArray[np.bool_]]: ...
def registry() -> str: ...
def solve(
    puzzle: Puzzle,
    algorithm: str,
    heuristic: str | None,
    settings: list[tuple[str, str]],
    seed: int,
    limit_time: float | None,
    limit_memory: int | None,
    limit_nodes: int | None,
    table: Table | None,
    threads: int | None,
    progress: Callable[[dict[str, Any]], object] | None,
    estimate: Callable[[Any], Any] | None,
    batch: int,
    admissible: bool,
) -> str: ...
def census(
    board: Board,
    empty: int,
    limit_time: float | None,
    limit_memory: int | None,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def labelled_census(
    board: Board,
    tokens: str,
    empty: int | None,
    limit_time: float | None,
    limit_memory: int | None,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def layers(
    puzzle: Puzzle,
    to_goal: bool,
    farthest: int,
    limit_time: float | None,
    limit_memory: int | None,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def classify(puzzle: Puzzle | str, limit: int, group: bool) -> str: ...
def instance_names() -> str: ...
def random_puzzles(
    board: Board,
    count: int,
    tokens: int | None,
    labels: str | None,
    goal: str | None,
    walk: int | tuple[int, int] | None,
    distance: int | None,
    seed: int,
) -> list[Puzzle]: ...
def experiment_names() -> str: ...
def experiment(
    name: str,
    quick: bool,
    records: str | None,
    threads: int | None,
    progress: Callable[[int, int | None, str], object] | None,
) -> tuple[str, str]: ...
