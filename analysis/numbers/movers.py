"""What moves what: the table of numbers, read again. Whoever only shows it needs nothing that plays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def movers(rows: Iterable[dict[str, Any]], of: str, most: int = 10) -> list[dict[str, Any]]:
    """Return the rows of the numbers that move one gauge most, as far as that is certain; the largest first."""
    mine = [row for row in rows if row["of"] == of and row["effect"] is not None and row["p"] is not None and row["p"] < 0.05]
    return sorted(mine, key=lambda row: -abs(row["effect"]))[:most]


def side_effects(rows: Iterable[dict[str, Any]], where: str, but: str, of: Sequence[str]) -> list[dict[str, Any]]:
    """Return what else a number does for certain to some gauges, the largest first."""
    mine = [row for row in rows if row["where"] == where and row["of"] != but and row["of"] in of and row["p"] is not None and row["p"] < 0.05]
    return sorted(mine, key=lambda row: -abs(row["effect"]))
