"""The tables of the page: plain data for the templates, no markup.

A cell is what is printed and the number behind it, by which the page sorts and which tests compare with the analysis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from terrors.analysis.contract.findings_schema import BANDS, EXPERTS
from terrors.analysis.contract.sentences import about as roughly
from terrors.analysis.contract.sentences import interval
from terrors.reports.charts.rates import own_groups
from terrors.reports.format import count, half_width, plain, plus_minus, points, share
from terrors.reports.theme import ALL_SIGNS, VERDICTS, arrow, faction_of, lean
from terrors.simulator.cards.printing import card_sentences

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row


CLEAR_PAIR = 0.05  # chance of a false alarm up to which a pair of cards is listed


@dataclass(frozen=True)
class TableCell:
    """A cell of a table."""

    text: str
    value: float | None = None
    kind: str = "number"  # number, text, name, state, bar, association
    extra: Any = None


@dataclass(frozen=True)
class Grid:
    """A table of the page: `columns` are a heading and what it means each."""

    name: str
    label: str
    columns: list[tuple[str, str]]
    rows: list[list[TableCell]]


def state(name: str | None) -> dict[str, str]:
    """Return a state or class as the page shows it: its colour, sign and word."""
    colour, sign = VERDICTS.get(name or "", ("undecided", "·"))
    return {"colour": colour, "sign": sign, "word": name or "unknown"}


def name_cell(name: str | None, faction: str | None = None, note: str = "", says: str = "") -> TableCell:
    """Return a cell with a name and the sign of its faction."""
    extra = (
        {"note": note, "sign": "", "faction": ""} if faction is None else {"note": note, "sign": ALL_SIGNS[faction_of(faction)], "faction": faction_of(faction)}
    )
    return TableCell(name or "", None, "name", extra | {"says": says})


def state_cell(name: str | None) -> TableCell:
    """Return a cell with a verdict; nothing where nothing was judged."""
    return TableCell("", None, "text") if not name else TableCell(state(name)["word"], None, "state", state(name))


def rate_cell(row: Row, value: str = "rate") -> TableCell:
    """Return a cell with games of 100 and their interval."""
    return TableCell(share(row[value], row["low"], row["high"]), row[value])


def count_cell(value: float | None) -> TableCell:
    """Return a cell with a whole number."""
    return TableCell(count(value), value)


def more_cell(row: Row) -> TableCell:
    """Return a cell with how many more games would decide it."""
    return TableCell(count(roughly(row["more_games"])) if row["more_games"] else "", row["more_games"])


def bar_cell(text: str, value: float | None, low: float | None, high: float | None, reach: float, margin: float) -> TableCell:
    """Return a cell with a number and a small bar: its interval on a scale from -reach to +reach, the margin behind it. Places are of 100."""
    if value is None or low is None or high is None:
        return TableCell(text, value)

    def place(x: float) -> float:
        return round(min(100.0, max(0.0, 50 + 50 * x / reach)), 1)

    extra = {
        "low": place(low),
        "high": place(high),
        "at": place(value),
        "from": place(-margin),
        "to": place(margin),
        "off": abs(value) > margin and min(abs(low), abs(high)) > 0,
    }
    return TableCell(text, value, "bar", extra)


def matrix(material: Material) -> list[dict[str, Any]]:
    """Return the match-up matrix, once for each seat."""
    rows = material.rows("matchups")
    names = list(dict.fromkeys(row["overlord"] for row in rows))
    factions = {row["overlord"]: row["faction"] for row in material.rows("overlords")}
    tabs = []
    for seat, title in (("both", "both seats"), ("first", "the row goes first"), ("second", "the row goes second")):
        cells = {(row["overlord"], row["rival"]): matrix_cell(row) for row in rows if row["seat"] == seat}
        if cells:
            body = [{"name": name_cell(a, factions.get(a)), "cells": [cells.get((a, b)) for b in names]} for a in names]
            tabs.append({"seat": seat, "title": title, "names": names, "rows": body})
    return tabs


def ladder(material: Material) -> list[dict[str, Any]]:
    """Return the same for strategies: which beats which."""
    rows = [row for row in material.rows("strategies") if row["strategy"] != row["rival_strategy"]]
    cells = {(row["strategy"], row["rival_strategy"]): row for row in rows}
    order = list(dict.fromkeys(row["strategy"] for row in rows))
    names = sorted(order, key=lambda name: -sum(cells[name, other]["rate"] for other in order if (name, other) in cells))
    body = [{"name": name_cell(a), "cells": [matrix_cell(cells[a, b]) if (a, b) in cells else None for b in names]} for a in names]
    return [{"seat": "strategies", "title": "strategies", "names": names, "rows": body}] if cells else []


def matrix_cell(row: Row) -> dict[str, Any]:
    """Return a cell of the matrix: number, ±, arrow, and where it lies on the scale."""
    where = lean(row["rate"], half_width(row["low"], row["high"]) or 0.0)
    words = {"▲": "ahead", "▼": "behind"}.get(arrow(row["low"], row["high"]), "too close to call")
    return {
        "text": share(row["rate"], row["low"], row["high"]).split(" ")[0],
        "value": row["rate"],
        "half": plus_minus(row["low"], row["high"]),
        "words": words,
        "arrow": arrow(row["low"], row["high"]),
        "side": where.side,
        "far": round(100 * where.far),
        "sure": round(100 * where.sure),
    }


def overlord_grid(material: Material) -> Grid:
    """Return the table of overlords, the strongest first."""
    weaker = {(row["overlord"], row["band"]): row for row in material.rows("hands") if row["family"] == "overlords" and not row["pilot"]}
    bands = [band for band in reversed(BANDS) if band != EXPERTS and any(key[1] == band for key in weaker)]
    empty = TableCell("")
    columns = [
        ("Overlord", ""),
        ("Wins of 100", "against every rival with the same weight, with the 95 % interval"),
        ("Verdict", "in the best hands that play"),
        *((f"{band} hands", "wins of 100 when both sides are played so") for band in bands),
        ("Draws of 100", ""),
        ("Pairs of games", "two games with the same luck and exchanged seats"),
        ("More games needed", "to decide it"),
    ]
    rows = sorted(material.rows("overlords"), key=lambda row: -row["rate"])
    body = [
        [
            name_cell(r["overlord"], r["faction"]),
            rate_cell(r),
            state_cell(material.verdict("overlords", r, r["overlord"])),
            *(rate_cell(weaker[r["overlord"], band]) if (r["overlord"], band) in weaker else empty for band in bands),
            TableCell(plain(r["drawn"], 1), r["drawn"]),
            count_cell(r["pairs"]),
            more_cell(r),
        ]
        for r in rows
    ]
    return Grid("overlords", "Overlords", columns, body)


def matchup_grid(material: Material) -> Grid:
    """Return the table of match-ups, each once, the most lopsided first."""
    columns = [("Match-up", ""), ("The first named wins of 100", "with the 95 % interval"), ("Verdict", ""), ("Pairs of games", ""), ("More games needed", "")]
    rows = [row for row in material.rows("matchups") if row["seat"] == "both"]
    order = list(dict.fromkeys(row["overlord"] for row in rows))
    rows = [row for row in rows if row["rate"] > 50 or (row["rate"] == 50 and order.index(row["overlord"]) < order.index(row["rival"]))]
    rows.sort(key=lambda row: -row["rate"])
    body = [
        [
            TableCell(f"{r['overlord']} – {r['rival']}", None, "name", {"note": "", "sign": ""}),
            rate_cell(r),
            state_cell(material.verdict("matchups", r, r["overlord"], r["rival"])),
            count_cell(r["pairs"]),
            more_cell(r),
        ]
        for r in rows
    ]
    return Grid("matchups", "Match-ups", columns, body)


def seat_grid(material: Material) -> Grid:
    """Return the table of going first, overall, by overlord and by match-up."""
    columns = [("Who", ""), ("Wins of 100 when going first", "with the 95 % interval"), ("Verdict", ""), ("Pairs of games", ""), ("More games needed", "")]

    def who(row: Row) -> str:
        return f"{row['overlord']} – {row['rival']}" if row["rival"] else f"{row['overlord']} going first" if row["overlord"] else "all games"

    def verdict(row: Row) -> str:
        return row["verdict"] if row["overlord"] else material.verdict("first", row)

    body = [[name_cell(who(r)), rate_cell(r), state_cell(verdict(r)), count_cell(r["pairs"]), more_cell(r)] for r in material.rows("seats")]
    return Grid("seats", "Going first", columns, body)


CARD_COLUMNS = [
    ("Card", "with the sign of its faction"),
    ("Cost", "in Coin"),
    ("Access value", "points of win rate that a player gains who may buy it; the bar is the 95 % interval, the pale field the margin"),
    ("Verdict", "of access; bomb: a purchase decides too much; trap: bought often, but it hurts; sleeper: ignored, but it helps; dead: left, and rightly"),
    ("Rank", "by value, drawn towards the mean as far as it is uncertain; in brackets the plausible ranks"),
    ("One copy", "what one copy more is worth, points of win rate"),
    ("Price", "the second verdict: what a copy is worth against what copies of that cost are worth"),
    ("Bought when affordable", "association: of 100 games in which a player could have bought it"),
    ("Seen", "association: of 100 games in which it lay in the Street in a turn of the player"),
    ("Turn", "association: when the first copy was got, both players' turns counted"),
    ("Best / worst with", "the overlords with whom it is worth most and least, where they differ clearly"),
    ("Wins when bought", "association, greyed because it misleads: mostly it says who was winning anyway"),
]


def valued_cards(material: Material) -> list[Row]:
    """Return all cards, the most valuable first, those whose value is not known last. None at all if nothing was measured, for want of a lottery."""
    rows = material.rows("cards")
    measured = any(row["value"] is not None for row in rows)
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"] or 0)) if measured else []


def card_grid(material: Material) -> Grid:
    """Return the table of all market cards, the most valuable first."""
    rows = valued_cards(material)
    says = {card.name: " ".join(card_sentences(card)) for card in material.cards or ()}
    reach = max([2 * material.margin("card"), *(abs(row[end]) for row in rows for end in ("low", "high") if row[end] is not None)]) if rows else 1.0
    reach = min(reach, 5 * material.margin("card"))
    body = []
    for r in rows:
        rank = f"{count(r['rank'])} ({count(r['rank_low'])}–{count(r['rank_high'])})" if r["rank"] is not None else ""
        note = f"{r['faction'] or 'no faction'} · {r['type']}" + (f" × {r['copies']}" if (r["copies"] or 1) > 1 else "")
        body.append(
            [
                name_cell(r["card"], r["faction"] or "", note, says.get(r["card"], "")),
                count_cell(r["cost"]),
                bar_cell(points(r["value"], r["low"], r["high"]), r["value"], r["low"], r["high"], reach, r["margin"] or material.margin("card")),
                state_cell(material.verdict("cards", r, r["card"])),
                TableCell(rank, r["rank"]),
                TableCell(points(r["per_purchase"], r["per_purchase_low"], r["per_purchase_high"]), r["per_purchase"]),
                state_cell(r["price"]),
                TableCell(plain(r["bought_when_affordable"]), r["bought_when_affordable"]),
                TableCell(plain(r["seen"]), r["seen"]),
                TableCell(plain(r["first_turn"]), r["first_turn"]),
                TableCell(" / ".join(name for name in (r["best_overlord"], r["worst_overlord"]) if name), None, "text"),
                TableCell(plain(r["rate_when_bought"]), r["rate_when_bought"], "association"),
            ]
        )
    return Grid("cards", "Cards of the market", CARD_COLUMNS, body)


def pair_grid(material: Material) -> Grid:
    """Return the table of cards that are worth more together, or against each other."""
    columns = [
        ("Card", ""),
        ("With or against", ""),
        ("Kind", "synergy: both for one player; counter: the first against a rival who has the second"),
        ("Points together", "more than the sum of both, with the 95 % interval"),
        ("q", "chance of a false alarm, corrected for the number of pairs"),
        ("On fresh games", "the same, measured again on purpose"),
        ("Granted", "points beyond the sum of both if a player begins with them"),
    ]
    every = [row for row in material.rows("card_pairs") if row["value"] is not None]
    clear = [row for row in every if row["confirmed"] is not None or (row["q"] is not None and row["q"] <= CLEAR_PAIR)]
    rows = sorted(clear, key=lambda row: (row["q"] is None, row["q"]))[:20]  # the others are noise: of so many pairs, some look like something
    body = [
        [
            name_cell(r["card"]),
            name_cell(r["other"]),
            TableCell(r["kind"], None, "text"),
            TableCell(points(r["value"], r["low"], r["high"]), r["value"]),
            TableCell(plain(r["q"], 3), r["q"]),
            TableCell(points(r["confirmed"], r["confirmed_low"], r["confirmed_high"]) if r["confirmed"] is not None else "", r["confirmed"]),
            TableCell(points(r["granted"], r["granted_low"], r["granted_high"]) if r["granted"] is not None else "", r["granted"]),
        ]
        for r in rows
    ]
    return Grid("card_pairs", "Cards together and against each other", columns, body)


def influence_grid(material: Material) -> Grid:
    """Return the table of Influence cards by overlord."""
    rows = sorted(material.rows("influences"), key=lambda row: (row["overlord"], -row["rate"]))
    chosen = not all(row["randomised"] for row in rows)
    columns = [
        ("Overlord", ""),
        ("Influence cards", ""),
        ("Wins of 100", "an association: they were chosen, not drawn by lot" if chosen else "drawn by lot"),
        ("Taken in of 100", ""),
        ("Pairs of games", ""),
    ]
    body = [
        [
            name_cell(r["overlord"]),
            TableCell((r["influences"] or "").replace("+", " + "), None, "text"),
            rate_cell(r),
            TableCell(plain(r["share"]), r["share"]),
            count_cell(r["pairs"]),
        ]
        for r in rows
    ]
    return Grid("influences", "Influence cards", columns, body)


def meta_grid(material: Material) -> Grid:
    """Return the table of ratings and the mix that cannot be exploited."""
    nash = {row["overlord"]: row for row in material.rows("nash")}
    columns = [
        ("Overlord", ""),
        ("Rating", "Bradley and Terry's, in Elo points above the mean"),
        ("Best mix", "how often, of 100, somebody would choose it who cannot be exploited"),
    ]
    body = []
    for r in sorted(material.rows("ratings"), key=lambda row: (not row["overlord"], -(row["rating"] or 0))):
        mix = nash.get(r["overlord"])
        text = share(mix["weight"], mix["low"], mix["high"]) if mix else ""
        body.append(
            [
                name_cell(r["overlord"] or "going first"),
                TableCell(points(r["rating"], r["low"], r["high"]), r["rating"]),
                TableCell(text, mix["weight"] if mix else None),
            ]
        )
    return Grid("ratings", "Ratings and the best mix", columns, body)


def group_grid(material: Material) -> Grid:
    """Return the table of who played how many games, and how many met a limit."""
    columns = [
        ("Strategies", ""),
        ("Games", ""),
        ("Draws of 100", ""),
        ("Ended at the turn limit", ""),
        ("Turns cut short", "games with an Action Phase cut short"),
    ]
    body = [
        [
            name_cell(r["group"]),
            count_cell(r["games"]),
            TableCell(plain(r["drawn"], 1), r["drawn"]),
            count_cell(r["turn_limit"]),
            count_cell(r["action_limit"]),
        ]
        for r in material.rows("groups")
    ]
    return Grid("groups", "Groups of strategies", columns, body)


def pilot_grid(material: Material) -> Grid:
    """Return the table of pilots, the best first."""
    columns = [
        ("Pilot", ""),
        ("Band", "by how it does against the best one on this set: experts within 50 Elo, club within 200"),
        ("Elo", "above the best one, head to head"),
        ("Chosen", "of 100, when each side takes the pilot that serves it best"),
        ("Says nothing about", "overlords that it plays far below its own level"),
    ]
    body = [
        [
            name_cell(r["pilot"], note=f"a copy of {r['copy_of']}" if r["copy_of"] else ""),
            TableCell(r["band"], None, "text"),
            TableCell(points(r["elo"], r["low"], r["high"]), r["elo"]),
            TableCell(plain(r["share"]), r["share"]),
            TableCell(r["far_below"].replace(" + ", ", "), None, "text"),
        ]
        for r in material.rows("pilots")
    ]
    return Grid("pilots", "Pilots", columns, body)


def panel_grid(material: Material) -> Grid:
    """Return the table of overlords by who plays both sides."""
    groups = own_groups(material)
    by_group = {group: {row["overlord"]: row for row in material.rows("overlords", group)} for group in groups}
    rows = sorted(material.rows("overlords"), key=lambda row: -row["rate"])
    columns = [("Overlord", ""), *((group, "wins of 100 with the 95 % interval") for group in groups)]
    empty = TableCell("")
    body = [
        [name_cell(r["overlord"], r["faction"]), *(rate_cell(by_group[g][r["overlord"]]) if r["overlord"] in by_group[g] else empty for g in groups)]
        for r in rows
    ]
    return Grid("panel", "Overlords by who plays", columns, body)


def ruling_grid(material: Material) -> Grid:
    """Return the table of readings of the rulebooks, a row each, with a column for each win rate that it may move."""
    rows = material.rows("rulings")
    moved, readings = list(dict.fromkeys(r["of"] for r in rows)), list(dict.fromkeys(r["reading"] for r in rows))
    cells = {(r["reading"], r["of"]): r for r in rows}
    columns = [("If it is read so", "the other reading"), *((of, "turns" if of == "turns" else "points of win rate, with the interval") for of in moved)]
    columns.append(("Games", "of 100 that go otherwise at all"))
    body = []
    for reading in readings:
        own = [cells[reading, of] for of in moved if (reading, of) in cells]
        changed = TableCell(plain(own[0]["changed_games"], 0), own[0]["changed_games"])
        body.append([name_cell(reading, note=own[0]["icon"] and "unread icon"), *(_change_cell(row) for row in own), changed])
    return Grid("rulings", "What other readings of the rulebooks would move", columns, body)


def _change_cell(row: Row) -> TableCell:
    if not row["changed_games"]:
        return TableCell("0", 0.0)
    return TableCell(interval(row["change"], row["low"], row["high"], sign=True), row["change"])


def keyword_grid(material: Material) -> Grid:
    """Return the table of what overlords do in a turn."""
    rows = material.rows("keywords")
    whats, who = list(dict.fromkeys(r["what"] for r in rows)), list(dict.fromkeys(r["overlord"] for r in rows))
    cells = {(r["overlord"], r["what"]): r for r in rows}
    columns = [("In a turn", ""), *((name or "all", "") for name in who)]
    empty = TableCell("")
    body = [[name_cell(what.replace("_", " ")), *(_per_turn(cells[name, what]) if (name, what) in cells else empty for name in who)] for what in whats]
    return Grid("keywords", "How often in a turn", columns, body)


def _per_turn(row: Row) -> TableCell:
    return TableCell(plain(row["per_turn"], 2), row["per_turn"])


def horde_grid(material: Material) -> Grid:
    """Return the table of how long hordes get."""
    rows = material.rows("hordes")
    lengths, who = sorted({r["length"] for r in rows}), list(dict.fromkeys(r["overlord"] for r in rows))
    cells = {(r["overlord"], r["length"]): r for r in rows}
    columns = [("Longest horde of a turn", ""), *((name or "all", "of 100 turns") for name in who)]
    body = []
    for length in lengths:
        title = "none" if length == 0 else f"{length} monsters"
        body.append(
            [
                TableCell(title, length),
                *(TableCell(plain(cells[n, length]["share"], 1), cells[n, length]["share"]) if (n, length) in cells else TableCell("") for n in who),
            ]
        )
    return Grid("hordes", "Hordes", columns, body)
