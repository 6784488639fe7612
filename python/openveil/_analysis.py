"""Figures from a release, where that needs care: values of a group are anybody's in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._frames import take, to_columns
from ._openveil import InputError

if TYPE_CHECKING:
    from ._release import Release

#: Values of a column beyond which a table of them is no longer read by anybody.
MOST_VALUES = 60


def crosstab(
    release: Release,
    index: str,
    columns: str,
    secret: str | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
) -> Any:
    """As :meth:`Release.crosstab`."""
    names = [index, columns] + ([secret] if secret is not None else [])
    parts = [_conditions(release, name, (bins or {}).get(name)) for name in names]
    made: dict[str, list[Any]] = {name: [] for name in [*names, "estimate", "standard_error"]}
    for combination in itertools.product(*parts):
        answer = release.query(" and ".join(condition for _, condition in combination))
        for name, (label, _) in zip(names, combination, strict=True):
            made[name].append(label)
        made["estimate"].append(answer["estimate"])
        made["standard_error"].append(answer.get("standard_error"))
    return given(release, made)


def _conditions(
    release: Release, name: str, bins: Sequence[float] | None
) -> list[tuple[str, str]]:
    """What rows are told apart by: a label and a condition each."""
    column = _column(release, name)
    quoted = _quoted(name)
    if bins is not None:
        pairs = itertools.pairwise(bins)
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


def _values(release: Release, name: str, column: Mapping[str, Any]) -> list[str]:
    """The values that cells of a column cover, as texts."""
    if column.get("cells") in ("interval", "bounds") and "type" in column:
        raise InputError(
            f"the cells of `{name}` are intervals\n  help: cut them: `bins={{{name!r}: [...]}}`"
        )
    found: set[str] = set()
    for table in dict(release._native.tables(unpack=True)).values():
        if name in table.columns:
            found.update(part for cell in set(table.codes(name)[1]) for part in _parts(cell))
    order = {value: place for place, value in enumerate(column.get("order", ()))}
    return sorted(found, key=lambda value: (order.get(value, len(order)), value))


def _parts(cell: str) -> list[str]:
    return cell[1:-1].split("|") if cell.startswith("{") and cell.endswith("}") else [cell]


def mean(
    release: Release,
    column: str,
    by: str | None = None,
    weight: str | None = None,
    bins: Sequence[float] | None = None,
) -> Any:
    """As :meth:`Release.mean`."""
    table = dict(release._native.tables(unpack=True))[release._main]
    if column not in table.columns:
        raise InputError(f"the column `{column}` does not stand in the rows of the release")
    data = to_columns(table)
    groups: dict[int, list[int]] = {}
    for row, group in enumerate(data["group"]):
        groups.setdefault(group, []).append(row)
    shares = _shares(release, data, by, bins)
    sums: dict[str, list[float]] = {}
    for rows in groups.values():
        numbers = [float(data[column][row]) for row in rows if data[column][row] is not None]
        if not numbers:
            continue
        weights = [float(data[weight][row]) for row in rows] if weight else [1.0] * len(rows)
        heavy = sum(weights) / len(weights)
        centre = sum(numbers) / len(numbers)
        spread = sum((number - centre) ** 2 for number in numbers) / max(len(numbers) - 1, 1)
        parts: dict[str, float] = {}
        for row in rows:
            for label, share in shares(row):
                parts[label] = parts.get(label, 0.0) + share
        for label, count in parts.items():
            total = sums.setdefault(label, [0.0, 0.0, 0.0, 0.0])
            total[0] += count
            total[1] += count * heavy
            total[2] += count * heavy * centre
            # Of count rows out of all of the group's.
            total[3] += heavy**2 * count * max(0.0, 1 - count / len(rows)) * spread
    labels = sorted(sums)
    made: dict[str, list[Any]] = {} if by is None else {by: labels}
    made["rows"] = [sums[label][0] for label in labels]
    made["mean"] = [sums[label][2] / sums[label][1] for label in labels]
    made["standard_error"] = [math.sqrt(sums[label][3]) / sums[label][1] for label in labels]
    return given(release, made)


def _shares(
    release: Release, data: Mapping[str, list[Any]], by: str | None, bins: Sequence[float] | None
) -> Any:
    """To which parts a row belongs, each with its share."""
    if by is None:
        return lambda row: [("all", 1.0)]
    _column(release, by)
    if bins is None:
        cells = data.get(by)
        if cells is None:
            raise InputError(f"the cells of `{by}` are intervals\n  help: cut them: `bins=[...]`")

        def parts(row: int) -> list[tuple[str, float]]:
            members = _parts(str(cells[row]))
            return [(member, 1 / len(members)) for member in members]

        return parts
    low, high = (data.get(f"{by}_{end}", data.get(by)) for end in ("min", "max"))
    if low is None or high is None:
        raise InputError(f"the column `{by}` does not stand in the rows of the release")
    pairs = list(itertools.pairwise(bins))

    def cut(row: int) -> list[tuple[str, float]]:
        least, most = low[row], high[row]
        if least is None or most is None:
            return [("missing", 1.0)]
        width = most - least + 1
        inside = [
            (f"[{start}, {end})", max(0.0, min(most + 1, end) - max(least, start)) / width)
            for start, end in pairs
        ]
        return [part for part in inside if part[1] > 0]

    return cut


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
