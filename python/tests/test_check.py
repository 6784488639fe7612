"""Checks of published tables, in pipelines."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import columns_of, frame, people, policy


@pytest.mark.parametrize("more", [{}, {"style": "slice"}, {"style": "anatomy"}, {"cells": "bounds"}, {"drop": True}], ids=str)
def test_a_release_passes_as_object_folder_and_table(more: dict[str, Any], package: str, folder: Path) -> None:
    ours = policy(**more) if "drop" not in more else policy(identifier=None, **more)
    release = ov.publish(frame(package, people()), ours)
    assert ov.check(release, ours) is release
    release.save(folder / "out")
    assert ov.check(folder / "out", ours) == folder / "out"
    # Bounds are two columns, and in anatomy the values are in another table: the table alone lacks columns.
    if not {"cells", "style"} & more.keys() or more.get("style") == "slice":
        table = release.table
        assert ov.check(table, ours) is table
        path = folder / "out/release/release.csv"
        assert ov.check(path, ours) == path


def test_what_fails_is_listed_at_once(package: str) -> None:
    release = ov.publish(frame(package, people()), policy())
    with pytest.raises(ov.CheckError, match="ratio 4-diversity: fails in") as caught:
        ov.check(release, policy(model=ov.l_diversity(4)))
    assert [one["check"] for one in caught.value.failures] == ["ratio 4-diversity"]
    # The original has the names, and groups that are too small.
    with pytest.raises(ov.CheckError) as caught:
        ov.check(frame(package, people()), policy())
    assert caught.value.failures == [
        {"check": "ratio 3-diversity", "failure": "fails in 50 groups with 100 rows"},
        {"check": "no column `name`", "failure": "the policy does not publish it"},
    ]
    assert isinstance(caught.value, ValueError)
    # The policy need not name a column that may not be there.
    with pytest.raises(ov.CheckError) as caught:
        ov.check({**people(), "ssn": [str(row) for row in range(100)]}, policy())
    assert "no column `ssn`" in [one["check"] for one in caught.value.failures]
    # The policy protects a column that the release only shuffles.
    roles = {"known": "age", "identifier": "name", "model": ov.l_diversity(2)}
    other = ov.publish(people(), ov.Policy(**roles, secret="sex", other="job"))
    with pytest.raises(ov.CheckError) as caught:
        ov.check(other, ov.Policy(**roles, secret="job", other="sex"))
    assert "the columns that the release protects" in [one["check"] for one in caught.value.failures]


def test_a_table_that_lacks_a_column_does_not_fit(package: str) -> None:
    given = people()
    del given["sex"]
    with pytest.raises(ov.InputError, match="has no column `sex`"):
        ov.check(frame(package, given), policy())


def test_a_changed_release_is_not_as_its_manifest_says(folder: Path) -> None:
    release = ov.publish(people(), policy())
    release.save(folder / "out")
    path = folder / "out/release/release.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(ov.OpenveilError):
        ov.check(folder / "out", policy())


def test_a_function_is_checked() -> None:
    @ov.checked(policy())
    def monthly(coarse: bool) -> dict[str, list[Any]]:
        """The table of a month."""
        return ov.publish(people(), policy()).table if coarse else people()

    assert monthly.__doc__ == "The table of a month."
    assert "group" in monthly(True)
    with pytest.raises(ov.CheckError):
        monthly(coarse=False)


def test_risks_of_rows_are_those_of_the_command(package: str, folder: Path) -> None:
    import subprocess

    from conftest import COMMAND

    given = frame(package, people())
    keywords: dict[str, Any] = {"qi": ["sex", "age"], "survey_weight": "age", "household": "name", "sampling_fraction": 0.1, "suda": 2}
    audit = ov.audit(given, rows=True, **keywords)
    assert type(audit.row_risks) is type(given)
    words = "--qi sex,age --survey-weight age --household name --sampling-fraction 0.1 --suda 2 --rows rows.csv"
    subprocess.run([COMMAND, "audit", "people.csv", *words.split()], cwd=folder, check=True, capture_output=True)
    names, *rows = [line.split(",") for line in (folder / "rows.csv").read_text().splitlines()]
    risks = columns_of(audit.row_risks)
    assert ["row", *risks] == names
    for at, name in enumerate(risks, 1):
        assert risks[name] == [pytest.approx(float(row[at])) for row in rows]
    # They are for the owner: what is shown or written of the audit does not have them.
    assert audit == ov.audit(given, **keywords)
    assert "suda_score" not in repr(audit)
    for other in (pickle.loads(pickle.dumps(audit)), copy.copy(audit)):
        assert other == audit and type(other) is ov.Audit
        with pytest.raises(ov.InputError, match="run the audit again"):
            _ = other.row_risks
    with pytest.raises(ov.InputError, match="were not measured"):
        _ = ov.audit(given, **keywords).row_risks
