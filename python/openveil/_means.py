"""Means from a release, and how far what a group does not tell may have moved them."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._analysis import MISSING, column_of, edges, given, sorting
from ._frames import members, to_columns
from ._openveil import InputError

if TYPE_CHECKING:
    from ._release import Release

#: The block of what stands in a row as it stood in the table.
ROWS = "rows"

#: The block of what is secret: several columns are protected together.
SECRETS = "secrets"

#: The block of which rows are somebody's.
PEOPLE = "people"

#: What is asked when no part is.
ALL = "all"


@dataclass
class Shown:
    """A column by group, in the order of its rows.

    Columns of one block stand together as they did in the table; of two blocks, only their group is
    known: every order is as likely.
    """

    block: str
    groups: dict[int, list[Any]]

    @classmethod
    def of(cls, block: str, groups: Iterable[int], cells: Iterable[Any]) -> Shown:
        """Of the groups of rows, and a cell for each."""
        found: dict[int, list[Any]] = {}
        for group, cell in zip(groups, cells, strict=False):
            found.setdefault(group, []).append(cell)
        return cls(block, found)

    def each(self, made: Callable[[Any], Any]) -> Shown:
        """The same with other cells."""
        return Shown(
            self.block, {group: [made(cell) for cell in cells] for group, cells in self.groups.items()}
        )


@dataclass
class Sum:
    """A sum over the people of a group that depends on who goes with whom."""

    mean: float
    #: Of the squares of its terms.
    squares: float
    variance: float

    def with_block(self, factors: Sequence[float]) -> Sum:
        """Each term times a factor that anybody of the group may have, every order as likely.

        Terms a, factors b, n of each: the mean is the product of the sums divided by n; the variance
        is that of the mean given the terms, and the mean of the variance given them, which is the
        sum of squared deviations of a times that of b, divided by n - 1.
        """
        n = len(factors)
        total, squares = sum(factors), sum(factor**2 for factor in factors)
        of_terms = self.squares - (self.variance + self.mean**2) / n
        of_factors = squares - total**2 / n
        moved = max(0.0, of_terms * of_factors) / max(n - 1, 1)
        return Sum(
            self.mean * total / n,
            self.squares * squares / n,
            self.variance * (total / n) ** 2 + moved,
        )


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
    weights = _weights(release, data, weight)
    parts = _parts(release, tables, data, by, bins)
    history = release.manifest.get("history") or {}
    fakes = history.get("fakes", {}).get("groups", {})
    # By part, what is known of each of its groups.
    found: dict[str, list[Group]] = {}
    for group, cells in parts.groups.items():
        for label in {label for cell in cells for label, _ in cell}:
            shares = [sum(share for own, share in cell if own == label) for cell in cells]
            own = Group(
                numbers=numbers.groups[group],
                weights=weights.groups[group],
                shares=shares,
                blocks=(numbers.block, weights.block, parts.block),
                fakes=fakes.get(str(group), 0),
            )
            found.setdefault(label, []).append(own)
    figures = {label: _figures(groups) for label, groups in found.items()}
    labels = sorted((label for label in figures if figures[label] is not None), key=sorting)
    made: dict[str, list[Any]] = {} if by is None else {by: labels}
    known = [row for row in map(figures.get, labels) if row is not None]
    for place, name in enumerate(["rows", "mean", "standard_error"]):
        made[name] = [row[place] for row in known]
    return given(release, made)


@dataclass
class Group:
    """The people of a group: a number or none, a weight, and how much of a person is in the part."""

    numbers: list[float | None]
    weights: list[float]
    shares: list[float]
    #: Of numbers, weights and shares.
    blocks: tuple[str, str, str]
    #: Rows that are nobody's; which ones, nobody can say.
    fakes: int = 0

    def __post_init__(self) -> None:
        # All of it is in the part, is somebody's, and nobody weighs more than others: who goes with
        # whom does not matter.
        alike = set(self.shares) == {1.0} and len(set(self.weights)) == 1
        self.is_one = alike and self.fakes == 0

    def total(self, of: Callable[[float], float], weighted: bool = True) -> Sum:
        """The weighted sum of a function of the numbers of those who have one and are in the part."""
        numbers = [0.0 if number is None else of(number) for number in self.numbers]
        if self.is_one:
            heavy = self.weights[0] if weighted else 1.0
            return Sum(heavy * sum(numbers), heavy**2 * sum(x * x for x in numbers), 0.0)
        weights = self.weights if weighted else [1.0] * len(numbers)
        of_numbers, of_weights, of_shares = self.blocks
        by_block: dict[str, list[float]] = {of_shares: [1.0] * len(numbers)}
        for block, factors in [(of_numbers, numbers), (of_weights, weights)]:
            before = by_block.get(block, itertools.repeat(1.0))
            by_block[block] = [a * b for a, b in zip(before, factors, strict=False)]
        # Whether a row whose range a part divides is in it, is chance: as likely as its share.
        terms = list(zip(by_block.pop(of_shares), self.shares, strict=True))
        sums = Sum(
            sum(term * share for term, share in terms),
            sum(term**2 * share for term, share in terms),
            sum(term**2 * share * (1 - share) for term, share in terms),
        )
        if self.fakes > 0:
            by_block[PEOPLE] = [1.0] * (len(numbers) - self.fakes) + [0.0] * self.fakes
        for factors in by_block.values():
            sums = sums.with_block(factors)
        return sums


def _figures(groups: list[Group]) -> tuple[float, float, float] | None:
    """Rows, mean and standard error of a part; none where nobody has a number or weighs anything."""

    def added(of: Callable[[float], float], weighted: bool = True) -> float:
        return sum(own.total(of, weighted).mean for own in groups)

    heavy = added(lambda number: 1.0)
    if heavy <= 0:
        return None
    centre = added(lambda number: number) / heavy
    # The ratio moves as the sum of deviations from it does.
    moved = sum(own.total(lambda number: number - centre).variance for own in groups)
    return added(lambda number: 1.0, weighted=False), centre, math.sqrt(moved) / heavy


def _shown(
    release: Release, tables: Mapping[str, Any], data: Mapping[str, list[Any]], name: str
) -> Shown | None:
    """A column with a cell for everybody, if it is one."""
    column = column_of(release, name)
    if name in data:
        secret = SECRETS if column["role"] == "sensitive" else name
        block = secret if column.get("cells") == "sliced" else ROWS
        return Shown.of(block, data["group"], data[name])
    counted = tables.get(f"{release._main}-values")
    values = {} if counted is None else to_columns(counted)
    if name not in values:
        return None
    times = values["count"]
    groups = (group for group, count in zip(values["group"], times, strict=True) for _ in range(count))
    cells = (cell for cell, count in zip(values[name], times, strict=True) for _ in range(count))
    return Shown.of(SECRETS, groups, cells)


def _numbers(
    release: Release, tables: Mapping[str, Any], data: Mapping[str, list[Any]], column: str
) -> Shown:
    shown = _shown(release, tables, data, column)
    if shown is None:
        raise InputError(f"the cells of `{column}` are ranges: a mean needs values")

    def number(cell: Any) -> float | None:
        if isinstance(cell, (str, list)) or hasattr(cell, "isoformat"):
            raise InputError(f"the column `{column}` has no numbers: {cell!r}")
        return None if cell is None else float(cell)

    return shown.each(number)


def _weights(release: Release, data: Mapping[str, list[Any]], weight: str | None) -> Shown:
    if weight is None:
        return Shown.of(ROWS, data["group"], itertools.repeat(1.0))
    shown = _shown(release, {}, data, weight) if weight in data else None
    if shown is None:
        raise InputError(f"the weights `{weight}` do not stand in the rows of the release")
    return shown.each(lambda cell: float(cell or 0))


def _parts(
    release: Release,
    tables: Mapping[str, Any],
    data: Mapping[str, list[Any]],
    by: str | None,
    bins: Sequence[Any] | None,
) -> Shown:
    """To which parts everybody belongs: labels, each with a share."""
    if by is None:
        return Shown.of(ROWS, data["group"], itertools.repeat([(ALL, 1.0)]))
    column = column_of(release, by)
    shown = _shown(release, tables, data, by)
    sets = column.get("sets", False)
    if bins is None:
        if shown is None:
            raise InputError(f"the cells of `{by}` are intervals\n  help: cut them: `bins=[...]`")
        return shown.each(lambda cell: _members(cell, sets))
    if sets:
        raise InputError(f"the cells of `{by}` are sets of values\n  help: leave `bins` out")
    if "type" not in column:
        raise InputError(f"the column `{by}` has neither numbers nor dates that could be cut")
    borders = edges(bins)
    if shown is not None:
        cut = _cutter(borders, Spread(0 if column["type"] == "number" else 1))
        return shown.each(lambda cell: cut(cell, cell))
    ranges = list(zip(data[f"{by}_min"], data[f"{by}_max"], strict=True))
    cut = _cutter(borders, _spread(column["type"], set(ranges)))
    return Shown.of(ROWS, data["group"], itertools.starmap(cut, ranges))


@dataclass
class Spread:
    """Where the values of a range lie, as `query` has it."""

    #: How far values are apart; anywhere if 0.
    step: int
    #: All that there are, where that is known.
    points: list[float] | None = None
    #: The least that is not missing.
    least: float = math.inf

    def missing(self, least: float, most: float) -> float:
        """How much of a row is missing whose range begins at a missing value."""
        if self.points is not None:
            others = bisect_right(self.points, most) - bisect_left(self.points, least)
            return 1 / (others + 1)
        return 1 / (most - least + 2) if self.step else 0.5

    def inside(self, least: float, most: float, pairs: list[tuple[float, float]]) -> list[float]:
        """The shares of a range that lie between borders."""
        if self.points is not None:
            known = self.points[bisect_left(self.points, least) : bisect_right(self.points, most)]
            found = [sum(start <= point < end for point in known) for start, end in pairs]
            return [count / max(len(known), 1) for count in found]
        width = most + self.step - least
        if width <= 0:
            return [float(start <= least < end) for start, end in pairs]
        overlaps = [min(most + self.step, end) - max(least, start) for start, end in pairs]
        return [max(0.0, overlap) / width for overlap in overlaps]


def _spread(value_type: str, ranges: set[tuple[Any, Any]]) -> Spread:
    """Every whole number or day; of numbers the ends of ranges, if each comes up twice on average;
    or anywhere."""
    places = [
        (None if low is None else _place(low), _place(high))
        for low, high in ranges
        if high is not None
    ]
    least = min((high if low is None else low for low, high in places), default=math.inf)
    if value_type != "number":
        return Spread(1, least=least)
    ends = [
        end
        for low, high in places
        for end in ([high] if low is None or low == high else [low, high])
    ]
    points = sorted(set(ends))
    if 2 * len(points) <= len(ends):
        return Spread(0, points, least)
    return Spread(int(all(point.is_integer() for point in points)), least=least)


def _members(cell: Any, sets: bool) -> list[tuple[str, float]]:
    """A row is as likely any of the values that its cell covers; of a person with several, all."""
    covered = cell if isinstance(cell, list) else [MISSING if cell is None else str(cell)]
    if sets and not isinstance(cell, list):
        covered = members(covered[0])
    return [(member or MISSING, 1.0 if sets else 1 / len(covered)) for member in covered]


def _cutter(
    borders: Sequence[Any], spread: Spread
) -> Callable[[Any, Any], list[tuple[str, float]]]:
    """In which parts a range lies: labels, each with a share."""
    pairs = list(itertools.pairwise([_place(edge) for edge in borders]))
    labels = [f"[{start}, {end})" for start, end in itertools.pairwise(borders)]

    def cut(low: Any, high: Any) -> list[tuple[str, float]]:
        if high is None:
            return [(MISSING, 1.0)]
        most = _place(high)
        # A range from a missing value on does not say where others start.
        least = min(spread.least, most) if low is None else _place(low)
        missing = spread.missing(least, most) if low is None else 0.0
        inside = spread.inside(least, most, pairs)
        parts = [(label, (1 - missing) * share) for label, share in zip(labels, inside, strict=True)]
        return [part for part in [(MISSING, missing), *parts] if part[1] > 0]

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
