"""Policies from keywords, dicts and files; models."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import openveil as ov
import pytest
from conftest import columns_of, frame, people, policy, run


def test_keywords_dicts_and_files_say_the_same(folder: Path) -> None:
    by_file = ov.publish(people(), folder / "policy.toml", test_seed=1)
    by_keywords = ov.publish(people(), policy(), test_seed=1)
    by_dict = ov.publish(
        people(),
        ov.Policy.from_dict(
            {
                "columns": {
                    "age": {"role": "quasi-identifier"},
                    "sex": {"role": "quasi-identifier"},
                    "job": {"role": "sensitive"},
                    "name": {"role": "identifier"},
                },
                "privacy": ov.l_diversity(3),
            }
        ),
        test_seed=1,
    )
    assert by_file.table == by_keywords.table == by_dict.table
    assert ov.publish(policy=folder / "policy.toml", test_seed=1).manifest == by_file.manifest
    path = folder / "people.csv"
    assert ov.publish(path, folder / "policy.toml", test_seed=1).manifest == by_file.manifest


@pytest.mark.parametrize(
    "model",
    [
        ov.l_diversity(3),
        ov.l_diversity(2.5, variant="entropy"),
        ov.l_diversity(2, variant="recursive", c=2),
        ov.l_diversity(2, "distinct") & ov.t_closeness(Fraction(2, 3)),
        ov.k_anonymity(4),
        ov.alpha_k_anonymity(0.5, 4),
        ov.p_sensitive_k_anonymity(2, 4),
        ov.t_closeness(0.5),
        ov.rho1_rho2(0.3, 0.6),
        ov.kifer(0.5, "total-variation"),
        ov.beta_likeness(2, "enhanced"),
        ov.delta_disclosure(2),
        ov.l_alpha_diversity(2, 0.5, {"bad": ["judge", "clerk"], "good": ["nurse", "smith"]}),
    ],
    ids=repr,
)
def test_models(model: ov.Model, folder: Path) -> None:
    ours = policy(model=model)
    release = ov.publish(people(), ours)
    assert ov.audit(release, policy=ours, original=people())["satisfied"] is True
    assert eval(repr(model), {**vars(ov), "Fraction": Fraction}) == model
    # The same text is a policy of the command.
    (folder / "p.toml").write_text(policy(model=model, input="people.csv").toml)
    run(folder, "publish", "p.toml", "--dry-run")


def test_what_is_not_named_is_not_published() -> None:
    with pytest.raises(ov.PolicyError, match="gives no role to"):
        ov.publish(people(), known="age", secret="job", model=ov.l_diversity(3))
    release = ov.publish(people(), known="age", secret="job", drop=True, model=ov.l_diversity(3))
    assert release.manifest["omitted"]["dropped"] == ["name", "sex"]


def test_the_rest_of_a_file_is_dropped(folder: Path) -> None:
    ours = ov.Policy(known={"age": "integer"}, secret="job", drop=True, model=ov.l_diversity(3))
    release = ov.publish(folder / "people.csv", ours)
    assert release.manifest["omitted"]["dropped"] == ["name", "sex"]
    assert ov.plan(folder / "people.csv", ours)["rows"] == 100


def test_names_that_need_quotes() -> None:
    given = {'a "b".c': [1, 2, 3, 4], "größe\n": ["x", "y", "x", "y"]}
    release = ov.publish(given, known='a "b".c', secret="größe\n", model=ov.l_diversity(2))
    assert 'a "b".c' in release.table


def test_rules() -> None:
    rules = [{"given": ["age", "sex"], "protect": "job"}, {"given": "age", "protect": "sex"}]
    ours = ov.Policy(
        attributes=["age", "sex", "job"], drop="name", rules=rules, model=ov.l_diversity(2)
    )
    release = ov.publish(people(), ours)
    assert len(release.tables) >= 2
    with pytest.raises(ov.InputError, match="several tables"):
        _ = release.table
    assert ov.attack(release, ours, people(), sample=5)["promise_broken"] is False


def test_strata() -> None:
    release = ov.publish(people(), policy(strata="sex", model=ov.l_diversity(2)))
    assert release.manifest["strata"]["columns"] == ["sex"]


def test_policies_show_themselves() -> None:
    assert "[privacy]" in repr(policy())
    assert policy()._repr_html_().startswith("<pre>")
    with pytest.raises(ov.PolicyError, match="two roles"):
        ov.Policy(known=["age"], secret="age")
    with pytest.raises(TypeError, match="must be set in it"):
        ov.publish(people(), policy(), known="age")


def test_people_with_several_rows() -> None:
    given = {**people(), "name": [f"p{row // 2}" for row in range(100)], "age": [20 + row // 10 for row in range(100)],
             "sex": [["f", "m"][row // 2 % 2] for row in range(100)]}  # fmt: skip
    with pytest.raises(ov.PolicyError, match="appear in several rows") as caught:
        ov.publish(given, policy())
    assert 'if a person has several rows, set `persons={"id": "name"}`' in (caught.value.help or "")
    assert "if every row is another person nevertheless, set `rows_are_people=True`" in (caught.value.help or "")
    with pytest.warns(ov.OpenveilWarning, match=r'set `persons=\{"id": "name"\}`'):
        assert ov.publish(given, policy(rows_are_people=True)).manifest["rows"] == 100
    assert ov.publish(given, policy(persons="name", model=ov.l_diversity(2))).manifest["rows"] == 50


def test_values_that_read_alike() -> None:
    given = {**people(), "job": ["clerk", "Clerk", "nurse", "smith", "judge"] * 20}
    with pytest.raises(ov.PolicyError, match="read alike") as caught:
        ov.publish(given, policy())
    assert 'set `merge="job"` for the column' in (caught.value.help or "")
    merged = ov.publish(given, policy(merge="job", model=ov.l_diversity(2)))
    assert set(merged.table["job"]) == {"Clerk", "nurse", "smith", "judge"}
    apart = ov.publish(given, policy(distinct=["job"]))
    assert set(apart.table["job"]) == set(given["job"])
    with pytest.raises(ov.PolicyError, match="which has no role"):
        policy(merge="jobb")


def test_a_sample_is_left_out(folder: Path) -> None:
    sample = folder / "sample.json"
    ours = policy(input=folder / "people.csv", output=folder / "out", model=ov.l_diversity(2))
    ov.compare(ours, sample=sample, sample_rows=40, trials=1, queries=5, test_seed=1)
    with pytest.warns(ov.OpenveilWarning, match="Leave out every sample with `without_sample=FILE`"):
        ov.publish(policy=ours)
    release = ov.publish(policy=ours, without_sample=[sample])
    assert release.manifest["rows"] == 60
    assert not any("sample" in note for note in release.warnings)


def test_several_secrets_and_floors() -> None:
    """Each secret satisfies its own bound, and known columns are published at their floor."""
    release = ov.publish(
        people(),
        known={"age": {"floor": 10}},
        secret={"job": {"l": 2}, "sex": {}},
        identifier="name",
        model=ov.l_diversity(2),
        protect="each",
        style="slice",
        test_seed=1,
    )
    assert release.manifest["each"] == {"l": {"job": 2, "sex": 2}, "linked": False}
    entry = next(own for own in release.manifest["columns"] if own["name"] == "age")
    assert entry["floor"] == {"width": "10"}
    assert all(age % 10 == 0 for age in release.table["age"])
    with pytest.raises(ov.PolicyError, match="at most one"):
        policy(protect="each", model=ov.l_diversity(2))._checked()


def test_a_policy_that_was_written_with_its_table_is_the_policy(package: str, tmp_path: Path) -> None:
    ours = policy(identifier=None, drop=True)
    given = frame(package, people())
    (tmp_path / "policy.toml").write_text(ours.toml_for(given))
    made = ov.publish(given, tmp_path / "policy.toml", test_seed=1)
    assert columns_of(made.table) == columns_of(ov.publish(given, ours, test_seed=1).table)
    assert made.manifest["columns"][0]["type"] == "integer"
