"""Figures from a release, where that needs care: values of a group are anybody's in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
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
    column = _column(release, name)
    quoted = _quoted(name)
    if bins is not None:
        pairs = itertools.pairwise(_edges(bins))
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


def _edges(bins: Sequence[Any]) -> list[Any]:
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
    found: set[str] = set()
    for table in dict(release._native.tables(unpack=True)).values():
        if name in table.columns:
            for cell in table.codes(name)[1]:
                found.update(members(cell or MISSING))
    order = {value: place for place, value in enumerate(column.get("order", ()))}
    return sorted(found, key=lambda value: (order.get(value, len(order)), _sorting(value)))


def _sorting(value: str) -> tuple[float, str]:
    """Numbers by their size, before texts."""
    try:
        return (float(value), value)
    except ValueError:
        return (math.inf, value)


#: A part of a column, and the share of a row that lies in it.
Shares = Callable[[int], "list[tuple[str, float]]"]


def mean(
    release: Release,
    column: str,
    by: str | None = None,
    weight: str | None = None,
    bins: Sequence[Any] | None = None,
) -> Any:
    """As :meth:`Release.mean`."""
    tables = dict(release._native.tables(unpack=True))
    data = to_columns(tables[release._main])
    numbers = _numbers(release, tables, data, column)
    if weight is not None and weight not in data:
        raise InputError(f"the weights `{weight}` do not stand in the rows of the release")
    shares = _shares(release, data, by, bins)
    groups: dict[int, list[int]] = {}
    for row, group in enumerate(data["group"]):
        groups.setdefault(group, []).append(row)
    sums: dict[str, list[float]] = {}
    for group, rows in groups.items():
        known = numbers.get(group, [])
        if not known:
            continue
        weights = [float(data[weight][row] or 0) for row in rows] if weight else [1.0]
        heavy = sum(weights) / len(weights)
        centre = sum(known) / len(known)
        spread = sum((number - centre) ** 2 for number in known) / max(len(known) - 1, 1)
        parts: dict[str, float] = {}
        for row in rows:
            for label, share in shares(row):
                parts[label] = parts.get(label, 0.0) + share
        for label, part in parts.items():
            # People without a number may be any of the group's.
            count = part * len(known) / len(rows)
            total = sums.setdefault(label, [0.0, 0.0, 0.0, 0.0])
            total[0] += count
            total[1] += count * heavy
            total[2] += count * heavy * centre
            # Of count rows out of all of the group's.
            total[3] += heavy**2 * count * max(0.0, 1 - part / len(rows)) * spread
    labels = sorted((label for label in sums if sums[label][1] > 0), key=_sorting)
    made: dict[str, list[Any]] = {} if by is None else {by: labels}
    made["rows"] = [sums[label][0] for label in labels]
    made["mean"] = [sums[label][2] / sums[label][1] for label in labels]
    made["standard_error"] = [math.sqrt(sums[label][3]) / sums[label][1] for label in labels]
    return given(release, made)


def _numbers(
    release: Release, tables: Mapping[str, Any], data: Mapping[str, list[Any]], column: str
) -> dict[int, list[float]]:
    """The numbers of each group, wherever they stand."""
    _column(release, column)
    counts: list[int] | None = None
    values = tables.get(f"{release._main}-values")
    if column not in data and values is not None:
        data = to_columns(values)
        counts = data["count"]
    if column not in data:
        raise InputError(f"the cells of `{column}` are ranges: a mean needs values")
    found: dict[int, list[float]] = {}
    for row, (group, number) in enumerate(zip(data["group"], data[column], strict=True)):
        if isinstance(number, (str, list)) or hasattr(number, "isoformat"):
            raise InputError(f"the column `{column}` has no numbers: {number!r}")
        if number is not None:
            times = 1 if counts is None else counts[row]
            found.setdefault(group, []).extend([float(number)] * times)
    return found


def _shares(
    release: Release, data: Mapping[str, list[Any]], by: str | None, bins: Sequence[Any] | None
) -> Shares:
    """To which parts a row belongs, each with its share."""
    if by is None:
        return lambda row: [("all", 1.0)]
    column = _column(release, by)
    if bins is None:
        cells = data.get(by)
        if cells is None:
            raise InputError(f"the cells of `{by}` are intervals\n  help: cut them: `bins=[...]`")

        def parts(row: int) -> list[tuple[str, float]]:
            cell = cells[row]
            covered = cell if isinstance(cell, list) else [MISSING if cell is None else str(cell)]
            return [(member or MISSING, 1 / len(covered)) for member in covered]

        return parts
    low, high = (data.get(f"{by}_{end}", data.get(by)) for end in ("min", "max"))
    if low is None or high is None or "type" not in column:
        raise InputError(f"the column `{by}` has neither numbers nor dates that could be cut")
    edges = _edges(bins)
    pairs = list(itertools.pairwise([_place(edge) for edge in edges]))
    labels = [f"[{start}, {end})" for start, end in itertools.pairwise(edges)]
    # Between whole numbers and days there is nothing.
    step = 0 if column["type"] == "number" else 1

    def cut(row: int) -> list[tuple[str, float]]:
        if high[row] is None:
            return [(MISSING, 1.0)]
        most = _place(high[row])
        # A range from a missing value on says nothing about where others start.
        least = most if low[row] is None else _place(low[row])
        width = most + step - least
        if width <= 0:
            inside = [float(start <= least < end) for start, end in pairs]
        else:
            overlaps = [min(most + step, end) - max(least, start) for start, end in pairs]
            inside = [max(0.0, overlap) / width for overlap in overlaps]
        return [part for part in zip(labels, inside, strict=True) if part[1] > 0]

    return cut


def _place(value: Any) -> float:
    """A number, or the number of a day."""
    import datetime

    try:
        if isinstance(value, str):
            value = datetime.date.fromisoformat(value)
        return float(value.toordinal() if hasattr(value, "toordinal") else value)
    except (TypeError, ValueError):
        raise InputError(f"{value!r} is neither a number nor a date") from None


def _column(release: Release, name: str) -> Mapping[str, Any]:
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
