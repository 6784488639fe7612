"""Figures with intervals, regressions, weights and completed tables of a release."""

from __future__ import annotations

import csv
import datetime
import math
import random
import statistics
import threading
import types
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import columns_of, frame, people, policy, run

QUICK: dict[str, Any] = {"worlds": 2, "seed": 3}
FIGURES = ["estimate", "low", "high", "method", "deal_error"]


def survey(rows: int = 900) -> dict[str, list[Any]]:
    """A table in which the job depends on age and sex, and pay on age."""
    drawn = random.Random(7)
    made: dict[str, list[Any]] = {"age": [], "sex": [], "job": [], "pay": []}
    for _ in range(rows):
        age, sex = drawn.randrange(20, 60), drawn.choice("fm")
        old = (age - 20) / 40
        weights = [1 - old + 0.2, old + 0.2, 0.8 if sex == "f" else 0.3, 0.3 if sex == "f" else 0.8]
        made["age"].append(age)
        made["sex"].append(sex)
        made["job"].append(drawn.choices(["clerk", "judge", "nurse", "smith"], weights)[0])
        made["pay"].append(1000 + 100 * drawn.randrange(6) + 500 * (age > 40))
    return made


def published(secret: str = "job", package: str = "dict", **more: Any) -> ov.Release:
    given = survey()
    table = {name: given[name] for name in ("age", "sex", secret)}
    keywords = {"model": ov.l_diversity(2), "style": "anatomy", "smallest_group": 8, "test_seed": 1, **more}
    return ov.publish(frame(package, table), known=["age", "sex"], secret=secret, **keywords)


@pytest.fixture(scope="module")
def jobs() -> ov.Release:
    return published()


@pytest.fixture(scope="module")
def pays() -> ov.Release:
    return published("pay")


def truth(**conditions: Any) -> int:
    given = survey()
    rows = zip(*given.values(), strict=True)
    return sum(
        all(row[name] == value for name, value in conditions.items())
        for row in (dict(zip(given, row, strict=True)) for row in rows)
    )


def test_a_crosstab_is_of_the_kind_that_came_in(package: str) -> None:
    release = published(package=package)
    made = release.crosstab(["sex", "job"], **QUICK)
    assert isinstance(made, type(frame(package, {"sex": ["f"]})))
    if package == "dict":
        shown = made._repr_html_()
        assert shown.startswith("<table><thead><tr><th>sex</th><th>job</th><th>estimate</th>") and shown.count("<tr>") == 9
    columns = columns_of(made)
    assert list(columns) == ["sex", "job", *FIGURES]
    assert columns["sex"] == ["f"] * 4 + ["m"] * 4
    assert sum(columns["estimate"]) == pytest.approx(900, rel=0.03)
    for low, estimate, high in zip(columns["low"], columns["estimate"], columns["high"], strict=True):
        assert low <= estimate <= high
    assert set(columns["method"]) == {"fit-and-worlds"}
    single = columns_of(release.count("sex = f and job = nurse", **QUICK))
    assert list(single) == FIGURES and len(single["low"]) == 1
    at = columns["job"].index("nurse")
    assert single["estimate"][0] == pytest.approx(columns["estimate"][at])


def test_intervals_contain_the_truth(jobs: ov.Release) -> None:
    made = jobs.crosstab(["sex", "job"])
    inside = sum(
        low <= truth(sex=sex, job=job) <= high
        for sex, job, low, high in zip(
            made["sex"], made["job"], made["low"], made["high"], strict=True
        )
    )
    assert inside >= 6
    # Figures that the release shows are exact, and numbers are numbers.
    by_age = jobs.crosstab("age")
    assert by_age["age"] == sorted(set(survey()["age"]))
    assert by_age["estimate"] == [truth(age=age) for age in by_age["age"]]
    assert set(by_age["method"]) == {"exact"}


def test_conditions_and_bins(jobs: ov.Release) -> None:
    made = jobs.crosstab(["age", "sex"], where="sex = f", bins={"age": [20, 40, 60]})
    assert made["age"] == ["[20, 40)", "[40, 60)"] and made["sex"] == ["f", "f"]
    young = sum(a < 40 and s == "f" for a, s in zip(survey()["age"], survey()["sex"], strict=True))
    assert made["estimate"] == [young, truth(sex="f") - young]
    whole = jobs.crosstab([])
    assert (whole["estimate"], whole["method"]) == ([900], ["exact"])


