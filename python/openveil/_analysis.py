"""Counts, means and quantiles of a release by the values of columns, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from . import _html
from ._errors import InputError, InputTypeError
from ._warnings import warn

if TYPE_CHECKING:
    from ._release import Release

#: Columns by which a table is made: the name of one, or several.
By: TypeAlias = str | Sequence[str] | None

# : Borders that cut columns of numbers or dates, by column.
Bins: TypeAlias = Mapping[str, Sequence[Any]] | None

# : The columns of figures in each table of estimates.
FIGURES = ["estimate", "low", "high", "method", "deal_error"]


def table(
    release: Release,
    by: By,
    where: str | None,
    statistic: tuple[str, float | None] | None,
    bins: Bins,
    weight: str | None,
    worlds: int,
    seed: int,
    rounding: tuple[int | None, int | None] = (None, None),
) -> Any:
    """Returns a table of estimates, a row for each combination of values."""
    names = [] if by is None else [by] if isinstance(by, str) else list(by)
    if bins is not None and not isinstance(bins, Mapping):
        raise InputTypeError("`bins` takes a dict of columns: `bins={'age': [0, 30, 60]}`")
    cut = [(name, [] if isinstance(own, str) else [str(border) for border in own]) for name, own in (bins or {}).items()]
    made, _, notes = release._native.crosstab(
        names, where, statistic, cut, weight, rounded(*rounding), **effort(worlds, seed)
    )
    warn(notes, stacklevel=3)
    return _shown(release._give(made))


class Figures(dict[str, list[Any]]):
    """Lists by the name of the column, which notebooks show as a table. Frames of other packages show themselves."""

    def _repr_html_(self) -> str:
        rows = zip(*self.values(), strict=True)
        return _html.table(([_cell(cell) for cell in row] for row in rows), list(self))


def _shown(made: Any) -> Any:
    return Figures(made) if type(made) is dict else made


def _cell(cell: Any) -> str:
    return "" if cell is None else f"{cell:.5g}" if isinstance(cell, float) else str(cell)


def rounded(least: int | None, base: int | None) -> tuple[int, int] | None:
    """Returns the rule for counts in print, if there is one."""
    for name, given in (("min", least), ("round", base)):
        if given is not None and given < 0:
            raise InputError(f"`{name}` is {given}\n  help: write a whole number from 0 on")
    if least is None and base is None:
        return None
    return (least or 0, 1 if base is None else base)


class Effort(TypedDict):
    """The work of a fit."""

    worlds: int
    seed: int


def effort(worlds: int, seed: int) -> Effort:
    """Returns the number of worlds and the seed of a fit, checked."""
    from ._release import checked_seed

    if worlds < 0:
        raise InputError(f"{worlds} worlds cannot be made\n  help: use 8, or 0 for none")
    return {"worlds": worlds, "seed": checked_seed(seed) or 0}


def single(release: Release, answer: Mapping[str, Any]) -> Any:
    """Returns one figure as a table of one row."""
    from ._frames import of_lists

    warn(answer.get("notes", []), stacklevel=3)
    low, high = answer["interval"]
    row = [answer["estimate"], low, high, answer["method"], answer.get("deal_error")]
    return _shown(of_lists(release._give, {name: [cell] for name, cell in zip(FIGURES, row, strict=True)}))
