"""One overlord: how often it wins against each rival, from either seat and in whose hands, on fresh deals, until it is decided whether that is fair.

Every rival is met equally often with the same luck in exchanged seats. A round is one deal against each rival; rounds are what the intervals count, so that
differences between rivals, which are no chance, do not widen them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrors.analysis.stats.intervals import Looks
from terrors.analysis.trials.trials import Arm, Difference, Trial, bank, until_decided
from terrors.analysis.verdicts.judge import judge, size_word
from terrors.simulator.runs.job import Job
from terrors.simulator.terms.enums import CardType
from terrors.simulator.terms.errors import PlanError

MOST_DEALS = 40_000


@dataclass
class OverlordRate:
    """The games of 100 that it wins where something holds."""

    by: str  # rival, seat, strategy
    level: str
    rate: float
    low: float
    high: float
    rounds: int


@dataclass
class OverlordPage:
    """The results about one overlord."""

    overlord: str
    strategies: list[str]
    margin: float
    whole: OverlordRate
    parts: list[OverlordRate]
    state: str
    games: int
    turns: float  # of both players, on average

    def as_data(self) -> dict[str, Any]:
        """Return the results as JSON knows them."""
        return vars(self) | {"whole": vars(self.whole), "parts": [vars(part) for part in self.parts], "word": size_word(self.whole.rate - 50)}


def overlord_page(
    job: Job, overlord: str, margin: float, most: int = MOST_DEALS, width: float = 0.0, jobs: int = 1, tell: Callable[[str], None] | None = None
) -> OverlordPage:
    """Play until it is decided whether an overlord is fair, within so many points; at most so many deals. `width`: go on until it is known to ± so many."""
    cards = job.box.cards
    card = cards.by_name(overlord)
    if card.type != CardType.OVERLORD:
        raise PlanError(f"{card.name}: it is no overlord; the overlords are {', '.join(one.name for one in cards.overlords)}.")
    mine = job.box.kind(card.name)
    wanted = {job.box.kind(name) for name in job.plan.overlords} or {job.box.kind(one.name) for one in cards.overlords}
    rivals = [
        one.name for one in cards.overlords if job.box.kind(one.name) in wanted and one.name != card.name and job.box.may_meet(mine, job.box.kind(one.name))
    ]
    if not rivals:
        raise PlanError(f"{card.name}: there is nobody whom it may meet; give other --overlords.")
    plan = job.plan.but(seed=bank(f"overlord {card.name}", job.plan.seed), deny_lottery=0.0, until="", games=10**9, mirrors=False)
    trials = {rival: Trial(job, [Arm(plan.but(overlords=(card.name, rival)))], jobs) for rival in rivals}
    parts: dict[tuple[str, str], Difference] = {}
    counted = {"games": 0, "turns": 0}

    def play(first: int, rounds: int) -> np.ndarray:
        """Return by round how far off even it was; each part is counted on its own."""
        found: dict[tuple[str, str], list[np.ndarray]] = {}
        for rival, trial in trials.items():
            rows = trial.play(first, rounds).rows[0]
            counted["games"] += len(rows)
            counted["turns"] += int(rows["turns"].sum())
            gain, seat = _gain(rows, mine)
            shaped = gain.reshape(rounds, -1)
            strategy = np.array([trial.schedule[0].strategies[cell.a_strategy] for cell in trial.schedule[0].cells]).repeat(2)
            found.setdefault(("rival", rival), []).append(shaped.mean(1))
            for number, name in enumerate(("first", "second")):
                found.setdefault(("seat", name), []).append(gain[seat == number].reshape(rounds, -1).mean(1))
            for name in job.strategies if len(job.strategies) > 1 else ():
                found.setdefault(("strategy", name), []).append(shaped[:, strategy == name].mean(1))
        for key, values in found.items():
            parts.setdefault(key, Difference(most=0.5)).add(np.mean(values, 0))
        return np.mean([found["rival", rival][0] for rival in rivals], 0)

    def show(found: Difference) -> None:
        if tell:
            rate = _rate("", "", found)
            tell(f"{found.deals * len(rivals):,} deals: it wins {rate.rate:.1f} ({rate.low:.1f} to {rate.high:.1f}) of 100 games")

    whole = until_decided(play, margin / 100, max(1, most // len(rivals)), width / 100, show)
    whole.most = 0.5
    for part in parts.values():
        part.looks = Looks(part.deals, whole.looks.rho)
    verdict = judge(np.array([whole.mean]), np.array([whole.se]), margin / 100, whole.looks)[0]
    rates = [_rate(by, level, part) for (by, level), part in parts.items()]
    rates.sort(key=lambda rate: ("strategy", "seat", "rival").index(rate.by))
    names = [source.name for source in job.sources]
    return OverlordPage(card.name, names, margin, _rate("all", "", whole), rates, verdict.state, counted["games"], counted["turns"] / max(1, counted["games"]))


def _gain(rows: np.ndarray, mine: int) -> tuple[np.ndarray, np.ndarray]:
    """Return by game how far from half a game the overlord came out, and in which seat it sat."""
    seat = np.where(rows["first"] == mine, 0, 1)
    won = np.where(rows["winner"] == 2, 0.5, (rows["winner"] == seat).astype(float))
    return won - 0.5, seat


def _rate(by: str, level: str, found: Difference) -> OverlordRate:
    low, high = found.interval
    return OverlordRate(by, level, 50 + 100 * found.mean, 50 + 100 * low, 50 + 100 * high, found.deals)