def test_means_and_quantiles(pays: ov.Release) -> None:
    given = survey()
    whole = pays.mean("pay", **QUICK)
    assert list(whole) == FIGURES
    assert whole["estimate"] == [pytest.approx(statistics.mean(given["pay"]), rel=0.01)]
    by = pays.mean("pay", by="age", bins={"age": [20, 41, 60]}, **QUICK)
    assert by["age"] == ["[20, 41)", "[41, 60)"]
    assert by["estimate"][1] - by["estimate"][0] > 250
    middle = pays.quantile("pay", **QUICK)
    assert 1300 <= middle["estimate"][0] <= 1700
    assert pays.quantile("age", 0.9, by="sex", where="age < 40", **QUICK)["estimate"][0] == pytest.approx(38, abs=1)


def test_weights(jobs: ov.Release) -> None:
    given = survey()
    women = [age for age, sex in zip(given["age"], given["sex"], strict=True) if sex == "f"]
    made = jobs.crosstab("sex", weight="age")
    assert (made["estimate"][0], made["method"][0]) == (pytest.approx(sum(women)), "exact")
    mean = jobs.mean("age", by="sex", weight="age")["estimate"][0]
    assert mean == pytest.approx(sum(age * age for age in women) / sum(women))


def test_independence(jobs: ov.Release) -> None:
    found = jobs.independence("sex", "job", worlds=2)
    assert set(found) == {"chi2", "freedom", "p"}
    assert 0 <= found["p"] <= 1
    with pytest.raises(ov.InputError, match="a known and a secret column"):
        jobs.independence("sex", "age")


def test_means_of_a_known_column_by_the_secret(jobs: ov.Release) -> None:
    given = survey()
    own: dict[str, list[int]] = {}
    for age, job in zip(given["age"], given["job"], strict=True):
        own.setdefault(job, []).append(age)
    means, middles = jobs.mean("age", by="job"), jobs.quantile("age", by="job")
    for at, job in enumerate(means["job"]):
        assert means["estimate"][at] == pytest.approx(statistics.mean(own[job]), abs=3)
        assert middles["estimate"][at] == pytest.approx(statistics.median(own[job]), abs=5)
    # The release shows who has which age and sex.
    assert jobs.mean("age", by="sex")["method"] == ["exact", "exact"]


@pytest.mark.parametrize("style", ["generalize", "slice", "anatomy"])
def test_every_style_has_weights_and_samples(style: str) -> None:
    release = published(style=style)
    weights = release.weights(**QUICK)
    assert sum(weights["weight"]) == pytest.approx(900, abs=0.1)
    assert set(weights["row"]) == set(range(900))
    own = release.samples(1, **QUICK)[0]
    assert {type(age) for age in own["age"]} == {int}
    assert sorted(own["job"]) == sorted(survey()["job"])


def test_means_of_columns_for_analysis() -> None:
    given = survey()
    release = ov.publish(
        given, known=["age", "sex"], secret="job", other="pay", model=ov.l_diversity(2),
        style="anatomy", smallest_group=8, test_seed=1,
    )  # fmt: skip
    made = release.mean("pay", by="sex", **QUICK)
    assert made["sex"] == ["f", "m"]
    for sex, estimate in zip(made["sex"], made["estimate"], strict=True):
        own = [pay for pay, other in zip(given["pay"], given["sex"], strict=True) if other == sex]
        assert estimate == pytest.approx(statistics.mean(own), rel=0.05)


def test_figures_repeat(jobs: ov.Release) -> None:
    first = jobs.crosstab("job", where="sex = f", worlds=2, seed=5)
    for seed in range(6):
        jobs.crosstab("job", where="sex = f", worlds=2, seed=seed)
    assert jobs.crosstab("job", where="sex = f", worlds=2, seed=5) == first
    with pytest.warns(UserWarning, match="are certain bounds"):
        assert jobs.crosstab("job", where="sex = f", worlds=0)["method"] == ["fit"] * 4


