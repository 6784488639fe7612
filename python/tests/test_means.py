"""Means with their errors: against all orders that a group's values may have."""

from __future__ import annotations

import csv
import datetime
import itertools
import math
import random
import statistics
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import run
from openveil._means import ROWS, Group

SEEDS = range(60)


def orders(group: Group) -> list[tuple[float, float]]:
    """All weighted sums of the numbers that a group may stand for, each with its probability."""
    n = len(group.numbers)
    blocks = sorted(set(group.blocks) - {ROWS})
    found = []
    for perms in itertools.product(itertools.permutations(range(n)), repeat=len(blocks)):
        place = dict(zip(blocks, perms, strict=True)) | {ROWS: tuple(range(n))}
        of_numbers, of_weights, of_shares = (place[block] for block in group.blocks)
        people = list(itertools.combinations(range(n), n - group.fakes))
        for inside, ours in itertools.product(itertools.product([0, 1], repeat=n), people):
            chance = math.prod(
                share if is_in else 1 - share
                for share, is_in in zip(group.shares, inside, strict=True)
            )
            total = sum(
                (group.numbers[of_numbers[row]] or 0.0)
                * group.weights[of_weights[row]]
                * inside[of_shares[row]]
                for row in ours
            )
            found.append((total, chance))
    every = sum(chance for _, chance in found)
    return [(total, chance / every) for total, chance in found if chance > 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_error_is_that_of_all_orders(seed: int) -> None:
    drawn = random.Random(seed)
    n = drawn.choice([1, 2, 3, 3])
    blocks = (
        drawn.choice([ROWS, "numbers", "weights"]),
        drawn.choice([ROWS, "weights"]),
        drawn.choice([ROWS, "part", "numbers"]),
    )
    group = Group(
        numbers=[drawn.choice([None, -1.0, 2.0, 5.0, 7.5]) for _ in range(n)],
        weights=[drawn.choice([0.0, 1.0, 3.0]) for _ in range(n)],
        shares=[drawn.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(n)],
        blocks=blocks,
        fakes=drawn.choice([0, 0, min(1, n - 1)]),
    )
    all_of_them = orders(group)
    expected = sum(total * chance for total, chance in all_of_them)
    variance = sum((total - expected) ** 2 * chance for total, chance in all_of_them)
    found = group.total(lambda number: number)
    assert found.mean == pytest.approx(expected)
    assert found.variance == pytest.approx(variance, abs=1e-9)


def table(rows: int) -> dict[str, list[Any]]:
    drawn = random.Random(7)
    pay = [drawn.choice([1000, 2000, 3000, 8000, 9000, 12000]) for _ in range(rows)]
    return {
        "age": [20 + row % 60 for row in range(rows)],
        "sex": [drawn.choice("fm") for _ in range(rows)],
        "weight": [own / 1000 for own in pay],
        "pay": pay,
    }


def test_weights_of_another_column_may_be_anybodys() -> None:
    release = ov.publish(
        table(400), known=["age", "sex"], secret="pay", other="weight", model=ov.l_diversity(3), test_seed=1
    )
    made = release.mean("pay", weight="weight")
    assert release.mean("pay")["standard_error"] == [0.0]
    # Every order of the weights in every group is as likely: draw some.
    columns = {name: list(release.table[name]) for name in ("group", "pay", "weight")}
    drawn, means = random.Random(1), []
    for _ in range(400):
        groups: dict[int, list[int]] = {}
        for row, group in enumerate(columns["group"]):
            groups.setdefault(group, []).append(row)
        total = 0.0
        for rows in groups.values():
            others = [columns["weight"][row] for row in rows]
            drawn.shuffle(others)
            total += sum(columns["pay"][row] * own for row, own in zip(rows, others, strict=True))
        means.append(total / sum(columns["weight"]))
    assert made["mean"][0] == pytest.approx(statistics.mean(means), rel=0.01)
    assert made["standard_error"][0] == pytest.approx(statistics.stdev(means), rel=0.2)


def test_what_stands_in_rows_is_exact() -> None:
    given = table(400)
    del given["weight"]
    release = ov.publish(
        given, known=["age", "sex"], secret="pay", model=ov.l_diversity(3), style="anatomy", test_seed=1
    )
    made = release.mean("age", by="sex")
    own = {
        sex: [age for age, other in zip(given["age"], given["sex"], strict=True) if other == sex]
        for sex in "fm"
    }
    assert made["sex"] == ["f", "m"]
    assert made["rows"] == [len(own["f"]), len(own["m"])]
    assert made["mean"] == [pytest.approx(statistics.mean(own[sex])) for sex in "fm"]
    assert made["standard_error"] == [0.0, 0.0]
    # Values that are counted in groups may divide rows, too.
    by_pay = release.mean("age", by="pay")
    assert by_pay["rows"] == [given["pay"].count(int(pay)) for pay in by_pay["pay"]]
    assert all(error > 0 for error in by_pay["standard_error"])


def test_what_is_secret_together_is_one() -> None:
    drawn = random.Random(3)
    codes = [drawn.randrange(6) for _ in range(300)]
    given = {"age": [20 + row % 50 for row in range(300)], "cost": [100 * code for code in codes], "dx": codes}
    for style in ["generalize", "slice", "anatomy"]:
        release = ov.publish(
            given,
            known="age",
            secret=["cost", "dx"],
            combine=["cost", "dx"],
            model=ov.l_diversity(3),
            style=style,
            test_seed=1,
        )
        made = release.mean("cost", by="dx")
        assert made["mean"] == [pytest.approx(100 * code) for code in range(6)], style
        assert made["standard_error"] == [0.0] * 6


@pytest.mark.parametrize("kind", ["whole", "tenths", "day", "any"])
def test_parts_have_the_rows_that_counts_say(kind: str) -> None:
    drawn = random.Random(5)
    start = datetime.date(2020, 1, 1)
    of_kind: dict[str, Any] = {
        "whole": lambda: drawn.randrange(20, 70),
        "tenths": lambda: drawn.randrange(200, 220) / 10,
        "day": lambda: start + datetime.timedelta(days=drawn.randrange(100)),
        "any": lambda: drawn.random() * 50 + 20,
    }
    known = [None if drawn.random() < 0.2 else of_kind[kind]() for _ in range(300)]
    bins = ["2020-01-01", "2020-02-01", "2020-12-31"] if kind == "day" else [0, 21, 45, 90]
    given = {"known": known, "pay": [row % 7 for row in range(300)]}
    release = ov.publish(
        given, known="known", secret="pay", model=ov.l_diversity(3), missing="keep", test_seed=1
    )
    made = release.mean("pay", by="known", bins=bins)
    for part, rows in zip(made["known"], made["rows"], strict=True):
        low, high = part.strip("[)").split(", ") if part.startswith("[") else ("", "")
        where = f"known >= {low} and known < {high}" if high else "known = '(missing)'"
        assert rows == pytest.approx(release.query(where)["estimate_evenly"]), part
    assert sum(made["rows"]) == pytest.approx(300)


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


def test_rows_of_a_history_are_of_people(tmp_path: Path) -> None:
    people = [(f"P{n}", 20 + n % 50, "fm"[n % 2], 100 * (n % 12)) for n in range(600)]
    (tmp_path / "policy.toml").write_text(POLICY)
    for number, there in enumerate([people[:400], people[150:550]]):
        with open(tmp_path / "people.csv", "w", newline="") as file:
            csv.writer(file).writerows([("id", "age", "sex", "cost"), *there])
        run(tmp_path, "publish", "policy.toml", "--out", f"out{number}", "--test-seed", str(number))
    read = ov.read_release(tmp_path / "out1")
    assert read.manifest["rows"] > 400, "the example has rows that are nobody's"
    assert list(read.mean("cost")["rows"]) == [pytest.approx(400)]
    by = read.mean("cost", by="sex")
    assert (list(by["sex"]), sum(by["rows"])) == (["f", "m"], pytest.approx(400))
