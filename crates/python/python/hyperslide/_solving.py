"""Searches, counts, censuses and experiments."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import _core
from ._arguments import as_board, as_puzzle
from ._core import Board, Puzzle, Table
from ._errors import SettingError
from ._results import (
    Census,
    Classification,
    Comparison,
    Instance,
    LabelledCensus,
    Layers,
    Result,
)

registry: dict[str, Any] = json.loads(_core.registry())
"""The algorithms and heuristics, each with its settings, as the command line lists them."""


def _written(name: str, value: object) -> tuple[str, str]:
    """Return a setting as the registry names and reads it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise SettingError(f"{name} is {value!r}: write a number or a text")
    text = str(value)
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    return name.replace("_", "-"), text


def solve(
    puzzle: Puzzle | Board | str,
    *,
    algorithm: str = "auto",
    heuristic: str | Callable[[Any], Any] | None = None,
    seed: int = 0,
    limit_time: float | None = None,
    limit_memory: int | None = None,
    limit_nodes: int | None = None,
    table: Table | None = None,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], object] | None = None,
    batch: int = 1000,
    admissible: bool = False,
    **settings: str | float,
) -> Result:
    # The documentation is completed below from the registry.
    estimate, name = (heuristic, None) if callable(heuristic) else (None, heuristic)
    if estimate is None and admissible:
        raise SettingError("admissible declares something of a heuristic of your own: leave it out")
    answer = _core.solve(
        as_puzzle(puzzle),
        algorithm,
        name,
        [_written(*setting) for setting in settings.items()],
        seed,
        limit_time,
        limit_memory,
        limit_nodes,
        table,
        threads,
        progress,
        estimate,
        batch,
        admissible,
    )
    return Result.from_json(answer)


def _documentation() -> str:
    """Return what `solve` does, with every algorithm and setting of the registry."""
    lines = [
        "Solve a puzzle, prove that it has no solution, or reach a limit.",
        "",
        "Ctrl-C ends the search. Other threads of Python run while it searches.",
        "",
        "Parameters",
        "----------",
    ]

    def add(name: str, text: str) -> None:
        lines.append(f"{name}:")
        lines.extend(textwrap.wrap(text, 92, initial_indent="    ", subsequent_indent="    "))

    add("puzzle", "A puzzle, a board, or the text of either.")
    names = ", ".join(one["name"] for one in registry["algorithms"])
    add("algorithm", f"One of {names}.")
    names = ", ".join(one["name"] for one in registry["heuristics"])
    add(
        "heuristic",
        f"One of {names}, or several with commas, of which the greatest estimate counts. Or a function "
        "of your own that takes states, uint8[n, vertices], and returns an estimate of the moves to the "
        "goal for each, float[n]: for beam, greedy, astar and weighted-astar. Negative ones count as 0; "
        "np.inf says that the goal cannot be reached from a state, which is then given up. Where nothing is "
        "left to expand because of that, the status is limit-reached and the limit is width.",
    )
    add("seed", "The seed of algorithms that draw random numbers.")
    add("limit_time, limit_memory, limit_nodes", "Seconds, bytes and generated states.")
    add("table", "A table of exact distances, for algorithms that look distances up.")
    add("threads", "The number of threads, 1 to 1024; all cores when left out.")
    add(
        "progress",
        "Called a few times a second with a dict of expanded, generated, wall_s, lower_bound and length.",
    )
    add("batch", "The most states that a function of your own is given at once.")
    add(
        "admissible",
        "Declares that your function never returns more than the number of moves to the goal. Only then "
        "is anything concluded from it: that a solution is shortest, or a lower bound.",
    )
    for setting, of in _settings():
        text = setting["summary"].rstrip(".")
        add(
            setting["name"].replace("-", "_"),
            f"{text}. Write {setting['allowed']}; {setting['default']} when left out. For {', '.join(of)}.",
        )
    lines += ["", "Raises `SettingError` for anything that an algorithm does not take."]
    return "\n".join(lines)


def _settings() -> list[tuple[dict[str, Any], list[str]]]:
    """Return every setting with the algorithms that take it."""
    found: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for algorithm in registry["algorithms"]:
        for setting in algorithm["settings"]:
            found.setdefault(setting["name"], (setting, []))[1].append(algorithm["name"])
    return list(found.values())


solve.__doc__ = _documentation()


