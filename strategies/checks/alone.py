"""The process in which a strategy of one's own is tried out (formats/tried_out.py says why), and the check of a file by itself."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.engine import entry_points
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies.checks.contract import Report, check_strategy
from terrors.strategies.formats.known import note_passed
from terrors.strategies.formats.registry import StrategyError, find, raised
from terrors.strategies.formats.tried_out import REMEDY, Watch


def check_alone(path: Path, box: Box, games: int) -> Report:
    """Return what the check of a file finds, which plays by itself. StrategyError if it never answers, or ends the process."""
    data = path.read_bytes()
    report = Report(**Watch(path).report({"path": str(path), "games": games, "cards": box.cards.to_csv(), "rules": box.rules.changed()}))
    if not report.problems:
        note_passed(data)
    return report


def main() -> None:
    """Do what the order on stdin says, and tell on stdout what is being done; what the strategy prints goes nowhere."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order = json.load(sys.stdin)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (order["memory"] if most < 0 else min(order["memory"], most), most))
    words = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    place = ""

    def tell(step: str, where: str) -> None:
        nonlocal place
        place = where
        os.write(words, json.dumps({"step": step, "place": where}).encode() + b"\n")

    path = Path(order["path"])
    try:
        said: dict[str, Any] = {"report": asdict(_check(path, order, tell))}
    except StrategyError as error:
        said = {"refused": str(error)}
    except BaseException as error:  # such as KeyboardInterrupt, which nobody has pressed here
        said = {"refused": f"{path}: {place}, it raised {raised(error, path)}; {REMEDY}."}
    os.write(words, json.dumps(said).encode() + b"\n")
    os._exit(0)  # whatever it has begun ends here


def _check(path: Path, order: dict[str, Any], tell: Callable[[str, str], None]) -> Report:
    """Return what the check finds."""
    box = make_box(load_cards()) if "cards" not in order else _box(order["cards"], order["rules"])
    tell("importing", "while it was imported")
    plan = find(str(path), watched=False)
    tell("compiling", "while it was compiled")
    plan.compiled  # noqa: B018
    find("random").compiled  # noqa: B018
    entry_points.drive.prepare()
    tell("preparing", "in prepare")
    plan.work(box)
    step = "answering slowly" if plan.slow else "answering"
    return check_strategy(plan, box, games=1 if plan.slow else order["games"], tell=lambda where: tell(step, where))


def _box(cards: str, rules: dict[str, Any]) -> Box:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cards.csv"
        file.write_text(cards, encoding="utf-8")
        return make_box(load_cards(file), Rules(**rules))
