"""Checks of published tables, for pipelines."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from . import _openveil
from ._documents import document
from ._errors import CheckError
from ._frames import is_path, take
from ._policy import Policy
from ._release import Release, read_release

_Table = TypeVar("_Table")
_Arguments = ParamSpec("_Arguments")


def check(table: _Table, policy: Policy | str | os.PathLike[str]) -> _Table:
    """Returns a published table, or a release, if it is as a policy promises.

    Every group has to satisfy the policy's model, and no column may be there that the policy does not publish. A
    release also has to be as its manifest states, and to protect the policy's columns. Whether cells are as coarse as
    the policy asks is not checked. The original table is not published, so it seldom passes.

    :param table: A release, its folder, a table of any Arrow package, a ``dict`` of lists, or a path.
    :param policy: The policy, or the path of a policy file.
    :raises CheckError: If a check fails: ``failures`` lists all of them, each with ``check`` and ``failure``.
    :raises InputError: If the table cannot be read or lacks a column of the policy.

    >>> import openveil as ov
    >>> policy = ov.Policy(known="age", secret="job", model=ov.l_diversity(2))
    >>> published = ov.check({"age": ["30-39", "30-39"], "job": ["nurse", "clerk"]}, policy)
    """
    own = policy if isinstance(policy, Policy) else Policy.read(policy)
    with own._spoken():
        given, types = _published(table, own)
        native = own._for_published(types)
        found = document(f'{{"checks": {_openveil.check(given, native)}}}')["checks"]
    failures = [dict(one) for one in found if one["failure"] is not None]
    if failures:
        said = "".join(f"\n  {one['check']}: {one['failure']}" for one in failures)
        raise CheckError(f"the table is not as the policy promises:{said}", failures)
    return table


def checked(
    policy: Policy | str | os.PathLike[str],
) -> Callable[[Callable[_Arguments, _Table]], Callable[_Arguments, _Table]]:
    """Returns a decorator: the table that the function returns passes :func:`check`, or the call raises.

    ::

        @ov.checked("policy.toml")
        def monthly(visits):
            ...
    """

    def of(function: Callable[_Arguments, _Table]) -> Callable[_Arguments, _Table]:
        @functools.wraps(function)
        def run(*arguments: _Arguments.args, **keywords: _Arguments.kwargs) -> _Table:
            return check(function(*arguments, **keywords), policy)

        return run

    return of


def _published(table: object, policy: Policy) -> tuple[_openveil.Table | _openveil.Release | str, list[tuple[str, str]]]:
    """Returns a table as the engine takes it, and the types of the columns before they were coarsened, if known."""
    if isinstance(table, (str, os.PathLike)) and os.path.isdir(table):
        table = read_release(table)
    if isinstance(table, Release):
        return table._native, [(own["name"], own.get("type") or "text") for own in table.manifest["columns"]]
    if is_path(table):
        path = os.fspath(table)  # type: ignore[call-overload]
        return path, policy._checked().types(path)
    taken = take(table)[0]
    return taken, list(zip(taken.columns, taken.types, strict=True))
