"""A game played one decision at a time, and told: what replays print, `terrors play` shows and a viewer may draw.

    game = Game(cards, "Fenris", "Azazael", seed=7)
    choosers = [strategy_chooser(plan.compiled, plan.work(game.box)) for plan in plans]
    story = play_and_tell(game, choosers)                  # setup, turns, steps, changes: plain data
    for line in Teller(story.names).story(story): ...      # story_text.py: the same as text

A chooser is whatever decides for a seat: a compiled strategy, a person, a test. The rooms stay apart: this module is given its choosers and imports no
strategy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terrors.simulator.play.game import Game
from terrors.simulator.play.names import (
    SEATS,
    Snapshot,
    hordes_of,
    is_relic,
    pile_names,
    reading,
    relic_names,
    slot_name,
    slots_in_play,
    street_names,
    token_of,
)
from terrors.simulator.play.notation import option_text
from terrors.simulator.story.diff import Change, Chosen, compare
from terrors.simulator.terms.enums import Action, Question, Resource
from terrors.simulator.terms.errors import WordedError

Answer = tuple[int, int]  # the number of the option, and how much to spend (0 = all) on attack, heal and convert
Chooser = Callable[[Game], Answer]


class BadAnswerError(WordedError):
    """A strategy has chosen an option that is not on the list."""


@dataclass(frozen=True)
class Step:
    """One decision, and what came of it."""

    turn: int
    active: int  # whose turn it is
    seat: int  # who decided
    question: str  # the name of an enums.Question
    text: str  # the answer in the notation of docs/SCENARIOS.md
    offered: int  # how many options there were
    changes: tuple[Change, ...]
    pool: tuple[int, int, int]  # the active player's Coin, Power and Regeneration afterwards


@dataclass(frozen=True)
class Standing:
    """A card in play."""

    name: str
    token: str  # `haunt`, `dismiss` or nothing: the side that is up


@dataclass(frozen=True)
class Side:
    """One player's side of the table."""

    overlord: str
    health: int
    start_health: int
    armor: int
    tokens: int
    hand: tuple[str, ...]
    deck: int
    discard: tuple[str, ...]
    hordes: tuple[tuple[Standing, ...], ...]
    others: tuple[Standing, ...]  # in play, in no horde
    relics: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The table at one moment; `sides` by seat."""

    sides: tuple[Side, Side]
    street: tuple[tuple[str, int | None], ...]  # name and cost, None = not for sale
    market: int
    acolytes: int


@dataclass
class Turn:
    """A player's turn: the table as it began, and the steps."""

    number: int
    seat: int
    table: Table
    steps: list[Step] = field(default_factory=list)


@dataclass
class Story:
    """A whole game."""

    names: tuple[str, str]
    seed: int
    setup: list[Step]
    turns: list[Turn]
    winner: str | None
    result: str
    table: Table  # at the end

    def as_data(self) -> dict[str, Any]:
        """The story as JSON knows it: seats by name, no tuples, nothing left out."""
        return _plain(dataclasses.asdict(self))


