"""Every number that has a meaning, by name.

The compiled engine and the Python layer share these; the engine sees them as plain integers.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import ClassVar

MOST_FACTIONS = 8  # of one set


class _Factions(type):
    """The class of Faction: it can be gone through as the printed game's factions."""

    def __iter__(cls) -> "Iterator[Faction]":
        return iter((Faction.NONE, *Faction.PRINTED))


class Faction(int, metaclass=_Factions):
    """The factions (S1), as a number with a name: a set may have its own. `NONE` for cards that have none; two are the same if their numbers are."""

    label: str  # as the card file writes it; empty for none
    colour: str  # in reports, as #rrggbb, if the card file gives one
    NONE: ClassVar["Faction"]
    UNDEAD: ClassVar["Faction"]
    BEAST: ClassVar["Faction"]
    MORTAL: ClassVar["Faction"]
    SPIRIT: ClassVar["Faction"]
    PRINTED: ClassVar[tuple["Faction", ...]]  # those of the printed game

    def __new__(cls, number: int, label: str = "", colour: str = "") -> "Faction":
        """Return the faction of that number, from 1 to MOST_FACTIONS; 0 is none."""
        found = super().__new__(cls, number)
        found.label, found.colour = label, colour
        return found

    @property
    def name(self) -> str:
        """The name in capitals, as enumerations have theirs."""
        return self.label.upper() or "NONE"

    def __reduce__(self) -> tuple[type["Faction"], tuple[int, str, str]]:
        return Faction, (int(self), self.label, self.colour)

    def __repr__(self) -> str:
        return f"Faction({int(self)}, {self.label!r})"


Faction.NONE = Faction(0)
Faction.UNDEAD, Faction.BEAST, Faction.MORTAL, Faction.SPIRIT = Faction.PRINTED = tuple(
    Faction(number, label) for number, label in enumerate(("Undead", "Beast", "Mortal", "Spirit"), 1)
)


class Pile(IntEnum):
    """The piles to which the cards of the set belong before the game."""

    OVERLORD = 0
    STARTING = 1
    INFLUENCE = 2
    ACOLYTE = 3
    MARKET = 4


class CardType(IntEnum):
    """The type printed on a card."""

    OVERLORD = 0
    MONSTER = 1
    INFLUENCE = 2
    RELIC = 3


class Resource(IntEnum):
    """The resources that the Resource Pool holds (T3)."""

    COIN = 0
    POWER = 1
    REGENERATION = 2


class Effect(IntEnum):
    """The effects that one row of a card's program can have; one function in rules/effects.py each."""

    NOTHING = 0
    GAIN = 1  # amount of Resource a
    CURSE = 2
    DESTROY = 3
    COMMAND = 4
    MUSTER = 5
    RAGE = 6
    DRAW = 7  # amount
    HAUNT = 8
    HAUNT_ANOTHER = 9
    SACRIFICE = 10  # from places a (Place flags)
    GAIN_HEALTH = 11  # amount
    LOSE_HEALTH = 12  # amount
    OPPONENT_LOSES = 13  # amount
    DISCARD = 14  # amount
    OPPONENT_DISCARDS = 15  # amount
    CONVERT = 16  # Resource a to Resource b
    LOOK = 17  # amount
    REVEAL = 18  # amount; take it if it is a (Fits), of Faction b
    ACTIVATE = 19
    CLAIM_NEXT = 20
    BUY_WITH = 21  # costing amount or less, paid with resources a (bit per Resource)
    TAKE = 22  # costing amount or less
    SHUFFLE = 23
    CHOOSE = 24  # a alternatives follow, each behind an ALTERNATIVE row; skip = rows of all
    ALTERNATIVE = 25  # skip = rows of this one
    IF = 26  # Condition a with argument b; skip = rows to leave out when it does not hold
    COST = 27  # Cost a, amount; skip = rows to leave out when it is not paid
    ARMOR = 28  # static: part of the card's record, never in a program
    CLAIM = 29  # static


