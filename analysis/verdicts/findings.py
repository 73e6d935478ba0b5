"""What the tables say, claim by claim: findings with a sentence each, lamps, and what to look at first: the content of findings.json.

Every finding is about the headline: in the best hands that play (questions/best_hands.py). Its verdict is the one in the table, from the one judge. Nothing in
here depends on pilots who are never chosen; what is true in other hands stands beside it (questions/hands_tables.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from terrors.analysis.contract.findings_schema import (
    BOMB,
    COSTS,
    DEAD,
    FAIR,
    FAMILIES,
    FINE,
    LOPSIDED,
    NOT_MEASURED,
    NOTABLE,
    OFF,
    OFF_BALANCE,
    PAYS,
    SLEEPER,
    STATES,
    STRONG,
    TOO_STRONG,
    TOO_WEAK,
    TRAP,
    UNDECIDED,
    WEAK,
)
from terrors.analysis.contract.groups import ALL, BEST, HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.analysis.contract.sentences import interval, missing, number
from terrors.analysis.verdicts.judge import size_word, sized
from terrors.simulator.terms.text import listed, some

NOTHING_BELOW = ("opening_luck",)  # shares of a variance: below 0 they say that nothing was explained
NAMED_CARDS = 6  # on the lamp of cards; it says how many more there are


@dataclass
class Finding:
    """One claim about the set."""

    id: str
    family: str
    subject: dict[str, str]
    state: str
    size: float
    low: float
    high: float
    sentence: str
    group: str = BEST
    klass: str = ""
    word: str = ""
    pairs: int | None = None
    p: float | None = None
    lean: str = ""  # of one that is undecided
    luck: float | None = None  # half-width that luck alone makes
    spread: float | None = None  # half-width of what hangs on which able pilot plays
    more_games: int | None = None
    reason: str = ""
    unit: str = "points"
    margin: float = 0.0
    contradicted: str = ""  # by the strongest slow pilot, in words

    def as_data(self) -> dict[str, Any]:
        """Return the finding as findings.json has it. Numbers have six digits after the point: in what order games were added up is not to be seen."""
        data = vars(self) | {"class": self.klass}
        del data["klass"]
        return {name: round(value, 6) + 0.0 if isinstance(value, float) else value for name, value in data.items()}

    @property
    def severity(self) -> float:
        """The size in margins: how pressing it is."""
        return abs(self.size) / self.margin if self.margin else 0.0


def finding_id(family: str, *names: str) -> str:
    """Return a short name that is the same in every analysis of the same thing; safe in an address, whatever the names are."""
    return f"{family}-{hashlib.blake2b(chr(0).join(names).encode(), digest_size=5).hexdigest()}"


def headlines(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the headline: in the best hands, or of all groups together."""
    return table.filter(pl.col("group").is_in(HEADLINES)).to_dicts()


def _rated(family: str, row: dict[str, Any], subject: dict[str, str], margin: float, opinion: pl.DataFrame | None = None) -> Finding:
    """Return a finding about a win rate; its sentence is still to be written. `opinion`: of the strongest slow pilot, if it was asked."""
    finding = Finding(
        finding_id(family, *sorted(subject.values())), family, subject, row["verdict"], row["rate"] - 50, row["low"] - 50, row["high"] - 50, "", row["group"],
        word=size_word(row["rate"] - 50), pairs=row["pairs"], p=row["p"], lean=row["lean"] or "", luck=row["luck"], spread=row["spread"], margin=margin,
        more_games=row["more_games"],
    )  # fmt: skip
    finding.reason = " ".join(text for text in (_REASONS[FAIR if row["verdict"] == FAIR else OFF if row["verdict"] in OFF else UNDECIDED].format(
        margin=f"±{margin:g}"), _uncertain_by(finding)) if text)  # fmt: skip
    if opinion is not None:
        mine = opinion.filter(opinion["contradicts"], family=family, overlord=subject.get("overlord", "")).to_dicts()
        for other in mine:
            finding.contradicted = f"in the hands of {other['pilot']}, who looks further ahead, it is {interval(other['rate'], other['low'], other['high'])}"
            finding.reason = f"{_REASONS[CONTRADICTED].format(margin=f'±{margin:g}')} {_uncertain_by(finding)}"
    return finding


CONTRADICTED = "contradicted"
_REASONS: dict[Any, str] = {
    FAIR: "Its interval lies within {margin}, corrected for the number of questions.",
    OFF: "Its whole interval lies beyond {margin}, corrected for the number of questions.",
    UNDECIDED: "Its interval, corrected for the number of questions, crosses {margin}.",
    CONTRADICTED: "The strongest slow pilot contradicts the best fast hands: it differs, corrected for the number of questions, and lies beyond {margin}.",
}


