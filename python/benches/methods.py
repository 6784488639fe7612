"""Openveil beside the methods of ARX, sdcMicro and synthpop, on one table, for the README.

``python methods.py OPENVEIL adult.csv HIERARCHIES`` prints a Markdown table. It needs pandas
and scikit-learn, the command ``openveil``, the Adult table as ARX ships it (30,162 rows)
and a folder with ARX's hierarchies.

ARX and sdcMicro themselves are not run. Their methods are: full-domain recoding with the least
discernability (``incognito`` of openveil, with ARX's hierarchies and distinct 4-diversity) and local
suppression until each row has three lookalikes by its key variables, the variable with the most
values first, a suppressed cell counting as a value of its own. Both publish the sensitive column in
rows. Synthetic rows come from classification trees, column by column, as synthpop makes them.

*Associations*: the slope of estimated on true deviations from independence, over tables of a known
column with the sensitive one; mean over columns; 1 is right. An estimate spreads a recoded cell
evenly over its values. *Certain*: people all of whose lookalikes in the release share one value.
*Guessed*: people whose value is guessed right by the better of two readers: one takes the most
frequent value of the lookalikes, the other a forest that was trained on the release. For Openveil it
is the ``learner`` of ``openveil attack``, which also knows everyone's group.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

KNOWN = ["sex", "age", "race", "marital-status", "education", "workclass"]
SECRET = "occupation"


def coarse(column: str, values: pd.Series) -> pd.Series:
    """Values as they are tabulated: ages by decades."""
    return values.astype(int) // 10 * 10 if column == "age" else values


def deviations(table: pd.DataFrame) -> np.ndarray:
    counts = table.to_numpy(float)
    return (counts - np.outer(counts.sum(1), counts.sum(0)) / counts.sum()).ravel()


def slope(truth: pd.DataFrame, estimates: dict[str, pd.DataFrame]) -> float:
    """The mean slope of estimated on true deviations from independence."""
    slopes = []
    for column, estimate in estimates.items():
        true = pd.crosstab(coarse(column, truth[column]), truth[SECRET])
        found = deviations(estimate.reindex_like(true).fillna(0))
        true = deviations(true)
        slopes.append(found @ true / (true @ true))
    return float(np.mean(slopes))


def forest(release: pd.DataFrame, people: pd.DataFrame) -> np.ndarray:
    """Guesses of a forest that was trained on released rows."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    known = encoder.fit_transform(release[KNOWN].astype(str))
    model = RandomForestClassifier(200, min_samples_leaf=5, n_jobs=-1, random_state=1)
    return model.fit(known, release[SECRET]).predict(encoder.transform(people[KNOWN].astype(str)))


