"""How long an analysis takes, against the simulation that it reads, and how much memory it needs.

    python benchmarks/analysis.py                  # a million games of greedy with a denial lottery, played first if they are not there
    python benchmarks/analysis.py --games 100000
    python benchmarks/analysis.py --run runs/base  # a run that is there

Everything runs in processes of its own, so that the peak of memory is that of the analysis. Times are processor seconds of all threads.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Prints its own peak of memory in MB, for the parent.
ANALYSE = """
import resource, sys
from terrors.analysis.analyze import analyze
from terrors.simulator.runs.storage import open_folder
found = analyze([sys.argv[1]], feel=sys.argv[2] == "feel")
found.write(open_folder(sys.argv[1] + "/analysis"))
print(len(found.findings), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def timed(command: list[str]) -> tuple[float, float, str]:
    """Processor seconds, elapsed seconds and output of a process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--run", help="a run that is there")
    given = parser.parse_args()
    folder = given.run or f"runs/benchmark-analysis-{given.games}"
    if not given.run:
        simulate = [sys.executable, "-m", "terrors", "simulate", "--games", str(given.games), "--deny-lottery", "0.1", "--out", folder]
        simulate += ["--strategies", "greedy", "--pairing", "mirror"]  # without these it would be the whole panel, whose experts take ten times as long
        cpu, elapsed, _ = timed(simulate)
        print(f"simulation (resumed if it was there): {cpu:.0f} s of processor time, {elapsed:.0f} s elapsed", flush=True)
    info = json.loads((ROOT / folder / "run.json").read_text(encoding="utf-8"))
    games, played = info["tallies"]["games"], info["seconds"]
    print(
        f"{games:,} games, {info['tallies']['turns']:,} turns, played in {played:.0f} s with {info['jobs']} jobs; load of the machine {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    for what in ("no feel", "feel"):
        cpu, elapsed, out = timed([sys.executable, "-c", ANALYSE, folder, what])
        findings, peak = out.split()
        rate = f"{games / cpu:,.0f} games a processor second"
        print(f"analysis, {what:<8} {cpu:5.1f} s of processor time, {elapsed:5.1f} s elapsed = {elapsed / played:.2f} of the simulation; {rate}; "
              f"peak {float(peak):,.0f} MB; {findings} findings", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
