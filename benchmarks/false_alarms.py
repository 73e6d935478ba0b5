"""How often is a verdict of a small run wrong? `python benchmarks/false_alarms.py FOLDER [RUNS] [GAMES]`.

Runs as `terrors balance --quick` plays them, against the truth of a large one. What was played is kept in FOLDER: it goes on where it was interrupted.
A claim is wrong if what was called too strong or too weak (of cards: strong, bomb, weak, trap) is truly within its margin, or what was called fair is truly
beyond it. The truth has an error of its own: what lies within it of a margin is not counted either way.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
LARGE, LARGE_WITHHELD = 120_000, 60_000


def judged(folder: Path, games: int, withheld: int, seed: int) -> list[Any]:
    """Play a run, or take what is there, and return its findings."""
    from terrors.analysis.analyze import analyze
    from terrors.analysis.contract.margins import Margins
    from terrors.analysis.trials.withholding import play_withheld
    from terrors.cli.shared_options import LOTTERY, PANEL
    from terrors.simulator.runs.job import job_of
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import simulate

    run = simulate(Plan(games=games, strategies=PANEL, pairing="panel", deny_lottery=LOTTERY, turns=False, seed=seed), folder)
    play_withheld(run, job_of(run), withheld, Margins().card, 2)
    return analyze([folder], feel=False).findings


def main() -> None:
    from terrors.analysis.contract.findings_schema import FAIR, OFF
    from terrors.cli.commands.balance import QUICK, QUICK_WITHHELD

    place, runs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20
    games = int(sys.argv[3]) if len(sys.argv) > 3 else QUICK
    again = QUICK_WITHHELD * games // QUICK
    truth = {one.id: one for one in judged(place / "truth", LARGE, LARGE_WITHHELD, 999)}
    tallies: dict[str, dict[str, int]] = {family: dict.fromkeys(("claims", "off", "wrong", "fair", "missed", "open"), 0) for family in
                                          ("overlords", "matchups", "first", "cards")}  # fmt: skip
    covered = dict.fromkeys(tallies, 0)
    for number in range(runs):
        for one in judged(place / f"run-{number}", games, again, 1_000 + number):
            real = truth.get(one.id)
            if one.family not in tallies or real is None or one.klass == "bomb" or real.klass == "bomb":
                continue
            tally, same = tallies[one.family], one.subject == real.subject
            size, error = real.size if same else -real.size, (real.luck or (real.high - real.low) / 2) if one.family != "cards" else (real.high - real.low) / 2
            tally["claims"] += 1
            covered[one.family] += one.low - error <= size <= one.high + error
            inside, beyond = abs(size) + error < one.margin, abs(size) - error > one.margin and size * one.size > 0
            tally["off"] += one.state in OFF
            tally["wrong"] += one.state in OFF and not beyond and (inside or size * one.size < 0) and one.klass != "dead"
            tally["fair"] += one.state == FAIR
            tally["missed"] += one.state == FAIR and beyond
            tally["open"] += one.state not in (*OFF, FAIR)
        print(f"{number + 1} of {runs}", flush=True)
    for family, tally in tallies.items():
        print(f"{family}: {tally['claims']} claims; {tally['off']} called off, of which {tally['wrong']} are truly inside or the other way round; "
              f"{tally['fair']} called fair, of which {tally['missed']} are truly beyond; {tally['open']} undecided; "
              f"{100 * covered[family] / max(1, tally['claims']):.0f} % of the intervals meet the truth's")  # fmt: skip


if __name__ == "__main__":
    main()
