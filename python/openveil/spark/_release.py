"""Releases that lie where Spark reads them."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any

from .._documents import Document, document
from .._openveil import InputError
from . import _tasks
from ._columns import column
from ._errors import said_by_executors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Groups that one task is asked about.
GROUPS = 1 << 15


class Release:
    """A release that was published with Spark, or read back."""

    def __init__(
        self, spark: SparkSession, folder: str, manifest: Document, owner: Document | None = None
    ) -> None:
        self._spark = spark
        self.folder = folder
        self.manifest = manifest
        self._owner = owner

    @property
    def guarantee(self) -> Document:
        """What is promised, and against whom: ``adversary``, ``max_posterior``, ``statement``."""
        guarantee: Document = self.manifest["guarantee"]
        return guarantee

    @property
    def owner(self) -> Document:
        """What stays with the owner; of a release that was just made."""
        if self._owner is None:
            raise InputError("this release was read back: its owner's part is not here")
        return self._owner

    @property
    def table(self) -> DataFrame:
        """The published table, a row for each person."""
        return self._spark.read.parquet(f"{self.folder}/{self.manifest['files'][0]}")

    @property
    def values(self) -> DataFrame:
        """In the anatomy style, which group has which values."""
        files = self.manifest["files"]
        if len(files) < 2:
            raise InputError("values stand in `table`: only the anatomy style keeps them apart")
        return self._spark.read.parquet(f"{self.folder}/{files[1]}")

    def _grouped(self) -> tuple[DataFrame, list[str]]:
        """Rows with their group and what is secret, and what the latter is called."""
        secret = [own["name"] for own in self.manifest["columns"] if own["role"] == "sensitive"]
        if len(self.manifest["files"]) < 2:
            return self.table, secret
        from pyspark.sql import functions as F

        repeated = F.explode(F.array_repeat(column(secret[0]), F.col("count").cast("int")))
        return self.values.select("group", repeated.alias(secret[0])), secret

    def utility(self) -> Document:
        """How useful the release is, measured on what is published."""
        utility: Document = self.manifest["utility"]
        return utility

    def query(self, where: str) -> Document:
        """How many rows meet conditions: ``estimate`` with its ``standard_error``.

        ``"age >= 30 and sex = Female"``, as for :meth:`openveil.Release.query`; groups are asked
        where they lie, 32,768 at a time. What values have to do with known columns is learned from
        those that are asked together, so the estimate for a larger release differs a little from
        the one in memory.
        """
        with said_by_executors():
            return self._query(where)

    def _query(self, where: str) -> Document:
        from pyspark.sql import functions as F

        manifest = json.dumps(self.manifest)
        columns = [list(self.table.columns)]
        rows = self.table.withColumn(_tasks.FILE, F.lit(0))
        if len(self.manifest["files"]) > 1:
            columns.append(list(self.values.columns))
            values = self.values.withColumn(_tasks.FILE, F.lit(1))
            rows = _with_columns_of(rows, values).unionByName(_with_columns_of(values, rows))
        bucket = ((F.col("group") - 1) / GROUPS).cast("int")
        found = rows.withColumn(_tasks.BUCKET, bucket).groupBy(_tasks.BUCKET).applyInArrow(
            lambda rows: _tasks.query(manifest, columns, where, rows), "estimate double, variance double"
        )
        total: Any = found.agg(F.sum("estimate"), F.sum("variance")).first()
        answer = Document(where=where, estimate=total[0], rows=self.manifest["rows"])
        # None is known where a condition divides what is published as one.
        if not math.isnan(total[1]):
            answer["standard_error"] = total[1] ** 0.5
        return answer

    def __repr__(self) -> str:
        manifest = self.manifest
        return (
            f"<openveil.spark.Release: {manifest['rows']:,} rows in {manifest['groups']:,} groups>\n"
            f"  {self.guarantee['statement']}\n  {self.folder}"
        )


def _with_columns_of(rows: DataFrame, others: DataFrame) -> DataFrame:
    """Rows with the columns that only others have, too, empty."""
    from pyspark.sql import functions as F

    for field in others.schema.fields:
        if field.name not in rows.columns:
            rows = rows.withColumn(field.name, F.lit(None).cast(field.dataType))
    return rows


def read_release(spark: SparkSession, folder: str | os.PathLike[str]) -> Release:
    """A release from the folder that it was published to."""
    from ._place import _address, _joined, _read

    root = _address(folder)
    for place in (_joined(root, "release"), root):
        text = _read(_joined(place, "manifest.json"))
        if text is not None:
            return Release(spark, place, document(text))
    raise InputError(f"{root}: holds no release: there is no manifest.json in it")
