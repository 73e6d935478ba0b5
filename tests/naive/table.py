"""The pieces on the table, what is remembered for one Action Phase, how pieces move, and how triggers are set off.

Whatever may have to ask somebody is a generator, run by `Runner`.
"""

from __future__ import annotations

from collections import Counter
from types import GeneratorType

from . import luck
from .cards import RESOURCES, Row

RULES = {
    "first_hand": 4,
    "second_hand": 5,
    "hand_size": 5,
    "street_size": 5,
    "relic_limit": 3,
    "acolyte_cost": None,
    "cultists": 5,
    "fanatics": 3,
    "influences": 2,
    "curse_health": 2,
    "curse_discard": 1,
    "command_max_cost": 3,
    "rage_choice": "2 Coin|2 Power",
    "sacrifice_gain": "1 Power",
    "haunt_tokens": 10,
    "muster_tokens": 10,
    "first_time": "turn",
    "overlord_limit": "card",
    "horde_expand": "may",
    "optional_keywords": False,
    "mirror": False,
    "max_turns": 200,
    "max_actions": 400,
}  # RULES.md, section 12; acolyte_cost None = as the card file says


class Card:
    """One physical card. Cards are compared by identity."""

    def __init__(self, row: Row, copy: int):
        self.row, self.copy, self.name = row, copy, row.name
        self.monster, self.relic = row.type == "Monster", row.type == "Relic"
        self.tag = f"{row.name}#{copy}"
        self.reset()

    def reset(self) -> None:
        """Forget what holds only in play."""
        self.token = ""  # "", "haunt" or "dismiss" (N2)
        self.live = False  # are its triggers live? (P3, P6)
        self.missed = Counter()  # events that do not count for it (P5, since_in_play)

    def __repr__(self) -> str:
        return self.tag


class Player:
    """One player: the overlord and the piles. A deck has its top at index 0."""

    def __init__(self, seat: int, overlord: Row):
        self.seat, self.overlord = seat, overlord
        self.health = self.start = overlord.health
        self.pool = dict.fromkeys(RESOURCES, 0)
        self.hand: list[Card] = []
        self.deck: list[Card] = []
        self.discard: list[Card] = []
        self.play: list[Card] = []  # relics too, in the order in which they came
        self.removed: list[Card] = []
        self.tokens = 0  # MUSTER
        self.owned = 0  # how many cards ever (E2)
        self.shuffles = 0  # how many shuffles made
        self.seen: set[Card] = set()  # cards of the deck that the owner has seen since they were put there (G7)

    @property
    def armor(self) -> int:
        """A2: the sum on all cards in the play area, relics included."""
        return sum(card.row.armor for card in self.play)

    @property
    def known(self) -> int:
        """G7: how many top cards of the deck the owner has seen."""
        return next((i for i, card in enumerate(self.deck) if card not in self.seen), len(self.deck))

    @property
    def relics(self) -> list[Card]:
        return [card for card in self.play if card.relic]

    def monsters(self, faction: str = "") -> list[Card]:
        """The monsters in play, of one faction if it is given."""
        return [c for c in self.play if c.monster and (not faction or c.row.faction == faction)]

    def labels(self) -> dict[Card, str]:
        """The names of the cards in play: `Ghoul` for the first copy, `Ghoul #2` for the second."""
        count: Counter = Counter()
        labels = {}
        for card in self.play:
            count[card.name] += 1
            labels[card] = card.name if count[card.name] == 1 else f"{card.name} #{count[card.name]}"
        return labels

    def label(self, card: Card) -> str:
        """The name of one card in play."""
        return self.labels()[card]


