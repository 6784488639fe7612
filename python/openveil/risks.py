"""Anonymeter's three risks, for any pair of tables: singling out, linkability, inference.

Names and definitions (of success, risks and confidence intervals) follow the package ``anonymeter``
(Giomi et al., PoPETs 2023). Tables may come from any package, and no other package is needed::

    from openveil.risks import InferenceEvaluator

    evaluator = InferenceEvaluator(
        ori=people, syn=release.sample(10_000), aux_cols=["age", "sex"], secret="job",
        control=others,
    ).evaluate()
    evaluator.risk()    # PrivacyRisk(value=..., ci=(..., ...))

There are two differences. Records that are equally near are taken in random order, not in the order
of a sorting algorithm. A guess of a negative number is right only within 5 % of its size, not
always. The figures measure three attackers; they are not guarantees.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple, TypeVar

from . import _openveil
from ._documents import Document, document
from ._frames import TableLike, take
from ._errors import InputError
from ._warnings import warn

__all__ = [
    "EvaluationResults",
    "InferenceEvaluator",
    "LinkabilityEvaluator",
    "PrivacyRisk",
    "SinglingOutEvaluator",
    "SuccessRate",
]

#: The largest distance of a number from a right guess: a share of the guess.
TOLERANCE = 0.05


class PrivacyRisk(NamedTuple):
    """A risk between 0 and 1, and its confidence interval."""

    value: float
    ci: tuple[float, float]


class SuccessRate(NamedTuple):
    """The share of attacks that succeed, and its error (Wilson's interval)."""

    value: float
    error: float

    def to_risk(self) -> PrivacyRisk:
        """The rate as a risk, limited to 0 to 1."""

        def bound(number: float) -> float:
            return min(max(number, 0.0), 1.0)

        low, high = self.value - self.error, self.value + self.error
        return PrivacyRisk(bound(self.value), (bound(low), bound(high)))


class EvaluationResults:
    """Success rates: ``attack_rate``, ``baseline_rate`` and, with a control, ``control_rate``."""

    def __init__(self, found: Document, confidence_level: float = 0.95) -> None:
        attacks, guesses, control = found["attacks"]
        self.n_success: int = found["successes"]
        self.n_baseline: int = found["guessed"]
        self.n_control: float | None = found["control"]
        self.attack_rate = _rate(attacks, self.n_success, confidence_level)
        self.baseline_rate = _rate(guesses, self.n_baseline, confidence_level)
        self.control_rate = (
            None if self.n_control is None else _rate(control, self.n_control, confidence_level)
        )
        if self.baseline_rate.value >= self.attack_rate.value:
            warn(["the attack succeeds no more often than guessing: the risk has no meaning"], stacklevel=3)

    def risk(self, baseline: bool = False) -> PrivacyRisk:
        """The risk: how much more often attacks succeed than on the control, if there is one."""
        if baseline:
            return self.baseline_rate.to_risk()
        if self.control_rate is None:
            return self.attack_rate.to_risk()
        margin = 1 - self.control_rate.value
        if margin <= 0:
            warn(["every attack on the control succeeds: no risk is left to measure"], stacklevel=3)
            return PrivacyRisk(0.0, (0.0, 1.0))
        value = (self.attack_rate.value - self.control_rate.value) / margin
        by_attack = self.attack_rate.error / margin
        by_control = self.control_rate.error * (self.attack_rate.value - 1) / margin**2
        return SuccessRate(value, sqrt(by_attack**2 + by_control**2)).to_risk()


def _rate(total: int, successes: float, confidence_level: float) -> SuccessRate:
    from statistics import NormalDist

    if not 0 < confidence_level < 1:
        raise InputError(f"the confidence level {confidence_level} is not between 0 and 1")
    z = NormalDist().inv_cdf(0.5 * (1 + confidence_level))
    varying = max(0.0, successes * (total - successes) / total)
    return SuccessRate(
        (successes + 0.5 * z * z) / (total + z * z),
        z / (total + z * z) * sqrt(varying + 0.25 * z * z),
    )


_Own = TypeVar("_Own", bound="_Evaluator")


class _Evaluator:
    """Two tables, and attacks that run once."""

    def __init__(
        self,
        ori: TableLike,
        syn: TableLike,
        n_attacks: int | None,
        control: TableLike | None,
        seed: int | None,
    ) -> None:
        original = take(ori)[0]
        self._tables = (original, take(syn)[0], None if control is None else take(control)[0])
        self._n_attacks = len(original) if n_attacks is None else int(min(n_attacks, 2**32 - 1))
        self._seed = seed
        self._found: Document | None = None
        if self._n_attacks < 1:
            raise InputError("n_attacks must be at least 1")

    def _attack(self: _Own, kind: str, **options: Any) -> _Own:
        found = _openveil.risk(
            *self._tables, kind, n_attacks=self._n_attacks, seed=self._seed, **options
        )
        self._found = document(found)
        return self

    def results(self, confidence_level: float = 0.95) -> EvaluationResults:
        """The success rates."""
        if self._found is None:
            raise RuntimeError("nothing was attacked yet: run `evaluate()` first")
        return EvaluationResults(self._found, confidence_level)

    def risk(self, confidence_level: float = 0.95, baseline: bool = False) -> PrivacyRisk:
        """The risk with its confidence interval; with ``baseline`` the risk from guessing."""
        return self.results(confidence_level).risk(baseline)


class SinglingOutEvaluator(_Evaluator):
    """How often conditions that one record of ``syn`` meets single out one person of ``ori``."""

    def __init__(
        self,
        ori: TableLike,
        syn: TableLike,
        n_attacks: int = 500,
        n_cols: int = 3,
        control: TableLike | None = None,
        max_attempts: int | None = 10_000_000,
        seed: int | None = None,
    ) -> None:
        super().__init__(ori, syn, n_attacks, control, seed)
        self._n_cols, self._max_attempts = n_cols, max_attempts

    def evaluate(self, mode: str = "multivariate") -> SinglingOutEvaluator:
        """Attack: ``"multivariate"`` or ``"univariate"``."""
        if mode not in ("multivariate", "univariate"):
            raise InputError(f"unknown mode {mode!r}\n  help: known: 'multivariate' and 'univariate'")
        columns = self._n_cols if mode == "multivariate" else 0
        return self._attack("singling-out", n_cols=columns, max_attempts=self._max_attempts)


class LinkabilityEvaluator(_Evaluator):
    """For how many people of ``ori`` two parts of their record lead to the same record of
    ``syn``."""

    def __init__(
        self,
        ori: TableLike,
        syn: TableLike,
        aux_cols: tuple[Sequence[str], Sequence[str]],
        n_attacks: int | None = 500,
        n_neighbors: int = 1,
        control: TableLike | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(ori, syn, n_attacks, control, seed)
        self._aux_cols, self._n_neighbors = aux_cols, n_neighbors

    def evaluate(self, n_jobs: int = -2) -> LinkabilityEvaluator:
        """Attack. ``n_jobs`` is there for Anonymeter's users; see :func:`openveil.set_threads`."""
        one, two = self._aux_cols
        return self._attack(
            "linkability", aux=list(one), others=list(two), n_neighbors=self._n_neighbors
        )


class InferenceEvaluator(_Evaluator):
    """For how many people of ``ori`` the nearest record of ``syn`` has their secret value.

    With ``regression`` a number is right within 5 % of the guess.
    """

    def __init__(
        self,
        ori: TableLike,
        syn: TableLike,
        aux_cols: Sequence[str],
        secret: str,
        regression: bool = False,
        n_attacks: int | None = 500,
        control: TableLike | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(ori, syn, n_attacks, control, seed)
        self._aux_cols, self._secret, self._regression = aux_cols, secret, regression

    def evaluate(self, n_jobs: int = -2) -> InferenceEvaluator:
        """Attack. ``n_jobs`` is there for Anonymeter's users; see :func:`openveil.set_threads`."""
        tolerance = TOLERANCE if self._regression else None
        return self._attack(
            "inference", aux=list(self._aux_cols), secret=self._secret, tolerance=tolerance
        )
