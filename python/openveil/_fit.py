"""Regressions of a release, and their printed form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from ._documents import Document
from ._frames import Give, of_lists

#: The key of a coefficient: a term, or in a logit a value of the secret column and a term.
Key: TypeAlias = Any


class Text(str):
    """A text that a console shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Fit:
    """A regression of the secret column of a release on known columns.

    Coefficients are named by their term. In a multinomial logit they are named by the value of the secret
    column and the term: ``fit.params["nurse", "age"]`` is a log odds ratio against the value ``baseline``.
    """

    def __init__(self, made: Document, give: Give) -> None:
        self._give = give
        #: The document of the command ``openveil fit``.
        self.document = made
        self.formula: str = made["formula"]
        #: ``multinomial-logit`` or ``linear``.
        self.kind: str = made["kind"]
        #: In a logit, the value that the others are compared with.
        self.baseline: str | None = made.get("baseline")
        #: Notes for the reader.
        self.notes: list[str] = list(made.get("notes", []))

    def _by_key(self, name: str) -> dict[Key, Any]:
        made = self.document["coefficients"]
        return {(own["value"], own["term"]) if "value" in own else own["term"]: own[name] for own in made}

    @property
    def params(self) -> dict[Key, float]:
        """The coefficients."""
        return self._by_key("estimate")

    @property
    def std_errors(self) -> dict[Key, float]:
        """Their standard errors: from sampling as many people as the table has, and from the release."""
        return self._by_key("std_error")

    def conf_int(self) -> dict[Key, tuple[float, float]]:
        """Their 95 % intervals."""
        return {key: (low, high) for key, (low, high) in self._by_key("interval").items()}

    @property
    def table(self) -> Any:
        """The coefficients as the kind of table that was given."""
        made = self.document["coefficients"]
        columns: dict[str, list[Any]] = {}
        if self.baseline is not None:
            columns["value"] = [own["value"] for own in made]
        columns["term"] = [own["term"] for own in made]
        columns["estimate"] = [own["estimate"] for own in made]
        columns["std_error"] = [own["std_error"] for own in made]
        columns["low"] = [own["interval"][0] for own in made]
        columns["high"] = [own["interval"][1] for own in made]
        columns["method"] = [own["method"] for own in made]
        return of_lists(self._give, columns)

    def summary(self) -> Text:
        """Returns the regression as a table of text."""
        document = self.document
        facts = {
            "Formula": self.formula,
            "Model": self.kind.replace("-", " "),
            "Rows": f"{document['rows']:,}",
            "Groups": f"{document['groups']:,}",
        }
        if self.baseline is not None:
            facts["Baseline"] = self.baseline
        notes = ["Standard errors contain the sampling error of people (for a sample as large as the table) and the error of the release."]
        return text_table(
            facts, self.params, self.std_errors, self.conf_int(), [*notes, *self.notes]
        )

    def __repr__(self) -> str:
        made = self.document
        return (
            f"<openveil.Fit: {self.kind.replace('-', ' ')} of {self.formula}, {made['rows']:,} rows in"
            f" {made['groups']:,} groups; see .summary()>"
        )


def text_table(
    facts: Mapping[str, str],
    params: Mapping[Key, float],
    errors: Mapping[Key, float],
    intervals: Mapping[Key, tuple[float, float]],
    notes: list[str],
    more: Mapping[str, Mapping[Key, float]] | None = None,
) -> Text:
    """Returns coefficients as statsmodels prints them: a block for each value of the outcome."""
    header = ["", "coef", "std err", "z", "P>|z|", "[0.025", "0.975]", *(more or {})]
    blocks: dict[Any, list[list[str]]] = {}
    for key, estimate in params.items():
        value, term = key if isinstance(key, tuple) else (None, key)
        ratio = estimate / errors[key] if errors[key] > 0 else math.nan
        # Derived from the interval's width, so that test and interval agree about zero.
        half = (intervals[key][1] - intervals[key][0]) / 2
        chance = math.erfc(1.96 * abs(estimate) / half / math.sqrt(2)) if half > 0 else math.nan
        figures = [estimate, errors[key], ratio, chance, *intervals[key]]
        figures += [own[key] for own in (more or {}).values()]
        cells = [f"{figure:.4f}" if at < 2 else f"{figure:.3f}" for at, figure in enumerate(figures)]
        blocks.setdefault(value, [header]).append([str(term), *cells])
    rows = [row for block in blocks.values() for row in block]
    first = max(len(name) for name in [*(row[0] for row in rows), *map(str, blocks)])
    widths = [max(len(row[at]) for row in rows) + 3 for at in range(1, len(header))]
    width = first + sum(widths)

    def line(row: list[str]) -> str:
        cells = (cell.rjust(own) for cell, own in zip(row[1:], widths, strict=True))
        return row[0].ljust(first) + "".join(cells)

    longest = max(map(len, facts)) + 1
    lines = ["=" * width, *(f"{name + ':':<{longest}}  {fact}" for name, fact in facts.items())]
    for value, block in blocks.items():
        named = [["" if value is None else str(value), *header[1:]], *block[1:]]
        lines += ["-" * width, *map(line, named)]
    return Text("\n".join([*lines, "=" * width, *notes]))
