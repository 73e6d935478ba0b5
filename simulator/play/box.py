"""From a card set, rules and interventions to the record that the engine plays with: everything that is in the box."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from terrors.simulator.cards.card_set import Card, CardSet
from terrors.simulator.cards.grammar import LanguageError
from terrors.simulator.cards.vocabulary import Ability, Trigger, emit, order, parse_abilities, text_of_all, walk
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.terms.enums import CardType, Condition, Cost, Effect, Per, Pile, Resource
from terrors.simulator.terms.errors import PlanError
from terrors.simulator.terms.ruleset import Rules, RulesError

DEALT = ("instances", "kind_of", "key", "market_n", "market", "acolytes_n", "acolyte", "starters_n", "starter", "influence", "grants_n", "grant")
ANY_NUMBER = 1 << 20  # O1: uses of an ability without a limit; more than Rules.max_actions can be


@dataclass(frozen=True)
class Interventions:
    """Changes to a game as data: what is denied or granted to a seat, what is taken out of the market."""

    deny: tuple[tuple[str, int], ...] = ()  # card, seat
    grant: tuple[tuple[str, int], ...] = ()  # card, seat: one more card in the starting deck
    remove: tuple[str, ...] = ()  # cards that are not in the market
    override: tuple[str, ...] = ()  # "Ghoul.cost=3"
    lottery: float = 0.0  # each market card is, with this probability, denied to one seat

    def changed(self) -> dict[str, Any]:
        """Return the interventions that are made, by field."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default}


@dataclass
class Box:
    """A card set made ready for the engine."""

    cards: CardSet
    rules: Rules
    interventions: Interventions
    record: Any
    names: list[str]  # by kind
    copies: list[int] = field(default_factory=list)  # by instance: its copy number
    alternatives: dict[int, list[str]] = field(default_factory=dict)  # by row of a program that is a choice: its alternatives as text

    def kind(self, name: str) -> int:
        """Return the kind (row of the card table) of a card."""
        return self.cards.index(name)

    def may_meet(self, a: int, b: int) -> bool:
        """Whether two overlords (kinds) may play against each other (S3)."""
        one, two = self.cards.cards[a], self.cards.cards[b]
        return self.rules.mirror or (a != b and (not one.faction or one.faction != two.faction))

    def without_lottery(self) -> Box:
        """Return the same box, played without the denial lottery."""
        plain = replace(self.interventions, lottery=0.0)
        record = self.record.copy()
        record.lottery = 0
        record.denials = int(bool(plain.deny))
        return Box(self.cards, self.rules, plain, record, self.names, self.copies, self.alternatives)

    def new_instance(self, name: str) -> int:
        """Put one more card of that name into the box, for a table that is set by hand, and return it."""
        kind, n = self.kind(name), len(self.copies)
        copy = 1 + sum(1 for i in range(n) if self.record.kind_of[i] == kind)
        self.record.kind_of[n] = kind
        self.record.key[n] = key_of(self.names[kind], copy)
        self.record.instances = n + 1
        self.copies.append(copy)
        return n

    def instance_name(self, instance: int) -> str:
        """Return `Ghoul#2`: a card and which copy of it."""
        return f"{self.names[self.record.kind_of[instance]]}#{self.copies[instance]}"


@lru_cache(1 << 13)
def luck_of(name: str, first: int, copies: int) -> np.ndarray:
    """Return the luck of some copies of a card, from that one on: whoever moves numbers deals the same copies over and over."""
    return np.array([key_of(name, copy) for copy in range(first, first + copies)], np.uint64)


def link_numbers(cards: CardSet) -> dict[tuple[int, int], int]:
    """H1: return a number for each two factions that some monster shows side by side; it is what the engine compares."""
    pairs = {pair for card in cards if card.type == CardType.MONSTER and card.faction for pair in ((card.left, card.faction), (card.faction, card.right))}
    numbers: dict[tuple[int, int], int] = {pair: number for number, pair in enumerate(sorted(pair for pair in pairs if all(pair)), 1)}
    if len(numbers) > layout.LINK_CODES - 2:  # bits of a signed number
        raise PlanError(f"{cards.path}: more than {layout.LINK_CODES - 2} different Horde indicators; give a faction one orientation (rule H8).")
    return numbers


