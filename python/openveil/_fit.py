"""Regressions of a release, and their printed form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

from . import _html
from ._documents import Document
from ._errors import InputError, InputTypeError
from ._frames import Give, TableLike, is_path, of_lists, take, to_columns
from ._pickle import giver, kind_of
from ._shown import shown

#: The key of a coefficient: a term, or in a logit a value of the secret column and a term.
Key: TypeAlias = Any

#: The columns of a term, each with the value that it is about; None for a column of numbers.
Term: TypeAlias = "list[tuple[str, str | None]]"

#: The text of a missing value in a release with ``missing="keep"``.
_MISSING = "(missing)"


class Text(str):
    """A text that a console shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Wald(NamedTuple):
    """A test that some contrasts of coefficients are all zero."""

    #: The estimate of each contrast, and its standard error.
    estimates: list[float]
    std_errors: list[float]
    #: The statistic, which has a chi-squared distribution with ``freedom`` degrees if they are zero.
    statistic: float
    freedom: int
    p_value: float


class Fit:
    """A regression of the secret column of a release on known columns.

    Coefficients are named by their term. In a multinomial logit they are named by the value of the secret
    column and the term: ``fit.params["nurse", "age"]`` is a log odds ratio against the value ``baseline``.
    """

    def __init__(
        self, made: Document, covariance: list[float], terms: list[Term], columns: list[Document], give: Give
    ) -> None:
        self._give = give
        # The manifest's columns say how new values are brought to the form of the published ones.
        self._columns = columns
        self._covariance = covariance
        self._terms = terms
        #: The document of the command ``openveil fit``.
        self.document = made
        self.formula: str = made["formula"]
        #: ``multinomial-logit`` or ``linear``.
        self.kind: str = made["kind"]
        #: In a logit, the value that the others are compared with.
        self.baseline: str | None = made.get("baseline")
        #: For each known column of the formula, whether the release shows its association: ``usable``,
        #: ``with care`` or ``do not cross``.
        self.check: dict[str, str] = {own["column"]: own["verdict"] for own in made.get("check", [])}
        #: How many people the release has.
        self.nobs: int = made["rows"]
        #: Notes for the reader.
        self.notes: list[str] = list(made.get("notes", []))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.document, self._covariance, self._terms, self._columns, kind_of(self._give))

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

    @property
    def bse(self) -> dict[Key, float]:
        """:attr:`std_errors` under the name that statsmodels has."""
        return self.std_errors

    def conf_int(self, alpha: float = 0.05) -> dict[Key, tuple[float, float]]:
        """Returns their intervals with probability 1 - ``alpha``: those of 95 %, scaled as for a normal error."""
        quantile = NormalDist().inv_cdf
        scale = quantile(1 - checked_alpha(alpha) / 2) / quantile(0.975)
        intervals = self._by_key("interval")
        return {
            key: (own + scale * (intervals[key][0] - own), own + scale * (intervals[key][1] - own))
            for key, own in self.params.items()
        }

    @property
    def pvalues(self) -> dict[Key, float]:
        """For each coefficient, the p-value of the test that it is zero. It agrees with the 95 % interval."""
        intervals = self._by_key("interval")
        return {key: _p_value(own, intervals[key]) for key, own in self.params.items()}

    def cov_params(self) -> dict[Key, dict[Key, float]]:
        """Returns the covariances of the coefficients, by two names."""
        keys = list(self.params)
        size = len(keys)
        return {
            key: dict(zip(keys, self._covariance[at * size : (at + 1) * size], strict=True)) for at, key in enumerate(keys)
        }

    def wald_test(self, contrasts: Key | Mapping[Key, float] | Sequence[Key | Mapping[Key, float]]) -> Wald:
        """Tests that contrasts of coefficients are zero, all of them together.

        :param contrasts: The name of a coefficient, weights by name (``{"sex=f": 1, "sex=m": -1}``), or a
            list of these.
        :raises InputError: If a name is unknown, or a contrast follows from the others.
        """
        several = contrasts if isinstance(contrasts, list) else [contrasts]
        rows = [own if isinstance(own, Mapping) else {own: 1.0} for own in several]
        params, covariance = self.params, self.cov_params()
        for key in (key for row in rows for key in row):
            if key not in params:
                raise InputError(f"the fit has no coefficient {key!r}\n  help: these are {', '.join(map(str, params))}")
        estimates = [sum(weight * params[key] for key, weight in row.items()) for row in rows]
        matrix = [
            [sum(a * b * covariance[one][two] for one, a in left.items() for two, b in right.items()) for right in rows]
            for left in rows
        ]
        errors = [math.sqrt(max(matrix[at][at], 0.0)) for at in range(len(rows))]
        solved = _solve(matrix, estimates)
        statistic = sum(own * by for own, by in zip(estimates, solved, strict=True))
        return Wald(estimates, errors, statistic, len(rows), chi_squared_tail(statistic, len(rows)))

    def predict(self, table: TableLike) -> Any:
        """Returns what the regression expects for rows with given known columns.

        For a linear regression this is a list of means. For a logit it is a table with a column for each value of the
        secret column, the baseline first: the chance of the value. Rows with a missing value are not a number.

        Values are brought to the form in which the release shows them (``top``, ``bottom``, ``floor``). Labels of a
        hierarchy must be given as the release shows them.

        :param table: A table with the known columns of the formula: of any package, or a ``dict`` of lists.
        :raises InputError: If a column is missing, a value is not of the type of its column, or no row of the
            release has a value.
        """
        if is_path(table):
            raise InputTypeError("`predict` takes a table, not a path\n  help: read the file with pandas or polars")
        native = take(table)[0]
        if not native.columns:
            raise InputError("the table has no columns")
        rows = len(native)
        names = {name for term in self._terms for name, _ in term}
        columns = {own["name"]: shown(native, own) for own in self._columns if own["name"] in names.intersection(native.columns)}
        linear: dict[str | None, list[float]] = {}
        for own, term in zip(self.document["coefficients"], self._terms, strict=True):
            sums = linear.setdefault(own.get("value"), [0.0] * rows)
            parts = [self._part(columns, name, value) for name, value in term]
            for row in range(rows):
                sums[row] += own["estimate"] * math.prod(part[row] for part in parts)
        if self.baseline is None:
            return linear[None]
        links = {self.baseline: [0.0] * rows, **linear}
        # The largest is subtracted first, against overflow.
        largest = [max(row) for row in zip(*links.values(), strict=True)]
        odds = {str(value): [math.exp(a - b) for a, b in zip(own, largest, strict=True)] for value, own in links.items()}
        sums = [sum(row) for row in zip(*odds.values(), strict=True)]
        chances = {value: [a / b for a, b in zip(own, sums, strict=True)] for value, own in odds.items()}
        return of_lists(self._give, chances)

    def _part(self, columns: dict[str, list[float | str | None]], name: str, value: str | None) -> list[float]:
        """Returns a column's part of a term: its numbers, or whether it has a value."""
        if name not in columns:
            raise InputError(f"the table has no column `{name}`\n  help: it needs the known columns of `{self.formula}`")
        if value is None:
            return [math.nan if cell is None else float(cell) for cell in columns[name]]
        levels = next(own["values"] for own in self.document["levels"] if own["column"] == name)
        missing = _MISSING if _MISSING in levels else None
        cells = [missing if cell is None else cell for cell in columns[name]]
        unknown = next((cell for cell in cells if cell is not None and cell not in levels), None)
        if unknown is not None:
            error = InputError(
                f"column `{name}`: no row of the release has `{unknown}`"
                f"\n  help: give the values as the release shows them: {', '.join(map(str, levels))}"
            )
            error.column = name
            raise error
        return [math.nan if cell is None else float(cell == value) for cell in cells]

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
        return self._coefficients().text()

    def _repr_html_(self) -> str:
        return self._coefficients().html(f"Fit of {self.formula}")

    def _coefficients(self) -> Coefficients:
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
        return coefficients(
            facts, self.params, self.std_errors, self.conf_int(), [*notes, *self.notes]
        )

    def __repr__(self) -> str:
        made = self.document
        return (
            f"<openveil.Fit: {self.kind.replace('-', ' ')} of {self.formula}, {made['rows']:,} rows in"
            f" {made['groups']:,} groups; see .summary()>"
        )


