"""Shuffles: every order of cards follows from the seed and the identity of the cards alone."""

import hashlib
from functools import lru_cache

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
DECK, MARKET, ACOLYTE = 1, 2, 3  # what a shuffle is for


def mix(z: int) -> int:
    """The finaliser of SplitMix64."""
    z &= MASK
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & MASK
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def stream(seed: int, purpose: int, seat: int, number: int) -> int:
    """The number that stands for one shuffle of one game."""
    h = mix(seed + GOLDEN)
    for value in (purpose, seat, number):
        h = mix(h + GOLDEN * (value + 1))
    return h


@lru_cache(10000)
def key(name: str, copy: int) -> int:
    """The number that stands for one copy of one card."""
    digest = hashlib.blake2b(f"{name}#{copy}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def shuffled(cards: list, seed: int, purpose: int, seat: int, number: int) -> list:
    """The cards in their new order, top first. Equal keys keep the order they had."""
    h = stream(seed, purpose, seat, number)
    return sorted(cards, key=lambda card: mix(h ^ key(card.name, card.copy)) >> 16)
