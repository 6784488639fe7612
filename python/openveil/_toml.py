"""Documents as TOML, which is what policies are checked as."""

from __future__ import annotations

import datetime
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(document: Mapping[str, Any]) -> str:
    """A document of sections, of which some may be lists of sections."""
    parts = []
    for name, section in document.items():
        if section is None:
            continue
        if isinstance(section, Mapping):
            parts.append(f"[{_key(name)}]\n{_lines(section)}")
        else:
            parts += [f"[[{_key(name)}]]\n{_lines(one)}" for one in section]
    return "\n".join(parts)


def _lines(section: Mapping[str, Any]) -> str:
    given = {key: value for key, value in section.items() if value is not None}
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in given.items())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    # JSON's strings are TOML's, but for the one character that TOML wants escaped as well.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Fraction):
        return _text(f"{value.numerator}/{value.denominator}")
    if isinstance(value, (int, Decimal)):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a number that a policy can have")
        return repr(value)
    if isinstance(value, os.PathLike):
        return _text(os.fspath(value))
    if isinstance(value, datetime.date):
        return _text(value.isoformat())
    if isinstance(value, Mapping):
        given = {key: one for key, one in value.items() if one is not None}
        return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in given.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_value, value)) + "]"
    if hasattr(value, "item"):  # a scalar of NumPy
        return _value(value.item())
    raise TypeError(f"{value!r} cannot stand in a policy")
