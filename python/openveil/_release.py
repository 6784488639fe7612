"""Publishing, and what comes out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from . import _openveil, _progress
from ._analysis import Bins, By, effort, single, table
from ._documents import Document, document, told
from ._frames import Give, TableLike, of_lists, to_columns, to_polars
from ._types import Back
from ._openveil import InputError
from ._policy import Policy, of_table, resolved
from ._warnings import warn

if TYPE_CHECKING:
    from pathlib import Path

    from ._fit import Fit


class Release:
    """A checked release: what may be published, and if it was just made, what stays.

    Dropped without being saved it still was a run: whoever keeps the nicest of several gives
    values away.
    """

    def __init__(self, native: _openveil.Release, give: Give | None) -> None:
        self._native = native
        self._owner: Document | None = None
        #: Notes for the owner of a release that was just made, as :func:`publish` warned of them.
        self.warnings: list[str] = []
        #: Lines that the owner should go through before the release goes out.
        self.checklist: list[str] = []
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
            raise InputError("a secret column is called `count`, which is also the name of the column of counts")
        made: dict[str, list[Any]] = {"group": [key[0] for key, _ in rows]}
        for at, name in enumerate(secret, start=1):
            made[name] = [key[at] for key, _ in rows]
        made["count"] = [count for _, count in rows]
        return of_lists(self._give, made)

    @property
    def owner(self) -> Document:
        """What was measured with the true values. Not for publication."""
        if self._owner is None:
            self._owner = document(self._native.owner())
        return self._owner

    def utility(self) -> Document:
        """How useful the release is, measured on what is published."""
        utility: Document = self._manifest["utility"]
        return utility

    def query(
        self,
        where: str,
        *,
        policy: Policy | None = None,
        table: TableLike | None = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Document:
        """Returns how many rows meet conditions, as the command's document.

        ``"age >= 30 and sex = Female"``. The document has ``estimate``, its 95 % ``interval``,
        ``method`` and ``deal_error`` (see :meth:`crosstab`), and ``estimate_evenly``: the estimate
        if the values of a group are spread evenly over its people. With the ``policy`` (and the
        ``table``) that the release was made from, the document also has the true count. The true
        count is for the owner only.
        """
        if policy is None:
            return document(self._native.count(where, None, **effort(worlds, seed)))
        with policy._spoken():
            native = of_table(policy, table)[0]
            return document(self._native.count(where, native, **effort(worlds, seed)))

    def count(self, where: str, *, worlds: int = 8, seed: int = 1) -> Any:
        """Returns how many rows meet conditions, as a table of one row (see :meth:`crosstab`)."""
        return single(self, self.query(where, worlds=worlds, seed=seed))

    def crosstab(
        self,
        by: By,
        *,
        where: str | None = None,
        bins: Bins = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Any:
        """Returns estimated counts by the values of any columns, known or secret.

        ``by`` is a column or a list of columns, ``where`` restricts the rows, and ``bins`` cuts
        columns of numbers or dates: ``{"age": [0, 30, 60]}`` makes ``[0, 30)`` and ``[30, 60)``.

        The table has a row for each combination of values:

        - ``estimate``, and ``low`` and ``high``: the 95 % interval.
        - ``method``: ``exact`` (the release shows the figure), ``fit-and-worlds`` (a fitted model,
          corrected for bias), ``fit`` (the fitted model alone, not corrected: the figure lies between
          ``low`` and ``high`` for certain), or ``bounds`` (no model could be fitted: the figure lies
          between them for certain, and the estimate is some number in between).
        - ``deal_error``: the standard deviation over the orders in which people of a group can
          have its values. It is a part of the error only.

        ``worlds`` tables are drawn from the model, published and fitted again. Their errors give
        the bias and the interval. More worlds take longer and give more precise intervals; 0 means
        none. The same ``seed`` gives the same figures. Fits are kept: the first question takes
        seconds, others take milliseconds.
        """
        return table(self, by, where, None, bins, worlds, seed)

    def mean(
        self,
        column: str,
        by: By = None,
        *,
        where: str | None = None,
        bins: Bins = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Any:
        """Returns the mean of a column of numbers by the values of others, as :meth:`crosstab` does.

        ``column`` can be known, secret, or for analysis (role ``other``).
        """
        return table(self, by, where, (column, None), bins, worlds, seed)

    def quantile(
        self,
        column: str,
        share: float = 0.5,
        by: By = None,
        *,
        where: str | None = None,
        bins: Bins = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Any:
        """Returns a quantile of a column of numbers by the values of others; 0.5 is the median.

        The table is that of :meth:`crosstab`.
        """
        return table(self, by, where, (column, float(share)), bins, worlds, seed)

    def fit(self, formula: str, *, worlds: int = 8, seed: int = 1) -> Fit:
        """Returns a regression of the secret column on known columns: ``"job ~ age + sex"``.

        A secret column of numbers has a linear regression, another one a multinomial logit.
        ``a:b`` is the interaction of two columns, ``a*b`` both and their interaction, and ``.`` all
        known columns. Standard errors are those of a sample of people as large as the table, and
        of the release.
        """
        from ._fit import Fit

        made = self._native.regression(formula, **effort(worlds, seed))
        return Fit(document(made), self._give)

    def weights(self, *, worlds: int = 8, seed: int = 1) -> Any:
        """Returns a long table for learners: a line for each row and each value that it may have.

        The columns are the known ones, the secret one, ``row`` (the number of the release's row,
        from 0) and ``weight`` (the chance of the value by the fitted model). Weights of a row add
        up to 1. Train any model on the known columns with ``sample_weight=weight``.
        """
        return self._give(self._native.weights(**effort(worlds, seed)))

    def samples(self, m: int = 20, *, worlds: int = 8, seed: int = 1) -> list[Any]:
        """Returns ``m`` synthetic tables, completed from the release by the fitted model.

        Analyse each table by itself and combine the results with :func:`openveil.pool` (multiple
        imputation). A single table, and its rows, say nothing about anybody.
        """
        made = self._native.completed(m, **effort(worlds, seed))
        return [self._give(own) for own in made]

    def sample(self, rows: int, *, seed: int | None = None) -> Any:
        """Returns synthetic rows, drawn from the release without a fit.

        For analyses use :meth:`samples`: it preserves how the secret goes with known columns.
        """
        if rows < 0:
            raise InputError(f"{rows} rows cannot be drawn")
        return self._give(self._native.sample(rows, checked_seed(seed)))

    def report(self) -> str:
        """The public page about the release, as HTML: what an ethics board reads.

        It is made from the release alone. ``save`` writes it beside the tables, and one for you.
        """
        return self._native.report()

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``release/`` and ``owner/`` into a folder, complete or not at all."""
        from pathlib import Path

        if self._native.save(os.fspath(folder)):
            warn(
                [
                    "this release replaced an earlier one in the same folder. The guarantee covers one run:"
                    " if the earlier release was given to anybody, this is a second release"
                ]
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
                "the release has several tables with rules"
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
            f"{told(self.warnings, self.checklist)}"
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
    without_sample: Sequence[str | os.PathLike[str]] = (),
    progress: bool | None = None,
    **keywords: Any,
) -> Release:
    """Anonymise a table and check the result; nothing is written unless ``out`` or ``to`` says so.

    ``table`` may be left out where the policy names a file. Keywords make a policy:
    ``ov.publish(people, known=["age"], secret="job", model=ov.l_diversity(5))``. ``out`` is a
    folder for ``release/`` and ``owner/``; ``to`` a connection and the name of a table that is
    made there, whole or not at all. ``without_sample`` names files of samples (:func:`compare`), whose
    rows are left out. ``test_seed`` repeats the coins, for tests: the release is then marked as unfit
    for publication.

    Warns (:class:`OpenveilWarning`) as the command does; :attr:`Release.warnings` has the same notes.

    Raises :class:`IneligibleError` where the model asks more than the table allows. ``out`` and ``to``
    are checked before the release is made; if writing fails all the same, the exception has the
    release as ``release``. Publishing again makes a second release.
    """
    from ._read import check_writable, write

    made = resolved(policy, keywords)
    if to is not None:
        check_writable(to, several="[[rules]]" in made.toml)
    with made._spoken(), _progress.bars(progress) as tell:
        native, give = of_table(made, table)
        native = native.with_(without_sample=[os.fspath(file) for file in without_sample])
        published = _openveil.publish(
            native,
            out=out,
            test_seed=checked_seed(test_seed),
            accept_algorithm_disclosure=i_accept_algorithm_disclosure,
            certify=certify,
            measure=measure,
            views=isinstance(give, Back) and give.to is to_polars,
            progress=tell,
        )
    release = Release(published, give)
    with _kept(release):
        release.warnings = made._notes(release.owner["warnings"])
        release.checklist = list(release.owner["checklist"])
        if out is not None:
            release.save(out)
        if to is not None:
            write(release, to)
        warn(release.warnings, stacklevel=2)
    return release


@contextmanager
def _kept(release: Release) -> Iterator[None]:
    """Attaches the release to an exception: it cannot be made again."""
    try:
        yield
    except BaseException as error:
        with suppress(AttributeError, TypeError):
            error.release = release  # type: ignore[attr-defined]
        raise


def plan(
    table: TableLike | None = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    **keywords: Any,
) -> Document:
    """What :func:`publish` would do, from the policy, the histogram and other public facts.

    Warns as :func:`publish` does; the document has ``warnings`` and ``checklist``.
    """
    made = resolved(policy, keywords)
    with made._spoken():
        native, _ = of_table(made, table)
        planned = document(_openveil.plan(native))
    warn(made._notes(planned["warnings"]), stacklevel=2)
    return planned


def read_release(folder: str | os.PathLike[str], *, like: Any = None) -> Release:
    """A release from its folder, with types: see :attr:`Release.unpacked`.

    Tables are those of the first package that is installed of polars, pandas and pyarrow; or of
    the kind of ``like``.
    """
    from ._frames import take

    give: Give | None = to_columns if isinstance(like, Mapping) and not like else None
    if like is not None and give is None:
        give = take(like)[1]
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
