"""Data sets of states with exact distances and best moves, and graphs of small components."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import as_puzzle
from ._core import Board, Puzzle, Table
from ._errors import ArrayError, InputError, SettingError, TableError

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


@dataclass(frozen=True, eq=False)
class Dataset:
    """States with their exact distances and best moves.

    `states` is `uint8[n, vertices]`, `cost_to_go` `int16[n]` and `optimal_actions` `bool[n, actions]`.
    """

    puzzle: Puzzle
    states: npt.NDArray[np.uint8]
    cost_to_go: npt.NDArray[np.int16]
    optimal_actions: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.states)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of the format that its name ends in.

        `.npz` is for `numpy.load`, with the arrays and the puzzle's line; `.parquet` is for data frames
        and databases, with a row for each state. Both are what `hyperslide dataset` writes.

        Raises `SettingError` for another name, `ArrayError` for arrays that do not belong together, and
        `TableError` when the file cannot be written.
        """
        arrays = (self.states, self.cost_to_go, self.optimal_actions)
        if _format(path) == ".parquet":
            _core.write_dataset(path, self.puzzle, *arrays)
            return
        if not _agree(self.puzzle, *arrays):
            raise ArrayError(f"cannot write {os.fspath(path)}: the arrays are not a data set of {self.puzzle}")
        try:
            np.savez_compressed(
                path,
                states=self.states,
                cost_to_go=self.cost_to_go,
                optimal_actions=self.optimal_actions,
                puzzle=np.frombuffer(str(self.puzzle).encode(), dtype=np.uint8),
            )
        except OSError as problem:
            raise TableError(f"cannot write {os.fspath(path)}: {problem.strerror}") from problem

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Dataset:
        """Read a file that `save` or `hyperslide dataset` wrote.

        Raises `TableError`, or the error of its puzzle or of its states, for any other file. A file of
        Parquet has a digest of all that is in it, so that damage is found.
        """
        if _format(path) == ".parquet":
            return cls(*_core.read_dataset(path))
        try:
            with np.load(path) as data:
                arrays = [data[name] for name in ("puzzle", "states", "cost_to_go", "optimal_actions")]
        except Exception as problem:  # A damaged file makes NumPy and zipfile raise almost anything.
            why = next(iter(str(problem).splitlines()), type(problem).__name__)[:200]
            raise TableError(f"cannot read {os.fspath(path)}: {why}") from problem
        line, states, costs, optimal = arrays
        try:
            puzzle = Puzzle(line.tobytes().decode(errors="replace"))
            agree = _agree(puzzle, states, costs, optimal)
        except InputError as problem:
            raise type(problem)(f"cannot read {os.fspath(path)}: {problem}") from problem
        if not agree:
            raise TableError(f"cannot read {os.fspath(path)}: it is not a data set of {puzzle}")
        return cls(puzzle, states, costs, optimal)


def _agree(
    puzzle: Puzzle, states: npt.NDArray[Any], costs: npt.NDArray[Any], optimal: npt.NDArray[Any]
) -> bool:
    """Return whether these are the arrays of a data set, and refuse what is not states."""
    puzzle.is_goal(states)
    wanted = [(costs, np.int16, (len(states),)), (optimal, np.bool_, (len(states), puzzle.actions))]
    return all(array.dtype == kind and array.shape == shape for array, kind, shape in wanted)


def _format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name asks for."""
    ending = os.path.splitext(os.fspath(path))[1]
    if ending not in (".npz", ".parquet"):
        raise SettingError(
            f"{os.fspath(path)} does not say its format: write a name that ends in .npz or .parquet"
        )
    return ending


def dataset(
    puzzle: Puzzle | Board | str,
    n: int,
    by: str = "uniform",
    *,
    seed: int = 0,
    table: Table | None = None,
    memory: int | None = None,
) -> Dataset:
    """Draw states of a puzzle with their exact distances and best moves.

    `by` is `"uniform"` (every solvable state is equally likely) or `"distance"` (every distance is
    equally likely, and every state of a distance). The same seed gives the same states as
    `hyperslide dataset`. The distances come from `table`, or from one of at
    most `memory` bytes that is built.

    Raises `SettingError` for a table of another puzzle, and `TableError` for a table that is closed or
    would be too large.
    """
    puzzle = as_puzzle(puzzle)
    if table is None:
        table = Table.build(puzzle, memory=memory)
    elif not _is_of(table, puzzle):
        raise SettingError("the table is that of another puzzle: build one for this puzzle")
    return Dataset(puzzle, *table.dataset(n, by, seed=seed))


def _is_of(table: Table, puzzle: Puzzle) -> bool:
    """Return whether a table is that of a puzzle, whatever its start."""
    of = table.puzzle
    try:
        return of.with_start(puzzle.start) == puzzle
    except ArrayError:
        return False


def to_networkx(puzzle: Puzzle | Board | str, *, limit: int = 100_000) -> networkx.Graph[Any]:
    """Return the component of a puzzle's start as a graph of networkx.

    Nodes are numbers in ascending order of their distance to the goal; each has its `state`, as it is
    written, and its `distance`. Raises `CensusError` when there are more than `limit` states.
    """
    import networkx

    puzzle = as_puzzle(puzzle)
    states, distances, edges = puzzle.component(limit)
    graph: networkx.Graph[Any] = networkx.Graph()
    for number, (state, distance) in enumerate(zip(states, distances.tolist())):
        graph.add_node(number, state=puzzle.write_state(state), distance=distance)
    graph.add_edges_from(edges.tolist())
    return graph


def to_scipy_sparse(
    puzzle: Puzzle | Board | str, *, limit: int = 100_000
) -> tuple[scipy.sparse.csr_array, npt.NDArray[np.uint8]]:
    """Return the component of a puzzle's start: its adjacency matrix, and its states.

    The matrix is symmetric, `int8[n, n]`, and the states are `uint8[n, vertices]` in the order of its
    rows. Raises `CensusError` when there are more than `limit` states.
    """
    import scipy.sparse

    states, _, edges = as_puzzle(puzzle).component(limit)
    ends = np.concatenate([edges, edges[:, ::-1]])
    ones = np.ones(len(ends), dtype=np.int8)
    shape = (len(states), len(states))
    return scipy.sparse.csr_array((ones, (ends[:, 0], ends[:, 1])), shape=shape), states
