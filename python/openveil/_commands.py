"""The other commands: their options and defaults are those of the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _openveil, _progress
from ._audit import Audit
from ._documents import Document, document
from ._frames import TableLike, is_path, take
from ._models import Model
from ._policy import Policy, of_table
from ._release import Release
from ._words import spoken

#: Files about sensitive columns: one for the only one, or by the column's name.
Files = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]


def inspect(
    table: TableLike,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    trim: bool = False,
) -> Document:
    """Look at a table: types, distinct values, uniqueness, guessed roles and the reason for each.

    How a file is written (delimiter, encoding, sheet of a workbook) is guessed where it is not
    said. ``["policy"]`` is a starter policy as text, to be corrected: ``ov.Policy.from_toml(...)``.
    It was tried: the table can be published with it. ``None`` if nothing in the table can be
    protected.
    """
    given = os.fspath(table) if is_path(table) else take(table)[0]
    found, policy = _openveil.inspect(
        given, delimiter=delimiter, encoding=encoding, sheet=sheet, trim=trim
    )
    inspection = document(found)
    inspection["policy"] = policy
    return inspection


def audit(
    table: TableLike | Release,
    *,
    sensitive: str | Sequence[str] = (),
    policy: Policy | str | os.PathLike[str] | None = None,
    original: TableLike | None = None,
    group: str | None = None,
    qi: str | Sequence[str] = (),
    l: Sequence[int] = (2, 3, 4),  # noqa: E741
    categories: Files | None = None,
    weights: str = "uniform",
    beta: int = 2,
    hierarchy: Files | None = None,
    order: Files | None = None,
    population: int | str | os.PathLike[str] | None = None,
    sampling_fraction: float | None = None,
    survey_weight: str | None = None,
    household: str | None = None,
    suda: int | None = None,
    risk_threshold: float = 0.2,
    fail_under: Mapping[str, float | str] | None = None,
    measure: bool = False,
    wildcard: bool = False,
    subsets: int | None = None,
    delimiter: str | None = None,
    trim: bool = False,
) -> Audit:
    """Measure what a table gives away, whoever made it (docs/audit.md has every figure).

    ``table``: a table, a path, a folder with a release, or a :class:`Release`. Rows that agree on
    ``qi`` (or on ``group``) are a group. With a ``policy``, ``["satisfied"]`` says whether it
    holds; with ``measure`` as well, ``original`` is the table that the release was made from.
    ``fail_under={"l_ratio": 4, "k": 5}`` answers in ``["demands"]`` which of them are met. With
    ``wildcard``, suppressed cells (``*``, ``NA``, or empty) match every value; ``subsets=2`` measures every
    known column and every pair of them in ``["subsets"]``. ``["disclosure"]`` is the risk by known columns alone:
    with ``sampling_fraction`` or ``population`` the share of people who are unique in the population,
    with ``survey_weight`` the chance of being found row by row (and by ``household``), with ``suda=3``
    special uniques. Where only ``qi`` is said, nothing needs to be sensitive.
    """
    options = _options(
        wildcard=wildcard,
        subsets=subsets,
        sensitive=sensitive,
        group=group,
        qi=qi,
        l=[str(one) for one in l],
        weights=weights,
        beta=beta,
        population=population,
        sampling_fraction=sampling_fraction,
        survey_weight=survey_weight,
        household=household,
        suda=suda,
        risk_threshold=risk_threshold,
        fail_under=[f"{measure}={least}" for measure, least in (fail_under or {}).items()],
        delimiter=delimiter,
        trim=trim,
    )
    for name, files in [("categories", categories), ("hierarchy", hierarchy), ("order", order)]:
        options += _files(name, files)
    if measure:
        # The policy stands beside; its option must only be there.
        options += ["--measure", "--policy=-"]
    if policy is None:
        return Audit(document(_openveil.audit(_given(table), options, None)))
    policy = _policy(policy)
    with policy._spoken():
        native = of_table(policy, original)[0]
        return Audit(document(_openveil.audit(_given(table), options, native)))


def _privacy(privacy: Model | str | None) -> str | None:
    """A model as the command takes it."""
    return _openveil.model_text(privacy.section) if isinstance(privacy, Model) else privacy


def verify(
    *,
    algorithm: str,
    sensitive: Sequence[Any] | str = (),
    l: int | None = None,  # noqa: E741
    privacy: Model | str | None = None,
    rows_up_to: int | None = None,
    qi: str | Sequence[Sequence[int]] | None = None,
    strata: str | Sequence[str] = (),
    functions: str | None = None,
    jump: Sequence[int] = (),
    odds: float | str | None = None,
    informed: int | None = None,
    not_kept_for_informed: bool = False,
    history: str | None = None,
    afresh: bool = False,
    cells_only: bool = False,
    limit: int = 1_000_000,
) -> Document | list[Document]:
    """Enumerate every table with these sensitive values: does an algorithm give anybody away?

    Posteriors are exact fractions, as text. ``rows_up_to`` checks every multiset up to a size
    instead, ``qi`` gives people quasi-identifiers: columns of numbers, one for each person.
    ``odds`` and ``informed`` ask readers who know something about so many people; ``history``
    (``"1,1,2,3; +1,2 -0; ^0"``) enumerates several releases of a table that changes.
    """
    values = sensitive.split(",") if isinstance(sensitive, str) else [str(one) for one in sensitive]
    if qi is not None and not isinstance(qi, str):
        qi = ";".join(",".join(map(str, column)) for column in qi)
    options = _options(
        algorithm=algorithm,
        sensitive=[value for value in values if value],
        l=l,
        privacy=_privacy(privacy),
        rows_up_to=rows_up_to,
        qi=qi,
        strata=strata,
        functions=functions,
        jump=[str(one) for one in jump],
        odds=odds,
        informed=informed,
        not_kept_for_informed=not_kept_for_informed,
        history=history,
        afresh=afresh,
        cells_only=cells_only,
        limit=limit,
    )
    return document(_openveil.verify(options))


def explain(
    sensitive: str | Sequence[Any],
    *,
    people: Sequence[str] = (),
    functions: str = "",
    jump: Sequence[Sequence[int]] = (),
    bound: str | float = "1/2",
    l: int | None = None,  # noqa: E741
    privacy: Model | str | None = None,
    published: str | Sequence[str] = (),
    candidate: str | None = None,
    sets: bool = False,
    plots: str | os.PathLike[str] | None = None,
    limit: int = 1_000_000,
) -> Document:
    """Show what readers of a few people conclude: every set that the papers define, enumerated.

    ``sensitive`` are the people's values (``"flu,flu,cold"``), ``functions`` the groupings that an
    algorithm may release, the best first (``"AB|CD; ABCD"``), ``published`` what others published
    (``"A B: flu, cold | C D: flu, flu"``). ``privacy`` asks a model instead of a ``bound``.
    docs/explain.md has examples.

    >>> import openveil as ov
    >>> found = ov.explain("flu,cold,cold,flu", functions="AB|CD", published="A D: flu, flu")
    >>> found.together.posteriors.B.cold
    '1'
    """
    values = sensitive if isinstance(sensitive, str) else ",".join(map(str, sensitive))
    options = _options(
        sensitive=values,
        people=list(people),
        functions=functions or None,
        jump=[",".join(map(str, vector)) for vector in jump],
        bound=bound if l is None and privacy is None else None,
        l=l,
        privacy=_privacy(privacy),
        published=[published] if isinstance(published, str) else list(published),
        candidate=candidate,
        sets=sets,
        plots=plots,
        limit=limit,
    )
    return document(_openveil.explain(options))


def attack(
    release: Release | str | os.PathLike[str] | Sequence[Release | str | os.PathLike[str]],
    policy: Policy | str | os.PathLike[str],
    table: TableLike | None = None,
    *,
    categories: str | os.PathLike[str] | None = None,
    sample: int = 200,
    seed: int = 0,
    owner: bool = False,
    correlations: bool = False,
    public: str | os.PathLike[str] | None = None,
    independent: int | None = None,
    progress: bool | None = None,
) -> Document:
    """Attack a release with the owner's table at hand; several of one table are intersected.

    ``correlations`` also measures what readers guess who know how values go with
    quasi-identifiers, from half of the table or from the one that ``public`` names;
    ``independent`` how many people so many releases of the table make certain together.

    For the owner: what is found was found with the true values.
    """
    if isinstance(release, (str, os.PathLike, Release)):
        release = [release]
    releases = [_given(one) for one in release]
    options = _options(
        categories=categories,
        sample=sample,
        seed=seed,
        owner=owner,
        correlations=correlations,
        public=public,
        independent=independent,
    )
    policy = _policy(policy)
    with policy._spoken(), _progress.bars(progress) as tell:
        native, _ = of_table(policy, table)
        return document(_openveil.attack(releases, native, options, tell))


def compare(
    policies: Policy | str | os.PathLike[str] | Sequence[Policy | str | os.PathLike[str]],
    table: TableLike | None = None,
    *,
    l: str | Sequence[int] | None = None,  # noqa: E741
    algorithm: str | Sequence[str] = (),
    style: str | Sequence[str] = (),
    trials: int = 5,
    queries: int = 400,
    on: str | os.PathLike[str] | None = None,
    sample: str | os.PathLike[str] | None = None,
    sample_rows: int | None = None,
    true_values: bool = False,
    state: str | os.PathLike[str] | None = None,
    test_seed: int | None = None,
    progress: bool | None = None,
) -> Document:
    """Measure ways of publishing beside each other, before one is chosen.

    On the table with its sensitive column freshly shuffled, unless ``on`` (another table) or
    ``sample`` says otherwise: choosing by the true values would give values away.
    """
    if l is not None and not isinstance(l, str):
        l = ",".join(map(str, l))  # noqa: E741
    options = _options(
        l=l,
        algorithm=algorithm,
        style=style,
        trials=trials,
        queries=queries,
        on=on,
        sample=sample,
        sample_rows=sample_rows,
        true_values=true_values,
        state=state,
        test_seed=test_seed,
    )
    if isinstance(policies, (str, os.PathLike, Policy)):
        policies = [policies]
    given = [_policy(policy) for policy in policies]
    with spoken(all(policy._by_keywords for policy in given)), _progress.bars(progress) as tell:
        native = [of_table(policy, table)[0] for policy in given]
        return document(_openveil.compare(native, options, tell))


def check_schema(schema: str | os.PathLike[str] | Mapping[str, Any]) -> Document:
    """Whether tables together keep every rule: a TOML file, or its document."""
    from pathlib import Path

    if isinstance(schema, Mapping):
        return document(_openveil.check_schema(_openveil.toml(dict(schema)), "schema"))
    try:
        text = Path(schema).read_text(encoding="utf-8")
    except OSError as cause:
        raise _openveil.FileError(f"{schema}: cannot read the schema: {cause.strerror}") from cause
    return document(_openveil.check_schema(text, os.fspath(schema)))


def _policy(policy: Policy | str | os.PathLike[str]) -> Policy:
    return policy if isinstance(policy, Policy) else Policy.read(policy)


def _given(table: Any) -> Any:
    if isinstance(table, Release):
        return table._native
    return os.fspath(table) if is_path(table) else take(table)[0]


def _options(**options: Any) -> list[str]:
    """Options as the command line has them; what is nothing is left to its default."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is None or value is False:
            continue
        elif isinstance(value, (list, tuple)):
            # One by one: a name may hold a comma.
            words += [f"{flag}={one}" for one in value]
        else:
            words.append(f"{flag}={os.fspath(value) if is_path(value) else value}")
    return words


def _files(name: str, files: Any) -> list[str]:
    if is_path(files):
        return [f"--{name}={os.fspath(files)}"]
    return [f"--{name}={column}={os.fspath(file)}" for column, file in dict(files or {}).items()]
