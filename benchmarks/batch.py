"""How fast runs are written, in one go on one machine: `make bench`.

Prints, with the raw figures: the rate of a run into Parquet (games, turns, purchases, counts) as a share of the same games unlogged, per core (CPU time of
the whole process), and what a game takes beyond that; two jobs against one (wall time), with threads and with processes, and the same beyond what a run of
next to no games takes (to begin, to find the pace, to flush files: that does not get shorter); two processes that know nothing of each other, one job each,
against one of them, which is what the machine has to give; the processor time of two threads against that of one, which other work hardly changes (what is
above 1 is shared: a lock, a cache, the memory); the bytes of a game; and the peak memory of 10,000 against 1,000,000 games (`--memory`, which takes a minute
or two). The machine is shared and noisy: what counts are the ratios, and each is the median of several turns that alternate between what is compared.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("POLARS_MAX_THREADS", "1")  # so that CPU time is not spent on waking threads: with several jobs each core has its own part to write

GAMES, FEW, ROUNDS, LOTTERY = 80_000, 200, 3, 0.1


def unlogged(games: int) -> float:
    """CPU seconds of the bare games: the same rows, the engine without a log."""
    from terrors.simulator.play.match import Match
    from terrors.simulator.runs.job import Job
    from terrors.simulator.runs.plan import Plan

    job = Job.of(Plan(games=games, deny_lottery=LOTTERY), "")
    rows = job.schedule.rows(0, games)
    match = Match(job.box, job.players[0], job.players[0])
    match.play(rows[:200])
    began = time.process_time()
    done = 0
    while done < games:
        done += match.play(rows[done : done + 500])
        match.desk.clear_log()
    return time.process_time() - began


def logged(games: int, jobs: int, backend: str) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and bytes a game of a run into a folder."""
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import simulate

    with tempfile.TemporaryDirectory() as place:
        began, wall = time.process_time(), time.monotonic()
        run = simulate(Plan(games=games, deny_lottery=LOTTERY), Path(place) / "run", jobs=jobs, backend=backend)
        size = sum(file["bytes"] for record in run.info["parts"] for file in record["files"].values())
        return time.process_time() - began, time.monotonic() - wall, size / games


def side_by_side(processes: int) -> float:
    """Wall seconds, on average, of processes that are started at once, each with a run of its own by one job."""
    code = f"import benchmarks.batch as b; b.logged(2_000, 1, 'threads'); print(b.logged({GAMES}, 1, 'threads')[1])"
    started = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    return float(np.mean([float(process.communicate()[0]) for process in started]))


def peak(games: int) -> float:
    """Peak memory in MB of a process that plays so many games with one job."""
    code = (
        "import re, sys, tempfile; from terrors import Plan, simulate; place = tempfile.mkdtemp();"
        f"simulate(Plan(games={games}, deny_lottery={LOTTERY}), place + '/run', jobs=1, chunk=5000);"
        r"import shutil; shutil.rmtree(place); print(int(re.search(r'VmHWM:\s+(\d+)', open('/proc/self/status').read())[1]) / 1024)"
    )
    return float(subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    logged(2_000, 1, "threads")
    logged(2_000, 2, "processes")
    bare, written, by_two, fixed, apart = [], [], [], [], []
    walls: dict[tuple[int, str], list[float]] = {(1, "threads"): [], (2, "threads"): [], (1, "processes"): [], (2, "processes"): []}
    for _ in range(ROUNDS):
        bare.append(unlogged(GAMES))
        fixed.append(logged(FEW, 1, "threads")[1])
        apart.append(2 * side_by_side(1) / side_by_side(2))
        for (jobs, backend), seconds in walls.items():
            cpu, wall, size = logged(GAMES, jobs, backend)
            seconds.append(wall)
            if backend == "threads":  # processes of their own are not in our processor time
                (written if jobs == 1 else by_two).append(cpu)
    rate = {key: GAMES / np.median(seconds) for key, seconds in walls.items()}
    share = np.median(np.array(bare) / np.array(written))
    print(f"unlogged                 {GAMES / np.median(bare):>9,.0f} games a CPU second")
    print(f"into Parquet             {GAMES / np.median(written):>9,.0f} games a CPU second: {100 * share:.0f} % of unlogged (asked: 70 %)")
    print(f"outside the engine       {1e6 * np.median(np.array(written) - np.array(bare)) / GAMES:>9.1f} µs a game")
    print(f"two threads against one  {np.median(np.array(by_two) / np.array(written)):>9.2f} x the processor time")
    for backend in ("threads", "processes"):
        one, two = rate[1, backend], rate[2, backend]
        gain = np.median(np.array(walls[1, backend]) / np.array(walls[2, backend]))
        beyond = np.median((np.array(walls[1, backend]) - fixed) / (np.array(walls[2, backend]) - fixed))
        print(f"{backend:<10} 1 job, 2 jobs  {one:>9,.0f} and {two:,.0f} games/s: {gain:.2f} x (asked: 1.85 x), {beyond:.2f} x beyond what {FEW} games take")
    print(f"a run of {FEW} games        {np.median(fixed):>9.2f} s")
    print(f"two that know nothing of each other: {np.median(apart):.2f} x one")
    print(f"bytes a game             {size:>9,.0f}")
    print(f"load of the machine      {os.getloadavg()[0]:>9.1f} on {os.cpu_count()} cores (above 2 other work was going on)")
    if "--memory" in sys.argv:
        few, many = peak(10_000), peak(1_000_000)
        print(f"peak memory              {few:>9,.0f} MB for 10,000 games, {many:,.0f} MB for 1,000,000")


if __name__ == "__main__":
    main()
