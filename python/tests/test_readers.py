"""Readers with more knowledge, and tables that are published again."""

from __future__ import annotations

from pathlib import Path

import openveil as ov
import pytest
from conftest import people, policy


def test_odds_are_kept_and_promised_apart() -> None:
    wish = policy(model=ov.l_diversity(2), reader={"odds": 3})
    release = ov.publish(people(), wish, test_seed=1)
    manifest = release.manifest
    assert manifest["guarantee"]["max_posterior"] == "1/4"
    assert [one["reader"] for one in manifest["guarantee"]["readers"]] == ["informed", "face-value"]
    with pytest.raises(ov.IneligibleError, match="largest odds that the table allows are 3"):
        ov.publish(people(), policy(model=ov.l_diversity(2), reader={"odds": 4}), test_seed=1)


def test_informed_readers_and_histories_are_enumerated() -> None:
    found = ov.verify(algorithm="cover", sensitive="1,1,2,2,3,3", l=2, odds=2, informed=1)
    assert (found["max_posterior"], found["informed"]["max_posterior"]) == ("1/3", "1/2")
    found = ov.verify(algorithm="cover", l=2, history="1,1,2,3; +1,2 -0; ^0")
    assert found["safe"] and found["max_posterior"] == "1/2"
    assert not ov.verify(algorithm="cover", l=2, history="1,1,2,3;", afresh=True)["safe"]


def test_a_history_is_the_commands(tmp_path: Path) -> None:
    state = tmp_path / "people.state"
    wish = policy(history={"state": str(state), "person": "name"})
    with pytest.raises(ov.OpenveilError, match="must be written to a folder"):
        ov.publish(people(), wish, out=tmp_path / "out", test_seed=1)
    assert not state.exists() and not (tmp_path / "out").exists()


def test_what_readers_guess_who_know_correlations_is_measured(tmp_path: Path) -> None:
    wish = policy(model=ov.l_diversity(2))
    ov.publish(people(), wish, out=tmp_path / "out", test_seed=1)
    found = ov.attack(tmp_path / "out", wish, people(), correlations=True)["correlations"]
    assert found["public"]["source"] == "half of the table"
    assert 0 <= found["prior"]["accuracy"] <= found["face"]["highest_belief"] <= 1
    assert "correlations" not in ov.attack(tmp_path / "out", wish, people())
