"""Positions of very many games, and who won: what the value of a position is learnt from.

The games are played by `tuned` with numbers that are a little off, other ones for each few hundred games, and with a random move now and then; so decks and
mistakes of all sorts are seen. Each player notes the beginning of its own turns (kit/notes.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrors.simulator.kernel import layout, work_layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import numbered
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import Match, MatchRecords, Playable
from terrors.strategies.formats.noting import noter
from terrors.strategies.formats.numbers import Numbers, fill, numbers_of, vector_of

GAMES_AT_A_TIME = 96  # the notebook of a player holds their turns
FACTS = ("health", "start_health", "armor", "tokens", "hand", "deck", "overlord", "cycle", "staying", "relics")


@dataclass
class Positions:
    """Positions at the beginning of turns: arrays with a row each. Side 0 is to move."""

    facts: np.ndarray  # int16, by side and FACTS
    cards: np.ndarray  # uint8 (uint16 for large sets), by side: kinds of what goes round, then of what stays in play, then of relics
    street: np.ndarray  # kinds; 255 (65535) where there is none
    turn: np.ndarray
    won: np.ndarray  # by the side to move: 1, 0, or 0.5 for a draw
    game: np.ndarray  # uint64: its seed; positions of one game follow each other in the order of turns

    def __len__(self) -> int:
        return len(self.turn)

    def some(self, which: Any) -> Positions:
        """Return some of the positions."""
        return Positions(*(getattr(self, name)[which] for name in FIELDS))


FIELDS = tuple(Positions.__dataclass_fields__)


def joined(parts: Sequence[Positions]) -> Positions:
    """Return the positions of all parts as one."""
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))


def positions_of(notes: np.ndarray, rows: np.ndarray, kinds: int) -> Positions:
    """Return the notes on finished games (rows) as positions."""
    notes = notes[np.lexsort((notes["turn"], notes["seed"]))]
    order = np.argsort(rows["seed"])
    winner = rows["winner"][order][np.searchsorted(rows["seed"][order], notes["seed"])]
    small = np.uint8 if kinds < 255 else np.uint16
    sides = np.stack([notes["active"], 1 - notes["active"]], 1).astype(int)
    side = np.take_along_axis(notes["side"], sides, 1)
    street = np.where(np.arange(layout.STREET) < notes["street_n"][:, None], notes["street"], np.iinfo(small).max)
    won = np.where(winner == 2, 0.5, winner == notes["active"]).astype(np.float32)
    facts = np.stack([side[name] for name in FACTS], 2)
    return Positions(facts, side["card"].astype(small), street.astype(small), notes["turn"].astype(np.int16), won, notes["seed"].copy())


class Notebook:
    """The work area of a player that notes what it sees."""

    name: str
    area: Any

    def work(self, box: Box) -> Any:
        """Return the one work area."""
        return self.area

    def take_notes(self) -> np.ndarray:
        """Return what was noted since the last time."""
        notes = self.area.notes
        found = np.asarray(notes.note)[: notes.n].copy()
        notes.n = 0
        return found


class Noter(Notebook):
    """A player that notes what it sees, by numbers that can be changed between games."""

    name = "noter"

    def __init__(self, box: Box, numbers: dict[str, Numbers], whim: float) -> None:
        """Make a work area of its own."""
        self.area, self.box = record(work_layout.WORK), box
        self.numbers = {name: vector_of(of) for name, of in numbers.items()}
        self.area.notes.on, self.area.notes.whim = 1, whim

    @property
    def compiled(self) -> Any:
        """The function that notes and plays."""
        return noter.compiled

    def stray(self, luck: np.random.Generator, spread: float) -> None:
        """Play from now on by numbers that are off by about so much."""
        fill({name: numbers_of(vector + spread * luck.standard_normal(len(vector))) for name, vector in self.numbers.items()}, self.box.record, self.area)


def random_meetings(box: Box, n: int, luck: int) -> np.ndarray:
    """Return rows of games, each with its own luck, of overlords that may meet."""
    kinds = [box.kind(card.name) for card in box.cards.overlords]
    meetings = [(a, b) for a in kinds for b in kinds if a != b and box.may_meet(a, b)]
    rows = np.zeros(n, layout.RESULT)
    rows["seed"] = numbered(luck, np.arange(n))
    chosen = np.array(meetings)[np.arange(n) % len(meetings)]
    rows["first"], rows["second"] = chosen[:, 0], chosen[:, 1]
    return rows


class NotingPilot(Notebook):
    """A player whose positions are noted as it plays."""

    def __init__(self, player: Playable, box: Box, whim: float) -> None:
        """Take a player that notes when it is told to (formats/lookahead.py, formats/expert.py)."""
        self.name, self.compiled, self.area = player.name, player.compiled, player.work(box)
        self.area.notes.on, self.area.notes.whim = 1, whim

    def stray(self, luck: np.random.Generator, spread: float) -> None:
        """Play as ever."""


def note_games(box: Box, one: Noter | NotingPilot, two: Noter | NotingPilot, games: int, seed: int, spread: float = 0.5) -> Positions:
    """Let two players play about so many games and return the positions of them."""
    match, luck, found = Match(box, one, two, MatchRecords()), np.random.default_rng(key_of(f"noting {seed}", 0)), []
    for part in range(max(1, games // GAMES_AT_A_TIME)):
        for player in (one, two):
            player.stray(luck, spread * luck.integers(0, 3) / 2)
        rows = match.play_all(random_meetings(box, GAMES_AT_A_TIME, key_of(f"noted games {seed}", part)))
        notes = np.concatenate([one.take_notes(), two.take_notes()])
        found.append(positions_of(notes, rows, int(box.record.kinds)))
    return joined(found)


def play_and_note(box: Box, numbers: dict[str, Numbers], games: int, seed: int, whim: float = 0.03, spread: float = 0.5) -> Positions:
    """Play about so many games by numbers and return the positions of them."""
    one, two = (Noter(box, numbers, whim) for _ in range(2))
    return note_games(box, one, two, games, seed, spread)
