"""Arguments that are boards or puzzles, or their texts."""

from __future__ import annotations

from ._core import Board, Puzzle
from ._errors import SettingError


def as_puzzle(puzzle: Puzzle | Board | str, name: str = "puzzle") -> Puzzle:
    """Return a puzzle, that of a board, or the one that a text describes."""
    if isinstance(puzzle, Board):
        return Puzzle(puzzle.text, metric=puzzle.metric)
    if isinstance(puzzle, str):
        return Puzzle(puzzle)
    if not isinstance(puzzle, Puzzle):
        raise TypeError(f"{name} is {puzzle!r}: write a Puzzle, a Board, or the text of either")
    return puzzle


def as_board(board: Board | str, metric: str | None = None) -> Board:
    """Return a board, or the one that a text describes."""
    if isinstance(board, Board):
        if metric is not None and metric != board.metric:
            raise SettingError(f"the board has the {board.metric} metric: leave metric={metric!r} out")
        return board
    if not isinstance(board, str):
        raise TypeError(f"board is {board!r}: write a Board, or its text")
    return Board(board, metric=metric or "face")