class Per(IntEnum):
    """The things that an amount is multiplied with ("1 Power per Beast in play")."""

    NONE = 0
    FACTION_IN_PLAY = 1
    RELIC = 2
    CARD_IN_HAND = 3
    MONSTER_IN_HORDE = 4


class Condition(IntEnum):
    """The conditions that may stand behind `if`."""

    FACTION_IN_PLAY = 0  # argument: Faction
    OPPONENT_HAS_RELIC = 1
    HEALTH_AT_MOST = 2  # argument: Health
    LIT = 3  # P6: the Influence card met a monster of its overlord's faction


class Cost(IntEnum):
    """The costs that may stand before `:` and be declined."""

    COIN = 0
    POWER = 1
    REGENERATION = 2
    HEALTH = 3
    DISCARD = 4
    SACRIFICE_THIS = 5


class Fits(IntEnum):
    """The sorts of revealed cards that are taken (G2)."""

    FACTION = 0
    MONSTER = 1
    RELIC = 2


class Place(IntEnum):
    """The places where a card can lie; flags, since an ability may name several."""

    PLAY = 1
    HAND = 2
    DISCARD = 4
    STREET = 8
    DECK = 16
    RIVAL_PLAY = 32


class Event(IntEnum):
    """The events that triggers listen to (P3). All are things that the trigger's owner does."""

    UNDEAD_PLAYED = 0
    BEAST_PLAYED = 1
    MORTAL_PLAYED = 2
    SPIRIT_PLAYED = 3
    MONSTER_PLAYED = 4
    RELIC_PLAYED = 5
    INFLUENCE_PLAYED = 6
    CURSE = 7
    DESTROY = 8
    SACRIFICE = 9
    COMMAND = 10
    HAUNT_ACTION = 11
    HORDE_FORMED = 12
    HORDE_EXPANDED = 13
    RELIC_USED = 14
    OVERLORD_USED = 15
    CARD_BOUGHT = 16
    MONSTER_BOUGHT = 17
    RELIC_BOUGHT = 18
    CARD_DISCARDED = 19
    RESHUFFLE = 20


FIRST_OWN_FACTION = len(Faction.PRINTED) + 1
OWN_FACTION_PLAYED = len(Event) - FIRST_OWN_FACTION  # + Faction: the events of the factions that only some sets have follow on all others


def played_event(faction: int) -> int:
    """Return the event that a monster of a faction is played."""
    return Event.UNDEAD_PLAYED + faction - 1 if faction < FIRST_OWN_FACTION else OWN_FACTION_PLAYED + faction


class Question(IntEnum):
    """The questions that the player in `game.asked` may have to answer."""

    NONE = 0
    ACTION = 1  # T2: what to do in the Action Phase
    INFLUENCE = 2  # S3: which Influence card to take
    RELIC_LIMIT = 3  # P8: which relic leaves the game
    TRIGGER = 4  # P4: which trigger comes next
    HORDE_ABILITY = 5  # H3: which Horde ability, or none
    CURSE = 6  # K1: lose Health or discard
    DESTROY = 7  # K2
    SACRIFICE = 8  # K3
    COMMAND = 9  # K4
    CHOOSE = 10  # K5 and `choose … or …`: which alternative
    HAUNT_ANOTHER = 11  # K8
    DISCARD = 12  # G3: which card of the hand
    LOOK = 13  # G2: which looked-at card goes to the discard pile, or none
    COST = 14  # pay or not
    DISCARD_COST = 15  # pay by discarding this card, or not
    BUY_WITH = 16  # which Street monster, or none
    PAYMENT = 17  # with which mix of resources
    TAKE = 18  # which Street monster
    ACTIVATE = 19  # which Horde ability of any monster in play


