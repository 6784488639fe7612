"""Policies: what each column of a table is, and what must hold of the release."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from . import _openveil
from ._frames import TableLike, is_path, take
from ._models import Model
from ._errors import FileError, PolicyError
from ._words import spoken

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Columns: one name, several, or a mapping from names to keys of a policy file. A text instead of
#: a mapping is the type: ``{"age": "integer"}``.
Columns: TypeAlias = "str | Sequence[str] | Mapping[str, Any]"

#: How known columns are published.
Style: TypeAlias = Literal["generalize", "slice", "anatomy"]

#: A section of a policy file, or its most important key alone.
Section: TypeAlias = "Mapping[str, Any] | str"


class PolicyKeywords(TypedDict, total=False):
    """The keywords that make a policy: see :class:`Policy`."""

    known: Columns
    secret: Columns
    other: Columns
    identifier: Columns
    drop: Columns | bool
    attributes: Columns
    merge: str | Sequence[str]
    distinct: str | Sequence[str]
    model: Model | Mapping[str, Any] | None
    combine: Sequence[str] | None
    protect: Literal["each"] | None
    link: bool | None
    strata: Sequence[str] | str | None
    reader: Mapping[str, Any] | None
    history: Section | None
    persons: Section | None
    ties: Section | None
    rules: Sequence[Mapping[str, Any]] | None
    dependencies: Sequence[Mapping[str, Any]] | None
    decomposition: Literal["uad", "gd", "search", "single-attribute"] | None
    algorithm: str | None
    smallest_group: int | None
    style: Style | None
    cells: Literal["bounds", "text"] | None
    missing: Literal["error", "keep", "drop-rows"] | None
    missing_values: Sequence[str] | None
    rows_are_people: bool
    input: Section | os.PathLike[str] | None
    output: Section | os.PathLike[str] | None


class Policy:
    """A policy: the role of each column of a table, and the privacy model of the release::

        ov.Policy(known=["age", "sex"], secret="job", model=ov.l_diversity(5))

    Without a type, a column has the type of the table or of its file (in CSV files and workbooks:
    ``text``).

    :param known: Columns that others may know about a person (the role ``quasi-identifier``).
    :param secret: The column, or columns, whose values nobody may learn about a person
        (``sensitive``).
    :param other: Columns for analysis that are neither known nor secret.
    :param identifier: Columns that name a person; they are not published.
    :param drop: Columns that are not published. ``True``: all columns that are not named elsewhere.
    :param attributes: With ``rules``: the columns of a release of several tables.
    :param merge: Secret columns with values that read alike (``"Flu"``, ``"flu "``) and mean one value.
    :param distinct: Secret columns with values that read alike and mean different values. Without
        ``merge`` or ``distinct`` such columns are refused.
    :param model: ``ov.l_diversity(5)`` or another model.
    :param combine: Secret columns that are protected as one.
    :param protect: ``"each"``: each of several secret columns satisfies the model by itself, with its
        own l if it has one (``secret={"pay": {"l": 3}, "illness": {}}``).
    :param link: ``True`` publishes a person's values in one row, instead of shuffling each column by
        itself.
    :param strata: Known columns that split the table into parts, which are published separately.
    :param reader: Readers with more knowledge: ``{"odds": 3, "people": 1}``.
    :param history: Where the state is stored for a table that is published repeatedly. Only the command
        publishes such a table so far; :func:`publish` refuses it.
    :param persons: The column that identifies the person of a row, if a person can have several rows.
        The promise is then about people.
    :param ties: The column that identifies rows with a common secret (a household).
    :param rules: Rules that several tables protect together.
    :param dependencies: Dependencies between columns, for ``rules``.
    :param decomposition: How ``rules`` are divided among tables.
    :param algorithm: Name of the algorithm.
    :param smallest_group: The fewest rows of a group: by default 25, or less in small tables.
    :param style: ``"generalize"``, ``"slice"`` or ``"anatomy"``.
    :param cells: ``"bounds"`` shows intervals as two columns.
    :param missing: ``"keep"`` publishes missing values as missing, ``"drop-rows"`` leaves out their rows.
    :param missing_values: Texts that stand for missing values.
    :param rows_are_people: ``True``: each row belongs to a different person, although an identifier
        repeats. The promise is then about rows.
    :param input: Further keys of the section ``[input]``, or a path.
    :param output: Further keys of the section ``[output]``, or a path.
    :raises PolicyError: If the policy is not valid; the message names a line of :attr:`toml`.

    :meth:`from_dict` and :meth:`from_toml` accept every key of a policy file (docs/reference/policy.md).
    """

    def __init__(self, **keywords: Unpack[PolicyKeywords]) -> None:
        unknown = keywords.keys() - PolicyKeywords.__annotations__
        if unknown:
            name = min(unknown)
            near = difflib.get_close_matches(name, PolicyKeywords.__annotations__, 1)
            meant = f"; did you mean `{near[0]}`?" if near else ""
            raise TypeError(f"a policy has no keyword `{name}`{meant}")
        model = keywords.get("model")
        if model is not None and not isinstance(model, (Model, Mapping)):
            raise PolicyError(f"{model!r} is not a model\n  help: write `model=ov.l_diversity(5)`")
        own = _copied(keywords)
        self._document: _openveil.PolicyDocument | None = _openveil.PolicyDocument.of_keywords(own)
        self._toml: str | None = None
        self._path = "policy"
        self._by_keywords = True
        self._made: tuple[Callable[..., Policy], tuple[Any, ...]] = (_of_keywords, (own,))

    def __reduce__(self) -> tuple[Callable[..., Policy], tuple[Any, ...]]:
        return self._made

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Policy:
        """Returns a policy from the document that its file would hold; ``[input]`` may be left out."""
        policy = cls()
        own = _copied(document)
        policy._document = _openveil.PolicyDocument.of_sections(own)
        policy._by_keywords = False
        policy._made = (cls.from_dict, (own,))
        return policy

    @classmethod
    def from_toml(cls, text: str, path: str | os.PathLike[str] = "policy") -> Policy:
        """Returns a policy from the text of its file; ``path`` names it in messages."""
        policy = cls()
        policy._document, policy._toml, policy._path = None, text, os.fspath(path)
        policy._by_keywords = False
        policy._made = (cls.from_toml, (text, policy._path))
        policy._checked()
        return policy

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """Returns the policy in a file. Relative paths in it start at its folder."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            _openveil.Policy.read(os.fspath(path))  # says what is wrong
            raise
        return cls.from_toml(text, path)

    @property
    def toml(self) -> str:
        """The policy as the text of a file; :meth:`toml_for` adds what a table decides: types, and ``drop=True``."""
        if self._toml is not None:
            return self._toml
        assert self._document is not None
        return self._document.toml()

    def toml_for(self, table: TableLike) -> str:
        """Returns the policy for a table as the text of a file: with the table's types, and with ``drop=True`` written out.

        :param table: A table of any Arrow package, a ``dict`` of lists, or a path.
        """
        with self._spoken():
            return self._text_for(None, table) if is_path(table) else self._text_for(take(table)[0])

    def _checked(self) -> _openveil.Policy:
        return _openveil.Policy.parse(self.toml, self._path)

    def _spoken(self) -> AbstractContextManager[None]:
        """Rewrites errors in the words of the arguments, if the policy was given by keywords."""
        return spoken(self._by_keywords)

    def _for(
        self, table: _openveil.Table | None, path: str | os.PathLike[str] | None = None
    ) -> _openveil.Policy:
        """Returns the checked policy for a table: columns without a type have the table's."""
        checked = _openveil.Policy.parse(self._text_for(table, path), self._path)
        return checked if table is None else checked.with_(table=table)

    def _for_published(self, types: list[tuple[str, str]]) -> _openveil.Policy:
        """Returns the checked policy for a published table with these columns."""
        if self._document is None:
            return self._checked()
        return _openveil.Policy.parse(self._document.for_table(types, {}), self._path)

    def _text_for(
        self, table: _openveil.Table | None, path: str | os.PathLike[str] | None = None
    ) -> str:
        """Like :meth:`_for`, but returns the text of the policy file."""
        if self._document is None:
            return self.toml
        if table is not None:
            types = list(zip(table.columns, table.types, strict=True))
            return self._document.for_table(types, table.orders)
        checked = _openveil.Policy.parse(self.toml, self._path)
        try:
            # Standard input can be read only once.
            is_pipe = os.fspath(path or checked.path) == "-"
            types = [] if is_pipe else checked.types(path)
        except FileError:
            # The function that needs the file reports that it is missing.
            if self._document.drops_rest:
                raise
            types = []
        return self._document.for_table(types, {})

    def __repr__(self) -> str:
        return f"<openveil.Policy>\n{self.toml}"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.toml)}</pre>"


