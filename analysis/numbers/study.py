"""`terrors numbers`: the lottery played and kept, and its effects as a table and in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import tidy
from terrors.analysis.numbers.number_effects import Effects, effects_of
from terrors.analysis.numbers.number_lottery import Blocks, Each, NumberLottery, rounds_for
from terrors.analysis.numbers.played_versions import Versions, settled
from terrors.analysis.numbers.store import Kept, keep_blocks, kept_blocks, key_of
from terrors.analysis.stats.intervals import holm
from terrors.simulator.cards.card_numbers import CELLS, TEXTS, Number, numbers_of
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.storage import Folder
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import did_you_mean

SAVE_EVERY = 10.0  # seconds
SORTS = (*CELLS, "amounts", *TEXTS, "rules")  # what `only` may name


@dataclass
class NumberStudy:
    """The effects of all numbers of a set, and who played."""

    effects: Effects
    pilot: str
    whole: bool  # whether all blocks were played that were asked for

    def table(self) -> pl.DataFrame:
        """Return the `numbers` table of an analysis."""
        return tidy(pl.DataFrame(self.rows(), schema_overrides=dict.fromkeys(FLOATS, pl.Float64), infer_schema_length=None))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each number and gauge."""
        found = self.effects
        z, alone = (np.broadcast_to(found.bound(together), found.effect.shape) for together in (True, False))
        p = holm(found.chance(found.effect, found.se).ravel()).reshape(found.effect.shape)
        bent = np.isfinite(found.bend)
        p_bend = np.ones_like(found.bend)
        p_bend[bent] = holm(found.chance(found.bend, found.bend_se)[bent])
        rows, no_bend = [], dict.fromkeys(("down", "bend", "bend_low", "bend_high"))
        for i, number in enumerate(found.numbers):
            for j, gauge in enumerate(found.gauges):
                effect, se, bend, bend_se, far, near = (float(array[i, j]) for array in (found.effect, found.se, found.bend, found.bend_se, z, alone))
                rows.append({
                    "where": number.name, "card": number.card or None, "sort": sort_of(number), "from": number.value, "step": number.step,
                    "move": number.said(number.value + number.step), "of": gauge.name, "effect": effect, "low": effect - far * se, "high": effect + far * se,
                    "alone_low": effect - near * se, "alone_high": effect + near * se, "p": float(p[i, j]),
                    **({"down": bend - effect, "bend": bend, "bend_low": bend - far * bend_se, "bend_high": bend + far * bend_se} if bent[i, j] else no_bend),
                    "differ": bool(p_bend[i, j] < 0.05), "games": found.games, "played_by": self.pilot,
                })  # fmt: skip
        return rows


FLOATS = ("effect", "low", "high", "alone_low", "alone_high", "p", "down", "bend", "bend_low", "bend_high")


def sort_of(number: Number) -> str:
    """Return the sort of a number: cost, copies, health, abilities, triggers, horde or rules."""
    return number.column if number.card else "rules"


def chosen(numbers: Iterable[Number], only: Sequence[str], cards: CardSet | None = None, option: str = "only") -> list[Number]:
    """Return the numbers of some sorts (`cost`, `amounts`, …), of some cards or piles of them, or by name; all if nothing is asked for.

    `option`: the name under which they were asked for.
    """
    numbers = list(numbers)
    piles = {card.name: card.pile.name.casefold() for card in cards} if cards else {}
    if not only:
        return numbers
    found: list[Number] = []
    for text in only:
        wanted = text.strip().casefold()
        mine = [
            n for n in numbers
            if wanted in (sort_of(n), n.name.casefold(), n.card.casefold(), piles.get(n.card)) or (wanted == "amounts" and n.column in TEXTS)
        ]  # fmt: skip
        if not mine:
            names = {*SORTS, *(n.name for n in numbers), *(n.card for n in numbers if n.card)}
            raise AnalysisError(f"{option} {text!r}: there is no such number{did_you_mean(text, names) or '; the sorts are ' + ', '.join(SORTS) + '.'}")
        found += [number for number in mine if number not in found]
    return [number for number in numbers if number in found]


def study_numbers(
    job: Job, games: int, jobs: int = 1, only: Sequence[str] = (), folder: Folder | None = None, tell: Callable[[str], None] | None = None,
    each: Each | None = None,
) -> NumberStudy:  # fmt: skip
    """Play the lottery, or go on with what lies in the folder, and return the effects. After a Ctrl-C those that are known. `each`: who plays."""
    job = settled(job)
    numbers = chosen(numbers_of(job.cards, job.plan.ruleset()), only, job.cards)
    versions = Versions(job, numbers, "numbers", jobs)
    lottery = NumberLottery(versions, rounds_for(games, len(numbers), versions.games_a_round))
    kept = Kept(folder, key_of(job, numbers)) if folder else None
    blocks = kept_blocks(kept, lottery.rounds) if kept else Blocks(rounds=lottery.rounds)
    wanted, saved = max(1, round(games / lottery.games_a_block)), time.monotonic()

    def told(done: Blocks) -> None:
        nonlocal saved
        if tell:
            tell(f"{len(done) * lottery.games_a_block:,} of {wanted * lottery.games_a_block:,} games, {len(numbers)} numbers moved by lot")
        if kept and time.monotonic() - saved > SAVE_EVERY:
            keep_blocks(kept, done)
            saved = time.monotonic()

    blocks = lottery.play(wanted, blocks, told, each)
    if kept:
        keep_blocks(kept, blocks)
    return NumberStudy(effects_of(numbers, lottery.gauges.all, blocks, lottery.games_a_block), ", ".join(job.strategies), len(blocks) >= wanted)
