"""A game that one can hold in the hand: `Game`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.engine import entry_points
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.play.box import Box, Interventions, make_box
from terrors.simulator.play.names import SEATS, pile_names, play_words, pool_words, relic_names, street_names
from terrors.simulator.play.notation import find_option, option_texts, question_words
from terrors.simulator.terms.enums import DRAW, Action, CardType, Question, Status
from terrors.simulator.terms.errors import PlanError
from terrors.simulator.terms.ruleset import Rules
from terrors.simulator.terms.text import counted

WITH_AMOUNT = (Action.ATTACK, Action.HEAL, Action.CONVERT)


class Game:
    """One game of Terrors of London.

    >>> game = Game(load_cards(), first="Fenris", second="Azazael", seed=7)
    >>> game.legal_actions()[:2]
    ['choose Hunting Grounds', 'choose Blood Moon']

    Actions are texts in the notation of docs/SCENARIOS.md. `legal_actions()` lists what the asked player may do; for `attack`, `heal` and `convert`
    it lists the whole amount, and `apply("attack 3")` spends less.
    """

    def __init__(
        self,
        cards: CardSet | Box | None = None,
        first: str = "Fenris",
        second: str = "Azazael",
        seed: int = 0,
        rules: Rules | None = None,
        interventions: Interventions | None = None,
        first_influences: tuple[str, ...] = (),
        second_influences: tuple[str, ...] = (),
    ) -> None:
        """Set up a table, up to the first question (the choice of Influence cards, unless they are given)."""
        self.box = cards if isinstance(cards, Box) else make_box(cards or load_cards(), rules, interventions)
        self.record = record(layout.GAME)
        self._options: Any = None
        self._listed = True
        overlords = seat_overlords(self.box, first, second)
        chosen = [influence_bits(self.box, k, names) for k, names in zip(overlords, (first_influences, second_influences), strict=True)]
        self._drive(entry_points.BEGIN, 0, seed, *overlords, *chosen)

    @classmethod
    def of(cls, box: Box, game: Any) -> Game:
        """Return a game around a record that is already there, at its present question."""
        self = cls.__new__(cls)
        self.box, self.record, self._options, self._listed = box, game, None, False
        return self

    @property
    def options(self) -> Any:
        """The options of the present question, as the record that strategies see."""
        if self._options is None:
            self._options = record(layout.OPTIONS_RECORD)
        if not self._listed:
            self._drive(entry_points.REFRESH)
        return self._options

    def _drive(self, what: int, choice: int = 0, seed: int = 0, first: int = 0, second: int = 0, one: int = 0, two: int = 0) -> int:
        if self._options is None:
            self._options = record(layout.OPTIONS_RECORD)
        self._listed = True
        return int(entry_points.drive(self.record, self.box.record, self._options, what, choice, np.uint64(seed % 2**64), first, second, one, two))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return int(self.record.status) != Status.PLAYING  # as plain numbers: NumPy takes ten times as long to compare one with an Enum

    @property
    def winner(self) -> str | None:
        """The winner: `first`, `second` or `draw`; None while the game goes on."""
        if not self.over:
            return None
        return "draw" if self.record.winner == DRAW else SEATS[self.record.winner]

    @property
    def turn(self) -> int:
        """The number of the turn, both players counted; 0 during setup."""
        return int(self.record.turn)

    @property
    def active(self) -> str:
        """The seat whose turn it is: `first` or `second`."""
        return SEATS[self.record.active]

    @property
    def asked(self) -> str:
        """The seat that has to decide now: `first` or `second` (the rival answers to a CURSE)."""
        return SEATS[self.record.asked]

    @property
    def question(self) -> str:
        """The present question in words."""
        return "The game is over." if self.over else question_words(self.box, self.record)

    @property
    def is_action(self) -> bool:
        """Whether an action of the Action Phase is asked for, and not an answer in the middle of one."""
        return bool(self.record.question == Question.ACTION)

    def overlord(self, seat: int) -> str:
        """Return the name of the overlord of a seat (0 or 1)."""
        return self.box.names[self.record.player[seat].overlord]

    def legal_actions(self) -> list[str]:
        """Return the actions that the asked player may take now; empty only when the game is over."""
        return [] if self.over else option_texts(self.box, self.record, self.options)

    def apply(self, action: str) -> None:
        """Carry out an action and go on to the next question. NotationError if it is not legal."""
        index, spend = find_option(self.box, self.record, self.options, action)
        self.apply_index(index, spend)

    def apply_index(self, index: int, spend: int = 0, watch: Callable[[], None] | None = None) -> None:
        """Take the option with that number. `watch` is called after each thing that comes of it, in the order in which they happen."""
        options = self.options
        if not 0 <= index < options.n:
            raise IndexError(f"option {index}: there are {options.n}, counted from 0.")
        if int(options.at[index].action) in WITH_AMOUNT and not 0 <= spend <= options.at[index].amount:
            raise ValueError(f"amount {spend}: it goes from 1 to {options.at[index].amount}, and 0 is all.")
        options.spend = spend
        if watch is None:
            self._drive(entry_points.APPLY, index)
            return
        self._drive(entry_points.ANSWER, index)
        watch()
        asked = False
        while not asked:
            self._drive(entry_points.NEXT)
            watch()
            asked = self.over or int(self.record.question) != Question.NONE

    def planned(self, plan: np.ndarray, taken: int) -> tuple[int, int]:
        """Return the option that a plan (layout.STEP) names now when so many of its steps are taken, and how much is spent on it; -1 if it names none.

        `options.then_n` and `then_at` say what is left of the plan: it is forgotten when it is at its end or cannot be kept to.
        """
        options = self.options
        np.asarray(options.then)[: len(plan)] = plan
        options.then_n, options.then_at, options.spend = len(plan), taken, 0
        index = self._drive(entry_points.PLANNED)
        return index, int(options.spend) if 0 < options.spend < options.at[index].amount else 0

    def copy(self) -> Game:
        """Return the same game, to be played on separately. It costs a microsecond: the whole state is one record."""
        twin = record(layout.GAME)
        np.asarray(twin)[...] = np.asarray(self.record)
        return Game.of(self.box, twin)

    def __repr__(self) -> str:
        """Return the table as a person sees it who may look at everything."""
        lines = [f"Turn {self.turn}, {self.overlord(self.record.active)} to act" if not self.over else f"Over after turn {self.turn}: {self.result}"]
        for seat in range(2):
            lines += self.player_lines(seat)
        lines.append(f"Street: {', '.join(street_names(self.box, self.record)) or 'empty'}; Market {self.record.market.n}, Acolytes {self.record.acolytes.n}")
        return "\n".join(lines)

    @property
    def result(self) -> str:
        """The end of the game in words."""
        if not self.over:
            return "not over yet"
        if self.winner == "draw":
            return "a draw by the turn limit"
        return f"{self.overlord(self.record.winner)} ({self.winner}) wins"

    def player_lines(self, seat: int, hidden: bool = False) -> list[str]:
        """Return a player's side of the table; `hidden` leaves out the hand."""
        p, box = self.record.player[seat], self.box
        head = f"{self.overlord(seat)} ({SEATS[seat]}): Health {p.health}/{p.start_health}"
        extra = [f"Armor {p.armor}"] * bool(p.armor) + [f"MUSTER {p.tokens}"] * bool(p.tokens) + [pool_words(p)] * bool(pool_words(p))
        lines = [", ".join([head, *extra])]
        hand = f"{p.hand.n} cards" if hidden else counted(pile_names(box, p.hand)) or "empty"
        lines.append(f"  hand: {hand}; deck {p.deck.n}; discard: {counted(pile_names(box, p.discard)) or 'empty'}")
        if play_words(box, p):
            lines.append(f"  in play: {play_words(box, p)}")
        if relic_names(box, p):
            lines.append(f"  relics: {', '.join(relic_names(box, p))}")
        return lines


