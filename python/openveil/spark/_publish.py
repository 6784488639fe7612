"""Publishes a table of Spark: the jobs and their order."""

from __future__ import annotations

import itertools
import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import _openveil
from .._documents import document
from .._errors import InputError, PolicyError
from .._policy import Policy, PolicyKeywords, resolved
from .._release import checked_seed
from .._warnings import warn
from .._words import plain
from . import _tasks
from ._columns import column, quoted
from ._errors import said_by_executors
from ._place import Place
from ._release import Release

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

#: The column with the number of groups in all earlier parts.
BEFORE = "__openveil_before"

#: The compression of intermediate files. Random numbers cannot be compressed further.
STAGED = "snappy"

#: The approximate number of people in the sample that determines parts.
SAMPLE = 1 << 15


def publish(
    df: DataFrame,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    to: str | os.PathLike[str],
    staging: str | os.PathLike[str] | None = None,
    part_rows: int = 1 << 18,
    test_seed: int | None = None,
    i_accept_algorithm_disclosure: bool = False,
    **keywords: Unpack[PolicyKeywords],
) -> Release:
    """Anonymise a DataFrame with Spark, check the result, and write it as Parquet.

    :param df: The table.
    :param policy: As in :func:`openveil.publish`, like the keywords and ``test_seed``.
    :param to: A folder that driver and executors share. It gets ``release/`` and ``owner/``,
        completely or not at all.
    :param staging: A folder for intermediate rows, by default beside ``to``. They are deleted at
        the end.
    :param part_rows: Rows that one task arranges at a time. They have to fit into an executor's
        memory; larger parts lose less at their borders. A part is larger only if `halving` cannot
        cut it.
    :returns: The release.
    :raises IneligibleError: If the model asks more than the table allows.
    :raises RefusedError: If the policy needs something that works in memory only; raised before any
        other work.

    The table is read three times: for its rows, to count values, and to encode it. If the last
    reading finds other rows or values, nothing is published.
    """
    if not 1 <= part_rows < 2**31:
        raise InputError("`part_rows` must be between 1 and 2**31 - 1")
    made = resolved(policy, keywords)
    with made._spoken(), said_by_executors():
        job = _Job(df, made, checked_seed(test_seed))
        with Place(to, staging) as place:
            release = job.run(place, part_rows, i_accept_algorithm_disclosure)
    warn(release.warnings)
    return release


