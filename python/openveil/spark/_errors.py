"""What this package says on an executor."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from .._openveil import InputError


@contextlib.contextmanager
def said_by_executors() -> Iterator[None]:
    """What this package says on an executor, as an exception of ours."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as cause:
        found = re.search(r"^openveil\.\w+Error: (.*(?:\n  help: .*)?)", str(cause), re.MULTILINE)
        if found is None:
            raise
        raise InputError(found[1]) from cause