def _plain(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _plain(item, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if key in ("seat", "active"):
        return SEATS[value] if value >= 0 else "table"
    return value


# Deciding


def strategy_chooser(choose: Callable[..., Any], work: Any) -> Chooser:
    """A chooser around a compiled strategy with its work area: f(game, box, options, work, seat) -> index; what it spends is left in `options.spend`."""

    def answer(game: Game) -> Answer:
        options = game.options
        options.spend = 0
        with np.errstate(over="ignore"):  # an interpreted strategy's luck wraps around, as it should
            index = int(choose(game.record, game.box.record, options, work, int(game.record.asked)))
        return index, int(options.spend) if 0 < options.spend < options.at[index].amount else 0  # as the engine takes it

    return answer


class Driver:
    """Asks two choosers as entry_points.py does, but so that each decision can be watched.

    A list of one is not asked. A strategy may answer with a plan (`options.then`); the engine would take its steps at once, here they are remembered and
    become steps of their own, under the same conditions.
    """

    def __init__(self, choosers: Sequence[Chooser]) -> None:
        """Take the choosers, by seat."""
        self.choosers = choosers
        self.plan: np.ndarray | None = None
        self.taken = 0  # steps of it
        self.turn = 0

    def forget(self) -> None:
        """Forget the plan: somebody else has decided something, and it is not certain any more."""
        self.plan = None

    def answer(self, game: Game) -> Answer:
        """Return what the asked player does."""
        if game.turn != self.turn:
            self.turn = game.turn
            self.forget()
        step = self._next_step(game)
        if step is not None:
            return step
        offered = int(game.options.n)
        if offered == 1:
            return 0, 0
        mine = game.record.asked == game.record.active
        plan = int(game.options.then_n)
        if not mine:
            game.options.then_n = 0  # what the rival has in mind
        index, spend = self.choosers[int(game.record.asked)](game)
        if not mine:
            game.options.then_n = plan
        if not 0 <= index < offered:
            who = f"{game.overlord(game.record.asked)} ({game.asked})"
            raise BadAnswerError(f"The strategy of {who} chose option {index} of {offered}, counted from 0; mend its return value.")
        self._keep_plan(game)
        return index, spend

    def _next_step(self, game: Game) -> Answer | None:
        """The option that the plan names here, and how much is spent."""
        if self.plan is None:
            return None
        index, spend = game.planned(self.plan, self.taken)
        self._keep_plan(game)
        return None if index < 0 else (index, spend)

    def _keep_plan(self, game: Game) -> None:
        """Remember what is left of the plan: playing step by step forgets it."""
        options = game.options
        self.plan = np.asarray(options.then)[: options.then_n].copy() if options.then_n else None
        self.taken = int(options.then_at)


# Telling


def answer_text(game: Game, index: int, spend: int = 0) -> str:
    """An option in the notation, with the amount that is spent."""
    text = option_text(game.box, game.record, game.options, index)
    action, most = int(game.options.at[index].action), int(game.options.at[index].amount)
    amount = spend if 0 < spend < most else most
    if action in (Action.ATTACK, Action.HEAL):
        return f"{text} {amount}"
    return text.replace("convert ", f"convert {amount} ", 1) if action == Action.CONVERT else text


def take_step(game: Game, index: int, spend: int = 0) -> Step:
    """Take an option, and say what came of it."""
    return follow(game, index, spend, reading(game.record))[0]


def follow(game: Game, index: int, spend: int, before: Snapshot) -> tuple[Step, Snapshot]:
    """The same for whoever goes on from step to step: each begins with what the one before ended with, so the table is read once."""
    option, now = game.options.at[index], game.record
    text, offered, question, seat = answer_text(game, index, spend), int(game.options.n), Question(int(now.question)), int(now.asked)
    chosen = Chosen(question, int(option.action), int(option.card), int(option.slot))
    readings = [before]
    game.apply_index(index, spend, watch=lambda: readings.append(reading(game.record, readings[-1])))
    after, active = readings[-1], int(before.active)
    coin, power, regeneration = (int(after.player[active][r.name.lower()]) for r in Resource)
    changes = compare(game.box, readings, chosen)
    return Step(int(before.turn), active, seat, question.name, text, offered, changes, (coin, power, regeneration)), after


def look_at(game: Game) -> Table:
    """The table as it is now."""
    now = reading(game.record)
    street = tuple((name, game.box.cards.by_name(name).cost) for name in street_names(game.box, now))
    return Table((_side(game, now, 0), _side(game, now, 1)), street, now.market.n, now.acolytes.n)


def _side(game: Game, now: Snapshot, seat: int) -> Side:
    box, p = game.box, now.player[seat]

    def standing(slot: int) -> Standing:
        return Standing(slot_name(box, p, slot), token_of(p.play[slot].marks))

    hordes = hordes_of(p)
    chained = {slot for horde in hordes for slot in horde}
    others = [standing(slot) for slot in slots_in_play(p) if slot not in chained and not is_relic(box, p, slot)]
    return Side(
        overlord=game.overlord(seat),
        health=int(p.health),
        start_health=int(p.start_health),
        armor=int(p.armor),
        tokens=int(p.tokens),
        hand=tuple(pile_names(box, p.hand)),
        deck=int(p.deck.n),
        discard=tuple(pile_names(box, p.discard)),
        hordes=tuple(tuple(standing(slot) for slot in horde) for horde in hordes),
        others=tuple(others),
        relics=tuple(relic_names(box, p)),
    )


def player_names(game: Game) -> tuple[str, str]:
    """The overlords' names, told apart by their seats in a mirror match."""
    names = game.overlord(0), game.overlord(1)
    return names if names[0] != names[1] else (f"{names[0]} the first", f"{names[1]} the second")


def play_and_tell(game: Game, choosers: Sequence[Chooser]) -> Story:
    """Play a game to its end, and tell all of it."""
    driver = Driver(choosers)
    setup: list[Step] = []
    turns: list[Turn] = []
    seed, now = int(game.record.seed), reading(game.record)
    while not game.over:
        if game.turn and (not turns or turns[-1].number != game.turn):
            turns.append(Turn(game.turn, int(game.record.active), look_at(game)))
        step, now = follow(game, *driver.answer(game), now)
        (turns[-1].steps if step.turn else setup).append(step)
    return Story(player_names(game), seed, setup, turns, game.winner, game.result, look_at(game))
