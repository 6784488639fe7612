"""Messages in Python's words: the library speaks of the command's options and of policy files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from . import _openveil
from ._openveil import OpenveilError


def plain(text: str) -> str:
    """Returns a text without characters that a terminal obeys: it may hold what stands in a table."""
    return "".join(own if own.isprintable() else repr(own)[1:-1] for own in text)


@contextmanager
def spoken(by_keywords: bool) -> Iterator[None]:
    """Errors about a policy in the words in which it was given."""
    try:
        yield
    except OpenveilError as error:
        if by_keywords:
            error.args = (_openveil.in_keywords(str(error), error.column),)
        raise


def help_of(error: BaseException) -> str | None:
    """Returns what a message says to do."""
    return str(error).partition("\n  help: ")[2] or None
