"""Rubin's rules: one result from the same analysis of several completed tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist, fmean, variance
from typing import Any

from ._fit import Coefficients, Key, Text, checked_alpha, coefficients
from ._errors import InputError


class Pooled:
    """Estimates from several completed tables, combined by Rubin's rules.

    Each attribute is by the name of the coefficient: ``params``, ``std_errors``, ``freedom`` (degrees of
    freedom) and ``missing_information`` (the fraction of the information that the completed tables lack).
    """

    def __init__(self, fits: int) -> None:
        #: How many tables were analysed.
        self.fits = fits
        self.params: dict[Key, float] = {}
        self.std_errors: dict[Key, float] = {}
        self.freedom: dict[Key, float] = {}
        #: NaN if fits have no standard errors.
        self.missing_information: dict[Key, float] = {}

    def conf_int(self, alpha: float = 0.05) -> dict[Key, tuple[float, float]]:
        """Returns the intervals that contain the coefficients with probability 1 - ``alpha``."""
        share = 1 - checked_alpha(alpha) / 2
        found = {}
        for key, estimate in self.params.items():
            half = student(share, self.freedom[key]) * self.std_errors[key]
            found[key] = (estimate - half, estimate + half)
        return found

    def summary(self) -> Text:
        """Returns the coefficients as a table of text."""
        return self._coefficients().text()

    def _repr_html_(self) -> str:
        return self._coefficients().html("Pooled coefficients")

    def _coefficients(self) -> Coefficients:
        notes = []
        if any(map(math.isnan, self.missing_information.values())):
            notes.append(
                "The fits have no standard errors: intervals contain only the differences between the"
                " completed tables, not the sampling error."
            )
        more = {"missing": self.missing_information}
        facts = {"Model": f"{self.fits} completed tables, combined by Rubin's rules"}
        return coefficients(facts, self.params, self.std_errors, self.conf_int(), notes, more)

    def __repr__(self) -> str:
        return f"<openveil.Pooled: {len(self.params)} coefficients of {self.fits} fits; see .summary()>"


def pool(fits: Iterable[Any]) -> Pooled:
    """Returns the combined result of the same analysis of several completed tables.

    :param fits: One fit for each table of :meth:`Release.samples`:

        - results of statsmodels (``params`` with ``bse`` or ``cov_params()``),
        - linear models of scikit-learn (``coef_``, ``intercept_``). They have no standard errors, so the
          pooled errors contain only the differences between tables,
        - or pairs of estimates and their variances: numbers, sequences, or mappings by name.
    :raises InputError: If a fit is of another kind.

    Source: Rubin (1987), *Multiple Imputation for Nonresponse in Surveys*; degrees of freedom by
    Barnard and Rubin (1999) if the fits have ``df_resid``.
    """
    read = [_read(own) for own in fits]
    if len(read) < 2:
        raise InputError(f"{len(read)} fits cannot be pooled\n  help: pass a list of two or more")
    keys = list(read[0][0])
    for at, (estimates, _, _) in enumerate(read):
        if list(estimates) != keys:
            raise InputError(
                f"fit {at} has other coefficients than fit 0"
                "\n  help: give every fit the same formula, and the same values of each column"
            )
    pooled = Pooled(len(read))
    frees = [free for _, _, free in read if free is not None]
    complete = fmean(frees) if len(frees) == len(read) else None
    for key in keys:
        own = [variances[key] for _, variances, _ in read if variances is not None]
        within = fmean(own) if len(own) == len(read) else None
        _combine(pooled, key, [estimates[key] for estimates, _, _ in read], within, complete)
    return pooled


def _combine(
    pooled: Pooled, key: Key, estimates: list[float], within: float | None, complete: float | None
) -> None:
    """Rubin's rules for one coefficient."""
    fits = len(estimates)
    between = (1 + 1 / fits) * variance(estimates)
    total = between + (within or 0.0)
    share = between / total if total > 0 else 0.0
    freedom = (fits - 1) / share**2 if share > 0 else math.inf
    if complete is not None and within is not None:
        # Barnard and Rubin: at most the degrees of freedom of the complete table.
        seen = (complete + 1) / (complete + 3) * complete * (1 - share)
        freedom = seen if math.isinf(freedom) else freedom * seen / (freedom + seen)
    pooled.params[key] = fmean(estimates)
    pooled.std_errors[key] = math.sqrt(total)
    pooled.freedom[key] = freedom
    if within is None:
        pooled.missing_information[key] = math.nan
    elif within == 0:
        pooled.missing_information[key] = float(between > 0)
    else:
        more = between / within
        pooled.missing_information[key] = (more + 2 / (freedom + 3)) / (1 + more)


