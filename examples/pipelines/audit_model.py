"""Fail where a table in DuckDB shows too much: for pipelines, as dbt runs its tests.

Needs `pip install ./python duckdb`.
"""

from __future__ import annotations

import argparse
import sys

import duckdb
import openveil as ov


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("model", help="a table or view, such as marts.patients")
    parser.add_argument("--qi", required=True, help="known columns, with commas between")
    parser.add_argument("--sensitive", required=True)
    parser.add_argument("--fail-under", required=True, help="such as l_ratio=4,k=5")
    given = parser.parse_args()
    demands = dict(demand.split("=", 1) for demand in given.fail_under.split(","))
    with duckdb.connect(given.database, read_only=True) as connection:
        table = connection.table(given.model)
        found = ov.audit(
            table, qi=given.qi.split(","), sensitive=given.sensitive, fail_under=demands
        )
    for demand in found["demands"]:
        answer = "met" if demand["satisfied"] else "NOT met"
        print(f"{demand['measure']} of at least {demand['least']}: {answer}, it is {demand['found']}")
    return 0 if all(demand["satisfied"] for demand in found["demands"]) else 1


if __name__ == "__main__":
    sys.exit(main())
