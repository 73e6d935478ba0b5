"""Verdicts over the panel, and what to look at first: from the tables to findings.json.

Every claim is made for each group of strategies and then put together: too strong if it is so in any serious group, too weak only if it is so in all of them.
What turns round between serious pilots *depends on play*, and is never called lopsided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from terrors.analysis.contract.findings_schema import (
    DEPENDS,
    FAIR,
    FAMILIES,
    FINE,
    LOPSIDED,
    NOT_MEASURED,
    NOTABLE,
    SLEEPER,
    STATES,
    STRONG,
    TRAP,
    UNDECIDED,
    WEAK,
)
from terrors.analysis.contract.groups import ALL
from terrors.analysis.contract.margins import Margins
from terrors.analysis.contract.sentences import about, by_whom, interval, missing, number
from terrors.analysis.verdicts.judge import size_word, sized
from terrors.simulator.terms.text import listed, some

NOTHING_BELOW = ("opening_luck",)  # shares of a variance: below 0 they say that nothing was explained


@dataclass
class Claim:
    """The verdict of one group: the state and on which side (+1, −1; 0 when it is not lopsided)."""

    state: str
    side: int


@dataclass
class Finding:
    """One claim about the set, for all groups together."""

    id: str
    family: str
    subject: dict[str, str]
    state: str
    size: float
    low: float
    high: float
    sentence: str
    group: str = ALL
    klass: str = ""
    word: str = ""
    pairs: int | None = None
    p: float | None = None
    by_group: dict[str, str] = field(default_factory=dict)
    more_games: int | None = None
    reason: str = ""
    unit: str = "points"
    margin: float = 0.0

    def as_data(self) -> dict[str, Any]:
        """Return the finding as findings.json has it."""
        data = vars(self) | {"class": self.klass}
        del data["klass"]
        return data

    @property
    def severity(self) -> float:
        """The size in margins: how pressing it is."""
        return abs(self.size) / self.margin if self.margin else 0.0


def finding_id(family: str, *names: str) -> str:
    """Return a short name that is the same in every analysis of the same thing; safe in an address, whatever the names are."""
    return f"{family}-{hashlib.blake2b(chr(0).join(names).encode(), digest_size=5).hexdigest()}"


def panel(claims: dict[str, Claim], serious: Sequence[str], overall: Claim) -> tuple[str, int]:
    """Return the state over all groups, and the side, by the panel rule. `overall`: what all groups together say.

    What holds on average need not hold for each: a mean within the margin, or below it, says nothing about every single group. Only that some group is too
    strong follows from a mean that is, if all of these groups are serious.
    """
    mine = [claims[name] for name in serious if name in claims]
    sides, states = {claim.side for claim in mine}, {claim.state for claim in mine}
    if {1, -1} <= sides:
        return DEPENDS, 0
    if 1 in sides:
        return LOPSIDED, 1
    if -1 in sides:
        return (LOPSIDED, -1) if sides == {-1} else (DEPENDS, 0) if FAIR in states else (UNDECIDED, 0)
    if states == {FAIR}:
        return FAIR, 0
    return (LOPSIDED, 1) if overall.side == 1 and FAIR not in states and len(mine) == len(claims) else (UNDECIDED, 0)


def _claims(rows: Sequence[dict[str, Any]], even: float, value: str = "rate") -> dict[str, Claim]:
    return {row["group"]: Claim(row["verdict"], (1 if row[value] > even else -1) if row["verdict"] == LOPSIDED else 0) for row in rows}


def _leading(rows: Sequence[dict[str, Any]], serious: Sequence[str], state: str, side: int, even: float) -> dict[str, Any]:
    """Return the row that a finding shows: the serious group where it is worst if it is lopsided, else all groups together."""
    whole = next(row for row in rows if row["group"] == ALL)
    own = [row for row in rows if row["group"] in serious and row["verdict"] == LOPSIDED and (row["rate"] - even) * side > 0]
    return max(own, key=lambda row: abs(row["rate"] - even)) if state == LOPSIDED and own else whole


def _more(rows: Sequence[dict[str, Any]], serious: Sequence[str], played: str) -> int | None:
    """Return how many games more, of all groups, until every serious group is decided. `played`: the column that says how much was."""
    whole = next(row for row in rows if row["group"] == ALL)
    times = [row["more_games"] / row[played] for row in rows if row["group"] in serious and row["more_games"] and row[played]]
    return about(max(times) * whole[played]) if times and whole[played] else whole["more_games"]


def _rated(family: str, rows: list[dict[str, Any]], subject: dict[str, str], serious: Sequence[str], margin: float, groups: int, one_sided: bool) -> Finding:
    """Return a finding about a win rate. `one_sided`: strong in any, weak only in all; a match-up has two sides, and is lopsided if it is so in any."""
    claims = _claims(rows, 50.0)
    overall = claims.pop(ALL)
    state, side = panel(claims, serious, overall)
    if not one_sided:  # what is too weak here is too strong there
        turned = panel({name: Claim(claim.state, -claim.side) for name, claim in claims.items()}, serious, Claim(overall.state, -overall.side))
        state, side = (LOPSIDED, -1) if turned == (LOPSIDED, 1) else (state, side)
    row = _leading(rows, serious, state, side, 50.0)
    finding = Finding(
        finding_id(family, *sorted(subject.values())), family, subject, state, row["rate"] - 50, row["low"] - 50, row["high"] - 50, "", row["group"],
        word=size_word(row["rate"] - 50), pairs=row["pairs"], p=row["p"], by_group={name: claim.state for name, claim in claims.items()}, margin=margin,
        more_games=_more(rows, serious, "pairs") if state == UNDECIDED else None,
    )  # fmt: skip
    held = " over all strategies" if row["group"] == ALL else f" with {row['group']}"
    finding.reason = REASONS[state].format(margin=f"±{margin:g}", held=held if groups > 1 else "")
    return finding


REASONS = {
    FAIR: "Two one-sided tests rule out a gap beyond {margin}{held}.",
    LOPSIDED: "Clearly off even{held}, corrected for the number of questions, and beyond {margin} as far as one can tell.",
    UNDECIDED: "Neither a gap within {margin} nor one beyond it can be ruled out yet{held}.",
    DEPENDS: "Serious strategies disagree: what is strong with one is not with another.",
}


def _ending(finding: Finding, words: str) -> str:
    """Return the end of a sentence about a rate."""
    margin = f"±{finding.margin:g}"
    if finding.state == FAIR:
        return f"fair within your {margin}."
    if finding.state == UNDECIDED:
        return f"undecided at your {margin}; {missing(finding.more_games)}."
    if finding.state == DEPENDS:
        return "but it depends on who plays: " + "; ".join(f"{state} with {group}" for group, state in finding.by_group.items()) + "."
    return f"{words}; your margin is {margin}."


def overlord_findings(table: pl.DataFrame, serious: Sequence[str], margins: Margins) -> list[Finding]:
    """Return the findings about overlords that are too strong or too weak."""
    found = []
    for (overlord,), rows in table.group_by(["overlord"], maintain_order=True):
        groups = rows.height - 1
        finding = _rated("overlords", rows.to_dicts(), {"overlord": str(overlord)}, serious, margins.overlord, groups, one_sided=True)
        rate = interval(finding.size + 50, finding.low + 50, finding.high + 50)
        strength = "too strong" if finding.size > 0 else "too weak"
        finding.sentence = f"{overlord} wins {rate} of 100 games{by_whom(finding.group, groups)}: " + _ending(
            finding, f"{strength}, {sized(finding.size, 'gap')}"
        )
        found.append(finding)
    return found


def matchup_findings(table: pl.DataFrame, serious: Sequence[str], margins: Margins) -> list[Finding]:
    """Return the findings about lopsided match-ups. The one who wins more is named first."""
    sides = dict(table.filter(pl.col("seat") == "both").group_by(["overlord", "rival"], maintain_order=True))
    found = []
    for (overlord, rival), rows in sides.items():
        if (str(overlord), str(rival)) > (str(rival), str(overlord)):
            continue
        groups = rows.height - 1
        for pair in ((overlord, rival), (rival, overlord)):
            subject = {"overlord": str(pair[0]), "rival": str(pair[1])}
            finding = _rated("matchups", sides[pair].to_dicts(), subject, serious, margins.matchup, groups, one_sided=False)
            if finding.size >= 0:
                break
        rate = interval(finding.size + 50, finding.low + 50, finding.high + 50)
        beats = f"{subject['overlord']} beats {subject['rival']} in {rate} of 100 games{by_whom(finding.group, groups)}"
        finding.sentence = f"{beats}: " + _ending(finding, f"lopsided, {sized(finding.size, 'gap')}")
        found.append(finding)
    return found


def first_findings(table: pl.DataFrame, serious: Sequence[str], margins: Margins) -> list[Finding]:
    """Return the finding about going first."""
    rows = table.filter((pl.col("overlord") == "") & (pl.col("rival") == ""))
    groups = rows.height - 1
    finding = _rated("first", rows.to_dicts(), {}, serious, margins.first, groups, one_sided=False)
    rate = interval(finding.size + 50, finding.low + 50, finding.high + 50)
    who = "an advantage" if finding.size > 0 else "a disadvantage"
    finding.sentence = f"Going first wins {rate} of 100 games{by_whom(finding.group, groups)}: " + _ending(finding, f"{who}, {sized(finding.size, 'gap')}")
    return [finding]


_CARD_STATE = {STRONG: (LOPSIDED, 1), SLEEPER: (LOPSIDED, 1), WEAK: (LOPSIDED, -1), TRAP: (LOPSIDED, -1), FINE: (FAIR, 0)}


def card_findings(table: pl.DataFrame, serious: Sequence[str], margins: Margins) -> list[Finding]:
    """Return the findings about cards that are strong, weak, traps or sleepers."""
    if not table.height or table["value"].null_count() == table.height:
        return []
    found = []
    for (card,), rows in table.filter(pl.col("value").is_not_null()).group_by(["card"], maintain_order=True):
        found.append(_card_finding(str(card), rows.to_dicts(), serious, margins.card))
    return found


def _card_finding(card: str, rows: list[dict[str, Any]], serious: Sequence[str], margin: float) -> Finding:
    claims = {row["group"]: Claim(*_CARD_STATE.get(row["class"], (UNDECIDED, 0))) for row in rows}
    overall = claims.pop(ALL)
    state, side = panel(claims, serious, overall)
    row = next(row for row in rows if row["group"] == ALL)
    if state == LOPSIDED and overall.side != side:
        row = max((r for r in rows if r["group"] in serious and claims[r["group"]].side == side), key=lambda r: abs(r["value"]))
    klass = row["class"] if state == LOPSIDED else {FAIR: FINE, UNDECIDED: UNDECIDED, DEPENDS: DEPENDS}[state]
    finding = Finding(
        finding_id("cards", card), "cards", {"card": card}, state, row["value"], row["low"], row["high"], "", row["group"], klass, size_word(row["value"]),
        p=row["q"], by_group={r["group"]: r["class"] for r in rows if r["group"] != ALL}, margin=margin,
        more_games=_more(rows, serious, "denials") if state == UNDECIDED else None, reason="From the denial lottery; corrected for the number of cards.",
    )  # fmt: skip
    finding.sentence = _card_sentence(finding, row, len(rows) - 1)
    return finding


def _card_sentence(finding: Finding, row: dict[str, Any], groups: int) -> str:
    card, value = finding.subject["card"], interval(finding.size, finding.low, finding.high, sign=True)
    access = f"being allowed to buy {card} is worth {value} points of win rate{by_whom(finding.group, groups)}"
    access = access[0].upper() + access[1:]
    if finding.state in (FAIR, UNDECIDED):
        return f"{access}: {_ending(finding, '')}"
    if finding.state == DEPENDS:
        return f"{access}, but it depends on who plays: " + "; ".join(f"{state} with {group}" for group, state in finding.by_group.items()) + "."
    often = (
        f"bought in {number(row['bought_when_affordable'], 1)} of 100 games in which it could be"
        if row["bought_when_affordable"] is not None
        else "never affordable"
    )
    endings = {
        STRONG: f"strong, beyond your ±{finding.margin:g}.",
        TRAP: f"a trap: {often}, and those who may buy it do worse.",
        WEAK: f"weak: those who may buy it do worse ({often}).",
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
    """Return one lamp a family: its most pressing state, in words."""
    found = []
    for family in FAMILIES:
        mine = [finding for finding in findings if finding.family == family]
        if not mine:
            found.append({"family": family, "state": NOT_MEASURED, "sentence": WHY_NOT_MEASURED[family], "findings": []})
            continue
        state = next(state for state in STATES if any(finding.state == state for finding in mine))
        own = sorted((finding for finding in mine if finding.state == state), key=lambda finding: -finding.severity)
        found.append({"family": family, "state": state, "sentence": _lamp_words(family, state, own, len(mine)), "findings": [finding.id for finding in own]})
    return found


WHY_NOT_MEASURED = {
    "overlords": "No two overlords met.",
    "matchups": "No two overlords met.",
    "first": "Nothing was played.",
    "cards": "What cards are worth was not measured; simulate enough games with --deny-lottery 0.1.",
    "feel": "How games feel was not measured; simulate without --no-turns.",
}
_NOUNS = {"overlords": ("overlord", "overlords"), "matchups": ("match-up", "match-ups"), "first": ("question", "questions"), "cards": ("card", "cards"),
          "feel": ("metric", "metrics")}  # fmt: skip


def _lamp_words(family: str, state: str, own: list[Finding], total: int) -> str:
    if family == "first":
        return own[0].sentence
    one, many = _NOUNS[family]
    if state == FAIR:
        if family == "feel":
            return "Games feel as usual in what was measured."
        return f"All {some(total, one, many)} are fair." if total > 1 else f"The only {one} is fair."
    names = listed([_short(finding) for finding in own[:3]] + ([f"{len(own) - 3} more"] if len(own) > 3 else []))
    verb = {LOPSIDED: "out of balance", NOTABLE: "out of the ordinary", DEPENDS: "dependent on who plays", UNDECIDED: "undecided"}[state]
    return f"{len(own)} of {some(total, one, many)} {'is' if len(own) == 1 else 'are'} {verb}: {names}."


def _short(finding: Finding) -> str:
    subject = finding.subject
    if finding.family == "overlords" and finding.state == LOPSIDED:
        return f"{subject['overlord']} ({'too strong' if finding.size > 0 else 'too weak'})"
    if finding.family == "matchups":
        return f"{subject['overlord']} against {subject['rival']}"
    if finding.family == "cards" and finding.state == LOPSIDED:
        return f"{subject['card']} ({finding.klass})"
    return next(iter(subject.values())).replace("_", " ")


def look_first(findings: Sequence[Finding], most: int = 3) -> list[str]:
    """Return the most pressing findings, of different families as far as there are; the worst of each first."""
    pressing = sorted((f for f in findings if f.state in (LOPSIDED, NOTABLE)), key=lambda f: (-f.severity, f.id))
    if len(pressing) < most:
        pressing += sorted((f for f in findings if f.state == DEPENDS), key=lambda f: (-f.severity, f.id))
    best: list[Finding] = []
    for family in FAMILIES:
        best += [f for f in pressing if f.family == family][:1]
    best.sort(key=lambda f: (STATES.index(f.state), -f.severity))
    rest = [f for f in pressing if f not in best]
    return [f.id for f in [*best, *rest][:most]]
