"""Files of SPSS and Stata: codes, labels and missing codes come back for published values, and for no others."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import run

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")

ROWS = 120
REFUSED, ABSENT = {".sav": (-9, -8), ".dta": ("a", "b")}, {".sav": -7, ".dta": "c"}


def _column(*values: Any) -> list[Any]:
    return [values[row * 7 // 3 % len(values)] for row in range(ROWS)]


def _survey(path: Path) -> None:
    """Writes a survey: labels, several missing codes, labels that nobody has, dates, times and numbers."""
    kind = path.suffix
    one, two = REFUSED[kind]
    days = [datetime.date(1950 + row % 30, 3, 1 + row % 5) for row in range(ROWS)]
    frame = pd.DataFrame(
        {
            "sex": _column(1, 2),
            "asked": pd.Series(_column(1, 2, 3, one, two), dtype=object),
            "age": pd.Series([one if row % 40 == 7 else 20 + row % 50 for row in range(ROWS)], dtype=object),
            "pay": [None if row % 30 == 9 else 900.5 + row % 7 for row in range(ROWS)],
            "born": days,
            "town": _column("01", "02", "03"),
            "note": _column("x", "zwölf", "y"),
            "half": _column(0.5, 1, 1.5),
        }
    )
    frame = frame.infer_objects() if kind == ".sav" else frame
    labels: dict[str, Any] = {
        "sex": {1: "man", 2: "woman", 3: "spare label"},
        "asked": {1: "yes", 2: "no", 3: "perhaps", one: "refused", two: "not asked", ABSENT[kind]: "spare label"},
        "age": {one: "refused", 25: "quarter"},
    }
    about: dict[str, Any] = {"column_labels": {"asked": "Do you agree?", "sex": "Sex"}, "variable_value_labels": labels}
    missing = [one, two, ABSENT[kind]]
    if kind == ".sav":
        labels["half"] = {0.5: "half", 1: "one", 1.5: "more", 2: "spare label"}
        labels["town"] = {"01": "Graz", "02": "Linz", "03": "Wien", "09": "spare label"}
        about["missing_ranges"] = {"asked": missing, "age": [{"lo": -99, "hi": -1}]}
        pyreadstat.write_sav(frame, path, **about)
    else:
        about["missing_user_values"] = {"asked": missing, "age": [one]}
        pyreadstat.write_dta(frame, path, **about)


def _read(path: Path) -> tuple[Any, Any]:
    made: tuple[Any, Any] = getattr(pyreadstat, f"read_{path.suffix[1:]}")(path, user_missing=True)
    return made


def _values(column: Any) -> list[str]:
    values = column.dropna().tolist()
    return sorted(str(float(value) if isinstance(value, int) else value) for value in values)


KEYWORDS: dict[str, Any] = {
    "known": ["sex", "town"],
    "secret": "asked",
    "other": ["age", "pay", "born", "note", "half"],
    "model": ov.l_diversity(2),
    "missing": "keep",
}


@pytest.mark.parametrize("style", ["slice", "anatomy"])
@pytest.mark.parametrize("kind", [".sav", ".dta"])
@pytest.mark.parametrize("is_saved", [False, True])
def test_files_come_back(kind: str, style: Any, is_saved: bool, tmp_path: Path) -> None:
    _survey(tmp_path / f"survey{kind}")
    with pytest.warns(ov.OpenveilWarning, match="column `age`: 3 values that the survey calls missing"):
        table = ov.read(tmp_path / f"survey{kind}")
    release = ov.publish(table, **KEYWORDS, style=style, out=tmp_path / "out")
    text = "".join(file.read_text() for file in (tmp_path / "out" / "release").glob("*.[jh]*"))
    assert "not asked" in text and "spare label" not in text
    if is_saved:
        release = ov.read_release(tmp_path / "out")
    release.export(tmp_path / f"back{kind}")
    given, said = _read(tmp_path / f"survey{kind}")
    made, found = _read(tmp_path / f"back{kind}")
    expected = given.assign(age=given["age"].mask(given["age"].isin([*REFUSED[kind]])))
    equal = 0
    for name in given.columns.intersection(made.columns):
        assert _values(made[name]) == _values(expected[name]), name
        published = set(expected[name].dropna().tolist())
        labels = {code: label for code, label in said.variable_value_labels.get(name, {}).items() if code in published}
        assert found.variable_value_labels.get(name, {}) == labels, name
        assert found.column_names_to_labels[name] == said.column_names_to_labels[name], name
        assert (found.readstat_variable_types[name] == "string") == (said.readstat_variable_types[name] == "string")
        equal += 1
    # In anatomy, the secret column is in another table.
    assert equal == (7 if style == "anatomy" else 8)
    missing = {} if style == "anatomy" else {"asked": [*REFUSED[kind]]}
    if kind == ".sav":
        ranges = {name: sorted(own["lo"] for own in several) for name, several in found.missing_ranges.items()}
        assert ranges == missing
    else:
        assert found.missing_user_values == missing


def test_labels_of_rows_that_are_left_out_are_not_published(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1, 2] * 30, "job": [1, 2, 3, 4] * 15})
    frame.loc[60] = [None, 9]
    labels = {"job": {1: "a clerk", 2: "a cook", 3: "a judge", 4: "a nurse", 9: "a spy"}, "sex": {1: "man", 2: "woman"}}
    pyreadstat.write_sav(frame, tmp_path / "p.sav", variable_value_labels=labels)
    keywords: dict[str, Any] = {"known": "sex", "secret": "job", "model": ov.l_diversity(2), "missing": "drop-rows"}
    for style in ("generalize", "slice", "anatomy"):
        out = tmp_path / style
        ov.publish(ov.read(tmp_path / "p.sav"), **keywords, style=style, out=out)
        run(tmp_path, "report", style, "--metadata", "ddi,frictionless,croissant")
        for file in (out / "release").iterdir():
            assert "spy" not in file.read_text(), file
        assert "<catgry><catValu>1</catValu><labl>a clerk</labl></catgry>" in (out / "release/ddi.xml").read_text()
        assert "1: a clerk; 2: a cook" in (out / "release/croissant.json").read_text()
        run(tmp_path, "audit", style)


def test_a_label_that_no_cell_has_is_found(tmp_path: Path) -> None:
    table = {"sex": ["1", "2"] * 30, "job": ["1", "2", "3", "4"] * 15}
    known = {"sex": {"codes": {"labels": {"1": "man", "2": "woman", "3": "none"}, "missing": ["2", "7"]}}}
    ov.publish(table, known=known, secret="job", model=ov.l_diversity(2), out=tmp_path / "out")
    manifest = tmp_path / "out/release/manifest.json"
    document = json.loads(manifest.read_text())
    assert document["columns"][0]["codes"] == {"labels": {"1": "man", "2": "woman"}, "missing": ["2"]}
    document["columns"][0]["codes"]["labels"]["3"] = "none"
    manifest.write_text(json.dumps(document))
    assert "`codes` has `3`, which no cell shows" in run(tmp_path, "audit", "out", code=1)


def test_sets_are_texts_and_bounds_are_numbers(tmp_path: Path) -> None:
    table = {"age": [20 + row % 40 for row in range(ROWS)], "town": _column("a", "b"), "job": _column("1", "2", "3")}
    secret = {"job": {"codes": {"labels": {"1": "clerk"}, "text": True}}}
    release = ov.publish(table, known=["age", "town"], secret=secret, model=ov.l_diversity(3))
    release.export(tmp_path / "out.sav")
    made, about = _read(tmp_path / "out.sav")
    assert (made["age_min"] <= made["age_max"]).all() and set(made["town"]) <= {"a", "b", "{a|b}"}
    assert about.variable_value_labels == {"job": {"1": "clerk"}} and about.readstat_variable_types["job"] == "string"


def test_many_missing_codes_are_a_range(tmp_path: Path) -> None:
    codes = [-1, -2, -3, -4, 1, 2]
    frame = pd.DataFrame({"sex": _column(1, 2), "asked": _column(*codes)})
    labels = {"asked": {code: f"label {code}" for code in codes}}
    missing = {"asked": [{"lo": -4, "hi": -1}]}
    pyreadstat.write_sav(frame, tmp_path / "p.sav", variable_value_labels=labels, missing_ranges=missing)
    release = ov.publish(ov.read(tmp_path / "p.sav"), known="sex", secret="asked", model=ov.l_diversity(2))
    release.export(tmp_path / "back.sav")
    assert _read(tmp_path / "back.sav")[1].missing_ranges == {"asked": [{"lo": -4.0, "hi": -1.0}]}


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    table = {"id": [2**60 + row for row in range(ROWS)], "job": _column("a", "b", "c")}
    release = ov.publish(table, known="id", secret="job", model=ov.l_diversity(2), style="slice")
    with pytest.raises(ov.InputError, match=r"column `id`: has whole numbers of 16 digits"):
        release.export(tmp_path / "out.sav")
    with pytest.raises(ov.InputError, match=r"out.xyz: cannot be written\n  help: name a file that ends in .sav"):
        release.export(tmp_path / "out.xyz")
    (tmp_path / "broken.sav").write_bytes(b"$FL2 and nothing else")
    with pytest.raises(ov.FileError, match="broken.sav: cannot read the file"):
        ov.read(tmp_path / "broken.sav")
