"""Databases: a query as source, and a table as target, made completely or not at all."""

from __future__ import annotations

import getpass
import glob
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openveil as ov
import pytest
from conftest import people, policy


def _fill(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table people (name text, age bigint, sex text, job text)")
    for row in zip(*people().values(), strict=True):
        values = ", ".join(f"'{cell}'" if isinstance(cell, str) else str(cell) for cell in row)
        cursor.execute(f"insert into people values ({values})")
    cursor.close()
    connection.commit()


def _ask(connection: Any, query: str) -> list[Any]:
    cursor = connection.cursor()
    cursor.execute(query)
    rows = cursor.fetchall()
    cursor.close()
    return list(rows)


def _publish_there_and_back(connection: Any, name: str = "published") -> None:
    table = ov.read(connection, "select * from people order by name")
    assert len(table) == 100 and table.types == ["text", "integer", "text", "text"]
    release = ov.publish(table, policy(), to=(connection, name))
    rows = _ask(connection, f"select age, job from {name}")
    assert sorted(row[1] for row in rows) == sorted(people()["job"])
    assert '"max_posterior":"1/3"' in _ask(connection, f"select manifest from {name}_manifest")[0][0]
    assert release.manifest["rows"] == 100
    # The table exists already: nothing of a second release is added.
    with pytest.raises(Exception, match="(?i)exist"):
        ov.publish(table, policy(style="anatomy"), to=(connection, name))
    # The name of the second table is taken: the first table is not left behind.
    _execute(connection, f"create table {name}2_values (x int)")
    with pytest.raises(Exception, match="(?i)exist"):
        ov.publish(table, policy(style="anatomy"), to=(connection, f"{name}2"))
    with pytest.raises(Exception, match=f"(?i){name}2"):
        _ask(connection, f"select * from {name}2")
    if hasattr(connection, "rollback"):
        connection.rollback()
    anatomy = ov.publish(table, policy(style="anatomy"), to=(connection, f"{name}3"))
    assert sum(row[0] for row in _ask(connection, f"select count from {name}3_values")) == 100
    assert len(anatomy.tables) == 2


def _execute(connection: Any, statement: str) -> None:
    cursor = connection.cursor()
    cursor.execute(statement)
    cursor.close()
    connection.commit()


def test_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    _fill(connection)
    _publish_there_and_back(connection)


def test_what_cannot_be_written_to_is_refused_before_a_release_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: Any, **__: Any) -> Any:
        raise AssertionError("a release was made")

    duckdb = pytest.importorskip("duckdb")
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    for connection in (lite, duck):
        connection.execute("create table published_manifest (x text)")
    closed = sqlite3.connect(":memory:")
    closed.close()
    with monkeypatch.context() as patched:
        patched.setattr("openveil._openveil.publish", made)
        for connection in (lite, duck):
            with pytest.raises(ov.InputError, match="`published_manifest` exists"):
                ov.publish(people(), policy(), to=(connection, "published"))
        with pytest.raises(sqlite3.ProgrammingError):
            ov.publish(people(), policy(), to=(closed, "published"))
        patched.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ov.InputError, match="pyarrow, which is not installed") as caught:
            ov.publish(people(), policy(), to=(duck, "other"))
        assert caught.value.help == "`pip install pyarrow`"
    # A failure to write carries the release.
    lite.execute("create table other_values (x text)")
    with pytest.raises(sqlite3.OperationalError, match="exists") as failed:
        ov.publish(people(), policy(style="anatomy"), to=(lite, "other"))
    assert failed.value.release.manifest["rows"] == 100


def test_sqlite_by_adbc(tmp_path: Path) -> None:
    adbc = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with adbc.connect(str(tmp_path / "people.db")) as connection:
        _fill(connection)
        _publish_there_and_back(connection)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    connection = duckdb.connect()
    connection.execute("create table people (name text, age bigint, sex text, job text)")
    connection.executemany(
        "insert into people values (?, ?, ?, ?)", list(zip(*people().values(), strict=True))
    )
    table = ov.read(connection, "select * from people where age >= ?", parameters=[0])
    ov.publish(table, policy(), to=(connection, "published"))
    assert connection.execute("select count(*) from published").fetchall() == [(100,)]
    with pytest.raises(Exception, match="exist"):
        ov.publish(table, policy(style="anatomy"), to=(connection, "published"))
    assert connection.execute("select count(*) from published").fetchall() == [(100,)]