def test_questions_from_several_threads() -> None:
    release = published()
    found: list[Any] = []
    ask = lambda: found.append(release.crosstab(["sex", "job"], **QUICK))  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(own == found[0] for own in found)


def test_a_logit(jobs: ov.Release) -> None:
    fit = jobs.fit("job ~ age + sex", **QUICK)
    assert (fit.kind, fit.baseline) == ("multinomial-logit", "clerk")
    assert set(fit.params) == {
        (job, term) for job in ("judge", "nurse", "smith") for term in ("(Intercept)", "age", "sex=m")
    }
    assert set(fit.std_errors) == set(fit.conf_int()) == set(fit.params)
    assert fit.params["judge", "age"] > 0
    for key, (low, high) in fit.conf_int().items():
        assert low < fit.params[key] < high
    assert list(fit.table) == ["value", "term", "estimate", "std_error", "low", "high", "method"]
    text = fit.summary()
    assert "Baseline" in text and "[0.025" in text and repr(text) == str(text)
    assert max(map(len, text.splitlines()[: text.count("\n") - 2])) < 100
    assert "multinomial logit of job ~ age + sex" in repr(fit)


def test_a_linear_regression(pays: ov.Release) -> None:
    fit = pays.fit("pay ~ age", **QUICK)
    assert fit.kind == "linear" and fit.baseline is None
    assert list(fit.params) == ["(Intercept)", "age"]
    low, high = fit.conf_int()["age"]
    given = survey()
    assert low < statistics.linear_regression(given["age"], given["pay"]).slope < high
    assert "value" not in fit.table and "pay ~ age" in fit.summary()


def test_references_levels_and_tests(jobs: ov.Release) -> None:
    fit = jobs.fit("job ~ age + sex", **QUICK)
    other = jobs.fit("job ~ age + sex", reference={"job": "nurse", "sex": "m"}, **QUICK)
    assert other.baseline == "nurse" and ("clerk", "sex=f") in other.params
    # Both fits are one model, but for a slight penalty that depends on the reference.
    expected = fit.params["judge", "age"] - fit.params["nurse", "age"]
    assert other.params["judge", "age"] == pytest.approx(expected, rel=0.02)
    assert other.params["clerk", "sex=f"] == pytest.approx(fit.params["nurse", "sex=m"], rel=0.02)
    assert (fit.nobs, set(fit.check)) == (900, {"age", "sex"})
    assert set(fit.check.values()) <= {"usable", "with care", "do not cross"}
    with pytest.raises(ov.InputError, match="no row of the release has the value `x` of `sex`"):
        jobs.fit("job ~ sex", reference={"sex": "x"}, **QUICK)
    with pytest.raises(ov.InputError, match="numeric"):
        jobs.fit("job ~ age", reference={"age": 30}, **QUICK)

    key = ("judge", "age")
    low, high = fit.conf_int(0.3173)[key]
    wide = fit.conf_int()[key]
    assert (high - low) * 1.96 == pytest.approx(wide[1] - wide[0], rel=1e-3)
    assert (fit.pvalues[key] < 0.05) == (wide[0] > 0 or wide[1] < 0)
    one = fit.wald_test(key)
    assert one.freedom == 1
    assert one.statistic == pytest.approx((fit.params[key] / fit.std_errors[key]) ** 2)
    assert one.p_value == pytest.approx(math.erfc(math.sqrt(one.statistic / 2)))
    two = fit.wald_test([key, {("nurse", "age"): 1, ("smith", "age"): -1}])
    assert two.freedom == 2 and two.statistic >= one.statistic
    # With two degrees of freedom the tail is an exponential.
    assert two.p_value == pytest.approx(math.exp(-two.statistic / 2))
    with pytest.raises(ov.InputError, match="no coefficient"):
        fit.wald_test(("judge", "town"))
    with pytest.raises(ov.InputError, match="follows from the others"):
        fit.wald_test([key, {key: 2}])


