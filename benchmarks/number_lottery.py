"""Is the number lottery right? Its effects against the truth: each number changed alone, on other seeds.

python benchmarks/number_lottery.py            # 400,000 games of the lottery; the twelve largest numbers and 24 by lot, 30,000 games of each version
python benchmarks/number_lottery.py --games 1000000 --rounds 5000
"""

from __future__ import annotations

import argparse

import numpy as np

from terrors.analysis.numbers.gauges import Gauges
from terrors.analysis.numbers.played_versions import PILOT, Versions, settled
from terrors.analysis.numbers.study import study_numbers
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.stopping import Z_95

LARGEST, BY_LOT = 12, 24


def main() -> None:
    """Play, compare, and print what is off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400_000, help="of the lottery")
    parser.add_argument("--rounds", type=int, default=2_500, help="of each version that is played alone; 12 games each on the reference set")
    parser.add_argument("--pilot", default=PILOT)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    plan = Plan(strategies=(given.pilot,), pairing="mirror", seed=given.seed)
    effects = study_numbers(Job.of(plan, ""), given.games, given.jobs).effects
    size = np.abs(effects.effect[:, :-1]).max(1)
    largest = np.argsort(-size)[:LARGEST].tolist()
    others = np.random.default_rng(given.seed).choice([i for i in range(len(size)) if i not in largest], BY_LOT, replace=False).tolist()
    versions = Versions(settled(Job.of(plan.but(seed=given.seed + 1000), "")), effects.numbers, "truth", given.jobs)
    gauges = Gauges(versions.schedule)
    wanted = [(i, level) for i in (*largest, *others) for level in effects.numbers[i].levels]

    def alone(move: tuple[int, int]) -> np.ndarray:
        values = list(versions.usual)
        values[move[0]] += move[1] * effects.numbers[move[0]].step
        return gauges.of(*versions.play(values, 0, given.rounds))

    played = dict(zip(wanted, versions.each(wanted, alone), strict=True))
    scores, blanks = [], []
    bound, alone_bound = effects.bound(together=True), effects.bound(together=False)
    for i in (*largest, *others):
        number = effects.numbers[i]
        step = (played[i, 1] - played[i, -1]) / 2 if -1 in number.levels else played[i, 1] - played[i, 0]
        truth, se = step.mean(0), step.std(0) / given.rounds**0.5
        wide = effects.se[i] * alone_bound[i] / Z_95  # the interval for one row, as a standard error
        score = (effects.effect[i] - truth) / np.hypot(wide, se)
        scores.append(score)
        if not step.any():
            blanks.append(np.abs(effects.effect[i]) < bound[i] * effects.se[i])
        worst = int(np.abs(score).argmax())
        print(
            f"{number.name:<60} {gauges.names[worst]:<28} lottery {effects.effect[i, worst]:+6.2f}  alone {truth[worst]:+6.2f}  {score[worst]:+.1f} errors off"
        )
    found = np.array(scores)
    print(f"\n{effects.games:,} games. The interval for one row holds the truth in {100 * np.mean(np.abs(found) < 1.96):.1f} of 100", end=" ")
    print(f"({100 * np.mean(np.abs(found[:LARGEST]) < 1.96):.1f} for the largest); standard deviation of errors {found.std():.2f} (1 is right).")
    print(f"{len(blanks)} numbers did nothing at all; {sum(map(np.all, blanks))} of them show nothing.")


if __name__ == "__main__":
    main()