#: Notebooks complete the names of keywords from it.
Policy.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in PolicyKeywords.__annotations__
    ]
)


def _copied(given: Any) -> Any:
    """Returns an argument with containers of its own.

    The caller may change the given ones, and a copy of the policy would then be another policy. Views of a
    ``dict`` cannot be copied as they are, and an iterator can be read only once.
    """
    if isinstance(given, Mapping):
        return {key: _copied(value) for key, value in given.items()}
    if isinstance(given, Model):
        return Model(_copied(given.requirements))
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        return [_copied(value) for value in given]
    return given


def _of_keywords(keywords: PolicyKeywords) -> Policy:
    """Returns the policy of keywords that were stored."""
    return Policy(**keywords)


def resolved(
    policy: Policy | str | os.PathLike[str] | None, keywords: PolicyKeywords
) -> Policy:
    """Returns the policy that a function was given: as an object, as a file, or by keywords."""
    if policy is None:
        return Policy(**keywords)
    if keywords:
        raise TypeError(f"a policy is given, so {', '.join(keywords)} must be set in it")
    return policy if isinstance(policy, Policy) else Policy.read(policy)


def of_table(
    policy: Policy, table: TableLike | None
) -> tuple[_openveil.Policy, Any]:
    """Returns the checked policy for a table or file, and a function that returns tables as its kind."""
    if table is None:
        return policy._for(None), None
    if is_path(table):
        return policy._for(None, table).with_(input=os.fspath(table)), None
    taken, give = take(table)
    return policy._for(taken), give
