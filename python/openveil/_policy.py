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
from ._words import of_keys, of_options, plain, spoken

#: Columns: one name, several, or names with what a policy can say of them. A text instead of
#: a mapping is the type: ``{"age": "integer"}``.
Columns: TypeAlias = "str | Sequence[str] | Mapping[str, Any]"


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
        if drop is False:
            drop = ()
        columns: dict[str, Any] = {}
        for role, given in [
            ("quasi-identifier", known),
            ("sensitive", secret),
            ("other", other),
            ("identifier", identifier),
            ("attribute", attributes),
            ("drop", () if drop is True else drop),
        ]:
            for name, said in _named(given).items():
                if name in columns:
                    raise PolicyError(f"the column `{name}` has two roles")
                columns[name] = {"role": role, **said}
        for key, names in [("merge", merge), ("distinct", distinct)]:
            for name in [names] if isinstance(names, str) else names:
                if name not in columns:
                    raise PolicyError(f"`{key}` names the column `{name}`, which has no role")
                columns[name][key] = True
        privacy: dict[str, Any] = {}
        if model is not None and not isinstance(model, (Model, Mapping)):
            raise PolicyError(f"{model!r} is no model\n  help: write `model=ov.l_diversity(5)`")
        if model is not None:
            privacy = model.section if isinstance(model, Model) else dict(model)
        if combine is not None:
            privacy["combine"] = list(combine)
        for key, option in [("protect", protect), ("link", link)]:
            if option is not None:
                privacy[key] = option
        if strata is not None:
            privacy["strata"] = [strata] if isinstance(strata, str) else list(strata)
        read = _section(input, "path")
        read.setdefault("path", "table")
        if missing is not None:
            read["missing"] = missing
        if missing_values is not None:
            read["missing_values"] = list(missing_values)
        if rows_are_people:
            read["rows-are-people"] = True
        made = _section(output, "dir")
        if style is not None:
            made["style"] = style
        if cells is not None:
            made["cells"] = cells
        engine = {"name": algorithm, "effort": effort, "decomposition": decomposition}
        engine = {key: value for key, value in engine.items() if value is not None}
        document: dict[str, Any] = {"input": read, "columns": columns}
        for section, content in [
            ("privacy", privacy),
            ("reader", dict(reader or {})),
            ("history", _section(history, "state")),
            ("persons", _section(persons, "id")),
            ("ties", _section(ties, "id")),
            ("algorithm", engine),
            ("output", made),
        ]:
            if content:
                document[section] = content
        if rules is not None:
            document["rules"] = [_rule(rule) for rule in rules]
        if dependencies is not None:
            document["dependencies"] = [dict(dependency) for dependency in dependencies]
        self._document: dict[str, Any] | None = document
        self._drops_rest = drop is True
        self._toml: str | None = None
        self._path = "policy"
        self._by_keywords = True

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Policy:
        """A policy as the document that its file would hold; ``[input]`` may be left out."""
        policy = cls()
        given = dict(document)
        given.setdefault("input", {"path": "table"})
        if isinstance(given.get("privacy"), Model):
            given["privacy"] = given["privacy"].section
        policy._document, policy._by_keywords = given, False
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
        return _dumps(self._document)

    def _checked(self) -> _openveil.Policy:
        return _openveil.Policy.parse(self.toml, self._path)

    def _spoken(self) -> AbstractContextManager[None]:
        """Errors in the words in which the policy was given."""
        return spoken(self._by_keywords)

    def _notes(self, notes: Iterable[str]) -> list[str]:
        """Notes about the policy and its table, as errors."""
        made = [of_options(plain(note)) for note in notes]
        return [of_keys(note) for note in made] if self._by_keywords else made

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
        document = dict(self._document)
        columns = {name: dict(said) for name, said in document.get("columns", {}).items()}
        if table is None:
            checked = _openveil.Policy.parse(self.toml, self._path)
            try:
                # Standard input comes once.
                from_pipe = (path or document["input"]["path"]) == "-"
                types = {} if from_pipe else dict(checked.types(path))
            except _openveil.FileError:
                # Whoever needs the file says that it is not there.
                if self._drops_rest:
                    raise
                types = {}
        else:
            types = dict(zip(table.columns, table.types, strict=True))
        if self._drops_rest:
            for name in types:
                columns.setdefault(name, {"role": "drop"})
        for name, kind in types.items():
            role = columns.get(name, {}).get("role")
            if role not in (None, "drop", "identifier") and kind not in ("text", "list"):
                keys = ("type", "hierarchy", "order", "prefix")
                if not any(key in columns[name] for key in keys):
                    columns[name]["type"] = kind
        for name, order in ({} if table is None else table.orders).items():
            said = columns.get(name, {})
            coarse = ("type", "hierarchy", "order", "prefix", "floor", "top", "bottom")
            if said.get("role") == "quasi-identifier" and not any(key in said for key in coarse):
                said["order"] = order
        document["columns"] = columns
        return _dumps(document)

    def __repr__(self) -> str:
        return f"<openveil.Policy>\n{self.toml}"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.toml)}</pre>"


def _dumps(document: Mapping[str, Any]) -> str:
    from ._toml import dumps

    return dumps(document)


def _section(given: Mapping[str, Any] | str | os.PathLike[str] | None, path: str) -> dict[str, Any]:
    """A section, or the path that is all that is said of it."""
    if isinstance(given, (str, os.PathLike)):
        return {path: given}
    return dict(given or {})


def _named(given: Any) -> dict[str, dict[str, Any]]:
    if isinstance(given, str):
        return {given: {}}
    if not isinstance(given, Iterable):
        raise PolicyError(f"{given!r} is neither the name of a column nor several")
    if isinstance(given, Mapping):
        return {
            name: {"type": said} if isinstance(said, str) else dict(said or {})
            for name, said in given.items()
        }
    return {str(name): {} for name in given}


def _rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    """A rule, whose model may be one of ours."""
    given = dict(rule)
    model = given.pop("privacy", given.get("model"))
    if isinstance(model, Model):
        given.pop("model", None)
        given.update(model.section)
    return given


def resolved(
    policy: Policy | str | os.PathLike[str] | None, keywords: Mapping[str, Any]
) -> Policy:
    """The policy that a function was given: as one, as a file, or by keywords."""
    if policy is None:
        return Policy(**keywords)
    if keywords:
        raise TypeError(f"a policy is given; {', '.join(keywords)} would have to stand in it")
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
