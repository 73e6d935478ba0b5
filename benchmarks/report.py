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
    from analysis.analyze import analyze
    from simulator.folder import open_folder
    from simulator.plan import Plan
    from simulator.run import simulate

    folder = f"{place}/run"
    simulate(Plan(games=GAMES, strategies=("greedy", "control", "tuned"), pairing="mirror", deny_lottery=0.1), folder)
    analyze([folder]).write(open_folder(f"{folder}/analysis"))
    return folder


def measure(address: str) -> None:
    began = time.monotonic()
    from reports.charts import all_charts
    from reports.drawing import png
    from reports.html import drawn, page, script, style
    from reports.material import read_material
    from reports.sections import told_findings
    from reports.viewer import gallery
    from reports.write import MOST_GAMES, read_chances
    from simulator.run import Run

    at = timed("imports", began)
    run = Run.open(address)
    material = read_material(run.folder)
    at = timed("reading the analysis", at)
    found = gallery(run, told_findings(material), MOST_GAMES, read_chances(run))
    at = timed(f"choosing and replaying {len(found.shown)} games", at)
    charts = all_charts(material)
    for chart in charts.values():
        png(chart)
    at = timed(f"{len(charts)} figures as PNG", at)
    ready = {name: drawn(chart) for name, chart in charts.items()}
    at = timed("the same as SVG, wide and narrow", at)
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
