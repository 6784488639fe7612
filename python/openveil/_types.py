"""Returns columns to the types that they came in, if that changes no value.

Categories are the published values in an order that anybody knows, never those of the owner's table:
these tell which values occur first, and values that are not published.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _openveil


@dataclass(frozen=True)
class Back:
    """Returns tables as the kind that was given, each column in its original type."""

    # : Makes a table of that kind.
    to: Callable[[_openveil.Table], Any]
    # : Returns it with columns of these types, if that changes no value.
    retyped: Callable[[Any, Mapping[str, Any]], Any]
    #: The types of the given columns; the type of an ordered dictionary of Arrow with its values.
    types: Mapping[str, Any]

    def __call__(self, table: _openveil.Table) -> Any:
        return self.retyped(self.to(table), self.types)


def _categories(values: Sequence[Any], declared: Sequence[Any] | None) -> tuple[list[Any], bool]:
    """Returns published values as categories, in their declared order, and whether it is that one.

    Without a declared order of all of them, they are sorted.
    """
    own = set(values)
    if declared is not None and own.issubset(declared):
        return [value for value in declared if value in own], True
    return sorted(own), False


def columns_as(columns: dict[str, list[Any]], types: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Returns columns with decimals, times of day, and whole numbers beyond 64 bits restored."""
    for name, values in columns.items():
        made = _read_as(values, types.get(name))
        columns[name] = values if made is None else made
    return columns


def _read_as(values: list[Any], wanted: Any) -> list[Any] | None:
    """Returns numbers and texts as values of a Python type, or None if they are not."""
    read: dict[Any, Callable[[Any], Any]] = {
        decimal.Decimal: lambda value: decimal.Decimal(str(value)),
        datetime.time: datetime.time.fromisoformat,
        int: lambda value: value if isinstance(value, int) else int(value, 10),
    }
    if wanted not in read:
        return None
    try:
        return [None if value is None else read[wanted](value) for value in values]
    except (TypeError, ValueError, decimal.InvalidOperation):
        return None


def types_of_pandas(frame: Any) -> dict[str, Any]:
    """Returns the types of a frame's columns; for objects, the type of all values, if it is one."""
    import pandas as pd
    from pandas.api.types import infer_dtype

    kinds = {"decimal": decimal.Decimal, "time": datetime.time, "integer": int}

    def of_column(column: Any) -> Any:
        if isinstance(column.dtype, pd.CategoricalDtype) and not column.dtype.ordered:
            return pd.CategoricalDtype(column.dtype.categories[:0])
        kind = infer_dtype(column) if column.dtype == object else ""
        return kinds.get(kind, column.dtype)

    return {name: of_column(frame[name]) for name in frame.columns}


def pandas_as(frame: Any, types: Mapping[str, Any]) -> Any:
    """Returns a frame with widths of numbers, decimals, categories, times of day and days restored."""
    for name in frame.columns.intersection(list(types)):
        made = _series_as(frame[name], types[name])
        frame = frame if made is None else frame.assign(**{name: made})
    return frame


def _series_as(column: Any, wanted: Any) -> Any:
    import pandas as pd

    values = column.dropna()
    if isinstance(wanted, type):
        present = zip(column, column.notna(), strict=True)
        made = _read_as([own if is_there else None for own, is_there in present], wanted)
        return None if made is None else pd.Series(made, column.index, dtype=object)
    if column.dtype == wanted:
        return None
    try:
        # Kinds of values are found by the distinct ones: rows are many.
        each = values.unique().tolist()
    except TypeError:  # lists of values
        return None
    is_text = all(isinstance(value, str) for value in each)
    if isinstance(wanted, pd.CategoricalDtype):
        given = wanted.categories
        if isinstance(given.dtype, pd.IntervalDtype):
            return _intervals_as(column, given)
        is_number = given.dtype.kind in "iufb" and column.dtype.kind in "iufb"
        if not is_number and not (is_text and given.dtype.kind not in "iufbmM"):
            return None
        declared = given.tolist() if wanted.ordered else None
        made, is_ordered = _categories(each, declared)
        numbers = pd.Index(made, dtype=given.dtype if is_number else None)
        made = numbers if is_number and numbers.tolist() == made else pd.Index(made)
        return column.astype(pd.CategoricalDtype(made, is_ordered))
    is_arrow_text = isinstance(wanted, pd.ArrowDtype) and wanted.type is str
    if is_text and (is_arrow_text or isinstance(wanted, (pd.StringDtype, pd.PeriodDtype))):
        try:
            made = column.astype(wanted)
        except ValueError:
            return None
        return made if (made.dropna().astype(str) == values).all() else None
    if wanted.kind == "M":
        days = all(isinstance(value, datetime.date) for value in each)
        unit = getattr(wanted, "unit", "ns")
        return pd.to_datetime(column).astype(f"datetime64[{unit}]") if days else None
    if wanted.kind not in "iufb" or any(isinstance(value, str) for value in each):
        return None
    try:
        made = column.astype(wanted)
    except (TypeError, ValueError, OverflowError):
        return None
    return made if wanted.kind == "f" or (made.dropna() == values).all() else None


