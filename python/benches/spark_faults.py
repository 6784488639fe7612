"""Publishes on a separate cluster while executors are killed and tasks fail.

`python spark_faults.py ROWS` starts `local-cluster[2,1,…]` (PySpark with Java 17, separate
executors on this machine, everything on the loopback address) and publishes a table of so many
rows:

* undisturbed;
* with an executor killed in every stage, one after the other, and with `halving` while groups are made;
* with every task failing once.

Speculative execution is on.

After each run, either the release has the table's multiset and every group satisfies the model, or
there is an error and no release. Prints a line of JSON for each run.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

import openveil as ov
import openveil.spark
from openveil.spark import _publish

L = 8
KNOWN = ["age", "sex", "education", "region"]


def write(path: Path, rows: int) -> None:
    """Writes a table whose values depend on the known columns, in several files."""
    coins = np.random.default_rng(1)
    path.mkdir()
    for number, start in enumerate(range(0, rows, 250_000)):
        many = min(250_000, rows - start)
        age = coins.integers(17, 91, many)
        education = np.clip((age // 12) + coins.integers(0, 9, many), 0, 15)
        table = pa.table(
            {
                "age": age,
                "sex": np.where(coins.random(many) < 0.3, "f", "m"),
                "education": education,
                "region": coins.integers(0, 40, many),
                "occupation": (education * 3 + coins.integers(0, 14, many)) % 50,
            }
        )
        pq.write_table(table, path / f"part-{number:04}.parquet")


def session(memory: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (
        SparkSession.builder.master(f"local-cluster[2,1,{memory}]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.speculation", "true")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .config("spark.executor.memory", f"{memory}m")
        .getOrCreate()
    )


def check(spark: Any, out: Path, table: Any) -> dict[str, Any]:
    """Returns properties of a release, computed from its files."""
    from pyspark.sql import functions as F

    released = spark.read.parquet(str(out / "release/release.parquet"))
    count = lambda df: {row[0]: row[1] for row in df.groupBy("occupation").count().collect()}  # noqa: E731
    groups = released.groupBy("group", "occupation").count().groupBy("group")
    worst = groups.agg((F.max("count") * L - F.sum("count")).alias("over")).agg(F.max("over"))
    return {"same values": count(released) == count(table), "kept": worst.first()[0] <= 0}


class Killer(threading.Thread):
    """Kills one executor soon after a stage begins."""

    def __init__(self, after: float) -> None:
        super().__init__(daemon=True)
        self.after = after
        self.killed = 0

    def run(self) -> None:
        time.sleep(self.after)
        for process in psutil.process_iter(["cmdline"]):
            if any("CoarseGrainedExecutorBackend" in part for part in process.info["cmdline"] or []):
                process.kill()
                self.killed += 1
                return


def publish(df: Any, out: Path, **more: Any) -> tuple[float, Any]:
    start = time.monotonic()
    release = ov.spark.publish(
        df, known=KNOWN, secret="occupation", model=ov.l_diversity(L), to=out, **more
    )
    return time.monotonic() - start, release


def killing(stage: str, spark: Any, df: Any, out: Path, **more: Any) -> dict[str, Any]:
    """Runs and kills an executor in one stage."""
    killer = Killer(0.4)
    done = getattr(_publish._Job, stage)

    def disturbed(*arguments: Any, **keywords: Any) -> Any:
        if not killer.is_alive() and killer.killed == 0:
            killer.start()
        return done(*arguments, **keywords)

    setattr(_publish._Job, stage, disturbed)
    try:
        seconds, _ = publish(df, out, **more)
    finally:
        setattr(_publish._Job, stage, done)
    killer.join()
    return {"killed": killer.killed, "seconds": round(seconds, 1), **check(spark, out, df)}


def failing_once(spark: Any, df: Any, out: Path, marks: Path) -> dict[str, Any]:
    """Runs while every task that reads the table fails the first time."""
    marks.mkdir()
    folder, schema = str(marks), df.schema

    def fails(batches: Any) -> Any:
        from pyspark import TaskContext

        context = TaskContext.get()
        mark = os.path.join(folder, f"{context.stageId()}-{context.partitionId()}")
        if not os.path.exists(mark):
            open(mark, "w").close()
            raise OSError("this task fails once")
        yield from batches

    seconds, _ = publish(df.mapInArrow(fails, schema), out)
    return {"failed": len(os.listdir(marks)), "seconds": round(seconds, 1), **check(spark, out, df)}


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    failures = 0

    def say(what: str, found: dict[str, Any]) -> None:
        nonlocal failures
        failures += not (found.get("same values", True) and found.get("kept", True))
        print(json.dumps({"what": what, **found}), flush=True)

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root / "people", rows)
        spark = session(2_048)
        df = spark.read.parquet(str(root / "people"))
        seconds, _ = publish(df, root / "out")
        say(f"{rows} rows", {"seconds": round(seconds, 1), **check(spark, root / "out", df)})
        small = df.limit(200_000)
        small.write.parquet(str(root / "fewer"))
        small = spark.read.parquet(str(root / "fewer"))
        for stage in ("plan", "encoded", "parts", "made", "written", "recount"):
            say(f"an executor killed: {stage}", killing(stage, spark, small, root / "killed"))
        halving = killing("made", spark, small, root / "halved", algorithm="halving", part_rows=30_000)
        say("an executor killed: halving", halving)
        say("tasks fail once", failing_once(spark, small, root / "failed", root / "marks"))
        spark.stop()
        shutil.rmtree(root / "out")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
