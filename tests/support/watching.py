"""Ways to deal tables and to watch many games closely."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.engine import entry_points
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.play.box import Box, Interventions, make_box
from terrors.simulator.play.match import Match, game_seeds, pairs_of_games
from terrors.simulator.terms.ruleset import Rules
from tests.support.builds import command
from tests.support.places import ROOT


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
