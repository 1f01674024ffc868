"""What searches, counts and censuses return."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _display
from ._core import Puzzle
from ._errors import InputError


T = TypeVar("T")


def _read(text: str, what: str, read: Callable[[Any], T]) -> T:
    """Return what is read from a text in JSON, and refuse one that is not `what`."""
    try:
        return read(json.loads(text))
    except KeyError as missing:
        raise InputError(f"this is not {what} in JSON: it has no {missing}") from missing
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as problem:
        raise InputError(f"this is not {what} in JSON: {problem}") from problem


class Move(NamedTuple):
    """A token slides from one vertex to another."""

    token: str
    source: int
    target: int


@dataclass(frozen=True)
class Stats:
    """What a search cost."""

    expanded: int = 0
    generated: int = 0
    reopened: int = 0
    stored: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0


@dataclass(frozen=True)
class Result:
    """The result of a search: the schema of docs/json.md, which `to_json` writes.

    `status` is `solved`, `unsolvable` or `limit-reached`. `optimal` says that the moves are proven
    shortest; `lower_bound`, that no solution is shorter. `reason` and `certificate` say why a puzzle
    is unsolvable, and `limit` says which limit was reached: `width` where nothing was left to expand,
    since a beam was too narrow or a heuristic of your own gave up all states. `choice` says why `auto`
    chose the algorithm, and `heuristic` which pattern databases a long search found best.
    """

    status: str
    puzzle: str = ""
    algorithm: str = ""
    seed: int = 0
    optimal: bool | None = None
    moves: tuple[Move, ...] | None = None
    length: int | None = None
    lower_bound: int | None = None
    gap: int | None = None
    reason: str | None = None
    explanation: str | None = None
    certificate: dict[str, Any] | None = None
    limit: str | None = None
    stats: Stats = field(default_factory=Stats)
    choice: str | None = None
    heuristic: str | None = None
    _json: str = field(default="", repr=False, compare=False)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read a result as `hyperslide solve --format json` prints it.

        Raises `InputError` for any other text.
        """
        return _read(text, "the result of a search", lambda data: cls._from_data(data, text))

    @classmethod
    def _from_data(cls, data: dict[str, Any], text: str) -> Result:
        if data["status"] not in ("solved", "unsolvable", "limit-reached", "error"):
            raise ValueError(f"its status is {data['status']!r}")
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        if data.get("moves") is not None:
            known["moves"] = tuple(
                Move(move["token"], move["from"], move["to"]) for move in data["moves"]
            )
        stats = data.get("stats") or {}
        known["stats"] = Stats(**{name: stats[name] for name in Stats.__dataclass_fields__ if name in stats})
        return cls(**known, _json=text)

    def __hash__(self) -> int:
        return hash((self.status, self.puzzle, self.algorithm, self.seed, self.moves))

    def to_json(self) -> str:
        """Write the result as the command line prints it."""
        return self._json

    def states(self) -> npt.NDArray[np.uint8]:
        """Return the states of the solution from the start on, `uint8[length + 1, vertices]`.

        Raises `InputError` when there is no solution.
        """
        if self.moves is None:
            raise InputError(f"there is no solution: the status is {self.status}")
        puzzle = Puzzle(self.puzzle)
        states = [puzzle.start]
        for move in self.moves:
            states.append(puzzle.with_start(states[-1]).play([(move.source, move.target)]))
        return np.stack(states)

    def _repr_html_(self) -> str:
        moves = None
        if self.moves is not None:
            moves = " ".join(f"{move.token}:{move.source}→{move.target}" for move in self.moves)
        table = _display.rows(
            [
                ("status", self.status),
                ("length", self.length),
                ("proven shortest", self.optimal),
                ("no solution is shorter than", self.lower_bound),
                ("reason", self.explanation),
                ("limit", self.limit),
                ("algorithm", self.algorithm),
                ("expanded", f"{self.stats.expanded:,}"),
                ("CPU seconds", f"{self.stats.cpu_s:.3f}"),
                ("moves", moves),
            ]
        )
        return _display.puzzle(Puzzle(self.puzzle)) + table


