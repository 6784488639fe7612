"""Every type of table is read, and returned as its kind."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import itertools
import shutil
from pathlib import Path
import warnings
from typing import Any

import openveil as ov
import pytest
from conftest import columns_of, frame, people, policy

pa = pytest.importorskip("pyarrow")


def test_the_same_kind_goes_out(package: str) -> None:
    given = frame(package, people())
    release = ov.publish(given, policy())
    for table in (release.table, release.unpacked, release.groups, release.sample(3)):
        assert type(table) is type(given)
    made = columns_of(release.unpacked)
    assert set(made) == {"age_min", "age_max", "sex", "job", "group"}
    assert all(low <= high for low, high in zip(made["age_min"], made["age_max"], strict=True))
    assert sorted(made["job"]) == sorted(people()["job"])


def _typed() -> Any:
    rows = 40
    day = datetime.date(2020, 1, 1)
    days = [day + datetime.timedelta(days=row % 8) for row in range(rows)]
    words = [["x", "y"][row % 2] for row in range(rows)]
    holes = [None if row == 3 else row % 5 for row in range(rows)]
    values = [["a", "b", "c", "d"][row % 4] for row in range(rows)]
    table = pa.table(
        {
            "small": pa.array([row % 7 for row in range(rows)], pa.int8()),
            "holes": pa.array(holes, pa.int32()),
            "real": pa.array([row / 4 for row in range(rows)], pa.float32()),
            "price": pa.array([decimal.Decimal(row) / 4 for row in range(rows)], pa.decimal128(8, 2)),
            "day": pa.array(days),
            "time": pa.array([datetime.datetime(2020, 1, 1 + row % 9) for row in range(rows)]),
            "yes": pa.array([row % 2 == 0 for row in range(rows)]),
            "long": pa.array(words, pa.large_string()),
            "view": pa.array(words, pa.string_view()),
            "kind": pa.array(words).dictionary_encode(),
            "secret": pa.array(values),
        }
    )
    # In chunks of different lengths.
    return pa.concat_tables([table.slice(0, 7), table.slice(7, 1), table.slice(8)])


def test_every_type_of_arrow() -> None:
    table = _typed()
    known = [name for name in table.column_names if name != "secret"]
    keywords = {"known": known, "secret": "secret", "model": ov.l_diversity(2)}
    with pytest.raises(ov.OpenveilError, match="holes"):
        ov.publish(table, **keywords)
    release = ov.publish(table, **keywords, missing="keep", style="slice")
    out = release.unpacked
    for name in ("small", "holes", "real", "price", "yes", "kind"):
        assert out.schema.field(name).type == table.schema.field(name).type, name
    assert out.schema.field("day").type == pa.date32()
    assert out.schema.field("time").type == pa.date32()
    for name in table.column_names:
        given = [value for value in table[name].to_pylist() if value is not None]
        if name == "time":
            given = [value.date() for value in given]
        made = [value for value in out[name].to_pylist() if value is not None]
        assert sorted(made) == sorted(given), name
        assert out[name].null_count == table[name].null_count


def test_packages_agree() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    table = _typed().drop_columns(["time", "price", "view"])
    keywords: dict[str, Any] = {
        "known": [name for name in table.column_names if name != "secret"],
        "secret": "secret",
        "model": ov.l_diversity(2),
        "missing": "drop-rows",
        "test_seed": 3,
    }
    expected = columns_of(ov.publish(table, **keywords).unpacked)
    nullable = table.to_pandas(types_mapper={pa.int32(): pandas.Int32Dtype()}.get)
    for given in (polars.from_arrow(table), polars.from_arrow(table).lazy(), nullable):
        made = ov.publish(given, **keywords)
        assert made.manifest["omitted"]["rows"] == 1
        found = columns_of(made.unpacked)
        assert {name: list(map(_plain, cells)) for name, cells in found.items()} == {
            name: list(map(_plain, cells)) for name, cells in expected.items()
        }


def _plain(cell: Any) -> Any:
    for method in ("tolist", "to_list"):
        if hasattr(cell, method):
            cell = getattr(cell, method)()
    if isinstance(cell, datetime.datetime):
        return cell.date()
    return cell


def test_without_a_package() -> None:
    given = {
        "n": [1, 2, None, 4] * 5,
        "x": [0.5, 1, float("nan"), 2] * 5,
        "d": [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)] * 5,
        "b": [True, False, True, None] * 5,
        "s": ["a", "b", "c", "d"] * 5,
    }
    release = ov.publish(
        given, known=["n", "x", "d", "b"], secret="s", model=ov.l_diversity(2), missing="keep"
    )
    kinds = {column["name"]: column.get("type", "text") for column in release.manifest["columns"]}
    assert kinds == {"n": "integer", "x": "number", "d": "date", "b": "boolean", "s": "text"}


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    given = pandas.DataFrame(people())
    given["day"] = pandas.Timestamp("2020-01-01")
    given.loc[3, "age"] = None
    ours = policy(known=["age", "sex", "day"], missing="drop-rows")
    expected = ov.publish(given, ours, test_seed=2).unpacked
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    made = ov.publish(given, ours, test_seed=2)
    assert made.manifest["columns"][0]["type"] == "integer"
    found = made.unpacked
    assert type(found) is pandas.DataFrame
    for name in ("age_min", "age_max", "job", "group"):
        assert list(found[name]) == list(expected[name])


def test_days_are_those_of_the_zone() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    days = pandas.date_range("2020-01-01", periods=40, tz="Europe/Berlin")
    given = pandas.DataFrame({"day": days, "job": ["a", "b"] * 20})
    keywords: dict[str, Any] = {"known": "day", "secret": "job", "model": ov.l_diversity(2)}
    for table in (given, polars.from_pandas(given), pa.Table.from_pandas(given), {
        "day": list(days.to_pydatetime()), "job": ["a", "b"] * 20
    }):
        made = ov.publish(table, **keywords, style="slice").unpacked
        first = min(_plain(day) for day in columns_of(made)["day"])
        assert first == datetime.date(2020, 1, 1)


def test_mixed_objects_are_texts() -> None:
    pandas = pytest.importorskip("pandas")
    given = pandas.DataFrame({"code": [1, "x"] * 20, "job": ["a", "b"] * 20})
    release = ov.publish(given, known="code", secret="job", model=ov.l_diversity(2), style="slice")
    assert set(release.table["code"]) == {"1", "x"}


def test_sets_are_lists_without_a_package_too() -> None:
    given = {"town": ["u", "v"] * 20, "job": ["a", "b", "c", "d"] * 10}
    release = ov.publish(given, known="town", secret="job", model=ov.l_diversity(4))
    assert all(isinstance(cell, list) for cell in release.unpacked["town"])


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    given = duckdb.from_arrow(pa.table(people()))
    release = ov.publish(given, policy())
    assert type(release.table) is type(given)
    assert release.table.aggregate("count(*)").fetchall() == [(100,)]


def test_narwhals() -> None:
    import narwhals as nw

    given = nw.from_native(pa.table(people()))
    assert isinstance(ov.publish(given, policy()).table, nw.DataFrame)


def test_strangers_are_refused() -> None:
    with pytest.raises(ov.InputError, match="no Arrow stream"):
        ov.publish([1, 2, 3], policy())
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ov.InputError, match="a name that is not text"):
        ov.publish(pandas.DataFrame([[1, 2]]), policy())
    with pytest.raises(ov.InputError, match="twice"):
        ov.publish(pandas.DataFrame([[1, 2]], columns=["age", "age"]), policy())
    with pytest.raises(ov.InputError, match="different lengths"):
        ov.publish({"a": [1], "b": [1, 2]}, policy())
    nested = pa.table({"age": [[1]], "job": ["a"]})
    with pytest.raises(ov.InputError, match="nested"):
        ov.publish(nested, known="age", secret="job", model=ov.l_diversity(2))


@pytest.mark.parametrize("values", [[1e19, 3.0, 4.0], [1e19, 2.5, 3.0], [1e17, 3.0, 5.0]])
def test_large_numbers_and_missing_ones_are_alike_in_all_packages(values: list[float], package: str) -> None:
    # Arrow represents missing values differently.
    missing = None if package == "pyarrow" else float("nan")
    given = {"age": [*values, missing] * 5, "dx": ["a", "b", "c", "d"] * 5}
    release = ov.publish(
        frame(package, given), known="age", secret="dx", model=ov.l_diversity(2), missing="keep", style="slice"
    )
    shown = [None if age != age else age for age in columns_of(release.table)["age"]]
    assert sorted({float(age) for age in shown if age is not None}) == sorted(values)
    assert sum(age is None for age in shown) == 5


def test_what_is_no_value_is_refused() -> None:
    given = {"age": [1, 2], "dx": [["a"], ["b"]]}
    with pytest.raises(ov.InputError, match=r"the column `dx` contains \['a'\]"):
        ov.publish(given, known="age", secret="dx", model=ov.l_diversity(2))
    # A number beyond 64 bits is taken as a code, and comes back as the same number.
    given = {"age": [2**70, 2**71] * 5, "dx": ["a", "b"] * 5}
    release = ov.publish(given, known="age", secret="dx", model=ov.l_diversity(2), style="slice")
    assert set(release.table["age"]) == {2**70, 2**71}


def test_rows_that_a_refused_run_read_are_recognised_in_every_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by their order, nor by the kind of frame; other rows are named."""
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    people = {"age": [20, 30, 40, 50, 60, 70], "sex": ["m", "f", "f", "m", None, None], "job": list("aaabcd")}
    frame = pd.DataFrame({name: values[::-1] for name, values in people.items()})
    frames = [frame, frame.astype({"age": float, "job": "category"}), pa.table(people)]

    def policy(missing: str, l: int) -> str:
        text = '[input]\npath = "t.csv"\nmissing = "{}"\n[columns]\nage = {{ role = "quasi-identifier", type = "integer" }}\n'
        text += 'sex = {{ role = "quasi-identifier" }}\njob = {{ role = "sensitive" }}\n'
        text += '[privacy]\nmodel = "l-diversity"\nl = {}\n'
        Path("p.toml").write_text(text.format(missing, l))
        return "p.toml"

    for first, then in itertools.product(frames, frames):
        for refused, adversary in [(("drop-rows", 2), "sees-release"), (("keep", 3), "knows-algorithm")]:
            shutil.rmtree("out", ignore_errors=True)
            with pytest.raises(ov.IneligibleError, match="The refusal is recorded"):
                ov.publish(first, policy(*refused))
            release = ov.publish(then, policy("keep", 2))
            assert release.manifest["guarantee"]["adversary"] == adversary