class Phase:
    """What is remembered during one Action Phase, and no longer."""

    def __init__(self, player: Player):
        self.actions = 0  # E1
        self.events: Counter = Counter()  # P5: how often each event has happened
        self.began = set(player.play)  # N1: cards in play since the turn began
        self.haunted: set[Card] = set()  # N1: monsters already activated by a HAUNT Action
        self.used_relics: set[Card] = set()  # R1
        self.used_overlord = 0  # O1: how often
        self.used_horde: set[tuple[Card, int]] = set()  # H4: (card, index of its Horde ability)
        self.groups: list[list[Card]] = []  # each horde of the phase from left to right: two or more, or what is left of it (H7)
        self.group_of: dict[Card, list[Card]] = {}  # H5: the one horde that a card is in, or was in
        self.converts: list[tuple[str, str]] = []  # G1
        self.claims = 0  # B3: `next monster bought gains CLAIM`
        self.spent = 0  # A2: Power spent on attacks
        self.stopped = 0  # A2: damage that Armor has stopped
        self.tally: Counter = Counter()  # what the turns table of a run says beyond all this
        for card in player.play:
            card.missed.clear()

    @property
    def hordes(self) -> list[list[Card]]:
        """H7: a horde is two or more."""
        return [group for group in self.groups if len(group) > 1]

    def horde_of(self, card: Card | None) -> list[Card]:
        """The horde that the card is in, or nothing."""
        return next((group for group in self.groups if len(group) > 1 and card in group), [])


class Question:
    """Something to be answered by a seat: a dict from texts to whatever the asker wants back."""

    def __init__(self, seat: int, options: dict, action: bool = False):
        self.seat, self.options, self.action = seat, options, action


class GameEnd(Exception):  # noqa: N818
    """T4: an overlord is at 0 Health; or E1: the last turn is over."""

    def __init__(self, winner):
        super().__init__(winner)
        self.winner = winner


class PhaseLimit(Exception):  # noqa: N818
    """E1: the Action Phase has reached max_actions."""


class Runner:
    """Runs generators that call each other by `yield other()` and ask by `yield Question(...)`.

    A stack of its own instead of `yield from`, so that long chains of triggers need no deep recursion.
    A choice with one answer is answered here, by itself; an action never is.
    """

    def __init__(self, main: GeneratorType):
        self.stack, self.question = [main], None
        self.send(None)

    def send(self, value) -> None:
        """Go on until there is something to ask (self.question) or nothing left to do (None)."""
        error, self.question = None, None
        while self.stack:
            try:
                top = self.stack[-1]
                found = top.throw(error) if error else top.send(value)
                value = error = None
            except StopIteration as stop:
                self.stack.pop()
                value, error = stop.value, None
                continue
            except Exception as raised:
                self.stack.pop()
                if not self.stack:
                    raise
                error = raised
                continue
            if isinstance(found, GeneratorType):
                self.stack.append(found)
            elif found.action or len(found.options) > 1:
                self.question = found
                return
            else:
                (value,) = found.options.values()


