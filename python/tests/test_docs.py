"""The documentation, taken at its word: its blocks in Python run, page by page, from top to bottom."""

from __future__ import annotations

import csv
import random
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import openveil as ov
import pytest

from conftest import ROOT, csv_of

PAGES = ["README.md", "SECURITY.md", "python/README.md", "docs/**/*.md", "python/docs/*.md"]

#: Blocks that are compiled only: a page, a piece of the block, and the reason.
ELSEWHERE = [
    ("python/docs/platform.md", "adbc.connect", "needs a PostgreSQL server: see test_databases.py"),
    ("python/docs/spark.md", "spark.read", "needs Spark: see test_spark.py"),
]

#: Columns of `people` on pages that have other ones than `age`, `sex` and `job`.
COLUMNS = {"python/README.md": ["age", "sex", "zip", "diagnosis"]}

#: Rows of the census example in the release that pages read.
CENSUS_ROWS = 3_000


def blocks(page: Path) -> list[tuple[int, str]]:
    """A page's blocks in Python, each with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(text.count("\n", 0, own.start(1)) + 1, own[1]) for own in found]


FOUND = sorted({page for pattern in PAGES for page in ROOT.glob(pattern) if blocks(page)})


def people(names: list[str]) -> dict[str, list[Any]]:
    """A table of 2,400 rows in which the values of each secret column are equally frequent."""
    values = {
        "age": lambda row: 20 + row * 13 % 50,
        "sex": lambda row: "fm"[row % 2],
        "zip": lambda row: ["8010", "8020", "1010", "1020"][row // 3 % 4],
        "region": lambda row: ["north", "south", "west"][row // 2 % 3],
        "weight": lambda row: 10 + row % 7,
        "job": lambda row: ["nurse", "clerk", "judge", "cook", "smith"][row * 7 % 5],
        "diagnosis": lambda row: f"illness {row * 7 % 8}",
        "income_class": lambda row: f"class {row * 5 % 8}",
    }
    return {name: [values[name](row) for row in range(2400)] for name in names}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that pages start from: two tables, and a release of the census example."""
    folder = tmp_path_factory.mktemp("start")
    (folder / "people.csv").write_text(csv_of(people(["age", "sex", "job"])))
    (folder / "survey.csv").write_text(csv_of(people(["age", "sex", "region", "weight", "income_class"])))
    with open(ROOT / "examples/census/census.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    with open(folder / "census.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *random.Random(1).sample(rows, CENSUS_ROWS)])
    ov.publish(folder / "census.csv", ROOT / "examples/census/policy.toml", out=folder / "out", test_seed=1)
    return folder


@pytest.mark.parametrize("page", FOUND, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_run(page: Path, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = page.relative_to(ROOT).as_posix()
    shutil.copytree(start, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    space: dict[str, Any] = {"__name__": "__main__", "ov": ov}
    for line, text in blocks(page):
        # Empty lines first, so that a failure has the page's line.
        code = compile("\n" * (line - 1) + text, str(page), "exec")
        if any(name == own and piece in text for own, piece, _ in ELSEWHERE):
            continue
        for package in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE):
            pytest.importorskip(package)
        if re.search(r"\bpeople\b", text) and "people" not in space:
            pandas = pytest.importorskip("pandas")
            space["people"] = pandas.DataFrame(people(COLUMNS.get(name, ["age", "sex", "job"])))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, space)


def test_pages_have_blocks() -> None:
    assert len(FOUND) >= 7
    for page, piece, _ in ELSEWHERE:
        assert any(piece in text for _, text in blocks(ROOT / page)), f"{page} has no block with {piece}"
