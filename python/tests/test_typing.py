"""What a type checker finds before anything runs."""

from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import openveil as ov
import pytest
from openveil import plots, risks

#: Lines that are right, with every public name.
RIGHT = """
import openveil as ov
from openveil import plots, risks

release: ov.Release = ov.publish("people.csv", known=["age"], secret="job", model=ov.l_diversity(3), style="anatomy")
ov.plan("people.csv", known="age", secret={"job": {"exempt": ["clerk"]}}, missing="keep")
policy = ov.Policy(known=["age"], secret="job", smallest_group=10, output={"dir": "out"})
ov.publish({"age": [1]}, policy, certify=True)
ov.attack(release, policy, "people.csv")
models: list[ov.Model] = [
    ov.k_anonymity(5), ov.l_diversity(3), ov.alpha_k_anonymity(0.5, 5), ov.p_sensitive_k_anonymity(2, 5), ov.t_closeness(0.2),
    ov.rho1_rho2(0.1, 0.5), ov.kifer(2.0, "equal"), ov.beta_likeness(1.0), ov.delta_disclosure(1.0), ov.l_alpha_diversity(3, 0.5, {"job": "group"}),
]
both = ov.all_of(models[0], models[1])
audit: ov.Audit = ov.audit("people.csv", qi="age", sensitive="job", rows=True)
print(audit.row_risks)
documents: list[ov.Document] = [
    audit, ov.inspect("people.csv"), release.guarantee,
    ov.explain([1, 1, 2, 2], l=2), ov.compare(policy, "people.csv"), ov.check_schema("schema.toml"),
]
proofs: ov.Document | list[ov.Document] = ov.verify(algorithm="halving", sensitive=[1, 1, 2, 2], l=2)
html: object = ov.report("out", template="ehds")
fit: ov.Fit = release.fit("job ~ age", reference={"job": "nurse"})
largest = max(fit.params.values()) + max(fit.bse.values()) + max(fit.pvalues.values())
low, high = fit.conf_int(0.1)["nurse", "age"]
print(fit.summary(), fit.cov_params(), fit.wald_test({"age": 1}).p_value)
pooled: ov.Pooled = ov.pool([({"age": 1.0}, {"age": 0.1}), ({"age": 1.1}, {"age": 0.1})])
print(pooled.summary(), release.count("age >= 30"), release.crosstab(["age"], bins={"age": [0, 30]}, min=5))
ov.read_release(release.save("out"))
ov.read("people.sav", labels=True)
plots.learned(release)
plots.intervals(release.mean("age", "job"))
plots.column(release, "age", "people.csv", bins=[0, 30])
print(risks.SinglingOutEvaluator("people.csv", release.table, n_attacks=10).risk())
step = ov.Anonymizer(known="age", secret="job", random_state=1)
step.fit("people.csv")
ov.set_threads(2)
print(ov.__version__)
try:
    release.export("people.sav")
    table: dict[str, list[int]] = ov.check({"age": [1]}, policy)
except ov.CheckError as found:
    print(found.failures)
except (ov.FileMissingError, ov.FileError, ov.IneligibleError, ov.InputTypeError, ov.InputError, ov.PolicyError, ov.RefusedError) as error:
    same: ov.OpenveilError = error
    print(error.column, error.rows, error.help)


@ov.checked(policy)
def monthly(month: int) -> ov.Release:
    return ov.publish("people.csv", policy)


made: ov.Release = monthly(3)
category: type[Warning] = ov.OpenveilWarning
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


CHECKERS = {
    "mypy": ["--strict", "--no-error-summary", "--ignore-missing-imports"],
    "pyright": ["--pythonpath", sys.executable],
}


def _checked(checker: str, text: str, folder: Path) -> dict[int, str]:
    """Returns what a checker finds in a script, by the line, counted from 1."""
    pytest.importorskip(checker)
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, "-m", checker, *CHECKERS[checker], str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    found = re.findall(r"script\.py:(\d+)(?::\d+)?(?: -|:) error: (.*)", done.stdout)
    assert found or done.returncode == 0, done.stdout + done.stderr
    return {int(line): message for line, message in found}


@pytest.mark.parametrize("checker", CHECKERS)
def test_right_calls_are_clean_and_each_misuse_is_found(checker: str, tmp_path: Path) -> None:
    assert _checked(checker, RIGHT, tmp_path) == {}
    lines = MISUSES.strip().splitlines()
    found = _checked(checker, "import openveil as ov\n" + MISUSES.strip() + "\n", tmp_path)
    missed = [line for number, line in enumerate(lines, 2) if number not in found]
    assert missed == [] and len(lines) >= 20


def test_right_calls_use_every_public_name() -> None:
    assert [name for name in ov.__all__ if f"ov.{name}" not in RIGHT] == []
    for module in (plots, risks):
        assert any(f"{module.__name__.partition('.')[2]}.{name}" in RIGHT for name in module.__all__)


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


def test_copies_of_a_policy_do_not_follow_the_objects_that_it_was_made_of() -> None:
    sections: dict[str, Any] = {
        "columns": {"age": {"role": "quasi-identifier"}, "job": {"role": "sensitive"}},
        "privacy": {"model": "l-diversity", "l": 5},
    }
    known = {"age": {"floor": 10}}
    policies = [ov.Policy.from_dict(sections), ov.Policy(known=known, secret="job", model=ov.l_diversity(2))]
    sections["privacy"]["l"] = 2
    known["age"].clear()
    for policy in policies:
        for other in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
            assert other.toml == policy.toml


@pytest.mark.parametrize("kind", ["pandas", "polars", "columns"])
def test_releases_and_fits_are_pickled_without_what_is_not_published(kind: str, tmp_path: Path) -> None:
    jobs = ["nurse", "clerk", "judge", "cook"]
    people: Any = {"age": [20 + i % 40 for i in range(400)], "job": [jobs[i % 4] for i in range(400)]}
    people["name"] = [f"Person {i}" for i in range(400)]
    if kind != "columns":
        package: Any = pytest.importorskip(kind)
        people = package.DataFrame(people)
    made = ov.publish(people, known="age", secret="job", identifier="name", model=ov.l_diversity(2), style="anatomy", test_seed=1)
    assert copy.copy(made) is made and copy.deepcopy(made) is made
    held = pickle.dumps(made)
    assert b"Person 7" not in held and b"timings_ms" not in held
    read = ov.read_release(made.save(tmp_path / "out"))
    for other in (pickle.loads(held), pickle.loads(pickle.dumps(pickle.loads(held))), pickle.loads(pickle.dumps(read))):
        assert other.manifest == made.manifest
        assert other.query("age >= 30", seed=1) == made.query("age >= 30", seed=1)
        with pytest.raises(ov.InputError, match="owner's part"):
            other.owner  # noqa: B018
    assert type(pickle.loads(held).table) is type(made.table)
    fit = made.fit("job ~ age", worlds=0)
    other_fit = pickle.loads(pickle.dumps(fit))
    assert (other_fit.params, other_fit.bse) == (fit.params, fit.std_errors)
    assert type(other_fit.table) is type(fit.table) and other_fit.cov_params() == fit.cov_params()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_does_not_delete_the_folder_of_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    people = {"age": [20 + i % 40 for i in range(200)], "job": ["nurse", "clerk", "judge", "cook"] * 50}
    made = ov.publish(people, known="age", secret="job", model=ov.l_diversity(2), style="anatomy", test_seed=1)
    held = pickle.loads(pickle.dumps(made))
    child = os.fork()
    if child == 0:
        del held
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert held.query("age >= 30", seed=1) == made.query("age >= 30", seed=1)
    del held
    gc.collect()
    assert not list(tmp_path.iterdir())
