"""What pickles are read with."""

from __future__ import annotations

from ._core import Board, Puzzle


def board(text: str, metric: str) -> Board:
    """Return the board with this text and metric."""
    return Board(text, metric=metric)


def puzzle(line: str) -> Puzzle:
    """Return the puzzle of a line."""
    return Puzzle(line)
