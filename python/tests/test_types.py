"""Each type of each kind of table comes back unchanged, or is refused with a message."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import openveil as ov
import pytest

pa = pytest.importorskip("pyarrow")

ROWS = 48
DAYS = [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]
EVENINGS = [datetime.datetime(2020, 1, day, 22, 30) for day in (1, 2, 3, 4)]
PRICES = [decimal.Decimal(text) for text in ("1.10", "2.00", "3.33", "4.50")]

#: Arrow's type, and values of it.
TYPES: dict[str, tuple[Any, list[Any]]] = {
    "int8": (pa.int8(), [1, 2, 3, 4]),
    "int64": (pa.int64(), [1, 2**62, 3, -4]),
    "uint64": (pa.uint64(), [1, 2, 2**63 + 5, 4]),
    "float32": (pa.float32(), [0.5, 1.25, 0.1, 3.0]),
    "float64": (pa.float64(), [0.1, 1e300, 2.0, -3.25]),
    "infinite": (pa.float64(), [0.5, float("inf"), 2.0, 3.0]),
    "decimal": (pa.decimal128(10, 2), PRICES),
    "long decimal": (pa.decimal128(30, 2), [decimal.Decimal(12345678901234567890) + own for own in PRICES]),
    "boolean": (pa.bool_(), [True, False]),
    "text": (pa.string(), ["01", "2", "a b", "\u00e4"]),
    "category": (pa.dictionary(pa.int8(), pa.string()), ["low", "mid", "high", "top"]),
    "date": (pa.date32(), DAYS),
    "timestamp": (pa.timestamp("us"), EVENINGS),
    "moment": (pa.timestamp("us", "UTC"), [own.replace(tzinfo=datetime.timezone.utc) for own in EVENINGS]),
    "time": (pa.time64("us"), [datetime.time(1, 30), datetime.time(2), datetime.time(3), datetime.time(4)]),
    "bytes": (pa.binary(), [b"a", b"b", b"c", b"d"]),
    "duration": (pa.duration("us"), [datetime.timedelta(seconds=own) for own in (1, 2, 3, 4)]),
    "list": (pa.list_(pa.string()), [["a"], ["b", "c"], ["c"], ["d"]]),
    "struct": (pa.struct([("x", pa.int64())]), [{"x": own} for own in (1, 2, 3, 4)]),
    "null": (pa.null(), [None]),
}

#: Types that are refused in any table, and a word of the refusal.
REFUSED = {
    "infinite": "not a number",
    "bytes": "no text form",
    "duration": "no text form",
    "list": "one value|flat",
    "struct": "one value|flat",
    "null": "missing",
}

#: Refused types if values have fixed types; Python's numbers have any length.
TOO_LONG = {"uint64": "too large", "long decimal": "more digits"}

#: Parquet has no durations, and texts without a type in files of older programs.
NOT_IN_PARQUET = {"bytes": ["a", "b", "c", "d"], "duration": [1_000_000, 2_000_000, 3_000_000, 4_000_000]}

SOURCES = ["pyarrow", "polars", "pandas", "dict", "parquet", "arrow"]


def _table(name: str) -> Any:
    kind, values = TYPES[name]
    column = [values[row % len(values)] for row in range(ROWS)]
    own = pa.array(column).dictionary_encode() if name == "category" else pa.array(column, kind)
    others = [["p", "q", "r", "s"][row // 4 % 4] for row in range(ROWS)]
    return pa.table({"own": own, "other": others, "part": [row % 5 for row in range(ROWS)]})


def _source(source: str, table: Any, folder: Path) -> Any:
    if source == "dict":
        return table.to_pydict()
    if source == "pandas":
        pytest.importorskip("pandas")
        return table.to_pandas()
    if source == "polars":
        return pytest.importorskip("polars").from_arrow(table)
    if source == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, folder / "t.parquet")
        return folder / "t.parquet"
    if source == "arrow":
        with pa.OSFile(str(folder / "t.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        return folder / "t.arrow"
    return table


def _values(table: Any) -> list[Any]:
    if isinstance(table, dict):
        return table["own"]
    if hasattr(table, "to_arrow"):
        table = table.to_arrow()
    if not isinstance(table, pa.Table):
        table = pa.Table.from_pandas(table, preserve_index=False)
    return table["own"].to_pylist()


def _expected(name: str, source: str) -> list[Any]:
    """Returns the values that should come back."""
    if name in ("timestamp", "moment"):
        return [datetime.datetime(own.year, own.month, own.day) for own in DAYS] if source == "pandas" else DAYS
    is_file = source in ("parquet", "arrow")
    if source == "parquet" and name in NOT_IN_PARQUET:
        return NOT_IN_PARQUET[name]
    if is_file and name == "decimal":
        return [float(own) for own in PRICES]
    if is_file and name == "time":
        return [own.isoformat() for own in TYPES[name][1]]
    if is_file and name == "float32":
        return [0.5, 1.25, 0.1, 3.0]
    values: list[Any] = pa.array(TYPES[name][1], TYPES[name][0]).to_pylist() if name == "float32" else TYPES[name][1]
    return values


def _refusal(name: str, source: str) -> str | None:
    if source == "parquet" and name in NOT_IN_PARQUET:
        return None
    if source == "parquet" and name in ("list", "struct"):
        return "no role"
    if name == "moment" and source in ("parquet", "arrow"):
        return "time zone"
    return REFUSED.get(name) or (None if source == "dict" else TOO_LONG.get(name))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.filterwarnings("ignore::openveil.OpenveilWarning")
def test_types_come_back(name: str, source: str, tmp_path: Path) -> None:
    given = _source(source, _table(name), tmp_path)
    expected = _expected(name, source) * (ROWS // len(_expected(name, source)))
    for secret, known in (("own", ["part", "other"]), ("other", ["part", "own"])):
        for style in ("slice", "anatomy"):
            keywords: dict[str, Any] = {"known": known, "secret": secret, "model": ov.l_diversity(2), "style": style}
            refusal = _refusal(name, source)
            if refusal is not None:
                with pytest.raises(ov.OpenveilError, match=refusal):
                    ov.publish(given, **keywords)
                continue
            for form in ("csv", "parquet"):
                release = ov.publish(given, **keywords, output={"format": form})
                _same(release, expected, secret)
                release.save(tmp_path / f"{secret}-{style}-{form}")
                like = None if isinstance(given, Path) else given
                _same(ov.read_release(tmp_path / f"{secret}-{style}-{form}", like=like), expected, secret)


def _same(release: ov.Release, expected: list[Any], secret: str) -> None:
    if secret == "own" and release.manifest["style"] == "anatomy":
        assert {_key(own) for own in _values(release.groups)} == {_key(own) for own in expected}
        return
    made = _values(release.unpacked)
    assert sorted(map(_key, made)) == sorted(map(_key, expected))


def _key(value: Any) -> tuple[str, str]:
    """Returns a value and its type; trailing zeros of decimals are ignored."""
    shown = value.normalize() if isinstance(value, decimal.Decimal) else value
    kind = "datetime" if isinstance(value, datetime.datetime) else type(value).__name__
    return kind, str(shown)


def test_what_cannot_be_read_can_be_dropped() -> None:
    for name in ("bytes", "duration", "list", "struct", "null"):
        for given in (_table(name), _table(name).to_pandas()):
            release = ov.publish(given, known="part", secret="other", drop="own", model=ov.l_diversity(2))
            assert release.manifest["rows"] == ROWS


@pytest.mark.filterwarnings("ignore::openveil.OpenveilWarning")
def test_orders_and_periods() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    ranks = ["low", "mid", "high", "top"]
    size = [ranks[row % 4] for row in range(ROWS)]
    month = pandas.period_range("2020-01", periods=4, freq="M").take([row % 4 for row in range(ROWS)])
    rest = {"part": [row % 5 for row in range(ROWS)], "job": ["a", "b", "c"] * (ROWS // 3)}
    frame = pandas.DataFrame({"size": pandas.Categorical(size, ranks, ordered=True), "month": month, **rest})
    keywords: dict[str, Any] = {"known": ["size", "month"], "secret": "job", "drop": True, "model": ov.l_diversity(2)}
    for given in (frame, polars.DataFrame({"size": polars.Series(size, dtype=polars.Enum(ranks)),
                                           "month": month.astype(str).tolist(), **rest})):
        columns = {own["name"]: own for own in ov.publish(given, **keywords).manifest["columns"]}
        assert columns["size"]["order"] == ranks
        assert columns["month"].get("type", "text") == "text"
    made = ov.publish(frame, **keywords, style="slice").unpacked
    assert made["size"].dtype == frame["size"].dtype
    assert set(map(str, made["month"])) == {"2020-01", "2020-02", "2020-03", "2020-04"}


@pytest.mark.filterwarnings("ignore::openveil.OpenveilWarning")
def test_a_time_that_is_left_out_is_said() -> None:
    keywords: dict[str, Any] = {"known": ["part", "own"], "secret": "other", "model": ov.l_diversity(2)}
    said = [note for note in ov.publish(_table("timestamp"), **keywords).warnings if "time of day" in note]
    assert said == ["`own` contains points in time: dates are published, without the time of day"]
    assert not any("time of day" in note for note in ov.publish(_table("date"), **keywords).warnings)
