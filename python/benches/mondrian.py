"""Mondrian on Spark, for comparison: as De Capitani di Vimercati, Facchinetti, Foresti, Livraga,
Oldani, Paraboschi, Rossi and Samarati describe it (*Scalable distributed data anonymization for
large datasets*, IEEE Transactions on Big Data 9, 2023; the mosaicrown project).

The coordinator cuts a *sample* of the table at medians, as Mondrian does, into as many fragments as
there are workers. Every row goes to its fragment. Every worker runs Mondrian on its fragment, as
long as both sides of a cut satisfy l-diversity. This is a re-implementation from the paper, in
numpy; known columns are whole numbers. It has no guarantee against a reader who runs it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def fragments(sample: np.ndarray, many: int) -> list[Any]:
    """Returns a tree of cuts of the sample: ``[column, value, lower, upper]`` or the fragment's
    number."""
    number = iter(range(many))

    def cut(rows: np.ndarray, left: int) -> Any:
        spans = np.ptp(rows, axis=0) / np.maximum(np.ptp(sample, axis=0), 1)
        column = int(np.argmax(spans))
        value = float(np.median(rows[:, column]))
        lower = rows[:, column] <= value
        if left <= 1 or lower.all() or not lower.any():
            return next(number)
        return [column, value, cut(rows[lower], left // 2), cut(rows[~lower], left - left // 2)]

    return cut(sample, many)


def fragment_of(tree: Any, rows: np.ndarray) -> np.ndarray:
    """Returns the fragment of each row."""
    found = np.zeros(len(rows), dtype=np.int32)

    def go(node: Any, at: np.ndarray) -> None:
        if not isinstance(node, list):
            found[at] = node
            return
        column, value, lower, upper = node
        is_lower = rows[at, column] <= value
        go(lower, at[is_lower])
        go(upper, at[~is_lower])

    go(tree, np.arange(len(rows)))
    return found


def mondrian(known: np.ndarray, secret: np.ndarray, l: int) -> np.ndarray:
    """Returns the group of each row. Cuts at the median of the widest column for which, on both
    sides, no value has more than 1/l of the rows."""
    whole = np.maximum(np.ptp(known, axis=0), 1)
    group = np.zeros(len(known), dtype=np.int64)
    values = int(secret.max()) + 1 if len(secret) else 1
    count = 0
    waiting = [np.arange(len(known))]

    def is_diverse(rows: np.ndarray) -> bool:
        if len(rows) < l:
            return False
        return int(np.bincount(secret[rows], minlength=values).max()) * l <= len(rows)

    while waiting:
        rows = waiting.pop()
        own = known[rows]
        for column in np.argsort(-np.ptp(own, axis=0) / whole):
            keys = own[:, column]
            middle = np.median(keys)
            lower = keys <= middle
            if lower.all():
                lower = keys < middle
            low, high = rows[lower], rows[~lower]
            if len(low) and len(high) and is_diverse(low) and is_diverse(high):
                waiting += [low, high]
                break
        else:
            group[rows] = count
            count += 1
    return group


def publish(df: Any, known: list[str], secret: str, l: int, to: str, many: int = 16) -> None:
    """Publishes a DataFrame: per row the bounds of its group on each known column, its value and
    its group."""
    from pyspark.sql import functions as F

    rows = df.count()
    share = min(1.0, 100_000 / rows)
    sample = df.select(*known).sample(share, 1).toPandas().to_numpy()
    tree = fragments(sample, many)
    names = [*known, secret]
    bounds = [f"{name}_{end}" for name in known for end in ("min", "max")]

    def placed(batches: Any) -> Any:
        for batch in batches:
            batch["fragment"] = fragment_of(tree, batch[known].to_numpy())
            yield batch

    def grouped(part: pd.DataFrame) -> pd.DataFrame:
        part = part.reset_index(drop=True)
        group = mondrian(part[known].to_numpy(), part[secret].to_numpy(), l)
        made = pd.DataFrame({secret: part[secret]})
        for name in known:
            by = part[name].groupby(group)
            made[f"{name}_min"], made[f"{name}_max"] = by.transform("min"), by.transform("max")
        made["group"] = group + (int(part["fragment"].iloc[0]) << 32)
        return made[[*bounds, secret, "group"]]

    schema = ", ".join(f"{name} bigint" for name in [*names, "fragment"])
    fragmented = df.select(*(F.col(name).cast("bigint") for name in names)).mapInPandas(placed, schema)
    made = fragmented.groupBy("fragment").applyInPandas(
        lambda part: grouped(part), ", ".join(f"{name} bigint" for name in [*bounds, secret, "group"])
    )
    made.write.mode("overwrite").parquet(to)