def test_weights(jobs: ov.Release) -> None:
    made = jobs.weights(**QUICK)
    assert list(made) == ["age", "sex", "job", "row", "weight"]
    totals: dict[int, float] = {}
    for row, weight in zip(made["row"], made["weight"], strict=True):
        totals[row] = totals.get(row, 0.0) + weight
    assert sorted(totals) == list(range(900))
    assert all(total == pytest.approx(1, abs=1e-4) for total in totals.values())
    # The lines refer to rows of the release, and numbers are numbers.
    table = jobs.table
    assert all(table["age"][row] == age for row, age in zip(made["row"], made["age"], strict=True))


def test_weights_for_learners(jobs: ov.Release) -> None:
    pytest.importorskip("sklearn")
    from sklearn.tree import DecisionTreeClassifier

    made = jobs.weights(**QUICK)
    features = [[age, sex == "f"] for age, sex in zip(made["age"], made["sex"], strict=True)]
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    model.fit(features, made["job"], sample_weight=made["weight"])
    given = survey()
    features = [[age, sex == "f"] for age, sex in zip(given["age"], given["sex"], strict=True)]
    assert model.score(features, given["job"]) > 0.33


def test_samples(package: str) -> None:
    release = published("pay", package=package)
    made = [columns_of(own) for own in release.samples(3, **QUICK)]
    assert len(made) == 3
    for own in made:
        assert list(own) == ["age", "sex", "pay"]
        assert len(own["pay"]) == 900
        assert all(int(pay) == pay for pay in own["pay"])
        assert sorted(own["pay"]) == sorted(survey()["pay"])
    assert made[0] != made[1]
    assert made == [columns_of(own) for own in release.samples(3, **QUICK)]


def test_dates_and_missing_values_have_their_types() -> None:
    drawn = random.Random(1)
    day = datetime.date(2020, 1, 1)
    given = {
        "day": [day + datetime.timedelta(days=row % 50) for row in range(300)],
        "age": [None if row % 60 == 7 else 20 + row % 30 for row in range(300)],
        "job": [drawn.choice("abcd") for _ in range(300)],
    }
    release = ov.publish(
        given, known=["day", "age"], secret="job", model=ov.l_diversity(2), missing="keep",
        style="anatomy", smallest_group=4, test_seed=1,
    )  # fmt: skip
    by = release.crosstab("age")
    assert by["age"][0] is None and by["estimate"][0] == 5
    assert release.crosstab("day")["day"][0] == day
    cut = release.crosstab("day", bins={"day": ["2020-01-01", "2020-01-11"]})
    assert (cut["day"], cut["estimate"]) == (["[2020-01-01, 2020-01-11)"], [60])
    sampled = release.samples(1, worlds=0)[0]
    assert sampled["age"].count(None) == 5 and sampled["day"][0] >= day


POLICY = """
[input]
path = "people.csv"
[columns]
id = { role = "identifier" }
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
cost = { role = "sensitive", type = "integer" }
[privacy]
model = "l-diversity"
l = 4
[history]
state = "people.state"
person = "id"
"""


@pytest.mark.filterwarnings("ignore:the release belongs to a history")
def test_rows_of_a_history_are_of_people(tmp_path: Path) -> None:
    everybody = [(f"P{n}", 20 + n % 50, "fm"[n % 2], 100 * (n % 12)) for n in range(600)]
    (tmp_path / "policy.toml").write_text(POLICY)
    for number, there in enumerate([everybody[:400], everybody[150:550]]):
        with open(tmp_path / "people.csv", "w", newline="") as file:
            csv.writer(file).writerows([("id", "age", "sex", "cost"), *there])
        run(tmp_path, "publish", "policy.toml", "--out", f"out{number}", "--test-seed", str(number))
    read = ov.read_release(tmp_path / "out1", like={})
    assert read.manifest["rows"] > 400, "the example has rows that are nobody's"
    assert sum(read.crosstab("sex", worlds=0)["estimate"]) == pytest.approx(400)
    fit = read.fit("cost ~ age", worlds=2)
    assert set(fit.params) == {"(Intercept)", "age"} and fit.nobs == 400