def seat_overlords(box: Box, first: str, second: str) -> tuple[int, int]:
    """Return the kinds of the two overlords (S1, S3); PlanError if they cannot meet."""
    kinds = []
    for name in (first, second):
        card = box.cards.by_name(name)
        if card.type != CardType.OVERLORD:
            raise PlanError(f"{name} is no overlord; the overlords are {', '.join(c.name for c in box.cards.overlords)}.")
        kinds.append(box.kind(card.name))
    if not box.may_meet(*kinds):
        a, b = (box.cards.cards[k] for k in kinds)
        raise PlanError(f"{a.name} against {b.name}: both players cannot have the same faction (rule S3); set the rule mirror=true to allow it.")
    return kinds[0], kinds[1]


def influence_bits(box: Box, overlord: int, names: tuple[str, ...]) -> int:
    """Return the bits of an overlord's Influence cards; 0 lets the player choose."""
    own = box.record.own[overlord]
    kinds = [int(k) for k in own.kind[: own.n]]
    if len(names) > box.rules.influences:
        raise PlanError(
            f"{len(names)} Influence cards for {box.names[overlord]}: the rules give {box.rules.influences}; name fewer or set the rule influences."
        )
    bits = 0
    for name in names:
        kind = box.kind(name)
        if kind not in kinds:
            raise PlanError(f"{name} is no Influence card of {box.names[overlord]}; it has {', '.join(box.names[k] for k in kinds)}.")
        bits |= 1 << kinds.index(kind)
    return bits
