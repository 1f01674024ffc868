"""How things show themselves in notebooks: HTML with pictures in SVG."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._core import Board, Puzzle
    from ._results import Component, LabelledComponent


def image(svg: str, alt: str) -> str:
    """Return a picture as an element. As an image it keeps its style to itself."""
    data = b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alt, quote=True)}" src="data:image/svg+xml;base64,{data}">'


def board(of: Board) -> str:
    """Return a board's picture under its text and its metric."""
    return f"<div><code>{escape(str(of))}</code><div>{image(of.to_svg(), str(of))}</div></div>"


def puzzle(of: Puzzle) -> str:
    """Return a puzzle's start and goal next to each other."""
    start, goal = of.to_svg()
    figures = "".join(
        f'<figure style="margin:0"><figcaption>{caption}</figcaption>{image(svg, caption)}</figure>'
        for caption, svg in (("start", start), ("goal", goal))
    )
    return (
        f"<div><code>{escape(str(of))}</code>"
        f'<div style="display:flex;gap:2em;flex-wrap:wrap">{figures}</div></div>'
    )


def rows(pairs: list[tuple[str, object]]) -> str:
    """Return names and values as a table; values of `None` are left out."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in pairs
        if value is not None
    )
    return f"<table>{cells}</table>"


def components(title: str, of: Iterable[Component | LabelledComponent]) -> str:
    """Return the components of a census as a table."""
    head = "".join(
        f"<th>{name}</th>" for name in ("size", "count", "regime", "diameter", "radius")
    )
    body = "".join(
        f"<tr><td>{one.size:,}</td><td>{one.count:,}</td><td>{one.regime}</td>"
        f"<td>{one.diameter}</td><td>{one.radius}</td></tr>"
        for one in of
    )
    return f"<div>{escape(title)}<table><tr>{head}</tr>{body}</table></div>"
