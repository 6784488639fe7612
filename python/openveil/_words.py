"""Messages in Python's words: the library speaks of the command's options and of policy files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ._openveil import OpenveilError

#: Options of the command that take no value.
_SWITCHES = {"correlations", "i_accept_algorithm_disclosure", "trim", "true_values"}

#: Commands that are methods here.
_METHODS = {
    "complete": "Release.samples",
    "fit": "Release.fit",
    "query": "Release.query",
    "report": "Release.report",
}

#: Roles of columns by the keyword that gives them.
_ROLES = {
    "attribute": "attributes",
    "drop": "drop",
    "identifier": "identifier",
    "other": "other",
    "quasi-identifier": "known",
    "sensitive": "secret",
}

#: Keys of a policy that are keywords.
_KEYWORDS = {
    "cells": "cells",
    "combine": "combine",
    "decomposition": "decomposition",
    "effort": "effort",
    "missing": "missing",
    "link": "link",
    "missing_values": "missing_values",
    "protect": "protect",
    "rows-are-people": "rows_are_people",
    "strata": "strata",
    "style": "style",
}

#: Keys of a policy by the keyword whose dictionary holds them.
_SECTIONS = {
    "history": ("changes", "episode", "state"),
    "input": ("decimal", "delimiter", "encoding", "names", "person", "sheet", "trim"),
    "output": ("dir", "spreadsheet-safe"),
    # Before `persons`, which an `id` without a section is of.
    "ties": ("id", "largest"),
    "persons": ("id", "rows", "varying"),
    "reader": ("inside", "jitter", "measure", "odds", "people", "public"),
}
_SECTION_OF = {key: section for section, keys in _SECTIONS.items() for key in keys}

#: Sections of a policy by their keyword.
_NAMES = {name: name for name in (*_SECTIONS, "algorithm", "dependencies", "rules")} | {"privacy": "model"}

#: Keys of a column in a policy.
_OF_COLUMNS = {"exempt", "floor", "format", "hierarchy", "order", "publish", "type"}

#: Arguments of models that messages name.
_OF_MODELS = {"distance", "variant"}

#: Sentences that have no counterpart word by word.
_PHRASES = {
    "has no section [privacy]": "has no `model`",
    '`model = "l-diversity"`, `l = 5`': "`model=ov.l_diversity(5)`",
    '`model = "l-diversity"` and `l`, without': "`model=ov.l_diversity(l)`, without",
    'give the column that must stay secret `role = "sensitive"`': "name the column that must stay secret: `secret=`",
    '`all = [ { … }, { model = "l-diversity", l = … } ]`': "`model=ov.all_of(…, ov.l_diversity(…))`",
    " or another role under [columns]": ", or name it in `known`, `secret`, `other` or `identifier`",
    " under [columns]": "",
    " under [input] as ": " as ",
    "(under [": "(in [",
}


def of_options(text: str) -> str:
    """Returns a message with the command and its options as functions and arguments."""
    return re.sub(r"`(?:openveil ([a-z]+))? ?(--[^`]+)?`", _call, text)


def of_keys(text: str, column: str | None = None) -> str:
    """Returns a message with the keys of a policy file as keywords; ``column`` is where it points."""
    for said, ours in _PHRASES.items():
        text = text.replace(said, ours)
    text = re.sub(r"role `([a-z-]+)`", lambda found: f"role `{_ROLES.get(found[1], found[1])}`", text)
    text = re.sub(
        r"`([^`\n]+)`(?: under \[([a-z]+)\])?", lambda found: _key(found, column), text
    )
    text = text.replace("under [input], ", "")
    return re.sub(
        r"\[?\[([a-z]+)\]\]?", lambda found: f"`{_NAMES[found[1]]}`" if found[1] in _NAMES else found[0], text
    )


def plain(text: str) -> str:
    """Returns a text without characters that a terminal obeys: it may hold what stands in a table."""
    return "".join(own if own.isprintable() else repr(own)[1:-1] for own in text)


@contextmanager
def spoken(by_keywords: bool) -> Iterator[None]:
    """Errors about a policy in the words in which it was given."""
    try:
        yield
    except OpenveilError as error:
        if by_keywords:
            error.args = (of_keys(str(error), error.column),)
        raise


def help_of(error: BaseException) -> str | None:
    """Returns what a message says to do."""
    return str(error).partition("\n  help: ")[2] or None


def _call(found: re.Match[str]) -> str:
    command, options = found.groups()
    if command is None and options is None:
        return found[0]
    pairs = re.findall(r"--([a-z][a-z-]*)(?:[ =]([^ ]+))?", options or "")
    empty = "" if command is None else "=…"
    said = ", ".join(_argument(name.replace("-", "_"), value, empty) for name, value in pairs)
    if command is None:
        return f"`{said}`"
    name = _METHODS.get(command, f"ov.{command}")
    return f"`{name}({said})`" if said else f"`{name}`"


def _argument(name: str, value: str, empty: str) -> str:
    if not value:
        return name + ("=True" if name in _SWITCHES else empty)
    # A number or a word that stands for a value is no text.
    plain = value.strip("'")
    is_text = not re.fullmatch(r"[\d.]+|[A-Z]+", plain)
    return f'{name}="{plain}"' if is_text else f"{name}={plain}"


def _key(found: re.Match[str], column: str | None) -> str:
    said, section = found.groups()
    key, is_set, value = said.partition(" = ")
    if not is_set:
        if section not in _NAMES or said in _KEYWORDS:
            return f"`{said}`"
        return f"`{said}` in `{_NAMES[section]}`"
    value = {"true": "True", "false": "False"}.get(value, value)
    role = re.fullmatch(r'"([a-z-]+)"' if key == "role" else r'\{ role = "([a-z-]+)" \}', value)
    if role:
        name = key if key != "role" else f'"{column}"' if column else ""
        return f"`{_ROLES.get(role[1], role[1])}={name}`"
    if key == "model":
        name = value.strip('"').replace("-", "_")
        return f"`model=ov.{name}(…)`"
    if key in ("merge", "distinct") and column:
        return f'`{key}="{column}"`'
    if key in _OF_MODELS or key in _KEYWORDS:
        return f"`{_KEYWORDS.get(key, key)}={value}`"
    if key in _OF_COLUMNS:
        own = f'{{"{key}": {value}}}'
        return f'`{{"{column}": {own}}}`' if column else f"`{own}`"
    if key not in _SECTIONS.get(section, ()):
        section = _SECTION_OF.get(key, section)
    # Others are no keys, but may be values of the table.
    return f'`{section}={{"{key}": {value}}}`' if section in _SECTIONS else f"`{said}`"
