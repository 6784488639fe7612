"""Tables in databases, statistics packages, workbooks and object stores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _openveil
from ._frames import is_path, take, to_columns, to_pyarrow
from ._errors import FileMissingError, InputError, InputTypeError
from ._survey import READERS, read_survey

if TYPE_CHECKING:
    from ._release import Release

_WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")


def read(
    source: Any,
    query: str | None = None,
    *,
    parameters: Sequence[Any] = (),
    labels: bool = False,
    sheet: str | int = 0,
) -> _openveil.Table:
    """Returns a table for :func:`publish` and the other functions; any Arrow package accepts it, too.

    :param source: A connection (ADBC, DB-API: PostgreSQL, SQLite, DuckDB, …), or a path: an SPSS, Stata
        or SAS file (needs ``pyreadstat``), a workbook (needs ``pandas`` and ``openpyxl``), or Parquet or
        CSV behind a URI such as ``s3://bucket/people.parquet`` (needs ``pyarrow``).
    :param query: The query, for a connection.
    :param parameters: Parameters of the query.
    :param labels: Return labels instead of codes, for SPSS, Stata and SAS files. By default codes are
        published, the manifest has their labels, and :meth:`Release.export` writes such a file again.
        Codes for missing answers are codes if all values have labels, and else missing.
    :param sheet: Name or number (from 0) of a workbook's sheet.
    :raises InputError: If ``source`` is neither a path nor a connection, or the query is missing.

    You need not read other paths first: ``ov.publish("people.csv", ...)``.
    """
    if is_path(source):
        if query is not None:
            raise InputError("a query needs a connection, not a path")
        found = _of_path(os.fspath(source), labels, sheet)
        return found if isinstance(found, _openveil.Table) else take(found)[0]
    if query is None:
        raise InputError("a connection needs a query: `ov.read(connection, 'select ...')`")
    if _package(source) in _DUCKDB:
        relation = source.sql(query, params=list(parameters) or None)
        return take(relation.to_arrow_table())[0]
    if not hasattr(source, "cursor"):
        raise InputError(f"{type(source).__qualname__} is neither a path nor a connection")
    cursor = source.cursor()
    try:
        cursor.execute(query, parameters) if parameters else cursor.execute(query)
        if hasattr(cursor, "fetch_arrow_table"):
            return take(cursor.fetch_arrow_table())[0]
        names = [column[0] for column in cursor.description or ()]
        rows = cursor.fetchall()
    finally:
        cursor.close()
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return take(dict(zip(names, columns, strict=True)))[0]


def of_place(place: str, query: str) -> _openveil.Table:
    """Returns the result of a query of a database by its address, for the page in the browser.

    Addresses are ``sqlite:///people.db``, ``duckdb:///people.duckdb`` and
    ``postgresql://user@host/name``. Their packages (``duckdb``, ``psycopg``) must be installed.
    """
    kind, _, rest = place.strip().partition("://")
    if kind == "sqlite":
        import sqlite3

        path = rest.removeprefix("/")
        _refuse_missing(path)
        # Read-only, like the others: a query must not change anything.
        connection: Any = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    elif kind == "duckdb":
        import duckdb

        path = rest.removeprefix("/")
        _refuse_missing(path)
        connection = duckdb.connect(path, read_only=True)
    elif kind in ("postgresql", "postgres"):
        import psycopg

        connection = psycopg.connect(place)
    else:
        raise InputError(
            f"{place}: is not the address of a database\n"
            "  help: write sqlite:///path, duckdb:///path or postgresql://user@host/name"
        )
    try:
        return read(connection, query)
    finally:
        connection.close()


def _of_path(path: str, labels: bool, sheet: str | int) -> Any:
    ending = os.path.splitext(path)[1].lower()
    if ending in READERS:
        _refuse_missing(path)
        return read_survey(path, ending, labels)
    if ending in _WORKBOOKS:
        import pandas as pd

        _refuse_missing(path)
        return pd.read_excel(path, sheet_name=sheet)
    import re

    if re.match(r"[a-z][a-z0-9+.-]+://", path):
        return _of_uri(path, ending)
    raise InputError(
        f"{path}: needs no reading beforehand\n  help: name the path itself: `ov.publish({path!r}, ...)`"
    )


def _refuse_missing(path: str) -> None:
    if not os.path.exists(path):
        raise FileMissingError(f"{path}: cannot open the file: there is no such file")


def _of_uri(uri: str, ending: str) -> Any:
    from pyarrow import dataset, fs

    filesystem, path = fs.FileSystem.from_uri(uri)
    kind = "parquet" if ending in ("", ".parquet") else "csv"
    return dataset.dataset(path, filesystem=filesystem, format=kind).to_table()


def check_writable(to: Any, *, several: bool) -> None:
    """Raises an error if the target cannot be written to, before there is a release.

    ``several``: the release has several tables, each with its own name appended to the target's.
    """
    try:
        connection, name = to
    except (TypeError, ValueError):
        raise InputTypeError("`to` takes a connection and a name: `to=(connection, 'people')`") from None
    if not hasattr(connection, "cursor") or not isinstance(name, str):
        raise InputTypeError("`to` takes a connection and a name: `to=(connection, 'people')`")
    _inserter(connection)
    for table in [f"{name}_manifest", *([] if several else [name])]:
        if _is_taken(connection, table):
            raise InputError(
                f"the table `{table}` exists in the database already\n  help: choose another name, or drop it"
            )


def write(release: Release, to: tuple[Any, str]) -> None:
    """Write a release's tables into a database, all of them or none.

    ``to``: a connection, and the name of the table to make (``schema.name`` if there are schemas). The
    table ``name_manifest`` gets the manifest. The names of several tables are appended to the name.
    """
    connection, name = to
    natives = dict(release._native.tables())
    tables = {
        name if key == "release" else f"{name}_{key.removeprefix('release-')}": table
        for key, table in natives.items()
    }
    tables = {key.replace("-", "_"): table for key, table in tables.items()}
    tables[f"{name}_manifest"] = take({"manifest": [release._native.manifest]})[0]
    with _transaction(connection) as insert:
        for key, table in tables.items():
            insert(key, table)


@contextmanager
def _transaction(connection: Any) -> Iterator[Any]:
    """Yields a function that makes a table; if one call fails, all are undone."""
    insert = _inserter(connection)
    package = _package(connection)
    begin = "begin transaction" if package in _DUCKDB else None
    # The sqlite3 module begins no transaction for `create table`.
    if package == "sqlite3" and not connection.in_transaction:
        begin = "begin"
    if begin is not None:
        connection.execute(begin)
    try:
        yield insert
    except BaseException:
        with suppress(Exception):
            connection.rollback()
        raise
    connection.commit()


def _package(connection: Any) -> str:
    return type(connection).__module__.partition(".")[0]


def _inserter(connection: Any) -> Any:
    """Returns a function that makes a table, or raises an error if the connection cannot."""
    if _package(connection) in _DUCKDB:
        _need_pyarrow()
        return _duckdb(connection)
    if hasattr(connection, "adbc_get_info"):
        _need_pyarrow()
        return _adbc(connection)
    return _db_api(connection)


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError(
            "this connection takes tables of pyarrow, which is not installed\n  help: `pip install pyarrow`"
        ) from None


#: The packages that define DuckDB's connections.
_DUCKDB = ("duckdb", "_duckdb")


def _is_taken(connection: Any, name: str) -> bool:
    """Returns whether a database is known to have a table; other databases fail when it is made."""
    *schema, last = name.split(".", 1)
    named, current = "select 1 from information_schema.tables where ", "current_schema())"
    package = _package(connection)
    values: list[str | None] = [last, schema[0] if schema else None]
    if package == "sqlite3":
        tables = f"{_quoted_column(schema[0] if schema else 'main')}.sqlite_master"
        query, values = f"select 1 from {tables} where lower(name) = lower(?)", values[:1]
    elif package in _DUCKDB:
        query = f"{named}lower(table_name) = lower(?) and lower(table_schema) = lower(coalesce(?, {current})"
    elif package == "psycopg":
        query = f"{named}table_name = %s and table_schema = coalesce(%s::text, {current}"
    else:
        return False
    return connection.execute(query, values).fetchone() is not None


def _quoted(name: str) -> str:
    parts = name.split(".", 1)
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def _duckdb(connection: Any) -> Any:
    def insert(name: str, table: _openveil.Table) -> None:
        connection.register("openveil_release", to_pyarrow(table))
        try:
            connection.execute(f"create table {_quoted(name)} as select * from openveil_release")
        finally:
            # Fails if the transaction has failed; the first error says more.
            with suppress(Exception):
                connection.unregister("openveil_release")

    return insert


def _adbc(connection: Any) -> Any:
    def insert(name: str, table: _openveil.Table) -> None:
        schema, _, last = name.rpartition(".")
        where = {"db_schema_name": schema} if schema else {}
        with connection.cursor() as cursor:
            cursor.adbc_ingest(last, to_pyarrow(table), mode="create", **where)

    return insert


#: Types of columns in a database, by the types of policies.
_SQL = {"integer": "bigint", "number": "double precision", "date": "date", "boolean": "boolean", "text": "text"}

#: Markers of parameters, by their style in PEP 249.
_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s"}


def _db_api(connection: Any) -> Any:
    import sys

    module = sys.modules[_package(connection)]
    style = getattr(module, "paramstyle", "qmark")
    if style not in _MARKS:
        raise InputError(f"a database that marks parameters as `{style}` cannot be written to")

    def insert(name: str, table: _openveil.Table) -> None:
        kinds = zip(table.columns, table.types, strict=True)
        columns = ", ".join(f"{_quoted_column(column)} {_SQL[kind]}" for column, kind in kinds)
        marks = ", ".join([_MARKS[style]] * len(table.columns))
        cursor = connection.cursor()
        try:
            cursor.execute(f"create table {_quoted(name)} ({columns})")
            rows = zip(*to_columns(table).values(), strict=True)
            cursor.executemany(f"insert into {_quoted(name)} values ({marks})", list(rows))
        finally:
            cursor.close()

    return insert


def _quoted_column(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
