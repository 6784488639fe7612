"""The other commands, with the options and defaults of the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _openveil, _progress
from ._audit import Audit
from ._documents import Document, document
from ._errors import FileError, FileMissingError
from ._frames import Give, TableLike, is_path, take
from ._models import Model
from ._policy import Policy, of_table
from ._release import Release, giver_of_choice
from ._words import spoken

# : Files about sensitive columns: one file, or files by the column's name.
Files = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]


def inspect(
    table: TableLike,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    preset: Literal["hipaa-safe-harbor", "public-file", "teaching-file"] | None = None,
    aim: Literal["study", "tables", "teaching", "public"] | None = None,
    trim: bool = False,
) -> Document:
    """Guess the role of each column, and propose a starter policy.

    :param table: A table of any Arrow package, a ``dict`` of lists, or a path.
    :param delimiter: Delimiter of a CSV file (``\\t`` for a tab) (default: guessed).
    :param encoding: Encoding of a CSV file: ``utf-8``, ``windows-1252``, ``utf-16``, … (default:
        guessed).
    :param sheet: The sheet of a workbook to read (default: the first).
    :param preset: Rules for columns that the starter policy drops or coarsens.
    :param aim: Propose style, floors and l for this aim, with the reason.
    :param trim: Trim blanks around fields.
    :returns: Types, numbers of distinct values, uniqueness, and guessed roles with the reason for each.
        ``["policy"]`` is a starter policy as text, to be corrected: ``ov.Policy.from_toml(...)``. The
        table can be published with it. It is ``None`` if no column of the table can be protected.
    :raises InputError: If the table cannot be read.
    """
    options = _options("inspect", locals())
    found, policy = _openveil.inspect(_given(table)[0], options)
    inspection = document(found)
    inspection["policy"] = policy
    return inspection


def audit(
    table: TableLike | Release,
    *,
    qi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    group: str | None = None,
    wildcard: bool = False,
    suppressed: str | Sequence[str] = (),
    subsets: int | None = None,
    l: Sequence[int] = (2, 3, 4),  # noqa: E741
    categories: Files | None = None,
    weights: Literal["uniform", "sensitivity"] = "uniform",
    beta: int = 2,
    hierarchy: Files | None = None,
    order: Files | None = None,
    population: int | str | os.PathLike[str] | None = None,
    sampling_fraction: float | None = None,
    survey_weight: str | None = None,
    household: str | None = None,
    suda: int | None = None,
    risk_threshold: float = 0.2,
    fail_under: str | Mapping[str, float | str] | None = None,
    measure: bool = False,
    delimiter: str | None = None,
    trim: bool = False,
    policy: Policy | str | os.PathLike[str] | None = None,
    original: TableLike | None = None,
    rows: bool = False,
) -> Audit:
    """Measure what a table discloses, from any source.

    docs/steward/other-tables.md explains every figure.

    :param table: A table, a path, a folder with a release, or a :class:`Release`.
    :param policy: A policy; ``["satisfied"]`` then states whether the table satisfies it.
    :param original: With ``measure``: the table that the release was made from.
    :param rows: Also measure the risks of each row, for the owner only: :attr:`Audit.row_risks`.
    :param qi: Quasi-identifiers. Rows that agree on them form a group (default: the policy's, or
        all other columns).
    :param sensitive: Sensitive columns (default: the policy's).
    :param group: The column with the group numbers (default: ``group``, if there is one).
    :param wildcard: Let a suppressed cell (``*``, ``NA``, or empty) match every value. The k of a
        row is then the number of rows that match it.
    :param suppressed: With ``wildcard``: the texts of suppressed cells, for example ``*,-9``
        (default: ``*``, ``NA`` and empty ones).
    :param subsets: Also measure every subset of up to this many known columns: the smallest group,
        and the share of rows that are alone.
    :param l: The values of l for which recursive (c, l)-diversity is measured.
    :param categories: A file with the categories of a sensitive column: lines ``value;category``,
        most sensitive category first.
    :param weights: The weights of categories in (l, α)-diversity.
    :param beta: The exponent of the sensitivity weights.
    :param hierarchy: A file with the hierarchy of a sensitive column: lines ``value;level1;…;*``,
        for the hierarchical distance.
    :param order: A file with the values of a sensitive column in order, one per line, lowest first.
    :param population: The population of which the table is a sample: a number of people, or a file
        with a table of them.
    :param sampling_fraction: The sampling fraction (table / population), for estimates of
        population uniqueness (default: from ``population``).
    :param survey_weight: A column with survey weights. Measures the re-identification risk of each
        row.
    :param household: A column with the household of each row. With ``survey_weight``, also measures
        the risk that somebody of the household is found.
    :param suda: Search for rows that few known columns single out (SUDA2), in sets of up to this
        many columns.
    :param risk_threshold: The chance of being found above which a row counts as at risk.
    :param fail_under: The least values of measures, such as ``l_ratio=4,k=5``. The command exits
        with code 1 if one of them is not reached.
    :param measure: Also measure the utility of the release against the policy's table, for the
        owner only.
    :param delimiter: Delimiter of a CSV file (``\\t`` for a tab) (default: the policy's, or a
        comma; a release names its own).
    :param trim: Trim blanks around fields.
    :returns: The measures, by the names of ``openveil audit --json``. ``["disclosure"]``, ``["subsets"]``
        and ``["demands"]`` are there if they were asked for.
    :raises InputError: If the table cannot be read or lacks a column.
    :raises PolicyError: If the policy does not fit the table.
    """
    options = _options("audit", locals())
    given, give = _given(table)
    if policy is None:
        found, risks = _openveil.audit(given, options, None, rows)
    else:
        policy = _policy(policy)
        with policy._spoken():
            found, risks = _openveil.audit(given, options, of_table(policy, original)[0], rows)
    audit = Audit(document(found))
    audit._row_risks = None if risks is None else give(risks)
    return audit


def _privacy(privacy: Model | str | None) -> str | None:
    """Returns a model as the text that the command takes."""
    return _openveil.model_text(privacy.section) if isinstance(privacy, Model) else privacy


def verify(
    *,
    algorithm: str | None = None,
    sensitive: str | Sequence[Any] = (),
    rows_up_to: int | None = None,
    crossed_with: Literal["nothing", "strata", "exempt", "strata-exempt"] = "nothing",
    resume: str | os.PathLike[str] | None = None,
    l: int | None = None,  # noqa: E741
    privacy: Model | str | None = None,
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
    limit: int = 1000000,
) -> Document | list[Document]:
    """Test whether an algorithm discloses anybody's value: enumerate every table with these values.

    Feasible for a few people only. Posteriors are exact fractions, as text.

    :param algorithm: The algorithm to check.
    :param sensitive: The sensitive values of all people: 1,1,2,2,3,3.
    :param rows_up_to: Check every multiset of up to N people that the model allows, instead of one.
    :param crossed_with: With ``rows_up_to``: combine every multiset with every division into two
        strata, with each of its values as exempt, or with both.
    :param resume: With ``rows_up_to``: record finished multisets in FILE, and continue from the
        ones recorded there.
    :param l: Check ratio l-diversity with this parameter.
    :param privacy: Check another privacy model, written as in a policy: 'model = "l-diversity",
        variant = "entropy", l = 3'.
    :param qi: Quasi-identifiers by person, as whole numbers whose order counts, with columns
        separated by ``;``: 0,0,1,1;5,6,5,6. Without it, people differ in one column.
    :param strata: Publish in strata of people who agree on these columns of the layout (``q1``,
        ``q2``, …). The reader knows how many people of each stratum have each value.
    :param functions: For ``naive``, ``safe`` and ``k-jump``: choose among these functions, the best
        first, instead of dividing people into blocks. Runs without a release are reported as well.
        Example: "AB|CD; ABCD" is pairs, then everybody.
    :param jump: For ``k-jump`` with ``functions``: the number of functions to jump when one fails,
        by function (default: 1 for each).
    :param odds: Check readers who are informed about some people: their beliefs about them differ
        from those about everybody else by at most these odds (3, 1.5, 4/3). The algorithm satisfies
        the model for them.
    :param informed: With ``odds``: the number of people about whom readers are informed (default:
        1).
    :param not_kept_for_informed: With ``odds``: let the algorithm satisfy the model for uninformed
        readers only, to see what informed ones learn.
    :param direction: Also report what a release adds to the belief of a reader to whom some values
        are likelier for some people of a group than for others, by at most these odds (above 1).
    :param history: Check several releases of a table that changes, with slots that persist
        (``cover``). Example: "1,1,2,3; +1,2 -0; ^0" lists the values of four people; then two more
        come and person 0 leaves; then person 0 comes back.
    :param afresh: With ``history``: make every release independently, to see what this discloses.
    :param cells_only: Assume that the reader sees only the released cells, not who is in which
        group.
    :param limit: The largest number of tables to enumerate.
    :returns: The findings; with ``rows_up_to`` a list.
    :raises OpenveilError: If an option is not valid, or there are more tables than ``limit``.
    """
    privacy = _privacy(privacy)
    return document(_openveil.verify(_options("verify", locals())))


def explain(
    sensitive: str | Sequence[Any],
    *,
    people: str | Sequence[str] = (),
    functions: str | None = None,
    jump: str | Sequence[int] | Sequence[Sequence[int]] = (),
    bound: float | str | None = None,
    privacy: Model | str | None = None,
    l: int | None = None,  # noqa: E741
    published: str | Sequence[str] = (),
    candidate: str | None = None,
    sets: bool = False,
    limit: int = 1000000,
) -> Document:
    """Show, for a few people, what readers conclude: every set that the papers define, enumerated.

    docs/theory/small-tables.md has examples.

    :param sensitive: The value of each person: flu,flu,cold. With a table, the name of the
        sensitive column.
    :param people: Names of the people: A,B,C (also their names without it).
    :param functions: Groupings that an algorithm may release, the best first: "AB|CD|EF; ABC|DEF".
    :param jump: A jump vector for k-jump: 1,2,1. May be repeated. Without it, all vectors are
        tried.
    :param bound: The highest allowed share of a value (default: 1/2).
    :param privacy: Check another privacy model instead of a bound, written as in a policy: 'model =
        "l-diversity", variant = "entropy", l = 3'.
    :param l: Short for ``--bound 1/L``.
    :param published: Groups that somebody else published about these people: "A B: flu, cold | C D:
        flu, flu". With a table, a file with generalised rows from any program. May be repeated.
    :param candidate: A further grouping: check whether it breaks the covers of the functions.
    :param sets: List the locally safe partitions, and the globally safe sets among them (up to ten
        people).
    :param limit: The largest number of tables to enumerate.
    :returns: The findings, with exact fractions as text.
    :raises OpenveilError: If an option is not valid, or there are more tables than ``limit``.

    >>> import openveil as ov
    >>> found = ov.explain("flu,cold,cold,flu", functions="AB|CD", published="A D: flu, flu")
    >>> found.together.posteriors.B.cold
    '1'
    """
    privacy = _privacy(privacy)
    return document(_openveil.explain(_options("explain", locals())))


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
    ties: str | bool | None = None,
    progress: bool | None = None,
) -> Document:
    """Attack a release with the owner's table at hand. The findings are for the owner only.

    They use the true values. docs/theory/attack.md explains every attack.

    :param release: A release, its folder, or several: they are intersected, the other attacks are on
        the first.
    :param policy: The policy that the release was made with.
    :param table: The table that the release was made from; by default the policy's file.
    :param categories: A file with the category of each sensitive value: one line ``value;category``
        per value.
    :param sample: Number of people to attack by re-running the algorithm.
    :param seed: Seed for the choice of people: another seed attacks other people.
    :param owner: Also list the rows of the people found, for the owner only.
    :param correlations: Also measure the guesses of readers who know how values go with
        quasi-identifiers, with and without the release. They learn it from half of the table or
        from another table.
    :param public: The table whose values those readers know: with the same columns, about other
        people.
    :param independent: Also make this many independent releases of the policy's table, and count
        the people whose value they disclose together.
    :param ties: Attack as a reader who knows which rows share their value, such as the rows of a
        household, and intersects their groups. COLUMN identifies them (default: the policy's
        ``[ties]``). No other attack is run.
    :param progress: Show progress; by default on a terminal or in a notebook, if tqdm is installed.
    :returns: The findings; ``promise_broken`` is true if the release breaks its promise.
    :raises OpenveilError: If the release was not made from this table, or the policy does not fit it.
    """
    options = _options("attack", locals())
    several = release if isinstance(release, (list, tuple)) else [release]
    releases = [_given(one)[0] for one in several]
    policy = _policy(policy)
    with policy._spoken(), _progress.bars(progress) as tell:
        native, _ = of_table(policy, table)
        return document(_openveil.attack(releases, native, options, tell))


def report(
    folder: str | os.PathLike[str],
    policy: Policy | str | os.PathLike[str] | None = None,
    table: TableLike | None = None,
    *,
    metadata: Sequence[Literal["frictionless", "croissant", "ddi"]] = (),
    template: Literal["european", "hipaa", "ehds", "office"] | None = None,
    language: Literal["en", "de"] | None = None,
    evidence: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Document:
    """Write the pages of a saved release again, its metadata, and a page of evidence.

    The release is checked against itself first. With the policy, it is attacked for the owner.

    :param folder: The folder of a release, as ``publish`` and ``Release.save`` write it.
    :param policy: The policy that the release was made with. Its ``[purpose]`` is in the evidence.
    :param table: The table that the release was made from; by default the policy's file.
    :param evidence: A file for a page to sign: what somebody could learn, the guarantee, risks before
        and after, attacks. For the owner only.
    :param metadata: Also write metadata for archives and catalogues beside the table, from the
        release alone.
    :param template: The layout of the evidence (default: european).
    :param language: The language of the pages and the evidence (default: en).
    :param progress: Show progress; by default on a terminal or in a notebook, if tqdm is installed.
    :returns: The paths of the files: ``release``, ``owner``, ``metadata``, ``evidence``.
    :raises OpenveilError: If the release is not as its manifest states, or the policy does not fit it.
    """
    options = _options("report", locals())
    place = None if evidence is None else os.fspath(evidence)
    if policy is None:
        with _progress.bars(progress) as tell:
            return document(_openveil.report(os.fspath(folder), options, None, place, tell))
    policy = _policy(policy)
    with policy._spoken(), _progress.bars(progress) as tell:
        native, _ = of_table(policy, table)
        return document(_openveil.report(os.fspath(folder), options, native, place, tell))


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
    :param l: Values of ``l`` to try instead of the policies': 2..8 (both ends count) or 2,4,6.
    :param algorithm: Algorithms to try instead of the policies'.
    :param style: Styles to try instead of the policies'.
    :param trials: Number of runs per setting.
    :param queries: Number of random count queries of each kind.
    :param on: Measure on another table with the same columns, public or historic. Without it, the
        policy's table is measured with its sensitive column shuffled.
    :param sample: Measure on the sample in this file. If the file does not exist, the sample is
        drawn at random. Leave it out later with ``publish --without-sample``.
    :param sample_rows: Number of rows of a sample that is drawn.
    :param true_values: Measure the true values, for the owner only. A choice by these figures
        discloses values, and later releases with these policies say so.
    :param state: Store finished trials here, and continue from them (default: beside the first
        policy, with the ending ``.compare.json``).
    :param test_seed: Repeat the random draws, for tests.
    :param progress: Show progress; by default on a terminal or in a notebook, if tqdm is installed.
    :returns: A row for each setting, with the median of each figure over the trials.
    :raises OpenveilError: If a policy does not fit the table.
    """
    options = _options("compare", locals())
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
        kind = FileMissingError if isinstance(cause, FileNotFoundError) else FileError
        raise kind(f"{schema}: cannot read the schema: {cause.strerror}") from cause
    return document(_openveil.check_schema(text, os.fspath(schema)))


def _policy(policy: Policy | str | os.PathLike[str]) -> Policy:
    return policy if isinstance(policy, Policy) else Policy.read(policy)


def _given(table: Any) -> tuple[Any, Give]:
    """Returns a table as the engine takes it, and a function that returns tables as its kind."""
    if isinstance(table, Release):
        return table._native, table._give
    return (os.fspath(table), giver_of_choice) if is_path(table) else take(table)


def _options(command: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those of a function's arguments that are options of the command."""
    return {name: given[name] for name in _openveil.options(command)}
