"""Card sets and rules for games that are compared: far stranger than a designer would make them, and all valid.

random_cards(seed) is a card file in normal form; random_rules(luck) the rules that differ from the printed game. Between them they use every word of
the ability language in every place where it may stand, and every field of `Rules`. EXTREMES are sets that lead to the engine's limits.
"""

from __future__ import annotations

import random
from typing import Any

from terrors.simulator.cards.card_set import Card, CardSet
from terrors.simulator.cards.vocabulary import Ability, Trigger, text_of_all
from terrors.simulator.terms.enums import CardType, Condition, Cost, Effect, Event, Faction, Fits, Per, Pile, Place, Resource

FACTIONS = [faction for faction in Faction if faction]
RESOURCES = list(Resource)
SYLLABLES = ("ba", "dor", "ek", "fen", "gul", "hex", "ith", "kra", "lum", "mor", "nox", "oth", "pyr", "rak", "sul", "tsa", "ush", "vex", "wyr", "zan")

# Abilities without a body, as often as they are wanted in a set without a theme.
SIMPLE = (
    *(Effect.GAIN,) * 8,
    *(Effect.CURSE, Effect.DESTROY, Effect.COMMAND, Effect.MUSTER, Effect.RAGE, Effect.DRAW, Effect.HAUNT, Effect.HAUNT_ANOTHER, Effect.SACRIFICE) * 2,
    *(Effect.GAIN_HEALTH, Effect.LOSE_HEALTH, Effect.OPPONENT_LOSES, Effect.DISCARD, Effect.OPPONENT_DISCARDS, Effect.CONVERT, Effect.LOOK, Effect.REVEAL),
    *(Effect.ACTIVATE, Effect.CLAIM_NEXT, Effect.BUY_WITH, Effect.TAKE, Effect.SHUFFLE),
)
COUNTED = (Effect.GAIN, Effect.DRAW, Effect.GAIN_HEALTH, Effect.OPPONENT_LOSES)  # with an amount, and perhaps `per …`
NUMBERED = (Effect.LOSE_HEALTH, Effect.DISCARD, Effect.OPPONENT_DISCARDS, Effect.LOOK, Effect.TAKE)


