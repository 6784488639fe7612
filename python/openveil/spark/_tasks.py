"""Tasks of executors: they take and return batches of Arrow.

The native part makes every decision. A task that runs twice on the same rows has the same result,
except for tasks that draw random numbers: their output is stored.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from .. import _openveil
from .._analysis import Effort

#: Rows that are processed at a time.
ROWS = 1 << 17

#: The column with the number of the partition, if a test seed repeats the random draws.
PARTITION = "__openveil_partition"

#: The column with the number of a part.
PART = "__openveil_part"

#: The column with the tally of a part, in the part's first row.
TALLY = "__openveil_tally"

Batches = Iterator[pa.RecordBatch]


def _plan(shipped: bytes) -> _openveil.Cluster:
    plan: _openveil.Cluster = _received(_openveil.Cluster, shipped)
    return plan


def _parts(shipped: bytes) -> _openveil.Parts:
    parts: _openveil.Parts = _received(_openveil.Parts, shipped)
    return parts


#: Sail runs tasks in threads: without a lock, each of them would receive the same plan.
_RECEIVING = threading.Lock()


def _received(kind: Any, shipped: bytes) -> Any:
    with _RECEIVING:
        return _cached(kind, shipped)


@functools.lru_cache(maxsize=4)
def _cached(kind: Any, shipped: bytes) -> Any:
    return kind.receive(shipped)


def census(policy: str, path: str, one_in: int, seed: int | None, batches: Batches) -> Batches:
    """Counts rows, and draws one row in ``one_in``."""
    for number, table in enumerate(_tables(batches)):
        rows, own = _seeded(table, seed, number)
        counted = _openveil.Cluster.census(policy, path, native(rows), one_in, own)
        yield from _batches(counted)


def encode(plan: bytes, seed: int | None, batches: Batches) -> Batches:
    """Returns codes and random numbers of rows. Each call draws new numbers, so the output has to
    be stored."""
    for number, table in enumerate(_tables(batches)):
        rows, own = _seeded(table, seed, number)
        yield from _batches(_plan(plan).encode(native(rows), own))


def place(parts: bytes, batches: Batches) -> Batches:
    """Returns the part and the place of each row. A partition has all rows of a lot or none."""
    rows = list(batches)
    if rows:
        yield from _batches(_parts(parts).place(native(pa.Table.from_batches(rows))))


def part(plan: bytes, parts: bytes, rows: pa.Table) -> pa.Table:
    """Publishes one part, with groups numbered from 1. The first row carries the part's tally."""
    number = rows.column("part")[0].as_py()
    made, tally = _plan(plan).part(native(rows), _parts(parts))
    released = pa.table(made)
    none = pa.nulls(len(released) - 1, pa.string())
    beside = pa.chunked_array([pa.array([tally]), none])
    numbers = pa.repeat(pa.scalar(number, pa.int32()), len(released))
    return released.append_column(PART, numbers).append_column(TALLY, beside)


def query(
    manifest: str, columns: list[list[str]], where: str, effort: Effort, rows: pa.Table
) -> pa.Table:
    """Returns how many rows of some whole groups meet conditions. ``rows`` are the rows of all
    files of the release; each file has some of the ``columns``."""
    import json
    import os
    import tempfile

    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    own = json.loads(manifest)
    first = pc.subtract(pc.min(rows.column("group")), 1)
    rows = rows.set_column(
        rows.schema.get_field_index("group"), "group", pc.subtract(rows.column("group"), first)
    )
    files = [
        rows.filter(pc.equal(rows.column(FILE), number)).select(names)
        for number, names in enumerate(columns)
    ]
    own.update(rows=len(files[0]), groups=pc.max(rows.column("group")).as_py())
    # The folder holds only a piece of the published release.
    with tempfile.TemporaryDirectory() as folder:
        for name, file in zip(own["files"], files, strict=True):
            pq.write_table(file, os.path.join(folder, name))
        with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as document:
            json.dump(own, document)
        found = json.loads(_openveil.read_release(folder).count(where, None, **effort))
    low, high = found["interval"]
    # An exact count has no error.
    error = found.get("deal_error", 0.0 if found["method"] == "exact" else None)
    answer = {
        "estimate": [found["estimate"]],
        "evenly": [found["estimate_evenly"]],
        "low": [low],
        "high": [high],
        "method": [found["method"]],
        "deal_error": pa.array([error], pa.float64()),
    }
    return pa.table(answer)


#: The column with the file of the release that a row comes from.
FILE = "__openveil_file"

#: The column with the number of the task that answers for a group.
BUCKET = "__openveil_bucket"


def _tables(batches: Batches) -> Iterator[pa.Table]:
    """Yields several batches at a time as one table."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= ROWS:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _seeded(table: pa.Table, seed: int | None, number: int) -> tuple[pa.Table, int | None]:
    """Returns the rows, and a seed for the random draws of some rows of a partition."""
    if seed is None:
        return table, None
    partition = table.column(PARTITION)[0].as_py()
    return table.drop_columns([PARTITION]), mixed(seed, partition, number + 2)


def mixed(seed: int, part: int, number: int) -> int:
    step = (part * 0x9E37_79B9_7F4A_7C15 + number * 0xBF58_476D_1CE4_E5B9) % 2**64
    return (seed + step) % 2**64


def native(table: pa.Table) -> _openveil.Table:
    return _openveil.Table.from_stream(table)


def _batches(table: Any) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = pa.table(table).to_batches()
    return batches
