"""HTML of objects for notebooks. Every text is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def _text(text: str) -> str:
    # Texts stand between tags, never in attributes: quotation marks stay readable.
    return html.escape(text, quote=False)


_LEFT = " style='text-align:left'"


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Returns a table; the first cell of a row names it."""
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th{_LEFT}>{_text(first)}</th>"
        + "".join(f"<td{'' if head else _LEFT}>{_text(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def block(heading: str, lines: Iterable[str], *tables: str) -> str:
    """Returns a heading, tables, and lines of text."""
    text = "".join(f"<p>{_text(line)}</p>" for line in lines)
    return f"<div><b>{_text(heading)}</b>{''.join(tables)}{text}</div>"
