"""The other commands, with the options and defaults of the command line."""

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

# : Files about sensitive columns: one file, or files by the column's name.
Files = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]


def inspect(
    table: TableLike,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    trim: bool = False,
) -> Document:
    """Guess the role of each column, and propose a starter policy.

    :param table: A table of any Arrow package, a ``dict`` of lists, or a path.
    :param delimiter: Separator of the fields of a CSV file; guessed by default.
    :param encoding: Encoding of a CSV file; guessed by default.
    :param sheet: Name of a workbook's sheet; the first one by default.
    :param trim: Remove blanks around values.
    :returns: Types, numbers of distinct values, uniqueness, and guessed roles with the reason for each.
        ``["policy"]`` is a starter policy as text, to be corrected: ``ov.Policy.from_toml(...)``. The
        table can be published with it. It is ``None`` if no column of the table can be protected.
    :raises InputError: If the table cannot be read.
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
    """Measure what a table discloses, from any source.

    docs/steward/other-tables.md explains every figure.

    :param table: A table, a path, a folder with a release, or a :class:`Release`.
    :param sensitive: Sensitive columns; the policy's by default. Not needed if ``qi`` is given: the
        risk by known columns is then measured alone.
    :param policy: A policy; ``["satisfied"]`` then states whether the table satisfies it.
    :param original: With ``measure``: the table that the release was made from.
    :param group: The column that numbers the groups, instead of ``qi``.
    :param qi: Columns that others may know. Rows that agree on all of them form a group.
    :param l: Values of l for which recursive (c, l)-diversity is measured.
    :param categories: File of lines ``value;category``, the most sensitive category first.
    :param weights: Weights of categories: ``"uniform"`` or ``"sensitivity"``.
    :param beta: Exponent of the sensitivity weights, 1 to 64.
    :param hierarchy: File of lines ``value;level1;…;*``, for the hierarchical distance.
    :param order: File of the values of a sensitive column, one per line, the least first.
    :param population: Number of people in the population, or a table of them.
    :param sampling_fraction: Share of the population that is in the table, from 0 to 1.
        ``["disclosure"]`` then estimates the share of people who are unique in the population.
    :param survey_weight: Column with survey weights; ``["disclosure"]`` then has the chance of being
        found, row by row.
    :param household: Column that identifies a household: also measures the chance that one of its
        members is found. Needs ``survey_weight``.
    :param suda: Size of the largest combination of columns that is searched for special uniques, such
        as 3.
    :param risk_threshold: Chance of being found, from 0 to 1, above which a row is at risk.
    :param fail_under: Minimum values, such as ``{"l_ratio": 4, "k": 5}``; ``["demands"]`` states which
        of them are met.
    :param measure: Measure errors of counts against ``original``. For the owner only.
    :param wildcard: Suppressed cells (``*``, ``NA``, or empty) match every value.
    :param subsets: With 2, ``["subsets"]`` measures every known column and every pair of them.
    :param delimiter: Separator of the fields of a CSV file.
    :param trim: Remove blanks around values.
    :returns: The measures, by the names of ``openveil audit --json``.
    :raises InputError: If the table cannot be read or lacks a column.
    :raises PolicyError: If the policy does not fit the table.
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
        # The policy is passed separately, but its option has to be present.
        options += ["--measure", "--policy=-"]
    if policy is None:
        return Audit(document(_openveil.audit(_given(table), options, None)))
    policy = _policy(policy)
    with policy._spoken():
        native = of_table(policy, original)[0]
        return Audit(document(_openveil.audit(_given(table), options, native)))


