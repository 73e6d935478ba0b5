"""A referee: follows the decisions table of a run row by row, and says where the rules were not kept.

It knows the cards, the rules and the table, and nothing of the engine: a third opinion beside the engine and the naive implementation of the tests, made from
what was written down alone. This file has its bookkeeping: `DecisionRow` is a row as it is read, `TurnNotes` what must be remembered through an Action
Phase, and `after` where every card should be when a decision has been carried out. The checks, each with its rule, are in
referee_checks.py, those of a whole game, how it begins and how it ends, at the end of this file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from terrors.simulator.cards.card_set import Card, CardSet
from terrors.simulator.cards.vocabulary import Ability, parse_abilities, walk
from terrors.simulator.terms.enums import CardType, Effect, Mark, Per, Pile, Place, Resource
from terrors.simulator.terms.ruleset import Rules

SEATS = ("first", "second")
PLAYERS = ("the first player", "the second player")
POOL = ("coin", "power", "regeneration")
TOKEN = Mark.HAUNT_SIDE | Mark.DISMISS_SIDE
UNLIMITED = 32_767
Copy = tuple[str, int]  # a card: its name, and which copy it is
Where = tuple[str, int]  # a place: its name and whose it is; the Street and what left it are nobody's, -1
STREET, STREET_REMOVED = ("street", -1), ("street removed", -1)
PLACES = {"hand": "hand", "play": "play", "rival play": "play", "discard": "discard", "deck": "deck"}


@dataclass
class SideState:
    """The cards, tokens and resources of one player."""

    hand: list[Copy]
    deck: list[Copy]  # the top last
    discard: list[Copy]
    removed: list[Copy]
    play: list[Copy]
    horde: dict[Copy, int]
    marks: dict[Copy, int]
    health: int
    muster: int

    @property
    def chains(self) -> list[tuple[Copy, ...]]:
        """The hordes, each from left to right."""
        numbers = sorted({number for number in self.horde.values() if number})
        return [tuple(card for card in self.play if self.horde[card] == number) for number in numbers]


class DecisionRow:
    """One row of the decisions table."""

    def __init__(self, row: dict[str, Any]) -> None:
        """Read a row of the decisions table."""
        self.row = row
        self.turn, self.question, self.action, self.place, self.to = row["turn"], row["question"], row["action"], row["place"], row["to"]
        self.active, self.seat = SEATS.index(row["active"]), SEATS.index(row["seat"])
        self.chosen: Copy | None = (row["card"], row["copy"]) if row["copy"] is not None else None
        self.other: Copy | None = (row["other"], row["other_copy"]) if row["other_copy"] is not None else None
        self.cause: Copy | None = (row["cause"], row["cause_copy"]) if row["cause_copy"] is not None else None
        self.pool = [row[name] for name in POOL]
        self.pay = [row[f"pay_{name}"] for name in POOL]
        self.street = self._cards("street")
        self.street_removed = self._cards("street_removed")
        self.sides = [self._side(seat) for seat in SEATS]

    def _cards(self, name: str) -> list[Copy]:
        return list(zip(self.row[name], self.row[f"{name}_copies"], strict=True))

    def _side(self, seat: str) -> SideState:
        row, play = self.row, self._cards(f"{seat}_play")
        hand, deck, discard, removed = (self._cards(f"{seat}_{name}") for name in ("hand", "deck_cards", "discard_cards", "removed"))
        horde, marks = (dict(zip(play, row[f"{seat}_{name}"], strict=True)) for name in ("hordes", "marks"))
        return SideState(hand, deck, discard, removed, play, horde, marks, row[f"{seat}_health"], row[f"{seat}_muster"])

    @property
    def me(self) -> SideState:
        """The side of the player whose turn it is."""
        return self.sides[self.active]

    @property
    def rival(self) -> SideState:
        """The side of the other player."""
        return self.sides[1 - self.active]

    def everywhere(self) -> Iterator[tuple[Copy, Where]]:
        """Every card whose place is known."""
        for seat, side in enumerate(self.sides):
            for name in ("hand", "deck", "discard", "removed", "play"):
                for card in getattr(side, name):
                    yield card, (name, seat)
        for card in self.street:
            yield card, STREET
        for card in self.street_removed:
            yield card, STREET_REMOVED

    @cached_property
    def where(self) -> dict[Copy, Where]:
        """The place of every card."""
        return dict(self.everywhere())


@dataclass
class CardFacts:
    """The abilities of a card, as far as a referee needs to know."""

    card: Card
    printed: list[int]  # Coin, Power, Regeneration whenever it is activated (P2)
    by_itself: set[str]  # what its abilities may change besides: names of resources, "heal", "lose", "hurt", "haunt", "muster"
    by_trigger: set[str]  # what its triggered abilities may
    on_horde: set[str]


class Facts:
    """The cards and the rules."""

    def __init__(self, cards: CardSet, rules: Rules, removed: Iterable[str] = (), grants: Iterable[tuple[str, int]] = ()) -> None:
        """`removed`, `grants`: a run's interventions."""
        self.rules, self.cards = rules, cards
        self.rage = changes_of(tuple(ability for part in rules.rage_choice.split("|") for ability in parse_abilities(part)), set())
        self.kinds = {card.name: self._kind(card) for card in cards.cards}
        costs = [card.cost for card in cards.acolytes if card.cost is not None]
        self.acolyte_cost = rules.acolyte_cost if rules.acolyte_cost is not None else (costs[0] if costs else 2)
        gain = () if rules.sacrifice_gain.strip().lower() in ("", "nothing", "none", "0") else parse_abilities(rules.sacrifice_gain)
        self.sacrifice = [sum(ability.amount for ability in gain if ability.a == resource) for resource in Resource]
        out = {cards.by_name(name).name for name in removed}
        self.market = sum(card.copies for card in cards.market if card.name not in out)
        self.acolytes = sum(card.copies for card in cards.acolytes)
        self.granted = [Counter(cards.by_name(name).name for name, to in grants if to == seat) for seat in range(2)]

    def _kind(self, card: Card) -> CardFacts:
        printed = [0, 0, 0]
        rest: list[Ability] = []
        for ability in card.abilities:
            if ability.effect == Effect.GAIN and ability.per == Per.NONE:
                printed[ability.a] += ability.amount
            else:
                rest.append(ability)
        horde = tuple(ability for abilities in card.horde for ability in abilities)
        by_trigger = changes_of(tuple(ability for trigger in card.triggers for ability in trigger.body), self.rage)
        return CardFacts(card, printed, changes_of((*rest, *card.lit), self.rage), by_trigger, changes_of(horde, self.rage))

    def of(self, card: Copy | str) -> Card:
        """Return the printed card."""
        return self.kinds[card if isinstance(card, str) else card[0]].card

    def is_relic(self, card: Copy) -> bool:
        """Whether a card is a relic."""
        return self.of(card).type == CardType.RELIC

    def relics(self, side: SideState) -> list[Copy]:
        """Return the relics of a side."""
        return [card for card in side.play if self.is_relic(card)]

    def armor(self, side: SideState) -> int:
        """A2: the sum over the cards in play."""
        return sum(self.of(card).armor for card in side.play)

    def links(self, left: Copy, right: Copy) -> bool:
        """H1: whether the one can stand to the left of the other."""
        a, b = self.of(left), self.of(right)
        return bool(a.faction and b.faction) and a.right == b.faction and b.left == a.faction