_Read = tuple[dict[Key, float], "dict[Key, float] | None", "float | None"]


def _read(fit: Any) -> _Read:
    """Returns the estimates of a fit, their variances, and the degrees of freedom of a complete table."""
    if hasattr(fit, "coef_"):
        return _of_sklearn(fit), None, None
    params = getattr(fit, "params", None)
    if params is not None:
        names = getattr(getattr(fit, "model", None), "exog_names", None)
        estimates = _named(params, names)
        if hasattr(fit, "bse"):
            variances = {key: own**2 for key, own in _named(fit.bse, names).items()}
        elif hasattr(fit, "cov_params"):
            cov = fit.cov_params()
            own = getattr(cov, "values", cov)
            variances = {key: float(own[at][at]) for at, key in enumerate(estimates)}
        else:
            raise InputError(
                "a fit has `params`, but neither `bse` nor `cov_params()`"
                "\n  help: pass pairs of estimates and variances"
            )
        free = getattr(fit, "df_resid", None)
        # Logits report residual degrees of freedom, but their errors are normal.
        uses_t = bool(getattr(fit, "use_t", False))
        return estimates, variances, float(free) if uses_t and free is not None else None
    if isinstance(fit, (tuple, list)) and len(fit) == 2:
        estimates, variances = _named(fit[0], None), _named(fit[1], None)
        if len(estimates) != len(variances):
            raise InputError(
                f"a fit has {len(estimates)} estimates and {len(variances)} variances"
                "\n  help: pass one variance for each estimate"
            )
        if set(estimates) != set(variances):
            variances = dict(zip(estimates, variances.values(), strict=True))
        return estimates, variances, None
    raise InputError(
        f"cannot read a fit from {type(fit).__name__}"
        "\n  help: pass results of statsmodels, linear models of scikit-learn, or pairs of"
        " estimates and variances"
    )


def _of_sklearn(model: Any) -> dict[Key, float]:
    """Returns the coefficients of a linear model, the intercept first; by class if there are several."""
    rows = model.coef_.tolist()
    several = bool(rows) and isinstance(rows[0], list)
    rows = rows if several else [rows]
    intercepts = getattr(model, "intercept_", 0.0)
    intercepts = intercepts.tolist() if hasattr(intercepts, "tolist") else intercepts
    intercepts = intercepts if isinstance(intercepts, list) else [intercepts] * len(rows)
    names = getattr(model, "feature_names_in_", None)
    names = [f"x{at}" for at in range(len(rows[0]))] if names is None else [str(own) for own in names]
    classes = getattr(model, "classes_", None)
    labels = list(range(len(rows))) if classes is None else [str(own) for own in classes]
    found: dict[Key, float] = {}
    for label, row, intercept in zip(labels, rows, intercepts, strict=False):
        for name, value in [("(Intercept)", intercept), *zip(names, row, strict=True)]:
            found[(label, name) if len(rows) > 1 else name] = float(value)
    return found


def _named(given: Any, names: Sequence[str] | None) -> dict[Key, float]:
    """Returns numbers by name, from a mapping, a series or frame of pandas, an array, a list or a number."""
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        # A multinomial logit has a column for each value, and terms as rows.
        cells = given.to_numpy().tolist()
        return {
            (column, str(term)): float(cells[at][number])
            for number, column in enumerate(given.columns)
            for at, term in enumerate(given.index)
        }
    if isinstance(given, Mapping) or (hasattr(given, "items") and hasattr(given, "index")):
        return {key: float(value) for key, value in given.items()}
    values = given.tolist() if hasattr(given, "tolist") else given
    values = list(values) if isinstance(values, Iterable) else [values]
    if names is None or len(names) != len(values):
        names = [f"x{at}" for at in range(len(values))]
    if values and isinstance(values[0], list):
        return {
            (column, term): float(row[column])
            for column in range(len(values[0]))
            for term, row in zip(names, values, strict=True)
        }
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def student(share: float, freedom: float) -> float:
    """Returns a quantile of Student's t; without scipy by an expansion around the normal quantile."""
    if math.isinf(freedom):
        return NormalDist().inv_cdf(share)
    try:
        from scipy.stats import t
    except ImportError:
        # Cornish and Fisher's expansion; within 1 % from 3 degrees of freedom on.
        z = NormalDist().inv_cdf(share)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / freedom + second / freedom**2 + third / freedom**3
    return float(t.ppf(share, freedom))
