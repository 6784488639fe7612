"""Counts, means and quantiles of a release by the values of columns: what Rust answers, as tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _openveil
from ._openveil import InputError
from ._warnings import warn

if TYPE_CHECKING:
    from ._release import Release

#: Columns by which a table is made: the name of one, or several.
By: TypeAlias = str | Sequence[str] | None

#: Where columns of numbers or dates are cut: the borders, by column.
Bins: TypeAlias = Mapping[str, Sequence[Any]] | None

#: What is said of each cell.
FIGURES = ["estimate", "low", "high", "method", "deal_error"]


def table(
    release: Release,
    by: By,
    where: str | None,
    statistic: tuple[str, float | None] | None,
    bins: Bins,
    worlds: int,
    seed: int,
) -> Any:
    """A table of estimates, a row for each combination of values."""
    names = [] if by is None else [by] if isinstance(by, str) else list(by)
    taken = [name for name in names if name in FIGURES]
    if taken:
        raise InputError(
            f"a column is called `{taken[0]}`, as a figure of the table is"
            "\n  help: ask for each of its values by `where`"
        )
    if bins is not None and not isinstance(bins, Mapping):
        raise InputError("`bins` are by column: `bins={'age': [0, 30, 60]}`")
    cut = [(name, _conditions(name, own)) for name, own in (bins or {}).items()]
    for name, _ in cut:
        if name not in names:
            raise InputError(
                f"`bins` cut `{name}`, and no row is made by it\n  help: name it in `by`, too"
            )
    made, notes = release._native.crosstab(
        names, where, statistic, cut, **effort(worlds, seed)
    )
    warn(notes, stacklevel=3)
    return release._give(made)


def effort(worlds: int, seed: int) -> dict[str, int]:
    """How much work goes into a fit."""
    from ._release import checked_seed

    if worlds < 0:
        raise InputError(f"{worlds} worlds cannot be made\n  help: say 8, or 0 for none")
    return {"worlds": worlds, "seed": checked_seed(seed) or 0}


def _conditions(name: str, bins: Sequence[Any]) -> list[tuple[str, str]]:
    """The labels of bins, each with its condition."""
    edges = list(bins) if not isinstance(bins, (str, Mapping)) else []
    pairs = list(itertools.pairwise(edges))
    if not pairs or any(low >= high for low, high in pairs):
        raise InputError("bins are at least two borders in ascending order: `[0, 30, 60]`")
    # Conditions know no escapes, but two kinds of quotes.
    quote = "'" if '"' in name else '"'
    own = f"{quote}{name}{quote}"
    return [(f"[{low}, {high})", f"{own} >= {low} and {own} < {high}") for low, high in pairs]


def single(release: Release, answer: Mapping[str, Any]) -> Any:
    """One figure, as a table of one row."""
    from ._frames import of_lists

    warn(answer.get("notes", []), stacklevel=3)
    low, high = answer["interval"]
    row = [answer["estimate"], low, high, answer["method"], answer.get("deal_error")]
    return of_lists(release._give, {name: [cell] for name, cell in zip(FIGURES, row, strict=True)})


def with_free_names(made: _openveil.Table, names: Sequence[str]) -> _openveil.Table:
    """The table, unless a column of the release is called as one that was added."""
    for name in names:
        if made.columns.count(name) > 1:
            raise InputError(
                f"a column of the release is called `{name}`, as one of this table is"
                "\n  help: use `samples`, whose tables have the columns of the release only"
            )
    return made
