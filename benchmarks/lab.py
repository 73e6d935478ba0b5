"""How soon the lab answers: `make bench`, or `python benchmarks/lab.py`. Needs Chromium.

Fifty edits, one after the other, in a real browser with a real server: from the keystroke to the first interval in the page, and to ±1 on all overlords.
Prints the times, and which share of the edits came within 1 s and within 5 s. Two cores that do nothing else are what these figures are for.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
EDITS, FIRST, SHARP = 50, 1.0, 5.0
# In the page, so that no question of the driver's adds to the time: the moments at which an edit was made, its first interval seen, and its answer sharp.
WATCH = """
window.seen = {};
new MutationObserver(() => {
  const now = document.documentElement.dataset;
  if (now.edits !== location.hash || !location.hash) return;
  window.seen.first ??= performance.now();
  if (Number(now.widest) <= 1) window.seen.sharp ??= performance.now();
}).observe(document.documentElement, { attributes: true });
window.edit = (card, column, value) => {
  const row = [...document.querySelectorAll('.row')].find(one => one.dataset.card === card);
  const field = row.querySelector(`[data-column=${column}]`);
  delete document.documentElement.dataset.edits;
  window.seen = { made: performance.now() };
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
};
"""


def moves(cards: Any, luck: random.Random) -> list[tuple[str, str, str]]:
    """Edits as designers make them: a cost, a count of copies or Health, one or two up or down."""
    found = []
    while len(found) < EDITS:
        card = luck.choice(cards.cards)
        column = luck.choice([name for name in ("cost", "copies", "health") if getattr(card, name) is not None])
        value = getattr(card, column) + luck.choice((-2, -1, 1, 2))
        if value >= 1 and card.pile.name in ("MARKET", "OVERLORD") and (column == "health") == (card.pile.name == "OVERLORD"):
            found.append((card.name, column, str(value)))
    return found


def measure() -> None:
    from terrors.simulator.cards.card_set import load_cards
    from tests.support.browser import NOWHERE, opened_chromium
    from tests.support.labs import RunningLab

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "cards.csv"
        shutil.copy(ROOT / "cards.csv", file)
        began = time.monotonic()
        lab = RunningLab(file, "--pilot", "tuned")
        try:
            with opened_chromium(f"{NOWHERE}, EXCLUDE 127.0.0.1") as driver:
                driver.get(lab.address)
                wait(driver, "document.documentElement.dataset.widest <= 1")
                print(f"from the command to the set as opened, known to ±1: {time.monotonic() - began:.1f} s")
                driver.execute_script(WATCH)
                times = [edit_once(driver, *move) for move in moves(load_cards(file), random.Random(1))]
        finally:
            lab.end()
    for what, limit, values in (("first interval", FIRST, [first for first, _ in times]), ("±1 on all overlords", SHARP, [sharp for _, sharp in times])):
        values.sort()
        within = 100 * sum(value <= limit for value in values) / len(values)
        middle, late = values[len(values) // 2], values[int(0.95 * len(values))]
        print(f"{what:<22} median {middle:5.2f} s, 95 % {late:5.2f} s, slowest {values[-1]:5.2f} s; within {limit:g} s: {within:.0f} %")


def wait(driver: Any, condition: str) -> Any:
    for _ in range(3000):
        if found := driver.execute_script(f"return {condition}"):
            return found
        time.sleep(0.02)
    raise SystemExit(f"it never came to {condition}")


def edit_once(driver: Any, card: str, column: str, value: str) -> tuple[float, float]:
    """Make one edit, and return the seconds to its first interval and to ±1; then it is taken back."""
    driver.execute_script("window.edit(...arguments)", card, column, value)
    seen = wait(driver, "window.seen.sharp && window.seen")
    driver.execute_script("document.getElementById('undo').click()")
    first, sharp = ((seen[name] - seen["made"]) / 1000 for name in ("first", "sharp"))
    print(f"{card}.{column}={value}: {first:.2f} s, {sharp:.2f} s", file=sys.stderr)
    return first, sharp


if __name__ == "__main__":
    measure()
