"""Errands: questions that take their time (what every number does, what one card is worth, the report), told of while they go on, dropped when nobody listens.

They are the functions of the commands, with the set of the page.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from terrors.analysis.contract.findings_schema import FAIR, UNDECIDED
from terrors.analysis.numbers.study import NumberStudy, study_numbers
from terrors.analysis.numbers.suggest import Advice, Suggestion, suggest
from terrors.analysis.numbers.wishes import Wanted, why_kept
from terrors.analysis.trials.one_card import CardPage, card_page
from terrors.analysis.trials.one_overlord import overlord_page
from terrors.lab.sheet import EditError
from terrors.reports.format import plain, points, share
from terrors.reports.page.grids import state
from terrors.simulator.cards.card import cells_of
from terrors.simulator.cards.card_numbers import CELLS, numbers_of
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.runs.job import Job
from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.ruleset import Rules

Tell = Callable[[str], None]
Work = Callable[[Tell], dict[str, Any]]
SORTS = (*CELLS, "amounts")  # numbers that can be edited in the sheet
CARD_DEALS, FORK_DEALS = 12_000, 2_000
MOST_WAITING = 50


class ErrandDesk:
    """Errands that wait to be listened to, and how many are under way."""

    def __init__(self) -> None:
        """Begin with none."""
        self.waiting: dict[str, Work] = {}
        self.running = 0

    def take(self, work: Work) -> str:
        """Keep an errand; return the number under which it is listened to, and then done."""
        number = secrets.token_urlsafe(12)
        self.waiting[number] = work
        while len(self.waiting) > MOST_WAITING:
            del self.waiting[next(iter(self.waiting))]
        return number

    async def listen(self, work: Work) -> AsyncIterator[dict[str, Any]]:
        """Do an errand; yield what it tells, and at last its result. If nobody listens any more, it is interrupted as by Ctrl+C."""
        loop, events, left = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]](), threading.Event()

        def put(event: dict[str, Any]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(events.put_nowait, event)

        def tell(text: str) -> None:
            if left.is_set():
                raise KeyboardInterrupt
            put({"told": text})

        threading.Thread(target=self._run, args=(work, tell, put), daemon=True, name="errand").start()
        try:
            while True:
                event = await events.get()
                yield event
                if "told" not in event:
                    return
        finally:
            left.set()

    def _run(self, work: Work, tell: Tell, put: Callable[[dict[str, Any]], None]) -> None:
        self.running += 1
        try:
            put({"result": work(tell)})
        except WordedError as error:
            put({"error": str(error)})
        except KeyboardInterrupt:
            put({"error": "Stopped."})
        except Exception as error:  # whoever waits must be told
            put({"error": f"This went wrong: {type(error).__name__}: {error}"})
        finally:
            self.running -= 1


# What every number does


def numbers_data(job: Job, games: int, jobs: int, tell: Tell) -> dict[str, Any]:
    """Play the number lottery, and return what each step of each number does to each gauge."""
    found = study_numbers(job, games, jobs, SORTS, None, tell)
    return {"games": found.effects.games, "pilot": found.pilot, "gauges": [gauge.name for gauge in found.effects.gauges], "rows": _number_rows(found)}


def _number_rows(found: NumberStudy) -> list[dict[str, Any]]:
    """Return a row a number and gauge whose effect is certain, with the change that makes it and the one that does the opposite."""
    known = {number.name: number for number in found.effects.numbers}
    rows = []
    for row in found.rows():
        if row["p"] is None or not row["p"] < 0.05:
            continue
        number, steps = known[row["where"]], []
        for sign, effect in ((1, row["effect"]), (-1, row["down"] if row["down"] is not None else -row["effect"])):
            value = number.value + sign * number.step
            if number.low <= value <= number.high:
                steps.append({"set": number.to(value), "move": number.said(value), "effect": effect})
        rows.append({"where": row["where"], "card": row["card"], "of": row["of"], "effect": row["effect"], "low": row["low"], "high": row["high"],
                     "text": points(row["effect"], row["low"], row["high"]), "steps": steps})  # fmt: skip
    return rows


def changed_cells(cards: CardSet, texts: Sequence[str]) -> list[list[str]]:
    """Return changes as `--set` takes them (`Ghoul.abilities[DRAW 1]=2`) as edits of cells: [card, column, text]."""
    known = [number.name for number in numbers_of(cards, Rules())]
    if not all(any(text.startswith(f"{name}=") for name in known) for text in texts):
        raise EditError("this is no number of the set as it is edited now; play the lottery again.")
    pairs = [(one.name, cells_of(one), cells_of(two)) for one, two in zip(cards, cards.replace(texts), strict=True)]
    return [[name, column, after[column]] for name, before, after in pairs for column in before if before[column] != after[column]]


def advice_data(job: Job, wanted: Wanted, games: int, jobs: int, tell: Tell) -> dict[str, Any]:
    """Look for the smallest patch that makes the set fair, as `terrors suggest` does, and return what was found."""
    found = suggest(job, wanted, games, jobs, None, tell)
    return {
        "needed": found.needed, "within": any(one.fair and not one.beyond for one in found.suggestions),
        "games": found.games, "pilot": found.pilot, "open": found.base.open, "off": _off(found.base),
        "suggestions": [_suggestion(found, one) for one in found.suggestions],
    }  # fmt: skip


def _off(base: Suggestion) -> list[str]:
    return [name for name, verdict in zip(base.gauges, base.states, strict=True) if verdict not in (FAIR, UNDECIDED)]


def _suggestion(found: Advice, one: Suggestion) -> dict[str, Any]:
    """Return a patch for the page: its edits, and what the sealed deals say of everything that was off or is."""
    rows = [row | {"text": share(row["measured"], row["low"], row["high"]), "was": plain(float(found.base.measured[i]), 0), "state": state(row["verdict"])}
            for i, row in enumerate(one.as_data()["gauges"]) if found.base.states[i] != FAIR or one.states[i] != FAIR]  # fmt: skip
    edits = [{"words": number.said(value), "set": number.to(value), "rule": not number.card, "kept": why_kept(number) if number in one.beyond else ""}
             for number, value in one.edits]  # fmt: skip
    return {"edits": edits, "fair": one.fair, "beyond": bool(one.beyond), "open": one.open, "rows": rows}


# One card


def card_value(job: Job, card: str, margin: float, jobs: int, tell: Tell) -> dict[str, Any]:
    """Measure one card as `terrors card` does, with fewer deals, and return it in texts."""
    page = card_page(job, card, margin, CARD_DEALS, FORK_DEALS, 0.0, jobs, tell)
    low, high = page.access.interval
    return {
        "card": page.card, "games": page.games, "state": state(page.state), "access": points(100 * page.access.mean, 100 * low, 100 * high),
        "by": _levels(page), "wanted": round(page.wanted),
    }  # fmt: skip


def overlord_value(job: Job, overlord: str, margin: float, jobs: int, tell: Tell) -> dict[str, Any]:
    """Measure one overlord as `terrors overlord` does, with fewer deals, and return it in texts."""
    page = overlord_page(job, overlord, margin, CARD_DEALS, 0.0, jobs, tell)
    titles = {"rival": "against {}", "seat": "when it goes {}", "strategy": "in the hands of {}"}
    rows = [[titles[part.by].format(part.level), share(part.rate, part.low, part.high)] for part in page.parts]
    return {"card": page.overlord, "games": page.games, "state": state(page.state), "wins": share(page.whole.rate, page.whole.low, page.whole.high), "by": rows}


def _levels(page: CardPage) -> list[list[str]]:
    """Return the value of access by overlord and seat, and of a purchase by turn, as rows of two texts."""
    rows = [[f"access, to {one.level}", points(one.value, one.low, one.high)] for one in page.by_overlord]
    rows += [[f"access, to the player who goes {one.level}", points(one.value, one.low, one.high)] for one in page.by_seat]
    words = {"all": "a purchase, against the next best thing", "turn": "a purchase, {} in the game", "overlord": "a purchase, by {}"}
    return rows + [[words[one.by].format(one.level), points(one.value, one.low, one.high)] for one in page.forks if one.by in words]


# The report


def report_page(cards: CardSet, rules: dict[str, Any], place: Path, tell: Tell) -> Path:
    """Let `terrors balance` play the set of the page, in a process of its own, and return the page that it wrote."""
    name = f"lab-{cards.sha256[:12]}"
    with tempfile.TemporaryDirectory(prefix="terrors-lab-") as temporary:
        file = Path(temporary) / "cards.csv"
        file.write_text(cards.to_csv(), encoding="utf-8")
        command = [sys.executable, "-c", "from terrors.cli.process import start; start()", "balance", "--cards", str(file)]
        command += ["--out", str(place / "runs" / name)] + [text for key, value in rules.items() for text in ("--rule", f"{key}={value}")]
        process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"})
        assert process.stderr is not None
        said = b""
        try:
            while piece := os.read(process.stderr.fileno(), 4096):
                said = (said + piece)[-4096:]
                tell(said.replace(b"\r", b"\n").decode(errors="replace").strip().rpartition("\n")[2])
            process.wait()
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)  # the same question goes on where it was stopped
                process.wait()
            process.stderr.close()
    page = place / "runs" / name / "report" / "index.html"
    if process.returncode or not page.is_file():
        raise EditError(said.decode(errors="replace").strip().rpartition("\n")[2] or "the report could not be made.")
    return page