def _privacy(privacy: Model | str | None) -> str | None:
    """Returns a model as the text that the command takes."""
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
    direction: float | str | None = None,
    history: str | None = None,
    afresh: bool = False,
    cells_only: bool = False,
    limit: int = 1_000_000,
) -> Document | list[Document]:
    """Test whether an algorithm discloses anybody's value: enumerate every table with these values.

    Feasible for a few people only. Posteriors are exact fractions, as text.

    :param algorithm: Name of the algorithm.
    :param sensitive: The sensitive values, one for each person: a sequence, or ``"1,1,2,2,3,3"``.
    :param l: The l of ratio l-diversity; give this or ``privacy``.
    :param privacy: Another model.
    :param rows_up_to: Check every multiset of values up to this size, instead of ``sensitive``.
    :param qi: Quasi-identifiers: columns of whole numbers, one number for each person.
    :param strata: Columns of ``qi`` (``"q1"``, ``"q2"``, …) that split the people into strata.
    :param functions: For ``naive``, ``safe`` and ``k-jump``: the groupings to choose from, the best
        first.
    :param jump: For ``k-jump`` with ``functions``: how far to jump when a function fails.
    :param odds: Ask readers whose beliefs about some people differ by these odds at most, such as
        ``"4/3"``.
    :param informed: With ``odds``: the number of these people.
    :param not_kept_for_informed: With ``odds``: let the algorithm satisfy the model only for readers
        who are not informed, to see what informed readers learn.
    :param direction: Also report what a release adds to the belief of readers to whom some values are
        likelier for some people of a group than for others, by these odds at most.
    :param history: Several releases of a table that changes: ``"1,1,2,3; +1,2 -0; ^0"``.
    :param afresh: With ``history``: make every release independently, to see what that discloses.
    :param cells_only: Assume that the reader sees the released cells, but not who is in which group.
    :param limit: Largest number of tables that are enumerated.
    :returns: The findings; with ``rows_up_to`` a list.
    :raises OpenveilError: If an option is not valid, or there are more tables than ``limit``.
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
        direction=direction,
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
    """Show, for a few people, what readers conclude: every set that the papers define, enumerated.

    docs/theory/small-tables.md has examples.

    :param sensitive: The people's values: a sequence, or ``"flu,flu,cold"``.
    :param people: Their names; A, B, C, … by default.
    :param functions: The groupings that an algorithm may release, the best first: ``"AB|CD; ABCD"``.
    :param jump: Jump vectors for k-jump; all are followed by default.
    :param bound: The greatest share of a value that is allowed.
    :param l: Short for ``bound="1/l"``.
    :param privacy: A model, instead of ``bound``.
    :param published: Groups that others published: ``"A B: flu, cold | C D: flu, flu"``.
    :param candidate: One more grouping: does it break the covers of ``functions``?
    :param sets: List the locally and the globally safe sets (up to ten people).
    :param plots: A folder for SVG files of the worlds that readers can rule out.
    :param limit: Largest number of tables that are enumerated.
    :returns: The findings, with exact fractions as text.
    :raises OpenveilError: If an option is not valid, or there are more tables than ``limit``.

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
    """Attack a release with the owner's table at hand. The findings are for the owner only.

    They use the true values. docs/theory/attack.md explains every attack.

    :param release: A release, its folder, or several: they are intersected, the other attacks are on
        the first.
    :param policy: The policy that the release was made with.
    :param table: The table that the release was made from; by default the policy's file.
    :param categories: File of lines ``value;category``.
    :param sample: Number of people who are attacked by running the algorithm again.
    :param seed: Equal seeds draw the same people.
    :param owner: Also list the rows of the people found.
    :param correlations: Also measure the guesses of readers who know how values depend on the
        quasi-identifiers, from half of the table or from ``public``.
    :param public: A table whose values these readers know: the same columns, other people.
    :param independent: Also make so many independent releases of the table, and count the people whom
        they make certain together.
    :param progress: Show progress; by default on a terminal or in a notebook, if tqdm is installed.
    :returns: The findings; ``promise_broken`` is true if the release breaks its promise.
    :raises OpenveilError: If the release was not made from this table, or the policy does not fit it.
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
    """Measure ways of publishing side by side, before one is chosen.

    By default the table's sensitive column is freshly shuffled first, because a choice by the true
    values would disclose something about them.

    :param policies: A policy, or several.
    :param table: The table; by default the policies' file.
    :param l: Values of l to compare: ``"2..8"`` or ``[2, 4, 6]``.
    :param algorithm: Algorithms to compare, instead of the policies'.
    :param style: Styles to compare, instead of the policies'.
    :param trials: Runs of each setting.
    :param queries: Random count queries of each kind.
    :param on: Measure another table of the same columns instead, public or historic.
    :param sample: Measure the sample in this file. It is drawn if the file does not exist, and
        :func:`publish` must leave it out by ``without_sample``.
    :param sample_rows: Rows of a sample that is drawn.
    :param true_values: Measure the true values. For the owner only: a choice by them discloses values.
    :param state: A file that keeps finished trials, to continue from.
    :param test_seed: Repeats the random draws, for tests.
    :param progress: Show progress; by default on a terminal or in a notebook, if tqdm is installed.
    :returns: A row for each setting, with the median of each figure over the trials.
    :raises OpenveilError: If a policy does not fit the table.
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
    """Check whether several tables together satisfy every rule of a schema.

    :param schema: A TOML file, or its document as a mapping.
    :returns: The findings for every rule.
    :raises FileError: If the file cannot be read.
    """
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
    """Returns options of the command line; options without a value are left to their defaults."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is None or value is False:
            continue
        elif isinstance(value, (list, tuple)):
            # One option per value, because a name may contain a comma.
            words += [f"{flag}={one}" for one in value]
        else:
            words.append(f"{flag}={os.fspath(value) if is_path(value) else value}")
    return words


def _files(name: str, files: Any) -> list[str]:
    if is_path(files):
        return [f"--{name}={os.fspath(files)}"]
    return [f"--{name}={column}={os.fspath(file)}" for column, file in dict(files or {}).items()]
