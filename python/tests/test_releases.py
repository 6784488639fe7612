"""Queries of releases, and their printed form."""

from __future__ import annotations

import html
import warnings
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import COMMAND, csv_of, people, policy, run

STYLES = ["generalize", "slice", "anatomy"]


def test_notes_and_checklist_of_the_command_are_told(folder: Path) -> None:
    file = folder / "policy.toml"
    (folder / "people.csv").write_text(csv_of({**people(), "sex": ["f"] * 100}))
    told = run(folder, "publish", str(file))
    with pytest.warns(ov.OpenveilWarning) as caught:
        release = ov.publish(policy=file)
    notes = [str(own.message) for own in caught]
    assert notes == release.warnings == release.owner["warnings"]
    assert "the column `sex` has the same value in every row" in notes
    assert release.checklist and release.checklist == release.owner["checklist"]
    assert caught[0].filename == __file__
    words = " ".join(told.split())
    for label, lines in [("note", notes), ("check", release.checklist)]:
        for line in lines:
            assert f"{label} {line}" in words
            assert f"{label}: {line}" in repr(release)
            assert html.escape(f"{label}: {line}", quote=False) in release._repr_html_()
    with pytest.warns(ov.OpenveilWarning, match="same value in every row"):
        plan = ov.plan(policy=file)
    assert (plan.warnings, plan.checklist) == (notes, release.checklist)
    assert plan.checklist[0] in repr(plan)
    # A release that is read from its folder lacks the owner's part.
    read = ov.read_release(folder / "out")
    assert (read.warnings, read.checklist, "check: " in repr(read)) == ([], [], False)


def test_a_release_that_cannot_be_written_is_not_lost(tmp_path: Path) -> None:
    taken = tmp_path / "out"
    taken.write_text("")
    with pytest.raises(ov.InputError, match="is a file, not a folder") as refused:
        ov.publish(people(), policy(), out=taken)
    # Refused before anything was drawn.
    assert not hasattr(refused.value, "release")
    with warnings.catch_warnings(), pytest.raises(ov.OpenveilWarning) as caught:
        warnings.simplefilter("error", ov.OpenveilWarning)
        ov.publish({**people(), "sex": ["f"] * 100}, policy(), out=tmp_path / "made")
    assert caught.value.release.manifest["rows"] == 100
    assert ov.read_release(tmp_path / "made").manifest == caught.value.release.manifest
    with pytest.raises(ov.OpenveilError, match="must be written to a folder") as refused:
        ov.publish(people(), policy(history={"state": tmp_path / "s", "person": "name"}))
    assert not (tmp_path / "s").exists()


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
def test_crosstabs_have_a_cell_for_each_combination(style: str) -> None:
    release = ov.publish(people(), policy(style=style))
    made = release.crosstab(["sex", "job"], worlds=2)
    assert len(made["estimate"]) == 8
    assert sum(made["estimate"]) == pytest.approx(100, rel=0.2)


def test_missing_values_count_in_crosstabs() -> None:
    given = {"town": [None, *["a", "b"] * 20], "job": [*["x", "y", "z"] * 13, "x", "y"]}
    release = ov.publish(
        given, known="town", secret="job", model=ov.l_diversity(2), missing="keep", style="slice"
    )
    made = release.crosstab(["town", "job"])
    assert set(made["town"]) == {"(missing)", "a", "b"}


def test_misuse_is_refused() -> None:
    release = ov.publish(people(), policy())
    for call, part in [
        (lambda: release.sample(-1), "cannot be drawn"),
        (lambda: release.sample(1, seed=-1), "between 0"),
        (lambda: ov.publish(people(), policy(), test_seed=2**70), "between 0"),
        (lambda: ov.publish({}, policy()), "no columns"),
        (lambda: ov.publish({"a": "text"}, policy()), "not a list"),
        (lambda: ov.publish(people(), policy(), to=(None, "x")), "a connection and a name"),
        (lambda: ov.publish(people(), known="age", secret=1), "takes the name of a column"),  # type: ignore[arg-type]
        (lambda: ov.publish(people(), known="age", secret="job", model="l-diversity"), "is not a model"),
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
    assert ov.audit(release, fail_under="k=2,l_ratio=1000")["demands"] == found
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
    ov.inspect(people())
    assert list(tmp_path.iterdir()) == []
    # A comparison depends on values, and is recorded.
    ov.compare(policy(), people(), trials=1, queries=10)
    records = {"refusals.json", "fingerprints-key.json"}
    assert {path.name for path in tmp_path.glob("out/*/*")} == records
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


def test_what_a_release_is_worth_is_measured_by_an_audit() -> None:
    release = ov.publish(people(), policy(), test_seed=1)
    found = ov.audit(release, policy=policy(), original=people(), measure=True)
    assert found["utility"] is not None
    assert found["k"] == ov.audit(release)["k"]


def test_a_report_of_a_folder_has_evidence_and_metadata(tmp_path: Path) -> None:
    table = people()
    release = ov.publish(table, policy(), test_seed=1)
    release.save(tmp_path / "out")
    evidence = tmp_path / "evidence.html"
    written = ov.report(
        tmp_path / "out",
        policy(),
        table,
        evidence=evidence,
        metadata=["croissant", "ddi"],
        template="office",
        language="de",
    )
    assert written["evidence"] == str(evidence)
    page = evidence.read_text()
    assert "Prüfliste zur Geheimhaltung" in page and "Kein Angriff hat die Garantie verletzt" in page
    assert [Path(path).name for path in written["metadata"]] == ["croissant.json", "ddi.xml"]
    with pytest.raises(ov.InputError, match="`template`"):
        ov.report(tmp_path / "out", template="office")
    evidence.write_text("mine")
    with pytest.raises(ov.OpenveilError, match="did not write it"):
        ov.report(tmp_path / "out", evidence=evidence)
    assert evidence.read_text() == "mine"


def test_counts_for_print_are_rounded_and_small_ones_suppressed() -> None:
    release = ov.publish(people(), policy(), test_seed=1)
    exact = release.crosstab(["sex", "job"], worlds=0)
    printed = release.crosstab(["sex", "job"], worlds=0, min=15, round=5)
    for estimate, count in zip(exact["estimate"], printed["count"], strict=True):
        assert count is None if 0.5 <= estimate < 15 else count == int(estimate / 5 + 0.5) * 5
    with pytest.raises(ov.InputError, match="`round`"):
        release.crosstab("sex", round=0)
    with pytest.raises(ov.InputError, match="`min` and `round` are for counts"):
        release.crosstab("sex", weight="age", min=5)
