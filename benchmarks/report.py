"""How large a page is and how long it takes: `make bench`, or `python benchmarks/report.py RUN` for a run that has been analysed.

Without a run it plays and analyses 20,000 games first. Prints the seconds of each step, and the bytes of each part of the page.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
GAMES = 20_000


def timed(what: str, began: float) -> float:
    now = time.monotonic()
    print(f"{what:<42}{now - began:8.2f} s")
    return now


def a_run(place: str) -> str:
    """A run as `terrors balance` makes it, but smaller."""
    from terrors.analysis.analyze import analyze
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import simulate
    from terrors.simulator.runs.storage import open_folder

    folder = f"{place}/run"
    simulate(Plan(games=GAMES, strategies=("greedy", "control", "tuned"), pairing="mirror", deny_lottery=0.1), folder)
    analyze([folder]).write(open_folder(f"{folder}/analysis"))
    return folder


def measure(address: str) -> None:
    began = time.monotonic()
    from terrors.reports.charts.all_charts import all_charts
    from terrors.reports.charts.render import drawn
    from terrors.reports.inputs import read_material
    from terrors.reports.page.build import MOST_GAMES, read_chances
    from terrors.reports.page.page import page, script, style
    from terrors.reports.page.replays import gallery
    from terrors.reports.page.sections import told_findings
    from terrors.simulator.runs.run import Run

    at = timed("imports", began)
    run = Run.open(address)
    material = read_material(run.folder)
    at = timed("reading the analysis", at)
    found = gallery(run, told_findings(material), MOST_GAMES, read_chances(run))
    at = timed(f"choosing and replaying {len(found.shown)} games", at)
    charts = all_charts(material)
    ready = {name: drawn(chart)[0] for name, chart in charts.items()}
    at = timed(f"{len(charts)} figures as PNG, and as SVG, wide and narrow", at)
    text = page(material, found, ready, run.info)
    timed("rendering the page", at)
    timed("all of it", began)
    parts = {
        "the page (at most 3,000,000)": len(text.encode()),
        "drawings": sum(len(one) for one in re.findall(r"<svg.*?</svg>", text, re.DOTALL)),
        "games": len(re.search(r'id="replays">(.*?)</script>', text, re.DOTALL).group(1).encode()) if found.shown else 0,  # type: ignore[union-attr]
        "scripts (at most 30,000)": len(script().encode()),
        "style sheet": len(style().encode()),
    }
    for what, size in parts.items():
        print(f"{what:<42}{size:>10,} bytes")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as place:
            measure(a_run(place))
