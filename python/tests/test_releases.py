"""What releases answer, and how they show themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import COMMAND, people, policy, run

STYLES = ["generalize", "slice", "anatomy"]


@pytest.mark.parametrize("style", STYLES)
def test_queries_and_samples(style: str) -> None:
    release = ov.publish(people(), policy(style=style))
    answer = release.query("job = nurse")
    assert answer.estimate == pytest.approx(25)
    with_truth = release.query("age >= 30 and job = nurse", policy=policy(), table=people())
    truth = sum(
        age >= 30 and job == "nurse"
        for age, job in zip(people()["age"], people()["job"], strict=True)
    )
    assert with_truth["true_count"] == truth
    assert len(release.sample(7, seed=1)["job"]) == 7
    groups = release.groups
    assert set(groups) == {"group", "job", "count"}
    assert sum(groups["count"]) == 100
    tables = release.tables
    assert ("release-values" in tables) == (style == "anatomy")


@pytest.mark.parametrize("style", STYLES)
def test_crosstabs_add_up(style: str) -> None:
    release = ov.publish(people(), policy(style=style))
    made = release.crosstab("sex", "job")
    assert len(made["estimate"]) == 8
    assert sum(made["estimate"]) == pytest.approx(100)
    assert all(error >= 0 for error in made["standard_error"])


def test_means_are_near_the_truth() -> None:
    rows = 4_000
    income = [1000 + 10 * (row % 40) + (500 if row % 2 else 0) for row in range(rows)]
    given = {
        "age": [20 + row % 60 for row in range(rows)],
        "sex": [["f", "m"][row % 2] for row in range(rows)],
        "weight": [1 + row % 3 for row in range(rows)],
        "income": income,
    }
    release = ov.publish(
        given,
        known=["age", "sex"],
        secret="income",
        other="weight",
        model=ov.l_diversity(4, "distinct"),
        style="slice",
        test_seed=1,
    )
    whole = release.mean("income")
    assert whole["mean"] == [pytest.approx(sum(income) / rows)]
    assert whole["standard_error"] == [0.0]
    by = release.mean("income", by="sex")
    assert by["sex"] == ["f", "m"] and by["rows"] == [pytest.approx(2000)] * 2
    for sex, mean, error in zip(by["sex"], by["mean"], by["standard_error"], strict=True):
        own = [x for x, s in zip(income, given["sex"], strict=True) if s == sex]
        assert abs(mean - sum(own) / len(own)) < 5 * error + 150
    weighted = release.mean("income", weight="weight")["mean"][0]
    truth = sum(x * w for x, w in zip(income, given["weight"], strict=True)) / sum(given["weight"])
    assert weighted == pytest.approx(truth, rel=0.02)


def test_bins() -> None:
    release = ov.publish(people(), policy())
    with pytest.raises(ov.InputError, match="cut them"):
        release.crosstab("age", "job")
    from openveil._analysis import crosstab
    from openveil._means import mean

    made = crosstab(release, "age", "job", bins={"age": [0, 40, 120]})
    assert made["age"] == ["[0, 40)"] * 4 + ["[40, 120)"] * 4
    assert sum(made["estimate"]) == pytest.approx(100)
    with pytest.raises(ov.InputError, match="no column"):
        mean(release, "jobb")


@pytest.mark.parametrize("cells", ["text", "bounds"])
@pytest.mark.parametrize("style", STYLES)
def test_parts_of_means_are_whole(style: str, cells: str) -> None:
    import datetime

    rows = 400
    day = datetime.date(2020, 1, 1)
    given = {
        "part": [row / 40 for row in range(rows)],
        "day": [day + datetime.timedelta(days=row % 100) for row in range(rows)],
        "age": [None if row == 7 else row % 60 for row in range(rows)],
        "pay": [None if row == 3 else row % 8 for row in range(rows)],
    }
    keywords: dict[str, Any] = {"missing": "keep", "style": style, "test_seed": 1}
    if style == "generalize":
        keywords["cells"] = cells
    release = ov.publish(
        given, known=["part", "day", "age"], secret="pay", model=ov.l_diversity(4), **keywords
    )
    values = [pay for pay in given["pay"] if pay is not None]
    assert release.mean("pay")["mean"] == [pytest.approx(sum(values) / len(values))]
    for by, bins in [
        ("part", [0, 2.5, 11]),
        ("day", ["2020-01-01", "2020-02-10", "2021-01-01"]),
        ("age", [0, 30, 60]),
    ]:
        made = release.mean("pay", by=by, bins=bins)
        assert sum(made["rows"]) == pytest.approx(rows - 1), by
    if style != "generalize":
        assert release.mean("pay", by="part", bins=[0, 5, 10])["rows"][0] == pytest.approx(200, abs=1)


def test_missing_values_count_in_crosstabs() -> None:
    given = {"town": [None, *["a", "b"] * 20], "job": [*["x", "y", "z"] * 13, "x", "y"]}
    release = ov.publish(
        given, known="town", secret="job", model=ov.l_diversity(2), missing="keep", style="slice"
    )
    made = release.crosstab("town", "job")
    assert set(made["town"]) == {"(missing)", "a", "b"}
    assert sum(made["estimate"]) == pytest.approx(41)


def test_misuse_is_refused() -> None:
    release = ov.publish(people(), policy())
    for call, part in [
        (lambda: release.crosstab("job", "job"), "must differ"),
        (lambda: release.crosstab("age", "job", bins=[0, 20]), "by column"),  # type: ignore[arg-type]
        (lambda: release.crosstab("age", "job", bins={"age": [20, 0]}), "ascending"),
        (lambda: release.mean("job"), "no numbers"),
        (lambda: release.mean("jobb"), "no column"),
        (lambda: release.mean("age"), "ranges"),
        (lambda: release.sample(-1), "cannot be drawn"),
        (lambda: release.sample(1, seed=-1), "between 0"),
        (lambda: ov.publish(people(), policy(), test_seed=2**70), "between 0"),
        (lambda: ov.publish({}, policy()), "no columns"),
        (lambda: ov.publish({"a": "text"}, policy()), "not a list"),
        (lambda: ov.publish(people(), policy(), to=(None, "x")), "a connection and a name"),
        (lambda: ov.publish(people(), known="age", secret=1), "neither the name"),  # type: ignore[arg-type]
        (lambda: ov.publish(people(), known="age", secret="job", model="l-diversity"), "no model"),
        (lambda: ov.set_threads(-1), "without a thread"),
    ]:
        with pytest.raises(ov.OpenveilError, match=part):
            call()


def test_replacing_a_release_is_said(tmp_path: Path) -> None:
    release = ov.publish(people(), policy())
    release.save(tmp_path / "out")
    with pytest.warns(UserWarning, match="second release"):
        release.save(tmp_path / "out")


def test_the_page_says_what_the_manifest_says(tmp_path: Path) -> None:
    release = ov.publish(people(), policy(), test_seed=1)
    page = release.report()
    assert page.startswith("<!DOCTYPE html>")
    assert release.guarantee["statement"] in page
    release.save(tmp_path)
    assert release.guarantee["statement"] in (tmp_path / "release/report.html").read_text()
    assert "before and after" in (tmp_path / "owner/report.html").read_text()


def test_demands_are_answered() -> None:
    release = ov.publish(people(), policy(), test_seed=1)
    found = ov.audit(release, fail_under={"k": 2, "l_ratio": 1000})["demands"]
    assert [demand["satisfied"] for demand in found] == [True, False]


def test_samples_have_types() -> None:
    release = ov.publish(people(), policy())
    assert all(isinstance(age, int) for age in release.sample(5, seed=1)["age"])


def test_they_show_themselves() -> None:
    release = ov.publish(people(), policy(), test_seed=1)
    assert "unfit for publication" in repr(release)
    assert "nobody's value of `job`" in release._repr_html_()
    assert "1/3" in repr(release.guarantee)
    assert release.guarantee.max_posterior == "1/3"
    assert ov.audit(release)._repr_html_().startswith("<table>")
    assert not hasattr(release.guarantee, "nothing")


def test_owners_part() -> None:
    release = ov.publish(people(), policy(), measure=True)
    assert "timings_ms" in release.owner
    assert "query_errors" in release.owner


def test_progress() -> None:
    pytest.importorskip("tqdm")
    assert ov.publish(people(), policy(), progress=True).manifest["rows"] == 100


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    release = ov.publish(people(), policy())
    ov.audit(release)
    ov.attack(release, policy(), people(), sample=5)
    ov.compare(policy(), people(), trials=1, queries=10)
    ov.inspect(people())
    assert list(tmp_path.iterdir()) == []
    ov.publish(people(), policy(), out="out")
    assert (tmp_path / "out/release/manifest.json").exists()


def test_the_command_is_there(tmp_path: Path) -> None:
    assert COMMAND.exists()
    assert ov.__version__ in run(tmp_path, "--version")


def test_streams_through_the_command(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import subprocess

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.table(people()).schema) as writer:
        writer.write_table(pa.table(people()))
    words = [COMMAND, "publish", "policy.toml", "--input", "-", "--stdout", "--test-seed", "7"]
    done = subprocess.run(words, cwd=folder, input=sink.getvalue().to_pybytes(), capture_output=True)
    assert done.returncode == 0, done.stderr
    table = pa.ipc.open_stream(done.stdout).read_all()
    expected: Any = ov.publish(pa.table(people()), policy(), test_seed=7).table
    assert table.to_pydict() == expected.to_pydict()
    assert b"openveil.manifest" in table.schema.metadata
    assert not (folder / "out").exists()
