"""Errors of this package on executors."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from .._errors import InputError


@contextlib.contextmanager
def said_by_executors() -> Iterator[None]:
    """Raises an error of this package on an executor as one of its own exceptions."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as cause:
        found = re.search(r"^openveil\.\w+Error: (.*(?:\n  help: .*)?)", str(cause), re.MULTILINE)
        if found is None:
            raise
        raise InputError(found[1]) from cause
