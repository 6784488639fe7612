"""Where rows lie in between, and where the release goes: whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from typing import Any
from urllib.parse import urlsplit

from .._openveil import FileError, InputError


class Place:
    """A folder for a release, on a file system that the driver and all executors share.

    A local path (``/data/out``, ``file:///data/out``) or the address of an object store, as
    Spark and pyarrow both know it (``s3://bucket/out``). Rows lie in a folder beside the release
    while it is made, or where ``staging`` says; only their owner can read it where file systems
    know owners.
    """

    def __init__(self, to: str | os.PathLike[str], staging: str | os.PathLike[str] | None) -> None:
        self.root = _address(to)
        self.is_local = not urlsplit(self.root).scheme
        own = f".openveil-{secrets.token_hex(8)}"
        self.staging = _joined(self.root if staging is None else _address(staging), own)
        self._staging_is_local = not urlsplit(self.staging).scheme
        self.check()

    def check(self) -> None:
        """Refuses a folder that holds something else, before any work is done."""
        for name in ("release", "owner"):
            if not self.is_local or not os.path.exists(self.path(name)):
                continue
            ours = {"release": "manifest.json", "owner": "owner.json"}[name]
            if not os.path.exists(os.path.join(self.path(name), ours)):
                raise FileError(
                    f"{self.path(name)}: holds something that is not an earlier release"
                    "\n  help: choose another folder"
                )

    def __enter__(self) -> Place:
        if self._staging_is_local:
            try:
                os.makedirs(self.root, exist_ok=True)
                os.makedirs(self.staging, mode=0o700)
            except OSError as cause:
                raise FileError(
                    f"{self.staging}: cannot be made: {cause.strerror}"
                    "\n  help: name a folder that driver and executors can write to"
                ) from cause
        return self

    def __exit__(self, *_: object) -> None:
        # Rows and numbers of the deal go, whatever happened.
        if self._staging_is_local:
            shutil.rmtree(self.staging, ignore_errors=True)
        else:
            _delete(self.staging)

    def path(self, *names: str) -> str:
        """A path of the release."""
        return _joined(self.root, *names)

    def staged(self, *names: str) -> str:
        """A path that goes when everything is done."""
        return _joined(self.staging, *names)

    def making(self, *names: str) -> str:
        """Where a path of the release is made: on object stores in its place, where it counts
        once there is a manifest."""
        return self.staged("made", *names) if self.is_local else self.path(*names)

    def commit(self, manifest: str, owner: str) -> bool:
        """Puts both folders in place, the manifest last. Says whether a release was replaced."""
        if not self.is_local:
            _write(self.path("owner", "owner.json"), owner)
            _write(self.path("release", "manifest.json"), manifest)
            return False
        made = self.staged("made")
        release, private = os.path.join(made, "release"), os.path.join(made, "owner")
        os.makedirs(private, mode=0o700)
        for folder, name, text in [(release, "manifest.json", manifest), (private, "owner.json", owner)]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        for folder, _, names in os.walk(release):
            for name in names:
                if name.startswith(("_", ".")):
                    # What Spark leaves beside its files.
                    os.remove(os.path.join(folder, name))
        return self._put(["owner", "release"])

    def _put(self, names: list[str]) -> bool:
        undo: list[tuple[str, str]] = []
        replaced = os.path.exists(self.path("release"))
        try:
            for name in names:
                moves = [(self.staged("made", name), self.path(name))]
                if os.path.exists(self.path(name)):
                    moves.insert(0, (self.path(name), self.staged(f"old-{name}")))
                for source, target in moves:
                    os.rename(source, target)
                    undo.append((source, target))
        except OSError as cause:
            for source, target in reversed(undo):
                os.rename(target, source)
            raise FileError(f"{self.root}: the release cannot be put in place: {cause.strerror}") from cause
        return replaced


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


def _store(address: str) -> tuple[Any, str]:
    from pyarrow import fs

    try:
        store, path = fs.FileSystem.from_uri(address)
    except Exception as cause:
        raise InputError(
            f"{address}: pyarrow cannot reach it: {cause}"
            "\n  help: the driver writes the manifest there itself; name a place that pyarrow.fs knows"
        ) from cause
    return store, path


def _write(address: str, text: str) -> None:
    store, path = _store(address)
    store.create_dir(path.rpartition("/")[0], recursive=True)
    with store.open_output_stream(path) as file:
        file.write(text.encode())


def _delete(address: str) -> None:
    store, path = _store(address)
    store.delete_dir(path)


def _read(address: str) -> str | None:
    """What stands in a file, if there is one."""
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
