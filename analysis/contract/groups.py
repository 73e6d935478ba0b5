"""What groups of strategies are called: `tuned` is tuned against itself, `greedy – tuned` these two against each other, `all` every group together."""

from __future__ import annotations

import re

ALL = "all"
BETWEEN = " – "


def group_name(one: str, other: str) -> str:
    """Return the group of two strategies, in either order. A file may have any name: one that would be taken for a group stands in quotes."""
    return BETWEEN.join(_quoted(name) for name in sorted({one, other}))


def _quoted(name: str) -> str:
    return f"“{name}”" if name == ALL or BETWEEN in name or name.startswith("“") else name


def is_mixed(group: str) -> bool:
    """Whether it is a group of two strategies against each other."""
    return BETWEEN in re.sub("“[^”]*”", "", group)