def layers(
    puzzle: Puzzle | Board | str,
    *,
    to_goal: bool = False,
    farthest: int = 0,
    limit_time: float | None = None,
    limit_memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Layers:
    """Count the states at each distance from the start of a puzzle, or to its goal.

    The states of the last layer are listed if there are at most `farthest`. `progress(depth, states)`
    is called after each layer. A count that reaches `limit_time`, in seconds, is not `complete`.

    Raises `CensusError` for a puzzle with too many states, or one that needs more than `limit_memory` bytes.
    """
    return Layers.from_json(
        _core.layers(as_puzzle(puzzle), to_goal, farthest, limit_time, limit_memory, progress)
    )


@overload
def census(
    board: Board | str,
    empty: int,
    *,
    tokens: None = None,
    metric: str | None = None,
    limit_time: float | None = None,
    limit_memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Census: ...
@overload
def census(
    board: Board | str,
    empty: int | None = None,
    *,
    tokens: str,
    metric: str | None = None,
    limit_time: float | None = None,
    limit_memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> LabelledCensus: ...
def census(
    board: Board | str,
    empty: int | None = None,
    *,
    tokens: str | None = None,
    metric: str | None = None,
    limit_time: float | None = None,
    limit_memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Census | LabelledCensus:
    """Find the components of a puzzle graph, and their diameters.

    With `empty`, the number of empty vertices, all tokens are distinguishable, and the result is a
    `Census`. With `tokens`, their labels as on the command line (`"5xa,3xb"` are five tokens a and three
    tokens b), tokens of the same label are alike, and the result is a `LabelledCensus`; at most
    100,000,000 configurations are numbered. `progress(done, starts)` is called after each layer of a
    search, or after each search with `tokens`. A census that reaches `limit_time`, in seconds, is not
    `complete`.

    Raises `SettingError` for labels that cannot be read, and `CensusError` for a census that is too
    large, needs more than `limit_memory` bytes, or reaches `limit_time` before its graph is surveyed.
    """
    graph = as_board(board, metric)
    if tokens is not None:
        return LabelledCensus.from_json(
            _core.labelled_census(graph, tokens, empty, limit_time, limit_memory, progress)
        )
    if empty is None:
        raise SettingError(
            "write how many vertices are empty, as in empty=4, or the tokens, as in tokens='2xa,b'"
        )
    return Census.from_json(_core.census(graph, empty, limit_time, limit_memory, progress))


def classify(
    puzzle: Puzzle | Board | str, *, limit: int = 1_000_000, group: bool = False
) -> Classification:
    """Say how freely the tokens of a puzzle's start move, exploring at most `limit` occupied sets.

    A text needs no goal. With `group=True` the result also has the group of closed walks: the
    rearrangements of the tokens on the start's own vertices. Nothing more is explored for it.

    Raises `PuzzleError` or `BoardError` for a text that cannot be read.
    """
    text = puzzle if isinstance(puzzle, str) else as_puzzle(puzzle)
    return Classification.from_json(_core.classify(text, limit, group))


def random(
    board: Board | str,
    count: int = 1,
    *,
    tokens: int | str | None = None,
    goal: str | None = None,
    walk: int | tuple[int, int] | None = None,
    distance: int | None = None,
    seed: int = 0,
) -> list[Puzzle]:
    """Draw random solvable puzzles on a board, the same for the same seed, as `hyperslide random`.

    Every solvable start is equally likely; with `walk`, the start is the end of a random walk of that many
    moves from the goal, or of `walk[0]` to `walk[1]`; with `distance`, every start at exactly that distance
    is equally likely. When no goal is given, grids with one empty vertex have the usual one, and elsewhere
    one is drawn for each puzzle. `tokens` is their number, or their labels where some are alike: `"2xa,b"`
    are two tokens a and one b.

    Raises `PuzzleError` where no such puzzle exists or none was found, and `SettingError` for wrong arguments.
    """
    number, labels = (None, tokens) if isinstance(tokens, str) else (tokens, None)
    return _core.random_puzzles(as_board(board), count, number, labels, goal, walk, distance, seed)


def instances() -> list[Instance]:
    """List the named puzzles, each with its source and the length of its shortest solution."""
    return [
        Instance(one["name"], one["board"], one["source"], one["length"])
        for one in json.loads(_core.instance_names())
    ]


def experiments() -> list[dict[str, Any]]:
    """List the experiments: name, title, table of the paper, and CPU seconds that they take."""
    found: list[dict[str, Any]] = json.loads(_core.experiment_names())
    return found


def experiment(
    name: str | os.PathLike[str],
    *,
    quick: bool = False,
    records: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int | None, str], object] | None = None,
) -> Comparison:
    """Run an experiment, by its name or from a file, and compare it with what the paper prints.

    A record of every task is added to the file `records` as soon as the task ends. Tasks of which the file
    has a record are not run, so that an experiment that was stopped continues where it was.

    `progress(done, total, title)` is called when a task begins; `total` is `None` until it is known.

    Raises `ExperimentError` for a name that is unknown, for a file that cannot be read, and for records that
    cannot be read or written.
    """
    text = os.fspath(name)
    file = None if records is None else os.fspath(records)
    data, table = _core.experiment(text, quick, file, threads, progress)
    return Comparison(text, json.loads(data), table)
