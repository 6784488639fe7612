"""Anonymeter's three risks, compared with the package if it is installed."""

from __future__ import annotations

import random
from typing import Any

import openveil as ov
import pytest
from conftest import PACKAGES, frame, people, policy
from openveil.risks import (
    InferenceEvaluator,
    LinkabilityEvaluator,
    SinglingOutEvaluator,
)

pytestmark = pytest.mark.filterwarnings("ignore:the attack succeeds no more often")


def _numbers(rows: int, seed: int) -> dict[str, list[float]]:
    """Correlated numbers, all different, so that no result depends on how ties are broken."""
    coins = random.Random(seed)
    made: dict[str, list[float]] = {name: [] for name in "abcde"}
    for _ in range(rows):
        base = coins.gauss(50, 20)
        for name in made:
            made[name].append(abs(base + coins.gauss(0, 8)) + 1)
    return made


@pytest.fixture(scope="module")
def theirs() -> Any:
    return pytest.importorskip("anonymeter.evaluators")


def _near(ours: float, theirs: float, attacks: int) -> bool:
    """Within four standard deviations of two shares of so many attacks."""
    return abs(ours - theirs) < 4 * (0.5 / attacks) ** 0.5


def test_linkability_and_inference_are_theirs(theirs: Any) -> None:
    pandas = pytest.importorskip("pandas")
    ori, syn, control = (pandas.DataFrame(_numbers(300, seed)) for seed in (1, 2, 3))
    syn.iloc[:100] = ori.iloc[:100]
    given: dict[str, Any] = {"ori": ori, "syn": syn, "control": control, "n_attacks": 300}
    parts = (["a", "b"], ["c", "d"])
    own = LinkabilityEvaluator(**given, aux_cols=parts, n_neighbors=3).evaluate()
    other = theirs.LinkabilityEvaluator(**given, aux_cols=parts, n_neighbors=3).evaluate(n_jobs=1)
    # Everybody is attacked, and there are no ties: the counts are the same.
    assert own.results().n_success == other.results().n_success
    assert own.results().n_control == other.results().n_control
    assert _close(own.risk(), other.risk())
    known: dict[str, Any] = {"aux_cols": ["a", "b", "c"], "secret": "e", "regression": True}
    mine = InferenceEvaluator(**given, **known).evaluate()
    yours = theirs.InferenceEvaluator(**given, **known).evaluate(n_jobs=1)
    assert mine.results().n_success == yours.results().n_success
    assert mine.results().n_control == yours.results().n_control
    assert _close(mine.risk(0.9), yours.risk(0.9))


def _close(ours: Any, theirs: Any) -> bool:
    pairs = [(ours.value, theirs.value), *zip(ours.ci, theirs.ci, strict=True)]
    return all(abs(one - other) < 1e-6 for one, other in pairs)


def _mixed(rows: int, seed: int) -> dict[str, list[Any]]:
    coins = random.Random(seed)
    return {
        "age": [coins.randrange(18, 90) for _ in range(rows)],
        "town": [coins.choice("abcdefgh") for _ in range(rows)],
        "pay": [round(coins.lognormvariate(7, 1), 1) for _ in range(rows)],
        "job": [coins.choice(["x", "y", "z"]) for _ in range(rows)],
    }


@pytest.mark.parametrize("mode", ["univariate", "multivariate"])
def test_singling_out_is_theirs(theirs: Any, mode: str) -> None:
    pandas = pytest.importorskip("pandas")
    ori, syn, control = (pandas.DataFrame(_mixed(800, seed)) for seed in (1, 2, 3))
    syn.iloc[:300] = ori.iloc[:300]
    given: dict[str, Any] = {"ori": ori, "syn": syn, "control": control, "n_attacks": 400, "max_attempts": 4_000}
    own = SinglingOutEvaluator(**given, seed=1).evaluate(mode)
    other = theirs.SinglingOutEvaluator(**given, seed=1).evaluate(mode)
    for rate in ("attack_rate", "control_rate"):
        mine, yours = getattr(own.results(), rate), getattr(other.results(), rate)
        assert _near(mine.value, yours.value, 400), (rate, mine, yours)


def test_whoever_has_the_table_finds_everybody() -> None:
    given = _mixed(300, 1)
    found = InferenceEvaluator(given, given, ["age", "town", "pay"], "job", n_attacks=None).evaluate()
    assert found.results().n_success == 300
    assert found.risk().value > 0.98 and found.risk().ci[1] == 1
    assert found.risk(baseline=True).value < 0.6


@pytest.mark.parametrize("package", PACKAGES)
def test_releases(package: str) -> None:
    given = frame(package, people())
    release = ov.publish(given, policy(), test_seed=1)
    rows = release.sample(200, seed=1)
    own = frame(package, {name: cells for name, cells in people().items() if name != "name"})
    found = InferenceEvaluator(own, rows, ["age", "sex"], "job", seed=1).evaluate()
    assert found.results().n_success <= 60
    singled = SinglingOutEvaluator(own, rows, n_attacks=50, n_cols=2, max_attempts=2_000, seed=1)
    assert 0 <= singled.evaluate().risk().value <= 1


def test_they_are_found_by_their_name() -> None:
    assert ov.risks.SinglingOutEvaluator is SinglingOutEvaluator


def test_what_makes_no_sense_is_refused() -> None:
    given = people()
    for call, part in [
        (lambda: InferenceEvaluator(given, given, ["agee"], "job").evaluate(), "did you mean `age`"),
        (lambda: InferenceEvaluator(given, given, [], "job").evaluate(), "knows no column"),
        (lambda: InferenceEvaluator(given, {"age": [1]}, ["age"], "job").evaluate(), "has no column"),
        (lambda: InferenceEvaluator(given, given, ["age"], "job", regression=True).evaluate(), "is not numeric"),
        (lambda: SinglingOutEvaluator(given, given).evaluate("both"), "unknown mode"),
        (lambda: SinglingOutEvaluator(given, given, n_attacks=0), "at least 1"),
        (lambda: SinglingOutEvaluator(given, given, max_attempts=10).evaluate().risk(2), "not between"),
    ]:
        with pytest.raises(ov.InputError, match=part):
            call()
    with pytest.raises(RuntimeError, match="run `evaluate"):
        SinglingOutEvaluator(given, given).risk()
