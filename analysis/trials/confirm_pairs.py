"""Whether pairs of cards that looked like synergies or counters hold on fresh deals: each two cards are denied on purpose, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from terrors.analysis.trials.trials import Arm, Difference, Trial, bank, by_deal
from terrors.simulator.terms.errors import AnalysisError

if TYPE_CHECKING:
    from terrors.analysis.analyze import Analysis, Told
    from terrors.simulator.runs.job import Job

DEALS = 6_000  # of each pair of cards: ± 1.5 points or so


def confirm_pairs(found: Analysis, job: Job, most: int, tell: Told, deals: int = DEALS, jobs: int = 2) -> None:
    """Fill in the columns `confirmed…` and `granted…` of the clearest pairs. `job`: the first run, to be played."""
    table = found.tables.get("card_pairs")
    if table is None:
        raise AnalysisError("there are no pairs of cards to confirm; they need a run with --deny-lottery 0.1.")
    rows = table.to_dicts()
    for number, row in enumerate(rows[:most]):
        tell(f"Fresh games for {row['card']} and {row['other']} ({number + 1} of {min(most, len(rows))}) …")
        difference = interaction(job, row, deals, jobs)
        low, high = difference.interval
        row |= {"confirmed": 100 * difference.mean, "confirmed_low": 100 * low, "confirmed_high": 100 * high}
        if row["kind"] == "synergy":
            together = granted(job, row["card"], row["other"], deals // 3, jobs)
            low, high = together.interval
            row |= {"granted": 100 * together.mean, "granted_low": 100 * low, "granted_high": 100 * high}
    found.tables["card_pairs"] = pl.DataFrame(rows, schema=table.schema)


def interaction(job: Any, row: dict[str, Any], deals: int, jobs: int) -> Difference:
    """Return by how much two denials together differ from the sum of both: deal by deal, none − one − the other + both.

    Synergy: both to the first player. Counter: the card to the first, the other to the second.
    """
    seat = "first" if row["kind"] == "synergy" else "second"
    card, other = f"{row['card']}:first", f"{row['other']}:{seat}"
    plan = job.plan.but(seed=bank(f"confirm {row['card']} {row['other']}", job.plan.seed), deny_lottery=0.0, until="", games=10**9)
    trial = Trial(job, [Arm(plan.but(deny=(*plan.deny, *deny))) for deny in ((), (card,), (other,), (card, other))], jobs)
    pairings = len(trial.schedule[0].groups)
    rounds = max(1, deals * pairings // trial.cells)
    played = trial.play(0, rounds)
    none, one, two, both = (by_deal(played.deal, played.points(arm)) for arm in range(4))
    found = Difference(most=2.0)
    found.add(none - one - two + both)
    return found


def granted(job: Any, one: str, other: str, deals: int, jobs: int) -> Difference:
    """Return by how much two cards are worth more together than apart: granted to one player at the beginning, both, each alone, and none, on the same deals.

    Both − one − the other + none, for the first player in half of the deals' legs and the second in the other half. To have them from the beginning says more
    in few games than to be allowed to buy them.
    """
    plan = job.plan.but(seed=bank(f"grant {one} {other}", job.plan.seed), deny_lottery=0.0, until="", games=10**9)
    arms = [
        Arm(plan.but(grant=(*plan.grant, *(f"{name}:{seat}" for name in names)))) for seat in ("first", "second") for names in ((one,), (other,), (one, other))
    ]
    trial = Trial(job, [Arm(plan), *arms], jobs)
    played = trial.play(0, max(1, deals * len(trial.schedule[0].groups) // trial.cells))
    none, *rest = (by_deal(played.deal, played.points(arm)) for arm in range(7))
    found = Difference(most=2.0)
    first, second = rest[:3], rest[3:]
    found.add((first[2] - first[0] - first[1] + none - (second[2] - second[0] - second[1] + none)) / 2)
    return found
