"""Measures tables of Spark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._audit import Audit
from .._commands import audit as audit_in_memory
from .._errors import InputError
from .._policy import Policy
from ._columns import column
from ._release import Release

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def audit(
    table: DataFrame | Release,
    *,
    sensitive: str | Sequence[str] = (),
    group: str | None = None,
    qi: str | Sequence[str] = (),
    policy: Policy | str | os.PathLike[str] | None = None,
    **keywords: Any,
) -> Audit:
    """Measure what a table discloses: like :func:`openveil.audit`, with its keywords.

    The named columns are collected on the driver and measured there. For a :class:`Release` these are the
    group numbers and the sensitive values; with a ``policy`` all columns of the table. The driver needs
    about 30 bytes of memory for each row and column, so select the columns that a policy needs first.
    """
    if isinstance(table, Release):
        rows, secret = table._grouped()
        group, sensitive = group or "group", _names(sensitive) or secret
    elif isinstance(getattr(table, "columns", None), list) and hasattr(table, "toArrow"):
        rows = table
    else:
        raise InputError(
            "`audit` of openveil.spark takes a Spark DataFrame, or a release made on Spark"
            "\n  help: `openveil.audit` measures other tables"
        )
    named = [*_names(qi), *_names(sensitive), *([] if group is None else [group])]
    for name in named:
        if name not in rows.columns:
            raise InputError(
                f"the table has no column `{name}`\n  help: it has {', '.join(rows.columns)}"
            )
    if policy is None and named:
        rows = rows.select(*map(column, dict.fromkeys(named)))
    return audit_in_memory(
        rows.toArrow(), sensitive=sensitive, group=group, qi=qi, policy=policy, **keywords
    )


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
