"""What a type checker finds before anything runs."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import openveil as ov
import pytest

#: Lines that are right.
RIGHT = """
release = ov.publish("people.csv", known=["age"], secret="job", model=ov.l_diversity(3), style="anatomy")
ov.plan("people.csv", known="age", secret={"job": {"exempt": ["clerk"]}}, missing="keep")
policy = ov.Policy(known=["age"], secret="job", smallest_group=10, output={"dir": "out"})
ov.publish({"age": [1]}, policy, certify=True)
ov.attack(release, policy, "people.csv")
"""

#: Misuses, each on a line.
MISUSES = """
ov.publish("people.csv", known=3, secret="job")
ov.publish("people.csv", known=["age"], secret="job", style="anatomie")
ov.publish("people.csv", knwon=["age"], secret="job")
ov.publish("people.csv", known=["age"], secret="job", model="l-diversity")
ov.publish("people.csv", known=["age"], secret="job", missing="drop")
ov.publish("people.csv", known=["age"], secret="job", smallest_group="ten")
ov.publish("people.csv", known=["age"], secret="job", protect="all")
ov.publish("people.csv", known=["age"], secret="job", cells="ranges")
ov.publish("people.csv", known=["age"], secret="job", test_seed="one")
ov.publish("people.csv", known=["age"], secret="job", rows_are_people="yes")
ov.publish("people.csv", known=["age"], secret="job", decomposition="best")
ov.plan("people.csv", secrets="job")
ov.Policy(known=["age"], secret="job", strata=3)
ov.Policy(["age"], "job")
ov.Policy(known=["age"], secret="job", link="yes")
ov.l_diversity("many")
ov.audit("people.csv", qi=3)
ov.audit("people.csv", sensitiv="job")
ov.verify(algorithm="halving", sensitive=[1, 1, 2, 2], l="two")
ov.inspect("people.csv", delimeter=";")
"""


def _checked(text: str, folder: Path) -> list[int]:
    """Returns the lines of a script in which mypy finds a mistake, counted from 1."""
    pytest.importorskip("mypy")
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--ignore-missing-imports", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    own = [line for line in done.stdout.splitlines() if line.startswith("script.py:") and " error:" in line]
    return sorted({int(line.split(":")[1]) for line in own})


def test_right_calls_are_clean_and_each_misuse_is_found(tmp_path: Path) -> None:
    assert _checked("import openveil as ov\n" + RIGHT, tmp_path) == []
    lines = MISUSES.strip().splitlines()
    found = _checked("import openveil as ov\n" + MISUSES.strip() + "\n", tmp_path)
    missed = [line for number, line in enumerate(lines, 2) if number not in found]
    assert missed == []


def test_unknown_keywords_are_refused_with_the_name_that_was_meant() -> None:
    with pytest.raises(TypeError, match="no keyword `knwon`; did you mean `known`"):
        ov.Policy(knwon="age")  # type: ignore[call-arg]
    assert "known" in inspect.signature(ov.Policy).parameters


def test_policies_are_copied_and_pickled(tmp_path: Path) -> None:
    people = {"age": list(range(40)), "job": ["a", "b"] * 20}
    by_keywords = ov.Policy(known="age", secret="job", model=ov.l_diversity(2))
    file = tmp_path / "policy.toml"
    file.write_text(by_keywords.toml)
    for policy in (by_keywords, ov.Policy.read(file), ov.Policy.from_toml(by_keywords.toml)):
        for other in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
            assert other.toml == policy.toml
            made = ov.publish(people, other, test_seed=1)
            assert made.table == ov.publish(people, policy, test_seed=1).table
    assert pickle.loads(pickle.dumps(ov.l_diversity(3))) == ov.l_diversity(3)
