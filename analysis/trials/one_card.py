"""One card: what access to it is worth (denied on purpose, deal by deal, until it is decided), and what buying it is worth at real decisions (forks)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terrors.analysis.stats.intervals import Looks, holm
from terrors.analysis.trials.trials import Arm, Difference, Trial, bank, by_deal, until_decided
from terrors.analysis.verdicts.judge import judge, size_word
from terrors.simulator.kernel.seeds import mixed
from terrors.simulator.runs.job import Job
from terrors.simulator.terms.enums import Fork, Pile
from terrors.simulator.terms.errors import PlanError

MOST_DEALS = 40_000
FORK_DEALS = 8_000
LATEST = 24  # a fork is sought from a turn between the first and this one on, by lot
STAGES = (("early", 1, 6), ("middle", 7, 14), ("late", 15, 10**9))  # turns, both players' counted


@dataclass
class ForkValue:
    """The worth of buying the card against the next best thing, where something else holds too."""

    by: str
    level: str
    value: float  # points of win rate
    low: float
    high: float
    forks: int
    p: float = 1.0


@dataclass
class CardPage:
    """The results about one card."""

    card: str
    strategies: list[str]
    margin: float
    access: Difference
    by_overlord: list[ForkValue]  # access by the overlord that may have it
    by_seat: list[ForkValue]
    state: str
    forks: list[ForkValue] = field(default_factory=list)
    sought: bool = False  # whether forks were looked for
    wanted: float = 0.0  # of 100 forks, in how many the strategy bought it of itself
    games: int = 0

    def as_data(self) -> dict[str, Any]:
        """Return the results as JSON knows them."""
        low, high = self.access.interval
        return {
            "card": self.card, "strategies": self.strategies, "margin": self.margin, "games": self.games, "state": self.state,
            "access": {"value": 100 * self.access.mean, "low": 100 * low, "high": 100 * high, "deals": self.access.deals, "p": self.access.p,
                       "word": size_word(100 * self.access.mean)},
            "by_overlord": [vars(one) for one in self.by_overlord], "by_seat": [vars(one) for one in self.by_seat],
            "forks": [vars(one) for one in self.forks], "wanted": self.wanted,
        }  # fmt: skip


def card_page(job: Job, card: str, margin: float, most: int = MOST_DEALS, fork_deals: int = FORK_DEALS, width: float = 0.0, jobs: int = 1,
              tell: Callable[[str], None] | None = None) -> CardPage:  # fmt: skip
    """Play all that is needed to know one card. `width`: go on until access is known to so many points, though it is decided."""
    tell = tell or (lambda text: None)
    box_card = job.box.cards.by_name(card)
    if box_card.pile != Pile.MARKET:
        raise PlanError(f"{box_card.name}: it is not a market card, so nobody can be denied it; give a card of the market.")
    name = box_card.name
    plan = job.plan.but(seed=bank(f"card {name}", job.plan.seed), deny_lottery=0.0, until="", games=10**9)
    access, levels, games = _access(job, plan, name, margin, most, width, jobs, tell)
    verdict = judge(np.array([access.mean]), np.array([access.se]), margin / 100, access.looks)[0]
    page = CardPage(name, [source.name for source in job.sources], margin, access, levels["overlord"], levels["seat"], verdict.state, games=games)
    if fork_deals:
        tell("Forks at real decisions …")
        page.sought = True
        page.forks, page.wanted, more = fork_values(job, plan, name, fork_deals, jobs)
        page.games += more
    return page


def _access(
    job: Job, plan: Any, name: str, margin: float, most: int, width: float, jobs: int, tell: Callable[[str], None]
) -> tuple[Difference, dict[str, list[ForkValue]], int]:
    """Return what access is worth: half the difference between denied to the first player and to the second; a third arm denies to nobody."""
    arms = [Arm(plan.but(deny=(*plan.deny, *deny))) for deny in ((f"{name}:first",), (f"{name}:second",), ())]
    trial = Trial(job, arms, jobs)
    parts: dict[tuple[str, str], Difference] = {}
    played_games = 0

    def play(first: int, rounds: int) -> np.ndarray:
        nonlocal played_games
        played = trial.play(first, rounds)
        played_games += sum(len(rows) for rows in played.rows)
        to_first, to_second, nobody = (played.points(arm) for arm in range(3))
        names = trial.schedule[0].box.names
        as_first, as_second = nobody - to_first, to_second - nobody
        for seat, gain in (("first", as_first), ("second", as_second)):
            parts.setdefault(("seat", seat), Difference()).add(by_deal(played.deal, gain))
        one, other = played.rows[0]["first"], played.rows[0]["second"]
        for kind in np.unique(one):
            mine = (one == kind) | (other == kind)
            gain = np.where(one == other, (as_first + as_second) / 2, np.where(one == kind, as_first, as_second))[mine]
            parts.setdefault(("overlord", names[int(kind)]), Difference()).add(by_deal(np.unique(played.deal[mine], return_inverse=True)[1], gain))
        return by_deal(played.deal, (to_second - to_first) / 2)

    def show(found: Difference) -> None:
        low, high = found.interval
        tell(f"{found.deals:,} deals: access is worth {100 * found.mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) points")

    deals_a_round = len({(cell.a, cell.b) for cell in trial.schedule[0].cells})
    access = until_decided(play, margin / 100, max(1, most // deals_a_round), width / 100, show)
    found: dict[str, list[ForkValue]] = {"overlord": [], "seat": []}
    for (by, level), difference in sorted(parts.items()):
        difference.looks = Looks(difference.deals, access.looks.rho)
        found[by].append(_value(by, level, difference))
    return access, found, played_games


def _value(by: str, level: str, difference: Difference) -> ForkValue:
    low, high = difference.interval
    return ForkValue(by, level, 100 * difference.mean, 100 * low, 100 * high, difference.deals, difference.p)


def fork_values(job: Job, plan: Any, name: str, deals: int, jobs: int) -> tuple[list[ForkValue], float, int]:
    """Return the worth of buying it instead of the next best thing: by turn, overlord, and whether the strategy wanted it."""
    kind = job.box.kind(name)

    def change(branch: int) -> Callable[[np.ndarray], None]:
        def into(rows: np.ndarray) -> None:
            luck = mixed(rows["seed"] ^ np.uint64(0xF0F0F0F0F0F0F0F0))
            rows["fork"] = branch
            rows["fork_kind"] = kind
            rows["fork_seat"] = (luck >> np.uint64(40)).astype(np.int64) & 1
            rows["fork_from"] = 1 + (luck >> np.uint64(8)).astype(np.int64) % LATEST

        return into

    forked = plan.but(seed=plan.seed ^ 1)
    trial = Trial(job, [Arm(forked, change(Fork.BUY)), Arm(forked, change(Fork.LEAVE))], jobs)
    deals_a_round = len({(cell.a, cell.b) for cell in trial.schedule[0].cells})
    played = trial.play(0, max(1, deals // deals_a_round))
    rows, other = played.rows
    sign = np.where(rows["fork_seat"] == 0, 1.0, -1.0)
    gain = sign * (played.points(0) - played.points(1))
    at = rows["forked"] > 0
    if not at.any():
        return [], 0.0, 2 * len(rows)
    assert (rows["forked"] == other["forked"]).all(), "both branches are the same game up to the fork"
    overlord = np.where(rows["fork_seat"] == 0, rows["first"], rows["second"])
    names = trial.schedule[0].box.names
    levels: list[tuple[str, str, np.ndarray]] = [("all", "", at)]
    levels += [("turn", stage, at & (rows["forked"] >= low) & (rows["forked"] <= high)) for stage, low, high in STAGES]
    levels += [("overlord", names[int(k)], at & (overlord == k)) for k in np.unique(overlord)]
    wanted = rows["fork_wanted"] == 1
    levels += [("wanted", "yes", at & wanted), ("wanted", "no", at & ~wanted)]
    found = []
    for by, level, mine in levels:
        if mine.sum() < 2:
            continue
        difference = Difference()
        _, deal = np.unique(played.deal[mine], return_inverse=True)
        difference.add(by_deal(deal, gain[mine]))  # forks of one deal are one observation
        found.append(_value(by, level, difference) if difference.deals > 1 else ForkValue(by, level, 100 * difference.mean, -100, 100, difference.deals))
    return _corrected(found), 100 * float(wanted[at].mean()), 2 * len(rows)


def _corrected(values: Sequence[ForkValue]) -> list[ForkValue]:
    """Return the values with p-values corrected for the number of questions asked."""
    for value, p in zip(values, holm(np.array([value.p for value in values])), strict=True):
        value.p = float(p)
    return list(values)
