"""New values in the form in which a release shows the values of a column."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from . import _openveil
from ._errors import InputError

#: A day, or the midnight with which it begins.
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(T00:00:00(\.0+)?)?")

#: Periods that a release writes as texts.
_PERIODS = {"month": re.compile(r"-?[0-9]+-[0-9]{2}"), "quarter": re.compile(r"-?[0-9]+-Q[1-4]")}


def shown(table: _openveil.Table, column: Mapping[str, Any]) -> list[float | str | None]:
    """Returns the cells of a column as a release would show them; None for a missing value.

    Numbers and days (since 1970) are numbers, other values are texts. Numbers are brought to ``top``, ``bottom``
    and the width of the ``floor``, dates to its period, texts to its first characters. The manifest does not say
    which label of a hierarchy a value has, nor which ZIP codes are grouped, so these stay as given.

    :param column: The entry of the column in the release's manifest.
    :raises InputError: If a value is not of the column's type.
    """
    name = column["name"]
    codes, texts = table.codes(name)
    kind = table.types[table.columns.index(name)]
    values = [None if text == "" else _shown(text, kind, column) for text in texts]
    return [values[code] for code in memoryview(codes).cast("I")]


def _shown(text: str, kind: str, column: Mapping[str, Any]) -> float | str:
    # A floor without a parameter is a text.
    floor = column.get("floor")
    floor = floor if isinstance(floor, Mapping) else {}
    period = floor.get("period")
    if period is not None:
        return _limited(_year(text, column), column) if period == "year" else _period(text, period, column)
    own_type = column.get("type", "text")
    if own_type == "date":
        return float((_day(text, column) - datetime.date(1970, 1, 1)).days)
    if own_type in ("integer", "number"):
        number = _number(text, column)
        if "width" in floor and math.isfinite(number):
            # Decimals, as publishing counts: as floats, 0.3 is less than three times 0.1.
            width = Fraction(floor["width"])
            number = float(Fraction(repr(number)) // width * width)
        return _limited(number, column)
    if "characters" in floor:
        if kind in ("integer", "number"):
            raise _refused(column, f"`{text}` is a number, and may have lost zeros at its beginning", "give texts")
        return text[: floor["characters"]]
    return text


def _number(text: str, column: Mapping[str, Any]) -> float:
    try:
        return float(text)
    except ValueError:
        raise _refused(column, f"`{text}` is not a number", "give numbers") from None


def _limited(number: float, column: Mapping[str, Any]) -> float:
    """Returns a number within the column's limits."""
    if "top" in column:
        number = min(number, float(column["top"]))
    return max(number, float(column["bottom"])) if "bottom" in column else number


def _day(text: str, column: Mapping[str, Any]) -> datetime.date:
    found = _DAY.fullmatch(text)
    try:
        return datetime.date.fromisoformat(found[1] if found else "")
    except ValueError:
        remedy = "give dates without a time, or texts such as 2020-03-31"
        raise _refused(column, f"`{text}` is not a date", remedy) from None


def _year(text: str, column: Mapping[str, Any]) -> float:
    """Returns the year of a date, or a year as it is."""
    try:
        return float(text)
    except ValueError:
        return float(_day(text, column).year)


def _period(text: str, period: str, column: Mapping[str, Any]) -> str:
    """Returns the period of a date, or a period as it is."""
    if _PERIODS[period].fullmatch(text):
        return text
    day = _day(text, column)
    return f"{day.year:04}-{day.month:02}" if period == "month" else f"{day.year:04}-Q{(day.month - 1) // 3 + 1}"


def _refused(column: Mapping[str, Any], why: str, remedy: str) -> InputError:
    error = InputError(f"column `{column['name']}`: {why}\n  help: {remedy}")
    error.column = column["name"]
    return error
