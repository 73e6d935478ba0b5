"""Playing one game through the engine and through the naive implementation, side by side.

    python -m tests.trust.differential random 1234           repeats game 1234 on a random card set, step by step
    python -m tests.trust.differential reference 0 500       500 games on the reference set, and what was found
    python -m tests.trust.differential random 0 20000 > LOG  a campaign
    python -m tests.trust.differential extreme 0 70          on sets that lead to the engine's limits

After every decision the whole table, the legal actions and their amounts are compared, and the engine's table is checked by itself: no card is lost or
doubled, no number is negative, there is always something to choose. A game follows from its kind and its number alone (`plan_of`).

The engine is driven through its compiled entry point and read through NumPy views: a hundred times faster than through `Game`, whose texts are compared
with those made here in one game of thirty-two.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.engine import entry_points
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.jit import INTERPRETED
from terrors.simulator.kernel.records import records
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.play.notation import option_texts
from terrors.simulator.terms.enums import DRAW, Action, Effect, End, Mark, Place, Question, Resource, Status
from terrors.simulator.terms.ruleset import Rules
from tests.naive import NaiveGame
from tests.support.cardsets import EXTREMES, random_cards, random_rules

REFERENCE = Path(__file__).parents[1] / "data" / "cards.csv"
GAMES_PER_SET = 8  # random games that share a card set; half of them share the rules too
UNLIMITED_FROM = 1 << 20
RESOURCES = ("Coin", "Power", "Regeneration")
PILES = ("hand", "deck", "discard", "removed")
HORDES_UP_TO = layout.OPTIONS - 256
HAUNT_SIDE, DISMISS_SIDE, IN_HORDE, WAS_IN_HORDE, HORDE = map(int, (Mark.HAUNT_SIDE, Mark.DISMISS_SIDE, Mark.IN_HORDE, Mark.WAS_IN_HORDE, Mark.HORDE))
ABILITIES_USED = int(Mark.ABILITY_1_USED), int(Mark.ABILITY_2_USED)
SPENDING = (Action.ATTACK, Action.HEAL, Action.CONVERT)


# ------------------------------------------------------------------------------ what is played


@dataclass(frozen=True)
class Plan:
    """A game to be played."""

    kind: str  # "reference", "random" or "extreme"
    number: int
    cards: str  # the card file
    rules: dict[str, Any]
    first: str
    second: str
    habits: dict[str, float] = field(default_factory=dict)  # how likely a player is to do some things

    def __str__(self) -> str:
        rules = ", ".join(f"{name}={value!r}" for name, value in self.rules.items()) or "as printed"
        where = {"reference": "tests/data/cards.csv", "random": f"random_cards({self.number // GAMES_PER_SET})"}
        cards = where.get(self.kind) or f"EXTREMES[{list(EXTREMES)[self.number % len(EXTREMES)]!r}]"
        return "\n    ".join(
            (
                f"{self.kind} game {self.number} (its seed): {self.first} against {self.second}",
                f"repeat it: python -m tests.trust.differential {self.kind} {self.number}",
                f"cards: {cards}",
                f"rules: {rules}",
            )
        )


@lru_cache(4)
def card_file(kind: str, seed: int) -> str:
    """The card file of a game."""
    return REFERENCE.read_text(encoding="utf-8") if kind == "reference" else random_cards(seed)


@lru_cache(4)
def card_set(text: str) -> CardSet:
    """The card file as the engine reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cards.csv"
        path.write_text(text, encoding="utf-8")
        return load_cards(path)


class ReadyBox:
    """A box, and what of it is needed again and again."""

    def __init__(self, box: Box):
        self.box, self.names, self.alternatives = box, box.names, box.alternatives
        self.record, self.data = box.record, box.record.data  # as in Raw
        self.kinds = box.record.kind_of[: len(box.copies)].tolist()
        self.tags = [f"{self.names[kind]}#{copy}" for kind, copy in zip(self.kinds, box.copies, strict=True)]


@lru_cache(4)
def ready_box(text: str, rules: tuple[tuple[str, Any], ...]) -> ReadyBox:
    """The box for the engine; games that share it come one after the other."""
    return ReadyBox(make_box(card_set(text), Rules().but(dict(rules))))