class Table:
    """Moves of pieces and the triggers set off. Effects and NaiveGame build on it.

    Set by NaiveGame: me, foe (the active player and the other), phase, rules, seed, street, market, haunts.
    """

    # ------------------------------------------------------------------------------ moving pieces

    def lose(self, player: Player, n: int) -> None:
        """G4, T4: Health is lost; at 0 the game ends at once."""
        player.health = max(0, player.health - n)
        if player.health == 0:
            raise GameEnd(1 - player.seat)

    def heal(self, player: Player, n: int) -> None:
        """G4: never above the start."""
        before, player.health = player.health, min(player.start, player.health + n)
        self.phase.tally["healed"] += player.health - before

    def gain(self, resource: str, n: int) -> None:
        """T3: something comes into the pool."""
        self.me.pool[resource] += n
        self.phase.tally[resource.lower()] += n

    def pay(self, resource: str, n: int) -> None:
        """T3: something is paid out of the pool."""
        self.me.pool[resource] -= n
        self.phase.tally[f"{resource.lower()}_spent"] += n

    def count_action(self) -> None:
        """E1: one more action or trigger."""
        self.phase.actions += 1
        self.total_actions += 1

    def shuffle(self, player: Player, cards: list[Card]) -> list[Card]:
        """The cards in the order of this player's next shuffle."""
        player.shuffles += 1
        return luck.shuffled(cards, self.seed, luck.DECK, player.seat, player.shuffles - 1)

    def draw(self, player: Player, n: int) -> bool:
        """X4, K7: draw n cards. True if there was a reshuffle."""
        again = False
        for _ in range(n):
            if not player.deck and player.discard:
                player.deck, player.discard = self.shuffle(player, player.discard), []
                again = True
            if player.deck:
                player.hand.append(player.deck.pop(0))
                player.seen.discard(player.hand[-1])
                self.phase.tally["cards_drawn"] += 1
        return again

    def dig(self, player: Player, n: int) -> bool:
        """G2: see to it that the deck holds n cards, if it can. True if there was a shuffle."""
        if len(player.deck) >= n or not player.discard:
            return False
        player.deck, player.discard = player.deck + self.shuffle(player, player.discard), []
        return True

    def enter_play(self, player: Player, card: Card) -> None:
        """A card comes into play. Influence is live only with a faction monster in play (P6)."""
        card.live = card.row.type != "Influence" or self.faction_in_play(player)
        card.missed = self.phase.events.copy()
        player.play.append(card)

    def faction_in_play(self, player: Player) -> bool:
        """P6: whether a monster of the overlord's faction is in the play area."""
        return bool(player.overlord.faction) and bool(player.monsters(player.overlord.faction))

    def leave_play(self, player: Player, card: Card) -> None:
        """A card leaves play: its token goes to the reserve, its horde closes up (H7)."""
        player.play.remove(card)
        self.phase.began.discard(card)
        if card.token and self.haunts is not None:
            self.haunts += 1
        card.reset()
        for group in self.phase.groups:
            if card in group:
                group.remove(card)

    def give_token(self, card: Card) -> None:
        """N2: a HAUNT token from the reserve, if there is one and the card has none."""
        if not card.token and self.haunts != 0:
            card.token = "haunt"
            if self.haunts is not None:
                self.haunts -= 1

    def leave_street(self, card: Card) -> None:
        """B2: the top card of the Market takes the place, or the Street closes up."""
        place = self.street.index(card)
        self.street[place : place + 1] = [self.market.pop(0)] if self.market else []

    def choices(self, prefix: str, cards: list[Card]) -> dict[str, Card]:
        """Cards of a hand, a discard pile or the Street: each name once, the first copy."""
        options: dict[str, Card] = {}
        for card in cards:
            options.setdefault(prefix + card.name, card)
        return options

    # ------------------------------------------------------------------------------ triggers

    def event(self, *kinds: str, own: Card | None = None):
        """P3-P5: something has happened and is resolved; now the triggers that it set off.

        `own` is the card whose being played this is: it does not trigger on that.
        """
        for kind in kinds:
            self.phase.events[kind] += 1
            if own:
                own.missed[kind] += 1
        waiting = [(None, i) for i, t in enumerate(self.me.overlord.triggers) if self.set_off(t, kinds, None)]
        waiting += [
            (card, i) for card in self.me.play if card.live and card is not own for i, t in enumerate(card.row.triggers) if self.set_off(t, kinds, card)
        ]
        while waiting:
            if self.phase.actions >= self.rules["max_actions"]:
                raise PhaseLimit
            card, i = entry = yield self.next_trigger(waiting)
            waiting.remove(entry)
            self.count_action()
            yield self.activate((card.row if card else self.me.overlord).triggers[i].body, card)

    def set_off(self, trigger, kinds: tuple[str, ...], card: Card | None) -> bool:
        """Is the trigger on one of these events, and is it the first where it has to be? (P5)."""
        if trigger.event not in kinds or not trigger.first:
            return trigger.event in kinds
        missed = card.missed[trigger.event] if card and self.rules["first_time"] == "since_in_play" else 0
        return self.phase.events[trigger.event] - missed == 1

    def next_trigger(self, waiting: list):
        """P4: the owner chooses which trigger comes next, unless all are alike."""
        if len({(card and card.name, i) for card, i in waiting}) == 1:
            return waiting[0]
        options: dict = {}
        for card, i in waiting:
            name = "overlord" if card is None else self.me.label(card) if card in self.me.play else card.name
            options.setdefault(f"choose {name}" + (f" {i + 1}" if i else ""), (card, i))
        return (yield Question(self.me.seat, options))
