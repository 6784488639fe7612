"""The notebooks in percent form (`examples/python/*.py`): each runs from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples/python").glob("*.py"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("matplotlib", "pandas", "statsmodels"):
        pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(path.parent)
    text = path.read_text(encoding="utf-8")
    # Jupytext, VS Code and Spyder open files of this form as notebooks.
    assert text.startswith("# %% [markdown]\n# # ") and "assert " in text
    exec(compile(text, str(path), "exec"), {"__name__": "__main__"})


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3
