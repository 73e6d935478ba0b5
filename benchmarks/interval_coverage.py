"""Do headline intervals hold what they promise? `python benchmarks/interval_coverage.py [SETS]`: planted pilots, drawn by coin.

Four overlords, six match-ups. Three able pilots, equally strong, differ in what each overlord wins in their hands (a standard deviation of 2 points each way),
and so would others: the truth is the mean over all such pilots. Two weak ones lose 12 and 30 points to them. As many pairs a cell as `terrors balance` plays.
Told is how many headline intervals (overlords, luck and who plays together) hold the truth; and of those by luck alone, which do not promise that.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
OVERLORDS = ("Ash", "Birch", "Cedar", "Dogwood")
PILOTS = ("able", "able b", "able c", "club", "weak")
SKILL = {"club": -0.12, "weak": -0.30}
SPREAD = 0.02  # standard deviation of what an overlord wins in an able pilot's hands, on either side
PAIRS = {"able": 180, "other": 30}  # of a cell: among the able ones, and with the others


class World:
    """A set whose truth is known, and the pilots that happen to be there."""

    def __init__(self, seed: int) -> None:
        """Draw pilots. The truth of a match-up is what able pilots win on average."""
        luck = np.random.default_rng(seed)
        self.luck = luck
        self.strength = dict(zip(OVERLORDS, luck.normal(0, 0.06, 4), strict=True))
        self.own = {(pilot, overlord): luck.normal(0, SPREAD) for pilot in PILOTS for overlord in OVERLORDS}
        for pilot in PILOTS:  # equally strong: what is gained with one overlord is lost with the others
            mean = np.mean([self.own[pilot, overlord] for overlord in OVERLORDS])
            for overlord in OVERLORDS:
                self.own[pilot, overlord] -= mean

    def truth(self, overlord: str) -> float:
        """Return what an overlord wins in able hands."""
        return 0.5 + float(np.mean([self.strength[overlord] - self.strength[rival] for rival in OVERLORDS if rival != overlord]))

    def entry(self, a: str, b: str, s: str, t: str) -> float:
        """Return what a wins, played by s, against b, played by t."""
        return 0.5 + self.strength[a] - self.strength[b] + self.own[s, a] - self.own[t, b] + SKILL.get(s, 0) - SKILL.get(t, 0)


def hands_of(world: World):  # type: ignore[no-untyped-def]
    """Play a world by coin, and return whose hands are best."""
    from terrors.analysis.questions.best_hands import BestHands, HandSums
    from terrors.analysis.source.source import NamedCell
    from terrors.analysis.stats.intervals import Looks

    cells = [NamedCell(a, b, s, t) for a, b in combinations(OVERLORDS, 2) for s in PILOTS for t in PILOTS]
    sums = HandSums(type("Cells", (), {"cells": cells})())
    for number, cell in enumerate(cells):
        both = cell.a_strategy.startswith("able") and cell.b_strategy.startswith("able")
        pairs = PAIRS["able" if both else "other"]
        won = world.luck.random((pairs, 2)) < np.clip(world.entry(cell.a, cell.b, cell.a_strategy, cell.b_strategy), 0.02, 0.98)
        points = np.stack([won[:, 0], ~won[:, 1]], 1).astype(float).ravel()
        seed = np.repeat(world.luck.integers(0, 2**63, pairs, dtype=np.uint64), 2)
        sums.add(type("Block", (), {"seed": seed, "cell": np.full(2 * pairs, number), "points": points, "stage": "whole"})())
    return BestHands(sums, Looks())


def main() -> None:
    from terrors.analysis.questions.best_hands import rate_from
    from terrors.analysis.source.pair_sums import BOTH
    from terrors.analysis.stats.intervals import Looks

    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    inside, by_luck, widths, gaps, found_able = 0, 0, [], [], []
    for seed in range(sets):
        world = World(seed)
        hands = hands_of(world)
        found_able.append(len(hands.able))
        for overlord in OVERLORDS:
            draws, match_ups = hands.of_overlord(overlord)
            rate, luck = rate_from(draws, match_ups, BOTH, Looks(), hands.spread("overlords"))
            truth = world.truth(overlord)
            inside += rate.low <= truth <= rate.high
            by_luck += abs(rate.share - truth) <= 1.96 * luck
            widths.append(100 * (rate.high - rate.low) / 2)
            gaps.append(100 * (rate.share - truth))
    n = 4 * sets
    error = 196 * (0.95 * 0.05 / n) ** 0.5
    print(f"{sets} sets, {n} intervals: {100 * inside / n:.1f} % hold the truth (95 promised, ±{error:.1f}); of those by luck alone {100 * by_luck / n:.1f} %.")
    print(f"Half-width {np.mean(widths):.2f} points on average, error {np.std(gaps):.2f} (standard deviation), bias {np.mean(np.abs(gaps)):.2f} mean size.")
    print(f"Able pilots found: {np.mean(found_able):.2f} of 3 on average.")


if __name__ == "__main__":
    main()
