"""Tables, packages and the command, for all tests."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openveil as ov
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("openveil")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has its own records: a run that stops at values is named by later releases."""
    monkeypatch.chdir(tmp_path)


def people(rows: int = 100) -> dict[str, list[Any]]:
    """The table of the command's own tests."""
    return {
        "name": [f"p{row}" for row in range(rows)],
        "age": [20 + row % 50 for row in range(rows)],
        "sex": [["f", "m"][row % 2] for row in range(rows)],
        "job": [["clerk", "nurse", "smith", "judge"][row % 4] for row in range(rows)],
    }


def policy(**more: Any) -> ov.Policy:
    """A policy for that table."""
    given = {
        "known": ["age", "sex"],
        "secret": "job",
        "identifier": "name",
        "model": ov.l_diversity(3),
    }
    return ov.Policy(**{**given, **more})


def frame(package: str, columns: dict[str, list[Any]]) -> Any:
    """A table of a package."""
    if package == "dict":
        return columns
    if package == "pyarrow":
        return importlib.import_module("pyarrow").table(columns)
    return importlib.import_module(package).DataFrame(columns)


def columns_of(table: Any) -> dict[str, list[Any]]:
    """A table of any package as lists."""
    if isinstance(table, dict):
        return table
    for method in ("to_pydict", "to_dict"):
        if hasattr(table, method):
            made = getattr(table, method)(*(("list",) if "pandas" in str(type(table)) else ()))
            return {name: list(values) for name, values in made.items()}
    raise TypeError(type(table))


PACKAGES = [name for name in ("pyarrow", "polars", "pandas") if importlib.util.find_spec(name)]


@pytest.fixture(params=[*PACKAGES, "dict"])
def package(request: pytest.FixtureRequest) -> str:
    """Each package that is installed, and none."""
    return str(request.param)


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    """Returns the command's output; if it refuses, its message."""
    done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stderr if code == 2 else done.stdout


def json_of(folder: Path, *arguments: str) -> Any:
    """The document that the command prints."""
    return json.loads(run(folder, *arguments, "--json"))


def csv_of(columns: dict[str, list[Any]]) -> str:
    """A table as CSV."""
    rows = zip(*columns.values(), strict=True)
    lines = [columns, *rows]
    return "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the table and its policy."""
    (tmp_path / "people.csv").write_text(csv_of(people()))
    (tmp_path / "policy.toml").write_text(
        """
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
job = { role = "sensitive" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 3
"""
    )
    return tmp_path
