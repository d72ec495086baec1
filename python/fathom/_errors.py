"""The exceptions of Fathom. Each is a `fathom.Error` with `cause`, `reason` and `place`."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ._choices import Cause


class Place(NamedTuple):
    """The place of an error in the input. Members are None if they are not known."""

    file: Optional[str] = None
    line: Optional[int] = None  #: counted from 1
    element: Optional[str] = None  #: "vertex", "triangle", or the name of an argument
    index: Optional[int] = None  # type: ignore[assignment]  #: index of the element, counted from 0
    offset: Optional[int] = None  #: byte offset in the file


class Error(Exception):
    """The base class of all exceptions of the library; str() gives "file:line: element 12: reason"."""

    cause: Cause
    reason: str
    place: Place

    def __init__(self, message: str = "", *, cause: Cause = Cause.invalid_argument, reason: str = "", place: Place = Place()):
        super().__init__(message)
        self.cause = cause
        self.reason = reason or message
        self.place = place

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else self.reason

    def __reduce__(self):
        return _rebuild, (type(self), str(self), self.cause.value, self.reason, tuple(self.place))


class InputError(Error, ValueError):
    """Invalid data, arrays or options: a ValueError."""


class FileError(Error, OSError):
    """A file cannot be opened or written: an OSError."""


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist: a FileNotFoundError."""


class RangeError(InputError, IndexError):
    """The index of an element or body is out of range: a ValueError and an IndexError."""


class Unsupported(InputError, NotImplementedError):
    """A feature that is not supported: a ValueError and a NotImplementedError."""


class Cancelled(Error):
    """The caller cancelled the work."""


_CLASSES = {
    Cause.cannot_open: FileError,
    Cause.cannot_write: FileError,
    Cause.index_out_of_range: RangeError,
    Cause.unsupported: Unsupported,
    Cause.cancelled: Cancelled,
}


def _rebuild(kind, message, cause, reason, place):
    return kind(message, cause=Cause(cause), reason=reason, place=Place(*place))


def make_error(cause, reason, message, file, line, element, index, offset) -> Error:
    """Returns the exception for an error of the C++ library; called by `fathom._core`."""
    import os

    kind = _CLASSES.get(cause, InputError)
    if cause is Cause.cannot_open and file is not None and not os.path.exists(file):
        kind = MissingFileError
    return kind(message, cause=cause, reason=reason, place=Place(file, line, element, index, offset))
