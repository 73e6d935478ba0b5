"""Card sets that differ from a given one as a designer's edits would make them: other costs, amounts, abilities that have changed places.

Whoever learns on these too learns what abilities are worth, and not what the cards of one set are.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import replace

from terrors.simulator.cards.card_set import Card, CardSet, set_problems
from terrors.simulator.cards.vocabulary import Ability
from terrors.simulator.terms.enums import CardType, Effect, Pile

COUNTED = (Effect.GAIN, Effect.DRAW, Effect.GAIN_HEALTH, Effect.OPPONENT_LOSES, Effect.ARMOR)
ABILITIES = ("abilities", "triggers", "lit", "horde")


def edited(cards: CardSet, seed: int, share: float = 0.5) -> CardSet:
    """Return a set in which about that share of the cards is edited; always the same for the same seed."""
    luck = random.Random(f"edited set {seed}")
    while True:
        found = CardSet(tuple(_edited_card(card, cards, luck) if luck.random() < share else card for card in cards.cards), cards.path)
        if not set_problems(found.cards):
            return found


def _edited_card(card: Card, cards: CardSet, luck: random.Random) -> Card:
    """Return one card after one or two edits."""
    if card.pile == Pile.STARTING:
        return card
    for _ in range(luck.choice((1, 1, 2))):
        edit = luck.random()
        if card.type == CardType.OVERLORD and edit < 0.6:
            card = replace(card, health=max(20, (card.health or 40) + luck.randint(-6, 6)))
        elif edit < 0.25 and card.pile == Pile.MARKET and card.cost is not None:
            card = replace(card, cost=max(1, card.cost + luck.choice((-2, -1, 1, 2))))
        elif edit < 0.65:
            card = replace(card, abilities=_other_amount(card.abilities, luck))
        else:
            card = _with_abilities_of(card, luck.choice([other for other in cards.cards if (other.type, other.pile) == (card.type, card.pile)]), luck)
    return card


def _other_amount(abilities: tuple[Ability, ...], luck: random.Random) -> tuple[Ability, ...]:
    """Return the abilities with one amount a little larger or smaller."""
    counted = [i for i, ability in enumerate(abilities) if ability.effect in COUNTED and ability.amount]
    if not counted:
        return abilities
    at = luck.choice(counted)
    amount = max(1, abilities[at].amount + luck.choice((-1, 1, 1, 2)))
    return (*abilities[:at], dataclasses.replace(abilities[at], amount=amount), *abilities[at + 1 :])


def _with_abilities_of(card: Card, other: Card, luck: random.Random) -> Card:
    """Return the card with all abilities of another one, or with its Horde ability alone if both have one."""
    if card.horde and other.horde and luck.random() < 0.5:
        return replace(card, horde=other.horde)
    taken = {name: getattr(other, name) for name in ABILITIES if name != "horde" or (card.horde and other.horde)}
    return replace(card, limit=other.limit, **taken)