@dataclass(frozen=True, eq=False)
class Layers:
    """The number of states at each distance.

    `states[d]` is the number at distance d; `farthest` are the states of the last layer as they are
    written, where they were asked for and are few.
    """

    puzzle: str
    board: str
    states: npt.NDArray[np.int64]
    complete: bool
    farthest: tuple[str, ...] | None = None
    _svg: str = field(default="", repr=False, compare=False)

    @classmethod
    def from_json(cls, text: str) -> Layers:
        """Read what the compiled part returns.

        Raises `InputError` for any other text.
        """
        return _read(text, "a count of layers", cls._from_data)

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Layers:
        farthest = data["farthest"]
        return cls(
            data["puzzle"],
            data["board"],
            np.array(data["states"], dtype=np.int64),
            data["complete"],
            None if farthest is None else tuple(farthest),
            data["svg"],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layers):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        # Arrays have no truth value that could be compared.
        return self.puzzle, self.board, tuple(self.states.tolist()), self.complete, self.farthest

    @property
    def depth(self) -> int:
        """The greatest distance."""
        return len(self.states) - 1

    @property
    def total(self) -> int:
        """The number of states."""
        return int(self.states.sum())

    @property
    def mean(self) -> float:
        """The mean distance."""
        return float(np.average(np.arange(len(self.states)), weights=self.states))

    def to_svg(self) -> str:
        """Return a picture."""
        return self._svg

    def _repr_html_(self) -> str:
        summary = f"{self.total:,} states, the farthest at {self.depth}, mean {self.mean:.2f}"
        return f"<div>{_display.image(self._svg, summary)}<br>{summary}</div>"


def _diameter(found: Any) -> int | tuple[int, int | None] | None:
    """Return a diameter, or its bounds where a census is not complete."""
    return (found["lower"], found["upper"]) if isinstance(found, dict) else found


@dataclass(frozen=True)
class Component:
    """Components of a puzzle graph that agree in everything; counts may exceed 64 bits."""

    size: int
    count: int
    regime: str
    occupied_sets: int
    diameter: int | tuple[int, int | None] | None
    radius: int | None
    eccentricities: dict[int, int]


@dataclass(frozen=True)
class Census:
    """The census of a board: its components, regime and checks of the cubical paper's statements."""

    board: str
    metric: str
    empty: int
    tokens: int
    configurations: int
    regime: str
    components: tuple[Component, ...]
    complete: bool
    checks: tuple[tuple[str, bool, str], ...]
    data: dict[str, Any] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def from_json(cls, text: str) -> Census:
        """Read what the compiled part returns.

        Raises `InputError` for any other text.
        """
        return _read(text, "a census", lambda data: cls._from_data(data["report"]))

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Census:
        components = tuple(
            Component(
                int(one["size"]),
                int(one["count"]),
                one["regime"],
                one["occupied_sets"],
                _diameter(one["diameter"]),
                one["radius"],
                {each["eccentricity"]: each["occupied_sets"] for each in one["eccentricities"]},
            )
            for one in data["components"]
        )
        checks = tuple((one["statement"], one["holds"], one["found"]) for one in data["checks"])
        return cls(
            data["board"],
            data["metric"],
            data["empty"],
            data["tokens"],
            int(data["configurations"]),
            data["regime"],
            components,
            data["complete"],
            checks,
            data,
        )

    def _repr_html_(self) -> str:
        title = f"{self.board}, {self.empty} empty vertices: {self.regime}"
        return _display.components(title, self.components)


@dataclass(frozen=True)
class LabelledComponent:
    """Components with repeated labels that agree in everything.

    `orbits` is the number of orbits of the states of one component, and `eccentricities` the number of
    its states that have each eccentricity.
    """

    size: int
    count: int
    regime: str
    occupied_sets: int
    stuck_tokens: int
    diameter: int | tuple[int, int | None] | None
    radius: int | None
    orbits: int
    eccentricities: dict[int, int]


