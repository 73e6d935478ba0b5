"""What each section of the page says besides its tables and charts: plain data for the templates, no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from terrors.analysis.contract.findings_schema import FAIR, FAMILIES, OFF, OFF_BALANCE, PRESSING, STATES, UNDECIDED
from terrors.analysis.contract.sentences import interval
from terrors.reports.format import count, plain, share
from terrors.reports.page.grids import state
from terrors.reports.theme import VERDICTS
from terrors.reports.wording import margin_words, size_words, sure_words
from terrors.simulator.terms.text import listed

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row
    from terrors.reports.page.replays import Gallery

LISTED = 5  # findings of a section that are seen without unfolding
SCORES = ("brier", "log_loss")  # metrics of the model and not of the game
METRICS = {
    "length": "Length, on average",
    "length_short": "Short games",
    "length_median": "Middling games",
    "length_long": "Long games",
    "no_return": "Point of no return",
    "snowball_health": "Snowball of Health",
    "snowball_income": "Snowball of income",
    "opening_luck": "Luck of the opening",
    "lucky_third": "Lucky against unlucky openings",
    "street_untouched": "Untouched Street",
    "street_wait": "Waiting in the Street",
}  # names of metrics, where better ones can be found than their own


def headline(material: Material) -> str:
    """Return all of it in one sentence."""
    by_state: dict[str, list[str]] = {}
    for lamp in material.findings["lamps"]:
        by_state.setdefault(lamp["state"], []).append(FAMILIES[lamp["family"]].lower())
    if off := [family for state in (*OFF, OFF_BALANCE) for family in by_state.get(state, [])]:
        off.sort(key=[title.lower() for title in FAMILIES.values()].index)
        return f"Off balance: {listed(off)}.".replace("match-ups", "match\u2011ups")  # which does not break there
    if open_ := by_state.get(UNDECIDED):
        return f"Nothing is clearly off balance; not decided yet: {listed(open_)}."
    return "Everything that was asked is fair within your margins."


def lamps(material: Material) -> list[dict[str, Any]]:
    """Return the five lamps, a family each."""
    return [
        {"title": FAMILIES[lamp["family"]], "anchor": lamp["family"], "state": state(lamp["state"]), "sentence": lamp["sentence"]}
        for lamp in material.findings["lamps"]
    ]


def finding_view(material: Material, finding: Row, gallery: Gallery) -> dict[str, Any]:
    """Return a finding with its size, sureness, section and games."""
    games = [
        {"game": e["game"], "kind": e["why"].partition(":")[0], "why": e["why"], "shown": e["game"] in gallery.shown}
        for e in gallery.behind.get(finding["id"], [])
    ]
    shown = finding["class"] if finding.get("class") in VERDICTS else finding["state"]
    return {
        "id": finding["id"],
        "sentence": finding["sentence"],
        "reason": finding.get("reason") or "",
        "state": state(shown),
        "size": size_words(finding),
        "word": word if (word := finding.get("word") or "") and word not in finding["sentence"] else "",
        "sure": sure_words(finding),
        "section": FAMILIES[finding["family"]],
        "anchor": finding["family"],
        "games": games,
        "hands": material.beside(finding["id"]),
    }


def look_first(material: Material, gallery: Gallery) -> list[dict[str, Any]]:
    """Return the three things to look at first."""
    found = (material.finding(key) for key in material.findings["look_first"][:3])
    return [finding_view(material, finding, gallery) for finding in found if finding]


def of_family(material: Material, family: str, gallery: Gallery) -> dict[str, Any]:
    """Return the findings of a section: those that matter most first, the others folded."""

    def press(finding: Row) -> tuple[int, float]:
        return 0 if finding["state"] in OFF else STATES.index(finding["state"]), -abs(finding.get("size") or 0)

    findings = sorted(material.of_family(family), key=press)
    open_ = [finding for finding in findings if finding["state"] != FAIR][:LISTED] or findings[:1]
    rest = [finding for finding in findings if finding not in open_]
    fair = sum(finding["state"] == FAIR for finding in rest)
    words = f"{len(rest)} more finding{'s' * (len(rest) != 1)}" + (f", {fair if fair < len(rest) else 'all'} fair" if fair else "")
    return {"first": [finding_view(material, f, gallery) for f in open_], "more": [finding_view(material, f, gallery) for f in rest], "words": words}


def told_findings(material: Material) -> list[Row]:
    """Return the findings that get games, in order: what to look at first, then what the lamps name, then all that is not fair."""
    lamps_ = [lamp for lamp in material.findings["lamps"] if lamp["state"] != FAIR]
    keys = [*material.findings["look_first"][:3], *(key for lamp in lamps_ for key in lamp.get("findings", [])[:2])]
    keys += [f["id"] for f in sorted(material.findings["findings"], key=lambda f: -abs(f.get("size") or 0)) if f["state"] in PRESSING]
    found = (material.finding(key) for key in list(dict.fromkeys(keys))[:24])
    return [finding for finding in found if finding]


def metagame_words(material: Material) -> str:
    """Return a sentence on whether there is rock, paper, scissors."""
    rows = material.rows("metagame")
    if not rows or rows[0]["cyclic"] is None:
        return ""
    row = rows[0]
    text = f"{share(row['cyclic'], row['low'], row['high'])} of 100 parts of the variation between match-ups are rock, paper, scissors"
    if row["noise_floor"] is None:
        return f"{text}."
    beyond = row["low"] is not None and row["low"] > row["noise_floor"]
    return f"{text}; chance alone shows up to {plain(row['noise_floor'])} at this number of games" + (
        ", so that some of it is real." if beyond else ", so that this is no sign of a cycle."
    )


def facts(material: Material) -> list[dict[str, Any]]:
    """Return the numbers of how games feel."""
    return [
        {
            "metric": METRICS.get(r["metric"], r["metric"].replace("_", " ")),
            "text": share(r["value"], r["low"], r["high"]).split(" (")[0],
            "interval": _interval(r),
            "unit": r["unit"],
            "meaning": r["meaning"],
            "value": r["value"],
        }
        for r in material.rows("feel")
        if r["value"] is not None and not r["metric"].startswith(SCORES)
    ]


def ruling_words(material: Material) -> list[str]:
    """Return in sentences what hangs on the readings of the rulebooks; empty if that was not asked."""
    rows = material.rows("rulings")
    if not rows:
        return []
    certain = [row for row in rows if row["of"] != "turns" and (row["low"] > 0 or row["high"] < 0)]
    words = [
        f"{count(rows[0]['games'])} games with each reading on the same deals, played by {rows[0]['played_by']}, who does not learn anew for it. "
        "All intervals hold together."
    ]
    if icons := [row for row in certain if row["icon"]]:
        most = max(icons, key=lambda row: abs(row["change"]))
        much = interval(most["change"], most["low"], most["high"], sign=True)
        read = most["value"].replace("|", " or ")
        words.append(f"Look up first in the printed game: the icon of {most['icon']}. Read as {read}, it moves {most['of']} by {much} points.")
    else:
        words.append("These games show nothing that hangs on an unread icon.")
    if others := [row for row in certain if not row["icon"]]:
        most = max(others, key=lambda row: abs(row["change"]))
        much = interval(most["change"], most["low"], most["high"], sign=True)
        words.append(f"Of the sentences that can be read in two ways, most hangs on this: {most['reading']} ({most['of']} {much} points).")
    return words


def scores(material: Material) -> list[str]:
    """Return how wrong the model of the chances is, beside simpler minds."""
    found = {r["metric"]: r for r in material.rows("feel") if r["value"] is not None}
    if not {"brier", "brier_health_only", "brier_constant"} <= found.keys():
        return []
    model, health, nothing = (plain(found[name]["value"], 3) for name in ("brier", "brier_health_only", "brier_constant"))
    return [f"How wrong it is (Brier score, 0 is always right and 0.25 a coin): {model}; somebody who looks at Health alone {health}, at nothing {nothing}."]


def _interval(row: Row) -> str:
    text = share(row["value"], row["low"], row["high"])
    return text.partition(" ")[2] if row["low"] is not None and row["low"] != row["high"] else ""


def stands_on(material: Material) -> dict[str, Any]:
    """Return the facts that the page stands on, in words."""
    said = material.stands_on
    source = {name: n for name, n in (said.get("source") or {}).items() if n}
    total = sum(source.values())
    origin = listed([f"{count(n)} {name or 'without a source'}" for name, n in source.items()]) if source else ""
    played = material.findings["played"]
    changes = [
        f"{kind} {thing}" for kind, things in (said.get("changes") or {}).items() for thing in (things if isinstance(things, list) else [things]) if thing
    ]
    rules = [f"{name} = {value}" for name, value in (said.get("rules") or {}).items()]
    margins = {"overlord": "an overlord's win rate", "matchup": "a match-up", "first": "going first", "card": "access to a card of average copies",
               "bomb": "what a purchase is worth"}  # fmt: skip
    return {
        "games": count(played["games"]),
        "pairs": count(played["games"] // 2),
        "draws": count(played["draws"]),
        "turn_limit": count(played["turn_limit"]),
        "action_limit": count(played["action_limit"]),
        "strategies": list((said.get("strategies") or {}).items()),
        "origin": origin,
        "cards_total": count(total),
        "reference": bool(said.get("reference")),
        "lottery": said.get("lottery") or 0,
        "withheld": count(said["withheld"]) if said.get("withheld") else "",
        "sequential": bool(said.get("sequential")),
        "pooled": said.get("pooled"),
        "changes": changes,
        "rules": rules,
        "influences": said.get("influences"),
        "warnings": [*(said.get("warnings") or []), *played["warnings"]],
        "sha": str(said.get("cards_sha256") or "")[:12],
        "engine": str(said.get("engine") or ""),
        "margins": [(margins.get(name, name), margin_words(value)) for name, value in material.findings["margins"].items() if isinstance(value, int | float)],
    }
