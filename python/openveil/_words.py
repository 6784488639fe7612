"""Messages in Python's words instead of options of the command or keys of policy files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ._errors import OpenveilError


def plain(text: str) -> str:
    """Returns a text without control characters, because it may hold values of a table."""
    return "".join(own if own.isprintable() else repr(own)[1:-1] for own in text)


@contextmanager
def spoken(by_keywords: bool) -> Iterator[None]:
    """Rewrites errors about a policy in the words of keywords, if it was given by keywords."""
    try:
        yield
    except OpenveilError as error:
        if by_keywords:
            error.args = (error._by_keywords or str(error),)
        raise
