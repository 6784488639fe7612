"""Warnings of the package."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class OpenveilWarning(UserWarning):
    """A note that you should know about a table, a release or a figure."""


def warn(notes: Iterable[str], *, stacklevel: int = 2) -> None:
    """Warns of each note; ``stacklevel`` is as in :func:`warnings.warn`, counted from the caller."""
    for note in notes:
        warnings.warn(note, OpenveilWarning, stacklevel=stacklevel + 1)
