"""Sliding puzzles on grids, cubes and graphs: exact search, whole graphs, environments.

The guide is docs/python.md of the repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import Board, Puzzle, Table, __version__
from ._data import Dataset, dataset, to_networkx, to_scipy_sparse
from ._errors import (
    ArrayError,
    BoardError,
    CensusError,
    ExperimentError,
    HyperslideError,
    IllegalActionError,
    InputError,
    InternalError,
    PuzzleError,
    SettingError,
    TableError,
)
from ._register import register as _register
from ._results import (
    Census,
    Classification,
    Comparison,
    Component,
    Group,
    Instance,
    LabelledCensus,
    LabelledComponent,
    Layers,
    Move,
    Result,
    Stats,
)
from ._solving import (
    census,
    classify,
    experiment,
    experiments,
    instances,
    layers,
    random,
    registry,
    solve,
)

if TYPE_CHECKING:
    from ._environments import SlidingEnv, SlidingVectorEnv

__all__ = [
    "ArrayError",
    "Board",
    "BoardError",
    "Census",
    "CensusError",
    "Classification",
    "Comparison",
    "Component",
    "Dataset",
    "ExperimentError",
    "Group",
    "HyperslideError",
    "IllegalActionError",
    "InputError",
    "Instance",
    "InternalError",
    "LabelledCensus",
    "LabelledComponent",
    "Layers",
    "Move",
    "Puzzle",
    "PuzzleError",
    "Result",
    "SettingError",
    "SlidingEnv",
    "SlidingVectorEnv",
    "Stats",
    "Table",
    "TableError",
    "__version__",
    "census",
    "classify",
    "dataset",
    "experiment",
    "experiments",
    "instances",
    "layers",
    "random",
    "registry",
    "solve",
    "to_networkx",
    "to_scipy_sparse",
]


_register()


def __getattr__(name: str) -> Any:
    # Gymnasium is needed for the environments, and for nothing else.
    if name in ("SlidingEnv", "SlidingVectorEnv"):
        from . import _environments

        return getattr(_environments, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