def _uncertain_by(finding: Finding) -> str:
    """Return what the interval is made of, in words."""
    if finding.group == ALL:
        return "The pilots of this run never met, so that nobody can say whose hands are best: it is called so only if it is so with each of them."
    if finding.luck is None:
        return ""
    luck = f"±{_half(finding.luck)} from luck"
    if finding.spread is None:
        return f"{luck}; what hangs on which able pilot plays is not known, since only one is able."
    return f"{luck}, ±{_half(finding.spread)} from who plays: pilots as able as the best differ, and so would others."


def _half(width: float) -> str:
    """Return a half-width in one digit after the point, or none if it is large."""
    return f"{width:.1f}" if width < 9.95 else f"{width:.0f}"


def _ending(finding: Finding, words: str) -> str:
    """Return the end of a sentence about a rate."""
    margin = f"±{finding.margin:g}"
    if finding.state == FAIR:
        return f"fair within your {margin}."
    if finding.state == UNDECIDED:
        lean = f", {finding.lean}" if finding.lean else ""
        if finding.contradicted:
            return f"undecided at your {margin}{lean}, since {finding.contradicted}."
        if finding.more_games is None and finding.spread:
            return f"undecided at your {margin}{lean}; more games would not settle it, since pilots of equal strength differ too much."
        if finding.group == ALL and finding.more_games is None:
            return f"undecided at your {margin}{lean}; the pilots differ, and never met: --pairing panel tells whose play counts."
        return f"undecided at your {margin}{lean}; {missing(finding.more_games)}."
    return f"{words}; your margin is {margin}."


def _rate_words(finding: Finding) -> str:
    return f"{interval(finding.size + 50, finding.low + 50, finding.high + 50)} of 100 games{' over all strategies' if finding.group == ALL else ''}"


def overlord_findings(table: pl.DataFrame, margins: Margins, opinion: pl.DataFrame | None = None) -> list[Finding]:
    """Return the findings about overlords that are too strong or too weak."""
    found = []
    for row in headlines(table):
        finding = _rated("overlords", row, {"overlord": row["overlord"]}, margins.overlord, opinion)
        finding.sentence = f"{row['overlord']} wins {_rate_words(finding)}: " + _ending(finding, finding.state)
        found.append(finding)
    return found


def matchup_findings(table: pl.DataFrame, margins: Margins) -> list[Finding]:
    """Return the findings about lopsided match-ups. The one who wins more is named first."""
    rows = {(row["overlord"], row["rival"]): row for row in headlines(table.filter(pl.col("seat") == "both"))}
    found = []
    for one, other in sorted({(min(key), max(key)) for key in rows}):
        row = max((rows[key] for key in ((one, other), (other, one))), key=lambda row: row["rate"])
        finding = _rated("matchups", row, {"overlord": row["overlord"], "rival": row["rival"]}, margins.matchup)
        finding.sentence = f"{row['overlord']} beats {row['rival']} in {_rate_words(finding)}: " + _ending(finding, f"lopsided, {sized(finding.size, 'gap')}")
        found.append(finding)
    return found


def first_findings(table: pl.DataFrame, margins: Margins, opinion: pl.DataFrame | None = None) -> list[Finding]:
    """Return the finding about going first."""
    found = []
    for row in headlines(table.filter((pl.col("overlord") == "") & (pl.col("rival") == ""))):
        finding = _rated("first", row, {}, margins.first, opinion)
        words = {PAYS: "it pays", COSTS: "it costs"}.get(finding.state, "")
        finding.sentence = f"Going first wins {_rate_words(finding)}: " + _ending(finding, f"{words}, {sized(finding.size, 'gap')}")
        found.append(finding)
    return found


CARD_STATE = {
    BOMB: TOO_STRONG, STRONG: TOO_STRONG, SLEEPER: TOO_STRONG, WEAK: TOO_WEAK, TRAP: TOO_WEAK, DEAD: TOO_WEAK, FINE: FAIR, UNDECIDED: UNDECIDED,
}  # fmt: skip


def card_findings(table: pl.DataFrame, margins: Margins) -> list[Finding]:
    """Return the findings about cards: bombs, strong and weak ones, traps, sleepers, dead ones."""
    return [_card_finding(row, margins) for row in headlines(table) if row["value"] is not None]


