"""Releases that are stored where Spark can read them."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any

from .._analysis import Effort, effort
from .._documents import Document, document, told
from .._errors import InputError
from . import _tasks
from ._columns import column
from ._errors import said_by_executors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Groups that one task answers for.
GROUPS = 1 << 15

#: Methods of figures, the strongest first.
METHODS = ["exact", "fit-and-worlds", "fit", "bounds"]

#: The methods whose intervals hold with certainty.
CERTAIN = ("fit", "bounds")


class Release:
    """A release that was published with Spark, or read from its folder."""

    def __init__(
        self, spark: SparkSession, folder: str, manifest: Document, owner: Document | None = None
    ) -> None:
        self._spark = spark
        self.folder = folder
        self.manifest = manifest
        self._owner = owner
        #: Notes for the owner of a release that was just made.
        self.warnings: list[str] = []
        #: Points for the owner to check before the release is published.
        self.checklist: list[str] = [] if owner is None else list(owner["checklist"])

    @property
    def guarantee(self) -> Document:
        """The guarantee, and the reader it holds against: ``adversary``, ``max_posterior``,
        ``statement``."""
        guarantee: Document = self.manifest["guarantee"]
        return guarantee

    @property
    def owner(self) -> Document:
        """The owner's part, if the release was just made."""
        if self._owner is None:
            raise InputError("this release was read from its folder: the owner's part is not available")
        return self._owner

    @property
    def table(self) -> DataFrame:
        """The published table, a row for each person."""
        return self._spark.read.parquet(f"{self.folder}/{self.manifest['files'][0]}")

    @property
    def values(self) -> DataFrame:
        """In the anatomy style, the values of each group."""
        files = self.manifest["files"]
        if len(files) < 2:
            raise InputError("values are in `table`: only the style anatomy has a separate table of values")
        return self._spark.read.parquet(f"{self.folder}/{files[1]}")

    def _grouped(self) -> tuple[DataFrame, list[str]]:
        """Returns rows with their group and secret columns, and the names of the secret columns."""
        secret = [own["name"] for own in self.manifest["columns"] if own["role"] == "sensitive"]
        if len(self.manifest["files"]) < 2:
            return self.table, secret
        from pyspark.sql import functions as F

        repeated = F.explode(F.array_repeat(column(secret[0]), F.col("count").cast("int")))
        return self.values.select("group", repeated.alias(secret[0])), secret

    def utility(self) -> Document:
        """How useful the release is, measured on the published tables."""
        utility: Document = self.manifest["utility"]
        return utility

    def query(self, where: str, *, worlds: int = 8, seed: int = 1) -> Document:
        """Returns an estimate of how many rows meet conditions, as :meth:`openveil.Release.query`
        does.

        Executors answer for 32,768 groups at a time, each with its own fit. The estimates of these
        parts are added, and their errors are treated as independent. For a larger release the
        answer therefore differs a little from the answer in memory. ``method`` is the weakest
        method of any part: ``exact``, ``fit-and-worlds``, ``fit`` or ``bounds``.
        """
        with said_by_executors():
            return self._query(where, effort(worlds, seed))

    def _query(self, where: str, effort: Effort) -> Document:
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
            lambda rows: _tasks.query(manifest, columns, where, effort, rows),
            "estimate double, evenly double, low double, high double, method string, deal_error double",
        )
        parts: Any = found.orderBy("low").collect()
        return Document(where=where, rows=self.manifest["rows"], **added(parts))

    def __repr__(self) -> str:
        manifest = self.manifest
        return (
            f"<openveil.spark.Release: {manifest['rows']:,} rows in {manifest['groups']:,} groups>\n"
            f"  {self.guarantee['statement']}\n  {self.folder}{told(self.warnings, self.checklist)}"
        )


def added(parts: list[Any]) -> dict[str, Any]:
    """Returns the count of several parts from the count of each."""
    estimate = sum(own["estimate"] for own in parts)
    interval = []
    for end in ("low", "high"):
        # Bounds hold with certainty, and add up; errors are independent.
        certain = sum(own[end] - own["estimate"] for own in parts if own["method"] in CERTAIN)
        others = [own[end] - own["estimate"] for own in parts if own["method"] not in CERTAIN]
        sign = -1 if end == "low" else 1
        interval.append(estimate + certain + sign * math.hypot(*others))
    answer = {
        "estimate": estimate,
        "interval": interval,
        "method": max((own["method"] for own in parts), key=METHODS.index),
    }
    errors = [own["deal_error"] for own in parts]
    if None not in errors:
        answer["deal_error"] = math.hypot(*errors)
    answer["estimate_evenly"] = sum(own["evenly"] for own in parts)
    return answer


def _with_columns_of(rows: DataFrame, others: DataFrame) -> DataFrame:
    """Returns rows with empty columns for those that only `others` has."""
    from pyspark.sql import functions as F

    for field in others.schema.fields:
        if field.name not in rows.columns:
            rows = rows.withColumn(field.name, F.lit(None).cast(field.dataType))
    return rows


def read_release(spark: SparkSession, folder: str | os.PathLike[str]) -> Release:
    """Returns a release from the folder that it was published to."""
    from ._place import _address, _joined, _read

    root = _address(folder)
    for place in (_joined(root, "release"), root):
        text = _read(_joined(place, "manifest.json"))
        if text is not None:
            return Release(spark, place, document(text))
    raise InputError(f"{root}: contains no release: there is no manifest.json in it")
