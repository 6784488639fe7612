"""Types, written by many programs in many formats, are read as they were written, or refused by the column's name.

A cell is one type in one format by one writer. Equal to the values given, or to those that another reader finds in
the file: some writers change values themselves.
"""

from __future__ import annotations

import csv
import datetime
import importlib.util
import shutil
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import openveil as ov
import pytest

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

ROWS = 24
DAYS = [datetime.date(1969, 12, 31), datetime.date(2020, 2, 29), datetime.date(1950, 1, 1), datetime.date(2024, 7, 4)]
TIMES = [datetime.datetime(day.year, day.month, day.day, 22, 30, 15) for day in DAYS]
CLOCK = [datetime.time(1, 30), datetime.time(2), datetime.time(23, 59, 59), datetime.time(4)]
CENTS = [Decimal(text) for text in ("1.10", "2.00", "-3.33", "4.50")]

#: Arrow's type, and values of it.
TYPES: dict[str, tuple[Any, list[Any]]] = {
    "int8": (pa.int8(), [1, 2, -128, 127]),
    "int16": (pa.int16(), [1, 2, -32768, 32767]),
    "int32": (pa.int32(), [1, 2, -(2**31), 2**31 - 1]),
    "int64": (pa.int64(), [1, 2**53 + 1, -(2**62), 4]),
    "uint8": (pa.uint8(), [0, 128, 255, 4]),
    "uint16": (pa.uint16(), [0, 65535, 32768, 4]),
    "uint32": (pa.uint32(), [0, 3_000_000_000, 2**31, 4]),
    "uint64": (pa.uint64(), [0, 2**40, 2**53 + 1, 4]),
    "huge": (pa.uint64(), [0, 2**63 + 5, 2**64 - 1, 4]),
    "float32": (pa.float32(), [0.5, 0.1, -3.25, 1e10]),
    "float64": (pa.float64(), [0.1, 1e300, -2.5, 1 / 3]),
    "whole floats": (pa.float64(), [1.0, 2.0, 3.0, -4.0]),
    "infinite": (pa.float64(), [0.5, float("inf"), 2.0, 3.0]),
    "integers with gaps": (pa.int64(), [1, None, 3, 4]),
    "floats with gaps": (pa.float64(), [0.5, None, 3.0, 4.25]),
    "cents": (pa.decimal128(10, 2), CENTS),
    "long decimal": (pa.decimal128(30, 2), [Decimal(12345678901234567890) + own for own in CENTS]),
    "boolean": (pa.bool_(), [True, False, True, True]),
    "booleans with gaps": (pa.bool_(), [True, False, None, True]),
    "date": (pa.date32(), DAYS),
    "dates with gaps": (pa.date32(), [DAYS[0], None, DAYS[2], DAYS[3]]),
    "seconds": (pa.timestamp("s"), TIMES),
    "milliseconds": (pa.timestamp("ms"), TIMES),
    "microseconds": (pa.timestamp("us"), TIMES),
    "nanoseconds": (pa.timestamp("ns"), TIMES),
    "in UTC": (pa.timestamp("us", "UTC"), [own.replace(tzinfo=datetime.timezone.utc) for own in TIMES]),
    "in Vienna": (pa.timestamp("us", "Europe/Vienna"), [own.replace(tzinfo=datetime.timezone.utc) for own in TIMES]),
    "time": (pa.time64("us"), CLOCK),
    "duration": (pa.duration("us"), [datetime.timedelta(seconds=own) for own in (1, 2, 3, 4)]),
    "texts": (pa.string(), ["a b", "ä,\"ö\"", "x;y", "ж"]),
    "leading zeros": (pa.string(), ["007", "07", "7", "0070"]),
    "texts like numbers": (pa.string(), ["1e3", "1000", "1.0", "+1"]),
    "texts like dates": (pa.string(), ["2020-01-02", "2020-13-02", "01.02.2020", "20200418"]),
    "percentages": (pa.string(), ["5 %", "12%", "100 %", "0.5%"]),
    "texts with gaps": (pa.string(), ["a", None, "c", "d"]),
    "words for missing": (pa.string(), ["NA", "null", "nan", "-"]),
    "category": (pa.dictionary(pa.int8(), pa.string()), ["low", "mid", "high", "top"]),
    "list": (pa.list_(pa.string()), [["a"], ["b", "c"], ["c"], ["d"]]),
}