def _card_finding(row: dict[str, Any], margins: Margins) -> Finding:
    card, klass = row["card"], row["class"]
    relative = row["relative"] is not None
    shift = row["relative"] - row["value"] if relative else 0.0
    finding = Finding(
        finding_id("cards", card), "cards", {"card": card}, CARD_STATE[klass], row["value"] + shift, row["low"] + shift, row["high"] + shift, "",
        row["group"], klass, size_word(row["value"] + shift), p=row["q"], lean=row["lean"] or "", margin=row["margin"], more_games=row["more_games"],
        reason=f"From {_where_from(row)}; corrected for the number of cards."
        + f" The margin goes with the copies: ±{margins.card:g} for a card with as many as cards have on average, ±{row['margin']:g} for {row['copies']}.",
    )  # fmt: skip
    if klass == BOMB:  # the size of a bomb is that of a purchase
        finding.size, finding.low, finding.high = row["per_purchase"], row["per_purchase_low"], row["per_purchase_high"]
        finding.word, finding.margin = size_word(finding.size), margins.bomb
    finding.sentence = _card_sentence(finding, row, relative)
    return finding


def _where_from(row: dict[str, Any]) -> str:
    """Return what games a card's value comes from, in words."""
    sources = [f"{some(row['denials'], 'game', 'games')} in which it was denied by lot"] if row["denials"] else []
    if row["withheld"]:
        sources.append(f"{some(row['withheld'], 'game', 'games')} played again with it withheld from its buyer")
    return " and ".join(sources) or "games in which nobody bought it"


def _card_sentence(finding: Finding, row: dict[str, Any], relative: bool) -> str:
    card, value = finding.subject["card"], interval(row["value"], row["low"], row["high"], sign=True)
    if finding.klass == BOMB:
        copy = interval(finding.size, finding.low, finding.high, sign=True)
        bomb = f"a bomb, beyond your +{finding.margin:g}"
        return f"A copy of {card} is worth {copy} points of win rate to whoever buys it: {bomb}; access to it is worth {value}."
    access = f"Being allowed to buy {card} is worth {value} points of win rate"
    if relative:
        access += f", {interval(finding.size, finding.low, finding.high, sign=True)} beside the mean card"
    if finding.state in (FAIR, UNDECIDED):
        return f"{access}: {_ending(finding, '')}"
    often = (
        f"bought in {number(row['bought_when_affordable'], 1)} of 100 games in which it could be"
        if row["bought_when_affordable"] is not None
        else "never affordable"
    )
    endings = {
        STRONG: f"{TOO_STRONG}, beyond your ±{finding.margin:g}.",
        TRAP: f"a trap: {often}, and those who may buy it do worse.",
        WEAK: f"{TOO_WEAK}: those who may buy it do worse ({often}).",
        DEAD: f"dead: {often}, and nothing is lost by that.",
    }
    if finding.klass == SLEEPER:
        copy = interval(row["per_purchase"], row["per_purchase_low"], row["per_purchase_high"], sign=True)
        return f"{access}: a sleeper: only {often}, but a copy is worth {copy} points."
    return f"{access}: {endings[finding.klass]}"


def feel_findings(table: pl.DataFrame | None, margins: Margins) -> list[Finding]:
    """Return the findings about metrics of feel that are outside of what is usual."""
    if table is None:
        return []
    found = []
    for row in table.filter(pl.col("group") == ALL).iter_rows(named=True):
        bounds = margins.feel.get(row["metric"])
        low, high = row["low"], row["high"]
        if bounds is None or row["value"] is None or low is None or high is None:  # one deal alone has no interval, so that nothing can be claimed
            continue
        lowest = min(bounds[0], low, high) if row["metric"] in NOTHING_BELOW else bounds[0]
        outside = low > bounds[1] or high < lowest
        inside = lowest <= low and high <= bounds[1]
        state = NOTABLE if outside else FAIR if inside else UNDECIDED
        usual = f"usual is {bounds[0]:g} to {bounds[1]:g}"
        said = f"{row['meaning'].rstrip('.')}: {interval(row['value'], low, high)} {row['unit']}"
        ending = {NOTABLE: f"out of the ordinary; {usual}.", FAIR: f"as usual ({usual}).", UNDECIDED: f"at the edge; {usual}."}[state]
        found.append(
            Finding(
                finding_id("feel", row["metric"]),
                "feel",
                {"metric": row["metric"]},
                state,
                row["value"],
                low,
                high,
                f"{said}: {ending}",
                unit=row["unit"],
                reason="",
            )
        )
    return found


