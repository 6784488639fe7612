"""Two tables with the same release: everything that a caller gets is equal."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import run

pa = pytest.importorskip("pyarrow")

ROWS = 60
JOBS = [["clerk", "nurse", "smith", "judge"][row * 7 % 4] for row in range(ROWS)]
SEXES = [["m", "f"][row // 2 % 2] for row in range(ROWS)]

#: Kinds, styles and types: additions to a policy.
SETTINGS: dict[str, dict[str, Any]] = {
    "generalize": {},
    "slice": {"style": "slice"},
    "anatomy": {"style": "anatomy"},
    "bounds": {"cells": "bounds"},
    "strata": {"strata": ["sex"]},
    "exempt": {"secret": {"job": {"exempt": ["clerk"]}}},
    "prefix": {"secret": {"job": {"prefix": 3}}},
    "prefix, anatomy": {"secret": {"job": {"prefix": 3}}, "style": "anatomy"},
    "dropped rows": {"missing": "drop-rows", "style": "slice"},
    "each": {"secret": ["job", "town"], "protect": "each"},
    "combine": {"secret": ["job", "town"], "combine": ["job", "town"]},
    "parquet": {"style": "slice", "output": {"format": "parquet"}},
    "compressed": {"style": "anatomy", "output": {"format": "csv.gz"}},
    "persons": {"persons": {"id": "name"}},
    "halving": {"algorithm": "halving"},
}
#: How the columns of texts are held by a frame.
HOLDERS = ["pandas", "polars", "pyarrow"]


def _table(first: bool, policy: dict[str, Any]) -> dict[str, list[Any]]:
    table = {
        "name": [f"p{row}" for row in range(ROWS)],
        "age": [20 + row * 11 % 40 for row in range(ROWS)],
        "sex": SEXES,
        "job": JOBS,
    }
    if isinstance(policy.get("secret"), list):
        table["town"] = [["a", "b", "c", "d", "e"][row * 3 % 5] for row in range(ROWS)]
    if "prefix" in str(policy):
        table["job"] = [f"{job} {row % 3 if first else row % 4}" for row, job in enumerate(JOBS)]
    if "missing" in policy:
        left_out = ["q0", 30, None, "only here" if first else "only there"]
        table = {name: [*own, more] for (name, own), more in zip(table.items(), left_out, strict=True)}
    # A column that is not published, and says who has what.
    table["note"] = [f"{job} {first}" for job in table["job"]]
    return table


def _categories(values: list[str], first: bool) -> list[str]:
    """Categories in the order of the first row, or in another one, with a value that nobody has."""
    seen = [value for value in dict.fromkeys(values) if value is not None]
    return seen if first else ["nobody's", *reversed(seen)]


def _frame(holder: str, table: dict[str, list[Any]], first: bool) -> Any:
    texts = [name for name in ("sex", "job", "town") if name in table]
    if holder == "pandas":
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(table, index=range(7, 7 + len(table["age"])) if first else None)
        frame.attrs["seen"] = table["job"][0] if first else "nothing"
        for name in texts:
            frame[name] = pd.Categorical(table[name], _categories(table[name], first))
        return frame
    if holder == "polars":
        pl = pytest.importorskip("polars")
        own = pl.DataFrame(table)
        for name in texts:
            # One list for the whole process: the values of the first row come first.
            own = own.with_columns(pl.Series(name, table[name], pl.Categorical))
        return own
    arrays = {}
    for name, values in table.items():
        arrays[name] = pa.array(values)
        if name in texts:
            order = _categories(values, first)
            codes = pa.array([None if value is None else order.index(value) for value in values], pa.int32())
            arrays[name] = pa.DictionaryArray.from_arrays(codes, pa.array(order))
    return pa.table(arrays).replace_schema_metadata({"seen": str(table["job"][0] if first else "")})


def _given(table: Any) -> list[Any]:
    """Everything that a table gives out."""
    kind = type(table).__module__.partition(".")[0]
    if kind == "pandas":
        columns = {name: (str(own.dtype), list(getattr(own, "cat", own).categories) if hasattr(own, "cat") else None)
                   for name, own in table.items()}
        buffer = io.BytesIO()
        table.to_parquet(buffer)
        return [columns, table.attrs, list(table.index), pickle.dumps(table), buffer.getvalue()]
    if kind == "polars":
        kinds = {name: str(own.dtype) for name, own in zip(table.columns, table, strict=True)}
        codes = {name: own.to_physical().to_list() for name, own in zip(table.columns, table, strict=True)}
        return [kinds, codes, table.to_arrow()]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return [table.schema, table.schema.metadata, sink.getvalue().to_pybytes()]


def _everything(holder: str, given: dict[str, Any], first: bool, out: Path) -> list[Any]:
    policy = {"known": ["age", "sex"], "secret": "job", "identifier": "name", "drop": "note", **given}
    policy["model"] = ov.l_diversity(2)
    table = _frame(holder, _table(first, given), first)
    seen: list[Any] = []
    for at in (None, out):
        release = ov.publish(table, ov.Policy(**policy), test_seed=3, **({"out": at} if at else {}))
        seen += [release.manifest, *(part for own in release.tables.values() for part in _given(own))]
        seen += _given(release.unpacked)
    run(out, "report", ".", "--metadata", "frictionless,croissant,ddi")
    files = sorted((out / "release").iterdir())
    seen += [(file.name, file.read_bytes()) for file in files]
    return seen


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_two_tables_with_one_release_give_the_same(setting: str, holder: str, tmp_path: Path) -> None:
    pytest.importorskip(holder)
    made = [_everything(holder, SETTINGS[setting], first, tmp_path / str(first)) for first in (True, False)]
    for one, other in zip(*made, strict=True):
        same = one.equals(other) if hasattr(one, "equals") else one == other
        assert same, (one, other)
