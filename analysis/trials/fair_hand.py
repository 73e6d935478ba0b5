"""The fair hand, for a report: where going first pays or costs, a few games on the same deals say with how many cards it would be even.

`terrors handicap` asks the same with more games, other sizes, and of the second hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from terrors.analysis.contract.sentences import interval
from terrors.analysis.trials.handicap import handicap
from terrors.simulator.runs.job import Job

GAMES = 3_000  # with each size, well below a second in all: the fair hand to about ± 0.2 cards
SIZES = 3  # the hand as it is, and two that would help


def fair_hand(job: Job, pays: bool, jobs: int = 1, tell: Callable[[str], None] | None = None) -> pl.DataFrame:
    """Return the `fair_hand` table: first hands from the present one on, smaller where going first pays, larger where it costs."""
    now = int(job.box.rules.first_hand)
    sizes = range(max(0, now - SIZES + 1), now + 1) if pays else range(now, now + SIZES)
    found = handicap(job, "first_hand", sizes if len(sizes) > 1 else (now, now + 1), GAMES, jobs, tell)
    whole = {"fair": found.fair, "fair_low": found.low, "fair_high": found.high, "games": found.games}
    rows = [
        {"size": size, "now": size == now, "rate": 100 * rate.share, "low": 100 * rate.low, "high": 100 * rate.high, "deals": rate.n, **whole,
         "played_by": " + ".join(player.name for player in job.players)}
        for size, rate in zip(found.sizes, found.rates, strict=True)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(("fair", "fair_low", "fair_high"), pl.Float64))


def fair_hand_words(rows: Sequence[dict[str, Any]]) -> str:
    """Return in a few sentences at which first hand going first is even, how far a whole hand gets, and how to play it so. Empty without rows."""
    if not rows:
        return ""
    now = next(row["size"] for row in rows if row["now"])
    best = min(rows, key=lambda row: abs(row["rate"] - 50))
    one = rows[0]
    stands = f"{one['games']:,} games of {one['played_by']}, the same deals with each hand"
    with_it = f"with {best['size']} the first player wins {interval(best['rate'], best['low'], best['high'])} of 100"
    if one["fair"] is None or one["fair_low"] is None:
        told = f"No first hand from {one['size']} to {rows[-1]['size']} cards makes going first even for certain; {with_it} ({stands})."
    else:
        fair = f"{one['fair']:.1f} cards ({one['fair_low']:.1f}–{one['fair_high']:.1f})"
        told = f"Going first would be even with a first hand of {fair}; now it is {now}. Of whole hands, {with_it} ({stands})."
    return told if best["now"] else f"{told} `terrors balance --rule first_hand={best['size']}` plays the set so."
