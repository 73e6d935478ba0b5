"""Whether a patch makes games feel worse: metrics of feel that were as usual before and are outside of their bounds after it, for certain."""

from __future__ import annotations

import tempfile
from pathlib import Path

from terrors.analysis.contract.margins import Margins
from terrors.analysis.feel.feel import feel_of
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate

GAMES = 4_000


def feel_metrics(plan: Plan, cards: CardSet, jobs: int, games: int = GAMES) -> dict[str, tuple[float, float, float]]:
    """Return the metrics of feel of a set, value and interval each, from games of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "cards.csv"
        file.write_text(cards.to_csv(), encoding="utf-8")
        run = simulate(plan.but(cards=str(file), set=(), games=games, until=""), Path(temporary) / "run", jobs=jobs)
        rows = feel_of(run).tables["feel"].to_dicts()
    return {row["metric"]: (row["value"], row["low"], row["high"]) for row in rows if None not in (row["value"], row["low"], row["high"])}


def worse(before: dict[str, tuple[float, float, float]], after: dict[str, tuple[float, float, float]], margins: Margins) -> list[str]:
    """Return the metrics that a patch has moved out of their bounds, in words: `dead_turns 14 (bounds 0 to 10)`."""
    found = []
    for metric, (low, high) in margins.feel.items():
        if metric not in before or metric not in after:
            continue
        now, lowest, highest = after[metric]
        was_outside = before[metric][0] < low or before[metric][0] > high
        farther = abs(now - (low + high) / 2) > abs(before[metric][0] - (low + high) / 2)
        if (lowest > high or highest < low) and farther and not (was_outside and before[metric][1] <= now <= before[metric][2]):
            found.append(f"{metric.replace('_', ' ')} {now:.0f} (bounds {low:g} to {high:g})")
    return found
