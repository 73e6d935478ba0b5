"""Keyed luck: every shuffle is a pure function of what it is for.

Game i of a run is the same whatever was played before it, and a shuffle orders its cards by `mix(stream ^ key)`, where the stream is made of
(seed, purpose, seat, shuffle number) and the key of (card name, copy number). So removing or changing one card leaves the order of all others as it was,
which makes two card sets comparable game by game.

`mix` is the SplitMix64 finaliser. All arithmetic is modulo 2**64; constants are wrapped, since Numba makes `uint64 + 1` a signed number.
"""

from __future__ import annotations

import functools
import hashlib

import numpy as np

from terrors.simulator.kernel.jit import U64, BoxRecord, GameRecord, OptionsRecord, PileRecord, rule
from terrors.simulator.terms.enums import Purpose

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
ONE = np.uint64(1)
LOW_16 = np.uint64(0xFFFF)
HIGH_48 = np.uint64(0xFFFFFFFFFFFF0000)


@functools.lru_cache(1 << 14)  # the same cards, again and again
def key_of(name: str, copy: int) -> int:
    """Return the luck of one card instance: the same in every card set that has it."""
    return int.from_bytes(hashlib.blake2b(f"{name}#{copy}".encode(), digest_size=8).digest(), "little")


@rule(inline=True)
def mix(z: U64) -> U64:
    """Scatter the bits of a number over all 64."""
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


@rule
def stream(seed: U64, purpose: int, seat: int, number: int) -> U64:
    """Return the stream of luck for one purpose."""
    h = mix(seed + GOLDEN)
    h = mix(h + GOLDEN * (np.uint64(purpose) + ONE))
    h = mix(h + GOLDEN * (np.uint64(seat) + ONE))
    return mix(h + GOLDEN * (np.uint64(number) + ONE))


@rule
def sort_down(options: OptionsRecord, n: int) -> None:
    """Sort the first n words of the scratch area, largest first. Insertion sort: decks are short."""
    words = options.scratch
    for i in range(1, n):
        word = words[i]
        j = i - 1
        while j >= 0 and words[j] < word:
            words[j + 1] = words[j]
            j -= 1
        words[j + 1] = word


@rule
def sort_many(options: OptionsRecord, n: int) -> None:
    """Sort more than a few words, largest first: into 64 buckets by their highest bits, then each bucket."""
    words = options.scratch
    if n > BUCKET_SORT_FROM:
        counts = options.bucket
        for b in range(65):
            counts[b] = 0
        for i in range(n):
            counts[64 - np.int64(words[i] >> np.uint64(58))] += 1
        for b in range(64):
            counts[b + 1] += counts[b]
        spare = options.spare
        for i in range(n):
            into = 63 - np.int64(words[i] >> np.uint64(58))
            spare[counts[into]] = words[i]
            counts[into] += 1
        for i in range(n):
            words[i] = spare[i]
    sort_down(options, n)


BUCKET_SORT_FROM = 24
RANK_SORT_UP_TO = 96


@rule
def rank_down(options: OptionsRecord, n: int) -> None:
    """Sort the first n words of the scratch area into the spare one, largest first, by counting for each how many are larger.

    For the length of a deck this beats sorting, since it has no branches to guess wrong.
    """
    words, sorted_words = options.scratch, options.spare
    for i in range(n):
        word = words[i]
        rank = 0
        for j in range(n):
            rank += int(words[j] > word)
        sorted_words[rank] = word


@rule
def shuffle_pile(box: BoxRecord, options: OptionsRecord, pile: PileRecord, luck: U64) -> None:
    """Put a pile into the order of its luck: the smallest on top (last)."""
    words = options.scratch
    n = pile.n
    for i in range(n):
        card = pile.card[i]
        words[i] = (mix(luck ^ box.key[card]) & HIGH_48) | np.uint64(card)
    if n <= RANK_SORT_UP_TO:
        rank_down(options, n)
        words = options.spare
    else:
        sort_many(options, n)
    for i in range(n):
        pile.card[i] = np.int64(words[i] & LOW_16)


@rule
def order_by_luck(box: BoxRecord, options: OptionsRecord, n: int, luck: U64) -> None:
    """Put the cards in the first n words of the scratch area into the order of their luck, the smallest last, however they lay."""
    words = options.scratch
    for i in range(n):
        card = words[i]
        words[i] = (mix(luck ^ box.key[card]) & HIGH_48) | card
    if n <= RANK_SORT_UP_TO:
        rank_down(options, n)
        for i in range(n):
            words[i] = options.spare[i] & LOW_16
    else:
        sort_many(options, n)
        for i in range(n):
            words[i] = words[i] & LOW_16


@rule
def chance(game: GameRecord, me: int) -> U64:
    """Return a number of the strategy's own stream, a new one with each call: luck of the game is never touched."""
    me_player = game.player[me]
    me_player.chances += 1
    return stream(game.chance_seed, Purpose.CHANCE, me, me_player.chances)


@rule
def chance_below(game: GameRecord, me: int, n: int) -> int:
    """Return a number from 0 to n - 1 of the strategy's own stream."""
    return int((chance(game, me) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))