def _columns_of_pandas() -> dict[str, Any]:
    pd = pytest.importorskip("pandas")
    ages = pd.Series([20 + row % 40 for row in range(48)])
    words = ["a", None, "c", "None"] * 12
    return {
        "cut": pd.cut(ages, [0, 30, 40, 99]),
        "cut with labels": pd.cut(ages, [0, 35, 99], labels=["young", "old"]),
        "quantiles": pd.qcut(ages + 0.5, 4),
        "cut with gaps": pd.cut(ages, [0, 30, 40]),
        "nullable integers": pd.Series([1, 2, None, 4] * 12, dtype="Int64"),
        "nullable floats": pd.Series([1.5, None, 2.5, 4] * 12, dtype="Float64"),
        "nullable booleans": pd.Series([True, None, False, True] * 12, dtype="boolean"),
        "strings": pd.Series(words, dtype="string"),
        "texts": pd.Series(words),
        "Arrow's texts": pd.Series(words, dtype=pd.ArrowDtype(pa.string())),
        "Arrow's integers": pd.Series([1, 2, None, 4] * 12, dtype=pd.ArrowDtype(pa.int32())),
        "categories": pd.Series(pd.Categorical(["None", "NA", None, "z"] * 12)),
        "numbers as categories": pd.Series(pd.Categorical([1, None, 3, 1] * 12)),
        "ordered numbers": pd.Series(pd.Categorical([3, 1, 2, 3] * 12, ordered=True)),
        "truths as categories": pd.Series(pd.Categorical([True, False] * 24)),
        "periods": pd.Series(pd.period_range("2020-01", periods=4, freq="M").tolist() * 12),
        "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 1, 2] * 12)),
    }


