"""Columns by names that Spark would parse as paths."""

from __future__ import annotations

from typing import Any


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def column(name: str) -> Any:
    from pyspark.sql import functions as F

    return F.col(quoted(name))
