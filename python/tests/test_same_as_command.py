"""For a fixed test seed the package and the command have equal results: tables byte by byte."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import columns_of, frame, json_of, people, policy, run

STYLES = [
    {"style": "generalize"},
    {"style": "generalize", "cells": "bounds"},
    {"style": "slice"},
    {"style": "anatomy"},
]


def _cells(path: Path) -> dict[str, list[str]]:
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _texts(table: Any) -> dict[str, list[str]]:
    return {name: [str(cell) for cell in cells] for name, cells in columns_of(table).items()}


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("algorithm", ["auto", "cover", "halving", "rda"])
def test_releases(package: str, style: dict[str, str], algorithm: str, folder: Path) -> None:
    ours = policy(**style, algorithm=algorithm)
    release = ov.publish(frame(package, people()), ours, test_seed=7)
    (folder / "p.toml").write_text(
        ov.Policy(
            known={"age": "integer", "sex": "text"},
            secret="job",
            identifier="name",
            model=ov.l_diversity(3),
            algorithm=algorithm,
            input="people.csv",
            **style,
        ).toml
    )
    run(folder, "publish", "p.toml", "--test-seed", "7")
    for name, table in release.tables.items():
        assert _texts(table) == _cells(folder / f"out/release/{name}.csv")
    release.save(folder / "ours")
    for path in (folder / "out/release").glob("*.csv"):
        assert (folder / "ours/release" / path.name).read_bytes() == path.read_bytes()
    manifest = ov.read_release(folder / "out").manifest
    for key in ("guarantee", "utility", "columns", "algorithm", "groups", "model"):
        assert release.manifest[key] == manifest[key]


def test_saved_is_what_was_seen(tmp_path: Path) -> None:
    release = ov.publish(people(), policy(style="slice"))
    release.save(tmp_path / "out")
    assert _texts(release.table) == _cells(tmp_path / "out/release/release.csv")
    read = ov.read_release(tmp_path / "out", like={})
    assert read.table == release.table
    assert read.unpacked == release.unpacked
    assert read.groups == release.groups
    with pytest.raises(ov.InputError, match="was read from its folder"):
        _ = read.owner


def test_documents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    run(folder, "publish", "policy.toml", "--test-seed", "1")
    assert ov.audit("out") == json_of(folder, "audit", "out")
    found = ov.audit("out", policy="policy.toml", l=[2], risk_threshold=0.3)
    said = ["--policy", "policy.toml", "--l", "2", "--risk-threshold", "0.3"]
    assert found == json_of(folder, "audit", "out", *said)
    asked = "age >= 30 and job = nurse"
    answer = json_of(folder, "query", "out", "--where", asked)
    assert ov.read_release(folder / "out").query(asked) == answer
    # With l = 2 groups show how jobs depend on people, and small ones are enough for a fit.
    wide = (folder / "policy.toml").read_text().replace("l = 3", "l = 2\nsmallest-group = 3")
    (folder / "wide.toml").write_text(wide)
    run(folder, "publish", "wide.toml", "--out", "wide", "--test-seed", "1")
    read = ov.read_release(folder / "wide", like={})
    told = json_of(folder, "query", "wide", "--by", "sex,job", "--worlds", "2", "--seed", "4")
    found = read.crosstab(["sex", "job"], worlds=2, seed=4)
    assert found["job"] == [cell["job"] for cell in told["cells"]]
    assert [list(ends) for ends in zip(found["low"], found["high"], strict=True)] == [
        cell["interval"] for cell in told["cells"]
    ]
    told = json_of(folder, "query", "wide", "--mean", "age", "--by", "job")
    assert read.mean("age", by="job")["estimate"] == [cell["estimate"] for cell in told["cells"]]
    assert read.fit("job ~ age").document == json_of(folder, "fit", "wide", "job ~ age")
    run(folder, "complete", "wide", "-m", "2", "--out", "completed")
    assert _texts(read.samples(2)[1]) == _cells(folder / "completed/synthetic-02.csv")
    attacked = ov.attack(folder / "out", folder / "policy.toml", sample=20, seed=3)
    said = ["--policy", "policy.toml", "--sample", "20", "--seed", "3"]
    assert attacked == json_of(folder, "attack", "out", *said)
    looked = ov.inspect(folder / "people.csv")
    told = json_of(folder, "inspect", "people.csv")
    assert looked.columns == told["columns"]
    assert ov.Policy.from_toml(looked.policy).toml == looked.policy
    plan = ov.plan(policy=folder / "policy.toml")
    dry = json_of(folder, "publish", "policy.toml", "--dry-run")
    assert {**plan, "out": ""} == {**dry, "out": ""}


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"algorithm": "cover", "sensitive": "1,1,2,2,3,3", "l": 2}, ["--l", "2"]),
        ({"algorithm": "gda", "sensitive": [1, 1, 2, 2, 3, 3], "l": 2}, ["--l", "2"]),
        (
            {"algorithm": "cover", "sensitive": "1,1,2,2", "privacy": ov.t_closeness(0.6)},
            ["--privacy", 'model = "t-closeness", t = 0.6, distance = "equal"'],
        ),
        (
            {"algorithm": "rda", "sensitive": "1,1,2,2", "l": 2, "qi": [[0, 0, 1, 1], [5, 6, 5, 6]]},
            ["--l", "2", "--qi", "0,0,1,1;5,6,5,6"],
        ),
    ],
)
def test_verify(keywords: dict[str, Any], words: list[str], tmp_path: Path) -> None:
    values = keywords["sensitive"]
    listed = values if isinstance(values, str) else ",".join(map(str, values))
    said = ["verify", "--algorithm", keywords["algorithm"], "--sensitive", listed, *words]
    found = ov.verify(**keywords)
    told = json.loads(run(tmp_path, *said, "--json", code=0 if found["safe"] else 1))
    assert json.loads(json.dumps(found, default=str)) == told
    assert found["safe"] is (keywords["algorithm"] != "gda")


def test_compare(folder: Path) -> None:
    found = ov.compare(folder / "policy.toml", trials=2, queries=20, l="2..3", test_seed=5)
    said = ["--trials", "2", "--queries", "20", "--l", "2..3", "--test-seed", "5"]
    told = json_of(folder, "compare", "policy.toml", *said)
    for document in (found, told):
        for row in document["rows"]:
            row.pop("policy")
            # Times differ between runs.
            for measured in [row["medians"], *(trial["figures"] for trial in row["trials"])]:
                measured.pop("ms", None)
    assert json.loads(json.dumps(found, default=str)) == told
    in_memory = ov.compare(policy(), people(), trials=2, queries=20, test_seed=5)
    assert in_memory["basis"] == "shuffled"


def test_a_schema(tmp_path: Path) -> None:
    schema = {
        "rules": [{"given": ["age"], "protect": ["job"]}],
        "tables": [{"columns": ["age", "sex"]}, {"columns": ["job"]}],
    }
    assert ov.check_schema(schema)["normal_form"] is True
    (tmp_path / "schema.toml").write_text(
        '[[rules]]\ngiven = ["age"]\nprotect = ["job"]\n[[tables]]\ncolumns = ["age", "job"]\n'
    )
    assert ov.check_schema(tmp_path / "schema.toml")["normal_form"] is False