class Inventor:
    """Invents abilities, cards and sets. Everything follows from the luck that it is given."""

    def __init__(self, luck: random.Random):
        self.luck = luck
        self.names: set[str] = set()
        self.nesting = luck.choice((0.1, 0.25, 0.4))  # how often an ability has others within it
        self.busy = luck.choice((0.5, 1.0, 1.0, 2.0))  # how much stands on a card
        self.high = luck.choice((1, 1, 2, 2, 2, 3, 3, 9, 99))  # amounts go up to this
        self.theme = luck.sample(SIMPLE, luck.choice((3, 6, 10))) if luck.random() < 0.5 else SIMPLE  # few abilities: they meet more often
        self.kinds_of_events = luck.sample(list(Event), luck.choice((3, 8, len(Event))))

    def one_in(self, n: float) -> bool:
        return self.luck.random() * n < 1

    def amount(self) -> int:
        return self.luck.randint(1, self.high)

    # Abilities

    def ability(self, kind: CardType, depth: int = 0) -> Ability:
        """Any ability that may stand on a card of this type."""
        if depth < 4 and self.luck.random() < self.nesting:
            return self.luck.choice((self.choice, self.condition, self.cost))(kind, depth + 1)
        return self.simple(kind)

    def block(self, kind: CardType, depth: int) -> tuple[Ability, ...]:
        """Abilities joined by `and`."""
        return tuple(self.ability(kind, depth) for _ in range(self.luck.choice((1, 1, 1, 2, 2, 3))))

    def simple(self, kind: CardType) -> Ability:
        """An ability without a body."""
        luck, effect = self.luck, self.luck.choice(self.theme)
        if effect is Effect.HAUNT and kind is not CardType.MONSTER:
            effect = Effect.HAUNT_ANOTHER
        if effect in COUNTED:
            return Ability(effect, self.amount(), a=luck.choice(RESOURCES) if effect is Effect.GAIN else 0, **self.per(kind))
        if effect in NUMBERED:
            return Ability(effect, self.amount())
        if effect is Effect.SACRIFICE:
            return Ability(effect, a=luck.choice((Place.PLAY, Place.HAND, Place.DISCARD, luck.randint(1, 7))))
        if effect is Effect.CONVERT:
            return Ability(effect, **dict(zip("ab", luck.sample(RESOURCES, 2), strict=True)))
        if effect is Effect.REVEAL:
            fits = luck.choice(list(Fits))
            return Ability(effect, luck.randint(1, 4), a=fits, b=luck.choice(FACTIONS) if fits is Fits.FACTION else 0)
        if effect is Effect.BUY_WITH:
            return Ability(effect, luck.choice((1, 3, 9)), a=luck.randint(1, 7))
        return Ability(effect)

    def per(self, kind: CardType) -> dict[str, Any]:
        """What an amount is multiplied with; mostly nothing."""
        if not self.one_in(5):
            return {}
        counts = [Per.FACTION_IN_PLAY, Per.RELIC, Per.CARD_IN_HAND] + [Per.MONSTER_IN_HORDE] * (2 * (kind is CardType.MONSTER))
        per = self.luck.choice(counts)
        return {"per": per, "of": self.luck.choice(FACTIONS) if per is Per.FACTION_IN_PLAY else 0}

    def choice(self, kind: CardType, depth: int) -> Ability:
        """Alternatives that read differently: two that are alike are one to the player."""
        blocks = dict.fromkeys(self.block(kind, depth) for _ in range(self.luck.choice((2, 2, 3, 4))))
        return Ability(Effect.CHOOSE, body=tuple(blocks)) if len(blocks) > 1 else self.choice(kind, depth)

    def condition(self, kind: CardType, depth: int) -> Ability:
        condition = self.luck.choice((Condition.FACTION_IN_PLAY, Condition.OPPONENT_HAS_RELIC, Condition.HEALTH_AT_MOST))
        argument = {Condition.FACTION_IN_PLAY: self.luck.choice(FACTIONS), Condition.HEALTH_AT_MOST: self.luck.randint(1, 40)}
        return Ability(Effect.IF, a=condition, b=argument.get(condition, 0), body=(self.block(kind, depth),))

    def cost(self, kind: CardType, depth: int) -> Ability:
        cost = self.luck.choice([cost for cost in Cost if cost is not Cost.SACRIFICE_THIS or kind is not CardType.OVERLORD])
        amount = 0 if cost is Cost.SACRIFICE_THIS else self.luck.choice((1, 1, 2, 3))
        return Ability(Effect.COST, amount, a=cost, body=(self.block(kind, depth),))

    def abilities(self, kind: CardType, least: int = 0) -> tuple[Ability, ...]:
        """What a card does when it is activated."""
        return tuple(self.ability(kind) for _ in range(self.several(least, 4)))

    def several(self, least: int, most: int) -> int:
        """How many of something a card has; in busy sets more."""
        return max(least, min(most, int(self.luck.expovariate(1 / self.busy) + 0.5)))

    def triggers(self, kind: CardType) -> tuple[Trigger, ...]:
        return tuple(Trigger(self.luck.choice(self.kinds_of_events), self.one_in(2), self.block(kind, 1)) for _ in range(self.several(0, 4)))

    def static(self, monster_of_the_market: bool) -> tuple[Ability, ...]:
        """Armor and CLAIM, now and then."""
        armor = (Ability(Effect.ARMOR, self.luck.randint(1, 4)),) if self.one_in(6) else ()
        return armor + ((Ability(Effect.CLAIM),) if monster_of_the_market and self.one_in(5) else ())

    # Cards

    def name(self) -> str:
        """A new name. No digits: `Ghoul 2` would also be the second trigger of a Ghoul."""
        while True:
            name = "".join(self.luck.choice(SYLLABLES) for _ in range(self.luck.choice((2, 3)))).capitalize()
            if name not in self.names:
                self.names.add(name)
                return name

    def monster(self, pile: Pile, cost: int | None, copies: int, name: str = "") -> Card:
        faction = self.luck.choice(self.factions) if pile is Pile.MARKET or self.one_in(3) else Faction.NONE
        if self.one_in(12):
            faction = Faction.NONE
        left, right = self.indicators(faction)
        horde = tuple(self.abilities(CardType.MONSTER, 1) for _ in range(self.luck.choice((0, 1, 1, 2)))) if left or right else ()
        abilities = self.static(pile is Pile.MARKET) + self.abilities(CardType.MONSTER)
        return Card(
            name=name or self.name(),
            pile=pile,
            type=CardType.MONSTER,
            faction=faction,
            cost=cost,
            copies=copies,
            abilities=tuple(self.luck.sample(abilities, len(abilities))),
            triggers=self.triggers(CardType.MONSTER),
            left=left,
            right=right,
            horde=horde,
        )

    def indicators(self, faction: Faction) -> tuple[Faction, Faction]:
        """H1, H8: as in the ring of the reference set, the ring both ways round, to the own faction, or whatever."""
        if self.links == "none" or self.one_in(10):
            return Faction.NONE, Faction.NONE
        if self.links == "own":
            return faction, faction
        if self.links == "ring":
            return FACTIONS[(faction - 2) % 4], FACTIONS[faction % 4]
        if self.links == "both ways":
            one, two = FACTIONS[(faction - 2) % 4], FACTIONS[faction % 4]
            return (one, two) if self.one_in(2) else (two, one)
        return self.luck.choice([Faction.NONE, *self.factions]), self.luck.choice([Faction.NONE, *self.factions])

    def relic(self, pile: Pile, cost: int | None, copies: int) -> Card:
        faction = self.luck.choice(self.factions) if self.one_in(4) else Faction.NONE
        abilities = self.static(False) + self.abilities(CardType.RELIC)
        return Card(self.name(), pile, CardType.RELIC, faction, cost=cost, copies=copies, abilities=abilities, triggers=self.triggers(CardType.RELIC))

    def influence(self, overlord: str) -> Card:
        lit = tuple(Ability(Effect.IF, a=Condition.LIT, body=(self.block(CardType.INFLUENCE, 1),)) for _ in range(self.luck.choice((0, 0, 1, 1, 2))))
        abilities = self.static(False) + self.abilities(CardType.INFLUENCE)
        return Card(
            self.name(), Pile.INFLUENCE, CardType.INFLUENCE, overlord=overlord, abilities=abilities, triggers=self.triggers(CardType.INFLUENCE), lit=lit
        )

    def overlord(self, faction: Faction, health: int) -> list[Card]:
        """An overlord with its Influence cards."""
        triggers = self.triggers(CardType.OVERLORD) if self.one_in(2) else ()
        abilities = self.abilities(CardType.OVERLORD)
        limit = self.luck.choice((0, 1, 1, 2, 3)) if abilities else 0
        card = Card(self.name(), Pile.OVERLORD, CardType.OVERLORD, faction, health=health, abilities=abilities, triggers=triggers, limit=limit)
        return [card] + [self.influence(card.name) for _ in range(self.luck.choice((2, 3, 4, 6)))]

    # Sets

    def cards(self) -> list[Card]:
        """A set: overlords, starting cards, Acolytes, market."""
        luck = self.luck
        self.factions = luck.sample(FACTIONS, luck.choice((2, 3, 4, 4)))
        self.links = luck.choice(("ring", "ring", "both ways", "any", "own", "none"))
        cards = [card for faction in self.factions for card in self.overlord(faction, luck.choice((1, 12, 25, 40, 60)))]
        if self.one_in(3):
            cards += self.overlord(luck.choice(self.factions), 30)
        return cards + self.starting() + self.acolytes() + self.market()

    def starting(self) -> list[Card]:
        gains = {"Cultist": Resource.COIN, "Fanatic": Resource.POWER}
        cards = [Card(name, Pile.STARTING, CardType.MONSTER, copies=10, abilities=(Ability(Effect.GAIN, 1, a=gain),)) for name, gain in gains.items()]
        if self.one_in(8):
            cards.pop(self.luck.randrange(2))
        elif self.one_in(4):
            cards[0] = self.monster(Pile.STARTING, None, 10, "Cultist")
        for _ in range(self.luck.choice((0, 0, 1, 2))):
            make = self.luck.choice((self.monster, self.relic))
            cards.append(make(Pile.STARTING, self.luck.choice((None, 0, 2, 5)), self.luck.randint(2, 7)))
        return cards

    def acolytes(self) -> list[Card]:
        cost = self.luck.choice((0, 1, 2, 2, 3))
        return [self.monster(Pile.ACOLYTE, cost, self.luck.choice((1, 3, 8))) for _ in range(self.luck.choice((0, 1, 1, 2, 3)))]

    def market(self) -> list[Card]:
        """From one card to more than the 256 that a game may have (E2)."""
        size = self.luck.choice(("tiny", "small", "usual", "usual", "usual", "usual", "many copies", "many kinds"))
        kinds = {"tiny": (1, 3), "small": (3, 8), "usual": (10, 26), "many copies": (30, 40), "many kinds": (50, 150)}[size]
        copies = {"tiny": (1, 2), "small": (1, 4), "usual": (1, 4), "many copies": (6, 12), "many kinds": (1, 2)}[size]
        relics = self.luck.choice((0.0, 0.25, 0.25, 0.6))
        dear = self.luck.choice((0, 3, 5, 9))
        cards = []
        for _ in range(self.luck.randint(*kinds)):
            make = self.relic if self.luck.random() < relics else self.monster
            cards.append(make(Pile.MARKET, self.luck.randint(0, dear), self.luck.randint(*copies)))
        return cards