@pytest.mark.filterwarnings("ignore::openveil.OpenveilWarning")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", _columns_of_pandas() if importlib.util.find_spec("pandas") else [])
def test_columns_of_pandas_come_back(name: str) -> None:
    import pandas as pd

    own = _columns_of_pandas()[name]
    frame = pd.DataFrame({"part": [row // 4 % 4 for row in range(48)], "job": list("pqr") * 16, "own": own})
    for roles in ({"known": ["part", "own"], "secret": "job"}, {"known": "part", "secret": "own", "other": "job"}):
        made = ov.publish(frame, **roles, model=ov.l_diversity(2), style="slice", missing="keep").unpacked["own"]
        assert sorted(map(str, made)) == sorted(map(str, own))
        assert made.isna().sum() == own.isna().sum()
        assert made.dtype == own.dtype or set(made.dtype.categories) == set(own.cat.remove_unused_categories().dtype.categories)
    ranges = ov.publish(frame, known=["part", "own"], secret="job", model=ov.l_diversity(3), missing="keep")
    entry = {column["name"]: column for column in ranges.manifest["columns"]}["own"]
    is_ordered = isinstance(own.dtype, pd.CategoricalDtype) and own.dtype.ordered
    assert (entry["cells"] == "interval") == (is_ordered or entry.get("type") in ("integer", "number"))
    if name == "cut":
        assert entry["order"] == ["(0, 30]", "(30, 40]", "(40, 99]"]


def test_a_frame_that_only_has_a_stream() -> None:
    class Streamed:
        """As frames of packages that openveil has never heard of."""

        def __init__(self, table: pa.Table) -> None:
            self.table = table

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.table.__arrow_c_stream__(requested_schema)

    release = ov.publish(Streamed(pa.table(people())), policy())
    assert release.manifest["rows"] == 100
    # Nobody knows how to make such a frame, so the table is one with a stream.
    assert pa.table(release.table).num_rows == 100


def test_frames_that_only_narwhals_reads() -> None:
    dask = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    given = dask.from_pandas(pandas.DataFrame(people()), npartitions=2)
    assert ov.publish(given, policy()).manifest["rows"] == 100


def test_ordered_categories_stay_in_order() -> None:
    ranks = ["low", "mid", "high"]
    size = [ranks[row * 11 % 3] for row in range(1200)]
    columns = {"size": size, "age": [20 + row * 7 % 41 for row in range(1200)], "job": ["a", "b", "c", "d"] * 300}
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    by_pandas = pandas.DataFrame(columns).astype({"size": pandas.CategoricalDtype(ranks, ordered=True)})
    by_polars = polars.DataFrame(columns).with_columns(polars.col("size").cast(polars.Enum(ranks)))
    for given in (by_pandas, by_polars):
        with warnings.catch_warnings():
            # Neither package deprecates what is used of it.
            warnings.simplefilter("error", DeprecationWarning)
            warnings.simplefilter("error", FutureWarning)
            release = ov.publish(given, known=["size", "age"], secret="job", model=ov.l_diversity(2), style="anatomy", test_seed=1)
            made = release.table["size"]
            assert list(release.crosstab("size", worlds=0)["size"]) == ranks
            fit = release.fit("job ~ size", worlds=0)
        assert [term for value, term in fit.params if value == "b"] == ["(Intercept)", "size=mid", "size=high"]
        categories = made.cat.categories if given is by_pandas else made.dtype.categories
        assert list(categories) == ranks
