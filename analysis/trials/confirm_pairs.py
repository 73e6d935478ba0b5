"""Whether pairs of cards that looked like synergies or counters hold on fresh deals: each two cards are denied on purpose, alone and together."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from terrors.analysis.contract.sentences import interval
from terrors.analysis.trials.trials import Arm, Difference, Trial, bank, by_deal
from terrors.simulator.terms.errors import AnalysisError

if TYPE_CHECKING:
    from terrors.analysis.analyze import Analysis, Told
    from terrors.simulator.runs.job import Job

DEALS = 6_000  # for each pair of cards, over all who play: ± 0.5 points or so if denied, ± 1.5 if granted
COMBINED = (1.0, 3.0)  # points beyond the sum of both, for certain, if denied and if granted: a combination


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
            together = granted(job, row["card"], row["other"], deals, jobs)
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
    played = trial.play(0, max(1, deals // trial.cells))
    none, one, two, both = (by_deal(played.deal, played.points(arm)) for arm in range(4))
    found = Difference(most=2.0)
    found.add(none - one - two + both)
    return found


def granted(job: Any, one: str, other: str, deals: int, jobs: int) -> Difference:
    """Return by how much two cards are worth more together than apart: granted to one player at the beginning, both and each alone, on the same deals.

    In log-odds, a quarter of them, which are points where a game is even: whoever has two great cards wins 95 of 100, and not 110. To have them from the
    beginning says more in few games than to be allowed to buy them.
    """
    plan = job.plan.but(seed=bank(f"grant {one} {other}", job.plan.seed), deny_lottery=0.0, until="", games=10**9)
    arms = [
        Arm(plan.but(grant=(*plan.grant, *(f"{name}:{seat}" for name in names)))) for names in ((one, other), (one,), (other,)) for seat in ("first", "second")
    ]
    trial = Trial(job, arms, jobs)
    played = trial.play(0, max(1, deals // trial.cells))
    by_arm = [by_deal(played.deal, played.points(arm)) for arm in range(6)]
    both, alone, other_alone = (_log_odds((first + 1 - second) / 2) for first, second in zip(by_arm[::2], by_arm[1::2], strict=True))
    found = Difference(most=2.0)
    found.add(both - alone - other_alone)
    return found


def _log_odds(shares: np.ndarray) -> np.ndarray:
    """Return a quarter of the log-odds of the mean share, by deal: what each moves it by (the delta method). With nothing granted it is 0."""
    mean = min(max(float(shares.mean()), 0.01), 0.99)
    return (log(mean / (1 - mean)) + (shares - mean) / (mean * (1 - mean))) / 4


def pair_words(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return in sentences what fresh games said of pairs of cards; of those that were asked for."""
    found = []
    for row in rows:
        if row["confirmed"] is None:
            continue
        told, above, below = [], False, False
        for columns, words, bound in zip(("confirmed", "granted"), ("denied on purpose", "in the starting deck"), COMBINED, strict=True):
            value, low, high = (row[f"{columns}{end}"] for end in ("", "_low", "_high"))
            if value is not None:
                told.append(f"{words} {interval(value, low, high, sign=True)}")
                above, below = above or low > bound, below or high < -bound
        how = "a combination" if above else "worth less together than apart" if below else "no more together than apart"
        pair = f"{row['card']} and {row['other']}" if row["kind"] == "synergy" else f"{row['card']} against {row['other']}"
        found.append(f"{pair}: {how} (points beyond the sum of both: {', '.join(told)}).")
    return found