def _intervals_as(column: Any, given: Any) -> Any:
    """Returns texts as intervals of ``pd.cut``: the published ones, in their order."""
    import pandas as pd

    by_text = {str(interval): interval for interval in given}
    present = set(column.dropna())
    if not present.issubset(by_text):
        return None
    made = pd.IntervalIndex([interval for text, interval in by_text.items() if text in present])
    return column.map(by_text).astype(pd.CategoricalDtype(made, ordered=True))


def polars_as(frame: Any, types: Mapping[str, Any]) -> Any:
    """Returns a frame with widths of numbers, decimals, categories and times of day restored."""
    import polars as pl

    columns = []
    for column in frame.iter_columns():
        wanted = types.get(column.name, column.dtype)
        is_category = wanted.base_type() in (pl.Categorical, pl.Enum) and column.dtype == pl.String
        wanted = _polars_categories(column, wanted) if is_category else wanted
        is_number = wanted.is_numeric() and column.dtype.is_numeric()
        if wanted == pl.Time and column.dtype == pl.String:
            times = _read_as(column.to_list(), datetime.time)
            column = column if times is None else pl.Series(column.name, times, pl.Time)
        elif is_category or is_number:
            made = column.cast(wanted, strict=False)
            column = made if made.null_count() == column.null_count() else column
        columns.append(column)
    return pl.DataFrame(columns)


def _polars_categories(column: Any, wanted: Any) -> Any:
    """Returns the type of a column of texts as categories: its own values, and no others."""
    import polars as pl

    is_enum = wanted.base_type() == pl.Enum
    declared = wanted.categories.to_list() if is_enum else None
    made, _ = _categories(column.drop_nulls().unique().to_list(), declared)
    if is_enum or not hasattr(pl, "Categories"):
        return pl.Enum(made)
    # Categories of one name are one list for the whole process, in the order in which they are met.
    name = hashlib.sha256("\0".join(made).encode()).hexdigest()[:16]
    kind = pl.Categorical(pl.Categories(f"openveil-{name}"))
    pl.Series(made, dtype=kind)
    return kind


def pyarrow_as(table: Any, types: Mapping[str, Any]) -> Any:
    """Returns a table with widths of numbers, decimals, dictionaries and times of day restored."""
    for at, field in enumerate(table.schema):
        if types.get(field.name, field.type) != field.type:
            made = _array_as(table.column(at), types[field.name])
            table = table if made is None else table.set_column(at, field.name, made)
    return table


def _array_as(column: Any, wanted: Any) -> Any:
    import pyarrow as pa
    from pyarrow.types import is_decimal, is_dictionary, is_floating, is_integer, is_string, is_time

    def is_number(kind: Any) -> bool:
        return any(is_kind(kind) for is_kind in (is_integer, is_floating, is_decimal))

    if isinstance(wanted, list):
        return _dictionary(column, wanted) if is_string(column.type) else None
    try:
        if is_number(wanted) and is_number(column.type):
            return column.cast(wanted)
        if is_dictionary(wanted) and is_string(column.type):
            return _dictionary(column, None)
    except pa.ArrowInvalid:  # a number that does not fit the narrower type
        return None
    is_time_here = is_time(wanted) and is_string(column.type)
    times = _read_as(column.to_pylist(), datetime.time) if is_time_here else None
    return None if times is None else pa.array(times, wanted)


def _dictionary(column: Any, declared: list[str] | None) -> Any:
    """Returns texts as a dictionary of the published values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    made, is_ordered = _categories(column.drop_null().unique().to_pylist(), declared)
    values = pa.array(made, pa.string())
    codes = pc.index_in(column.combine_chunks(), values)
    return pa.DictionaryArray.from_arrays(codes, values, ordered=is_ordered)
