"""A job on a schedule: publishes a table of Spark by a policy.

    spark-submit examples/spark/job.py policy.toml s3://hospital/visits s3://public/visits

Exits with 0 if the release is there, with 1 if the table does not allow what the policy promises,
and with 2 if anything else stands in the way. Do not run it again with other
parameters because of what came out: decide them before (docs/theory/adversary.md).
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import openveil as ov
import openveil.spark


def main() -> int:
    policy, table, to = sys.argv[1:4]
    spark = SparkSession.builder.getOrCreate()
    try:
        release = ov.spark.publish(spark.read.parquet(table), policy, to=to)
    except ov.RefusedError as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 1
    except Exception as wrong:
        print(f"error: {wrong}", file=sys.stderr)
        return 2
    print(release)
    return 0


if __name__ == "__main__":
    sys.exit(main())