class BoxBuilder:
    """Fills a box record."""

    def __init__(self, cards: CardSet, rules: Rules, into: Any = None) -> None:
        """Begin with an empty record, or with one that is to be written over."""
        self.cards = cards
        self.rules = rules
        self.record = record(layout.BOX) if into is None else into
        self.rows = 0
        self.copies: list[int] = []  # by instance
        self._kind_of: list[int] = []
        self._luck: list[np.ndarray] = []
        self.alternatives: dict[int, list[str]] = {}
        self.links = link_numbers(cards)
        self.kinds = {card.name: kind for kind, card in enumerate(cards.cards)}

    def program(self, span: Any, abilities: Iterable[Ability]) -> None:
        """Append a program and note where it is."""
        abilities = order(abilities)  # P2: as `emit` does, so that `note_choices` finds the rows
        rows = emit(abilities)
        if self.rows + len(rows) > layout.ROWS:
            raise PlanError(f"{self.cards.path}: the abilities of this set are too long together; the engine holds {layout.ROWS} steps. Split the set.")
        span.pc = self.rows
        for row in rows:
            self.record.effect[self.rows] = row
            self.rows += 1
        span.end = self.rows
        self.note_choices(abilities, int(span.pc))

    def note_choices(self, abilities: Iterable[Ability], pc: int) -> int:
        """Remember the alternatives of each choice in a program as text; return the row behind the program."""
        for ability in abilities:
            if ability.effect in (Effect.ARMOR, Effect.CLAIM):
                continue
            choice = ability.effect == Effect.CHOOSE
            if choice:
                self.alternatives[pc] = [text_of_all(block, " and ") for block in ability.body]
            pc += 1
            for block in ability.body:
                pc = self.note_choices(block, pc + choice)
        return pc

    def instances(self, kind: int, first: int, copies: int) -> range:
        """Put new copies of a card into the box, from that one on, and return their numbers."""
        n = len(self.copies)
        if n + copies > layout.INSTANCES:
            raise PlanError(f"{self.cards.path}: more than {layout.INSTANCES} cards in the box; give fewer copies.")
        self.copies += range(first, first + copies)
        self._kind_of += [kind] * copies
        self._luck.append(luck_of(self.cards.cards[kind].name, first, copies))
        return range(n, n + copies)

    def card(self, kind: int, card: Card) -> None:
        """Write one row of the card table."""
        c = self.record.card[kind]
        c.type = card.type
        c.pile = card.pile
        c.faction = card.faction
        c.cost = -1 if card.cost is None else card.cost
        c.health = card.health or 0
        c.left = card.left
        c.right = card.right
        # H1: a.right names b's faction and b.left names a's: two numbers that must be equal.
        if card.type == CardType.MONSTER and card.faction:
            c.link_left = self.links.get((card.left, card.faction), 0)
            c.link_right = self.links.get((card.faction, card.right), 0)
        self.record.luck[kind] = key_of(card.name, 0)
        rest = []
        for ability in order(card.abilities):
            if ability.effect == Effect.ARMOR:
                c.armor += ability.amount
            elif ability.effect == Effect.CLAIM:
                c.claim = 1
            elif ability.effect == Effect.GAIN and ability.per == Per.NONE:
                name = Resource(ability.a).name.lower()
                setattr(c, name, getattr(c, name) + ability.amount)
            else:
                rest.append(ability)
        self.program(c.program, [*rest, *card.lit])
        c.active = int(c.coin + c.power + c.regeneration > 0 or c.program.end > c.program.pc)
        if card.type == CardType.OVERLORD and c.active:
            c.uses = 1 if self.rules.overlord_limit == "once" else card.limit or ANY_NUMBER
        c.hordes = len(card.horde)
        for number, abilities in enumerate(card.horde):
            self.program(c.horde[number], order(abilities))
        c.triggers = len(card.triggers)
        for number, trigger in enumerate(card.triggers):
            t = c.trigger[number]
            t.event = trigger.event
            t.first = int(trigger.first)
            self.program(t, trigger.body)
            c.ears |= 1 << trigger.event
        _features(self.record.has[kind], card)

    def rule_numbers(self) -> None:
        """Write the numbers of the rules."""
        r, rules = self.record.rules, self.rules
        for name in layout.RULES.names or ():
            if hasattr(rules, name) and name != "acolyte_cost":
                setattr(r, name, int(getattr(rules, name)))
        costs = [c.cost for c in self.cards.acolytes if c.cost is not None]
        r.acolyte_cost = rules.acolyte_cost if rules.acolyte_cost is not None else (costs[0] if costs else 2)
        r.since_in_play = int(rules.first_time == "since_in_play")
        r.horde_must = int(rules.horde_expand == "must")

    def rule_texts(self) -> None:
        """Write what rules say in the words of abilities."""
        r, rules = self.record.rules, self.rules
        resource, amount = read_gain(rules.sacrifice_gain)
        r.sacrifice_resource = resource
        r.sacrifice_amount = amount
        self.program(r.rage, [read_rage(rules.rage_choice)])

    def own_cards(self) -> None:
        """Write down whose the Influence cards are (S3)."""
        for kind, card in enumerate(self.cards.cards):
            if card.pile == Pile.INFLUENCE:
                own = self.record.own[self.cards.index(card.overlord)]
                own.kind[own.n] = kind
                own.n += 1

    def deal_out(self, removed: set[str]) -> None:
        """Write down which instances go where (S2 to S6)."""
        r = self.record
        market: list[int] = []
        acolytes: list[int] = []
        for kind, card in enumerate(self.cards.cards):
            if card.pile == Pile.MARKET and card.name not in removed:
                market += self.instances(kind, 1, card.copies)
            elif card.pile == Pile.ACOLYTE:
                acolytes += self.instances(kind, 1, card.copies)
            elif card.pile == Pile.STARTING:
                self.starters(kind, card)
            elif card.pile == Pile.INFLUENCE:
                # In a mirror match the second player has a set of their own.
                r.influence[:, kind] = self.instances(kind, 1, 2 if self.rules.mirror else 1)
        r.market_n, r.acolytes_n = len(market), len(acolytes)
        r.market[: len(market)], r.acolyte[: len(acolytes)] = market, acolytes

    def grants(self, grant: Iterable[tuple[str, int]]) -> None:
        """Put the cards that are granted to a seat into the box, and write down what all instances are: these are the last."""
        r = self.record
        for name, seat in grant:
            if r.grants_n[seat] == layout.GRANTS:
                raise PlanError(f"grant {name}: at most {layout.GRANTS} cards can be granted to a seat.")
            kind = self.kinds[self.cards.by_name(name).name]
            r.grant[seat][r.grants_n[seat]] = self.instances(kind, 1001 + int(r.grants_n[seat]) + layout.GRANTS * seat, 1)[0]
            r.grants_n[seat] += 1
        r.instances = len(self.copies)
        r.kind_of[: len(self.copies)], r.key[: len(self.copies)] = self._kind_of, np.concatenate(self._luck)

    def deal_anew(self, removed: set[str], grant: Iterable[tuple[str, int]]) -> None:
        """Write down anew which instances go where, in a record in which that was written before."""
        self.copies, self._kind_of, self._luck = [], [], []
        for name in DEALT:
            self.record[name] = 0
        self.deal_out(removed)
        self.grants(grant)

    def starters(self, kind: int, card: Card) -> None:
        """Put each seat's starting cards of one kind into the box (S4); the second seat has the later copies."""
        each = {"Cultist": self.rules.cultists, "Fanatic": self.rules.fanatics}.get(card.name, card.copies // 2)
        r = self.record
        for seat in range(2):
            n = int(r.starters_n[seat])
            if n + each > layout.STARTERS:
                raise PlanError(f"{self.cards.path}: a starting deck of more than {layout.STARTERS} cards; give fewer copies of the starting cards.")
            r.starter[seat][n : n + each] = self.instances(kind, 1 + seat * each, each)
            r.starters_n[seat] = n + each


def make_box(cards: CardSet, rules: Rules | None = None, interventions: Interventions | None = None) -> Box:
    """Return everything that the engine needs to know, as one record."""
    rules = rules or Rules()
    interventions = interventions or Interventions()
    if interventions.override:
        cards = cards.replace(interventions.override)
    builder = BoxBuilder(cards, rules)
    builder.rule_numbers()
    builder.rule_texts()
    r = builder.record
    r.kinds = len(cards.cards)
    for kind, card in enumerate(cards.cards):
        builder.card(kind, card)
    _check(interventions, cards)
    builder.own_cards()
    builder.deal_out({cards.by_name(name).name for name in interventions.remove})
    for name, seat in interventions.deny:
        r.deny[builder.kinds[cards.by_name(name).name]] |= 1 << seat
    builder.grants(interventions.grant)
    r.lottery = int(interventions.lottery * 2**64)
    r.denials = int(bool(interventions.deny) or interventions.lottery > 0)
    return Box(cards, rules, interventions, r, [card.name for card in cards.cards], builder.copies, builder.alternatives)


def _check(interventions: Interventions, cards: CardSet) -> None:
    """Refuse what cannot be done, in words."""
    for what, names in (("remove", interventions.remove), ("deny", [name for name, _ in interventions.deny])):
        for name in names:
            if cards.by_name(name).pile != Pile.MARKET:
                raise PlanError(f"{what} {name}: it is not a market card; only market cards can be removed or denied.")
    for name, _ in interventions.grant:
        if cards.by_name(name).type == CardType.OVERLORD:
            raise PlanError(f"grant {name}: an overlord cannot be put into a deck; grant a monster, relic or Influence card.")
    for name, seat in (*interventions.deny, *interventions.grant):
        if seat not in (0, 1):
            raise PlanError(f"{name}, seat {seat}: the seats are 0, who goes first, and 1.")
    if not 0.0 <= interventions.lottery < 1.0:
        raise PlanError(f"deny lottery {interventions.lottery}: give a probability from 0 to less than 1, for instance 0.1.")


@lru_cache
def read_rage(text: str) -> Ability:
    """Return `2 Coin|2 Power` as the choice that it is (K5)."""
    try:
        alternatives = tuple(parse_abilities(part) for part in text.split("|"))
    except LanguageError as error:
        raise RulesError(f"rule rage_choice: {error}") from None
    if len(alternatives) < 2 or not all(alternatives):
        raise RulesError(f"rule rage_choice: {text!r} is no choice; write two abilities with | between them, for instance 2 Coin|2 Power.")
    if any(ability.effect == Effect.RAGE for part in alternatives for ability in walk(part)):
        raise RulesError("rule rage_choice: RAGE within RAGE has no end; name what it gives, for instance 2 Coin|2 Power.")
    return Ability(Effect.CHOOSE, a=len(alternatives), body=alternatives)


def read_gain(text: str) -> tuple[int, int]:
    """Return `1 Power` as resource and amount (K3); `nothing` is none."""
    if text.strip().lower() in ("", "nothing", "none", "0"):
        return int(Resource.POWER), 0
    try:
        abilities = parse_abilities(text)
    except LanguageError as error:
        raise RulesError(f"rule sacrifice_gain: {error}") from None
    if len(abilities) != 1 or abilities[0].effect != Effect.GAIN or abilities[0].per != Per.NONE:
        raise RulesError(f"rule sacrifice_gain: {text!r} is not possible; write one resource, for instance 1 Power, or nothing.")
    return abilities[0].a, abilities[0].amount


_FEATURE_OF = {
    Effect.DRAW: "draw",
    Effect.CURSE: "curse",
    Effect.DESTROY: "destroy",
    Effect.COMMAND: "command",
    Effect.MUSTER: "muster",
    Effect.RAGE: "rage",
    Effect.HAUNT: "haunt",
    Effect.HAUNT_ANOTHER: "haunt",
    Effect.SACRIFICE: "sacrifice",
    Effect.CLAIM: "claim",
    Effect.ARMOR: "armor",
    Effect.GAIN_HEALTH: "health",
    Effect.OPPONENT_LOSES: "drain",
    Effect.OPPONENT_DISCARDS: "discard",
    Effect.REVEAL: "reveal",
    Effect.LOOK: "other",
    Effect.ACTIVATE: "other",
    Effect.SHUFFLE: "other",
    Effect.TAKE: "other",
    Effect.CONVERT: "other",
    Effect.CLAIM_NEXT: "other",
    Effect.BUY_WITH: "other",
}
_WITH_AMOUNT = (Effect.DRAW, Effect.ARMOR, Effect.GAIN_HEALTH, Effect.OPPONENT_LOSES, Effect.OPPONENT_DISCARDS)


def _features(has: Any, card: Card) -> None:
    """Count what a card has: its own abilities in full, conditional and triggered ones for half."""
    for ability in card.abilities:
        _count(has, ability, 1.0, False)
    for ability in card.lit:
        _count(has, ability, 0.5, False)
    for trigger in card.triggers:
        _trigger(has, trigger)
    for abilities in card.horde:
        for ability in abilities:
            _count(has, ability, 1.0, True)


def _trigger(has: Any, trigger: Trigger) -> None:
    has.triggered += 1
    for ability in trigger.body:
        _count(has, ability, 0.5, False)


def _count(has: Any, ability: Ability, weight: float, horde: bool) -> None:
    """Add one ability to the features."""
    amount = float(ability.amount or 1) * weight * (1.5 if ability.per != Per.NONE else 1.0)
    if ability.effect in (Effect.IF, Effect.COST):
        if ability.effect == Effect.COST:
            has.costs += weight * (ability.amount if ability.a != Cost.SACRIFICE_THIS else 2)
        share = weight if ability.effect == Effect.COST or ability.a == Condition.LIT else weight / 2
        for inner in ability.body[0]:
            _count(has, inner, share, horde)
    elif ability.effect == Effect.CHOOSE:
        for block in ability.body:
            for inner in block:
                _count(has, inner, weight / len(ability.body), horde)
    elif ability.effect == Effect.GAIN:
        name = Resource(ability.a).name.lower()
        if not horde:
            setattr(has, name, getattr(has, name) + amount)
        elif name == "regeneration":
            has.horde_other += amount
        else:
            setattr(has, f"horde_{name}", getattr(has, f"horde_{name}") + amount)
    elif horde:
        has.horde_other += weight
    elif ability.effect in _FEATURE_OF:
        name = _FEATURE_OF[ability.effect]
        setattr(has, name, getattr(has, name) + (amount if ability.effect in _WITH_AMOUNT else weight))
