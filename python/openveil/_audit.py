"""The findings of an audit, under the names of pyCANON as well."""

from __future__ import annotations

from typing import Any

from ._documents import Document
from ._errors import InputError


class Audit(Document):
    """The measures of a table, as ``openveil audit --json`` prints them (docs/steward/other-tables.md).

    The results of pyCANON's ``anonymity`` are available under their names, if both definitions agree.
    With several sensitive columns these are the worst of them. There is no ``recursive_c_l_diversity``
    and no ``enhanced_beta_likeness``, because pyCANON's differ from the definitions (see the page
    "docs/steward/coming-from.md"). Ours are ``["recursive"]`` and ``["beta_enhanced"]``.
    """

    _row_risks: Any = None
    _is_restored = False

    def __getstate__(self) -> dict[str, Any]:
        """A pickle or copy holds the document alone: the risks of rows are for the owner."""
        return {"_is_restored": True}

    @property
    def row_risks(self) -> Any:
        """The risks of each row, in the order of the table, as the kind of table that was given. For the owner only.

        The columns are ``alike`` (rows that look alike) and, as far as they were asked for, ``individual_risk``,
        ``household_risk``, ``suda_score`` and ``dis_suda_score``. The document does not have them.

        :raises InputError: If the audit was made without ``rows=True``, or is a pickle or copy.
        """
        if self._is_restored:
            raise InputError("a pickle or copy of an audit does not hold the risks of rows\n  help: run the audit again")
        if self._row_risks is None:
            raise InputError("the risks of rows were not measured\n  help: `ov.audit(..., rows=True)`")
        return self._row_risks

    @property
    def _each(self) -> list[dict[str, Any]]:
        columns: dict[str, dict[str, Any]] = self.get("columns") or {}
        return list(columns.values()) or [self]

    @property
    def k_anonymity(self) -> int:
        """Rows of the smallest group."""
        k: int = self["k"]
        return k

    @property
    def alpha_k_anonymity(self) -> tuple[float, int]:
        """The highest share of a value in a group, and the rows of the smallest group."""
        return max(column["alpha"] for column in self._each), self.k_anonymity

    @property
    def l_diversity(self) -> int:
        """The fewest different values in a group."""
        least: int = min(column["l_distinct"] for column in self._each)
        return least

    @property
    def entropy_l_diversity(self) -> int:
        """The least e to the entropy of a group's values, rounded down."""
        least = min(column["l_entropy"] for column in self._each)
        # k equally frequent values give exactly k, whatever the rounding of logarithms.
        return round(least) if abs(least - round(least)) < 1e-9 else int(least)

    @property
    def basic_beta_likeness(self) -> float:
        """The largest gain of a value's share in a group over its share in the table."""
        return max(_number(column["beta_basic"]) for column in self._each)

    @property
    def t_closeness(self) -> float:
        """The largest distance of a group from the table: ordered, if the values have an order."""
        distances: list[float] = [
            column["t_equal"] if column.get("t_ordered") is None else column["t_ordered"]
            for column in self._each
        ]
        return max(distances)

    @property
    def delta_disclosure(self) -> float:
        """The largest logarithm of the ratio of a value's share in a group to its share in the table.

        It is infinite if a group lacks a value. pyCANON ignores this case.
        """
        return max(_number(column["delta"]) for column in self._each)


def _number(measure: float | None) -> float:
    return float("inf") if measure is None else measure