def test_without_groups_enough_there_are_bounds() -> None:
    release = ov.publish(people(40), policy(style="anatomy"), test_seed=1)
    with pytest.warns(UserWarning, match="4 groups"):
        made = release.crosstab(["sex", "job"])
    assert set(made["method"]) <= {"bounds", "exact"}
    assert made["deal_error"] == [None] * 8
    with pytest.raises(ov.InputError, match="4 groups"):
        release.fit("job ~ age")


def test_what_cannot_be_asked(jobs: ov.Release, pays: ov.Release) -> None:
    for call, part, remedy in [
        (lambda: jobs.crosstab("jobb"), "no column `jobb`", "job"),
        (lambda: jobs.crosstab(["job", "job"]), "named twice", "once"),
        (lambda: jobs.crosstab("job", where="agee > 3"), "no column `agee`", "age"),
        (lambda: jobs.crosstab("age", bins=[0, 20]), "dict of columns", "bins="),  # type: ignore[arg-type]
        (lambda: jobs.crosstab("age", bins={"age": [20, 0]}), "ascending", "[0, 30, 60]"),
        (lambda: jobs.crosstab("job", bins={"age": [0, 20]}), "which is not in `by`", "add it to `by`"),
        (lambda: jobs.mean("job"), "is not numeric", "ask for counts"),
        (lambda: jobs.mean("jobb"), "no column `jobb`", "job"),
        (lambda: pays.quantile("pay", 1.5), "1.5 is not a share", "0.5 for the median"),
        (lambda: jobs.count("nurse"), "", ""),
        (lambda: jobs.fit("job ~ size"), "names `size`", "age, sex"),
        (lambda: jobs.fit("age ~ sex"), "explains `age`", "job"),
        (lambda: jobs.fit("job age"), "has no `~`", "job ~ age + sex"),
        (lambda: jobs.crosstab("job", worlds=-1), "-1 worlds", "0 for none"),
        (lambda: jobs.crosstab("job", worlds=1001), "1001 worlds", "1000"),
        (lambda: jobs.crosstab("job", seed=-1), "between 0", ""),
        (lambda: jobs.samples(0), "0 tables", "1 to 1000"),
    ]:
        with pytest.raises(ov.OpenveilError) as caught:
            call()
        assert part in str(caught.value) and remedy in str(caught.value)


def test_more_coefficients_than_groups() -> None:
    given = survey(200)
    given["town"] = [f"t{row % 90}" for row in range(200)]
    release = ov.publish(
        {name: given[name] for name in ("town", "sex", "job")}, known=["town", "sex"], secret="job",
        model=ov.l_diversity(2), style="anatomy", smallest_group=4, test_seed=1,
    )  # fmt: skip
    with pytest.raises(ov.InputError, match="fewer"):
        release.fit("job ~ town * sex", worlds=0)


def test_names_that_are_taken() -> None:
    given = survey(200)
    release = ov.publish(
        {"weight": given["age"], "low": given["sex"], "job": given["job"]},
        known=["weight", "low"], secret="job", model=ov.l_diversity(2), style="anatomy",
        smallest_group=4, test_seed=1,
    )  # fmt: skip
    with pytest.raises(ov.InputError, match="called `weight`.*\n.*samples"):
        release.weights(worlds=0)
    with pytest.raises(ov.InputError, match="called `low`"):
        release.crosstab("low")
    assert list(release.samples(1, worlds=0)[0]) == ["weight", "low", "job"]


def test_rubins_rules() -> None:
    estimates, variances = [1.0, 1.4, 0.9, 1.3], [0.04, 0.05, 0.04, 0.05]
    pooled = ov.pool([({"x": q}, {"x": u}) for q, u in zip(estimates, variances, strict=True)])
    between = statistics.variance(estimates)
    within = statistics.mean(variances)
    total = within + 1.25 * between
    share = 1.25 * between / total
    freedom = 3 / share**2
    assert pooled.params == {"x": pytest.approx(1.15)}
    assert pooled.std_errors == {"x": pytest.approx(math.sqrt(total))}
    assert pooled.freedom == {"x": pytest.approx(freedom)}
    more = 1.25 * between / within
    assert pooled.missing_information == {"x": pytest.approx((more + 2 / (freedom + 3)) / (1 + more))}
    low, high = pooled.conf_int()["x"]
    assert (low + high) / 2 == pytest.approx(1.15)
    assert 1.96 * math.sqrt(total) < (high - low) / 2 < 2.6 * math.sqrt(total)
    assert "x" in pooled.summary() and "4 fits" in repr(pooled)
    # Fits that agree lack no information.
    same = ov.pool([(2.0, 0.25)] * 3)
    assert (same.std_errors, same.missing_information) == ({"x0": 0.5}, {"x0": pytest.approx(0)})
    assert same.conf_int()["x0"] == pytest.approx((2 - 0.98, 2 + 0.98), abs=0.001)


