"""Pickles of releases and fits: what is published, and the kind of table that is given."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from . import _frames
from ._frames import Give
from ._types import Back

if TYPE_CHECKING:
    from ._release import Release

#: Kinds of tables that a pickle names. The function itself is not pickled: it knows the columns of the owner's
#: table, with values that are not published.
_KINDS = ("to_pyarrow", "to_polars", "to_pandas", "to_columns")


def kind_of(give: Give) -> str | None:
    """Returns the name of the kind of table that a function returns; None for the kind of choice."""
    made = give.to if isinstance(give, Back) else give
    return next((name for name in _KINDS if made is getattr(_frames, name)), None)


def giver(kind: str | None) -> Give | None:
    """Returns the function for a kind."""
    return None if kind is None else getattr(_frames, kind)


def files_of(release: Release) -> dict[str, bytes]:
    """Returns the published files by name."""
    if release._files is not None:
        return release._files
    with tempfile.TemporaryDirectory() as folder:
        release._native.save(folder)
        return files_in(Path(folder) / "release")


def files_in(folder: Path) -> dict[str, bytes]:
    """Returns the files of a folder by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def release_of(files: dict[str, bytes], kind: str | None) -> Release:
    """Returns the release with these files."""
    from . import _openveil
    from ._release import Release

    folder = tempfile.mkdtemp()
    try:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        release = Release(_openveil.read_release(folder), giver(kind))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # Questions read the files when they are first asked; the folder goes with the release.
    release._files = files
    weakref.finalize(release, _delete, folder, os.getpid())
    return release


def _delete(folder: str, process: int) -> None:
    """Deletes a folder, if this is the process that made it: a forked one has the parent's releases, too."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