def plan_of(kind: str, number: int) -> Plan:
    """Game `number` of a kind: cards, rules and players follow from it."""
    if kind == "extreme":
        text, rules, habits = list(EXTREMES.values())[number % len(EXTREMES)]
        return Plan(kind, number, text, rules, "Ann", "Bob", habits)
    text = card_file(kind, number // GAMES_PER_SET if kind == "random" else 0)
    luck = random.Random(f"rules {kind} {number // (GAMES_PER_SET // 2)}")
    rules = random_rules(luck)
    if kind == "random" or number % GAMES_PER_SET < GAMES_PER_SET // 2:  # the others go on to their natural end
        rules = {"max_turns": 30} | rules
    luck = random.Random(f"players {kind} {number}")
    overlords = card_set(text).overlords
    pairs = [(a.name, b.name) for a, b in permutations(overlords, 2) if rules.get("mirror") or a.faction != b.faction]
    pairs += [(a.name, a.name) for a in overlords if rules.get("mirror")]
    return Plan(kind, number, text, rules, *luck.choice(pairs))


# ------------------------------------------------------------------------------ the engine


class Raw:
    """A record as the compiled engine takes it. A NumPy record works as well, but describing itself costs it 20 µs a call."""

    def __init__(self, array: np.ndarray):
        self.record = records(array)[0]
        self.data = memoryview(array.view(np.uint8))


def integers(dtype: np.dtype) -> dict[str, int]:
    """Where the plain 32-bit numbers of a record are."""
    return {name: entry[1] // 4 for name, entry in (dtype.fields or {}).items() if entry[0] == np.dtype("i4")}


class Records:
    """The engine's two records, and views of their fields. All games of a process use the same, so that what one leaves behind would be noticed in the next."""

    def __init__(self) -> None:
        self.game, self.options = np.zeros(1, layout.GAME), np.zeros(1, layout.OPTIONS_RECORD)
        self.raw_game, self.raw_options = Raw(self.game), Raw(self.options)
        game, player, seats = self.game, self.game["player"], range(2)
        self.numbers = game.view(np.int32)
        self.game_fields, self.player_fields = integers(layout.GAME), integers(layout.PLAYER)
        self.game_at = np.array(list(self.game_fields.values()))
        starts = [((layout.GAME.fields or {})["player"][1] + seat * layout.PLAYER.itemsize) // 4 for seat in seats]
        self.player_at = [start + np.array(list(self.player_fields.values())) for start in starts]
        self.common = {name: (game[name]["n"], game[name]["card"][0]) for name in ("market", "acolytes", "removed")}
        self.own = [{name: (player[name]["n"][:, seat], player[name]["card"][0, seat]) for name in PILES} for seat in seats]
        self.play = [[player["play"][name][0, seat] for name in ("card", "left", "right", "marks")] for seat in seats]
        self.tally = game["tally"].view(np.int32)
        self.street = game["street"]["card"][0]
        self.offered = [self.options["at"][name][0] for name in ("action", "card", "slot", "other", "amount", "place")]
        self.n, self.spend = self.options["n"], self.options["spend"]
        self.agenda_pc = game["agenda"]["pc"][0]
        self.last_frame = game["agenda"]["task"][:, layout.AGENDA - 1]


RECORDS = Records()


class EngineGame:
    """One game in the engine."""

    def __init__(self, ready: ReadyBox, first: str, second: str, seed: int):
        self.ready, self.names, self.kinds = ready, ready.names, ready.kinds
        self.entry_point = entry_point()
        self.game: dict[str, int] = {"agenda_n": 0}
        self.drive(entry_points.BEGIN, 0, seed, ready.names.index(first), ready.names.index(second))

    def drive(self, what: int, choice: int = 0, seed: int = 0, first: int = 0, second: int = 0) -> None:
        """One step of the engine; then read where it stands."""
        r = RECORDS
        if self.game["agenda_n"] < layout.AGENDA:  # what is written here later shows that the record was full
            r.last_frame[0] = -1
        self.entry_point(r.raw_game, self.ready, r.raw_options, what, choice, seed, first, second, 0, 0)
        self.game = dict(zip(r.game_fields, r.numbers[r.game_at].tolist(), strict=True))
        self.player = [dict(zip(r.player_fields, r.numbers[at].tolist(), strict=True)) for at in r.player_at]
        self.own = [{name: cards[: n[0]].tolist() for name, (n, cards) in piles.items()} for piles in r.own]
        self.common = {name: cards[: n[0]].tolist() for name, (n, cards) in r.common.items()}
        self.street = r.street[: self.game["street_n"]].tolist()
        self.slots = [list(zip(*(of[: p["slots"]].tolist() for of in play), strict=True)) for play, p in zip(r.play, self.player, strict=True)]
        self.options = list(zip(*(of[: r.n[0]].tolist() for of in r.offered), strict=True))

    def apply(self, choice: int, spend: int = 0) -> None:
        """Take an option; `spend` less than all of it."""
        RECORDS.spend[0] = spend
        self.drive(entry_points.APPLY, choice)

    @property
    def over(self) -> bool:
        return self.game["status"] != Status.PLAYING

    @property
    def too_deep(self) -> bool:
        """Whether all places of the agenda were taken (layout.AGENDA): when there is no more room the engine ends the Action Phase, the naive one does not."""
        return RECORDS.last_frame[0] != -1

    @property
    def running(self) -> int:
        """The row of a program that asks."""
        return int(RECORDS.agenda_pc[self.game["agenda_n"] - 1])

    def state(self) -> dict[str, Any]:
        """The state in the words of NaiveGame.state(), with cards as numbers."""
        g, common = self.game, self.common
        return {
            "turn": g["turn"],
            "active": g["active"],
            "asked": g["asked"],
            "winner": None if not self.over else "draw" if g["winner"] == DRAW else g["winner"],
            "limits": g["limits"],
            "actions": g["actions"],
            "total_actions": g["total_actions"],
            "street": self.street,
            "market": common["market"][::-1],
            "acolytes": common["acolytes"][::-1],
            "reserve": tuple(-1 if n > UNLIMITED_FROM else n for n in (g["haunt_tokens"], g["muster_tokens"])),
            "removed": common["removed"],
            "players": [self.player_state(seat) for seat in range(2)],
        }

    def tally(self) -> dict[str, int]:
        """What has happened in this turn."""
        return dict(zip(layout.TALLY_FIELDS, RECORDS.tally.tolist(), strict=True))

    def player_state(self, seat: int) -> dict[str, Any]:
        p, own = self.player[seat], self.own[seat]
        converts = [(RESOURCES[a], RESOURCES[b]) for a in range(3) for b in range(3) if p["converts"] >> (3 * a + b) & 1] if p["converts"] else []
        return {
            "health": p["health"],
            "coin": p["coin"],
            "power": p["power"],
            "regeneration": p["regeneration"],
            "armor": p["armor"],
            "tokens": p["tokens"],
            "owned": p["owned"],
            "shuffles": p["shuffles"],
            "known": p["known"],
            "hand": own["hand"],
            "deck": own["deck"][::-1],
            "discard": own["discard"],
            "removed": own["removed"],
            "play": [self.place(seat, *slot) for slot in self.slots[seat] if slot[0] >= 0],
            "turn": (p["attacked"], p["struck"], p["claims"], sorted(converts)),
        }

    def place(self, seat: int, card: int, left: int, right: int, marks: int) -> tuple:
        """A card in play with its token, its neighbours in the horde, and which of its Horde abilities are used."""
        token = "haunt" if marks & HAUNT_SIDE else "dismiss" if marks & DISMISS_SIDE else ""
        used = [n for n, mark in enumerate(ABILITIES_USED) if marks & mark]
        if not marks & IN_HORDE:
            return card, token, False, "", "", used
        slots = self.slots[seat]
        return card, token, True, slots[left][0] if left >= 0 else "", slots[right][0] if right >= 0 else "", used

    def cards(self) -> list[int]:
        """Every card on the table, wherever it is."""
        cards = [*self.street, *self.common["market"], *self.common["acolytes"], *self.common["removed"]]
        for own, slots in zip(self.own, self.slots, strict=True):
            cards += [card for pile in own.values() for card in pile] + [slot[0] for slot in slots if slot[0] >= 0]
        return sorted(cards)

    # Options as text, as terrors.simulator.play.notation does it

    def texts(self) -> list[str]:
        """Everything that is offered, in the notation of docs/SCENARIOS.md."""
        me = self.game["active"]
        labels = [self.labels(me), self.labels(1 - me) if self.game["question"] == Question.DESTROY else []]
        return [self.text(labels, *option) for option in self.options]

    def problems(self, all_cards: list[int]) -> list[str]:
        """What cannot be true of a table: cards lost or doubled, numbers less than nothing, nothing to choose."""
        cards = self.cards()
        found = []
        table = {name: max(0, n) if name in ("winner", "most_coin", "last_coin") else n for name, n in self.game.items()}  # -1 is none there
        if min(map(min, (self.player[0].values(), self.player[1].values(), table.values()))) < 0:
            found.append(f"less than nothing: {[(name, n) for of in (*self.player, table) for name, n in of.items() if n < 0]}")
        if cards != all_cards:
            found.append(f"cards are doubled or lost: {Counter(cards) - Counter(all_cards)}, {Counter(all_cards) - Counter(cards)}")
        for card, left, right, marks in (slot for slots in self.slots for slot in slots if slot[0] >= 0):
            if min(left, right) < -1 or (marks & WAS_IN_HORDE and not marks & HORDE):
                found.append(
                    f"{self.ready.tags[card]} has the neighbours {left} and {right}, of which none is -1, and was in a horde without a number: {marks}"
                )
        if self.over and (self.game["end"] == End.TURN_LIMIT) != (self.game["winner"] == DRAW):
            found.append(f"winner {self.game['winner']}, but end {self.game['end']}")
        return found + ["nothing is offered"] * (not self.over and not self.options)

    def misshapen(self) -> list[str]:
        """Options with something in a field that means nothing for them: strategies read these fields (FORMS)."""
        priced = self.game["question"] in (Question.BUY_WITH, Question.TAKE)
        found = []
        for action, *fields in self.options:
            if action == Action.TRIGGER:  # its card is that of the instance, or the overlord
                kind = self.kinds[fields[2]] if fields[2] >= 0 else self.player[self.game["active"]]["overlord"]
                found += [f"TRIGGER: {self.names[fields[0]]} instead of {self.names[kind]}"] * (fields[0] != kind)
            form = FORMS.get(action, ANY) if action != Action.CARD or priced else (None, None, 0, 0, None)
            if any(wanted is not None and wanted != field for wanted, field in zip(form, fields, strict=True)):
                found.append(f"{Action(action).name}: card, slot, other, amount and place {fields}, not {form}")
        return found

    def labels(self, seat: int) -> list[str]:
        """The cards in play by slot: `Ghoul`, `Ghoul #2`."""
        count: Counter = Counter()
        labels = []
        for slot in self.slots[seat]:
            kind = self.kinds[slot[0]] if slot[0] >= 0 else -1
            count[kind] += 1
            labels.append("" if kind < 0 else self.names[kind] if count[kind] == 1 else f"{self.names[kind]} #{count[kind]}")
        return labels

    def text(self, labels: list[list[str]], action: int, card: int, slot: int, other: int, amount: int, place: int) -> str:
        """One option."""
        mine, question = labels[0], self.game["question"]
        if action == Action.PLAY:
            return f"play {self.names[card]}"
        if action == Action.BUY:
            return f"buy {self.names[card]}" + (" to deck" if other else "")
        if action == Action.CARD:
            return self.card_text(labels, card, slot, other, place)
        if action in PLAIN_TEXT:
            return PLAIN_TEXT[action]
        if action == Action.DECLINE:
            costs = (Question.COST, Question.DISCARD_COST)
            return "activate none" if question == Question.HORDE_ABILITY else "choose no" if question in costs else "choose none"
        if action == Action.CONVERT:
            return f"convert {RESOURCES[slot]} to {RESOURCES[other]}"
        if action == Action.HORDE_RIGHT:
            return f"horde …{mine[other]} + {mine[slot]}"
        if action in (Action.HORDE, Action.HORDE_LEFT):
            return f"horde {mine[slot]} + {mine[other]}" + ("…" if action == Action.HORDE_LEFT else "")
        if action in (Action.RELIC, Action.HAUNT):
            return f"{'relic' if action == Action.RELIC else 'haunt'} {mine[slot]}"
        if action == Action.ABILITY:
            return f"activate {mine[slot]}" + (" 2" if amount else "")
        if action == Action.ALTERNATIVE:
            return f"choose {self.ready.alternatives[self.running][amount]}"
        if action == Action.TRIGGER:
            there = slot >= 0 and self.slots[self.game["active"]][slot][0] == other
            name = "overlord" if other < 0 else mine[slot] if there else self.names[card]
            return f"choose {name}" + (f" {amount + 1}" if amount else "")
        return "choose " + (" and ".join(f"{n} {name}" for n, name in zip((slot, other, amount), RESOURCES, strict=True) if n) or "nothing")

    def card_text(self, labels: list[list[str]], card: int, slot: int, other: int, place: int) -> str:
        """An option that is a card."""
        question = self.game["question"]
        if place in (Place.PLAY, Place.RIVAL_PLAY):
            return f"choose {labels[0][slot]}" if place == Place.PLAY else f"choose opponent {labels[1][slot]}"
        if question == Question.DESTROY:
            return f"choose Street {self.names[card]}"
        cursed = question == Question.DISCARD and self.ready.box.record.effect[self.running].effect == Effect.CURSE
        if question == Question.CURSE or cursed:
            return f"choose discard {self.names[card]}"
        if question == Question.SACRIFICE:
            return f"choose {'hand' if place == Place.HAND else 'discard'} {self.names[card]}"
        return f"choose {self.names[card]}" + (" to deck" if question == Question.BUY_WITH and other else "")


ANY = (None,) * 5
FORMS = {  # of an option: card, slot, other, amount, place; None is anything
    Action.PLAY: (None, None, 0, 0, Place.HAND),
    Action.BUY: (None, None, None, None, Place.STREET),
    Action.BUY_ACOLYTE: (-1, 0, 0, None, 0),
    Action.ATTACK: (-1, Resource.POWER, 0, None, 0),
    Action.HEAL: (-1, Resource.REGENERATION, 0, None, 0),
    Action.CONVERT: (-1, None, None, None, 0),
    Action.HORDE: (None, None, None, 0, Place.PLAY),
    Action.HORDE_LEFT: (None, None, None, 0, Place.PLAY),
    Action.HORDE_RIGHT: (None, None, None, 0, Place.PLAY),
    Action.RELIC: (None, None, 0, 0, Place.PLAY),
    Action.HAUNT: (None, None, 0, 0, Place.PLAY),
    Action.OVERLORD: (None, -1, 0, 0, Place.PLAY),
    Action.PASS: (-1, -1, 0, 0, 0),
    Action.HEALTH: (-1, 0, 0, None, 0),
    Action.YES: (-1, 0, 0, None, 0),
    Action.DECLINE: (-1, 0, 0, 0, 0),
    Action.ABILITY: (None, None, 0, None, Place.PLAY),
    Action.ALTERNATIVE: (-1, None, 0, None, 0),
    Action.MIX: (-1, None, None, None, 0),
}
PLAIN_TEXT = {
    Action.ATTACK: "attack",
    Action.HEAL: "heal",
    Action.OVERLORD: "overlord",
    Action.PASS: "pass",
    Action.BUY_ACOLYTE: "buy acolyte",
    Action.YES: "choose yes",
    Action.HEALTH: "choose health",
}


@lru_cache(1)
def entry_point() -> Any:
    """The compiled `entry_points.drive`, without the checks of its arguments' types."""
    if INTERPRETED:
        return lambda game, box, options, what, choice, seed, *rest: entry_points.drive(
            game.record, box.record, options.record, what, choice, np.uint64(seed), *rest
        )
    scratch = layout.record(layout.GAME), layout.record(layout.BOX), layout.record(layout.OPTIONS_RECORD)
    scratch[0].status = Status.OVER
    entry_points.drive(*scratch, entry_points.REFRESH, 0, np.uint64(0), 0, 0, 0, 0)  # loads or compiles it
    (compiled,) = entry_points.drive._ready.overloads.values()
    return compiled.entry_point


# ------------------------------------------------------------------------------ the naive implementation

EFFECTS = {  # the engine's name for each kind of ability
    "gain": "GAIN", "curse": "CURSE", "destroy": "DESTROY", "command": "COMMAND", "muster": "MUSTER", "rage": "RAGE", "draw": "DRAW", "haunt": "HAUNT",
    "haunt another": "HAUNT_ANOTHER", "sacrifice": "SACRIFICE", "gain health": "GAIN_HEALTH", "lose health": "LOSE_HEALTH",
    "opponent loses": "OPPONENT_LOSES", "discard": "DISCARD", "opponent discards": "OPPONENT_DISCARDS", "convert": "CONVERT", "look": "LOOK",
    "reveal": "REVEAL", "activate horde": "ACTIVATE", "next claim": "CLAIM_NEXT", "buy": "BUY_WITH", "take": "TAKE", "shuffle": "SHUFFLE",
    "choose": "CHOOSE", "if": "IF", "faction": "IF", "cost pay": "COST", "cost discard": "COST", "cost sacrifice": "COST",
}  # fmt: skip


class Watched(NaiveGame):
    """A game that counts what happens in it."""

    def __init__(self, *arguments: Any):
        self.seen: Counter = Counter()
        super().__init__(*arguments)

    def resolve(self, ability, source):
        self.seen[ability.op, ability.words, ability.per] += 1
        return super().resolve(ability, source)

    def event(self, *kinds, own=None):
        self.seen.update(kinds)
        return super().event(*kinds, own=own)

    def purchase(self, card, price, to_deck):
        if to_deck and card.row.claim and not self.phase.claims:
            self.seen["claim", ("used",), ""] += 1
        return super().purchase(card, price, to_deck)


# ------------------------------------------------------------------------------ side by side


@dataclass
class Report:
    """What came of some games."""

    games: int = 0
    decisions: int = 0
    too_deep: int = 0  # games that were left when the engine's record was full
    limits: int = 0  # Action Phases ended by E1
    seen: Counter = field(default_factory=Counter)  # Question, Action, Effect …: how often each occurred
    most: dict[str, int] = field(default_factory=dict)  # the greatest hand, number of options …
    failures: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.games += other.games
        self.decisions += other.decisions
        self.too_deep += other.too_deep
        self.limits += other.limits
        self.seen.update(other.seen)
        self.most |= {name: n for name, n in other.most.items() if n > self.most.get(name, 0)}
        self.failures += other.failures

    def __str__(self) -> str:
        rest = f"; {self.too_deep} left early with the engine's record full" if self.too_deep else ""
        return f"{self.games} games, {self.decisions} decisions compared, {self.limits} Action Phases cut by max_actions, {len(self.failures)} failures{rest}"


def differences(engine: Any, naive: Any, path: str = "") -> list[str]:
    """Where two states differ, in words."""
    if isinstance(engine, dict):
        return [d for key in engine.keys() | naive.keys() for d in differences(engine.get(key), naive.get(key), f"{path}.{key}")]
    if isinstance(engine, list) and isinstance(naive, list) and engine and isinstance(engine[0], dict):
        return [d for i, (a, b) in enumerate(zip(engine, naive, strict=True)) for d in differences(a, b, f"{path}[{i}]")]
    return [] if engine == naive else [f"{path}: engine {engine!r}, naive {naive!r}"]


def named(state: Any, tags: list[str], key: str = "") -> Any:
    """A state with cards by their names."""
    if isinstance(state, dict):
        return {name: named(value, tags, name) for name, value in state.items()}
    if key == "players":
        return [named(player, tags) for player in state]
    if key in ("street", "market", "acolytes", *PILES):
        return [tags[card] for card in state]
    if key == "play":
        return [tuple(tags[x] if isinstance(x, int) and not isinstance(x, bool) else x for x in place) for place in state]
    return state


VERBS = ("play", "buy", "attack", "heal", "convert", "horde", "relic", "overlord", "haunt", "pass", "choose", "activate")


class Match:
    """One game, played through both."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.luck = random.Random(f"play {plan.number}")
        self.habits = {verb: self.luck.choice((0.1, 1.0, 1.0, 5.0)) for verb in VERBS} | plan.habits
        self.ready = ready_box(plan.cards, tuple(plan.rules.items()))
        self.engine = EngineGame(self.ready, plan.first, plan.second, plan.number)
        self.naive = Watched(plan.cards, plan.rules, plan.number, plan.first, plan.second)
        self.history: list[str] = []
        self.seen: Counter = Counter()
        self.most: Counter = Counter()
        self.all_cards: list[int] = []

    def play(self) -> list[str]:
        """Play to the end; the problems at the first point where there are any."""
        while True:
            found = self.table_problems() or self.option_problems()
            if found or self.engine.over:
                return found
            self.step()

    def play_on(self) -> list[str]:
        """Let the engine alone play to the end."""
        while not self.engine.over:
            found = self.engine.problems(self.all_cards)
            if found:
                return found
            self.history.append("…")
            self.engine.apply(self.luck.randrange(len(self.engine.options)))
        return self.engine.problems(self.all_cards)

    def table_problems(self) -> list[str]:
        """Compare all that lies on the table, and look whether it can be true."""
        engine, naive = self.engine, self.naive
        if engine.over != naive.over:
            return [f"over: engine {engine.over}, naive {naive.over}"]
        if engine.game["turn"] == 0:
            return []  # the Influence cards are being chosen
        if not self.all_cards:
            self.all_cards = engine.cards()
            self.number_cards()
        ours, theirs = engine.state(), naive.state()
        if engine.over:  # nobody is asked any more
            ours |= {"asked": 0, "actions": 0}
            theirs |= {"asked": 0, "actions": 0}
        found = differences(named(ours, self.ready.tags), named(theirs, self.ready.tags)) if ours != theirs else []
        return found + engine.problems(self.all_cards)

    def number_cards(self) -> None:
        """Let the naive one name its cards by the engine's numbers, which is quicker to compare."""
        number = {tag: card for card, tag in enumerate(self.ready.tags)}
        naive = self.naive
        piles = [naive.street, naive.market, naive.acolytes, naive.removed]
        for cards in piles + [pile for p in naive.players for pile in (p.hand, p.deck, p.discard, p.removed, p.play)]:
            for card in cards:
                card.tag = number.get(card.tag, card.tag)

    def option_problems(self) -> list[str]:
        """Compare who is asked, what is offered, and how much of it."""
        engine, naive = self.engine, self.naive
        if engine.over:
            return []
        if found := engine.misshapen():
            return found
        self.offered = engine.texts()
        theirs = naive.runner.question.options
        self.answers = {plain(text): text for text in theirs}
        if engine.game["question"] == Question.CHOOSE:
            self.offered = [plain(text) for text in self.offered]
        ours = set(self.offered)
        missing = self.answers.keys() - ours
        if len(ours) >= HORDES_UP_TO:  # the engine's list holds only so many pairs
            missing = {text for text in missing if not text.startswith("horde ")}
        if missing or ours - self.answers.keys() or engine.game["asked"] != naive.asked:
            only = f"only engine {sorted(ours - self.answers.keys())}, only naive {sorted(missing)}"
            return [f"{only}, asked {engine.game['asked']}/{naive.asked}", f"engine {self.offered}", f"naive {list(theirs)}"]
        if len(ours) < len(self.offered) and engine.game["question"] != Question.TRIGGER:  # triggers of cards that left play have only their names
            return [f"offered twice: {[text for text, n in Counter(self.offered).items() if n > 1]}"]
        if engine.game["question"] != Question.ACTION:
            return []
        tallies = engine.tally(), naive.tally()
        found = differences(*tallies, ".tally") if tallies[0] != tallies[1] else []
        prices = [card.row.cost for card in naive.street if card.row.cost is not None] + [naive.acolyte_cost()] * bool(naive.acolytes)
        if engine.game["cheapest"] != min(prices, default=layout.NOT_FOR_SALE):
            found.append(f"the least price: engine {engine.game['cheapest']}, naive {min(prices, default=None)}")
        for text, (action, _, _, _, amount, _) in zip(self.offered, engine.options, strict=True):
            if action in SPENDING and amount != theirs[text][-1]:
                found.append(f"{text}: engine {amount}, naive {theirs[text][-1]}")
            elif action in (Action.BUY, Action.BUY_ACOLYTE) and amount != theirs[text][2]:
                found.append(f"{text}: engine {amount} Coin, naive {theirs[text][2]}")
        return found

    def step(self) -> None:
        """Take any option, now and then with a part of its amount."""
        engine, luck = self.engine, self.luck
        if self.plan.number % 32 == 0:
            self.check_notation()
        weights = [self.habits[text.partition(" ")[0]] for text in self.offered]
        choice = luck.choices(range(len(self.offered)), weights)[0]
        text = self.answers[self.offered[choice]]
        choice = self.offered.index(self.offered[choice])  # of options that read the same, the first
        action, amount, spend = engine.options[choice][0], engine.options[choice][4], 0
        self.seen[Question, engine.game["question"]] += 1
        self.seen[Action, action] += 1
        if action in SPENDING and luck.random() < 0.5:
            spend = luck.randint(1, amount)
            verb, _, rest = text.partition(" ")
            text = f"{verb} {spend} {rest}".strip()
        self.seen["Armor stops Power"] += engine.player[engine.game["active"]]["attacked"] > engine.player[engine.game["active"]]["struck"]
        if self.plan.kind == "extreme":
            self.measure()
        self.history.append(f"turn {engine.game['turn']}, player {engine.game['asked']}: {text}")
        engine.apply(choice, spend)
        self.naive.apply(text)

    def measure(self) -> None:
        """How far this game goes."""
        engine, p = self.engine, self.engine.player[self.engine.game["active"]]
        size = {"options": len(engine.options), "agenda": engine.game["agenda_n"], "leavers": engine.game["leavers_n"]}
        size |= {name: p[name] for name in ("power", "coin", "regeneration", "slots", "owned", "relics")}
        self.most |= {name: n for name, n in size.items() if n > self.most[name]}

    def check_notation(self) -> None:
        """The texts that people see are those that are compared here."""
        record, options = records(RECORDS.game)[0], records(RECORDS.options)[0]
        texts, ours = option_texts(self.ready.box, record, options), self.engine.texts()
        if texts != ours:
            raise AssertionError(f"simulator.notation: {texts}, tests.trust.differential: {ours}")

    def occurred(self) -> Counter:
        """What happened, in the engine's names."""
        seen = Counter({what if isinstance(what, str) else f"{what[0].__name__}.{what[0](what[1]).name}": n for what, n in self.seen.items()})
        seen.update(f"rule {name}" for name in self.plan.rules)
        for what, n in self.naive.seen.items():
            if isinstance(what, str):
                seen[f"Event.{what.upper().replace(' ', '_')}"] += n
            else:
                op, words, per = what
                seen[f"Effect.{EFFECTS.get(op, op.upper())}"] += n
                seen[" ".join(filter(None, (op, *words, per and f"per {per}")))] += n
        return seen


def plain(text: str) -> str:
    """An alternative without parentheses: a card file needs them where an answer does not."""
    return text.replace("(", "").replace(")", "")


def play_both(plan: Plan, show: bool = False) -> Report:
    """Play one game through both."""
    match = Match(plan)
    too_deep = 0
    try:
        problems = match.play()
        if problems and match.engine.too_deep:
            too_deep = 1
            problems = match.play_on()
    except Exception as error:
        problems = traceback.format_exception(error)
    failures = []
    if problems or show:
        steps = match.history if show else match.history[-12:]
        failures = ["\n    ".join([str(plan), f"after {len(match.history)} decisions", *steps, *problems])]
    if show:
        print(plan.cards, *failures, sep="\n")
        failures = failures if problems else []
    return Report(1, len(match.history), too_deep, match.engine.game.get("limits", 0), match.occurred(), dict(match.most), failures)


def play_many(kind: str, numbers: Iterable[int], most_failures: int = 10) -> Report:
    """Play these games through both, until too many have failed."""
    report = Report()
    for number in numbers:
        report.add(play_both(plan_of(kind, number)))
        if len(report.failures) >= most_failures:
            break
    return report


def main() -> None:
    """Repeat a game, or play many."""
    kind, first, *rest = sys.argv[1:]
    start = int(first)
    if not rest:
        sys.exit(len(play_both(plan_of(kind, start), show=True).failures))
    total, begun = Report(), time.time()
    for number in range(start, int(rest[0]), 100):
        report = play_many(kind, range(number, min(number + 100, int(rest[0]))))
        total.add(report)
        if report.failures or number % 1000 == 0:
            print(*report.failures, f"up to {number}, {time.time() - begun:.0f} s: {total}", sep="\n", flush=True)
    print(f"{kind} {start} to {rest[0]}, {time.time() - begun:.0f} s: {total}")
    print(*sorted(total.seen.items()), total.most, sep="\n")


if __name__ == "__main__":
    main()