def lookalikes(release: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """For each person, how many compatible rows have each value. ``*`` is a suppressed cell."""
    values = sorted(people[SECRET].unique())
    total = np.zeros((len(people), len(values)))
    hidden = (release[KNOWN] == "*").apply(lambda row: ",".join(row.index[row]), axis=1)
    for names, rows in release.groupby(hidden):
        columns = [column for column in KNOWN if column not in names.split(",")]
        if columns:
            counts = pd.crosstab([rows[column] for column in columns], rows[SECRET]).reindex(columns=values, fill_value=0)
            at = pd.MultiIndex.from_frame(people[columns]) if len(columns) > 1 else people[columns[0]]
            total += counts.reindex(at, fill_value=0).to_numpy()
        else:
            total += rows[SECRET].value_counts().reindex(values, fill_value=0).to_numpy()
    return pd.DataFrame(total, columns=values)


def rows_of(table: pd.DataFrame, release: pd.DataFrame, as_seen: pd.DataFrame, spread: dict[str, pd.Series]) -> dict:
    """The figures of a release that has a sensitive value in each row."""
    alike = lookalikes(release, as_seen)
    certain = (release.groupby(KNOWN)[SECRET].transform("nunique") == 1).mean()
    by_rows = (alike.idxmax(axis=1) == table[SECRET]).mean()
    by_forest = (forest(release, as_seen) == table[SECRET]).mean()
    estimates = {}
    for column in KNOWN:
        counts = pd.crosstab(release[column], release[SECRET])
        parts = [
            pd.DataFrame(np.outer(shares, counts.loc[label]), index=shares.index, columns=counts.columns)
            for label, shares in ((label, spread[column](label)) for label in counts.index)
        ]
        estimates[column] = pd.concat(parts).groupby(level=0).sum()
    return {"associations": slope(table, estimates), "certain": certain, "guessed": max(by_rows, by_forest)}


def evenly(column: str, table: pd.DataFrame, hierarchy: dict[str, set[str]]):
    """Shares of the tabulated values behind a label, spread over the values that occur."""
    occurring = table[column].unique()

    def shares(label: str) -> pd.Series:
        members = [value for value in occurring if label in ("*", value) or value in hierarchy.get(label, ())]
        return coarse(column, pd.Series(members)).value_counts(normalize=True)

    return shares


def policy(folder: Path, table: Path, text: str, hierarchies: Path | None = None) -> Path:
    def entry(column: str) -> str:
        kind = ', type = "integer"' if column == "age" and not hierarchies else ""
        tree = f', hierarchy = "{hierarchies / f"adult_hierarchy_{column}.csv"}"' if hierarchies else ""
        return f'"{column}" = {{ role = "quasi-identifier"{kind}{tree} }}'

    columns = "\n".join(entry(column) for column in KNOWN)
    path = folder / "policy.toml"
    path.write_text(
        f'[input]\npath = "{table}"\ndelimiter = ";"\n[columns]\n{columns}\n{SECRET} = {{ role = "sensitive" }}\n'
        f'native-country = {{ role = "drop" }}\nsalary-class = {{ role = "drop" }}\n{text}'
    )
    return path


def run(*command: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def openveil(program: str, source: Path, table: pd.DataFrame, text: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        at = policy(Path(folder), source, text)
        out = Path(folder) / "out"
        started = time.monotonic()
        run(program, "publish", at, "--out", out)
        seconds = time.monotonic() - started
        estimates = {}
        for column in KNOWN:
            cells = json.loads(run(program, "query", out, "--by", f"{column},{SECRET}", "--json"))["cells"]
            long = pd.DataFrame(cells)
            estimates[column] = long.groupby([coarse(column, long[column]), SECRET])["estimate"].sum().unstack()
        attack = json.loads(run(program, "attack", out, "--policy", at, "--json"))
        return {
            "associations": slope(table, estimates),
            "certain": attack["homogeneity"]["rows"] / len(table),
            "guessed": attack["learner"]["accuracy_members_known"],
            "seconds": seconds,
        }


def recoding(program: str, source: Path, table: pd.DataFrame, hierarchies: Path) -> dict:
    text = '[privacy]\nmodel = "l-diversity"\nvariant = "distinct"\nl = 4\n[algorithm]\nname = "incognito"\n'
    with tempfile.TemporaryDirectory() as folder:
        at = policy(Path(folder), source, text, hierarchies)
        out = Path(folder) / "out"
        started = time.monotonic()
        run(program, "publish", at, "--out", out, "--i-accept-algorithm-disclosure")
        seconds = time.monotonic() - started
        release = pd.read_csv(out / "release/release.csv", dtype=str)
    as_seen, spread = table.copy(), {}
    for column in KNOWN:
        tree = pd.read_csv(hierarchies / f"adult_hierarchy_{column}.csv", sep=";", header=None, dtype=str)
        members: dict[str, set[str]] = {}
        for level in tree.columns[1:]:
            for label, values in groupby(sorted(zip(tree[level], tree[0], strict=True)), key=lambda pair: pair[0]):
                members.setdefault(label, set()).update(value for _, value in values)
        # One group shows a label, or the values of the group inside of a label's reach.
        for cell in release[column].unique():
            if cell not in members and cell not in set(tree[0]):
                parts = cell.strip("{}").split("|")
                members[cell] = set().union(*(members.get(part, {part}) for part in parts))
        labels = release[column].unique()
        seen = {value: next(label for label in labels if value == label or value in members.get(label, ())) for value in table[column].unique()}
        as_seen[column] = table[column].map(seen)
        spread[column] = evenly(column, table, members)
    return rows_of(table, release, as_seen, spread) | {"seconds": seconds}


def suppression(table: pd.DataFrame, k: int) -> dict:
    started = time.monotonic()
    release = table[[*KNOWN, SECRET]].copy()
    for column in sorted(KNOWN, key=lambda column: -table[column].nunique()):
        rare = release.groupby(KNOWN)[SECRET].transform("size") < k
        release.loc[rare, column] = "*"
    seconds = time.monotonic() - started
    spread = {column: evenly(column, table, {}) for column in KNOWN}
    return rows_of(table, release, table, spread) | {"seconds": seconds}


def synthetic(table: pd.DataFrame) -> dict:
    started = time.monotonic()
    draws = np.random.default_rng(1)
    order = [*KNOWN, SECRET]
    release = pd.DataFrame({order[0]: draws.choice(table[order[0]].to_numpy(), len(table))})
    for before, column in enumerate(order[1:], 1):
        encoder = OneHotEncoder(handle_unknown="ignore")
        tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=1)
        tree.fit(encoder.fit_transform(table[order[:before]]), table[column])
        # A leaf's own distribution, from which each synthetic row draws.
        chances = tree.predict_proba(encoder.transform(release[order[:before]])).cumsum(axis=1)
        release[column] = tree.classes_[(draws.random((len(table), 1)) > chances).sum(axis=1)]
    seconds = time.monotonic() - started
    spread = {column: evenly(column, table, {}) for column in KNOWN}
    return rows_of(table, release, table, spread) | {"seconds": seconds, "certain": float("nan")}


def main() -> None:
    warnings.simplefilter("ignore")
    program, source, hierarchies = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    table = pd.read_csv(source, sep=";", dtype=str)
    anatomy = '[output]\nstyle = "anatomy"\n'
    ratio = '[privacy]\nmodel = "l-diversity"\nl = 4\n[algorithm]\nname = "cover"\n'
    distinct = '[privacy]\nmodel = "l-diversity"\nvariant = "distinct"\nl = 4\n[algorithm]\nname = "halving"\n'
    ways = {
        "Openveil, ratio 4-diversity": lambda: openveil(program, source, table, ratio + anatomy),
        "Openveil, distinct 4-diversity": lambda: openveil(program, source, table, distinct + anatomy),
        "recoding, the method of ARX": lambda: recoding(program, source, table, hierarchies),
        "local suppression, the method of sdcMicro": lambda: suppression(table, 3),
        "synthetic rows, the method of synthpop": lambda: synthetic(table),
    }
    print("| | associations | certain | guessed | seconds |\n| --- | ---: | ---: | ---: | ---: |")
    for name, way in ways.items():
        got = way()
        certain = "–" if np.isnan(got["certain"]) else f"{got['certain']:.1%}"
        print(f"| {name} | {got['associations']:.2f} | {certain} | {got['guessed']:.0%} | {got['seconds']:.1f} |", flush=True)


if __name__ == "__main__":
    main()
