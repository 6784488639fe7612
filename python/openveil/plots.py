"""Plots of a release, by matplotlib.

    from openveil import plots
    plots.learned(release)
    plots.intervals(release.crosstab("job"))
    plots.column(release, "age", people, bins=[0, 30, 60, 100])

Each function draws on ``ax``, or on new axes, and returns the axes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ._analysis import FIGURES
from ._frames import TableLike, take, to_columns
from ._errors import InputError
from ._release import Release

__all__ = ["column", "intervals", "learned"]


def learned(release: Release, *, ax: Any = None) -> Any:
    """Draws how often a reader who learns from the release guesses a secret value right, in percent.

    Bars are the three numbers of the report: people in the table, people like them outside, and the
    difference, which is due to the release. A line shows how often the most frequent value is right.

    :raises InputError: If the release does not have these numbers, or matplotlib is not installed.
    """
    found = release.utility().get("learned") or []
    if not found:
        raise InputError(
            "the release does not say how often a reader guesses right: it is too large, has too few groups, or"
            " no known columns"
        )
    ax = _axes(ax)
    # Earlier versions did not measure the share outside.
    outside = [own.get("outside") for own in found]
    shares = {
        "in the table": [own["believed"] for own in found],
        "outside": outside,
        "difference": [None if share is None else max(own["believed"] - share, 0.0) for own, share in zip(found, outside, strict=True)],
    }
    width = 0.8 / len(shares)
    for at, (label, values) in enumerate(shares.items()):
        places = [number + (at - 1) * width for number, share in enumerate(values) if share is not None]
        bars = ax.bar(places, [100 * share for share in values if share is not None], width, label=label)
        ax.bar_label(bars, fmt="%.1f")
    for number, own in enumerate(found):
        if own.get("most_frequent") is not None:
            ends = [number - 0.4, number + 0.4]
            line = ax.plot(ends, [100 * own["most_frequent"]] * 2, "k--", linewidth=1)[0]
            line.set_label("most frequent value" if number == 0 else None)
    ax.set_xticks(range(len(found)), [own["sensitive"] for own in found])
    ax.set(ylabel="guessed right, %", ylim=(0, None))
    ax.legend()
    return ax


def intervals(table: TableLike, *, ax: Any = None) -> Any:
    """Draws the estimates of a table with their 95 % intervals: a row for each combination of values.

    :param table: The result of :meth:`Release.crosstab`, :meth:`Release.mean`, :meth:`Release.quantile`
        or :meth:`Release.count`.
    :raises InputError: If the table has no intervals, or matplotlib is not installed.
    """
    columns = to_columns(take(table)[0])
    lacks = [name for name in ("estimate", "low", "high") if name not in columns]
    if lacks:
        raise InputError(
            f"the table has no column `{lacks[0]}`\n  help: pass the result of `Release.crosstab` without `min` and `round`"
        )
    ax = _axes(ax)
    names = [name for name in columns if name not in FIGURES]
    labels = [", ".join(map(str, row)) for row in zip(*(columns[name] for name in names), strict=True)] if names else [""]
    _whiskers(ax, columns, range(len(labels)))
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set(xlabel="estimate, 95 % interval", ylabel=", ".join(names))
    return ax


def column(
    release: Release,
    name: str,
    table: TableLike | None = None,
    *,
    bins: Sequence[float] | None = None,
    ax: Any = None,
) -> Any:
    """Draws how often each value of a column occurs: by the release, and in the table that it was made from.

    :param name: A column of the release.
    :param table: The table. The plot then is for the owner only: it shows true counts.
    :param bins: Borders that cut a column of numbers, as in :meth:`Release.crosstab`.
    :raises InputError: If the column is not in both, or matplotlib is not installed.
    """
    columns = to_columns(take(release.crosstab(name, bins=None if bins is None else {name: bins}))[0])
    labels = [str(value) for value in columns[name]]
    ax = _axes(ax)
    if table is not None:
        given = to_columns(take(table)[0])
        if name not in given:
            raise InputError(f"the table has no column `{name}`")
        counts = Counter(_label(value, bins) for value in given[name])
        labels += sorted(value for value in counts if value is not None and value not in labels)
        ax.barh(range(len(labels)), [counts[label] for label in labels], color="0.8", label="table")
    _whiskers(ax, columns, range(len(columns[name])), label="release")
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set(xlabel="people", ylabel=name)
    ax.legend()
    return ax


def _label(value: Any, bins: Sequence[float] | None) -> str | None:
    """Returns the label that a value has in a cross-table: itself, or its interval."""
    if value is None or bins is None:
        return None if value is None else str(value)
    at = bisect_right(bins, value)
    return f"[{bins[at - 1]}, {bins[at]})" if 0 < at < len(bins) else None


def _whiskers(ax: Any, columns: dict[str, list[Any]], places: Sequence[int], label: str | None = None) -> None:
    estimates = columns["estimate"]
    low = [own - end for own, end in zip(estimates, columns["low"], strict=True)]
    high = [end - own for own, end in zip(estimates, columns["high"], strict=True)]
    # matplotlib refuses negative lengths, which the rounding of floats can make.
    errors = [[max(side, 0.0) for side in sides] for sides in (low, high)]
    ax.errorbar(estimates, places, xerr=errors, fmt="o", capsize=3, label=label)


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError("plots need matplotlib, which is not installed\n  help: `pip install matplotlib`") from None
    return pyplot.subplots(layout="constrained")[1]
