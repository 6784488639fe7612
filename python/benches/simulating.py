"""A reader who simulates: does it guess more than the groups' values and a fit allow?

The reader fits a release, draws tables from the fit, publishes them by the same policy, and trains gradient boosting on
them: on a person's own columns, those of the fellows, the group's values and the chances by the fit. Usage:

    python simulating.py TABLE.csv SECRET L KNOWN,KNOWN,… [WORLDS]

Prints the share of people guessed right and of people with a chance above 0.9 (and right), by the fit alone and by
the boosted model. Needs scikit-learn and pandas.
"""

from __future__ import annotations

import sys

import numpy as np
import openveil as ov
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier


def published(table: pd.DataFrame, known: list[str], secret: str, l: int, seed: int) -> ov.Release:
    keywords = {"model": ov.l_diversity(l), "style": "anatomy", "missing": "drop-rows", "rows_are_people": True}
    return ov.publish(table, known=known, secret=secret, test_seed=seed, **keywords)


def chances(release: ov.Release, secret: str, values: list[str]) -> np.ndarray:
    """The chance of each value for each row of a release, by its own fit."""
    weights = release.weights(worlds=0)
    made = np.zeros((len(release.table), len(values)))
    at = {value: number for number, value in enumerate(values)}
    codes = weights[secret].astype(str).map(at).to_numpy()
    np.add.at(made, (weights["row"].to_numpy() - weights["row"].min(), codes), weights["weight"].to_numpy())
    return made / made.sum(1, keepdims=True)


def features(release: ov.Release, known: list[str], secret: str, values: list[str], levels: dict[str, list[str]]) -> np.ndarray:
    """Own columns, means over the group, the group's values, and the chances by the fit."""
    table = release.table
    own = []
    for name in known:
        if pd.api.types.is_numeric_dtype(table[name]):
            own.append(table[name].to_numpy(float)[:, None])
        else:
            texts = table[name].astype(str).to_numpy()
            own.append(np.column_stack([(texts == level).astype(float) for level in levels[name]]))
    own = np.hstack(own)
    group = pd.factorize(table["group"])[0]
    sizes = np.bincount(group).astype(float)
    fellows = np.zeros((len(sizes), own.shape[1]))
    np.add.at(fellows, group, own)
    fellows /= sizes[:, None]
    counts = release.tables["release-values"]
    shown = counts.pivot_table(index="group", columns=secret, values="count", fill_value=0, observed=False)
    shown.columns = shown.columns.astype(str)
    order = table["group"].drop_duplicates().to_numpy()
    shares = shown.reindex(index=order, columns=values, fill_value=0).to_numpy(float)
    shares = shares / shares.sum(1, keepdims=True)
    return np.hstack([own, fellows[group], own - fellows[group], sizes[group][:, None], shares[group], chances(release, secret, values)])


def main() -> None:
    path, secret, l, known = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4].split(",")
    worlds = int(sys.argv[5]) if len(sys.argv) > 5 else 4
    table = pd.read_csv(path, skipinitialspace=True, na_values="?")[[*known, secret]].dropna()
    table[secret] = table[secret].astype(str)
    # A release does not say which person is which row. Millionths of a number do, so that hits can be counted.
    number = next(name for name in known if pd.api.types.is_numeric_dtype(table[name]))
    table[number] = table[number].round() + np.arange(len(table)) / 1e6

    def rows(of: pd.DataFrame) -> np.ndarray:
        return ((of[number].to_numpy() % 1) * 1e6).round().astype(int)

    release = published(table, known, secret, l, 1)
    values = sorted(table[secret].unique())
    levels = {name: sorted(table[name].astype(str).unique())[:30] for name in known}
    truth = table[secret].map({value: at for at, value in enumerate(values)}).to_numpy()
    truth = truth[rows(release.table)]
    drawn = [published(world, known, secret, l, 2 + at) for at, world in enumerate(release.samples(worlds, worlds=0))]
    x, y = [], []
    for world, made in zip(release.samples(worlds, worlds=0), drawn, strict=True):
        x.append(features(made, known, secret, values, levels))
        of_row = dict(zip(rows(world), world[secret].astype(str), strict=True))
        y.append(np.array([values.index(of_row[row]) for row in rows(made.table)]))
    model = HistGradientBoostingClassifier(max_iter=120, learning_rate=0.06, max_leaf_nodes=15, min_samples_leaf=40, random_state=1)
    model.fit(np.vstack(x), np.concatenate(y))
    own = features(release, known, secret, values, levels)
    found = np.zeros((len(truth), len(values)))
    found[:, model.classes_] = model.predict_proba(own)
    for name, guess in [("fit", own[:, -len(values) :]), ("boosted", found)]:
        sure = guess.max(1) > 0.9
        hits = (guess.argmax(1) == truth).mean()
        right = (guess.argmax(1) == truth)[sure].mean() if sure.any() else float("nan")
        print(f"{path} {secret} l={l} {len(truth)} people, {len(release.table['group'].unique())} groups; {name}: hits {hits:.4f}, sure {sure.mean():.4f} (right {right:.2f})")


main()