def random_cards(seed: int) -> str:
    """A card file: the same for the same seed."""
    return CardSet(tuple(Inventor(random.Random(f"cards {seed}")).cards())).to_csv()


def rage_choice(luck: random.Random) -> str:
    """K5: two or three alternatives with `|` between them; RAGE itself is none."""
    inventor = Inventor(luck)
    inventor.theme = [effect for effect in inventor.theme if effect is not Effect.RAGE]
    return "|".join(text_of_all(block, " and ") for block in inventor.choice(CardType.RELIC, 3).body)


# What the fields of `Rules` are tried with; the printed game's values are left out.
VALUES: dict[str, tuple] = {
    "first_hand": (0, 1, 3, 7),
    "second_hand": (0, 2, 4, 9),
    "hand_size": (1, 3, 4, 7, 10),
    "street_size": tuple(range(13)),
    "relic_limit": (1, 1, 2, 5),
    "acolyte_cost": (0, 1, 4),
    "cultists": (0, 2, 9),
    "fanatics": (0, 1, 7),
    "influences": (0, 1, 3, 4),
    "curse_health": (0, 1, 5),
    "curse_discard": (0, 2, 3),
    "command_max_cost": (0, 1, 9),
    "sacrifice_gain": ("2 Coin", "3 Regeneration", "nothing", "1 Coin"),
    "haunt_tokens": (0, 1, 2),
    "muster_tokens": (0, 1, 2),
    "first_time": ("since_in_play",),
    "overlord_limit": ("once",),
    "horde_expand": ("must",),
    "optional_keywords": (True,),
    "mirror": (True,),
    "max_turns": (1, 2, 7, 60),
    "max_actions": (1, 2, 5, 12, 40),
}


