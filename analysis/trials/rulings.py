"""How much hangs on a ruling: every reading that a designer may want otherwise, and every icon that nobody could read, played both ways on the same deals.

The printed game is played once; then each other reading on the same deals, and what it changes is compared deal by deal. All intervals hold together: they are
widened for the number of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import tidy
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.trials.trials import Arm, Difference, PlayedArms, Trial, bank, by_deal
from terrors.simulator.runs.job import Job
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.ruleset import FIELDS, Rules

MISS = 0.05
ICONS = {"rage_choice": "RAGE", "sacrifice_gain": "SACRIFICE"}  # not legible in any edition
# The other readings: the rule, its value, and what that means. Rules that this version does not have are left out.
READINGS = (
    ("rage_choice", "2 Power|2 Regeneration", "RAGE gives 2 Power or 2 Regeneration"),
    ("rage_choice", "2 Coin|2 Regeneration", "RAGE gives 2 Coin or 2 Regeneration"),
    ("sacrifice_gain", "1 Coin", "SACRIFICE gives 1 Coin"),
    ("sacrifice_gain", "1 Regeneration", "SACRIFICE gives 1 Regeneration"),
    ("first_time", "since_in_play", "“the first time” counts from when the card came into play"),
    ("overlord_limit", "once", "every overlord is used once a turn, whatever its text says"),
    ("horde_expand", "must", "who expands a horde must activate a Horde ability"),
    ("optional_keywords", "true", "SACRIFICE, DESTROY and COMMAND may be declined"),
    ("haunt_tokens", "0", "HAUNT tokens without a limit"),
    ("muster_tokens", "0", "MUSTER tokens without a limit"),
)


@dataclass
class RulingEffect:
    """The change that a reading makes, with an interval that holds for all effects together."""

    of: str  # an overlord, "going first" or "turns"
    value: float  # points of win rate, or turns
    low: float
    high: float

    @property
    def certain(self) -> bool:
        """Whether it is known not to be nothing."""
        return self.low > 0 or self.high < 0


@dataclass
class Ruling:
    """Another reading of a rule, and what came of it."""

    rule: str
    value: str
    words: str
    effects: list[RulingEffect] = field(default_factory=list)
    changed: float = 0.0  # of 100 games, how many went otherwise at all

    @property
    def icon(self) -> str:
        """The unread icon that it is about; empty if it is none."""
        return ICONS.get(self.rule, "")

    @property
    def largest(self) -> RulingEffect:
        """The win rate that moves most."""
        return max((effect for effect in self.effects if effect.of != "turns"), key=lambda effect: abs(effect.value))


@dataclass
class Rulings:
    """All readings, the one that moves most first."""

    rulings: list[Ruling]
    games: int  # of each
    deals: int
    comparisons: int
    strategies: list[str]

    def look_up(self) -> Ruling | None:
        """The unread icon on which most hangs, as far as that is certain."""
        return next((ruling for ruling in self.rulings if ruling.icon and ruling.largest.certain), None)

    def table(self) -> pl.DataFrame:
        """The `rulings` table of an analysis."""
        return tidy(pl.DataFrame(self.rows(), schema_overrides=dict.fromkeys(("change", "low", "high", "changed_games"), pl.Float64)))

    def rows(self) -> list[dict[str, Any]]:
        """A row an effect: the `rulings` table."""
        return [
            {"rule": ruling.rule, "value": ruling.value, "reading": ruling.words, "icon": ruling.icon, "of": effect.of, "change": effect.value,
             "low": effect.low, "high": effect.high, "changed_games": ruling.changed, "games": self.games, "played_by": ", ".join(self.strategies)}
            for ruling in self.rulings for effect in ruling.effects
        ]  # fmt: skip


def readings(base: Rules, wanted: Sequence[str] = ()) -> list[Ruling]:
    """The readings to play: those named as NAME=VALUE, or all that differ from the rules that are played."""
    if wanted:
        found = []
        for text in wanted:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals:
                raise AnalysisError(f"ruling {text!r}: write it as NAME=VALUE, for instance first_time=since_in_play.")
            words = next((words for rule, other, words in READINGS if (rule, other) == (name, value)), f"{name} is {value}")
            found.append(Ruling(name, value, words))
    else:
        found = [Ruling(*reading) for reading in READINGS if reading[0] in FIELDS]
    for ruling in found:
        base.but({ruling.rule: ruling.value})  # refused in words if there is no such rule or value
    return [ruling for ruling in found if wanted or base.but({ruling.rule: ruling.value}) != base]


def play_rulings(job: Job, wanted: Sequence[str], games: int, jobs: int = 1, tell: Callable[[str], None] | None = None) -> Rulings:
    """Play the game as it is and every reading, `games` games each."""
    plan = job.plan.but(seed=bank("rulings", job.plan.seed), until="", games=10**9)
    found = readings(plan.ruleset(), wanted)
    base = Trial(job, [Arm(plan)], jobs)
    rounds = max(2, games // (2 * base.cells))
    as_it_is = base.play(0, rounds)
    names = base.schedule[0].box.names
    overlords = sorted(set(np.unique(as_it_is.rows[0]["first"]).tolist()) | set(np.unique(as_it_is.rows[0]["second"]).tolist()))
    comparisons = len(found) * (len(overlords) + 2)
    z = Looks().z(MISS / max(1, comparisons))
    for number, ruling in enumerate(found):
        if tell:
            tell(f"{number + 1} of {len(found)}: {ruling.words} …")
        other = Trial(job, [Arm(plan.but(rules={**plan.rules, ruling.rule: ruling.value}))], jobs).play(0, rounds)
        ruling.effects = list(_effects(as_it_is, other, {kind: names[kind] for kind in overlords}, z))
        one, two = as_it_is.rows[0], other.rows[0]
        ruling.changed = 100 * float(np.mean((one["winner"] != two["winner"]) | (one["turns"] != two["turns"]) | (one["actions"] != two["actions"])))
    found.sort(key=lambda ruling: (-abs(ruling.largest.value), ruling.rule, ruling.value))
    return Rulings(found, len(as_it_is.rows[0]), int(as_it_is.deal.max()) + 1, comparisons, [source.name for source in job.sources])


def _effects(one: PlayedArms, two: PlayedArms, overlords: dict[int, str], z: float) -> Iterator[RulingEffect]:
    """Yield what differs, deal by deal, for each overlord, going first and the length."""
    rows, gain = one.rows[0], two.points(0) - one.points(0)
    for kind, name in overlords.items():
        first, second = rows["first"] == kind, rows["second"] == kind
        mine = first ^ second  # against itself an overlord wins half, whatever the rules
        if mine.any():
            yield _effect(name, one.deal[mine], np.where(first, gain, -gain)[mine], z, 100)
    yield _effect("going first", one.deal, gain, z, 100)
    yield _effect("turns", one.deal, two.rows[0]["turns"].astype(float) - rows["turns"], z, 1)


def _effect(of: str, deal: np.ndarray, values: np.ndarray, z: float, scale: float) -> RulingEffect:
    difference = Difference()
    difference.add(by_deal(np.unique(deal, return_inverse=True)[1], values))
    half = z * difference.se
    return RulingEffect(of, scale * difference.mean, scale * (difference.mean - half), scale * (difference.mean + half))
