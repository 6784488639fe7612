"""The folder for intermediate rows, and the folder of the release: written completely or not at
all."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import warnings
from typing import Any
from urllib.parse import urlsplit

try:
    import fcntl
except ImportError:  # Windows, where folders cannot be locked
    fcntl = None  # type: ignore[assignment]

from .._errors import FileError, InputError


#: The prefix of folders of unfinished runs.
_HIDDEN = ".openveil-run-"

#: The prefix of folders for rows in `staging`, so that no run takes them for unfinished releases.
_ROWS = ".openveil-rows-"

#: Files that stay in the owner's folder whatever is published.
_RECORDS = (
    "true-values.json",
    "samples.json",
    "refusals.json",
    "fingerprints-key.json",
    "rows-drawn.json",
)

#: The content of an earlier release, apart from unfinished files.
_OURS = {
    "release": re.compile(
        r"(manifest\.json|report\.html|(release|table-[0-9]+)(-values)?\.(csv|csv\.gz|csv\.zst|parquet|arrow)"
        r"|\.openveil-unfinished-.*)"
    ),
    "owner": re.compile(
        rf"(owner\.json|report\.html|l-cover\.csv|{'|'.join(map(re.escape, _RECORDS))}|\.openveil-unfinished-.*)"
    ),
}


class Place:
    """A folder for a release, on a file system that the driver and all executors share.

    A local path (``/data/out``, ``file:///data/out``) or the address of an object store, that Spark
    and pyarrow both accept (``s3://bucket/out``). While the release is made, rows are stored in a
    folder beside it, or in ``staging``. Only its owner can read that folder, if the file system has
    owners.
    """

    def __init__(self, to: str | os.PathLike[str], staging: str | os.PathLike[str] | None) -> None:
        self.root = _address(to)
        self.is_local = not urlsplit(self.root).scheme
        own = secrets.token_hex(8)
        #: The folder in which the release is made, beside its place. It has the command's name for such
        #: folders: if this run is killed, the next run of either restores the earlier release.
        self._made = _joined(self.root, f"{_HIDDEN}{own}")
        rows = self._made if staging is None else _joined(_address(staging), f"{_ROWS}{own}")
        self.staging = _joined(rows, "rows")
        self._is_done = False
        self._held: int | None = None
        self.check()

    def check(self) -> None:
        """Raises an error, before any work, if the folder holds other files or cannot be written
        to."""
        if self.is_local:
            _refuse_part(self.root)
        for name in ("release", "owner"):
            if self.is_local:
                self._check_replaceable(name)
            elif _exists(self.path(name)):
                raise FileError(
                    f"{self.path(name)}: is not empty, and a release on an object store"
                    " cannot replace it at once\n  help: choose another folder"
                )
        for folder in {self.root, self.staging}:
            if urlsplit(folder).scheme:
                # If the object cannot be deleted, the release must not be written.
                _write(_joined(folder, ".openveil"), "")
                _delete(_joined(folder, ".openveil"))

    def _check_replaceable(self, name: str) -> None:
        """Raises an error if a part of an earlier release holds other files."""
        folder = self.path(name)
        if os.path.islink(folder):
            raise FileError(f"{folder}: is a link\n  help: put a folder there, or choose another one")
        strangers = [own for own in _listed(folder) if not _OURS[name].fullmatch(own)]
        if strangers:
            raise FileError(
                f"{folder}: holds `{min(strangers)}`, which is not part of an earlier release"
                "\n  help: choose another folder, or move it away"
            )

    def __enter__(self) -> Place:
        if self.is_local:
            self._make(self.root, 0o777)
            self._hold()
            self._put_back()
        for folder in (self._made, self.staging):
            if not urlsplit(folder).scheme:
                self._make(folder, 0o700)
        return self

    @staticmethod
    def _make(folder: str, mode: int) -> None:
        try:
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            if not os.path.exists(folder):
                os.makedirs(folder, mode=mode, exist_ok=True)
        except OSError as cause:
            raise FileError(
                f"{folder}: cannot be made: {cause.strerror}"
                "\n  help: name a folder that driver and executors can write to"
            ) from cause

    def _hold(self) -> None:
        """Locks the folder until the end, as every run of the program does, if the file system has locks.
        Only the driver writes here, so the lock does not affect executors."""
        if fcntl is None:
            return
        held = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as cause:
            os.close(held)
            raise FileError(
                f"{self.root}: is in use by another run"
                "\n  help: wait until the other run has ended, or choose another folder"
            ) from cause
        except OSError:
            os.close(held)
        else:
            self._held = held

    def _hidden(self) -> list[str]:
        """Returns the folders of other runs."""
        names = [name for name in os.listdir(self.root) if name.startswith(_HIDDEN)]
        folders = [_joined(self.root, name) for name in names]
        return [own for own in folders if own != self._made and os.path.isdir(own) and not os.path.islink(own)]

    def _put_back(self) -> None:
        """Restores an earlier release that a killed run had moved away."""
        if self._held is None:
            return
        for folder in self._hidden():
            made, owner, old = (_joined(folder, name) for name in ("release", "owner", "old-owner"))
            # The owner's part is moved first: it belongs to a release that is not there.
            is_early = os.path.exists(old) or not os.path.exists(self.path("release"))
            if is_early and os.path.exists(made) and not os.path.exists(owner) and os.path.exists(self.path("owner")):
                os.rename(self.path("owner"), owner)
            for name in ("owner", "release"):
                old = _joined(folder, f"old-{name}")
                if os.path.exists(old) and not os.path.exists(self.path(name)):
                    os.rename(old, self.path(name))
                    _sync(self.root)

    def __exit__(self, kind: Any, *_: object) -> None:
        try:
            self._clean_up(kind)
        finally:
            if self._held is not None:
                os.close(self._held)
                self._held = None

    def _clean_up(self, kind: Any) -> None:
        # Rows and random numbers are deleted in any case, the rows first. If an earlier release could not
        # be restored, it stays until the next run restores it.
        folders = [self.staging, os.path.dirname(self.staging), self._made]
        if self.is_local and not self._is_done and any(name.startswith("old-") for name in _listed(self._made)):
            folders = [folder for folder in folders if folder != self._made]
        if not self.is_local and not self._is_done:
            folders += [self.path("release"), self.path("owner")]
        left = [folder for folder in dict.fromkeys(folders) if not _gone(folder)]
        if left:
            problem = (
                f"{', '.join(left)}: cannot be deleted"
                "\n  help: delete it by hand: the rows in it are as secret as the table"
            )
            if kind is None:
                raise FileError(problem)
            warnings.warn(problem, RuntimeWarning, stacklevel=2)

    def path(self, *names: str) -> str:
        """Returns a path of the release."""
        return _joined(self.root, *names)

    def staged(self, *names: str) -> str:
        """Returns a path that is deleted at the end."""
        return _joined(self.staging, *names)

    def making(self, *names: str) -> str:
        """Returns where a path of the release is made. On object stores this is its final place;
        the release counts as complete once its manifest exists."""
        return _joined(self._made, *names) if self.is_local else self.path(*names)

    def commit(self, manifest: str, owner: str) -> bool:
        """Puts both folders in place, the manifest last. Returns whether a release was replaced."""
        if not self.is_local:
            _write(self.path("owner", "owner.json"), owner)
            _write(self.path("release", "manifest.json"), manifest)
            self._is_done = True
            return False
        release, private = self.making("release"), self.making("owner")
        os.makedirs(private, mode=0o700)
        for folder, name, text in [(release, "manifest.json", manifest), (private, "owner.json", owner)]:
            mode = 0o600 if folder == private else 0o666
            made = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with open(made, "w", encoding="utf-8") as file:
                file.write(json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n")
        for name in _RECORDS:
            # Files that the owner has to keep across releases.
            if os.path.exists(self.path("owner", name)):
                shutil.copyfile(self.path("owner", name), os.path.join(private, name))
                os.chmod(os.path.join(private, name), 0o600)
        for folder, _, names in os.walk(release):
            for name in names:
                if name.startswith(("_", ".")):
                    # Spark's marker and checksum files.
                    os.remove(os.path.join(folder, name))
        # A power cut must not lose any of it, wherever it is stored.
        for part in (private, release):
            for folder, _, names in os.walk(part):
                for name in [*names, "."]:
                    _sync(os.path.join(folder, name))
        _sync(self._made)
        replaced = self._put(["owner", "release"])
        self._is_done = True
        if self._held is not None:
            # Remains of runs that did not end: their rows are as secret as the table.
            for folder in self._hidden():
                _gone(folder)
        return replaced

    def _put(self, names: list[str]) -> bool:
        moves: list[tuple[str, str]] = []
        replaced = os.path.exists(self.path("release"))
        try:
            for name in names:
                if os.path.exists(self.path(name)):
                    moves.append((self.path(name), _joined(self._made, f"old-{name}")))
                    os.rename(*moves[-1])
                moves.append((self.making(name), self.path(name)))
                os.rename(*moves[-1])
                _sync(self.root)
        except BaseException as cause:
            # Also for interrupts, so that readers of the folder find the earlier release.
            self._undo(moves)
            if isinstance(cause, OSError):
                raise FileError(f"{self.root}: the release cannot be put in place: {cause.strerror}") from cause
            raise
        return replaced

    def _undo(self, moves: list[tuple[str, str]]) -> None:
        """Undoes moves; the last of them may not have happened."""
        try:
            for source, target in reversed(moves):
                if not os.path.exists(source):
                    os.rename(target, source)
        except OSError as cause:
            raise FileError(
                f"{self.root}: the release cannot be put in place: {cause.strerror}"
                f"\n  help: the files that were moved are in {self._made}: the next run puts them back"
            ) from cause


def _refuse_part(root: str) -> None:
    """Raises an error if the folder is a part of an earlier release: the owner's part would be stored among
    published files."""
    is_part = any(os.path.exists(_joined(root, own)) for own in ("manifest.json", "owner.json"))
    folder = os.path.realpath(root)
    while not is_part and folder != os.path.dirname(folder):
        is_owners = os.path.basename(folder) == "owner" and os.path.isfile(os.path.join(folder, "owner.json"))
        is_part = is_owners or _is_release(folder)
        folder = os.path.dirname(folder)
    if is_part:
        raise FileError(
            f"{root}: is part of an earlier release, so no release can be put there"
            "\n  help: name the folder that contains the earlier release, or another folder"
        )


def _is_release(folder: str) -> bool:
    manifest = os.path.join(folder, "manifest.json")
    if not os.path.isfile(manifest):
        return False
    try:
        with open(manifest, encoding="utf-8") as file:
            said = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and bool(said.get("files"))


def _listed(folder: str) -> list[str]:
    """Returns the names in a folder; none if it does not exist."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as cause:
        raise FileError(f"{folder}: cannot be read: {cause.strerror}\n  help: choose another folder") from cause


def _address(place: str | os.PathLike[str]) -> str:
    text = os.fspath(place)
    parts = urlsplit(text)
    if parts.scheme == "file":
        return parts.path
    if parts.scheme and len(parts.scheme) > 1:
        return text.rstrip("/")
    return os.path.abspath(text)


def _joined(root: str, *names: str) -> str:
    return "/".join([root.rstrip("/"), *names])


def _sync(path: str) -> None:
    """Waits until a file or folder would survive a power cut, if folders can be opened."""
    if os.name != "posix":
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _store(address: str) -> tuple[Any, str]:
    from pyarrow import fs

    # Hadoop's name for the same store.
    known = address.replace("s3a://", "s3://", 1) if address.startswith("s3a://") else address
    try:
        store, path = fs.FileSystem.from_uri(known)
    except Exception as cause:
        raise InputError(
            f"{address}: pyarrow cannot reach it: {cause}"
            "\n  help: the driver writes the manifest and deletes intermediate files; name a place that"
            " pyarrow.fs knows, or a folder that driver and executors share"
        ) from cause
    return store, path


def _exists(address: str) -> bool:
    from pyarrow import fs

    store, path = _store(address)
    return bool(store.get_file_info(path).type != fs.FileType.NotFound)


def _gone(folder: str) -> bool:
    """Deletes a folder; returns whether it is gone."""
    if not urlsplit(folder).scheme:
        shutil.rmtree(folder, ignore_errors=True)
        return not os.path.exists(folder)
    try:
        store, path = _store(folder)
        store.delete_dir(path)
    except FileNotFoundError:
        return True
    except (InputError, OSError):
        return False
    return True


def _write(address: str, text: str) -> None:
    store, path = _store(address)
    store.create_dir(path.rpartition("/")[0], recursive=True)
    with store.open_output_stream(path) as file:
        file.write(text.encode())


def _delete(address: str) -> None:
    store, path = _store(address)
    store.delete_file(path)


def _read(address: str) -> str | None:
    """Returns the content of a file, or None if it does not exist."""
    if not urlsplit(address).scheme:
        try:
            with open(address, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None
    store, path = _store(address)
    try:
        with store.open_input_stream(path) as file:
            text: bytes = file.read()
            return text.decode()
    except FileNotFoundError:
        return None