def changes_of(abilities: tuple[Ability, ...], rage: set[str]) -> set[str]:
    """Return what these abilities may change without asking anybody in between."""
    words = {Effect.GAIN_HEALTH: "heal", Effect.LOSE_HEALTH: "lose", Effect.OPPONENT_LOSES: "hurt", Effect.HAUNT: "haunt", Effect.MUSTER: "muster"}
    found: set[str] = set()
    for ability in walk(abilities):
        if ability.effect == Effect.GAIN:
            found.add(POOL[ability.a])
        elif ability.effect == Effect.RAGE:
            found |= rage
        elif ability.effect in words:
            found.add(words[ability.effect])
    return found


@dataclass
class TurnNotes:
    """The notes that go from one row to the next: all of it begins anew with a turn, but for what a question is about."""

    began: set[Copy] = field(default_factory=set)  # cards that began the turn in play
    stopped: int = 0  # A2: damage that Armor has stopped
    relics: Counter[Copy] = field(default_factory=Counter)  # R1
    haunted: set[Copy] = field(default_factory=set)  # N1
    abilities: set[tuple[Copy, int]] = field(default_factory=set)  # H4
    overlord: int = 0  # O1
    horde: dict[Copy, int] = field(default_factory=dict)  # H5: which horde a monster has joined
    hordes: int = 0
    actors: set[str] = field(default_factory=set)  # names of cards that were in play, and of the overlord
    waiting: DecisionRow | None = None  # a relic beyond the limit that is being played or bought (P8), or a purchase that is being paid


