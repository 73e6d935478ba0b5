"""Who wins, all tables of it, with the headline in the best hands: what a report, a comparison and a trial ask for alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from terrors.analysis.contract.margins import Margins
from terrors.analysis.questions.best_hands import BestHands, HandSums, met
from terrors.analysis.questions.hands_tables import hands_table, pilots_table
from terrors.analysis.questions.matchups import Groups, groups_table, matchups_table, overlords_table, seats_table, strategies_table
from terrors.analysis.source.pair_sums import PairSums, put_headline
from terrors.analysis.source.source import NamedCell, Source
from terrors.simulator.runs.stages import DECIDE, NARROW, SCREEN, WHOLE
from terrors.simulator.terms.errors import AnalysisError

JUDGING = (WHOLE, SCREEN, NARROW, DECIDE)  # stages whose games judge overlords, match-ups and seats: without a lottery, if there are stages


@dataclass
class Headline:
    """The answers to who wins: the tables, and whose hands are best, if that can be told."""

    source: Source  # the games that judge
    sums: PairSums
    groups: Groups
    hands: BestHands | None
    in_mix: list[NamedCell]  # the cells that are played in the best hands; all, if that cannot be told
    tables: dict[str, pl.DataFrame]


def headline_of(source: Source, margins: Margins) -> Headline:
    """Return who wins in these runs."""
    looks, judging = source.looks(), source.only(*JUDGING)
    sums, hand_sums = PairSums.of(judging), HandSums(judging)
    for block in judging.blocks():
        sums.add(block)
        hand_sums.add(block)
    if not sums.sums[..., 0].any():
        raise AnalysisError(f"{source.runs[0].folder.address}: there are no games in it yet; let `terrors simulate` play first.")
    hands = BestHands(hand_sums, looks) if met(judging, hand_sums) else None
    groups, in_mix = Groups(judging, margins.casual, hands), list(judging.cells)
    if hands:
        in_mix = hands.cells_in_mix(judging.cells)
        if not hands.alone:
            put_headline(sums, hands.as_sums(), np.array([cell in in_mix for cell in judging.cells]))
    tables = {
        "groups": groups_table(sums, groups),
        "overlords": overlords_table(sums, source, groups, margins.overlord, looks),
        "matchups": matchups_table(sums, groups, margins.matchup, looks),
        "seats": seats_table(sums, groups, margins.first, looks),
        "strategies": strategies_table(sums, groups, looks),
    }
    if hands:
        tables |= {"pilots": pilots_table(hands), "hands": hands_table(hands, margins, tables)}
    return Headline(judging, sums, groups, hands, in_mix, tables)
