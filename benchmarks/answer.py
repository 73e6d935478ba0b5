"""The figure that a designer feels: seconds to ±1 point on every overlord, and to ±1 on every card. `python benchmarks/answer.py [GAMES]`.

Plays the plan of `terrors balance` (the whole panel, stages and lottery; 150,000 games after the screen unless told otherwise) with a warm engine, and a
quarter as many again with a card withheld from its buyer, as `balance` does; analyses it without feel and page, and looks at the widest interval of each
sort. What `±1` would take is reckoned from that: a width goes with one over the root of the games, and so do seconds beyond those that a run of next to no
games takes. Of overlords that is the part from luck; who plays adds what no games mend.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
FEW = 4_000  # a run of next to no games: the screen, starting workers, solving


def answer(games: int, folder: str) -> tuple[float, float, float | None]:
    """Return the seconds of a run and its analysis, and the half-widths, in points, of the overlord and of the card that are known least well."""
    from terrors.analysis.analyze import analyze
    from terrors.analysis.contract.margins import Margins
    from terrors.analysis.source.ahead import beside
    from terrors.analysis.trials.withholding import play_withheld
    from terrors.cli.shared_options import LOTTERY, PANEL
    from terrors.simulator.runs.job import job_of
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import simulate

    began = time.monotonic()
    run = simulate(Plan(games=games, strategies=PANEL, pairing="panel", deny_lottery=LOTTERY), folder)
    again = beside(play_withheld, run, job_of(run), games // 4, Margins().card, os.cpu_count() or 1)
    found = analyze([folder], feel=False, again=again)
    seconds = time.monotonic() - began
    overlords = [one.luck for one in found.findings if one.family == "overlords" and one.luck is not None]
    cards = [(one.high - one.low) / 2 for one in found.findings if one.family == "cards"]
    return seconds, max(overlords), max(cards) if cards else None


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 150_000
    with tempfile.TemporaryDirectory() as place:
        answer(FEW, f"{place}/warm")
        least, _, _ = answer(FEW, f"{place}/few")
        print(f"{FEW:,} games after the screen, played and analysed: {least:.1f} s; load of the machine {os.getloadavg()[0]:.1f}", flush=True)
        seconds, overlord, card = answer(games, f"{place}/run")
    print(f"{games:,} games after the screen, played and analysed: {seconds:.1f} s, of which {least:.1f} s whatever their number.")
    for what, width in (("overlord", overlord), ("card", card)):
        if width is None:
            print(f"every {what}: not measured with so few games.")
        else:
            print(f"every {what} to ±{width:.2f} points; to ±1: about {least + (seconds - least) * width**2:.0f} s, {games * width**2:,.0f} games.")


if __name__ == "__main__":
    main()