@dataclass(frozen=True)
class LabelledCensus:
    """The census of a board with tokens of which several share a label.

    `labels` are the numbers of tokens of each label, the greatest first.
    """

    board: str
    metric: str
    empty: int
    tokens: int
    labels: tuple[int, ...]
    configurations: int
    symmetries: int
    components: tuple[LabelledComponent, ...]
    complete: bool
    data: dict[str, Any] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def from_json(cls, text: str) -> LabelledCensus:
        """Read a report as `hyperslide census --tokens --format json` prints it.

        Raises `InputError` for any other text.
        """
        return _read(text, "a census of labels", cls._from_data)

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> LabelledCensus:
        components = tuple(
            LabelledComponent(
                one["size"],
                one["count"],
                one["regime"],
                one["occupied_sets"],
                one["stuck_tokens"],
                _diameter(one["diameter"]),
                one["radius"],
                one["orbits"],
                {each["eccentricity"]: each["states"] for each in one["eccentricities"]},
            )
            for one in data["components"]
        )
        return cls(
            data["board"],
            data["metric"],
            data["empty"],
            data["tokens"],
            tuple(data["labels"]),
            data["configurations"],
            int(data["symmetries"]),
            components,
            data["complete"],
            data,
        )

    def _repr_html_(self) -> str:
        labels = ", ".join(map(str, self.labels))
        title = f"{self.board}, labels with {labels} tokens, {self.empty} empty vertices"
        return _display.components(title, self.components)


@dataclass(frozen=True)
class Group:
    """The group of the closed walks of a configuration, which acts on its tokens.

    `tokens` are their labels in the order of their vertices (`label@vertex` where another token has the
    same label). `generators` are written in cycles of these: a generator takes each token to the place of
    the next one. `permutations` are the same generators as numbers: `permutations[g][i]` is the index in
    `tokens` of the token to whose place the token `tokens[i]` goes. `orbits` are the tokens that can take
    each other's places. `name` is that of the group where a theorem proves one, which `reason` cites.
    """

    order: int
    tokens: tuple[str, ...]
    orbits: tuple[tuple[str, ...], ...]
    generators: tuple[str, ...]
    permutations: tuple[tuple[int, ...], ...]
    name: str | None
    reason: str | None
    _gap: str = field(default="", repr=False, compare=False)

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Group:
        return cls(
            int(data["order"]),
            tuple(data["tokens"]),
            tuple(tuple(orbit) for orbit in data["orbits"]),
            tuple(data["generators"]),
            tuple(tuple(images) for images in data["permutations"]),
            data["name"],
            data["reason"],
            data["gap"],
        )

    def to_gap(self) -> str:
        """Return the group as input of GAP, as `hyperslide classify --format gap` prints it."""
        return self._gap


@dataclass(frozen=True)
class Classification:
    """How freely the tokens of a configuration move: `isolated`, `semi-isolated` or `mobile`.

    `stuck` are the vertices of the tokens that never move, and `undecided` those of the tokens that were
    neither seen to move nor shown to be stuck. `size` is the number of configurations of its component,
    and `count` the number of such components; both treat all tokens as distinct. `states` is the number of
    states of the component, as `layers` and `census` count them: where tokens share a label, exchanging
    them changes nothing. All three are `None` when the limit came first, and `states` also where the labels
    repeat and there are too many arrangements to count. `group` is the group of closed walks, if it was
    asked for and the limit did not come first.
    """

    regime: str | None
    stuck: tuple[int, ...]
    undecided: tuple[int, ...]
    size: int | None
    count: int | None
    occupied_sets: int | None
    even_permutations_only: bool | None
    group: Group | None = None
    states: int | None = None

    @classmethod
    def from_json(cls, text: str) -> Classification:
        """Read what the compiled part returns.

        Raises `InputError` for any other text.
        """
        return _read(text, "a classification", cls._from_data)

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Classification:
        component = data["component"] or {}
        group = data.get("group")

        def number(name: str) -> int | None:
            return None if component.get(name) is None else int(component[name])

        return cls(
            data["regime"],
            tuple(vertex for _, vertex in data["stuck"]),
            tuple(vertex for _, vertex in data["undecided"]),
            number("size"),
            number("count"),
            number("occupied_sets"),
            component.get("even_permutations_only"),
            None if group is None else Group._of(group),
            number("states"),
        )


class Instance(NamedTuple):
    """A named puzzle with its source, and the length of its shortest solution where it is known."""

    name: str
    board: str
    source: str
    length: int | None

    def puzzle(self, rule: int | None = None) -> Puzzle:
        """Return the puzzle, on a cube under the rule k = `rule`."""
        return Puzzle(self.name, rule=rule)


@dataclass(frozen=True)
class Comparison:
    """A table of a paper, our values next to the published ones."""

    name: str
    data: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text)}</pre>"
