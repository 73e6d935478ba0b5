"""Who the pilots are and what is true in whose hands: the tables `pilots` and `hands`, and the words beside a verdict.

A band is shown beside a headline with its direction: "too strong in experts' hands (63), about fair in learners' (53)". These words stand apart from the
findings, since another weak pilot may change them, and must change nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.findings_schema import BANDS, COSTS, EXPERTS, FAIR, LOPSIDED, PAYS, TOO_STRONG, TOO_WEAK, UNDECIDED
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.analysis.contract.sentences import interval
from terrors.analysis.questions.best_hands import BestHands, Pilot, band_pilots, elo_of, weaker_bands
from terrors.analysis.questions.matchups import table
from terrors.analysis.stats.intervals import wilson
from terrors.analysis.verdicts.judge import LEANS, judge, worded
from terrors.simulator.terms.text import listed, some

Row = dict[str, Any]
ROUGH = 6.0  # points: whoever knows no more than this does not agree, but only fails to contradict
OTHERS = 3  # pilots that are named who see it the other way round


def pilots_table(hands: BestHands) -> pl.DataFrame:
    """Return who the pilots are, the best first."""
    z = hands.looks.z()
    rows = []
    for pilot in sorted(hands.pilots, key=lambda one: -one.rate):
        low, high = (elo_of(pilot.rate + side * z * pilot.se) for side in (-1, 1))
        rows.append({"pilot": pilot.name, "band": pilot.band, "elo": pilot.elo, "low": low, "high": high, "share": 100 * pilot.share,
                     "copy_of": pilot.copy_of, "far_below": " + ".join(pilot.far_below)})  # fmt: skip
    return table("pilots", rows)


@dataclass
class _Question:
    """A question that every pilot answers: what it is about, its margin, and the draws in some pilot's hands (None: the best)."""

    family: str
    overlord: str
    rival: str
    margin: float
    draws: Callable[[int | None], np.ndarray]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.overlord, self.rival) if name)


def _questions(hands: BestHands, margins: Margins) -> list[_Question]:
    found = [
        _Question("overlords", name, "", margins.overlord, lambda pilot, name=name: hands.of_overlord(name, pilot=pilot)[0])  # type: ignore[misc]
        for name in hands.overlords
        if any(m.a != m.b for m in hands.plain)
    ]
    found += [
        _Question("matchups", m.a, m.b, margins.matchup, lambda pilot, m=m: m.draws[0] if pilot is None else m.own[pilot, 0])  # type: ignore[misc]
        for m in hands.plain
        if m.a != m.b
    ]
    return [*found, _Question("first", "", "", margins.first, lambda pilot: hands.of_first(pilot)[0])]