class _Job:
    def __init__(self, df: DataFrame, policy: Policy, seed: int | None) -> None:
        self.df = df
        self.spark: SparkSession = df.sparkSession
        self.seed = seed
        self.header = list(df.columns)
        empty = _openveil.Table.from_stream(df.limit(0).toArrow())
        self.policy = policy._text_for(empty)
        self.path = policy._path
        self.by_keywords = policy._by_keywords
        # Checked before any work.
        self.published = _openveil.Cluster.published(self.policy, self.path, self.header)
        self.style, self.secret = _openveil.Cluster.style(self.policy, self.path)
        _check_names(self.published, self.style)

    def run(self, place: Place, part_rows: int, accept: bool) -> Release:
        plan = self.plan(part_rows, accept)
        rows = self.encoded(plan, place)
        made = self.made(plan, rows, self.parts(plan, rows), place)
        files, tallies = self.written(made, place)
        manifest, owner, warnings = plan.documents(tallies, files, self.by_keywords)
        self.recount(plan, document(manifest), place)
        place.commit(manifest, owner)
        release = Release(self.spark, place.path("release"), document(manifest), document(owner))
        release.warnings = [plain(note) for note in warnings]
        return release

    def rows(self) -> DataFrame:
        """Returns the published columns; with a seed also the number of each row's partition."""
        from pyspark.sql import functions as F

        rows = self.df.select(*(column(name) for name in self.published))
        return rows if self.seed is None else rows.withColumn(_tasks.PARTITION, F.spark_partition_id())

    def plan(self, part_rows: int, accept: bool) -> _openveil.Cluster:
        rows = self.rows()
        one_in = max(1, self.df.count() // SAMPLE)
        count = partial(_tasks.census, self.policy, self.path, one_in, self.seed)
        counts = _summed(rows.mapInArrow(count, "kind int, text string, rows bigint"), ["kind", "text"])
        kinds = pa.schema([("kind", pa.int32()), ("text", pa.string()), ("rows", pa.int64())])
        return _openveil.Cluster.plan(
            self.policy,
            self.path,
            self.header,
            _openveil.Table.from_stream(counts.cast(kinds)),
            part_rows=part_rows,
            test_seed=self.seed,
            accept_algorithm_disclosure=accept,
        )

    def encoded(self, plan: _openveil.Cluster, place: Place) -> DataFrame:
        """Returns all rows as codes, with random numbers that decide their places: drawn once, and
        stored."""
        schema = ", ".join([*(f"{name} int" for name in [*_codes(plan), "lot"]), "key bigint"])
        coded = self.rows().mapInArrow(partial(_tasks.encode, plan.ship(), self.seed), schema)
        coded.write.parquet(place.staged("rows"), compression=STAGED)
        return self.spark.read.parquet(place.staged("rows"))

    def parts(self, plan: _openveil.Cluster, rows: DataFrame) -> _openveil.Parts:
        """Counts the rows of each lot, and decides how many of them go to which part."""
        counts = rows.groupBy("lot").count().toArrow()
        return plan.parts(_tasks.native(counts), None if self.seed is None else _tasks.mixed(self.seed, 0, 0))

    def made(
        self,
        plan: _openveil.Cluster,
        rows: DataFrame,
        parts: _openveil.Parts,
        place: Place,
    ) -> DataFrame:
        """Returns the released rows, part by part, each with its tally."""
        shipped, parts_shipped = plan.ship(), parts.ship()
        schema = ", ".join(f"{name} int" for name in ["part", "place", *_codes(plan)])
        lots = rows.repartition(len(parts), "lot")
        placed = lots.mapInArrow(partial(_tasks.place, parts_shipped), schema)
        fields = [f"{quoted(field.name)} {_ddl(field.type)}" for field in pa.table(plan.released()).schema]
        schema = ", ".join([*fields, f"{_tasks.PART} int", f"{_tasks.TALLY} string"])
        # A separate function, because Spark inspects its parameters.
        made = placed.groupBy("part").applyInArrow(
            lambda rows: _tasks.part(shipped, parts_shipped, rows), schema
        )
        made.write.parquet(place.staged("parts"), compression=STAGED)
        return self.spark.read.parquet(place.staged("parts"))

    def written(self, made: DataFrame, place: Place) -> tuple[list[str], list[str]]:
        """Writes the published columns of the table."""
        from pyspark.sql import functions as F

        tallies = made.where(F.col(_tasks.TALLY).isNotNull()).select(_tasks.PART, _tasks.TALLY)
        tally_of = dict(sorted(_tuples(tallies.toArrow())))
        files = ["release.parquet"]
        table = self.numbered(made, tally_of)
        if self.style == "anatomy":
            values = table.groupBy("group", column(self.secret)).agg(F.count("*").alias("count"))
            values = values.select("group", column(self.secret), "count")
            values.write.parquet(place.making("release", "release-values.parquet"))
            files.append("release-values.parquet")
            table = table.drop(self.secret)
        table.write.parquet(place.making("release", "release.parquet"))
        return files, list(tally_of.values())

    def numbered(self, made: DataFrame, tally_of: dict[int, str]) -> DataFrame:
        """Returns the parts as one table, with groups numbered across parts."""
        from pyspark.sql import functions as F

        groups = [json.loads(tally)["groups"] for tally in tally_of.values()]
        before = itertools.accumulate(groups[:-1], initial=0)
        parts = self.spark.createDataFrame(list(zip(tally_of, before, strict=True)), f"{_tasks.PART} int, {BEFORE} bigint")
        names = [name for name in made.columns if name not in (_tasks.PART, _tasks.TALLY)]
        columns = [
            (F.col("group") + F.col(BEFORE)).alias("group") if name == "group" else column(name) for name in names
        ]
        return made.join(parts, _tasks.PART).select(*columns)

    def recount(self, plan: _openveil.Cluster, manifest: Any, place: Place) -> None:
        """Recounts the written files: values, and groups with their sizes."""
        from pyspark.sql import functions as F

        files = [place.making("release", name) for name in manifest["files"]]
        table = self.spark.read.parquet(files[-1])
        weight = F.col("count") if len(files) > 1 else F.lit(1)
        values = table.groupBy(column(self.secret).alias("value")).agg(F.sum(weight).alias("rows"))
        plan.recount(_openveil.Table.from_stream(values.toArrow()))
        sizes = self.spark.read.parquet(files[0]).groupBy("group").count()
        found = sizes.agg(
            F.count("*"), F.min("count"), F.max("count"), F.sum(F.col("count") * F.col("count"))
        ).first()
        utility = manifest["utility"]
        asked = [utility[key] for key in ("groups", "smallest_group", "largest_group", "dm")]
        if list(found or []) != asked:
            raise InputError("the written release differs from the one that was made, and was deleted")


def _check_names(names: list[str], style: str) -> None:
    """Raises an error for names that Spark confuses: it splits names at dots, and ignores case."""
    seen = {"group": "the number of the group"}
    if style == "anatomy":
        seen["count"] = "the number of a group's rows"
    for name in names:
        if name == "" or "." in name or name.startswith("__openveil_"):
            raise PolicyError(f"a column cannot be called `{name}` on Spark\n  help: rename it")
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            raise PolicyError(
                f"the column `{name}` has the same name as {other if ' ' in other else f'`{other}`'} to Spark"
                "\n  help: rename it"
            )


def _codes(plan: _openveil.Cluster) -> list[str]:
    """Returns the names of the columns of codes."""
    return [f"c{number}" for number in range(plan.columns)]


def _summed(counts: DataFrame, keys: list[str]) -> pa.Table:
    from pyspark.sql import functions as F

    summed: pa.Table = counts.groupBy(*keys).agg(F.sum("rows").alias("rows")).toArrow()
    return summed


def _tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _ddl(kind: pa.DataType) -> str:
    names = {pa.int64(): "bigint", pa.float64(): "double", pa.date32(): "date"}
    return names.get(kind, "string")
