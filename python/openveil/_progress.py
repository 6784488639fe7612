"""Progress bars, if tqdm is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

#: Takes a stage, the work done, and the total work if it is known.
Tell: TypeAlias = Callable[[str, int, "int | None"], None]


@contextmanager
def bars(wanted: bool | None) -> Iterator[Tell | None]:
    """Yields a function that shows progress, or None.

    ``wanted``: ``None`` shows bars on a terminal or in a notebook, if tqdm is installed.
    """
    if wanted is False or (wanted is None and not _is_watched()):
        yield None
        return
    try:
        # Without widgets, tqdm would warn in notebooks; text bars do not.
        if importlib.util.find_spec("ipywidgets") is not None:
            from tqdm.auto import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        yield None
        return
    bar: Any = None
    shown = ""

    def tell(stage: str, done: int, total: int | None) -> None:
        nonlocal bar, shown
        if stage != shown:
            if bar is not None:
                bar.close()
            bar, shown = tqdm(desc=stage, total=total, leave=False, delay=1), stage
        bar.update(done - bar.n)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
