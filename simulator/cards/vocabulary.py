"""The ability language: one row of `WORDS` for each word that a card file may use.

To add a word: one row in `WORDS` here (its pattern reads and writes it), and one function for its effect in rules/effects.py. Nothing else: the parser, the
normal form, the English sentences, `terrors cards words` and the tests follow the table. Patterns are explained in grammar.py, the meaning of an
ability's fields in enums.py.

    parse_abilities("1 Power; pay 1 Health: DRAW 1")  -> abilities, in printed order
    text_of(ability), sentence(ability)               -> as a designer writes it; as a person reads it
    emit(abilities)                                   -> rows of a program for the engine, in the order of P2
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from terrors.simulator.cards.dialect import STANDARD, Dialect
from terrors.simulator.cards.grammar import (
    Ability,
    Body,
    Count,
    FieldForm,
    Grammar,
    LanguageError,
    Rank,
    Trigger,
    Word,
    any_of,
    number,
    one_of,
    tidy,
    walk,
)
from terrors.simulator.cards.limits import LIMITS, limit_in, limit_text, misplaced_limit, read_limit
from terrors.simulator.cards.parser import read
from terrors.simulator.terms.enums import Condition, Cost, Effect, Event, Faction, Fits, Per, Place, Resource, played_event
from terrors.simulator.terms.text import did_you_mean, quoted

__all__ = [
    "COUNTS", "EVENTS", "LIMITS", "WORDS", "Ability", "LanguageError", "Rank", "Trigger", "emit", "faction_form", "horde_sentences", "horde_text", "limit_text",
    "order", "parse_abilities", "parse_horde", "parse_limited", "parse_triggers", "rank", "sentence", "sentences", "text_of", "text_of_all",
    "trigger_sentence", "trigger_text", "walk",
]  # fmt: skip

MAX_AMOUNT = 99
MAX_HEALTH = 999
MAX_HORDE = 2  # Horde abilities on one card (H6)

RESOURCES = {resource.name.capitalize(): int(resource) for resource in Resource}
PLACES = {"play": int(Place.PLAY), "hand": int(Place.HAND), "discard": int(Place.DISCARD)}


def any_mix(names: list[str]) -> str:
    """Return the words of a sentence for what a purchase is paid with."""
    return names[0] if len(names) == 1 else "any mix of " + ", ".join(names[:-1]) + " and " + names[-1]


def with_article(faction: int) -> str:
    """Return a faction as one of its monsters is spoken of: `an Undead`."""
    label = faction.label if isinstance(faction, Faction) and faction.label else Faction.PRINTED[faction - 1].label
    return ("an " if label[0] in "AEIOU" else "a ") + label


# How the fields in a pattern are written. The last four only serve sentences.
SLOTS: dict[str, FieldForm] = {
    "amount": number("amounts", MAX_AMOUNT),
    "count": number("amounts", MAX_AMOUNT, one="a"),  # "discard a card", "discard 2 cards"
    "health": number("amounts of Health", MAX_HEALTH),
    "faction": one_of("a faction", {faction.label: faction for faction in Faction.PRINTED}),
    "resource": one_of("a resource", RESOURCES),
    "resources": any_of("a resource", {name: 1 << value for name, value in RESOURCES.items()}),
    "payable": one_of("something to pay with", {cost.name.capitalize(): int(cost) for cost in (Cost.COIN, Cost.POWER, Cost.REGENERATION, Cost.HEALTH)}),
    "places": any_of("a place", PLACES),
    "a_faction": FieldForm("a faction", "", int, with_article),
    "piles": any_of("a place", {"play area": Place.PLAY, "hand": Place.HAND, "discard pile": Place.DISCARD}),
    "mix": FieldForm("a resource", "", int, lambda flags: any_mix([name for name, value in RESOURCES.items() if flags >> value & 1])),
    "top": FieldForm("a number", "", int, lambda n: "top card" if n == 1 else f"top {n} cards"),
}

KEYWORD, UNIQUE, RESOURCE, STATIC = Rank.KEYWORD, Rank.UNIQUE, Rank.RESOURCE, Rank.STATIC


def same_resource(ability: Ability) -> str:
    """Return what is wrong with a conversion that changes nothing (G1); empty if it changes something."""
    return "nothing to convert" if ability.a == ability.b else ""


# fmt: off
WORDS: tuple[Word, ...] = (
    Word(Effect.GAIN, "{amount} {a:resource}", "Gain that much of the resource (T3).", "gain {amount} {a:resource}",
         ("2 Coin", "1 Power", "3 Regeneration"), RESOURCE, also=("gain {amount} {a:resource}",), per=True),
    Word(Effect.ARMOR, "{amount} Armor", "Static: while this is in play, its owner takes that much less damage a turn (K10, A2).",
         "{amount} Armor while this is in play", ("2 Armor",), STATIC),
    Word(Effect.CURSE, "CURSE", "The opponent loses 2 Health or discards a card, as they choose (K1).", "CURSE", ("CURSE",), KEYWORD),
    Word(Effect.DESTROY, "DESTROY", "A card in play goes to its owner's discard pile, or a Street card leaves the game (K2).",
         "DESTROY", ("DESTROY",), KEYWORD, also=("DESTROY a card",)),
    Word(Effect.COMMAND, "COMMAND", "Take a monster costing 3 or less from your discard pile to your hand (K4).", "COMMAND", ("COMMAND",), KEYWORD,
         also=("COMMAND a monster",)),
    Word(Effect.MUSTER, "MUSTER", "Take a token: draw 1 card more at the end of the turn (K6).", "MUSTER", ("MUSTER",), KEYWORD),
    Word(Effect.RAGE, "RAGE", "Choose one of two resources, 2 of it (K5).", "RAGE", ("RAGE",), KEYWORD),
    Word(Effect.DRAW, "DRAW {amount}", "Draw that many cards (K7).", "draw {amount} card(s)",
         ("DRAW 2",), KEYWORD, also=("DRAW", "DRAW {amount} card(s)"), per=True),
    Word(Effect.HAUNT, "HAUNT", "This monster gets a HAUNT token and stays in play (K8).", "HAUNT", ("HAUNT",), KEYWORD),
    Word(Effect.HAUNT_ANOTHER, "HAUNT another monster", "A HAUNT token on another monster of yours in play that has none (K8).",
         "HAUNT another monster", ("HAUNT another monster",), KEYWORD),
    Word(Effect.SACRIFICE, "SACRIFICE", "Remove a card of yours in play from the game and gain 1 Power (K3).", "SACRIFICE", ("SACRIFICE",), KEYWORD,
         fixed={"a": int(Place.PLAY)}, also=("SACRIFICE a card",)),
    Word(Effect.SACRIFICE, "SACRIFICE from {a:places}", "The same with a card in one of these places (K3).", "SACRIFICE from your {a:piles}",
         ("SACRIFICE from hand", "SACRIFICE from discard", "SACRIFICE from hand or discard"), KEYWORD),
    Word(Effect.CLAIM, "CLAIM", "Static: when bought, this may go on top of your deck (K9, B3).", "CLAIM", ("CLAIM",), STATIC),
    Word(Effect.GAIN_HEALTH, "gain {amount} Health", "Your Health rises, never above its start (G4).", "gain {amount} Health", ("gain 2 Health",), per=True),
    Word(Effect.LOSE_HEALTH, "lose {amount} Health", "Your Health falls; Armor does not help (G4).", "lose {amount} Health", ("lose 1 Health",)),
    Word(Effect.OPPONENT_LOSES, "opponent loses {amount} Health", "The opponent's Health falls; Armor does not help (G4).",
         "make your opponent lose {amount} Health", ("opponent loses 2 Health",), per=True),
    Word(Effect.DISCARD, "discard {amount}", "Discard that many cards of your choice from hand (G3).", "discard {amount} card(s)",
         ("discard 1",), also=("discard {amount} card(s)",)),
    Word(Effect.OPPONENT_DISCARDS, "opponent discards {amount}", "The opponent discards that many cards, as they choose (G3).",
         "make your opponent discard {amount} card(s)", ("opponent discards 1",), also=("opponent discards {amount} card(s)",)),
    Word(Effect.CONVERT, "convert {a:resource} to {b:resource}", "Exchange them 1:1 as you like, for the rest of this turn (G1).",
         "convert {a:resource} to {b:resource} this turn, 1 for 1", ("convert Power to Coin",), optional=True, check=same_resource),
    Word(Effect.LOOK, "look at {amount}: discard any", "Look at the top cards of your deck and discard any of them (G2).",
         "look at the {amount:top} of your deck and discard (it if you like|any of them)",
         ("look at 2: discard any",), also=("look at {amount} card(s): discard any",)),
    Word(Effect.REVEAL, "reveal {amount}: if {b:faction}, take it", "Reveal the top cards of your deck; those of the faction go to your hand (G2).",
         "reveal the {amount:top} of your deck and take (it to your hand if it is|to your hand each that is) {b:a_faction}",
         ("reveal 1: if Beast, take it",), fixed={"a": int(Fits.FACTION)}),
    Word(Effect.REVEAL, "reveal {amount}: if monster, take it", "Reveal the top cards of your deck; monsters go to your hand (G2).",
         "reveal the {amount:top} of your deck and take (it to your hand if it is|to your hand each that is) a monster",
         ("reveal 1: if monster, take it",), fixed={"a": int(Fits.MONSTER)}),
    Word(Effect.REVEAL, "reveal {amount}: if relic, take it", "Reveal the top cards of your deck; relics go to your hand (G2).",
         "reveal the {amount:top} of your deck and take (it to your hand if it is|to your hand each that is) a relic",
         ("reveal 1: if relic, take it",), fixed={"a": int(Fits.RELIC)}),
    Word(Effect.ACTIVATE, "activate a Horde ability", "One unused Horde ability of any monster of yours in play (H3, H4).",
         "activate an unused Horde ability of a monster that you have in play", ("activate a Horde ability",)),
    Word(Effect.CLAIM_NEXT, "next monster bought gains CLAIM", "The next Street monster that you buy this turn may go on top of your deck (B3).",
         "give CLAIM to the next monster that you buy this turn", ("next monster bought gains CLAIM",)),
    Word(Effect.BUY_WITH, "buy a monster costing {amount} or less with {a:resources}", "Buy a Street monster, paying with any mix of these resources.",
         "buy a Street monster that costs {amount} or less, paying with {a:mix}", ("buy a monster costing 3 or less with Coin or Power",), optional=True),
    Word(Effect.TAKE, "take a Street monster costing {amount} or less", "It goes to your discard pile for free; this is not a purchase.",
         "take a Street monster that costs {amount} or less to your discard pile", ("take a Street monster costing 3 or less",)),
    Word(Effect.SHUFFLE, "shuffle discard into deck", "Your discard pile and your deck become one shuffled deck.",
         "shuffle your discard pile into your deck", ("shuffle discard into deck",)),
    Word(Effect.CHOOSE, "choose", "One of the alternatives, your choice; more than two are possible.", "choose one",
         ("choose 2 Coin or 2 Power", "choose 2 Coin or 1 Coin and MUSTER or DRAW 1"), body=Body.CHOICE),
    Word(Effect.IF, "if {b:faction} in play:", "Only if you have a monster of that faction in play.", "if you have {b:a_faction} in play",
         ("if Undead in play: 2 Power",), fixed={"a": int(Condition.FACTION_IN_PLAY)}, body=Body.BLOCK),
    Word(Effect.IF, "if opponent has a relic:", "Only if the opponent has a relic in play.", "if your opponent has a relic",
         ("if opponent has a relic: DESTROY",), fixed={"a": int(Condition.OPPONENT_HAS_RELIC)}, body=Body.BLOCK),
    Word(Effect.IF, "if Health {b:health} or less:", "Only if your Health is that low.", "if you have {b:health} Health or less",
         ("if Health 10 or less: 3 Regeneration",), fixed={"a": int(Condition.HEALTH_AT_MOST)}, body=Body.BLOCK),
    Word(Effect.IF, "faction in play:", "Influence cards only, among the triggers: only if you have a monster of your overlord's faction in play (P6).",
         "if you have a monster of your overlord's faction in play", ("faction in play: 2 Power",), fixed={"a": int(Condition.LIT)}, body=Body.BLOCK),
    Word(Effect.COST, "pay {amount} {a:payable}:", "A cost, which may be declined; the rest follows only if it is paid (G6).",
         "pay {amount} {a:payable}", ("pay 1 Health: DRAW 1", "pay 2 Coin: CURSE", "pay 1 Health: DRAW 1 and 1 Power"), body=Body.BLOCK),
    Word(Effect.COST, "discard {amount:count} card(s):", "The same, paid with cards from hand (G3).", "discard {amount} card(s)",
         ("discard a card: 2 Power", "discard 2 cards: CURSE"), fixed={"a": int(Cost.DISCARD)}, also=("discard {amount}:",), body=Body.BLOCK),
    Word(Effect.COST, "SACRIFICE this:", "The same, paid with this card (K3).", "SACRIFICE this card",
         ("SACRIFICE this: 3 Power",), fixed={"a": int(Cost.SACRIFICE_THIS)}, also=("SACRIFICE this card:",), body=Body.BLOCK),
)

# What may stand behind an amount, of the words that have `per` above.
COUNTS: tuple[Count, ...] = (
    Count(Per.FACTION_IN_PLAY, "{of:faction} in play", "Your monsters of that faction in play.", "for each {of:faction} that you have in play",
          ("1 Power per Beast in play",)),
    Count(Per.RELIC, "relic(s)", "Your relics in play.", "for each relic that you have", ("1 Power per relic",)),
    Count(Per.CARD_IN_HAND, "card(s) in hand", "The cards in your hand.", "for each card in your hand", ("1 Power per card in hand",)),
    Count(Per.MONSTER_IN_HORDE, "monster(s) in this horde", "The monsters in the horde that this monster is in.", "for each monster in this horde",
          ("1 Power per monster in this horde",)),
)


@dataclass(frozen=True)
class EventWord:
    """One row of the table of events (P3): all are things that you do."""

    event: Event
    text: str
    say: str
    meaning: str


EVENTS: tuple[EventWord, ...] = (
    EventWord(Event.UNDEAD_PLAYED, "Undead played", "you play an Undead", "You play an Undead monster from hand."),
    EventWord(Event.BEAST_PLAYED, "Beast played", "you play a Beast", "You play a Beast monster from hand."),
    EventWord(Event.MORTAL_PLAYED, "Mortal played", "you play a Mortal", "You play a Mortal monster from hand."),
    EventWord(Event.SPIRIT_PLAYED, "Spirit played", "you play a Spirit", "You play a Spirit monster from hand."),
    EventWord(Event.MONSTER_PLAYED, "monster played", "you play a monster", "You play any monster from hand."),
    EventWord(Event.RELIC_PLAYED, "relic played", "you play a relic", "You play a relic from hand."),
    EventWord(Event.INFLUENCE_PLAYED, "Influence played", "you play an Influence card", "You play an Influence card."),
    EventWord(Event.CURSE, "CURSE", "you CURSE", "You CURSE the opponent, whatever they choose."),
    EventWord(Event.DESTROY, "DESTROY", "you DESTROY a card", "You DESTROY a card."),
    EventWord(Event.SACRIFICE, "SACRIFICE", "you SACRIFICE a card", "You SACRIFICE a card, as a cost too."),
    EventWord(Event.COMMAND, "COMMAND", "you COMMAND a monster", "You take a monster to hand with COMMAND."),
    EventWord(Event.HAUNT_ACTION, "HAUNT action", "you take a HAUNT Action", "You activate a monster with a HAUNT Action."),
    EventWord(Event.HORDE_FORMED, "horde formed", "you form a horde", "You form a new horde."),
    EventWord(Event.HORDE_EXPANDED, "horde expanded", "you expand a horde", "You add a monster to a horde."),
    EventWord(Event.RELIC_USED, "relic used", "you use a relic", "You activate a relic."),
    EventWord(Event.OVERLORD_USED, "overlord used", "you use your overlord", "You activate your overlord."),
    EventWord(Event.CARD_BOUGHT, "card bought", "you buy a card", "You buy anything: a monster, a relic or an Acolyte."),
    EventWord(Event.MONSTER_BOUGHT, "monster bought", "you buy a monster", "You buy a monster."),
    EventWord(Event.RELIC_BOUGHT, "relic bought", "you buy a relic", "You buy a relic."),
    EventWord(Event.CARD_DISCARDED, "card discarded", "you discard a card", "You discard a card from hand."),
    EventWord(Event.RESHUFFLE, "reshuffle", "you reshuffle", "You shuffle your discard pile."),
)
# fmt: on

GRAMMAR = Grammar(WORDS, COUNTS, SLOTS)  # that of the printed game; it writes the abilities of any set
_EVENT_ROW = {row.event: row for row in EVENTS}


@lru_cache(maxsize=64)
def faction_form(dialect: Dialect) -> FieldForm:
    """Return how the factions of a set are written."""
    return one_of("a faction", {faction.label: faction for faction in dialect.factions})


@lru_cache(maxsize=64)
def _language(dialect: Dialect) -> tuple[Grammar, dict[str, Trigger]]:
    """Return the grammar of a set, and its events by text ("Mortal played", "Mortals played") as triggers from which nothing comes yet."""
    rows = [(row.text, Trigger(row.event, False, ())) for row in EVENTS[len(Faction.PRINTED) :]]
    rows += [(f"{faction.label} played", Trigger(played_event(faction), False, (), faction)) for faction in dialect.factions]
    events = {text.casefold(): trigger for name, trigger in rows for text in (name, name.replace(" ", "s ", 1), name.replace(" played", "s played"))}
    return GRAMMAR if dialect.factions is Faction.PRINTED else Grammar(WORDS, COUNTS, {**SLOTS, "faction": faction_form(dialect)}), events


@lru_cache(maxsize=65536)
def _read(text: str, dialect: Dialect) -> tuple[tuple[Ability, ...], tuple[str, ...]]:
    """Return the abilities of a cell from a cache: in a set of thousands of rows most have been read before."""
    abilities, problems = read(_language(dialect)[0], text)
    return abilities, tuple(problems)


def _pieces(text: str, separator: str) -> list[str]:
    return [piece for piece in map(str.strip, tidy(text).split(separator)) if piece] if text else []


def _is_lit(ability: Ability) -> bool:
    return ability.effect is Effect.IF and ability.a == Condition.LIT


def _read_all(text: str, dialect: Dialect) -> tuple[tuple[Ability, ...], list[str]]:
    """Return abilities with `;` between them, where `faction in play` has no place (P6)."""
    abilities: tuple[Ability, ...] = ()
    problems: list[str] = []
    for piece in _pieces(text, ";"):
        if found := limit_in(piece):
            problems.append(misplaced_limit(found))
            continue
        more, wrong = _read(piece, dialect)
        problems += wrong
        if any(map(_is_lit, walk(more))):
            problems.append(f"{quoted(piece)}: 'faction in play' stands among the triggers of an Influence card, and first in them")
        abilities += more
    return abilities, problems


def parse_abilities(text: str, dialect: Dialect = STANDARD) -> tuple[Ability, ...]:
    """Return the abilities of a card, `;` between them, in printed order."""
    abilities, problems = _read_all(dialect.expand(text), dialect)
    if problems:
        raise LanguageError(problems)
    return abilities


def parse_limited(text: str, dialect: Dialect = STANDARD) -> tuple[tuple[Ability, ...], int]:
    """Return the abilities of an overlord, and how often they may be used in a turn (O1); 0 = as often as one likes."""
    limit, rest, problems = read_limit(tidy(text))
    abilities, more = _read_all(dialect.expand(rest), dialect)
    if problems + more:
        raise LanguageError(problems + more)
    return abilities, limit


def parse_horde(text: str, dialect: Dialect = STANDARD) -> tuple[tuple[Ability, ...], ...]:
    """Return the Horde abilities of a card: at most two, `|` between them; `;` within."""
    parts = _pieces(text, "|")
    results = [_read_all(dialect.expand(part), dialect) for part in parts]
    problems = [problem for _, wrong in results for problem in wrong]
    if len(parts) > MAX_HORDE:
        problems.append(f"{quoted(tidy(text))}: a card has at most {MAX_HORDE} Horde abilities")
    problems += [f"'{text_of(ability)}': no Horde ability can be Armor or CLAIM" for block, _ in results for ability in block if rank(ability) is STATIC]
    if problems:
        raise LanguageError(problems)
    return tuple(block for block, _ in results if block)


def parse_triggers(text: str, influence: bool = False, dialect: Dialect = STANDARD) -> tuple[tuple[Trigger, ...], tuple[Ability, ...]]:
    """Return the triggered abilities of a card, `;` between them; and what an Influence card does if its `faction in play` (P6)."""
    triggers: list[Trigger] = []
    lit: tuple[Ability, ...] = ()
    problems: list[str] = []
    for piece in _pieces(text, ";"):
        if found := limit_in(piece):
            problems.append(misplaced_limit(found))
        elif piece.casefold().startswith("faction in play"):
            abilities, wrong = _read(dialect.expand(piece), dialect)
            problems += wrong
            if any(map(_is_lit, walk(inner for ability in abilities for block in ability.body for inner in block))) or len(abilities) > 1:
                problems.append(f"{quoted(piece)}: 'faction in play' stands first, and once")
            elif not influence:
                problems.append(f"{quoted(piece)}: 'faction in play' is for Influence cards; name the faction: 'if Undead in play: …'")
            lit += abilities
        else:
            trigger, more = _read_trigger(piece, dialect)
            problems += more
            triggers += [trigger] if trigger else []
    if problems:
        raise LanguageError(problems)
    return tuple(triggers), lit


def _read_trigger(piece: str, dialect: Dialect) -> tuple[Trigger | None, list[str]]:
    head, colon, rest = piece.partition(":")
    often, _, event = head.strip().partition(" ")
    if often.casefold() not in ("first", "each"):
        return None, [f"{quoted(piece)}: a trigger begins with 'first' or 'each' (several abilities of one trigger are joined by 'and')"]
    if not colon or not rest.strip():
        return None, [f"{quoted(piece)}: a trigger is 'first' or 'each', an event, ':' and what comes of it"]
    problems = []
    events = _language(dialect)[1]
    if event.casefold() not in events:
        names = [f"{name} played" for name in dialect.names] + [row.text for row in EVENTS[len(Faction.PRINTED) :]]
        problems.append(f"{quoted(head.strip())}: {quoted(event)} is not an event" + did_you_mean(event, names))
    body, wrong = _read_all(dialect.expand(rest), dialect)
    problems += wrong
    problems += [f"'{text_of(ability)}': Armor and CLAIM stand alone, never behind ':' or in a choice" for ability in body if rank(ability) is STATIC]
    if problems:
        return None, problems
    heard = events[event.casefold()]
    return Trigger(heard.event, often.casefold() == "first", body, heard.of), []


def _heard(trigger: Trigger) -> EventWord:
    """Return the row of a trigger's event; that of a set's own faction is none of the table."""
    if trigger.of.label:
        name = trigger.of.label
        return EventWord(Event.MONSTER_PLAYED, f"{name} played", f"you play {with_article(trigger.of)}", "")
    return _EVENT_ROW[Event(trigger.event)]


def text_of(ability: Ability) -> str:
    """Return the ability in normal form: what `parse_abilities` reads back as the same ability."""
    return GRAMMAR.write((ability,), "; ")


def text_of_all(abilities: Iterable[Ability], joint: str = "; ") -> str:
    """Return several abilities in normal form; `joint` is " and " within a body or an alternative."""
    return GRAMMAR.write(abilities, joint)


def trigger_text(trigger: Trigger) -> str:
    """Return a triggered ability in normal form."""
    return f"{'first' if trigger.first else 'each'} {_heard(trigger).text}: {text_of_all(trigger.body, ' and ')}"


def horde_text(horde: Iterable[Iterable[Ability]]) -> str:
    """Return Horde abilities in normal form."""
    return " | ".join(text_of_all(abilities) for abilities in horde)


def rank(ability: Ability) -> Rank:
    """Return the rank of an ability (P2): resource, keyword or unique. What is counted (`2 Power per relic`) is unique, unless it is a keyword."""
    word_rank = GRAMMAR.word_of(ability).rank
    return UNIQUE if word_rank is RESOURCE and ability.per else word_rank


def order(abilities: Iterable[Ability]) -> tuple[Ability, ...]:
    """Return abilities in the order of P2: resource abilities, then keywords, then the rest, each in printed order."""
    return tuple(sorted(abilities, key=rank))


Row = tuple[int, int, int, int, int, int, int]  # effect, amount, a, b, per, of, skip: the fields of layout.EFFECT


def emit(abilities: Iterable[Ability]) -> list[Row]:
    """Return the program of some abilities as they stand (see `order`), without the static ones."""
    return [row for ability in abilities for row in _rows(ability)]


def _rows(ability: Ability) -> list[Row]:
    """Return the rows of an ability with its body behind it; `skip` is how many rows to leave out when the body does not come about."""
    if GRAMMAR.word_of(ability).rank is STATIC:
        return []
    rows: list[Row] = []
    for block in ability.body:
        inner = [row for each in block for row in _rows(each)]
        if ability.effect is Effect.CHOOSE:
            rows.append((int(Effect.ALTERNATIVE), 0, 0, 0, 0, 0, len(inner)))
        rows += inner
    a = len(ability.body) if ability.effect is Effect.CHOOSE else ability.a
    return [(int(ability.effect), ability.amount, int(a), int(ability.b), int(ability.per), int(ability.of), len(rows)), *rows]


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _phrase(ability: Ability) -> str:
    """Return the bare verb phrase: "draw 1 card", "pay 1 Health"."""
    counted = " " + GRAMMAR.fill_count(GRAMMAR.count_of(ability).say, ability) if ability.per else ""
    return GRAMMAR.fill(GRAMMAR.word_of(ability).say, ability) + counted


def _clause(ability: Ability) -> str:
    """Return a clause that can stand alone: "you may pay 1 Health to draw 1 card"."""
    phrase = _phrase(ability)
    if ability.effect is Effect.CHOOSE:
        return f"{phrase}: " + ", or ".join(_clauses(block) for block in ability.body)
    if ability.effect is Effect.IF:
        return f"{phrase}, {_clauses(ability.body[0])}"
    if ability.effect is Effect.COST:
        (block,) = ability.body
        if any(inner.body for inner in block):
            return f"you may {phrase}; if you do, {_clauses(block)}"
        return f"you may {phrase} to {_listed([_phrase(inner) for inner in block])}"
    return f"you may {phrase}" if GRAMMAR.word_of(ability).optional else phrase


def _clauses(block: Iterable[Ability]) -> str:
    return _listed([_clause(ability) for ability in block])


def _capitalised(clause: str) -> str:
    return clause[0].upper() + clause[1:] + "."


def sentence(ability: Ability) -> str:
    """Return the ability as a person reads it: "You may pay 1 Health to draw 1 card and gain 1 Power."."""
    return _capitalised(_clause(ability))


def sentences(abilities: Iterable[Ability]) -> list[str]:
    """Return one sentence for each ability, in printed order."""
    return [sentence(ability) for ability in abilities]


def trigger_sentence(trigger: Trigger) -> str:
    """Return the trigger as a person reads it: "The first time you play a Mortal this turn, SACRIFICE."."""
    when = _heard(trigger).say
    often = f"the first time {when} this turn" if trigger.first else f"each time {when}"
    return _capitalised(f"{often}, {_clauses(trigger.body)}")


def horde_sentences(horde: Iterable[Iterable[Ability]]) -> list[str]:
    """Return one line for each Horde ability."""
    return [" ".join(sentences(abilities)) for abilities in horde]
