"""A list file as a strategy among the others."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

from terrors.simulator.kernel.records import record
from terrors.simulator.kernel.work_layout import WORK
from terrors.strategies.formats.known import PLANS
from terrors.strategies.formats.lists import playing
from terrors.strategies.formats.lists.filling import fill
from terrors.strategies.formats.lists.reading import PriorityList, read_list
from terrors.strategies.formats.registry import Strategy, reads


@reads(".toml")
class ListStrategy(Strategy):
    """A strategy that plays by a TOML file."""

    def __init__(self, path: Path) -> None:
        """Read the file; StrategyError says what is wrong with it."""
        self.list: PriorityList = read_list(path)
        self.function = playing.choose.function
        self.path, self.name, self.words = path, path.stem, self.list.plan.strip()

    @cached_property
    def sha256(self) -> str:
        """The hash of the file and of everything that plays by it."""
        helpers = [PLANS / "kit" / "simple.py", *sorted(Path(__file__).parent.glob("*.py"))]
        return hashlib.sha256(b"".join(path.read_bytes() for path in (self.path, *helpers))).hexdigest()

    @property
    def compiled(self) -> Any:
        """The one function that plays all lists."""
        return playing.choose.compiled

    def work(self, box: Any) -> Any:
        """Return a work area with the rows of this list; StrategyError if it names a card that this box does not have."""
        area = record(WORK)
        fill(self.list, box, area)
        return area

    def fired(self, area: Any) -> list[int]:
        """Return how often each buy rule has bought something in the games that were played with this work area."""
        return [int(rule.fired) for rule in area.list.rule[: len(self.list.buy)]]
