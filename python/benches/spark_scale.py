"""Measures the cost of publishing with Spark: on Sail, at several sizes, compared with one machine
and with Mondrian on Spark.

`python spark_scale.py ROWS… [--part-rows N] [--algorithm NAME] [--mondrian] [--local OPENVEIL]` prints a line of JSON
per run: seconds, CPU seconds, peak memory of server and driver together, and with `--mondrian` the
mean error of count queries of both (ranges on one, two and all known columns, with and without a
value). The command at OPENVEIL publishes the same file on one machine. Tables are generated, with a
fixed seed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
import threading
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow.parquet as pq

import openveil as ov
import openveil.spark

from mondrian import publish as publish_by_mondrian
from spark_faults import KNOWN, L, write

POLICY = f"""
[input]
path = "people"
[columns]
{{columns}}
occupation = {{{{ role = "sensitive", type = "integer" }}}}
[privacy]
model = "l-diversity"
l = {L}
[algorithm]
name = "{{algorithm}}"
[output]
format = "parquet"
"""


class Memory(threading.Thread):
    """Measures the peak memory of this process and its children."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0

    def run(self) -> None:
        process = psutil.Process()
        while True:
            own = [process, *process.children(recursive=True)]
            self.most = max(self.most, sum(each.memory_info().rss for each in own))
            time.sleep(0.05)


def measured(work: Any) -> dict[str, Any]:
    memory = Memory()
    memory.start()
    start, cpu = time.monotonic(), time.process_time()
    work()
    return {
        "seconds": round(time.monotonic() - start, 1),
        "cpu": round(time.process_time() - cpu, 1),
        "megabytes": memory.most >> 20,
    }


def local(command: str, folder: Path, algorithm: str) -> dict[str, Any]:
    kinds = {name: "text" if name == "sex" else "integer" for name in KNOWN}
    described = [
        f'{name} = {{ role = "quasi-identifier", type = "{kind}" }}' for name, kind in kinds.items()
    ]
    columns = "\n".join(described)
    (folder / "policy.toml").write_text(POLICY.format(columns=columns, algorithm=algorithm))
    start = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [command, "publish", folder / "policy.toml", "--out", folder / "local", "--no-report"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(time.monotonic() - start, 1),
        "cpu": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "megabytes": after.ru_maxrss >> 10,
    }


def bounds(column: Any) -> np.ndarray:
    """Returns the least and greatest value of each row's cell: `31`, or `[17, 24]`."""
    encoded = column.combine_chunks().dictionary_encode()
    texts = [text.strip("[]").split(", ") for text in encoded.dictionary.to_pylist()]
    ends = np.array([(int(text[0]), int(text[-1])) for text in texts])
    return ends[encoded.indices.to_numpy()]


def errors(table: Any, boxes: dict[str, np.ndarray], values: np.ndarray) -> dict[str, float]:
    """Returns the mean relative error of count queries, with a group's people spread evenly over
    its box."""
    coins = np.random.default_rng(1)
    names = list(boxes)
    found: dict[str, float] = {}
    for size in (1, 2, len(names)):
        for with_value in (False, True):
            own = []
            for columns in combinations(names, size):
                for _ in range(12):
                    true = np.ones(len(table), bool)
                    share = np.ones(len(values))
                    for name in columns:
                        column = table[name]
                        low, high = column.min(), column.max()
                        width = max(1, int((high - low + 1) * 0.3 ** (1 / size)))
                        start = coins.integers(low, high - width + 2)
                        true &= (column >= start) & (column < start + width)
                        least, most = boxes[name].T
                        inside = np.minimum(most + 1, start + width) - np.maximum(least, start)
                        share *= np.clip(inside, 0, None) / (most - least + 1)
                    if with_value:
                        value = coins.choice(values)
                        true &= table["occupation"] == value
                        share = share * (values == value)
                    if true.sum() >= 50:
                        own.append(abs(share.sum() - true.sum()) / true.sum())
            kind = {1: "one", 2: "two"}.get(size, "all") + (" and a value" if with_value else "")
            found[kind] = round(float(np.mean(own)), 4)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int, nargs="+")
    parser.add_argument("--part-rows", type=int, default=1 << 18)
    parser.add_argument("--mondrian", action="store_true")
    parser.add_argument("--algorithm", default="auto")
    parser.add_argument("--local", metavar="OPENVEIL")
    asked = parser.parse_args()

    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    for rows in asked.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder / "people", rows)
            # Mondrian needs whole numbers.
            df = spark.read.parquet(str(folder / "people"))
            df = df.withColumn("sex", (F.col("sex") == "f").cast("bigint"))
            say = lambda what, found: print(json.dumps({"what": what, "rows": rows, **found}), flush=True)  # noqa: E731
            if asked.local:
                say("one machine", local(asked.local, folder, asked.algorithm))
            say("openveil", measured(lambda: ov.spark.publish(
                df, known=KNOWN, secret="occupation", model=ov.l_diversity(L),
                algorithm=asked.algorithm, to=folder / "out", part_rows=asked.part_rows,
            )))  # fmt: skip
            if asked.mondrian:
                to = str(folder / "mondrian")
                say("mondrian", measured(lambda: publish_by_mondrian(df, KNOWN, "occupation", L, to)))
                table = df.toPandas()
                ours = pq.read_table(folder / "out/release/release.parquet")
                boxes = {name: bounds(ours[name]) for name in KNOWN}
                say("openveil", {"errors": errors(table, boxes, ours["occupation"].to_numpy())})
                theirs = pq.read_table(to).to_pandas()
                boxes = {n: theirs[[f"{n}_min", f"{n}_max"]].to_numpy() for n in KNOWN}
                say("mondrian", {"errors": errors(table, boxes, theirs["occupation"].to_numpy())})
    os._exit(0)


if __name__ == "__main__":
    main()