class Position:
    """The places where the cards should be after a decision."""

    def __init__(self, sheet: DecisionRow) -> None:
        """Keep what was there before."""
        self.where = dict(sheet.where)
        self.street: list[Copy | None] = list(sheet.street)  # None: a new card from the Market
        self.market, self.acolytes = sheet.row["market"], sheet.row["acolytes"]

    def leave_street(self, card: Copy, to: Where) -> None:
        """B2: a card leaves the Street, and the next one of the Market takes its place."""
        self.where[card] = to
        if card not in self.street:
            return  # it was not there: other checks say so
        at = self.street.index(card)
        if self.market:
            self.market -= 1
            self.street[at] = None
        else:
            del self.street[at]


def waits(facts: Facts, sheet: DecisionRow) -> bool:
    """P8: whether a relic is played or bought while the Relic area is full, so that one of the others has to go first."""
    relic = sheet.action in ("play", "buy") and sheet.chosen is not None and facts.is_relic(sheet.chosen)
    return relic and len(facts.relics(sheet.me)) >= facts.rules.relic_limit


def after(facts: Facts, sheet: DecisionRow, notes: TurnNotes) -> Position:
    """Return where the cards are when the decision has been carried out, before anything is drawn."""
    found, me, chosen = Position(sheet), sheet.active, sheet.chosen
    bought = {"discard": ("discard", me), "deck": ("deck", me), "relics": ("play", me), None: ("discard", me)}
    if sheet.action == "buy acolyte":
        found.acolytes -= 1
    elif sheet.question == "payment" and notes.waiting and notes.waiting.chosen:
        found.leave_street(notes.waiting.chosen, bought[notes.waiting.to])
    elif sheet.action == "yes" and sheet.place == "play" and sheet.cause:
        found.where[sheet.cause] = ("removed", me)
    elif chosen is None or waits(facts, sheet):
        pass
    elif sheet.action == "play":
        found.where[chosen] = ("play", me)
    elif sheet.action == "buy" or sheet.question == "take":
        found.leave_street(chosen, bought[sheet.to])
    elif sheet.question == "relic limit":
        found.where[chosen] = ("removed", me)
        if notes.waiting and notes.waiting.chosen and notes.waiting.action == "play":
            found.where[notes.waiting.chosen] = ("play", me)
        elif notes.waiting and notes.waiting.chosen:
            found.leave_street(notes.waiting.chosen, ("play", me))
    elif sheet.question in ("curse", "discard", "discard cost"):
        found.where[chosen] = ("discard", sheet.seat)
    elif sheet.question == "destroy" and sheet.place == "street":
        found.leave_street(chosen, STREET_REMOVED)
    elif sheet.question == "destroy":
        found.where[chosen] = ("discard", me if sheet.place == "play" else 1 - me)
    elif sheet.question == "sacrifice":
        found.where[chosen] = ("removed", me)
    elif sheet.question == "command":
        found.where[chosen] = ("hand", me)
    elif sheet.question == "look":
        found.where[chosen] = ("discard", me)
    return found


