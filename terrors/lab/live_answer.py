"""What the games of two sides say so far, as data for the page: numbers from the functions of `terrors compare` and `terrors analyze`, texts as theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.compare import compared, difference_sentences
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.analysis.questions.headline import Headline, headline_of
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.trials.trials import Difference
from terrors.lab.live_games import LiveSide, LiveSource
from terrors.reports.format import decimals, half_width, plain, points, share
from terrors.reports.page.grids import state
from terrors.reports.theme import ALL_SIGNS, faction_of
from terrors.simulator.runs.stopping import FIRST_LOOK

Row = dict[str, Any]
EVERYTHING = float("inf")
MOST_SENTENCES = 4


@dataclass(frozen=True)
class LiveAnswer:
    """The numbers that are known so far."""

    rounds: int
    table: pl.DataFrame  # of differences, as `terrors compare` has it; empty if there is only one side
    data: Row  # for the page

    @property
    def widest(self) -> float:
        """The half-width of the overlord that is known least, in points."""
        return float(self.data["widest"])


def answer(before: LiveSide, after: LiveSide, rounds: int, edited: Sequence[str], margins: Margins) -> LiveAnswer | None:
    """Return what the first rounds of both sides say; None if they are too few to know how much they vary. `edited`: cards to look at closely."""
    if rounds < FIRST_LOOK:
        return None
    if before is after:
        now = standing(headline_of(LiveSource(after, rounds), margins), after)
        return LiveAnswer(rounds, pl.DataFrame(), {"rounds": rounds, "games": 2 * after.cells * rounds, "now": now, "widest": _widest(now["overlords"])})
    one, two = LiveSource(before, rounds), LiveSource(after, rounds)
    paired, table, (_, headline) = compared(one, two, margins)
    now = standing(headline, after)
    data: Row = {"rounds": rounds, "games": 2 * after.cells * rounds, "now": now}
    if table.is_empty():  # no overlord has kept its name
        return LiveAnswer(rounds, table, data | {"widest": _widest(now["overlords"])})
    rows = [row for row in table.to_dicts() if row["group"] in HEADLINES]
    families = {family: [_difference(row, after) for row in rows if row["family"] == family] for family in ("overlords", "matchups", "first")}
    families["overlords"].sort(key=lambda row: row["overlord"])
    families["matchups"].sort(key=lambda row: (row["overlord"], row["rival"]))
    data |= families | {
        "paired": bool(paired),
        "length": _length(before, after, rounds, one.looks()),
        "cards": list(_bought(before, after, rounds, edited, one.looks())),
        "sentences": difference_sentences(table, MOST_SENTENCES),
        "widest": _widest(families["overlords"]),
    }
    return LiveAnswer(rounds, table, data)


def standing(headline: Headline, side: LiveSide) -> Row:
    """Return how a set stands by itself: rates with the verdicts of `terrors analyze`."""
    overlords, match_ups, first = (headline.tables[name].filter(pl.col("group").is_in(HEADLINES)) for name in ("overlords", "matchups", "seats"))
    return {
        "overlords": [_rate(row, side) for row in overlords.sort("overlord").to_dicts()],
        "matchups": [_rate(row, side) for row in match_ups.filter(seat="both").sort("overlord", "rival").to_dicts()],
        "first": [_rate(row, side) for row in first.filter(overlord="", rival="").to_dicts()],
    }


def _rate(row: Row, side: LiveSide) -> Row:
    known = {name: row[name] for name in ("overlord", "rate", "low", "high")}
    verdict = state(row["verdict"]) | {"lean": row.get("lean") or ""} if row.get("verdict") else None
    text = share(row["rate"], row["low"], row["high"])
    return known | _looks_of(row["overlord"], side) | {"rival": row.get("rival") or "", "text": text, "state": verdict, "more": row.get("more_games")}


def _looks_of(overlord: str, side: LiveSide) -> Row:
    """Return the faction of an overlord and its sign."""
    known = [card for card in side.cards.overlords if card.name == overlord]
    faction = faction_of(known[0].faction.label if known else None)
    return {"faction": faction, "sign": ALL_SIGNS[faction] if known else ""}


def _difference(row: Row, side: LiveSide) -> Row:
    half = half_width(row["low"], row["high"])
    return {
        "overlord": row["overlord"], "rival": row["rival"], **_looks_of(row["overlord"], side), **_texts(row["before"], row["after"], half),
        "difference": row["difference"], "low": row["low"], "high": row["high"], "text": points(row["difference"], row["low"], row["high"]),
        "clear": row["p"] <= 0.05,
    }  # fmt: skip


def _texts(before: float, after: float, half: float | None) -> Row:
    return {"before": plain(before, decimals(half)), "after": plain(after, decimals(half))}


def _widest(rows: Iterable[Row]) -> float:
    return max((half for row in rows if (half := half_width(row["low"], row["high"])) is not None), default=100.0)


def _gap(one: np.ndarray, two: np.ndarray, looks: Looks) -> Row:
    """Return the mean difference of what two sides have for the same deals, with its interval."""
    found = Difference(looks=looks, most=EVERYTHING)
    found.add(two - one)
    low, high = found.interval
    half = half_width(low, high)
    return {
        **_texts(float(one.mean()), float(two.mean()), half), "difference": found.mean, "low": low, "high": high, "text": points(found.mean, low, high),
        "clear": low > 0 or high < 0,
    }  # fmt: skip


def _length(before: LiveSide, after: LiveSide, rounds: int, looks: Looks) -> Row | None:
    """Return turns of a game, before and after; None if the sides have other match-ups, so that no deal is the same."""
    if before.named != after.named:
        return None
    one, two = (np.concatenate([batch.turns for batch in side.batches(rounds)]).reshape(-1, 2).mean(1) for side in (before, after))
    return _gap(one, two, looks)


def _bought(before: LiveSide, after: LiveSide, rounds: int, edited: Iterable[str], looks: Looks) -> Iterable[Row]:
    """Yield how many copies of each edited card are bought in a game. The games of a batch are counted together, so the batch is what varies."""
    batches = rounds // after.size
    if before.named != after.named or batches < 5:
        return
    sums = [np.array([batch.bought for batch in side.batches(rounds)]) / (2 * side.cells * side.size) for side in (before, after)]
    for name in edited:
        if name in before.box.names and name in after.box.names:
            one, two = sums[0][:, before.box.kind(name)], sums[1][:, after.box.kind(name)]
            if one.any() or two.any():
                yield {"card": name, **_gap(one, two, Looks(batches, looks.rho * after.size))}
