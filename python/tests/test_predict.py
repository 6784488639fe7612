"""Predictions of fits for new rows."""

from __future__ import annotations

import datetime
import math
import pickle
import random
from typing import Any

import openveil as ov
import pytest
from conftest import columns_of, frame


def test_predictions(package: str) -> None:
    rng = random.Random(5)
    rows = 3000
    age, sex = [rng.randrange(20, 60) for _ in range(rows)], [rng.choice("fm") for _ in range(rows)]
    pay = [1000 + 10 * a + (200 if s == "m" else 0) + rng.randrange(50) for a, s in zip(age, sex, strict=True)]
    job = [rng.choice(["nurse", "nurse", "clerk", "cook"] if s == "f" else ["clerk", "cook", "smith", "smith"]) for s in sex]
    keywords: dict[str, Any] = {"known": ["age", "sex"], "model": ov.l_diversity(2), "style": "anatomy", "test_seed": 1}
    given = frame(package, {"age": age, "sex": sex, "pay": pay, "job": job})
    linear = ov.publish(given, secret="pay", drop="job", **keywords).fit("pay ~ age + sex + age:sex", worlds=0)
    at = linear.params
    new = frame(package, {"sex": ["m", "f"], "age": [30, 45]})
    male = at["(Intercept)"] + 30 * (at["age"] + at["age:sex=m"]) + at["sex=m"]
    assert linear.predict(new) == pytest.approx([male, at["(Intercept)"] + 45 * at["age"]])
    assert pickle.loads(pickle.dumps(linear)).predict(new) == linear.predict(new)
    logit = ov.publish(given, secret="job", drop="pay", **keywords).fit("job ~ sex", worlds=0)
    made = logit.predict(new)
    assert isinstance(made, type(new))
    chances = columns_of(made)
    assert list(chances)[0] == logit.baseline and sorted(chances) == ["clerk", "cook", "nurse", "smith"]
    assert [sum(row) for row in zip(*chances.values(), strict=True)] == pytest.approx([1, 1])
    odds = math.exp(logit.params["smith", "(Intercept)"] + logit.params["smith", "sex=m"])
    assert chances["smith"][0] / chances[logit.baseline][0] == pytest.approx(odds)
    assert math.isnan(columns_of(logit.predict({"sex": ["m", None]}))["cook"][1])
    with pytest.raises(ov.InputError, match="no row of the release has `x`"):
        logit.predict({"sex": ["x"]})
    with pytest.raises(ov.InputError, match="no column `age`"):
        linear.predict({"sex": ["f"]})


def fitted(name: str, cells: list[Any], **column: Any) -> ov.Fit:
    """A regression of pay on one column."""
    cells = cells * 2
    table = {name: cells, "pay": [1000 + 7 * at % 90 + at // 9 for at in range(len(cells))]}
    made = ov.publish(
        table, known={name: column}, secret="pay", model=ov.l_diversity(2), style="anatomy", smallest_group=6, test_seed=1
    )
    return made.fit(f"pay ~ {name}", worlds=0)


def days(rows: int = 400, step: int = 37) -> list[datetime.date]:
    return [datetime.date(1950, 1, 1) + datetime.timedelta(days=i * step % 9000) for i in range(rows)]


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_midnights_and_iso_texts_are_dates(package: str) -> None:
    module = pytest.importorskip(package)
    fit = fitted("birth", days())
    midnights = [datetime.datetime(1960, 5, 5), datetime.datetime(1971, 2, 3), None]
    made = module.table if package == "pyarrow" else module.DataFrame
    at = fit.params
    wanted = [at["(Intercept)"] + at["birth"] * (day.date() - datetime.date(1970, 1, 1)).days for day in midnights if day]
    *dated, missing = fit.predict(made({"birth": midnights}))
    assert dated == pytest.approx(wanted) and math.isnan(missing)
    assert fit.predict({"birth": ["1960-05-05", "1971-02-03"]}) == pytest.approx(wanted)
    late = made({"birth": [datetime.datetime(1960, 5, 5, 3)]})
    for wrong in (late, {"birth": ["05/12/1960"]}, {"birth": [1960, 2000]}, {"birth": ["1960-02-30"]}):
        with pytest.raises(ov.InputError, match="column `birth`: `.*` is not a date") as caught:
            fit.predict(wrong)
        assert caught.value.column == "birth"


def test_values_are_brought_to_limits_and_floors() -> None:
    at_once = [datetime.date(1960, 5, 5), datetime.date(1972, 1, 1)]
    years = fitted("birth", days(), floor="year")
    at = years.params
    wanted = [at["(Intercept)"] + at["birth"] * year for year in (1960, 1972)]
    for given in (at_once, [1960, 1972], ["1960-05-05", "1972"]):
        assert years.predict({"birth": given}) == pytest.approx(wanted)
    for floor, labels in (("month", ["1950-05", "1951-01"]), ("quarter", ["1950-Q2", "1951-Q1"])):
        periods = fitted("birth", days(4000, 1)[:400] * 10, floor=floor)
        of_days = periods.predict({"birth": [datetime.date(1950, 5, 5), datetime.date(1951, 1, 1)]})
        assert of_days == periods.predict({"birth": labels}) and of_days[0] != of_days[1]
    ages = fitted("age", [20 + i * 7 % 41 for i in range(400)], floor=10, top=50, bottom=30)
    at = ages.params
    expected = [at["(Intercept)"] + at["age"] * age for age in (30, 30, 30, 40, 50, 50)]
    assert ages.predict({"age": [-5, 29, 39, 40, 50, 999]}) == pytest.approx(expected)
    # As floats, 0.3 // 0.1 is 2.
    doses = fitted("dose", [i * 7 % 41 / 40 for i in range(400)], floor=0.1)
    at = doses.params
    expected = [at["(Intercept)"] + at["dose"] * dose for dose in (0.3, 0.2, -0.1)]
    assert doses.predict({"dose": [0.3, 0.29, -0.01]}) == pytest.approx(expected)
    zips = fitted("zip", [f"{i * 11 % 500:04}" for i in range(400)], floor=2)
    assert zips.predict({"zip": ["0199", "01"]}) == zips.predict({"zip": ["01", "0100"]})
    with pytest.raises(ov.InputError, match="column `zip`: `199` is a number, .*zeros"):
        zips.predict({"zip": [199]})


def test_labels_of_a_hierarchy_are_given_as_the_release_shows_them() -> None:
    tree = {"north": ["a", "b"], "south": ["c", "d"]}
    fit = fitted("place", ["a", "b", "c", "d"] * 50, floor=1, hierarchy={"tree": tree})
    assert len(fit.predict({"place": ["north", "south"]})) == 2
    with pytest.raises(ov.InputError, match="`place`: no row of the release has `a`\n.*as the release shows them: north, south"):
        fit.predict({"place": ["a"]})


def test_tables_without_columns_paths_and_codes_next_to_missing_values() -> None:
    pandas = pytest.importorskip("pandas")
    fit = fitted("code", ["1", "2", "3", "2"] * 50)
    with_gap = pandas.DataFrame({"code": [1, 3, None]})
    assert fit.predict(with_gap)[:2] == fit.predict({"code": ["1", "3"]}) and math.isnan(fit.predict(with_gap)[2])
    with pytest.raises(ov.InputError, match="the table has no columns"):
        fit.predict(pandas.DataFrame(index=range(3)))
    with pytest.raises(ov.InputTypeError, match="takes a table, not a path"):
        fit.predict("new.csv")