def random_rules(luck: random.Random) -> dict[str, Any]:
    """Rules that differ from the printed game in some fields, or in none."""
    often = luck.choice((0.0, 0.1, 0.3))
    rules = {name: luck.choice(values) for name, values in VALUES.items() if luck.random() < often}
    if luck.random() < often:
        rules["rage_choice"] = rage_choice(luck)
    return rules


# Sets that lead to the limits of the engine's records (layout.py) and to corners that random sets seldom reach, each with rules, and with how likely a
# player is to do some things.

HEADER = "name,pile,type,faction,overlord,cost,copies,health,abilities,triggers,left,right,horde,beginner,source,note\n"


def small_set(cultist: str = "1 Coin,,,,", faction: str = "", overlord: str = ",", influence: str = "1 Coin", market: str = "") -> str:
    """Two overlords with two Influence cards each, the starting cards, and a market. `cultist`: abilities, triggers, left, right, horde."""
    rows = [f"{name},overlord,Overlord,{side},,,1,999,{overlord},,,,,," for name, side in (("Ann", "Undead"), ("Bob", "Beast"))]
    rows += [f"{name},influence,Influence,,{whose},,1,,{influence},,,,,,," for name, whose in (("Ia", "Ann"), ("Ib", "Ann"), ("Ic", "Bob"), ("Id", "Bob"))]
    rows += [f"Cultist,starting,Monster,{faction},,,10,,{cultist},,,", "Fanatic,starting,Monster,,,,6,,1 Power,,,,,,,"]
    return HEADER + "\n".join(rows) + "\n" + market


