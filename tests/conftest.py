"""What the tests share: the two card sets as boxes, and ways to watch many games closely."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.kernel.seeds import game_seeds
from terrors.simulator.play.box import Box, Interventions, make_box
from terrors.simulator.play.match import Match, pairs_of_games
from terrors.simulator.rules import entry_points
from terrors.simulator.terms.ruleset import Rules
from tests.support.builds import Builder, Builds, command

TESTS = Path(__file__).parent
ROOT = TESTS.parent
ROOMS = ("simulator", "strategies", "analysis", "reports", "terrors")
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
        entry_points.drive(self.game, self.box.record, self.options, entry_points.BEGIN, 0, np.uint64(seed), *self.overlords, 0, 0)
        return self.game

    def apply(self, index: int) -> Any:
        entry_points.drive(self.game, self.box.record, self.options, entry_points.APPLY, index, np.uint64(0), 0, 0, 0, 0)
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
    done = subprocess.run(command(code), cwd=root, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


# What is compiled before the tests: begun by the process that hands them out (pytest-xdist) or plays them all, known to the others by its folder.
BUILDS = pytest.StashKey[Builds]()
FOLDER = "TERRORS_TEST_BUILDS"


def begin_builds(config: pytest.Config) -> None:
    config.stash[BUILDS] = Builder(Path(tempfile.mkdtemp(prefix="terrors-tests-")))


def pytest_sessionstart(session):
    config = session.config
    if hasattr(config, "workerinput"):
        config.stash[BUILDS] = Builds(Path(os.environ[FOLDER]))
    elif getattr(config.option, "dist", "no") != "no":
        begin_builds(config)
        os.environ[FOLDER] = str(config.stash[BUILDS].folder)


def pytest_collection_finish(session):
    """In a single process: only if a test is going to ask for it."""
    config = session.config
    if BUILDS not in config.stash and not config.option.collectonly and any("checked_build" in getattr(item, "fixturenames", ()) for item in session.items):
        begin_builds(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Whoever plays tests waits until everything is compiled, so that nothing is compiled twice."""
    builds = session.config.stash.get(BUILDS, None)
    if builds is not None and getattr(session.config.option, "dist", "no") == "no":
        builds.wait_for("all")  # if it failed, the tests will tell


# Files that take long, the longest first: begun at last, one process would still be at them when the other has nothing left to do.
LONG = ("differential", "runs", "cli_balance", "strategies", "page", "docs_pages", "analysis_mishaps", "run_mishaps", "engine", "jit", "transcript", "browser")


def pytest_collection_modifyitems(items):
    order = {f"test_{name}.py": place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path.name, len(LONG)))


def pytest_terminal_summary(terminalreporter):
    """Say where the time went, and loudly what was left out."""
    files: dict[str, float] = {}
    for report in [report for found in terminalreporter.stats.values() for report in found if isinstance(report, pytest.TestReport)]:
        name = Path(report.location[0]).stem.removeprefix("test_")
        files[name] = files.get(name, 0.0) + report.duration
    if len(files) > 1:
        listed = sorted(((seconds, name) for name, seconds in files.items() if seconds >= 3), reverse=True)
        rest = sum(files.values()) - sum(seconds for seconds, _ in listed)
        terminalreporter.section("seconds by file")
        terminalreporter.write_line(", ".join(f"{name} {seconds:.0f}" for seconds, name in listed) + f"; all others {rest:.0f}")
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)}
    for reason in sorted(reason.removeprefix("Skipped: ") for reason in reasons if "LEFT OUT" in reason):
        terminalreporter.write_line(reason, red=True, bold=True)


def pytest_sessionfinish(session):
    builds = session.config.stash.get(BUILDS, None)
    if isinstance(builds, Builder):
        builds.stop()


@pytest.fixture(scope="session")
def checked_build(request) -> Builds:
    return request.config.stash[BUILDS]
