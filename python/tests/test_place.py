"""The release on a file system stays complete, whatever ends the run that writes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

_place = pytest.importorskip("openveil.spark._place")


class Killed(BaseException):
    """An exception that no handler expects."""


def begun(out: Path) -> Any:
    """A place in which a release is made."""

    class Begun(_place.Place):  # type: ignore[misc, name-defined]
        def __enter__(self) -> Any:
            super().__enter__()
            os.makedirs(self.making("release", "release.parquet"))
            return self

    return Begun(out, None)


def released(out: Path, text: str) -> None:
    with begun(out) as place:
        place.commit(text, text)


def after(renames: int, monkeypatch: pytest.MonkeyPatch, end: BaseException, *, is_made: bool) -> None:
    """Lets some renames pass. Then everything ends, after the last one is made or before the next one."""
    done, rename = [0], os.rename

    def ending(source: str, target: str) -> None:
        if not is_made and done[0] == renames:
            raise end
        rename(source, target)
        done[0] += 1
        if is_made and done[0] == renames:
            raise end

    monkeypatch.setattr(os, "rename", ending)


def shown(out: Path) -> list[str]:
    return [(out / name).read_text().strip() for name in ("release/manifest.json", "owner/owner.json")]


@pytest.mark.parametrize("renames", [1, 2, 3])
def test_a_run_that_is_killed_loses_no_older_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    out = tmp_path / "out"
    released(out, "1")
    killed = begun(out).__enter__()
    after(renames, monkeypatch, Killed(), is_made=True)
    with pytest.raises(Killed):
        killed.commit("2", "2")
    monkeypatch.undo()
    if killed._held is not None:
        os.close(killed._held)
    # The next run restores it before any other work.
    with begun(out):
        assert shown(out) == ["1", "1"]
    released(out, "3")
    assert shown(out) == ["3", "3"]
    assert sorted(os.listdir(out)) == ["owner", "release"]


@pytest.mark.parametrize("renames", [1, 2, 3, 4])
def test_a_run_that_is_interrupted_puts_the_older_release_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    out = tmp_path / "out"
    released(out, "1")
    after(renames, monkeypatch, KeyboardInterrupt(), is_made=True)
    with pytest.raises(KeyboardInterrupt), begun(out) as place:
        place.commit("2", "2")
    monkeypatch.undo()
    assert shown(out) == ["1", "1"]
    assert sorted(os.listdir(out)) == ["owner", "release"]


@pytest.mark.parametrize("renames", [1, 2, 3])
def test_what_cannot_be_put_back_stays_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    out = tmp_path / "out"
    released(out, "1")
    after(renames, monkeypatch, OSError(5, "Input/output error"), is_made=False)
    with pytest.raises(_place.FileError, match="the next run puts them back"), begun(out) as place:
        place.commit("2", "2")
    monkeypatch.undo()
    with begun(out):
        assert shown(out) == ["1", "1"]


def test_what_the_owner_has_to_remember_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    released(out, "1")
    for name in _place._RECORDS:
        (out / "owner" / name).write_text("kept")
    released(out, "2")
    assert shown(out) == ["2", "2"]
    for name in _place._RECORDS:
        assert (out / "owner" / name).read_text() == "kept"
        assert (out / "owner" / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["release", "owner"])
def test_nothing_but_an_earlier_release_is_replaced(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    with begun(out) as first:
        first.commit('{"files": ["release.parquet"]}', "1")
    with pytest.raises(_place.FileError, match="is part of an earlier release"):
        _place.Place(out / name, None)
    with pytest.raises(_place.FileError, match="is part of an earlier release"):
        _place.Place(out / "release" / "deeper", None)
    (out / name / "README.txt").write_text("")
    with pytest.raises(_place.FileError, match="README.txt"):
        _place.Place(out, None)


def test_what_is_the_owners_is_nobody_elses(tmp_path: Path) -> None:
    out = tmp_path / "out"
    mask = os.umask(0o022)
    try:
        released(out, "1")
    finally:
        os.umask(mask)
    assert (out / "owner/owner.json").stat().st_mode & 0o777 == 0o600
    assert (out / "owner").stat().st_mode & 0o777 == 0o700
    assert (out / "release/manifest.json").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["release", "owner"])
def test_nothing_goes_through_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(_place.FileError, match="is a link"):
        _place.Place(tmp_path / "out", None)
