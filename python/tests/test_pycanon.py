"""The measures of pyCANON, compared with the package if it is installed."""

from __future__ import annotations

import math
import random

import openveil as ov
import pytest
from conftest import people, policy

pandas = pytest.importorskip("pandas")


def _table(seed: int) -> dict[str, list[object]]:
    coins = random.Random(seed)
    rows = 120
    return {
        "age": [coins.choice(["[20, 30]", "[31, 40]", "[41, 60]"]) for _ in range(rows)],
        "sex": [coins.choice("fm") for _ in range(rows)],
        "job": [coins.choice("abcd") for _ in range(rows)],
        "pay": [coins.randrange(5) for _ in range(rows)],
    }


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("sensitive", [["job"], ["pay"]])
def test_the_same_results(seed: int, sensitive: list[str]) -> None:
    anonymity = pytest.importorskip("pycanon.anonymity")
    table = _table(seed)
    known = ["age", "sex"]
    found = ov.audit(table, sensitive=sensitive, qi=known)
    theirs = (pandas.DataFrame(table), known)
    assert found.k_anonymity == anonymity.k_anonymity(*theirs)
    assert found.l_diversity == anonymity.l_diversity(*theirs, sensitive)
    assert found.entropy_l_diversity == anonymity.entropy_l_diversity(*theirs, sensitive)
    for name in ("alpha_k_anonymity", "basic_beta_likeness", "t_closeness"):
        expected = getattr(anonymity, name)(*theirs, sensitive)
        assert getattr(found, name) == pytest.approx(expected), name
    if math.isfinite(found.delta_disclosure):
        expected = anonymity.delta_disclosure(*theirs, sensitive)
        assert found.delta_disclosure == pytest.approx(expected)


def test_without_the_package() -> None:
    release = ov.publish(people(), policy(algorithm="cover"))
    found = ov.audit(release)
    assert found.k_anonymity == 3
    assert found.l_diversity == 3
    assert found.entropy_l_diversity == 3
    assert found.alpha_k_anonymity == (pytest.approx(1 / 3), 3)
    assert found.delta_disclosure == math.inf


def test_several_sensitive_columns() -> None:
    table = {"age": ["a"] * 4, "job": ["x", "y", "x", "y"], "ill": ["u", "u", "u", "v"]}
    found = ov.audit(table, sensitive=["job", "ill"], qi="age")
    assert (found.l_diversity, found.alpha_k_anonymity) == (2, (0.75, 4))
