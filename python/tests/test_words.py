"""Messages speak Python's words where Python was spoken."""

from __future__ import annotations

from typing import Any

import openveil as ov
import pytest
from conftest import people, policy
from openveil._words import of_keys, of_options


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        ("leave `--certify` out", "leave `certify` out"),
        ("ask by `--worlds 0`", "ask by `worlds=0`"),
        ("say `--sensitive COLUMN` or `--policy FILE`", "say `sensitive=COLUMN` or `policy=FILE`"),
        ("write for example `--odds 3 --informed 1`", "write for example `odds=3, informed=1`"),
        ("counts: `--by a-b`", 'counts: `by="a-b"`'),
        ("(`openveil compare --true-values`)", "(`ov.compare(true_values=True)`)"),
        ("(`openveil compare --sample`)", "(`ov.compare(sample=…)`)"),
        ("`openveil query` with `--policy`", "`Release.query` with `policy`"),
        ("a column `--`, `openveil`, `age`", "a column `--`, `openveil`, `age`"),
    ],
)
def test_options_are_arguments(said: str, ours: str) -> None:
    assert of_options(said) == ours


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        ('say `missing = "keep"` under [input], or', 'say `missing="keep"`, or'),
        ("under [input], say `trim = true`", 'say `input={"trim": True}`'),
        ('say `varying = "draw"` under [persons]: one', 'say `persons={"varying": "draw"}`: one'),
        ("`odds` under [reader] is not", "`odds` in `reader` is not"),
        ("`effort` under [algorithm] means", "`effort` means"),
        ("the policy has [[rules]]; no [history]", "the policy has `rules`; no `history`"),
        ('say `model = "k-anonymity"`', "say `model=ov.k_anonymity(…)`"),
        ("say so in [[dependencies]]", "say so in `dependencies`"),
        ("give `b` the role `sensitive`", "give `b` the role `secret`"),
        ('say `exempt = ["a"]` for the column', 'say `{"b": {"exempt": ["a"]}}` for the column'),
        ('use `distance = "equal"`', 'use `distance="equal"`'),
        ("a value `x = y` and `[z]` stay", "a value `x = y` and `[z]` stay"),
    ],
)
def test_keys_are_keywords(said: str, ours: str) -> None:
    assert of_keys(said, "b") == ours


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"identifier": ()}, 'add `drop="name"`, or name it in `known`, `secret`'),
        ({"model": None}, "for example `model=ov.l_diversity(5)`"),
        ({"secret": ["job", "sex"], "known": "age"}, 'say `protect="each"`; to protect them as one, `combine=["job", "sex"]`:'),
        ({"secret": (), "known": ["age", "sex", "job"]}, "name the column that must stay secret: `secret=`"),
        ({"algorithm": "gda"}, "accept the disclosure with `i_accept_algorithm_disclosure=True`"),
        ({"reader": {"inside": "x"}}, "`inside` in `reader` is neither"),
    ],
)
def test_refusals_of_keywords(changed: dict[str, Any], part: str) -> None:
    with pytest.raises(ov.OpenveilError) as caught:
        ov.publish(people(), policy(**changed))
    assert part in str(caught.value)
    assert " under [" not in str(caught.value)


def test_documents_keep_their_keys() -> None:
    ours = ov.Policy.from_dict({"columns": {"age": {"role": "quasi-identifier"}}})
    with pytest.raises(ov.PolicyError, match=r"no section \[privacy\]"):
        ov.publish({"age": [1, 2]}, ours)