def test_students_quantiles(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from openveil._pool import student

    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    for freedom, quantile in [(3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (math.inf, 1.96)]:
        assert student(0.975, freedom) == pytest.approx(quantile, rel=0.015)


def test_barnard_and_rubins_freedom_is_at_most_that_of_the_table() -> None:
    fits = [
        types.SimpleNamespace(params={"a": q}, bse={"a": 0.2}, df_resid=20, use_t=True)
        for q in (1.0, 1.1, 1.05)
    ]
    assert 10 < ov.pool(fits).freedom["a"] < 20
    by_cov = [
        types.SimpleNamespace(params=[q, 2.0], cov_params=lambda: [[0.04, 0.01], [0.01, 0.09]])
        for q in (1.0, 1.1)
    ]
    assert ov.pool(by_cov).std_errors["x1"] == pytest.approx(0.3)


def test_pooling_statsmodels(pays: ov.Release) -> None:
    pytest.importorskip("statsmodels")
    pd = pytest.importorskip("pandas")
    import statsmodels.formula.api as smf

    tables = [pd.DataFrame(own) for own in pays.samples(5, **QUICK)]
    pooled = ov.pool([smf.ols("pay ~ age + sex", own).fit() for own in tables])
    assert list(pooled.params) == ["Intercept", "sex[T.m]", "age"]
    assert pooled.params["age"] > 0 and pooled.freedom["age"] < 897
    logits = [
        smf.mnlogit("late ~ age", own.assign(late=(own["pay"] // 500).astype(int))).fit(disp=0)
        for own in tables
    ]
    assert (0, "age") in ov.pool(logits).params


def test_pooling_scikit_learn(pays: ov.Release) -> None:
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LinearRegression, LogisticRegression

    fits, logits = [], []
    for own in pays.samples(4, **QUICK):
        features = [[age] for age in own["age"]]
        fits.append(LinearRegression().fit(features, own["pay"]))
        logits.append(LogisticRegression(max_iter=500).fit(features, [pay // 500 for pay in own["pay"]]))
    pooled = ov.pool(fits)
    assert list(pooled.params) == ["(Intercept)", "x0"]
    assert math.isnan(pooled.missing_information["x0"]) and pooled.freedom["x0"] == 3
    assert "no standard errors" in pooled.summary()
    assert ("3", "x0") in ov.pool(logits).params


def test_what_cannot_be_pooled() -> None:
    for fits, part in [
        ([(1.0, 0.1)], "two or more"),
        ([({"a": 1.0}, {"a": 1.0}), ({"b": 1.0}, {"b": 1.0})], "other coefficients"),
        ([([1.0, 2.0], [0.1]), ([1.0, 2.0], [0.1])], "2 estimates and 1 variances"),
        (["fit", "fit"], "cannot read a fit from str"),
        ([types.SimpleNamespace(params=[1.0])] * 2, "neither `bse`"),
    ]:
        with pytest.raises(ov.InputError, match=part):
            ov.pool(fits)
    with pytest.raises(ov.InputError, match="alpha"):
        ov.pool([(1.0, 0.1)] * 2).conf_int(alpha=2)


def test_read_back_releases_answer_alike(tmp_path: Path, jobs: ov.Release) -> None:
    jobs.save(tmp_path / "out")
    read = ov.read_release(tmp_path / "out")
    made = read.crosstab(["sex", "job"], **QUICK)
    assert type(made).__module__.startswith("polars")
    assert columns_of(made) == jobs.crosstab(["sex", "job"], **QUICK)
