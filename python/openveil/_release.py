"""Releases: their tables, and answers from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _html, _openveil, _pickle
from ._analysis import Bins, By, effort, single, table
from ._documents import Document, document, told
from ._errors import InputError, InputTypeError
from ._frames import Give, TableLike, of_lists, to_columns
from ._policy import Policy, of_table
from ._warnings import warn

if TYPE_CHECKING:
    from pathlib import Path

    from ._fit import Fit


class Release:
    """A checked release: the published part and, if it was just made, the owner's part.

    Every call of :func:`publish` is a run, even if its release is never saved. Do not run several times
    and keep the nicest release: the choice discloses values.
    """

    def __init__(self, native: _openveil.Release, give: Give | None) -> None:
        self._native = native
        self._owner: Document | None = None
        # : Notes for the owner of a release that was just made; :func:`publish` warned of each.
        self.warnings: list[str] = []
        # : Points for the owner to check before the release is published.
        self.checklist: list[str] = []
        self._give = give or giver_of_choice
        self._manifest_read: Document | None = None
        self._kept: dict[bool, dict[str, Any]] = {}
        # The published files of a release that was read.
        self._files: dict[str, bytes] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the published files. The owner's part is not pickled."""
        return _pickle.release_of, (_pickle.files_of(self), _pickle.kind_of(self._give))

    def __copy__(self) -> Release:
        """A release does not change."""
        return self

    def __deepcopy__(self, _: Any) -> Release:
        return self

    @property
    def manifest(self) -> Document:
        """The manifest that is published beside the tables."""
        if self._manifest_read is None:
            self._manifest_read = document(self._native.manifest)
        return self._manifest_read

    @property
    def guarantee(self) -> Document:
        """The guarantee, and the reader it holds against: ``adversary``, ``max_posterior``, ``statement``."""
        guarantee: Document = self.manifest["guarantee"]
        return guarantee

    @property
    def tables(self) -> dict[str, Any]:
        """All tables by name, as the kind of table that was given. With rules there are several.

        In the anatomy style ``release-values`` has the number of times that each value occurs in each group.
        """
        return self._tables(unpack=False)

    @property
    def table(self) -> Any:
        """The published table, a row for each person.

        Columns in which each cell is a single value keep their types; intervals and sets are texts, as
        in the files.
        """
        return self._first(self.tables)

    @property
    def unpacked(self) -> Any:
        """The table ready for analysis.

        Intervals become two columns (``age_min``, ``age_max``), sets and labels become lists of the values
        that they cover, and missing values become nulls.
        """
        return self._first(self._tables(unpack=True))

    @property
    def groups(self) -> Any:
        """How often each value occurs in each group: ``group``, the secret columns, ``count``."""
        tables = dict(self._native.tables())
        secret = [column["name"] for column in self.manifest["columns"] if column["role"] == "sensitive"]
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
        """The owner's part: figures measured with the true values. Not for publication."""
        if self._owner is None:
            self._owner = document(self._native.owner(False)[0])
        return self._owner

    def utility(self) -> Document:
        """How useful the release is, measured on the published tables."""
        utility: Document = self.manifest["utility"]
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
        """Returns an estimate of how many rows meet conditions, as the command's document.

        :param where: Conditions joined by ``and``: ``"age >= 30 and sex = Female"``.
        :param policy: With ``table``: the policy and the table that the release was made from. The document
            then also has the true count, which is for the owner only.
        :param table: See ``policy``; by default the policy's file.
        :param worlds: See :meth:`crosstab`.
        :param seed: See :meth:`crosstab`.
        :returns: ``estimate``, its 95 % ``interval``, ``method`` and ``deal_error`` (see :meth:`crosstab`),
            and ``estimate_evenly``: the estimate if the values of a group are spread evenly over its people.
        :raises InputError: If a condition is not valid.
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
        weight: str | None = None,
        min: int | None = None,
        round: int | None = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Any:
        """Returns estimated counts by the values of any columns, known or secret.

        :param by: A column, or a list of columns.
        :param where: Conditions on rows: ``"age >= 30 and sex = Female"``.
        :param bins: Borders that cut columns of numbers or dates: ``{"age": [0, 30, 60]}`` makes
            ``[0, 30)`` and ``[30, 60)``.
        :param weight: A column of numbers: how many people of a population a row stands for.
        :param min: For tables in print: suppress counts below this number. The table then has
            ``count`` instead of estimates.
        :param round: For tables in print: round counts to multiples of this number.
        :param worlds: Number of tables that are drawn from the model, published and fitted again. Their
            errors give the bias and the interval. More worlds take longer and give more precise intervals;
            0 means none.
        :param seed: Equal seeds give equal figures.
        :returns: A table with a row for each combination of values:

            - ``estimate``, and ``low`` and ``high``: the 95 % interval.
            - ``method``: ``exact`` (the release shows the figure), ``fit-and-worlds`` (a fitted model,
              with its error), ``fit`` (the fitted model alone, not corrected: the figure certainly lies
              between ``low`` and ``high``), or ``bounds`` (no model could be fitted: the figure certainly
              lies between them, and the estimate is some number in between).
            - ``deal_error``: the standard deviation over the random assignments of a group's values to its
              people. It is a part of the error only.
        :raises InputError: If a column or a condition is not valid.

        Fits are kept: the first question takes seconds, others take milliseconds.
        """
        return table(self, by, where, None, bins, weight, worlds, seed, (min, round))

    def mean(
        self,
        column: str,
        by: By = None,
        *,
        where: str | None = None,
        bins: Bins = None,
        weight: str | None = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Any:
        """Returns the mean of a column of numbers by the values of others, as :meth:`crosstab` does.

        :param column: A column of numbers: known, secret, or for analysis (role ``other``).
        """
        return table(self, by, where, (column, None), bins, weight, worlds, seed)

    def quantile(
        self,
        column: str,
        share: float = 0.5,
        by: By = None,
        *,
        where: str | None = None,
        bins: Bins = None,
        weight: str | None = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Any:
        """Returns a quantile of a column of numbers by the values of others; 0.5 is the median.

        The table has the columns of :meth:`crosstab`.
        """
        return table(self, by, where, (column, float(share)), bins, weight, worlds, seed)

    def independence(
        self,
        known: str,
        secret: str,
        *,
        where: str | None = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> dict[str, float]:
        """Returns a χ² test of independence of a known and a secret column.

        :returns: ``chi2``, corrected for what the release hides; ``freedom``, its degrees of freedom, seldom
            a whole number; ``p``.
        :raises InputError: If a column is not valid, or the release has no fit with worlds.
        """
        _, test, notes = self._native.crosstab(
            [known, secret], where, None, (), None, **effort(worlds, seed)
        )
        if test is None:
            raise InputError(
                "no test of independence: it takes a known and a secret column, a fit with worlds, and five people "
                "for each cell\n"
                "  help: `crosstab` shows what the release says of them"
            )
        warn(notes, stacklevel=2)
        return dict(zip(("chi2", "freedom", "p"), test, strict=True))

    def fit(
        self,
        formula: str,
        *,
        reference: Mapping[str, Any] | None = None,
        worlds: int = 8,
        seed: int = 1,
    ) -> Fit:
        """Returns a regression of the secret column on known columns.

        For a secret column of numbers this is a linear regression, for any other a multinomial logit.

        :param formula: ``"job ~ age + sex"``. ``a:b`` is the interaction of two columns, ``a*b`` both
            columns and their interaction, and ``.`` all known columns.
        :param reference: Values that the other values of a column are compared with:
            ``{"job": "nurse"}``. By default the first, and a missing value only if there is no other.
        :param worlds: See :meth:`crosstab`.
        :param seed: See :meth:`crosstab`.
        :returns: Coefficients with standard errors. The errors include two sources: sampling people (a
            sample as large as the table), and the release.
        :raises InputError: If the formula is not valid.
        """
        from ._fit import Fit

        if reference is not None and not isinstance(reference, Mapping):
            raise InputTypeError("`reference` takes a dict of columns: `reference={'job': 'nurse'}`")
        references = [(column, str(value)) for column, value in (reference or {}).items()]
        made, covariance, terms = self._native.regression(formula, references=references, **effort(worlds, seed))
        return Fit(document(made), covariance, terms, self.manifest["columns"], self._give)

    def weights(self, *, worlds: int = 8, seed: int = 1) -> Any:
        """Returns a long table for learners: a line for each row and each value that it may have.

        The columns are the known columns, the secret column, ``row`` (the number of the row in the release,
        from 0) and ``weight`` (the probability of the value by the fitted model). The weights of a row add
        up to 1. Train any model on the known columns with ``sample_weight=weight``.
        """
        return self._give(self._native.weights(**effort(worlds, seed)))

    def samples(self, m: int = 20, *, worlds: int = 8, seed: int = 1) -> list[Any]:
        """Returns ``m`` synthetic tables, completed from the release by the fitted model.

        Analyse each table by itself and combine the results with :func:`openveil.pool` (multiple
        imputation). A single table, or a row of it, does not describe any person.
        """
        made = self._native.completed(m, **effort(worlds, seed))
        return [self._give(own) for own in made]

    def sample(self, rows: int, *, seed: int | None = None) -> Any:
        """Returns synthetic rows, drawn from the release without a fit.

        For analyses use :meth:`samples`: it preserves how the secret depends on the known columns.
        """
        if rows < 0:
            raise InputError(f"{rows} rows cannot be drawn")
        return self._give(self._native.sample(rows, checked_seed(seed)))

    def report(self) -> str:
        """Returns the public page about the release, as HTML, for an ethics board.

        It is made from the release alone. :meth:`save` writes it beside the tables, and a page for the owner.
        """
        return self._native.report()

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``release/`` and ``owner/`` into a folder, completely or not at all."""
        from pathlib import Path

        if self._native.save(os.fspath(folder)):
            warn(
                [
                    "this release replaced an earlier one in the same folder. The guarantee covers one run:"
                    " if the earlier release was given to anybody, this is a second release"
                ]
            )
        return Path(folder)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write :attr:`unpacked` as a file of SPSS (``.sav``, ``.zsav``) or Stata (``.dta``); needs ``pyreadstat``.

        It has the codes, labels and missing codes of published values, if the table had them (see
        :func:`read`). Sets of values are texts.

        :raises InputError: If the format cannot hold a column.
        :raises FileError: If the file cannot be written.
        """
        from ._survey import write_survey

        write_survey(self, path)

    @property
    def _main(self) -> str:
        tables = self.manifest.get("tables") or [{"name": "release"}]
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
        if self.manifest.get("tables"):
            raise InputError(
                "the release has several tables with rules"
                "\n  help: they are `release.tables`"
            )
        return tables[self._main]

    def __repr__(self) -> str:
        manifest = self.manifest
        chosen = f", chosen by {manifest['chosen_by']}" if "chosen_by" in manifest else ""
        fit = "" if manifest["fit_for_publication"] else "\n  unfit for publication: test seed"
        return (
            f"<openveil.Release: {manifest['rows']:,} rows in {manifest['groups']:,} groups>\n"
            f"  {self.guarantee['statement']}\n"
            f"  algorithm {manifest['algorithm']}{chosen}, style {manifest['style']}{fit}"
            f"{told(self.warnings, self.checklist)}"
        )

    def _repr_html_(self) -> str:
        heading, *rest = repr(self).splitlines()
        return _html.block(heading.strip("<>"), (line.strip() for line in rest))


def read_release(folder: str | os.PathLike[str], *, like: Any = None) -> Release:
    """Returns a release from its folder, with types: see :attr:`Release.unpacked`.

    :param folder: The folder that :meth:`Release.save` or the command wrote, or its ``release/``.
    :param like: A table. Tables of the release are returned as its kind; by default as polars, pandas
        or pyarrow, whichever is installed first in this order.
    :raises FileError: If the folder holds no release.
    """
    from ._frames import take

    give: Give | None = to_columns if isinstance(like, Mapping) and not like else None
    if like is not None and give is None:
        give = take(like)[1]
    from pathlib import Path

    release = Release(_openveil.read_release(os.fspath(folder)), give)
    inside = Path(folder) / "release"
    release._files = _pickle.files_in(inside if inside.is_dir() else Path(folder))
    return release


def giver_of_choice(table: _openveil.Table) -> Any:
    """Returns a table as the first package that is installed has it: polars, pandas, pyarrow, or a ``dict``."""
    import importlib.util

    from . import _frames

    for package in ("polars", "pandas", "pyarrow"):
        if importlib.util.find_spec(package) is not None:
            return getattr(_frames, f"to_{package}")(table)
    return to_columns(table)


def checked_seed(seed: int | None) -> int | None:
    """Returns the seed if it has 64 bits, or None if there is none."""
    if seed is not None and not 0 <= seed < 2**64:
        raise InputError(f"the seed {seed} is not between 0 and 2**64 - 1")
    return seed