def chains_after(sheet: DecisionRow, position: Position) -> list[tuple[Copy, ...]]:
    """H2, H7: the active player's hordes when the decision has been carried out: one made longer or formed, those closed up that lost a member."""
    chains = [list(chain) for chain in sheet.me.chains]
    if sheet.action in ("horde", "horde left", "horde right") and sheet.chosen and sheet.other:
        pair = [sheet.other, sheet.chosen] if sheet.action == "horde right" else [sheet.chosen, sheet.other]
        mine = next((chain for chain in chains if sheet.other in chain), None)
        if mine is None:
            chains.append(pair)
        else:
            mine.insert(0 if sheet.action == "horde left" else len(mine), sheet.chosen)
    there = [[card for card in chain if position.where[card] == ("play", sheet.active)] for chain in chains]
    return sorted(tuple(chain) for chain in there if len(chain) > 1)


def note(facts: Facts, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> TurnNotes:
    """The notes after a decision; new ones when a turn begins."""
    if following.turn != sheet.turn:
        return TurnNotes(began=set(following.me.play), actors={card for card, _ in following.me.play} | {following.row[f"{SEATS[following.active]}_overlord"]})
    chosen = sheet.chosen
    if sheet.action == "attack":
        notes.stopped += min(sheet.pay[1], max(0, facts.armor(sheet.rival) - notes.stopped))
    elif sheet.action == "relic" and chosen:
        notes.relics[chosen] += 1
    elif sheet.action == "haunt" and chosen:
        notes.haunted.add(chosen)
    elif sheet.action == "overlord":
        notes.overlord += 1
    elif sheet.action == "ability" and chosen:
        notes.abilities.add((chosen, sheet.row["amount"]))
    elif sheet.action in ("horde", "horde left", "horde right") and chosen and sheet.other:
        known = notes.horde.get(sheet.other, notes.horde.get(chosen))
        if known is None:
            notes.hordes += 1
        notes.horde[chosen] = notes.horde[sheet.other] = notes.hordes if known is None else known
    if waits(facts, sheet) or (sheet.question == "buy with" and chosen):
        notes.waiting = sheet
    elif sheet.question in ("relic limit", "payment"):
        notes.waiting = None
    notes.actors |= {card for card, _ in following.me.play}
    return notes


@dataclass
class Violation:
    """A rule that was not kept, and where."""

    rule: str
    game: int
    turn: int
    step: int
    words: str

    def __str__(self) -> str:
        return f"Game {self.game}, turn {self.turn}, step {self.step}, rule {self.rule}: {self.words}."


class Referee:
    """Follows games, counts what was compared and keeps what was wrong."""

    def __init__(self, facts: Facts) -> None:
        """Begin with nothing followed."""
        self.facts = facts
        self.compared: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.games = self.rows = self.cut = 0
        self.at: DecisionRow

    def expect(self, rule: str, holds: bool, words: str, *values: object) -> None:
        """Compare: count it under its rule; if it does not hold, remember the sentence, into which the values are put."""
        self.compared[rule] += 1
        if not holds:
            row = self.at.row
            self.violations.append(Violation(rule, row["game"], row["turn"], row["step"], words.format(*values)))

    def follow(self, game: dict[str, Any], rows: list[dict[str, Any]], cut: bool = False) -> None:
        """One game: its row of the games table, and its decisions in their order. `cut`: whether the run says that rows did not fit."""
        from terrors.simulator.runs.checks.referee_checks import ALONE, AT_THE_END, BETWEEN

        overlords = {f"{seat}_overlord": game[f"{seat}_overlord"] for seat in SEATS}
        sheets = [DecisionRow(row | overlords) for row in rows]
        self.games += 1
        self.rows += len(rows)
        notes = TurnNotes(actors={game["first_overlord"]})
        for number, sheet in enumerate(sheets):
            self.at = sheet
            for alone in ALONE:
                alone(self, sheet, notes)
            if number + 1 < len(sheets):
                following = sheets[number + 1]
                for between in BETWEEN:
                    between(self, sheet, following, notes)
                notes = note(self.facts, sheet, following, notes)
        if cut and sheets[-1].action is not None:
            self.cut += 1
            return
        for check in AT_THE_END:
            check(self, sheets, game)


def starting_kinds(facts: Facts, seat: int, influences: list[str]) -> Counter[str]:
    """S4: what a player's deck is made of."""
    each = {"Cultist": facts.rules.cultists, "Fanatic": facts.rules.fanatics}
    found = Counter({card.name: each.get(card.name, card.copies // 2) for card in facts.cards.starting})
    found.update(influences)
    found.update(facts.granted[seat])
    return +found


def is_acolyte(facts: Facts, card: Copy) -> bool:
    """S5: whether it comes from that pile."""
    return facts.of(card).pile == Pile.ACOLYTE


def places_of(bits: int) -> set[str]:
    """The names of the places that an ability may reach."""
    return {place.name.lower().replace("_", " ") for place in Place if bits & place}


# A whole game


def setup(referee: Referee, sheets: list[DecisionRow], game: dict[str, Any]) -> None:
    """S1, S4, S5, S6, S7: Health, decks, hands, Street and piles as the game begins."""
    first = next((sheet for sheet in sheets if sheet.turn == 1), None)
    if first is None:
        return
    referee.at = first
    facts, rules = referee.facts, referee.facts.rules
    for seat, size in enumerate((rules.first_hand, rules.second_hand)):
        side, name = first.sides[seat], SEATS[seat]
        influences = [text for text in game[f"{name}_influences"].split(" + ") if text]
        wanted, mine = starting_kinds(facts, seat, influences), Counter(card for card, _ in side.hand + side.deck)
        referee.expect("S4", mine == wanted, "the deck of {} does not begin as it should", PLAYERS[seat])
        hand = min(size, sum(wanted.values()))
        referee.expect("S7", len(side.hand) == hand, "{} begins with {} cards instead of {}", PLAYERS[seat], len(side.hand), hand)
        referee.expect("S1", side.health == facts.of(game[f"{name}_overlord"]).health, "{} does not begin with full Health", PLAYERS[seat])
    referee.expect("S5", first.row["acolytes"] == min(64, facts.acolytes), "the game begins with {} Acolytes", first.row["acolytes"])
    market = min(256, facts.market)
    right = len(first.street) == min(rules.street_size, market) and len(first.street) + first.row["market"] == market
    referee.expect("S6", right, "the Street begins with {} cards and the Market with {}", len(first.street), first.row["market"])


def game_end(referee: Referee, sheets: list[DecisionRow], game: dict[str, Any]) -> None:
    """T4, E1: the game ends when somebody has no Health, and the other has won; or after the last turn, and nobody has."""
    last = referee.at = sheets[-1]
    healths = [side.health for side in last.sides]
    referee.expect("T4", last.action is None, "the game has no end")
    if game["end"] == "turn limit":
        referee.expect("E1", last.turn == referee.facts.rules.max_turns and game["winner"] == "draw", "the turn limit ended turn {}", last.turn)
        return
    referee.expect("T4", min(healths) == 0 < max(healths), "the game ended with {} and {} Health", *healths)
    referee.expect("T4", game["winner"] == SEATS[healths.index(max(healths))], "{} is said to have won with {} and {} Health", game["winner"], *healths)
    referee.expect("T4", [game[f"{seat}_health"] for seat in SEATS] == healths, "the games table has another Health at the end")