NEVER = 1e-6
EXTREMES: dict[str, tuple[str, dict[str, Any], dict[str, float]]] = {
    "more Power than 16 bits hold": (
        small_set(
            "99 Power per card in hand; DRAW 2,,,,",
            overlord="99 Power per card in hand,",
            market="Imp,market,Monster,Undead,,0,200,,99 Power per card in hand; convert Power to Coin; DRAW 3; shuffle discard into deck,,,,,,,\n",
        ),
        {"max_turns": 4, "hand_size": 30},
        {"attack": NEVER, "convert": NEVER},
    ),
    "more pairs than options": (
        small_set(
            "DRAW 2; 1 Coin,,Undead,Undead,1 Coin",
            "Undead",
            market="Imp,market,Monster,Undead,,0,200,,DRAW 2; take a Street monster costing 9 or less,,Undead,Undead,1 Power | DRAW 1,,,\n",
        ),
        {"max_turns": 1, "cultists": 33, "first_hand": 10},
        {"horde": NEVER, "buy": NEVER, "pass": NEVER},
    ),
    "more cards come and go than slots": (
        small_set(
            "DESTROY; take a Street monster costing 9 or less; COMMAND; COMMAND,,Undead,Undead,1 Power",
            "Undead",
            market="Imp,market,Monster,Undead,,0,99,,DESTROY; COMMAND; COMMAND; HAUNT,,Undead,Undead,1 Power | take a Street monster costing 9 or less,,,\n",
        ),
        {"max_turns": 2, "street_size": 1},
        {"pass": NEVER, "buy": NEVER, "play": 1.0, "horde": 0.05},
    ),
    "more cards than one may own": (
        small_set(
            "3 Coin; take a Street monster costing 3 or less,,,,",
            market="Imp,market,Monster,Undead,,0,120,,take a Street monster costing 9 or less; DRAW 2,,,,,,,\n"
            "Rod,market,Relic,,,1,150,,take a Street monster costing 9 or less; buy a monster costing 9 or less with Coin,,,,,,,\n"
            "Nun,acolyte,Monster,,,1,60,,1 Coin,,,,,,,\n",
        ),
        {"max_turns": 12, "relic_limit": 30, "street_size": 12},
        {"buy": 9.0},
    ),
    "more triggers than the agenda holds": (
        small_set(
            "CURSE; 1 Coin,each CURSE: CURSE and 1 Coin,,,",
            overlord=",each CURSE: 1 Coin",
            market="Imp,market,Monster,Undead,,0,20,,CURSE,each CURSE: DRAW 1 and CURSE,,,,,,\n",
        ),
        {"max_turns": 8, "curse_health": 0},
        {},
    ),
    "RAGE that says HAUNT": (
        small_set(
            "RAGE,,,,",
            overlord="RAGE,",
            influence="RAGE",
            market="Imp,market,Monster,Undead,,0,20,,CURSE; RAGE,,Undead,Undead,RAGE,,,\nRod,market,Relic,,,1,5,,RAGE,,,,,,,\n",
        ),
        {"max_turns": 20, "rage_choice": "HAUNT|1 Coin|SACRIFICE this: 2 Power|1 Coin per monster in this horde"},
        {},
    ),
    "costs that their own triggers spoil": (
        small_set(
            "discard 3 cards: 5 Coin and DRAW 2,each card discarded: choose discard 1 or SACRIFICE from hand or DRAW 1,,,",
            influence="DRAW 2",
            market="Imp,market,Monster,Undead,,0,20,,SACRIFICE this: 3 Power and HAUNT,each SACRIFICE: DESTROY,,,,,,\n"
            "Rod,market,Relic,,,1,5,,discard 2 cards: SACRIFICE this: discard a card: 4 Power,each SACRIFICE: SACRIFICE,,,,,,\n",
        ),
        {"max_turns": 20},
        {},
    ),
    "haunted monsters that leave and return": (
        small_set(
            "HAUNT; DESTROY,,Undead,Undead,1 Power | COMMAND",
            "Undead",
            market="Imp,market,Monster,Undead,,0,20,,HAUNT; COMMAND; DESTROY,each HAUNT action: COMMAND,Undead,Undead,HAUNT another monster | DESTROY,,,\n",
        ),
        {"max_turns": 20},
        {"haunt": 3.0},
    ),
}
