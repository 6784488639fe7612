"""Counts from a release by the values of columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._frames import members, take, to_columns
from ._openveil import InputError

if TYPE_CHECKING:
    from ._release import Release

#: Values of a column beyond which a table of them is no longer read by anybody.
MOST_VALUES = 60

#: What stands for a missing value in releases.
MISSING = "(missing)"


def crosstab(
    release: Release,
    index: str,
    columns: str,
    secret: str | None = None,
    bins: Mapping[str, Sequence[Any]] | None = None,
) -> Any:
    """As :meth:`Release.crosstab`."""
    names = [index, columns] + ([secret] if secret is not None else [])
    figures = ["estimate", "standard_error"]
    if len({*names, *figures}) < len(names) + len(figures):
        raise InputError(f"columns must differ, and not be called {' or '.join(figures)}")
    if bins is not None and not isinstance(bins, Mapping):
        raise InputError("`bins` are by column: `bins={'age': [0, 30, 60]}`")
    parts = [_conditions(release, name, (bins or {}).get(name)) for name in names]
    made: dict[str, list[Any]] = {name: [] for name in [*names, *figures]}
    for combination in itertools.product(*parts):
        answer = release.query(" and ".join(condition for _, condition in combination))
        for name, (label, _) in zip(names, combination, strict=True):
            made[name].append(label)
        made["estimate"].append(answer["estimate"])
        made["standard_error"].append(answer.get("standard_error"))
    return given(release, made)


def _conditions(release: Release, name: str, bins: Sequence[Any] | None) -> list[tuple[str, str]]:
    """What rows are told apart by: a label and a condition each."""
    column = column_of(release, name)
    quoted = _quoted(name)
    if bins is not None:
        pairs = itertools.pairwise(edges(bins))
        return [
            (f"[{low}, {high})", f"{quoted} >= {low} and {quoted} < {high}") for low, high in pairs
        ]
    values = _values(release, name, column)
    if len(values) > MOST_VALUES:
        raise InputError(
            f"the column `{name}` has {len(values)} values"
            f"\n  help: cut it: `bins={{{name!r}: [...]}}`"
        )
    return [(value, f"{quoted} = {_quoted(value)}") for value in values]


def edges(bins: Sequence[Any]) -> list[Any]:
    """Where parts begin and end: at least two, in ascending order."""
    edges = list(bins) if not isinstance(bins, (str, Mapping)) else []
    if len(edges) < 2 or any(low >= high for low, high in itertools.pairwise(edges)):
        raise InputError("bins are at least two borders in ascending order: `[0, 30, 60]`")
    return edges


def _values(release: Release, name: str, column: Mapping[str, Any]) -> list[str]:
    """The values that cells of a column cover, as texts."""
    if column.get("cells") in ("interval", "bounds") and "type" in column:
        raise InputError(
            f"the cells of `{name}` are intervals\n  help: cut them: `bins={{{name!r}: [...]}}`"
        )
    # Elsewhere, braces belong to the value.
    has_sets = column.get("cells") in (None, "set", "labels") or column.get("sets", False)
    found: set[str] = set()
    for table in dict(release._native.tables(unpack=True)).values():
        if name in table.columns:
            for cell in table.codes(name)[1]:
                text = cell or MISSING
                found.update(members(text) if has_sets else [text])
    order = {value: place for place, value in enumerate(column.get("order", ()))}
    return sorted(found, key=lambda value: (order.get(value, len(order)), sorting(value)))


def sorting(value: str) -> tuple[float, str]:
    """Numbers by their size, before texts."""
    try:
        return (float(value), value)
    except ValueError:
        return (math.inf, value)


def column_of(release: Release, name: str) -> Mapping[str, Any]:
    for column in release.manifest["columns"]:
        if column["name"] == name:
            found: Mapping[str, Any] = column
            return found
    known = ", ".join(column["name"] for column in release.manifest["columns"])
    raise InputError(f"the release has no column `{name}`\n  help: it has {known}")


def _quoted(text: str) -> str:
    # Conditions know no escapes, but two kinds of quotes.
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


def given(release: Release, made: dict[str, list[Any]]) -> Any:
    """Figures as a table of the kind that came in."""
    if release._give is to_columns:
        return made
    # What package that is, a table tells.
    package = type(release._give(take({"none": ["0"]})[0])).__module__.partition(".")[0]
    if package == "pandas":
        import pandas as pd

        return pd.DataFrame(made)
    if package == "polars":
        import polars as pl

        return pl.DataFrame(made)
    if package == "pyarrow":
        import pyarrow as pa

        return pa.table(made)
    return made