class Action(IntEnum):
    """The actions and answers that one option can stand for; the options of `Question.ACTION` come first."""

    PLAY = 0
    BUY = 1
    BUY_ACOLYTE = 2
    ATTACK = 3
    HEAL = 4
    CONVERT = 5
    HORDE = 6  # form a horde: slot left, other right
    HORDE_LEFT = 7  # slot joins to the left of the end monster other
    HORDE_RIGHT = 8  # slot joins to the right of the end monster other
    RELIC = 9
    OVERLORD = 10
    HAUNT = 11
    PASS = 12
    CARD = 13  # answer: this card, in `place`
    HEALTH = 14  # answer to CURSE
    YES = 15
    DECLINE = 16  # no, none
    ABILITY = 17  # answer: Horde ability number `amount` (0 or 1) of the monster in `slot`
    ALTERNATIVE = 18  # answer: alternative number `amount`
    MIX = 19  # answer: this many Coin (slot), Power (other), Regeneration (amount)
    TRIGGER = 20  # answer: trigger number `amount` of the card in `slot`


class Task(IntEnum):
    """The sorts of entries on the agenda."""

    RUN = 0  # a program under way
    TRIGGER = 1  # a triggered ability that waits for its turn (P4)
    PLAYED = 2  # when reached: the event(s) of a card played
    EVENT = 3  # when reached: one event, its number in `pc`
    HORDE_ABILITY = 4  # when reached: ask for the Horde ability (H3)
    PLAY_RELIC = 5  # P8: ask which relic goes, then play the hand card at `pc`
    BUY_RELIC = 6  # P8: ask which relic goes, then buy the Street card at `pc`


class Mark(IntEnum):
    """The marks of a slot: what is true of a card in play."""

    HAUNT_SIDE = 1  # a token, HAUNT side up (N2)
    DISMISS_SIDE = 2  # a token, Dismiss side up
    BEGAN = 4  # began this turn in play (N1)
    HAUNTED = 8  # activated by a HAUNT Action this turn (N1)
    ABILITY_1_USED = 16  # H4
    ABILITY_2_USED = 32  # H4
    IN_HORDE = 64
    WAS_IN_HORDE = 128  # left its horde by leaving play (H5)
    LIT = 256  # an Influence card whose triggered part works (P6)
    RELIC_USED = 512  # R1
    FIRED_1 = 1024  # the first trigger of the card has fired (P5, since_in_play)
    FIRED_2 = 2048
    FIRED_3 = 4096
    FIRED_4 = 8192
    HORDE = 127 << 16  # H5: the number of the horde that it is in or was in this Action Phase; 0 = none. Two cards make a horde, so 64 numbers are enough


class Look(IntEnum):
    """The reasons to ask again instead of taking the next step of a plan; flags."""

    HAND = 1  # a card came to the hand, or left it without being played
    PLAY = 2  # a card came into play without being played, or left it
    TRIGGER = 4  # a triggered ability went off
    RIVAL = 8  # the rival decided something
    CAN_BUY = 16  # there is Coin for a card in the Street, or an Acolyte
    CAN_KILL = 32  # an attack with all Power would end the game


class End(IntEnum):
    """The ways in which a game can end (T4, E1)."""

    NONE = 0
    HEALTH = 1
    TURN_LIMIT = 2


class Status(IntEnum):
    """The reasons why a game stopped; anything but PLAYING and OVER is an error that Python words."""

    PLAYING = 0
    OVER = 1
    BAD_ANSWER = 2  # a strategy returned an index that is not on the list


class Purpose(IntEnum):
    """The purposes of streams of luck (rng.py). The numbers are part of every game's identity."""

    DECK = 1
    MARKET = 2
    ACOLYTE = 3
    CHANCE = 4
    DENY = 5
    REDEAL = 6


class Fork(IntEnum):
    """The branches of a fork that a game can take (forks.py)."""

    NONE = 0
    BUY = 1  # the card is bought
    LEAVE = 2  # it cannot be bought in that turn


class BoughtFrom(IntEnum):
    """The places that a purchase can come from."""

    STREET = 0
    ACOLYTE = 1
    FREE = 2  # taken from the Street without a price


class To(IntEnum):
    """The places that a purchase can go to (B3 to B5)."""

    DISCARD = 0
    DECK = 1
    RELICS = 2


FIRST, SECOND, DRAW = 0, 1, 2  # seats, and the winner of a game that nobody won
