"""Small pieces of sentences that charts and sections share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terrors.analysis.contract.findings_schema import FAIR, UNDECIDED
from terrors.analysis.contract.groups import ALL, BEST
from terrors.analysis.contract.sentences import about as roughly
from terrors.reports.format import count, odds, plain, points, share
from terrors.simulator.terms.text import listed

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row


def of_games(row: Row) -> str:
    """Return a rate in words: `56 of 100 games (55–57)`."""
    text = share(row["rate"], row["low"], row["high"])
    number, _, interval = text.partition(" ")
    return f"{number} of 100 games {interval}".strip()


def group_words(material: Material, group: str | None) -> str:
    """Return the words for who decided in the games that are shown."""
    names = material.best if group in (BEST, ALL) else list(material.stands_on.get("strategies", {}))
    if group in (None, BEST, ALL):
        return f"Played by {listed(names)}." if names else ""
    return f"Played by {group}."


def overall(material: Material, group: str | None) -> str:
    """Return the beginning of a title that speaks of several groups of strategies together."""
    if len(material.findings["pilots"]["list"]) < 2:
        return ""
    return {BEST: "In the best hands, ", ALL: "Over all strategies, "}.get(group or "", "")


def begun(beginning: str, sentence: str) -> str:
    """Return a sentence behind a beginning; words that are no names lose their capital."""
    small = ("All ", "No ", "Going ")
    return beginning + (sentence[0].lower() + sentence[1:] if beginning and sentence.startswith(small) else sentence)


def size_words(finding: Row) -> str:
    """Return the size of a finding in words: `+6.1 points (+5.2 to +7.0): strong`."""
    if finding.get("size") is None:
        return ""
    if finding["family"] == "feel":
        return ""
    text = points(finding["size"], finding["low"], finding["high"])
    number, _, interval = text.partition(" ")
    return f"{number} {finding.get('unit') or 'points'} {interval}".strip()


def sure_words(finding: Row) -> str:
    """Return how sure a finding is, in plain words."""
    if finding["family"] == "feel":
        return ""
    state, pairs, p = finding["state"], finding.get("pairs"), finding.get("p")
    games = f" ({count(2 * pairs)} games)" if pairs else ""
    if state == UNDECIDED:
        more = finding.get("more_games") if "would settle it" not in finding["sentence"] else None
        return f"Not decided yet{games}" + (f"; about {count(roughly(more))} more games would settle it." if more else ".") + _made_of(finding)
    if state == FAIR:
        return f"Sure{games}: a gap beyond the margin is ruled out.{_made_of(finding)}"
    if p is None:
        return f"From {count(2 * pairs)} games." if pairs else ""
    return f"{'Sure' if p < 0.05 else 'Not sure'}{games}: {odds(p)}.{_made_of(finding)}"


def _made_of(finding: Row) -> str:
    """Return what the interval is made of: luck, and who plays."""
    luck, spread = finding.get("luck"), finding.get("spread")
    if luck is None:
        return ""
    who = "who plays is not reckoned with: only one pilot is able" if spread is None else f"±{plain(spread, 1)} from who plays"
    return f" ±{plain(luck, 1)} from luck{'; ' if spread is None else ', '}{who}."


def margin_words(value: float) -> str:
    """Return a margin in words: `±3 points`."""
    return f"±{plain(value, 0 if float(value).is_integer() else 1)} points"
