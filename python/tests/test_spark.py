"""Tables of Spark, on Sail: a Spark Connect server that starts in a second."""

from __future__ import annotations

import collections
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import openveil as ov
import pytest

pytest.importorskip("pysail", reason="Sail is not installed: `pip install 'openveil[spark-test]'`")
pytest.importorskip("pyspark")

import openveil.spark  # noqa: E402
from openveil.spark import _place, _publish, _tasks  # noqa: E402

JOBS = ["nurse", "clerk", "judge", "cook", "smith", "baker", "pilot", "tailor"]


def people(rows: int, seed: int = 1) -> dict[str, list[Any]]:
    coins = random.Random(seed)
    ages = [coins.randint(18, 80) for _ in range(rows)]
    return {
        "name": [f"p{row}" for row in range(rows)],
        "age": ages,
        "sex": [coins.choice("fm") for _ in range(rows)],
        "town": [f"t{coins.randint(0, 12)}" for _ in range(rows)],
        "job": [JOBS[(age // 10 + coins.randint(0, 5)) % 8] for age in ages],
    }


KEYWORDS: dict[str, Any] = {
    "known": ["age", "sex", "town"],
    "secret": "job",
    "identifier": "name",
    "model": ov.l_diversity(4),
}


@pytest.fixture(scope="module")
def spark() -> Any:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def frame(spark: Any, table: dict[str, list[Any]], partitions: int = 4) -> Any:
    rows = list(zip(*table.values(), strict=True))
    return spark.createDataFrame(rows, list(table)).repartition(partitions)


def rows_of(release: Any) -> list[Any]:
    return list(release.table.toArrow().to_pylist())


def check_groups(release: Any, table: dict[str, list[Any]], l: int) -> None:
    """The multiset is the table's, and in no group is a value too frequent."""
    rows = rows_of(release)
    assert collections.Counter(row["job"] for row in rows) == collections.Counter(table["job"])
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row["job"])
    assert sorted(groups) == list(range(1, len(groups) + 1))
    for jobs in groups.values():
        assert l * max(collections.Counter(jobs).values()) <= len(jobs)


@pytest.mark.parametrize("part_rows", [300, 1 << 18])
def test_the_same_promise_as_in_memory(spark: Any, tmp_path: Path, part_rows: int) -> None:
    table = people(3_000)
    local = ov.publish(table, **KEYWORDS, test_seed=1)
    release = ov.spark.publish(frame(spark, table), **KEYWORDS, to=tmp_path, part_rows=part_rows, test_seed=1)
    check_groups(release, table, 4)
    for key in ("rows", "algorithm", "chosen_by", "parameters", "model", "guarantee", "fit_for_publication"):
        assert release.manifest[key] == local.manifest[key], key
    assert release.utility()["smallest_group"] >= local.manifest["parameters"]["smallest_group"]
    assert sorted(os.listdir(tmp_path)) == ["owner", "release"]
    assert sorted(os.listdir(tmp_path / "release")) == ["manifest.json", "release.parquet"]
    assert all(name.endswith(".parquet") for name in os.listdir(tmp_path / "release/release.parquet"))
    assert os.stat(tmp_path / "owner").st_mode & 0o77 == 0
    assert not release.manifest["fit_for_publication"]


@pytest.mark.parametrize(
    "keywords",
    [
        {"algorithm": "halving"},
        {"algorithm": "halving", "strata": ["sex"]},
        {"algorithm": "halving", "style": "anatomy", "model": ov.l_diversity(2, variant="distinct")},
    ],
)
def test_halving_where_there_is_room(spark: Any, tmp_path: Path, keywords: dict[str, Any]) -> None:
    table = people(4_000)
    keywords = {**KEYWORDS, "model": ov.l_diversity(2), **keywords}
    local = ov.publish(table, **keywords, test_seed=1)
    df = frame(spark, table)
    release = ov.spark.publish(df, **keywords, to=tmp_path, part_rows=300, test_seed=1)
    assert release.manifest["algorithm"] == local.manifest["algorithm"] == "halving"
    for key in ("rows", "model", "guarantee", "chosen_by"):
        assert release.manifest.get(key) == local.manifest.get(key), key
    assert release.manifest["groups"] > 0.8 * local.manifest["groups"]
    if "style" not in keywords:
        check_groups(release, table, 2)


def test_a_release_is_asked_where_it_lies_and_in_memory(spark: Any, tmp_path: Path) -> None:
    table = people(2_000)
    keywords = {**KEYWORDS, "algorithm": "halving", "smallest_group": 8}
    release = ov.spark.publish(frame(spark, table), **keywords, to=tmp_path, part_rows=500)
    assert release.manifest["fit_for_publication"]
    where = "age >= 40 and sex = f and job = cook"
    there = ov.spark.read_release(spark, tmp_path).query(where)
    here = ov.read_release(tmp_path).query(where)
    assert there.estimate == pytest.approx(here.estimate)
    assert there.interval == pytest.approx(here.interval)
    assert (there.method, there.deal_error) == (here.method, pytest.approx(here.deal_error))
    from openveil.spark._release import added

    part = {"estimate": 5.0, "evenly": 4.0, "low": 2.0, "high": 8.0, "method": "fit-and-worlds", "deal_error": 1.0}
    two = added([part, {**part, "low": 1.0}])
    assert (two["estimate"], two["method"], two["estimate_evenly"]) == (10, "fit-and-worlds", 8)
    assert two["interval"] == pytest.approx([10 - 5, 10 + 18**0.5])
    bounds = {**part, "method": "bounds", "deal_error": None}
    assert added([bounds, part])["interval"] == pytest.approx([4, 16])
    # Without worlds, intervals hold with certainty, too.
    alone = {**part, "method": "fit"}
    assert added([alone, alone])["interval"] == pytest.approx([4, 16])
    with pytest.raises(ov.InputError, match="no column `?foo"):
        release.query("foo = 1")
    with pytest.raises(ov.InputError, match="was read from its folder"):
        _ = ov.spark.read_release(spark, tmp_path).owner
    with pytest.raises(ov.InputError, match="contains no release"):
        ov.spark.read_release(spark, tmp_path / "owner")


@pytest.mark.parametrize("style", ["slice", "anatomy"])
def test_styles_and_strata(spark: Any, tmp_path: Path, style: str) -> None:
    table = people(2_400)
    keywords = {**KEYWORDS, "strata": ["sex"], "style": style}
    local = ov.publish(table, **keywords, test_seed=3)
    release = ov.spark.publish(
        frame(spark, table), **keywords, to=tmp_path, part_rows=400, test_seed=3
    )
    assert release.manifest["strata"] == local.manifest["strata"]
    published = rows_of(release)
    for name in ("age", "sex", "town"):
        counted = collections.Counter(row[name] for row in published)
        assert counted == collections.Counter(table[name]), name
    sexes = collections.defaultdict(set)
    for row in published:
        sexes[row["group"]].add(row["sex"])
    assert all(len(own) == 1 for own in sexes.values())
    if style == "anatomy":
        assert "job" not in release.table.columns
        values = release.values.toArrow().to_pylist()
        counted = collections.Counter()
        for row in values:
            counted[row["job"]] += row["count"]
        assert counted == collections.Counter(table["job"])
    where = "age >= 40 and sex = f and job = cook"
    here = ov.read_release(tmp_path)
    assert release.query(where).estimate == pytest.approx(here.query(where).estimate)
    there, here = ov.spark.audit(release), ov.audit(here)
    for measure in ("rows", "groups", "k", "l_ratio_exact", "t_equal", "risk"):
        assert there[measure] == here[measure], measure


@pytest.mark.parametrize("style", ["generalize", "anatomy"])
def test_missing_numbers_are_asked_for(spark: Any, tmp_path: Path, style: str) -> None:
    table = people(600)
    table["age"][::7] = [None] * len(table["age"][::7])
    keywords = {**KEYWORDS, "style": style, "missing": "keep"}
    release = ov.spark.publish(frame(spark, table), **keywords, to=tmp_path, part_rows=200, test_seed=5)
    here = ov.read_release(tmp_path)
    for where in ("job = cook", "age >= 40 and sex = f"):
        assert release.query(where).estimate == pytest.approx(here.query(where).estimate)


def test_any_table_is_measured(spark: Any, tmp_path: Path) -> None:
    table = people(300)
    df = frame(spark, table)
    options: dict[str, Any] = {"sensitive": "job", "qi": ["sex", "town"], "l": (2, 3)}
    assert ov.spark.audit(df, **options) == ov.audit(table, **options)
    with pytest.raises(ov.InputError, match="no column `nope`"):
        ov.spark.audit(df, qi=["nope"], sensitive="job")
    with pytest.raises(ov.InputError, match="takes a Spark DataFrame"):
        ov.spark.audit(table, qi=["sex"], sensitive="job")
    policy = ov.Policy(**KEYWORDS)
    here, there = (
        json.loads(json.dumps(verdict, default=str))
        for verdict in (
            ov.audit(table, policy=policy)["verdict"],
            ov.spark.audit(df, policy=policy)["verdict"],
        )
    )
    # The first of several equally extreme groups is shown, and rows of a DataFrame have no order.
    for requirement in here["requirements"] + there["requirements"]:
        del requirement["worst"]["group"], requirement["worst"]["value"]
    assert there == here


def test_hierarchies_types_and_missing_values(spark: Any, tmp_path: Path) -> None:
    table = people(1_000)
    table["town"][5] = None
    table["age"][7] = None
    lines = "".join(f"t{number};{'north' if number < 6 else 'south'};*\n" for number in range(13))
    (tmp_path / "towns.csv").write_text(lines)
    policy = ov.Policy.from_toml(
        f"""
        [input]
        path = "table"
        missing = "drop-rows"
        [columns]
        name = {{ role = "drop" }}
        age = {{ role = "quasi-identifier", type = "integer" }}
        sex = {{ role = "quasi-identifier" }}
        town = {{ role = "quasi-identifier", hierarchy = "{tmp_path}/towns.csv" }}
        job = {{ role = "sensitive" }}
        [privacy]
        model = "l-diversity"
        variant = "entropy"
        l = 3
        """
    )
    release = ov.spark.publish(frame(spark, table), policy, to=tmp_path / "out", part_rows=200, test_seed=1)
    assert release.manifest["rows"] == 998
    assert release.manifest["omitted"]["rows"] == 2
    towns = {row["town"] for row in rows_of(release)}
    assert any("north" in town or "south" in town for town in towns), towns
    assert release.manifest["columns"][2]["covers"], "labels are explained"


@pytest.mark.parametrize(
    "table",
    [
        # One value in exactly 1/l of the rows.
        {"age": list(range(400)), "sex": ["f"] * 400, "town": ["t1"] * 400,
         "job": ["nurse"] * 100 + [JOBS[1 + row % 7] for row in range(300)]},
        # One tuple for half of the rows.
        {"age": [30] * 200 + list(range(200)), "sex": ["f"] * 400, "town": ["t1"] * 400,
         "job": [JOBS[row % 8] for row in range(400)]},
        # Every value of a known column is different.
        {"age": list(range(400)), "sex": ["f"] * 400, "town": [f"t{row}" for row in range(400)],
         "job": [JOBS[row % 8] for row in range(400)]},
    ],
    ids=["a value at the bound", "half of the rows alike", "all different"],
)  # fmt: skip
def test_skewed_tables(spark: Any, tmp_path: Path, table: dict[str, list[Any]]) -> None:
    keywords = {**KEYWORDS, "identifier": ()}
    # More partitions than rows: some are empty.
    df = frame(spark, table, 3).union(frame(spark, table, 2).where("age < 0"))
    release = ov.spark.publish(df, **keywords, to=tmp_path, part_rows=64)
    check_groups(release, table, 4)


def test_what_cannot_be_done_is_said_before_any_work(spark: Any, tmp_path: Path) -> None:
    df = frame(spark, people(100))
    with pytest.raises(ov.RefusedError, match="algorithms other than `halving` are for tables in memory"):
        ov.spark.publish(df, **KEYWORDS, algorithm="safe", to=tmp_path / "a")
    with pytest.raises(ov.IneligibleError) as refused:
        ov.spark.publish(df, **{**KEYWORDS, "model": ov.l_diversity(9)}, to=tmp_path / "b")
    assert refused.value.largest_l is not None
    with pytest.raises(ov.PolicyError, match="gives no role to the columns"):
        ov.spark.publish(df, known=["age"], secret="job", model=ov.l_diversity(2), to=tmp_path / "c")
    (tmp_path / "d/release").mkdir(parents=True)
    (tmp_path / "d/release/thesis.txt").write_text("mine")
    with pytest.raises(ov.FileError, match="not part of an earlier release"):
        ov.spark.publish(df, **KEYWORDS, to=tmp_path / "d")
    assert (tmp_path / "d/release/thesis.txt").read_text() == "mine"
    left = [path for path in tmp_path.rglob("*") if path.name.startswith(".openveil")]
    assert left == [], "rows and numbers of the deal are deleted"


def test_an_older_release_stays_when_a_run_fails(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    df = frame(spark, people(500))
    ov.spark.publish(df, **KEYWORDS, to=tmp_path, test_seed=1)
    before = (tmp_path / "release/manifest.json").read_bytes()
    for stage in ("encoded", "parts", "made", "written", "recount"):
        def fail(*_: Any, **__: Any) -> Any:
            raise RuntimeError("the power is cut")

        with monkeypatch.context() as patch:
            patch.setattr(_publish._Job, stage, fail)
            with pytest.raises(RuntimeError, match="power"):
                ov.spark.publish(df, **KEYWORDS, to=tmp_path, test_seed=2)
        assert (tmp_path / "release/manifest.json").read_bytes() == before, stage
        assert sorted(os.listdir(tmp_path)) == ["owner", "release"], stage
    ov.spark.publish(df, **KEYWORDS, to=tmp_path, test_seed=2)
    assert json.loads((tmp_path / "release/manifest.json").read_text())["rows"] == 500


def test_a_table_that_changes_between_readings_is_refused(spark: Any, tmp_path: Path) -> None:
    counter = tmp_path / "readings"

    def changing(batches: Any) -> Any:
        import pyarrow as pa

        for batch in batches:
            with open(counter, "a", encoding="utf-8") as file:
                file.write("x")
            # Values change between readings.
            turn = os.path.getsize(counter)
            jobs = [JOBS[(row + turn) % 8] if row == 0 else JOBS[row % 8] for row in range(batch.num_rows)]
            yield pa.RecordBatch.from_arrays([batch.column(0), pa.array(jobs)], names=["age", "job"])

    df = spark.range(0, 400, 1, 1).mapInArrow(changing, "age bigint, job string")
    with pytest.raises(ov.OpenveilError, match="changed between two reads"):
        ov.spark.publish(df, known="age", secret="job", model=ov.l_diversity(4), to=tmp_path / "out")
    assert not (tmp_path / "out/release").exists()


def test_a_task_that_is_done_twice_places_rows_alike(spark: Any, tmp_path: Path) -> None:
    """Only encoding draws random numbers; tasks that read its output always decide the same."""
    import pyarrow as pa

    job = _publish._Job(frame(spark, people(600)), ov.Policy(**KEYWORDS), None)
    plan = job.plan(100, False)
    shipped = plan.ship()
    batches = job.rows().toArrow().to_batches()
    coded = pa.Table.from_batches(list(_tasks.encode(shipped, None, iter(batches))))
    again = pa.Table.from_batches(list(_tasks.encode(shipped, None, iter(batches))))
    codes = [name for name in coded.column_names if name != "key"]
    assert coded.select(codes) == again.select(codes)
    assert coded.column("key") != again.column("key"), "drawn once, and kept"

    lots = coded.group_by("lot").aggregate([([], "count_all")]).rename_columns(["lot", "count"])
    parts = plan.parts(_tasks.native(lots), 1)
    assert len(parts) > 3

    def placed(rows: Any) -> Any:
        return pa.Table.from_batches(list(_tasks.place(parts.ship(), iter(rows.to_batches()))))

    first = placed(coded)
    backwards = coded.take(list(reversed(range(len(coded)))))
    assert first == placed(backwards).take(list(reversed(range(len(coded)))))
    with pytest.raises(ov.OpenveilError, match="changed between two reads"):
        placed(pa.concat_tables([coded, again.slice(0, 1)]))
    whole = first.filter(pa.compute.field("part") == 0)
    backwards = whole.take(list(reversed(range(len(whole)))))
    made = _tasks.part(shipped, parts.ship(), whole)
    assert made == _tasks.part(shipped, parts.ship(), backwards), "the same part, however rows come"
    lost = first.filter(pa.compute.field("part") == 0).slice(1)
    with pytest.raises(ov.OpenveilError, match="not the rows that were assigned"):
        _tasks.part(shipped, parts.ship(), lost)


def other_driver(tmp_path: Path, trouble: str) -> Any:
    """Publishes into ``out`` from another process that fails."""
    script = f"""
import os, resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_spark as t
from openveil.spark import _place, _publish
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{{server.listening_address[1]}}").getOrCreate()
people = t.frame(spark, t.people(4000), 1)
{trouble}
t.ov.spark.publish(people, **t.KEYWORDS, to={str(tmp_path / "out")!r})
"""
    # The other driver must not use this session's server.
    own = {name: value for name, value in os.environ.items() if "SPARK" not in name}
    (tmp_path / "driver.py").write_text(script)
    command = [sys.executable, "-W", "ignore", str(tmp_path / "driver.py")]
    return subprocess.run(command, capture_output=True, env=own)


@pytest.mark.parametrize("bytes", [10_000, 40_000])
def test_a_disk_that_is_full_leaves_an_older_release(spark: Any, tmp_path: Path, bytes: int) -> None:
    ov.spark.publish(frame(spark, people(400)), **KEYWORDS, to=tmp_path / "out", test_seed=1)
    before = (tmp_path / "out/release/manifest.json").read_bytes()
    # Limits the size of files: first the file of encoded rows fails, then later files.
    done = other_driver(
        tmp_path,
        f"""
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, {bytes}))
""",
    )
    message = done.stderr.decode()
    assert done.returncode == 1, message
    assert "File too large" in message, message
    assert (tmp_path / "out/release/manifest.json").read_bytes() == before
    assert sorted(os.listdir(tmp_path / "out")) == ["owner", "release"]


def test_a_folder_is_for_one_run_at_a_time(spark: Any, tmp_path: Path) -> None:
    """Whether Spark runs or the program."""
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "out").mkdir()
    held = os.open(tmp_path / "out", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(ov.FileError, match="out: is in use by another run"):
        ov.spark.publish(frame(spark, people(400)), **KEYWORDS, to=tmp_path / "out")
    assert not os.listdir(tmp_path / "out")
    os.close(held)
    ov.spark.publish(frame(spark, people(400)), **KEYWORDS, to=tmp_path / "out")
    with _place.Place(tmp_path / "out", None):
        with pytest.raises(ov.InputError, match="is in use by another run"):
            ov.publish(people(400), **KEYWORDS).save(tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out")) == ["owner", "release"]


@pytest.mark.parametrize("killed", ["_put", "recount"])
def test_a_driver_that_is_killed_leaves_an_older_release(
    spark: Any, tmp_path: Path, killed: str
) -> None:
    table = people(400)
    ov.spark.publish(frame(spark, table), **KEYWORDS, to=tmp_path / "out", test_seed=1)
    before = (tmp_path / "out/release/manifest.json").read_bytes()
    done = other_driver(
        tmp_path,
        f"""
owner = _place.Place if {killed!r} == "_put" else _publish._Job
setattr(owner, {killed!r}, lambda *_: os._exit(9))
""",
    )
    assert done.returncode == 9, done.stderr.decode()
    assert (tmp_path / "out/release/manifest.json").read_bytes() == before
    # The owner can delete the remains, and no one else can read them.
    left = [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".openveil-")]
    assert len(left) == 1 and left[0].stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("other", ["Age", "GROUP", "a.b", "__openveil_part"])
def test_names_that_are_one_to_spark_are_told_apart_before_any_work(
    spark: Any, tmp_path: Path, other: str
) -> None:
    table = people(50)
    table[other] = table["age"]
    df = spark.createDataFrame(list(zip(*table.values(), strict=True)), list(table))
    with pytest.raises(ov.PolicyError, match="`.+` has the same name as|cannot be called"):
        ov.spark.publish(df, **{**KEYWORDS, "known": ["age", other]}, drop=True, to=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_secret_may_be_called_rows_and_staging_may_be_elsewhere(spark: Any, tmp_path: Path) -> None:
    table = people(400)
    table["rows"] = table.pop("job")
    with pytest.warns(ov.OpenveilWarning, match="`name` was not checked"):
        release = ov.spark.publish(
            frame(spark, table),
            **{**KEYWORDS, "secret": "rows"},
            to=tmp_path / "out",
            staging=tmp_path / "elsewhere",
        )
    counted = collections.Counter(row["rows"] for row in rows_of(release))
    assert counted == collections.Counter(table["rows"])
    assert os.listdir(tmp_path / "elsewhere") == []
    assert sorted(os.listdir(tmp_path / "out")) == ["owner", "release"]
    assert release.warnings == release.owner["warnings"]
    assert "`name` was not checked" in " ".join(release.warnings)
    assert release.checklist == release.owner["checklist"]
    assert all(f"  check: {line}" in repr(release) for line in release.checklist)


def test_a_place_that_cannot_be_reached_is_refused_before_any_work(spark: Any) -> None:
    df = frame(spark, people(50))
    with pytest.raises(ov.InputError, match="pyarrow cannot reach it"):
        ov.spark.publish(df, **KEYWORDS, to="nowhere://bucket/out")
    with pytest.raises(ov.InputError, match="between 1 and"):
        ov.spark.publish(df, **KEYWORDS, to="out", part_rows=2**40)


def test_what_an_executor_refuses_is_an_exception_of_ours(spark: Any, tmp_path: Path) -> None:
    df = spark.range(0, 100).selectExpr("id as age", "array(id) as lists", "id % 5 as job")
    with pytest.raises(ov.InputError, match="only flat columns can be read"):
        ov.spark.publish(
            df, known=["age", "lists"], secret="job", model=ov.l_diversity(2), to=tmp_path / "out"
        )
