"""Publishing, and what comes out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _openveil, _progress
from ._documents import Document, document
from ._frames import Give, TableLike, to_columns, to_polars
from ._openveil import InputError
from ._policy import Policy, of_table, resolved

if TYPE_CHECKING:
    from pathlib import Path


class Release:
    """A checked release: what may be published, and if it was just made, what stays.

    Dropped without being saved it still was a run: whoever keeps the nicest of several gives
    values away.
    """

    def __init__(self, native: _openveil.Release, give: Give | None) -> None:
        self._native = native
        self._give = give or _giver_of_choice
        self._manifest = document(native.manifest)
        self._kept: dict[bool, dict[str, Any]] = {}

    @property
    def manifest(self) -> Document:
        """What is published beside the tables."""
        return self._manifest

    @property
    def guarantee(self) -> Document:
        """What is promised, and against whom: ``adversary``, ``max_posterior``, ``statement``."""
        guarantee: Document = self._manifest["guarantee"]
        return guarantee

    @property
    def tables(self) -> dict[str, Any]:
        """All tables by name, as the kind that came in; with rules there are several.

        In the anatomy style ``release-values`` says which group has which values.
        """
        return self._tables(unpack=False)

    @property
    def table(self) -> Any:
        """The published table, a row for each person; its cells read as in a file."""
        return self._first(self.tables)

    @property
    def unpacked(self) -> Any:
        """The table ready for analysis.

        Intervals are two columns (``age_min``, ``age_max``), sets and labels the lists of the
        values that they cover, missing values are none.
        """
        return self._first(self._tables(unpack=True))

    @property
    def groups(self) -> Any:
        """How often each value stands in each group: ``group``, the secret columns, ``count``."""
        tables = dict(self._native.tables())
        secret = [column["name"] for column in self._manifest["columns"] if column["role"] == "sensitive"]
        if f"{self._main}-values" in tables:
            return self._give(tables[f"{self._main}-values"])
        counts: dict[tuple[Any, ...], int] = {}
        columns = to_columns(self._native_table())
        for key in zip(columns["group"], *(columns[name] for name in secret), strict=True):
            counts[key] = counts.get(key, 0) + 1
        rows = sorted(counts.items(), key=lambda row: (row[0][0], *map(str, row[0][1:])))
        if "count" in secret:
            raise InputError("a secret column is called `count`, as the numbers of its values are")
        made: dict[str, list[Any]] = {"group": [key[0] for key, _ in rows]}
        for at, name in enumerate(secret, start=1):
            made[name] = [key[at] for key, _ in rows]
        made["count"] = [count for _, count in rows]
        from ._analysis import given

        return given(self, made)

    @property
    def owner(self) -> Document:
        """What was measured with the true values. Not for publication."""
        return document(self._native.owner())

    def utility(self) -> Document:
        """How useful the release is, measured on what is published."""
        utility: Document = self._manifest["utility"]
        return utility

    def query(
        self, where: str, *, policy: Policy | None = None, table: TableLike | None = None
    ) -> Document:
        """How many rows meet conditions: ``estimate`` with its ``standard_error``.

        ``"age >= 30 and sex = Female"``. With the ``policy`` (and the ``table``) that the release
        was made from, the true count stands beside it, for the owner.
        """
        native = None if policy is None else of_table(policy, table)[0]
        return document(self._native.count(where, native))

    def sample(self, rows: int, *, seed: int | None = None) -> Any:
        """Synthetic rows, drawn from what the release says; all that they tell is in it."""
        if rows < 0:
            raise InputError(f"{rows} rows cannot be drawn")
        return self._give(self._native.sample(rows, checked_seed(seed)))

    def crosstab(
        self,
        index: str,
        columns: str,
        secret: str | None = None,
        *,
        bins: Mapping[str, Sequence[float]] | None = None,
    ) -> Any:
        """Estimated rows by the values of two columns, and of a third if it is named.

        A row for each combination: the values, ``estimate`` and ``standard_error`` (how far the
        deal may have moved the count, if all that a group does not show is as likely). Columns of
        numbers are cut at ``bins``: ``{"age": [0, 30, 60]}`` makes ``[0, 30)`` and ``[30, 60)``.
        """
        from ._analysis import crosstab

        return crosstab(self, index, columns, secret, bins)

    def mean(
        self,
        column: str,
        *,
        by: str | None = None,
        weight: str | None = None,
        bins: Sequence[float] | None = None,
    ) -> Any:
        """The mean of a secret or other column of numbers, with error bars.

        ``by`` another column (numbers are cut at ``bins``), weighted by one of the role ``other``. A
        row for each part: ``rows``, ``mean`` and ``standard_error``: how far who goes with whom may
        have moved the mean, if every order of a group's values is as likely; 0 where all that is
        asked stands in the rows as it stood in the table. In a release of a history, rows are of
        people: those that are nobody's are taken off.
        """
        from ._means import mean

        return mean(self, column, by, weight, bins)

    def report(self) -> str:
        """The public page about the release, as HTML: what an ethics board reads.

        It is made from the release alone. ``save`` writes it beside the tables, and one for you.
        """
        return self._native.report()

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``release/`` and ``owner/`` into a folder, complete or not at all."""
        from pathlib import Path

        if self._native.save(os.fspath(folder)):
            import warnings

            warnings.warn(
                "replaced an earlier release in this folder. The guarantee covers one run: if that"
                " one went out, this is a second release",
                stacklevel=2,
            )
        return Path(folder)

    @property
    def _main(self) -> str:
        tables = self._manifest.get("tables") or [{"name": "release"}]
        name: str = tables[0]["name"]
        return name

    def _native_table(self, *, unpack: bool = False) -> _openveil.Table:
        return dict(self._native.tables(unpack=unpack))[self._main]

    def _tables(self, *, unpack: bool) -> dict[str, Any]:
        if unpack not in self._kept:
            made = self._native.tables(unpack=unpack)
            self._kept[unpack] = {name: self._give(table) for name, table in made}
        return dict(self._kept[unpack])

    def _first(self, tables: dict[str, Any]) -> Any:
        if self._manifest.get("tables"):
            raise InputError(
                "the release has several tables that keep rules together"
                "\n  help: they are `release.tables`"
            )
        return tables[self._main]

    def __repr__(self) -> str:
        manifest = self._manifest
        chosen = f", chosen by {manifest['chosen_by']}" if "chosen_by" in manifest else ""
        fit = "" if manifest["fit_for_publication"] else "\n  unfit for publication: test seed"
        return (
            f"<openveil.Release: {manifest['rows']:,} rows in {manifest['groups']:,} groups>\n"
            f"  {self.guarantee['statement']}\n"
            f"  algorithm {manifest['algorithm']}{chosen}, style {manifest['style']}{fit}"
        )

    def _repr_html_(self) -> str:
        import html

        heading, *rest = repr(self).splitlines()
        lines = "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in rest)
        return f"<div><b>{html.escape(heading.strip('<>'))}</b>{lines}</div>"