def _programs() -> str | None:
    """The folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return os.path.dirname(found) if found else (folders[-1] if folders else None)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of our own, on a port of the loopback interface."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    folder = tmp_path_factory.mktemp("postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    as_user: list[str] = []
    user = getpass.getuser()
    if os.getuid() == 0:
        # The server does not run as root.
        user = "postgres"
        if subprocess.run(["id", user], capture_output=True).returncode:
            pytest.skip("there is no user `postgres`, and servers do not run as root")
        for path in [folder, *folder.parents][:3]:
            path.chmod(0o755)
        shutil.chown(folder, user)
        as_user = ["setpriv", f"--reuid={user}", "--clear-groups"]
    data = folder / "data"
    made = [*as_user, f"{programs}/initdb", "-D", str(data), "-A", "trust", "-U", "tester"]
    subprocess.run(made, check=True, capture_output=True)
    options = ["-p", str(port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1", "-F"]
    process = subprocess.Popen(
        [*as_user, f"{programs}/postgres", "-D", str(data), *options], stderr=subprocess.DEVNULL
    )
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    time.sleep(0.5)
    yield f"postgresql://tester@127.0.0.1:{port}/postgres"
    process.terminate()
    process.wait(timeout=30)


def test_postgresql_by_db_api(server: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server) as connection:
        _execute(connection, "drop table if exists people")
        _fill(connection)
        _publish_there_and_back(connection, "by_db_api")


def test_postgresql_by_adbc(server: str) -> None:
    adbc = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with adbc.connect(server) as connection:
        _execute(connection, "drop table if exists people")
        _fill(connection)
        _publish_there_and_back(connection, "by_adbc")
        _execute(connection, "create schema safe")
        table = ov.read(connection, "select * from people")
        ov.publish(table, policy(), to=(connection, "safe.people"))
        assert _ask(connection, "select count(*) from safe.people")[0][0] == 100


def test_statistics_packages_and_workbooks(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    given = pandas.DataFrame(people())
    given["sex"] = (given["sex"] == "m").astype(float)
    labels = {"sex": {0.0: "f", 1.0: "m"}}
    about = {"job": "Monthly income in euros"}
    pyreadstat.write_sav(
        given, tmp_path / "people.sav", column_labels=about, variable_value_labels=labels
    )
    pyreadstat.write_dta(given, tmp_path / "people.dta", variable_value_labels=labels)
    pyreadstat.write_xport(given, tmp_path / "people.xpt")
    for name in ("people.sav", "people.dta"):
        table = ov.read(tmp_path / name)
        assert set(table.codes("sex")[1]) == {"0", "1"}
        assert ov.publish(table, policy(known={"age": "integer", "sex": "text"})).manifest["rows"] == 100
        assert set(ov.read(tmp_path / name, labels=True).codes("sex")[1]) == {"f", "m"}
    looked = {column["name"]: column for column in ov.inspect(ov.read(tmp_path / "people.sav")).columns}
    assert looked["job"]["label"] == about["job"]
    assert "income" in looked["job"]["reason"]
    assert len(ov.read(tmp_path / "people.xpt")) == 100
    pytest.importorskip("openpyxl")
    pandas.DataFrame(people()).to_excel(tmp_path / "people.xlsx", index=False, sheet_name="all")
    assert len(ov.read(tmp_path / "people.xlsx", sheet="all")) == 100


def test_uris(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pa.parquet.write_table(pa.table(people()), tmp_path / "people.parquet")
    table = ov.read((tmp_path / "people.parquet").as_uri())
    assert ov.publish(table, policy()).manifest["rows"] == 100


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(":memory:")
    for call, part in [
        (lambda: ov.read(connection), "needs a query"),
        (lambda: ov.read(tmp_path / "a.sav", "select 1"), "needs a connection"),
        (lambda: ov.read(tmp_path / "a.csv"), "name the path itself"),
        (lambda: ov.read(3, "select 1"), "neither a path nor a connection"),
        (lambda: ov.publish(people(), policy(), to="people"), "a connection and a name"),
    ]:
        with pytest.raises(ov.InputError, match=part):
            call()
    with pytest.raises(ov.FileError, match="no such file"):
        ov.read(tmp_path / "nobody.sav")
