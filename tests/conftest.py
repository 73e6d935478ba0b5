"""What the tests share: the two card sets as boxes, and ways to watch many games closely."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator import batch, layout
from simulator.box import Box, Interventions, make_box
from simulator.cards import CardSet, load_cards
from simulator.layout import record
from simulator.matches import Match, game_seeds, pairs_of_games
from simulator.ruleset import Rules

TESTS = Path(__file__).parent
ROOT = TESTS.parent
ROOMS = ("simulator", "strategies", "analysis", "reports")
FROZEN = TESTS / "data" / "cards.csv"  # a balance edit of cards.csv must not break the test of a rule


@pytest.fixture(scope="session")
def frozen_cards() -> CardSet:
    return load_cards(FROZEN)


@pytest.fixture(scope="session")
def reference_cards() -> CardSet:
    return load_cards(ROOT / "cards.csv")


@pytest.fixture(scope="session")
def frozen_box(frozen_cards) -> Box:
    """Not for tables set by hand: those put more cards into their box."""
    return make_box(frozen_cards)


@pytest.fixture(scope="session")
def reference_box(reference_cards) -> Box:
    return make_box(reference_cards)


def all_match_ups(box: Box) -> list[tuple[int, int]]:
    """Each two overlords that can meet, once; as kinds."""
    overlords = [(box.kind(card.name), card.faction) for card in box.cards.overlords]
    return [(a, b) for i, (a, of_a) in enumerate(overlords) for b, of_b in overlords[i + 1 :] if of_a != of_b or box.rules.mirror]


def all_pairs(box: Box, pairs: int, seed: int) -> np.ndarray:
    """Rows for that many pairs of games of each match-up."""
    return pairs_of_games(box, all_match_ups(box), pairs, seed)


def play_each(box: Box, rows: np.ndarray, first: Any, second: Any) -> Iterator[Any]:
    """Play the games of the rows one by one; the record of each when it is over (the same one each time)."""
    match = Match(box, first, second)
    for i in range(len(rows)):
        assert match.play(rows[i : i + 1]) == 1
        yield match.game


class Dealer:
    """Deals opening tables, one after the other, into one record."""

    def __init__(self, box: Box, first: str = "Fenris", second: str = "Azazael"):
        self.box = box
        self.game, self.options = record(layout.GAME), record(layout.OPTIONS_RECORD)
        self.overlords = box.kind(first), box.kind(second)

    def deal(self, seed: int) -> Any:
        """A new table: dealt, if the rules leave no Influence card to be chosen."""
        batch.drive(self.game, self.box.record, self.options, batch.BEGIN, 0, np.uint64(seed), *self.overlords, 0, 0)
        return self.game

    def apply(self, index: int) -> Any:
        batch.drive(self.game, self.box.record, self.options, batch.APPLY, index, np.uint64(0), 0, 0, 0, 0)
        return self.game


def dealer(cards: CardSet, interventions: Interventions | None = None, **rules: Any) -> Dealer:
    """A dealer who need not ask for Influence cards."""
    return Dealer(make_box(cards, Rules(**{"influences": 0, **rules}), interventions))


def cards_in(pile: Any) -> np.ndarray:
    """The instances in a pile, the bottom first."""
    return pile["card"][: pile["n"]].astype(int)


def market_order(game: Any) -> np.ndarray:
    """The Street and the Market below it, as one pile with the top first."""
    return np.concatenate([game["street"]["card"][: game["street_n"]].astype(int), cards_in(game["market"])[::-1]])


def deck_order(player: Any) -> np.ndarray:
    """The hand and the deck below it, the card that was drawn first at the beginning."""
    return np.concatenate([cards_in(player["hand"]), cards_in(player["deck"])[::-1]])


def owned_by(player: Any) -> np.ndarray:
    """All cards that a player has, those that left the game included."""
    in_play = player["play"]["card"][: player["slots"]]
    return np.concatenate([cards_in(player[zone]) for zone in ("hand", "deck", "discard", "removed")] + [in_play[in_play >= 0].astype(int)])


def all_cards(game: Any) -> np.ndarray:
    """Every card in the game."""
    table = market_order(game), cards_in(game["acolytes"]), cards_in(game["removed"])
    return np.concatenate([owned_by(game["player"][0]), owned_by(game["player"][1]), *table])


def seeds(n: int, run: int = 1) -> list[int]:
    return [int(seed) for seed in game_seeds(run, np.arange(n))]


def python(code: str, root: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in a process of its own, in that checkout; warnings are errors there too."""
    done = subprocess.run(_command(code), cwd=root, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def _command(code: str) -> list[str]:
    return [sys.executable, "-W", "error", "-c", code]


# Hits an overlord of 30 Health with 3 Power and prints the Health that is left.
ATTACK = """
from simulator.box import make_box
from simulator.cards import load_cards
from simulator.table import lay_table
game, _ = lay_table(make_box(load_cards()), {"you": {"pool": {"power": 3}}, "opponent": {"overlord": "Fenris", "health": 30}})
game.apply("attack")
print(game.record.player[1].health)
"""


class CheckedBuild:
    """What takes long to compile: a copy of the project with bounds checks, once more with one rule edited, and the strategies that look ahead.

    It needs nothing of the tests, so it is begun before the first of them, beside them, and waited for at last: `build["compiled"]` is the process that
    compiled the copy and played the games of tests/test_engine.py, `"again"` the next one with that cache, `"edited"` the one with the edited rule,
    `"restored"` the one with the rule as it was; `"looker"` has compiled the rules into the look-ahead, in the project's own cache.
    """

    def __init__(self, folder: Path):
        self.root, self.cache = folder / "copy", folder / "cache"
        self._done: dict[str, subprocess.CompletedProcess[str]] = {}
        self._ready = {step: threading.Event() for step in ("compiled", "again", "edited", "restored", "looker")}
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False
        for name in ("simulator", "strategies", "tests"):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "cards.csv", self.root)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        rules = self.root / "simulator" / "rules.py"
        text = rules.read_text(encoding="utf-8")
        self._run("compiled", "from tests.test_engine import play_checked; play_checked()")
        self._run("again", ATTACK)
        rules.write_text(text.replace("    p.health -= amount\n", "    p.health -= 2 * amount\n"), encoding="utf-8")
        self._run("edited", ATTACK)
        rules.write_text(text, encoding="utf-8")
        self._run("restored", ATTACK)
        self._run("looker", "from strategies import find; find('planner').compiled", root=ROOT)

    def _run(self, step: str, code: str, root: Path | None = None) -> None:
        if not self._stopped:
            environment = os.environ | ({} if root else {"TERRORS_BOUNDSCHECK": "1", "TERRORS_CACHE": str(self.cache)})
            self._process = subprocess.Popen(_command(code), cwd=root or self.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            out, error = self._process.communicate()
            self._done[step] = subprocess.CompletedProcess(code, self._process.returncode, out, error)
        self._ready[step].set()

    def __getitem__(self, step: str) -> subprocess.CompletedProcess[str]:
        self._ready[step].wait()
        assert self._done[step].returncode == 0, self._done[step].stderr
        return self._done[step]

    def stop(self) -> None:
        self._stopped = True
        if self._process is not None:
            self._process.kill()
        self._thread.join()


CHECKED_BUILD = pytest.StashKey[CheckedBuild]()


def looks_ahead(item: pytest.Item) -> bool:
    """Whether a test plays with planner or sage, which are compiled beside the other tests."""
    return item.get_closest_marker("looks_ahead") is not None or any(f"[{name}" in item.name or f"{name}]" in item.name for name in ("planner", "sage"))


def pytest_collection_modifyitems(items):
    """Tests that need what is compiled beside them come last."""
    items.sort(key=looks_ahead)


def pytest_runtest_setup(item):
    build = item.config.stash.get(CHECKED_BUILD, None)
    if build is not None and looks_ahead(item):
        build["looker"]


def pytest_collection_finish(session):
    """Begin what takes long, if a test is going to ask for it."""
    if not session.config.option.collectonly and any("checked_build" in getattr(item, "fixturenames", ()) for item in session.items):
        session.config.stash[CHECKED_BUILD] = CheckedBuild(Path(tempfile.mkdtemp(prefix="terrors-tests-")))


def pytest_terminal_summary(terminalreporter):
    """Say loudly what was left out."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)}
    for reason in sorted(reason.removeprefix("Skipped: ") for reason in reasons if "LEFT OUT" in reason):
        terminalreporter.write_line(reason, red=True, bold=True)


def pytest_sessionfinish(session):
    build = session.config.stash.get(CHECKED_BUILD, None)
    if build is not None:
        build.stop()
        shutil.rmtree(build.root.parent, ignore_errors=True)


@pytest.fixture(scope="session")
def checked_build(request) -> CheckedBuild:
    return request.config.stash[CHECKED_BUILD]