def _unpickled(
    made: Document, covariance: list[float], terms: list[Term], columns: list[Document], kind: str | None
) -> Fit:
    return Fit(made, covariance, terms, columns, giver(kind) or to_columns)


def checked_alpha(alpha: float) -> float:
    """Returns alpha if an interval can miss with this chance."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha is {alpha}\n  help: use a number between 0 and 1, such as 0.05")
    return alpha


def _p_value(estimate: float, interval: tuple[float, float]) -> float:
    """Returns a p-value from the interval's width, so that test and interval agree about zero."""
    half = (interval[1] - interval[0]) / 2
    return math.erfc(1.96 * abs(estimate) / half / math.sqrt(2)) if half > 0 else math.nan


def chi_squared_tail(statistic: float, freedom: int) -> float:
    """Returns the chance that a chi-squared variable exceeds a statistic."""
    half = max(statistic, 0.0) / 2
    tail = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half)
    for degrees in range(freedom % 2 or 2, freedom, 2):
        # Raises the degrees of freedom by two.
        tail += math.exp(degrees / 2 * math.log(half) - half - math.lgamma(degrees / 2 + 1)) if half > 0 else 0.0
    return min(tail, 1.0)


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solves linear equations by elimination with pivots."""
    rows = [[*row, own] for row, own in zip(matrix, right, strict=True)]
    size = len(rows)
    scale = max(abs(rows[at][at]) for at in range(size))
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        if abs(rows[at][at]) <= 1e-12 * scale:
            raise InputError("a contrast follows from the others\n  help: leave it out")
        for row in range(size):
            if row != at:
                factor = rows[row][at] / rows[at][at]
                rows[row] = [own - factor * by for own, by in zip(rows[row], rows[at], strict=True)]
    return [rows[at][size] / rows[at][at] for at in range(size)]


class Coefficients(NamedTuple):
    """Coefficients as statsmodels prints them: facts, a block for each value of the outcome, and notes."""

    facts: Mapping[str, str]
    head: list[str]
    blocks: dict[str, list[list[str]]]
    notes: list[str]

    def text(self) -> Text:
        """Returns them as a table of text."""
        rows = [["", *self.head], *(row for block in self.blocks.values() for row in block)]
        first = max(len(name) for name in [*(row[0] for row in rows), *self.blocks])
        widths = [max(len(row[at]) for row in rows) + 3 for at in range(1, len(rows[0]))]
        width = first + sum(widths)

        def line(row: list[str]) -> str:
            cells = (cell.rjust(own) for cell, own in zip(row[1:], widths, strict=True))
            return row[0].ljust(first) + "".join(cells)

        longest = max(map(len, self.facts)) + 1
        lines = ["=" * width, *(f"{name + ':':<{longest}}  {fact}" for name, fact in self.facts.items())]
        for value, block in self.blocks.items():
            lines += ["-" * width, *map(line, [[value, *self.head], *block])]
        return Text("\n".join([*lines, "=" * width, *self.notes]))

    def html(self, heading: str) -> str:
        """Returns them as HTML."""
        tables = (_html.table(block, [value, *self.head]) for value, block in self.blocks.items())
        return _html.block(heading, self.notes, _html.table(self.facts.items()), *tables)


def coefficients(
    facts: Mapping[str, str],
    params: Mapping[Key, float],
    errors: Mapping[Key, float],
    intervals: Mapping[Key, tuple[float, float]],
    notes: list[str],
    more: Mapping[str, Mapping[Key, float]] | None = None,
) -> Coefficients:
    """Returns coefficients with errors, tests and intervals as texts."""
    blocks: dict[str, list[list[str]]] = {}
    for key, estimate in params.items():
        value, term = key if isinstance(key, tuple) else ("", key)
        ratio = estimate / errors[key] if errors[key] > 0 else math.nan
        figures = [estimate, errors[key], ratio, _p_value(estimate, intervals[key]), *intervals[key]]
        figures += [own[key] for own in (more or {}).values()]
        cells = [f"{figure:.4f}" if at < 2 else f"{figure:.3f}" for at, figure in enumerate(figures)]
        blocks.setdefault(str(value), []).append([str(term), *cells])
    head = ["coef", "std err", "z", "P>|z|", "[0.025", "0.975]", *(more or {})]
    return Coefficients(facts, head, blocks, notes)