def lamps(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return one lamp a family: a state, and in words all that are off balance, or undecided if none is.

    The state is that of the most pressing finding. Where some are, or seem to be, too strong and others too weak, one word would be wrong about the others: off
    balance.
    """
    found = []
    for family in FAMILIES:
        mine = sorted((finding for finding in findings if finding.family == family), key=press)
        if not mine:
            found.append({"family": family, "state": NOT_MEASURED, "sentence": WHY_NOT_MEASURED[family], "findings": []})
            continue
        off = [finding for finding in mine if finding.state in OFF] or [finding for finding in mine if finding.state == NOTABLE]
        perhaps = [finding for finding in mine if finding.state == UNDECIDED]
        own = off or perhaps or mine
        leaning = [finding for finding in perhaps if off and abs(finding.size) > finding.margin > 0]
        words = _lamp_words(family, own, leaning, len(mine))
        ways = {finding.state for finding in off} | {_LEANING.get((family, finding.size > 0), LOPSIDED) for finding in leaning}
        state = OFF_BALANCE if off and len(ways) > 1 else own[0].state
        found.append({"family": family, "state": state, "sentence": words, "findings": [finding.id for finding in [*own, *leaning]]})
    return found


_LEANING = {(family, above): (TOO_WEAK, TOO_STRONG)[above] for family in ("overlords", "cards") for above in (False, True)}


def press(finding: Finding) -> tuple[int, float, str]:
    """Return by what findings are sorted, the most pressing first: off balance, worth a look, undecided, fair; and in these by their size in margins."""
    return (0 if finding.state in OFF else STATES.index(finding.state)), -finding.severity, finding.id


WHY_NOT_MEASURED = {
    "overlords": "No two overlords met.",
    "matchups": "No two overlords met.",
    "first": "Nothing was played.",
    "cards": "What cards are worth was not measured; simulate enough games with --deny-lottery 0.1.",
    "feel": "How games feel was not measured; simulate without --no-turns.",
}
_NOUNS = {"overlords": ("overlord", "overlords"), "matchups": ("match-up", "match-ups"), "first": ("question", "questions"), "cards": ("card", "cards"),
          "feel": ("metric", "metrics")}  # fmt: skip


def _lamp_words(family: str, own: list[Finding], leaning: list[Finding], total: int) -> str:
    if family == "first":
        return own[0].sentence
    one, many = _NOUNS[family]
    state = own[0].state
    if state == FAIR:
        if family == "feel":
            return "Games feel as usual in what was measured."
        return f"All {some(total, one, many)} are fair." if total > 1 else f"The only {one} is fair."
    verb = "out of balance" if state in OFF else "out of the ordinary" if state == NOTABLE else "undecided"
    text = f"{len(own)} of {some(total, one, many)} {'is' if len(own) == 1 else 'are'} {verb}: {_names(own, family)}"
    if leaning:
        text += f"; undecided, but beyond the margin as far as one can tell: {_names(leaning, family)}"
    return f"{text}."


def _names(own: list[Finding], family: str) -> str:
    most = NAMED_CARDS if family == "cards" else len(own)
    return listed([_short(finding) for finding in own[:most]] + ([f"{len(own) - most} more"] if len(own) > most else []))


def _short(finding: Finding) -> str:
    subject = finding.subject
    if finding.family == "matchups":
        return f"{subject['overlord']} over {subject['rival']}"
    name = next(iter(subject.values())).replace("_", " ")
    if finding.family == "overlords":
        return f"{name} ({finding.state if finding.state in OFF else finding.lean})"
    if finding.family == "cards":
        return f"{name} ({finding.klass if finding.state in OFF else finding.lean})"
    return name


NOT_PRESSING = 3


def how_pressing(finding: Finding) -> int:
    """Return 0 for what is off by more than its margin, 1 for what seems to be so or is out of the ordinary, 2 for what is off otherwise; else NOT_PRESSING.

    What leans beyond its margin is worth a look before what the margin does not measure, such as a trap that costs a point.
    """
    if finding.state in OFF:
        return 0 if finding.severity >= 1 else 2
    return 1 if finding.state == NOTABLE or finding.contradicted or (finding.state == UNDECIDED and finding.severity > 1) else NOT_PRESSING


def look_first(findings: Sequence[Finding], most: int = 3) -> list[str]:
    """Return the most pressing findings, of different families as far as there are; the worst of each first. If any card is off, one of them is a card."""

    def order(finding: Finding) -> tuple[int, bool, float, str]:
        return how_pressing(finding), not finding.contradicted, -finding.severity, finding.id  # the size of what is contradicted is the one in doubt

    pressing = sorted((f for f in findings if how_pressing(f) < NOT_PRESSING), key=order)
    best: list[Finding] = []
    for family in FAMILIES:
        best += [f for f in pressing if f.family == family][:1]
    best.sort(key=order)
    card = next((f for f in best if f.family == "cards"), None)
    chosen = [*best, *(f for f in pressing if f not in best)][:most]
    if card is not None and card not in chosen:
        chosen[-1] = card
    return [f.id for f in chosen]