def _table(name: str) -> Any:
    kind, values = TYPES[name]
    column = [values[row % 4] for row in range(ROWS)]
    own = pa.array(column, pa.string()).dictionary_encode() if name == "category" else pa.array(column, kind)
    parts = [["p", "q"][row // 3 % 2] for row in range(ROWS)]
    return pa.table({"own": own, "part": parts, "job": [["x", "y", "z"][row % 3] for row in range(ROWS)]})


def _parquet(**more: Any) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        import pyarrow.parquet as pq

        pq.write_table(table, path, **more)

    return write


def _ipc(is_stream: bool, compression: str | None) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        options = pa.ipc.IpcWriteOptions(compression=compression)
        make = pa.ipc.new_stream if is_stream else pa.ipc.new_file
        with pa.OSFile(str(path), "wb") as file, make(file, table.schema, options=options) as writer:
            writer.write_table(table)

    return write


def _arrow_csv(table: Any, path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path)


def _pandas(method: str, **more: Any) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        getattr(table.to_pandas(), method)(path, **more)

    return write


def _nullable(table: Any, path: Path) -> None:
    table.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path, index=False)


def _polars(method: str, **more: Any) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        import polars as pl

        getattr(pl.from_arrow(table), method)(path, **more)

    return write


def _duckdb(options: str) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        import duckdb

        connection = duckdb.connect()
        connection.register("given", table)
        connection.execute(f"copy given to '{path}' ({options})")

    return write


def _survey(method: str, **more: Any) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        import pyreadstat

        getattr(pyreadstat, method)(table.to_pandas(), path, **more)

    return write


def _spark(form: str, *, is_legacy: bool = False, **more: Any) -> Callable[[Any, Path], None]:
    def write(table: Any, path: Path) -> None:
        from pyspark.sql import SparkSession

        options = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}
        session = SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
        session.conf.set("spark.sql.parquet.writeLegacyFormat", str(is_legacy).lower())
        folder = path.with_suffix(".parts")
        session.createDataFrame(table).coalesce(1).write.format(form).options(**more).save(str(folder))
        [part] = folder.glob(f"part-*.{form}")
        part.rename(path)

    return write


#: Writers by package and format, with the package that is needed.
WRITERS: dict[str, tuple[str, str, Callable[[Any, Path], None]]] = {
    "pyarrow, csv": ("pyarrow", "csv", _arrow_csv),
    "pyarrow, Parquet 1.0": ("pyarrow", "parquet", _parquet(version="1.0")),
    "pyarrow, Parquet 2.4": ("pyarrow", "parquet", _parquet(version="2.4", compression="zstd")),
    "pyarrow, Parquet 2.6": ("pyarrow", "parquet", _parquet(version="2.6", data_page_version="2.0")),
    "pyarrow, Parquet int96": ("pyarrow", "parquet", _parquet(use_deprecated_int96_timestamps=True)),
    "pyarrow, Parquet without dictionaries": ("pyarrow", "parquet", _parquet(use_dictionary=False, store_schema=False)),
    "pyarrow, Arrow file": ("pyarrow", "arrow", _ipc(False, None)),
    "pyarrow, Arrow stream": ("pyarrow", "arrow", _ipc(True, None)),
    "pyarrow, compressed Arrow file": ("pyarrow", "arrow", _ipc(False, "zstd")),
    "pandas, csv": ("pandas", "csv", _pandas("to_csv", index=False)),
    "pandas, Parquet": ("pandas", "parquet", _pandas("to_parquet", index=False)),
    "pandas, nullable, Parquet": ("pandas", "parquet", _nullable),
    "pandas, feather": ("pandas", "arrow", _pandas("to_feather")),
    "pandas, xlsx": ("openpyxl", "xlsx", _pandas("to_excel", index=False)),
    "pandas, Stata 118": ("pyreadstat", "dta", _pandas("to_stata", write_index=False, version=118)),
    "pandas, Stata 114": ("pyreadstat", "dta", _pandas("to_stata", write_index=False, version=114)),
    "fastparquet": ("fastparquet", "parquet", _pandas("to_parquet", index=False, engine="fastparquet")),
    "polars, csv": ("polars", "csv", _polars("write_csv")),
    "polars, Parquet": ("polars", "parquet", _polars("write_parquet")),
    "polars, Arrow file": ("polars", "arrow", _polars("write_ipc")),
    "polars, Arrow stream": ("polars", "arrow", _polars("write_ipc_stream")),
    "polars, xlsx": ("xlsxwriter", "xlsx", _polars("write_excel")),
    "duckdb, csv": ("duckdb", "csv", _duckdb("format csv, header")),
    "duckdb, Parquet": ("duckdb", "parquet", _duckdb("format parquet")),
    "duckdb, Parquet 2": ("duckdb", "parquet", _duckdb("format parquet, parquet_version v2")),
    "Spark, csv": ("pyspark", "csv", _spark("csv", header=True)),
    "Spark, Parquet": ("pyspark", "parquet", _spark("parquet", compression="none")),
    "Spark, Parquet as Hive": ("pyspark", "parquet", _spark("parquet", is_legacy=True, compression="none")),
    "pyreadstat, sav": ("pyreadstat", "sav", _survey("write_sav")),
    "pyreadstat, zsav": ("pyreadstat", "zsav", _survey("write_sav", compress=True)),
    "pyreadstat, Stata": ("pyreadstat", "dta", _survey("write_dta")),
    "pyreadstat, xpt": ("pyreadstat", "xpt", _survey("write_xport")),
}


