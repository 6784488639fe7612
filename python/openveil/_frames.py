"""Tables of other packages: read without a copy if types allow, returned as the kind that was given."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

from . import _openveil
from ._errors import InputError, InputTypeError
from ._types import Back, columns_as, pandas_as, polars_as, pyarrow_as, types_of_pandas

# : Returns a table as the kind that was given.
Give: TypeAlias = Callable[[_openveil.Table], Any]

# : A table: an object with an Arrow stream, a mapping of columns, or a path.
TableLike: TypeAlias = Any


def is_path(table: TableLike) -> bool:
    """Returns whether a table is given as a path or pattern."""
    return isinstance(table, (str, os.PathLike))


def take(table: TableLike) -> tuple[_openveil.Table, Give]:
    """Returns a table, and a function that returns tables as its kind."""
    if isinstance(table, _openveil.Table):
        return table, lambda made: made
    package = type(table).__module__.partition(".")[0]
    if package == "scipy":
        # One of the kinds is a `dict`.
        raise InputTypeError(
            "a sparse matrix has no names of columns"
            "\n  help: make a frame: `pandas.DataFrame.sparse.from_spmatrix(matrix, columns=[...])`"
        )
    if isinstance(table, Mapping):
        return _of_columns(table)
    if package == "narwhals":
        import narwhals as nw

        taken, give = take(nw.to_native(table))
        return taken, lambda made: nw.from_native(give(made))
    if package == "pandas":
        return _of_pandas(table), Back(to_pandas, pandas_as, types_of_pandas(table))
    if package == "polars":
        frame = _of_polars(table)
        return _openveil.Table.from_stream(frame), Back(to_polars, polars_as, dict(frame.schema))
    if package in ("duckdb", "_duckdb"):
        return _of_duckdb(table)
    if package == "pyarrow":
        taken = _openveil.Table.from_stream(_of_pyarrow(table))
        types = {field.name: field.type for field in table.schema} | taken.orders
        return taken, Back(to_pyarrow, pyarrow_as, types)
    if hasattr(table, "__arrow_c_stream__"):
        return _openveil.Table.from_stream(table), _giver(table)
    streamed = _streamed(table)
    if streamed is not None:
        return _openveil.Table.from_stream(streamed), _giver(table)
    kind = f"{type(table).__module__}.{type(table).__qualname__}"
    raise InputTypeError(
        f"cannot read a table from {kind}: it has no Arrow stream"
        "\n  help: pass a table of pyarrow, polars, pandas, DuckDB or ibis, a dict of columns,"
        " or a path"
    )


def to_pyarrow(table: _openveil.Table) -> Any:
    """Returns a ``pyarrow.Table``."""
    import pyarrow as pa

    return pa.table(table)


def to_polars(table: _openveil.Table) -> Any:
    """Returns a ``polars.DataFrame``."""
    import polars as pl

    return pl.DataFrame(table)


def to_pandas(table: _openveil.Table) -> Any:
    """Returns a ``pandas.DataFrame``; pyarrow is not needed."""
    import pandas as pd

    try:
        import pyarrow as pa
    except ImportError:
        columns = to_columns(table)
        return pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})
    return pa.table(table).to_pandas()


def to_columns(table: _openveil.Table) -> dict[str, list[Any]]:
    """Returns lists of values by the name of the column."""
    import datetime

    read: dict[str, Callable[[str], Any]] = {
        "integer": int,
        "number": float,
        "date": datetime.date.fromisoformat,
        "boolean": lambda text: text == "true",
        "list": members,
    }
    columns: dict[str, list[Any]] = {}
    for name, kind in zip(table.columns, table.types, strict=True):
        codes, texts = table.codes(name)
        of_kind = read.get(kind, str)
        # Published cells are empty only for a missing number or date.
        values = [None if text == "" else of_kind(text) for text in texts]
        columns[name] = [values[code] for code in memoryview(codes).cast("I")]
    return columns


def of_lists(give: Give, columns: dict[str, list[Any]]) -> Any:
    """Returns a table of lists, as the kind that ``give`` makes."""
    # A small table shows which package `give` makes tables of.
    package = type(give(take({"none": ["0"]})[0])).__module__.partition(".")[0]
    if package == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if package == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    if package == "pyarrow":
        import pyarrow as pa

        return pa.table(columns)
    return columns


def members(cell: str) -> list[str]:
    """Returns the values of a set cell, ``{a|b}``, or the single value of another cell."""
    return cell[1:-1].split("|") if cell.startswith("{") and cell.endswith("}") else [cell]


def _of_pandas(frame: Any) -> _openveil.Table:
    import pandas as pd

    _refuse_unnamed(frame)
    # Categories that nobody has must not decide the type of a column.
    spare = [
        name
        for name, kind in frame.dtypes.items()
        if isinstance(kind, pd.CategoricalDtype) and not kind.ordered
    ]
    frame = frame.assign(**{name: frame[name].cat.remove_unused_categories() for name in spare})
    try:
        import pyarrow as pa
    except ImportError:
        return _of_series(frame)
    zoned = [name for name in frame.columns if getattr(frame[name].dtype, "tz", None) is not None]
    frame = frame.assign(**{name: frame[name].dt.tz_localize(None) for name in zoned})
    # Arrow has no periods and intervals; pandas' extension types would turn them into numbers and pairs.
    spans = [name for name, kind in frame.dtypes.items() if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype))]
    frame = frame.assign(**{name: frame[name].astype("string") for name in spans})
    # Categories of `pd.cut` keep their order.
    cuts = [
        name
        for name, kind in frame.dtypes.items()
        if isinstance(kind, pd.CategoricalDtype) and isinstance(kind.categories.dtype, pd.IntervalDtype)
    ]
    frame = frame.assign(**{name: frame[name].cat.rename_categories(str) for name in cuts})
    sparse = [name for name, kind in frame.dtypes.items() if isinstance(kind, pd.SparseDtype)]
    frame = frame.assign(**{name: frame[name].sparse.to_dense() for name in sparse})
    try:
        # The index is not a column; pandas' own stream would add it.
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        # Columns of mixed objects, and types that Arrow has not, are read as texts.
        return _of_series(frame)
    return _openveil.Table.from_stream(table)


def _of_series(frame: Any) -> _openveil.Table:
    """Returns a frame of pandas as a table, column by column, without pyarrow."""
    return _openveil.Table.from_codes([_factorized(frame[name]) for name in frame.columns])


def _of_polars(table: Any) -> Any:
    """Returns a frame with points in time as local time of their zone."""
    import polars as pl

    frame = table.collect() if hasattr(table, "collect") else table
    zoned = [name for name, kind in frame.schema.items() if getattr(kind, "time_zone", None)]
    frame = frame.with_columns(pl.col(name).dt.replace_time_zone(None) for name in zoned)
    # Arrow's stream has no columns without a type.
    untyped = [name for name, kind in frame.schema.items() if kind == pl.Null]
    frame = frame.with_columns(pl.col(name).cast(pl.String) for name in untyped)
    # NaN is a missing value, as in other packages.
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    return frame.with_columns(pl.col(name).fill_nan(None) for name in floats)


def _of_pyarrow(table: Any) -> Any:
    """Like :func:`_of_polars`, for a table of pyarrow."""
    import pyarrow as pa

    if not isinstance(table, (pa.Table, pa.RecordBatch)):
        return table
    for at, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            import pyarrow.compute as pc

            table = table.set_column(at, field.name, pc.local_timestamp(table.column(at)))
    return table


def _refuse_unnamed(frame: Any) -> None:
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"the column `{twice}` appears in the table twice\n  help: rename one of the two")
    strange = [name for name in frame.columns if not isinstance(name, str)]
    if strange:
        raise InputError(
            f"the column {strange[0]!r} has a name that is not text"
            "\n  help: rename it: `frame.columns = frame.columns.map(str)`"
        )


def _several_values(column: str, cell: Any, row: int) -> InputError:
    """Returns the error for a cell that is a list, a dict or the like."""
    error = InputError(
        f"the column `{column}` contains {cell!r:.60}, but a cell must be one value"
        "\n  help: write one row per value, and name the column of the person: `persons={'id': ...}`"
    )
    error.column, error.rows = column, [row]
    return error


def _factorized(series: Any) -> tuple[str, str, bytes, list[str]]:
    try:
        codes, values = series.factorize()
    except TypeError:
        row, cell = next((row, cell) for row, cell in enumerate(series) if not isinstance(cell, Hashable))
        raise _several_values(series.name, cell, row) from None
    kind, texts = _as_texts([_plain(value) for value in values])
    return series.name, kind, codes.astype("<i4").tobytes(), texts


def _plain(value: Any) -> Any:
    """Returns a scalar of NumPy or pandas as a Python value."""
    for method in ("to_pydatetime", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


def _as_texts(values: list[Any]) -> tuple[str, list[str]]:
    """Returns values as texts, and their common type."""
    import datetime
    import decimal
    import numbers

    if values and all(isinstance(value, datetime.date) for value in values):
        # Points in time become days, as in Arrow tables.
        return "date", [value.isoformat()[:10] for value in values]
    if values and all(isinstance(value, bool) for value in values):
        return "boolean", [as_text(value) for value in values]
    if any(isinstance(value, (bool, str)) for value in values) or not values:
        return "text", [as_text(value) for value in values]
    if all(isinstance(value, numbers.Integral) for value in values):
        # Integers beyond 64 bits are taken as codes.
        kind = "integer" if all(-(2**63) <= value < 2**63 for value in values) else "text"
        return kind, [str(value) for value in values]
    if all(isinstance(value, numbers.Real) for value in values):
        # Integers next to missing values have become floats.
        if all(float(value).is_integer() and abs(value) < 2**63 for value in values):
            return "integer", [str(int(value)) for value in values]
        return "number", [str(float(value)) for value in values]
    if all(isinstance(value, (numbers.Real, decimal.Decimal)) for value in values):
        # Numbers, if a float keeps all digits.
        is_number = all(decimal.Decimal(repr(float(value))) == value for value in values)
        return "number" if is_number else "text", [str(value) for value in values]
    # Refused when the column is published, as in Arrow tables.
    if any(isinstance(value, (bytes, bytearray, memoryview)) for value in values):
        return "binary", [as_text(value) for value in values]
    if any(isinstance(value, datetime.timedelta) for value in values):
        return "duration", [as_text(value) for value in values]
    return "text", [as_text(value) for value in values]


def as_text(value: Any) -> str:
    """Returns a value as the engine writes it."""
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def _of_columns(columns: Mapping[str, Any]) -> tuple[_openveil.Table, Give]:
    """Returns a table of lists; a value that is None or NaN is missing."""
    made: list[tuple[str, str, bytes, list[str]]] = []
    types: dict[str, type] = {}
    if not columns:
        raise InputError("the table has no columns")
    for name, given in columns.items():
        if isinstance(given, (str, bytes)):
            raise InputTypeError(f"the column `{name}` is a single text, not a list of values")
        numbers: dict[Any, int] = {}
        codes = bytearray()
        for value in given:
            # True == 1 == 1.0, so the type is part of the key.
            key = (type(value), value)
            try:
                missing = value is None or type(value).__name__ == "NAType" or value != value
                code = -1 if missing else numbers.setdefault(key, len(numbers))
            except (TypeError, ValueError):
                raise _several_values(str(name), value, len(codes) // 4) from None
            codes += code.to_bytes(4, "little", signed=True)
        kind, texts = _as_texts([value for _, value in numbers])
        kinds = {of_kind for of_kind, _ in numbers}
        if len(kinds) == 1:
            types[str(name)] = kinds.pop()
        made.append((str(name), kind, bytes(codes), texts))
    if len({len(codes) for _, _, codes, _ in made}) > 1:
        raise InputError("the columns have different lengths")
    return _openveil.Table.from_codes(made), Back(to_columns, columns_as, types)


def _of_duckdb(relation: Any) -> tuple[_openveil.Table, Give]:
    import duckdb

    def give(table: _openveil.Table) -> Any:
        return duckdb.from_arrow(to_pyarrow(table))

    return _openveil.Table.from_stream(relation), give


def _streamed(table: Any) -> Any:
    """Returns a frame that only narwhals can read (dask, modin) as a table of pyarrow, or None."""
    import narwhals as nw

    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect("pyarrow")
    return frame.to_arrow() if isinstance(frame, nw.DataFrame) else None


def _giver(table: Any) -> Give:
    """Returns a function that returns tables as the kind of another package's table, by narwhals."""

    def give(made: _openveil.Table) -> Any:
        import narwhals as nw

        try:
            backend = nw.get_native_namespace(table)
            return nw.to_native(nw.from_arrow(made, backend=backend))
        except (TypeError, ValueError):
            return made

    return give
