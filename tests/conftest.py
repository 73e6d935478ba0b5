"""What the tests share: the two card sets as boxes, and ways to watch many games closely."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator import batch, layout
from simulator.box import Box, Interventions, make_box
from simulator.cards import CardSet, load_cards
from simulator.layout import record
from simulator.matches import game_seeds, pairs_of_games
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
    game, options = record(layout.GAME), record(layout.OPTIONS_RECORD)
    given = first.compiled, second.compiled, first.work(box), second.work(box)
    rows = rows.view(np.recarray)
    for i in range(len(rows)):
        assert batch.play_games(rows[i : i + 1], game, box.record, options, *given) == 1
        yield game


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
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=root, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@dataclass
class Build:
    """A copy of the project with a cache of its own, compiled with bounds checks."""

    root: Path
    cache: Path
    first: subprocess.CompletedProcess[str] | None = None  # the games that it was compiled for

    def run(self, code: str) -> subprocess.CompletedProcess[str]:
        return python(code, self.root, TERRORS_BOUNDSCHECK="1", TERRORS_CACHE=str(self.cache))


@pytest.fixture(scope="session")
def checked_build(tmp_path_factory) -> Build:
    """Compiled once, which takes its time: by the games that test_engine asks for. test_jit then edits a rule in it."""
    root = tmp_path_factory.mktemp("checked")
    for folder in ("simulator", "strategies", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "cards.csv", root)
    build = Build(root, tmp_path_factory.mktemp("cache"))
    build.first = build.run("from tests.test_engine import play_checked; play_checked()")
    return build
