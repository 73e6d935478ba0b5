"""What is worth a warning in a card set that can be played all the same: what the designer may not have meant."""

from collections.abc import Iterable, Iterator, Sequence

from terrors.simulator.cards.card import Card
from terrors.simulator.cards.grammar import Ability, Rank
from terrors.simulator.cards.vocabulary import rank
from terrors.simulator.terms.enums import CardType, Effect, Faction
from terrors.simulator.terms.text import shown

MOST_NAMES = 3  # of cards that one warning lists
Look = tuple[Faction, Faction, Faction]  # a monster's faction and its indicators, left and right


def warnings_of(cards: Sequence[Card]) -> list[tuple[Card | None, str, str]]:
    """Return the warnings about a set, each with the card and the column that it is about, if it is about one."""
    return [*_endless_overlords(cards), *_broken_indicators(cards)]


def _endless_overlords(cards: Iterable[Card]) -> Iterator[tuple[Card, str, str]]:
    """Yield a warning for each overlord whose ability costs nothing and has no limit (rule O1): it can be used until max_actions ends the turn (E1)."""
    for card in cards:
        if card.type is CardType.OVERLORD and not card.limit and is_free(card.abilities):
            yield card, "abilities", "costs nothing and has no limit, so it can be used without end; write 'once per turn: …' before it (rule O1)"


def is_free(abilities: Sequence[Ability]) -> bool:
    """Whether something comes of activating these without paying: Health that must be lost is a price, a cost that may be declined limits only itself."""
    if any(ability.effect is Effect.LOSE_HEALTH for ability in abilities):
        return False
    return any(map(_gives, abilities))


def _gives(ability: Ability) -> bool:
    if ability.effect in (Effect.COST, Effect.BUY_WITH) or rank(ability) is Rank.STATIC:
        return False
    return is_free(ability.body[0]) if ability.effect is Effect.IF else True


def broken_indicators(cards: Iterable[Card]) -> list[tuple[Card, Card]]:
    """H8: return the pairs of monsters of which one names the other's faction beside it and is not named back.

    One pair of cards stands for all that look the same: same factions, same indicators.
    """
    looks: dict[Look, Card] = {}
    for card in cards:
        if card.type is CardType.MONSTER and card.faction and (card.left or card.right):
            looks.setdefault((card.faction, card.left, card.right), card)
    return [(a, b) for a in looks.values() for b in looks.values() if (a.right == b.faction) is not (b.left == a.faction)]


def _broken_indicators(cards: Sequence[Card]) -> Iterator[tuple[None, str, str]]:
    """Yield one warning for the whole set, since such pairs come in dozens; none if there are no such pairs."""
    broken = broken_indicators(cards)
    if broken:
        pairs = ", ".join(f"{shown(a.name)} + {shown(b.name)}" for a, b in broken[:MOST_NAMES]) + (" …" if len(broken) > MOST_NAMES else "")
        yield (
            None,
            "",
            f"Horde indicators that disagree side by side: of {pairs} only one names the other's faction; give a faction one orientation (rule H8)",
        )
