"""What is to be published, and what must hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from . import _openveil
from ._frames import TableLike, is_path, take
from ._models import Model
from ._openveil import PolicyError
from ._words import plain, spoken

#: Columns: one name, several, or names with what a policy can say of them. A text instead of
#: a mapping is the type: ``{"age": "integer"}``.
Columns: TypeAlias = "str | Sequence[str] | Mapping[str, Any]"

#: The keywords that make a policy.
_KEYWORDS = (
    "known", "secret", "other", "identifier", "drop", "attributes", "merge", "distinct", "model", "combine",
    "protect", "link", "strata", "reader", "history", "persons", "ties", "rules", "dependencies",
    "decomposition", "algorithm", "effort", "style", "cells", "missing", "missing_values",
    "rows_are_people", "input", "output",
)  # fmt: skip


class Policy:
    """What each column of a table is, and what must hold of the release.

    From keywords; types that are not said are those of the table or of its file (in CSV files and
    workbooks all is ``text``)::

        ov.Policy(known=["age", "sex"], secret="job", model=ov.l_diversity(5))

    - ``known``: columns that others may know of a person (the role ``quasi-identifier``);
    - ``secret``: what must stay secret (``sensitive``);
    - ``other``: columns for analysis that are neither;
    - ``identifier``: columns that name a person; they never leave;
    - ``drop``: columns that never leave; ``True``: all that are not named elsewhere;
    - ``attributes`` and ``rules`` instead, where several rules are kept by several tables;
    - ``merge`` and ``distinct``: secret columns whose values read alike (``"Flu"``, ``"flu "``) and
      are one value, or different ones; without a word such columns are refused;
    - ``model``: ``ov.l_diversity(5)`` and the others; ``combine`` and ``strata`` as in policies;
    - ``protect="each"``: every one of several secret columns keeps the bound by itself, with an l of
      its own if it says one (``secret={"pay": {"l": 3}, "illness": {}}``); ``link=True`` publishes a
      person's values in one row instead of shuffling each column by itself;
    - ``persons``: the column that says whose a row is, if people have several rows; the promise is
      then about people; ``rows_are_people=True``: every row is another person's although an
      identifier repeats; the promise is then about rows; ``ties``: the column that says which rows
      share the secret (a household), if some do;
    - ``reader``: for whom the promise holds, ``{"odds": 3, "people": 1}``; ``history``: where
      people's places are kept if the table is published again and again, as in policies (the
      command ``openveil publish`` does it; :func:`publish` refuses it so far);
    - ``algorithm``, ``effort``, ``style``, ``cells``, ``missing``, ``missing_values``.

    Every key of a policy file is there: :meth:`from_dict` and :meth:`from_toml` take all.
    Errors name the line of :attr:`toml`.
    """

    def __init__(
        self,
        *,
        known: Columns = (),
        secret: Columns = (),
        other: Columns = (),
        identifier: Columns = (),
        drop: Columns | bool = (),
        attributes: Columns = (),
        merge: str | Sequence[str] = (),
        distinct: str | Sequence[str] = (),
        model: Model | Mapping[str, Any] | None = None,
        combine: Sequence[str] | None = None,
        protect: str | None = None,
        link: bool | None = None,
        strata: Sequence[str] | str | None = None,
        reader: Mapping[str, Any] | None = None,
        history: Mapping[str, Any] | None = None,
        persons: Mapping[str, Any] | str | None = None,
        ties: Mapping[str, Any] | str | None = None,
        rules: Sequence[Mapping[str, Any]] | None = None,
        dependencies: Sequence[Mapping[str, Any]] | None = None,
        decomposition: str | None = None,
        algorithm: str | None = None,
        effort: int | None = None,
        style: str | None = None,
        cells: str | None = None,
        missing: str | None = None,
        missing_values: Sequence[str] | None = None,
        rows_are_people: bool = False,
        input: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        output: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    ) -> None:
        if model is not None and not isinstance(model, (Model, Mapping)):
            raise PolicyError(f"{model!r} is not a model\n  help: write `model=ov.l_diversity(5)`")
        given = locals()
        self._document: _openveil.PolicyDocument | None = _openveil.PolicyDocument.of_keywords(
            {name: given[name] for name in _KEYWORDS}
        )
        self._toml: str | None = None
        self._path = "policy"
        self._by_keywords = True

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Policy:
        """A policy as the document that its file would hold; ``[input]`` may be left out."""
        policy = cls()
        policy._document = _openveil.PolicyDocument.of_sections(dict(document))
        policy._by_keywords = False
        return policy

    @classmethod
    def from_toml(cls, text: str, path: str | os.PathLike[str] = "policy") -> Policy:
        """A policy from the text of its file; ``path`` names it in messages."""
        policy = cls()
        policy._document, policy._toml, policy._path = None, text, os.fspath(path)
        policy._by_keywords = False
        policy._checked()
        return policy

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """A policy file. Paths inside of it start in its folder."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            _openveil.Policy.read(os.fspath(path))  # says what is wrong
            raise
        return cls.from_toml(text, path)

    @property
    def toml(self) -> str:
        """The policy as the text of a file."""
        if self._toml is not None:
            return self._toml
        assert self._document is not None
        return self._document.toml()

    def _checked(self) -> _openveil.Policy:
        return _openveil.Policy.parse(self.toml, self._path)

    def _spoken(self) -> AbstractContextManager[None]:
        """Errors in the words in which the policy was given."""
        return spoken(self._by_keywords)

    def _notes(self, notes: Iterable[str]) -> list[str]:
        """Notes about the policy and its table, as errors."""
        made = [_openveil.in_arguments(plain(note)) for note in notes]
        return [_openveil.in_keywords(note) for note in made] if self._by_keywords else made

    def _for(
        self, table: _openveil.Table | None, path: str | os.PathLike[str] | None = None
    ) -> _openveil.Policy:
        """The checked policy of a table: types that are not said are the table's."""
        checked = _openveil.Policy.parse(self._text_for(table, path), self._path)
        return checked if table is None else checked.with_(table=table)

    def _text_for(
        self, table: _openveil.Table | None, path: str | os.PathLike[str] | None = None
    ) -> str:
        """The same as the text of a file."""
        if self._document is None:
            return self.toml
        if table is not None:
            types = list(zip(table.columns, table.types, strict=True))
            return self._document.for_table(types, table.orders)
        checked = _openveil.Policy.parse(self.toml, self._path)
        try:
            # Standard input comes once.
            is_pipe = os.fspath(path or checked.path) == "-"
            types = [] if is_pipe else checked.types(path)
        except _openveil.FileError:
            # The function that needs the file says that it is not there.
            if self._document.drops_rest:
                raise
            types = []
        return self._document.for_table(types, {})

    def __repr__(self) -> str:
        return f"<openveil.Policy>\n{self.toml}"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.toml)}</pre>"


def resolved(
    policy: Policy | str | os.PathLike[str] | None, keywords: Mapping[str, Any]
) -> Policy:
    """The policy that a function was given: as one, as a file, or by keywords."""
    if policy is None:
        return Policy(**keywords)
    if keywords:
        raise TypeError(f"a policy is given, so {', '.join(keywords)} must be set in it")
    return policy if isinstance(policy, Policy) else Policy.read(policy)


def of_table(
    policy: Policy, table: TableLike | None
) -> tuple[_openveil.Policy, Any]:
    """The checked policy of a table, or of the file that it names, and how to give tables back."""
    if table is None:
        return policy._for(None), None
    if is_path(table):
        return policy._for(None, table).with_(input=os.fspath(table)), None
    taken, give = take(table)
    return policy._for(taken), give
