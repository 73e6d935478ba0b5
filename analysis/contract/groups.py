"""What groups of strategies are called: `tuned` is tuned against itself, `greedy – tuned` these two against each other.

The last group of a table is the headline: `best hands`, where it could be told who plays best, else `all`, every group with the same weight.
"""

from __future__ import annotations

import re

ALL = "all"
BEST = "best hands"
HEADLINES = (BEST, ALL)
BETWEEN = " – "


def group_name(one: str, other: str) -> str:
    """Return the group of two strategies, in either order. A file may have any name: one that would be taken for a group stands in quotes."""
    return BETWEEN.join(_quoted(name) for name in sorted({one, other}))


def _quoted(name: str) -> str:
    return f"“{name}”" if name in HEADLINES or BETWEEN in name or name.startswith("“") else name


def is_mixed(group: str) -> bool:
    """Whether it is a group of two strategies against each other."""
    return BETWEEN in re.sub("“[^”]*”", "", group)
