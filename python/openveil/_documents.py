"""JSON documents for programs and people."""

from __future__ import annotations

from typing import Any

from . import _html


class Document(dict[str, Any]):
    """A JSON document: a ``dict`` that notebooks show as a table.

    Keys can also be read as attributes: ``report.k`` is ``report["k"]``.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = ((key, line) for key, value in self.items() for line in _lines(key, value))
        return "\n".join(f"{key:<{width}}  {line}" for key, line in lines)

    def _repr_html_(self) -> str:
        return _html.table((key, line) for key, value in self.items() for line in _lines(key, value))


# : Keys whose sentences are shown in full.
_SENTENCES = ("checklist", "notes", "warnings")


def _lines(key: str, value: Any) -> list[str]:
    return list(map(str, value)) if key in _SENTENCES and value else [_brief(value)]


def told(warnings: list[str], checklist: list[str]) -> str:
    """Returns the notes and the checklist of a release's owner, as lines to append to its text."""
    return "".join([*(f"\n  note: {note}" for note in warnings), *(f"\n  check: {line}" for line in checklist)])


def _brief(value: Any) -> str:
    import json

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 160 else text[:159] + "…"


def document(text: str) -> Document:
    """Returns a document from its JSON text; nested documents are documents, too."""
    import json

    read: Document = json.loads(text, object_hook=Document)
    return read
