"""Do headline intervals hold what they promise? `python benchmarks/interval_coverage.py [SETS]`: planted pilots, drawn by coin.

Four overlords, six match-ups. Three able pilots, equally strong, differ in what each overlord wins in their hands, and in what going first does (a standard
deviation of 0, 0.5, 2 or 4 points each way), and so would others: the truth is the mean over all such pilots. Two weak ones lose 12 and 30 points to them.
As many pairs a cell as `terrors balance` plays, and as `--quick` does. Told is how many headline intervals (luck and who plays together) hold the truth; and
of those by luck alone, which do not promise that.
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
SPREADS = (0.0, 0.005, 0.02, 0.04)  # standard deviation of what an overlord wins in an able pilot's hands, on either side, and of what going first does
PAIRS = {"balance": {"able": 180, "other": 30}, "--quick": {"able": 40, "other": 15}}  # of a cell: among the able ones, and with the others
FIRST = 0.06  # what going first wins beyond a half


class World:
    """A set whose truth is known, and the pilots that happen to be there."""

    def __init__(self, seed: int, spread: float) -> None:
        """Draw pilots. The truth of a match-up is what able pilots win on average."""
        luck = np.random.default_rng(seed)
        self.luck = luck
        self.strength = dict(zip(OVERLORDS, luck.normal(0, 0.06, 4), strict=True))
        self.own = {(pilot, overlord): luck.normal(0, spread) for pilot in PILOTS for overlord in OVERLORDS}
        self.first = {pilot: luck.normal(0, spread) for pilot in PILOTS}
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


def hands_of(world: World, pairs_of: dict[str, int]):  # type: ignore[no-untyped-def]
    """Play a world by coin, and return whose hands are best."""
    from terrors.analysis.questions.best_hands import BestHands, HandSums
    from terrors.analysis.source.source import NamedCell
    from terrors.analysis.stats.intervals import Looks

    cells = [NamedCell(a, b, s, t) for a, b in combinations(OVERLORDS, 2) for s in PILOTS for t in PILOTS]
    sums = HandSums(type("Cells", (), {"cells": cells})())
    for number, cell in enumerate(cells):
        both = cell.a_strategy.startswith("able") and cell.b_strategy.startswith("able")
        pairs = pairs_of["able" if both else "other"]
        first = FIRST + (world.first[cell.a_strategy] + world.first[cell.b_strategy]) / 2
        chance = world.entry(cell.a, cell.b, cell.a_strategy, cell.b_strategy)
        won = world.luck.random((pairs, 2)) < np.clip(np.array([chance + first, chance - first]), 0.02, 0.98)
        points = np.stack([won[:, 0], ~won[:, 1]], 1).astype(float).ravel()
        seed = np.repeat(world.luck.integers(0, 2**63, pairs, dtype=np.uint64), 2)
        sums.add(type("Block", (), {"seed": seed, "cell": np.full(2 * pairs, number), "points": points, "stage": "whole"})())
    return BestHands(sums, Looks())


def told(sets: int, spread: float, pairs: str) -> None:
    """Play some sets, and print how many intervals hold the truth."""
    from terrors.analysis.questions.best_hands import rate_from
    from terrors.analysis.source.pair_sums import BOTH, GOING_FIRST
    from terrors.analysis.stats.intervals import Looks

    found: dict[str, list[tuple[float, ...]]] = {"overlords": [], "first": []}
    for seed in range(sets):
        world = World(seed, spread)
        hands = hands_of(world, PAIRS[pairs])
        asked = [("overlords", hands.of_overlord(name), BOTH, world.truth(name)) for name in OVERLORDS]
        for family, (draws, match_ups), quantity, truth in [*asked, ("first", hands.of_first(), GOING_FIRST, 0.5 + FIRST)]:
            rate, luck = rate_from(draws, match_ups, quantity, Looks(), hands.spread(family))
            inside, by_luck = rate.low <= truth <= rate.high, abs(rate.share - truth) <= 1.96 * luck
            found[family].append((inside, by_luck, 50 * (rate.high - rate.low), 100 * (rate.share - truth)))
    for family, rows in found.items():
        inside, by_luck, width, gap = np.array(rows).T
        error = 196 * (0.95 * 0.05 / len(rows)) ** 0.5
        print(f"{pairs:8} {100 * spread:4.1f} points apart, {family:9}: {100 * inside.mean():5.1f} % of {len(rows)} hold it (95 promised, ±{error:.1f}), "
              f"by luck alone {100 * by_luck.mean():5.1f} %; half-width {width.mean():4.1f} (5 to 95 of 100: {np.quantile(width, 0.05):.1f}–"
              f"{np.quantile(width, 0.95):.1f}), error {gap.std():.2f}", flush=True)  # fmt: skip


def main() -> None:
    """Try every spread, with as many games as each command plays."""
    for pairs in PAIRS:
        for spread in SPREADS:
            told(int(sys.argv[1]) if len(sys.argv) > 1 else 100, spread, pairs)


if __name__ == "__main__":
    main()
