"""Messages use Python's words if the input came from Python."""

from __future__ import annotations

from typing import Any

import openveil as ov
import pytest
from conftest import people, policy


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"identifier": ()}, 'add `drop="name"`, or name it in `known`, `secret`'),
        ({"model": None}, "for example `model=ov.l_diversity(5)`"),
        ({"secret": ["job", "sex"], "known": "age"}, 'set `protect="each"`; to protect only their combination, set `combine=["job", "sex"]`:'),
        ({"secret": (), "known": ["age", "sex", "job"]}, "name the column that must stay secret: `secret=`"),
        ({"algorithm": "gda"}, "accept the disclosure with `i_accept_algorithm_disclosure=True`"),
        ({"reader": {"inside": "x"}}, "`inside` in `reader` is not"),
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


def test_policies_of_keywords_have_no_lines() -> None:
    people = {"age": [1, 2], "job": ["a", "b"]}
    with pytest.raises(ov.PolicyError, match="^policy: unknown style `slise`"):
        ov.publish(people, known="age", secret="job", model=ov.l_diversity(2), style="slise")  # type: ignore[arg-type]
    with pytest.raises(ov.PolicyError, match="^policy, line 1"):
        ov.Policy.from_toml("input = 3")