def _canonical(value: Any) -> str:
    """Returns a value as a text that does not depend on its type; of a moment, its day in UTC or in its zone."""
    if value is None or value is pd.NaT or value is pd.NA or isinstance(value, float) and value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, Decimal)):
        number = Decimal(value) if isinstance(value, int) else Decimal(str(value))
        return f"{number.normalize():f}" if number.is_finite() else str(float(number))
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)


def _found_by_another(path: Path, form: str) -> list[Any]:
    """Returns the column as another program reads the file."""
    if form == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [row["own"] for row in csv.DictReader(file)]
    if form == "parquet":
        import pyarrow.parquet as pq

        return _moments(pq.read_table(path)["own"])
    if form == "arrow":
        import pyarrow.feather

        try:
            return _moments(pyarrow.feather.read_table(path)["own"])
        except pa.ArrowInvalid:
            with pa.ipc.open_stream(path.read_bytes()) as reader:
                return _moments(reader.read_all()["own"])
    if form == "xlsx":
        import openpyxl

        rows = openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)
        return [row[0] for row in rows][1:]
    import pyreadstat

    reader = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta", "xpt": "read_xport"}[form]
    values: list[Any] = getattr(pyreadstat, reader)(path)[0]["own"].tolist()
    return values


def _moments(column: Any) -> list[Any]:
    import pyarrow.compute as pc

    if pa.types.is_timestamp(column.type):
        column = pc.local_timestamp(column) if column.type.tz else column
        column = column.cast(pa.timestamp("us"), safe=False)
    if column.type == pa.float32():
        # As few digits as tell it from other numbers of 32 bits.
        return [float(str(own)) for own in column.to_numpy()]
    values: list[Any] = column.to_pylist()
    return values


def _read(path: Path, form: str) -> list[Any]:
    """Returns the column as openveil publishes it, with the types that `inspect` finds."""
    table: Any = ov.read(path) if form in ("sav", "zsav", "dta", "xpt") else path
    types = {column["name"]: column.get("type") for column in ov.inspect(table).columns}
    kind = types.get("own") or "text"
    release = ov.publish(
        table, known="part", secret="job", other={"own": {} if kind == "list" else {"type": kind}},
        model=ov.l_diversity(2), style="slice", missing="keep",
    )
    values: list[Any] = pa.table(release._native_table(unpack=True))["own"].to_pylist()
    return values


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.filterwarnings("ignore::openveil.OpenveilWarning")
def test_files_are_read_as_written(writer: str, tmp_path: Path, record_property: Any) -> None:
    package, form, write = WRITERS[writer]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    if package == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark runs on Java")
    cells = {"read": 0, "refused": 0, "not written": 0}
    wrong = []
    for at, name in enumerate(TYPES):
        path = tmp_path / f"{at}.{form}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                write(_table(name), path)
            others = sorted(map(_canonical, _found_by_another(path, form)))
        except Exception:
            # The format or its writer has no such type.
            cells["not written"] += 1
            continue
        given = sorted(map(_canonical, _moments(_table(name)["own"])))
        try:
            values = _read(path, form)
        except ov.OpenveilError as error:
            cells["refused"] += 1
            if "own" not in str(error) and ", line " not in str(error):
                wrong.append(f"{name}: {error}")
            continue
        cells["read"] += 1
        if isinstance(TYPES[name][1][0], Decimal):
            # Codes with too many digits for a number are texts.
            values = [Decimal(own) if isinstance(own, str) else own for own in values]
        if name == "duration" and form == "parquet":
            # Parquet has no such type: the file holds whole numbers, and only Arrow's note says what they count;
            # fastparquet writes times of a day.
            values = [datetime.timedelta(microseconds=own) if isinstance(own, int) else own for own in values]
        found = sorted(map(_canonical, values))
        if isinstance(TYPES[name][1][0], datetime.datetime):
            others = sorted(own[:10] for own in others)
        if found not in (given, others):
            wrong.append(f"{name}: {sorted(set(found))[:5]}, not {sorted(set(given))[:5]} or {sorted(set(others))[:5]}")
    record_property("cells", cells)
    print(f"{writer}: {cells}")
    assert not wrong, "\n".join([f"{writer}: {len(wrong)} of {sum(cells.values())} cells", *wrong])
    assert cells["read"] >= 12
