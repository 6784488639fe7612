"""HTML of objects for notebooks. Every text is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_LEFT = " style='text-align:left'"


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Returns a table; the first cell of a row names it."""
    top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th{_LEFT}>{html.escape(first)}</th>"
        + "".join(f"<td{'' if head else _LEFT}>{html.escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def block(heading: str, lines: Iterable[str], *tables: str) -> str:
    """Returns a heading, tables, and lines of text."""
    text = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    return f"<div><b>{html.escape(heading)}</b>{''.join(tables)}{text}</div>"
