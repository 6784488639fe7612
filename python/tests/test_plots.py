"""Plots, and HTML for notebooks."""

from __future__ import annotations

import sys
from typing import Any

import openveil as ov
import pytest
from conftest import frame, people
from openveil import plots


@pytest.fixture(scope="module")
def table() -> dict[str, list[Any]]:
    return people(3000)


@pytest.fixture(scope="module")
def release(table: dict[str, list[Any]]) -> ov.Release:
    return ov.publish(table, known=["age", "sex"], secret="job", drop=True, model=ov.l_diversity(3), style="anatomy", test_seed=1)


@pytest.fixture(autouse=True)
def _without_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")


def test_the_three_numbers(release: ov.Release) -> None:
    pytest.importorskip("matplotlib")
    ax = plots.learned(release)
    own = release.utility()["learned"][0]
    shown = [bar.get_height() for bar in ax.patches]
    assert shown == pytest.approx([100 * own["believed"], 100 * own["outside"], 100 * max(own["believed"] - own["outside"], 0)])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["job"]
    small = ov.publish(people(), known="age", secret="job", drop=True, model=ov.l_diversity(3), test_seed=1)
    if not small.utility().get("learned"):
        with pytest.raises(ov.InputError, match="too few groups"):
            plots.learned(small)


@pytest.mark.parametrize("package", ["dict", "pandas", "polars", "pyarrow"])
def test_a_row_for_each_combination(package: str, table: dict[str, list[Any]]) -> None:
    for needed in ("matplotlib", *([package] if package != "dict" else [])):
        pytest.importorskip(needed)
    release = ov.publish(frame(package, table), known=["age", "sex"], secret="job", drop=True, model=ov.l_diversity(3), test_seed=1)
    ax = plots.intervals(release.crosstab(["sex", "job"], worlds=0))
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(labels) == 8 and "f, clerk" in labels
    assert plots.intervals(release.count("sex = f", worlds=0), ax=ax) is ax
    with pytest.raises(ov.InputError, match="no column `estimate`"):
        plots.intervals(release.crosstab("job", min=5, worlds=0))


def test_before_and_after(release: ov.Release, table: dict[str, list[Any]]) -> None:
    pytest.importorskip("matplotlib")
    ax = plots.column(release, "job", table)
    assert [bar.get_width() for bar in ax.patches] == [750] * 4
    ax = plots.column(release, "age", table, bins=[0, 30, 50, 70])
    assert [bar.get_width() for bar in ax.patches] == [sum(low <= age < high for age in table["age"]) for low, high in ((0, 30), (30, 50), (50, 70))]
    assert not plots.column(release, "sex").patches
    with pytest.raises(ov.InputError, match="no column `town`"):
        plots.column(release, "town")
    with pytest.raises(ov.InputError, match="the table has no column `job`"):
        plots.column(release, "job", {"age": [1]})


def test_without_matplotlib_the_error_says_what_to_install(release: ov.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ov.InputError, match="pip install matplotlib"):
        plots.learned(release)


def test_notebooks_show_tables_and_escape_texts() -> None:
    named = {"age": [20 + row * 7 % 41 for row in range(1200)], "town": ["<b>u", "v&w"] * 600, "job": ["a", "<i>", "c"] * 400}
    release = ov.publish(named, known=["age", "town"], secret="job", model=ov.l_diversity(2), style="anatomy", test_seed=1)
    fit = release.fit("job ~ town", worlds=0)
    pooled = ov.pool([({"<b>x": 1.0}, {"<b>x": 0.1}), ({"<b>x": 1.2}, {"<b>x": 0.1})])
    shown = [own._repr_html_() for own in (release, release.guarantee, ov.audit(release), fit, pooled)]
    for text in shown:
        assert "<b>u" not in text and "<i>" not in text and "<b>x" not in text
    assert "town=v&amp;w" in shown[3] and "&lt;b&gt;x" in shown[4]
    # The figures are those of the printed form.
    for figure in (f"{own:.4f}" for own in fit.params.values()):
        assert figure in shown[3] and figure in fit.summary()
