"""The exceptions of the package.

Their messages are those of the command line: one line that names the value and the repair.
"""

from __future__ import annotations


class HyperslideError(Exception):
    """Any error of this package."""


class InputError(HyperslideError, ValueError):
    """What was given is wrong."""


class BoardError(InputError):
    """A board cannot be built."""


class PuzzleError(InputError):
    """A puzzle cannot be built, read or drawn."""


class SettingError(InputError):
    """An algorithm, a heuristic, a setting or another argument is wrong."""


class ArrayError(InputError):
    """An array has a wrong shape, type or content."""


class IllegalActionError(InputError):
    """An action or a move is not legal."""


class TableError(HyperslideError):
    """A table cannot be built, read or used."""


class CensusError(HyperslideError):
    """A census or a count cannot be run."""


class ExperimentError(HyperslideError):
    """An experiment cannot be run."""


class InternalError(HyperslideError, RuntimeError):
    """A bug in this package."""
