"""Documents that programs and people read."""

from __future__ import annotations

from typing import Any


class Document(dict[str, Any]):
    """A JSON document: a ``dict`` that also shows itself as a table in notebooks.

    Keys can be read as attributes, too: ``report.k`` is ``report["k"]``.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{key:<{width}}  {_brief(value)}" for key, value in self.items())

    def _repr_html_(self) -> str:
        import html

        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
            f"<td style='text-align:left'>{html.escape(_brief(value))}</td></tr>"
            for key, value in self.items()
        )
        return f"<table>{rows}</table>"


def _brief(value: Any) -> str:
    import json

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 160 else text[:159] + "…"


def document(text: str) -> Document:
    """A document from its text; documents inside of it show themselves alike."""
    import json

    read: Document = json.loads(text, object_hook=Document)
    return read
