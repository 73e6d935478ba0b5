"""Keyed luck for whole columns of games (rng.py has it for one): seeds that are far apart, whatever the numbers that they are made of."""

from __future__ import annotations

import numpy as np

from terrors.simulator.kernel.rng import GOLDEN, MIX_1, MIX_2, key_of


def mixed(z: np.ndarray) -> np.ndarray:
    """Return what `rng.mix` makes of each number of a column."""
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * MIX_1
        z = (z ^ (z >> np.uint64(27))) * MIX_2
        return z ^ (z >> np.uint64(31))


def numbered(luck: np.ndarray | int, numbers: np.ndarray) -> np.ndarray:
    """Return the seeds with these numbers, from 0, of a luck: each depends only on the luck and its own number."""
    with np.errstate(over="ignore"):
        return mixed(np.asarray(luck, np.uint64) + GOLDEN * (numbers.astype(np.uint64) + np.uint64(1)))


def streams(seeds: np.ndarray, purpose: int, seat: int = 0, number: int = 0) -> np.ndarray:
    """Return what `rng.stream` makes of each seed of a column."""
    with np.errstate(over="ignore"):
        found = mixed(seeds.astype(np.uint64) + GOLDEN)
        for part in (purpose, seat, number):
            found = mixed(found + GOLDEN * np.uint64(part + 1))
    return found


def game_seeds(seed: int, numbers: np.ndarray) -> np.ndarray:
    """Return seeds for some games of a run."""
    return numbered(key_of(f"run {seed}", 0), numbers)
