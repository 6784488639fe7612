"""Exceptions. Each is also of the kind that Python's users expect for its cause."""

from __future__ import annotations

from typing import Any


class OpenveilError(Exception):
    """Openveil refuses something, and says why. All other exceptions are of this kind.

    ``column`` is the column with the problem, or None; ``rows`` are the first rows that show it, counted from 0.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.column: str | None = None
        self.rows: list[int] = []
        # The message in the words of keywords, for a policy that was given by keywords.
        self._by_keywords: str | None = None

    @property
    def help(self) -> str | None:
        """The remedy in the message, or None."""
        return str(self).partition("\n  help: ")[2] or None


class PolicyError(OpenveilError, ValueError):
    """A policy that does not make sense, or does not fit the table."""


class InputError(OpenveilError, ValueError):
    """A table, release or option that cannot be read or used."""


class InputTypeError(InputError, TypeError):
    """An argument of a type that is not accepted."""


class CheckError(InputError):
    """A table that does not satisfy a policy; ``failures`` lists everything that :func:`openveil.check` found."""

    def __init__(self, message: str, failures: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.failures: list[dict[str, Any]] = failures or []


class FileError(OpenveilError, OSError):
    """A file or folder that cannot be read or written."""


class FileMissingError(FileError, FileNotFoundError):
    """A file or folder that is not there."""


class RefusedError(OpenveilError):
    """No release keeps the promise that is asked for."""


class IneligibleError(RefusedError):
    """The model asks more than the table allows.

    ``value`` is the value that makes the model impossible, and ``share`` its share of the rows, if it is one value;
    ``largest_l`` the largest l of ratio l-diversity that is possible, if any; ``strata`` the columns that fix the
    strata in which the model is refused.
    """

    value: str | None
    share: float | None
    largest_l: int | None
    strata: list[str]


# Messages and pickles name them as users do.
for _own in (
    OpenveilError, PolicyError, InputError, InputTypeError, CheckError, FileError, FileMissingError, RefusedError,
    IneligibleError,
):
    _own.__module__ = "openveil"