def publish(
    table: TableLike | None = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    to: Any = None,
    out: str | os.PathLike[str] | None = None,
    test_seed: int | None = None,
    i_accept_algorithm_disclosure: bool = False,
    certify: bool = False,
    measure: bool = False,
    progress: bool | None = None,
    **keywords: Any,
) -> Release:
    """Anonymise a table and check the result; nothing is written unless ``out`` or ``to`` says so.

    ``table`` may be left out where the policy names a file. Keywords make a policy:
    ``ov.publish(people, known=["age"], secret="job", model=ov.l_diversity(5))``. ``out`` is a
    folder for ``release/`` and ``owner/``; ``to`` a connection and the name of a table that is
    made there, whole or not at all. ``test_seed`` repeats the coins, for tests: the release is then marked
    as unfit for publication.

    Raises :class:`IneligibleError` where the model asks more than the table allows.
    """
    from ._read import write

    made = resolved(policy, keywords)
    native, give = of_table(made, table)
    with _progress.bars(progress) as tell:
        release = Release(
            _openveil.publish(
                native,
                test_seed=checked_seed(test_seed),
                accept_algorithm_disclosure=i_accept_algorithm_disclosure,
                certify=certify,
                measure=measure,
                views=give is to_polars,
                progress=tell,
            ),
            give,
        )
    if out is not None:
        release.save(out)
    if to is not None:
        write(release, to)
    return release


def plan(
    table: TableLike | None = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    **keywords: Any,
) -> Document:
    """What :func:`publish` would do, from the policy, the histogram and other public facts."""
    native, _ = of_table(resolved(policy, keywords), table)
    return document(_openveil.plan(native))


def read_release(folder: str | os.PathLike[str], *, like: Any = None) -> Release:
    """A release from its folder, with types: see :attr:`Release.unpacked`.

    Tables are those of the first package that is installed of polars, pandas and pyarrow; or of
    the kind of ``like``.
    """
    from ._frames import take

    if isinstance(like, Mapping):
        give: Give | None = to_columns
    else:
        give = None if like is None else take(like)[1]
    return Release(_openveil.read_release(os.fspath(folder)), give)


def _giver_of_choice(table: _openveil.Table) -> Any:
    import importlib.util

    from . import _frames

    for package in ("polars", "pandas", "pyarrow"):
        if importlib.util.find_spec(package) is not None:
            return getattr(_frames, f"to_{package}")(table)
    return to_columns(table)


def checked_seed(seed: int | None) -> int | None:
    """A seed of 64 bits, or none."""
    if seed is not None and not 0 <= seed < 2**64:
        raise InputError(f"the seed {seed} is not between 0 and 2**64 - 1")
    return seed