def hands_table(hands: BestHands, margins: Margins, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return what is true in whose hands: a row for each question and band, and for each pilot. Experts' is the headline, as other tables have it."""
    rows: list[Row] = []
    for question in _questions(hands, margins):
        about_it = {"family": question.family, "overlord": question.overlord, "rival": question.rival}
        rows.append(about_it | {"band": EXPERTS, "pilot": ""} | _headline(tables, question))
        for band in weaker_bands(hands):
            if able := band_pilots(hands, band, *question.names):
                draws = np.mean([question.draws(pilot) for pilot in able], axis=0)
                rows.append(about_it | {"band": band, "pilot": ""} | _answer(hands, question, draws))
        for pilot in hands.pilots:
            if not pilot.copy_of:
                own = _answer(hands, question, question.draws(hands.chosen.index(pilot.name)))
                rows.append(about_it | {"band": pilot.band, "pilot": pilot.name} | own)
    return table("hands", rows)


def _headline(tables: dict[str, pl.DataFrame], question: _Question) -> Row:
    """Return the headline about a question."""
    frame = tables["seats" if question.family == "first" else question.family].filter(pl.col("group").is_in(HEADLINES), overlord=question.overlord)
    if "rival" in frame.columns:
        frame = frame.filter(rival=question.rival)
    if "seat" in frame.columns:
        frame = frame.filter(seat="both")
    return frame.select("rate", "low", "high", "verdict", "lean").to_dicts()[0]


def _answer(hands: BestHands, question: _Question, draws: np.ndarray) -> Row:
    share, se = float(draws[0]), float(draws[1:].std())
    middle = min(max(share, 0.02), 0.98)
    low, high = wilson(share, middle * (1 - middle) / se**2 if se else 1e12, hands.looks.z())
    verdict = judge(np.array([100 * share - 50]), np.array([100 * se]), question.margin, hands.looks)[0]
    return {"rate": 100 * share, "low": 100 * low, "high": 100 * high, "verdict": worded(verdict, question.family), "lean": verdict.lean}


def hands_words(frame: pl.DataFrame, pilots: list[Pilot], margin: float, family: str, overlord: str = "", rival: str = "") -> str:
    """Return the words beside a verdict: what is true in other hands; empty if all pilots are equally able. The named overlord's side is told."""
    turned = family == "matchups" and frame.filter(family=family, overlord=overlord, rival=rival).is_empty()
    rows = frame.filter(family=family, overlord=rival if turned else overlord, rival=overlord if turned else rival).to_dicts()
    if turned:
        rows = [_from_other_side(row) for row in rows]
    bands = {row["band"]: row for row in rows if not row["pilot"]}
    if len(bands) < 2:
        return ""
    sentences = [_band_sentence(bands, family), _trend(bands, margin, family)]
    sentences.append(_other_way_round([row for row in rows if row["pilot"]], bands[EXPERTS], pilots, (overlord, rival)))
    return " ".join(sentence for sentence in sentences if sentence)


def _from_other_side(row: Row) -> Row:
    return row | {"rate": 100 - row["rate"], "low": 100 - row["high"], "high": 100 - row["low"], "lean": {LEANS[1]: LEANS[-1], LEANS[-1]: LEANS[1]}.get(
        row["lean"], row["lean"])}  # fmt: skip


def _word(row: Row, family: str) -> str:
    """Return a band's verdict in words, with direction."""
    state, above = row["verdict"], row["rate"] > 50
    if state == UNDECIDED:
        if row["lean"] == LEANS[0]:
            return "about fair"
        state = {"overlords": (TOO_WEAK, TOO_STRONG), "first": (COSTS, PAYS), "matchups": (LOPSIDED, LOPSIDED)}[family][above]
        return f"perhaps {_directed(state, above)}"
    return state if state == FAIR else _directed(state, above)


def _directed(state: str, above: bool) -> str:
    return {LOPSIDED: "too good" if above else "too bad", PAYS: "an advantage", COSTS: "a disadvantage"}.get(state, state)


def _band_sentence(bands: dict[str, Row], family: str) -> str:
    told = [(band, bands[band]) for band in reversed(BANDS) if band in bands]
    words = {_word(row, family) for _, row in told}
    if len(words) == 1:
        text = f"{words.pop()} in all hands: " + ", ".join(f"{_PLAYERS[band]} {row['rate']:.0f}" for band, row in told)
    else:
        text = ", ".join(f"{_word(row, family)} in {_whose(band)} ({row['rate']:.0f})" for band, row in told)
    return f"{text[0].upper()}{text[1:]}."


_PLAYERS = {"experts": "experts", "club": "club players", "learners": "learners"}


def _whose(band: str) -> str:
    return {"experts": "experts' hands", "club": "club players'", "learners": "learners'"}[band]


def _trend(bands: dict[str, Row], margin: float, family: str) -> str:
    """Return whether it rises or falls with skill, where that is clear and more than the margin."""
    told = [bands[band] for band in BANDS if band in bands]
    rates = [row["rate"] for row in told]
    steps = np.diff(rates)
    clear = told[0]["high"] < told[-1]["low"] or told[0]["low"] > told[-1]["high"]
    if abs(rates[-1] - rates[0]) <= margin or not clear or not ((steps > 0).all() or (steps < 0).all()):
        return ""
    better = "it pays more" if family == "first" else "stronger"
    worse = "it pays less" if family == "first" else "weaker"
    return f"{' → '.join(f'{rate:.0f}' for rate in rates)}: {better if rates[-1] > rates[0] else worse} the better both play."


def _other_way_round(own: list[Row], headline: Row, pilots: list[Pilot], names: tuple[str, str]) -> str:
    """Return who sees it clearly the other way round: on the other side of even by more than the margin."""
    silent = {pilot.name for pilot in pilots if pilot.copy_of or set(names) & set(pilot.far_below)}
    above = headline["rate"] > 50
    found = [row for row in own if row["pilot"] not in silent and row["verdict"] not in (FAIR, UNDECIDED) and (row["rate"] > 50) != above]
    if headline["verdict"] in (FAIR, UNDECIDED) or not found:
        return ""
    found.sort(key=lambda row: -abs(row["rate"] - 50))
    return "The other way round with " + listed([f"{row['pilot']} ({row['rate']:.0f})" for row in found[:OTHERS]]) + "."


def _in_turns(hands: BestHands, chosen: list[Pilot]) -> str:
    """Return the pilots of the best hands, with how much each plays; those who play equally well take turns, and are told as one."""
    equals = [pilot for pilot in chosen if hands.chosen.index(pilot.name) in hands.able] if len(hands.able) > 1 else []
    names = listed([pilot.name for pilot in equals])
    if len(equals) == len(chosen):
        return f"{names}, who play equally well and take turns"
    told = [(sum(pilot.share for pilot in equals), f"{names}, who take turns")] if equals else []
    told += [(pilot.share, pilot.name) for pilot in chosen if pilot not in equals]
    return listed([f"{words} ({100 * share:.0f} of 100)" for share, words in sorted(told, key=lambda one: -one[0])])


def whose_play(hands: BestHands) -> list[str]:
    """Return in sentences whose play the headline is, and what is known of the others."""
    chosen = sorted((pilot for pilot in hands.pilots if pilot.share > 0.005 and not pilot.copy_of), key=lambda pilot: -pilot.share)
    if len([pilot for pilot in hands.pilots if not pilot.copy_of]) == 1:
        text = f"This is the play of {chosen[0].name} alone, against itself: what holds for it need not hold for others."
    elif len(chosen) == 1:
        text = f"The best hands are those of {chosen[0].name}, for every overlord."
    else:
        text = f"The best hands are those of {_in_turns(hands, chosen)}."
    found = [text]
    found += [f"{pilot.name} plays exactly as {pilot.copy_of} does, and is left out." for pilot in hands.pilots if pilot.copy_of]
    found += [
        f"{pilot.name} plays {listed(pilot.far_below)} far below its own level, and says nothing about {'it' if len(pilot.far_below) == 1 else 'them'}."
        for pilot in hands.pilots
        if pilot.far_below and not pilot.copy_of
    ]
    return found


def contradict(tables: dict[str, pl.DataFrame], opinion: pl.DataFrame | None) -> None:
    """Call undecided, in tables of rates, what the strongest slow pilot contradicts: the best hands may be its own."""
    for row in [] if opinion is None else opinion.filter(opinion["contradicts"]).to_dicts():
        name = {"overlords": "overlords", "first": "seats"}[row["family"]]
        frame, side = tables[name], LEANS[1 if row["rate"] > 50 else -1]
        mine = pl.col("group").is_in(HEADLINES) & (pl.col("overlord") == row["overlord"])
        mine = mine & (pl.col("rival") == "") if name == "seats" else mine
        changes = {"verdict": pl.lit(UNDECIDED), "lean": pl.lit(side), "more_games": pl.lit(None, frame.schema["more_games"])}
        tables[name] = frame.with_columns(pl.when(mine).then(new).otherwise(pl.col(column)).alias(column) for column, new in changes.items())


def opinion_words(frame: pl.DataFrame | None) -> str:
    """Return in a sentence whether the slow pilot agrees; empty if it was not asked."""
    if frame is None or frame.is_empty():
        return ""
    rows = frame.to_dicts()
    who = f"{rows[0]['pilot']}, the strongest slow pilot, in {some(rows[0]['games'], 'game', 'games')} against itself"
    apart = [row for row in rows if not row["agrees"]]
    half = max((row["high"] - row["low"]) / 2 for row in rows)
    if not apart and half > ROUGH:
        return f"{who}, sees nothing clearly otherwise (±{half:.0f} points; --thorough asks it for more)."
    if not apart:
        return f"{who}, agrees: nothing differs by more than luck and who plays explain."
    told = [f"{row['overlord'] or 'going first'} wins {interval(row['rate'], row['low'], row['high'])} instead of {row['headline']:.0f}" for row in apart]
    rest = "" if len(apart) == len(rows) else "; nothing else clearly (--thorough asks it for more)" if half > ROUGH else "; the rest agrees"
    return f"{who}, sees it otherwise: {listed(told)}{rest}."
