"""An analysis that was made up: tables and findings as docs/ANALYSIS.md promises them, for pages of any kind, extreme ones included."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.contract.findings_schema import FORMAT, OFF, STATES
from terrors.analysis.contract.groups import BEST
from terrors.simulator.runs.job import key_of_identity

Row = dict[str, Any]
FACTIONS = ("Undead", "Beast", "Mortal", "Spirit")
WORDS = ((1, "no practical"), (3, "slight"), (6, "clear"), (10, "strong"), (math.inf, "crushing"))
FEEL = [
    ("turns", 19.6, 0.1, "turns", "A game takes so many turns, both players' counted."),
    ("turns of the shortest", 12.0, 0.0, "turns", "Five of 100 games are shorter."),
    ("turns of the longest", 31.0, 0.0, "turns", "Five of 100 games are longer."),
    ("lead changes", 2.3, 0.03, "a game", "So often the other player gets ahead."),
    ("comebacks", 11.2, 0.4, "of 100 games", "The winner once had a chance of 20 in 100 or less."),
    ("point of no return", 74.0, 0.6, "% of the game", "From here on the later winner stays the favourite."),
    ("snowball", 1.8, 0.1, "points a Health", "A lead of one Health early on is worth so much."),
    ("dead turns", 6.1, 0.2, "of 100 turns", "Turns in which a player neither buys nor attacks."),
    ("opening luck", 8.4, 0.9, "points", "The best tenth of opening hands against the worst."),
    ("stale market", 14.9, 0.3, "of 100 turns", "Nothing in the Street can be bought."),
]


@dataclass
class World:
    """What is true in a made-up game, and how well it is known."""

    overlords: list[tuple[str, str]] = field(
        default_factory=lambda: [("Methuselah", "Undead"), ("Fenris", "Beast"), ("Lilith", "Mortal"), ("Azazael", "Spirit")]
    )
    strength: list[float] = field(default_factory=lambda: [0.0, -5.5, 5.0, 1.0])  # points above even
    cards: list[tuple[str, str, str, int]] = field(default_factory=list)  # name, faction, type, cost
    groups: list[str] = field(default_factory=lambda: ["greedy", "control", "tuned"])
    games: int = 300_000
    first: float = 1.1
    lottery: float = 0.1
    turns: bool = True
    seed: int = 1
    folder: str = "runs/base"
    plans: dict[str, str] = field(default_factory=dict)

    def half(self, part: float = 1.0) -> float:
        """The ± of a rate that is known from a part of the games."""
        return 90.0 / math.sqrt(max(8.0, self.games * part))


def market(n: int = 24) -> list[tuple[str, str, str, int]]:
    """Cards with ordinary names."""
    first = ("Ghoul", "Werewolf", "Bow Street", "Thames", "Black", "Crystal", "Wailing", "Grey")
    last = ("Runner", "Drowner", "Shuck", "Lady", "Widow", "Hound", "Lantern")
    names = [f"{first[i % len(first)]} {last[i % len(last)]}" for i in range(56)]
    return [(names[i], FACTIONS[i % 4] if i % 6 else "", "Monster" if i % 6 else "Relic", 1 + i * 7 % 8) for i in range(n)]


def word(size: float) -> str:
    return next(word for limit, word in WORDS if abs(size) < limit)


def verdict(off: float, half: float, margin: float) -> str:
    if abs(off) + half < margin:
        return "fair"
    return ("too strong" if off > 0 else "too weak") if abs(off) - half > margin else "undecided"


FAMILY_WORDS = {8: {"too strong": "lopsided", "too weak": "lopsided"}, 2: {"too strong": "pays", "too weak": "costs"}}  # by the margin of the family


def judged(rate: float, half: float, margin: float, games: int) -> Row:
    """What every judged row has."""
    off, state = rate - 50, FAMILY_WORDS.get(int(margin), {}).get(found := verdict(rate - 50, half, margin), found)
    p = float(min(1.0, 2 * math.exp(-0.5 * (off / half * 1.96) ** 2)))
    more = int(games * ((half / max(0.3, abs(abs(off) - margin))) ** 2)) + 200 if state == "undecided" else None
    lean = "leans fair" if state == "undecided" else ""
    return {"rate": rate, "low": max(0.0, rate - half), "high": min(100.0, rate + half), "p": p, "verdict": state, "lean": lean, "luck": half, "spread": None,
            "more_games": more}  # fmt: skip


class Maker:
    """Makes the tables of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.luck = np.random.default_rng(world.seed)
        self.all = [BEST, *world.groups] if len(world.groups) > 1 else list(world.groups)
        self.pairs = world.games // 2
        n = len(world.overlords)
        self.cells = max(1, n * (n - 1) // 2)

    def noise(self, half: float) -> float:
        return float(self.luck.normal(0, half / 1.96))

    def part(self, group: str) -> float:
        return 1.0 if group == BEST else 1 / len(self.world.groups)

    def matchups(self) -> list[Row]:
        world, rows = self.world, []
        for group in self.all:
            tilt = 0.0 if group == BEST else 3.0 * (self.world.groups.index(group) - 1)
            for i, (a, _) in enumerate(world.overlords):
                for j, (b, _) in enumerate(world.overlords):
                    if i < j:
                        half = world.half(self.part(group) / self.cells)
                        rate = float(np.clip(50 + world.strength[i] - world.strength[j] + tilt * (i == 1) + self.noise(half), 2, 98))
                        for seat, more in (("both", 0.0), ("first", world.first), ("second", -world.first)):
                            wider = half * (1.0 if seat == "both" else 1.4)
                            for x, y, value in ((a, b, rate + more), (b, a, 100 - rate + more)):
                                row = judged(value, wider, 8, world.games) | {"group": group, "overlord": x, "rival": y, "seat": seat}
                                rows.append(row | {"pairs": int(self.pairs * self.part(group) / self.cells), "drawn": 0.01})
        return rows

    def overlords(self, matchups: list[Row]) -> list[Row]:
        rows = []
        for group in self.all:
            for name, faction in self.world.overlords:
                mine = [row for row in matchups if row["group"] == group and row["overlord"] == name and row["seat"] == "both"]
                half = self.world.half(self.part(group) / max(1, self.cells / max(1, len(mine))))
                row = judged(float(np.mean([r["rate"] for r in mine])), half, 3, self.world.games) | {"group": group, "overlord": name, "faction": faction}
                rows.append(row | {"rivals": len(mine), "pairs": sum(r["pairs"] for r in mine), "drawn": 0.01})
        return rows

    def seats(self, matchups: list[Row]) -> list[Row]:
        rows = []
        for group in self.all:
            half = self.world.half(self.part(group))
            rows.append(
                judged(50 + self.world.first + self.noise(half), half, 2, self.world.games)
                | {"group": group, "overlord": None, "rival": None, "pairs": self.pairs}
            )
            for name, _ in self.world.overlords:
                rows.append(
                    judged(50 + self.world.first + self.noise(2 * half), 2 * half, 2, self.world.games)
                    | {"group": group, "overlord": name, "rival": None, "pairs": self.pairs // 2}
                )
            seen = {frozenset((r["overlord"], r["rival"])): r for r in matchups if r["group"] == group and r["seat"] == "both"}
            for row in seen.values():
                wide = half * math.sqrt(self.cells)
                rows.append(
                    judged(50 + self.world.first + self.noise(wide), wide, 2, self.world.games)
                    | {"group": group, "overlord": row["overlord"], "rival": row["rival"], "pairs": row["pairs"]}
                )
        return rows

    def cards(self) -> list[Row]:
        world, rows = self.world, []
        for group in self.all:
            half = 240 / math.sqrt(world.games * self.part(group))
            found = []
            for i, (name, faction, kind, cost) in enumerate(world.cards):
                expected = -0.6 + 0.35 * cost
                surplus = (4.2 if i == 3 else -4.0 if i == 7 else float(self.luck.normal(0, 0.8))) + self.noise(half)
                value = expected + surplus
                p = float(min(1.0, 2 * math.exp(-0.5 * (value / half * 1.96) ** 2)))
                bought = float(np.clip(20 + 12 * value + self.luck.normal(0, 14), 1, 98)) if i != 7 else 71.0
                state = (
                    "strong"
                    if value - half > 3
                    else "trap"
                    if value + half < -1 and bought > 50
                    else "weak"
                    if value + half < -3
                    else "fine"
                    if abs(value) + half < 3
                    else "undecided"
                )
                found.append(
                    {
                        "group": group,
                        "card": name,
                        "faction": faction,
                        "type": kind,
                        "cost": cost,
                        "copies": 2,
                        "value": value,
                        "low": value - half,
                        "high": value + half,
                        "p": p,
                        "q": min(1.0, 3 * p),
                        "class": state,
                        "margin": 3.0,
                        "price": "underpriced" if i == 3 else "in line" if i % 5 else "",
                        "more_games": 24_000 if state == "undecided" else None,
                        "denials": int(world.games * 0.1),
                        "shrunk": 0.9 * value,
                        "per_purchase": value / 1.4 if i % 5 else None,
                        "per_purchase_low": (value - half) / 1.4 if i % 5 else None,
                        "per_purchase_high": (value + half) / 1.4 if i % 5 else None,
                        "purchases_moved": 1.4,
                        "expected": expected,
                        "surplus": surplus,
                        "surplus_low": surplus - half,
                        "surplus_high": surplus + half,
                        "outlier": abs(surplus) - half > 1.5,
                        "best_overlord": world.overlords[i % len(world.overlords)][0] if i % 3 == 0 else None,
                        "worst_overlord": world.overlords[(i + 1) % len(world.overlords)][0] if i % 3 == 0 else None,
                        "seen": 60.0,
                        "affordable": 41.5,
                        "bought_when_affordable": bought,
                        "first_turn": 3.0 + cost,
                        "bought": 0.4,
                        "rate_when_bought": 50 + 1.6 * cost + float(self.luck.normal(0, 3)),
                    }
                )
            for rank, row in enumerate(sorted(found, key=lambda row: -row["shrunk"])):
                row |= {"rank": rank + 1, "rank_low": max(1, rank - 3), "rank_high": min(len(found), rank + 6)}
            rows += found
        return rows

    def card_pairs(self) -> list[Row]:
        rows = []
        for i in range(min(8, len(self.world.cards) - 1)):
            value = 6.0 - 1.3 * i
            rows.append(
                {
                    "card": self.world.cards[i][0],
                    "other": self.world.cards[i + 1][0],
                    "kind": "synergy" if i % 2 else "counter",
                    "value": value,
                    "low": value - 2.6,
                    "high": value + 2.6,
                    "p": 0.001 * (i + 1),
                    "q": 0.02 * (i + 1),
                    "shrunk": 0.4 * value,
                    "denials": 1500,
                    "confirmed": value if i == 0 else None,
                    "confirmed_low": value - 1 if i == 0 else None,
                    "confirmed_high": value + 1 if i == 0 else None,
                }
            )
        return rows

    def feel(self) -> dict[str, list[Row]]:
        games, turns = self.world.games, np.arange(6, 45)
        share = np.exp(-0.5 * ((turns - 19) / 5.2) ** 2) + 0.1 * np.exp(-0.5 * ((turns - 30) / 5) ** 2)
        share = 100 * share / share.sum()
        tables: dict[str, list[Row]] = {name: [] for name in ("feel", "length", "hordes", "keywords", "chances")}
        for group in self.all:
            tables["feel"] += [
                {"group": group, "metric": m, "value": v, "low": v - h, "high": v + h, "unit": u, "meaning": w, "games": games} for m, v, h, u, w in FEEL
            ]
            tables["length"] += [{"group": group, "turns": int(t), "games": int(games * s / 100), "share": float(s)} for t, s in zip(turns, share, strict=True)]
            for name, _ in self.world.overlords:
                tables["hordes"] += [
                    {"group": group, "overlord": name, "length": k, "turns": 1000, "share": s} for k, s in enumerate((46.0, 22.0, 18.0, 9.0, 5.0))
                ]
                tables["keywords"] += [
                    {"group": group, "overlord": name, "what": w, "per_turn": v, "low": v - 0.01, "high": v + 0.01}
                    for w, v in (("hordes", 0.7), ("curses", 0.2))
                ]
            for turn in range(1, 33):
                for band in (5, 25, 50, 75, 95):
                    z = {5: -1.64, 25: -0.67, 50: 0.0, 75: 0.67, 95: 1.64}[band]
                    chance = 100 / (1 + math.exp(-(0.05 + z * 0.16 * turn)))
                    tables["chances"].append(
                        {"group": group, "turn": turn, "band": band, "chance": chance, "games": int(games * max(0.02, 1 - max(0, turn - 12) / 22))}
                    )
        return tables

    def calibration(self) -> list[Row]:
        return [
            {"predicted": float(p), "won": float(p + self.noise(1.0)), "low": float(p - 1.1), "high": float(p + 1.1), "moments": 40_000, "games": 9_000}
            for p in range(5, 100, 10)
        ]

    def tables(self) -> dict[str, list[Row]]:
        """All tables of the world."""
        world, matchups = self.world, self.matchups()
        tables = {"matchups": matchups, "overlords": self.overlords(matchups), "seats": self.seats(matchups)}
        tables["groups"] = [
            {
                "group": g,
                "strategy": g,
                "rival_strategy": g,
                "games": int(world.games * self.part(g)),
                "pairs": int(self.pairs * self.part(g)),
                "drawn": 0.0,
                "turn_limit": 1,
                "action_limit": 0,
                "serious": True,
            }
            for g in world.groups
        ]
        others = [(a, b) for a in world.groups for b in world.groups if a != b]
        tables["strategies"] = [
            {"strategy": a, "rival_strategy": b, "rate": 50 + 6.0 * (world.groups.index(a) - world.groups.index(b)), "low": 49.0, "high": 51.0, "pairs": 9000}
            for a, b in others
        ]
        for row in tables["strategies"]:
            row |= {"low": row["rate"] - 1, "high": row["rate"] + 1}
        tables["pilots"] = [
            {"pilot": g, "band": "experts", "elo": 0.0, "low": 0.0, "high": 0.0, "share": 100.0, "copy_of": "", "far_below": ""} for g in world.groups
        ]
        tables["hands"] = [
            {"family": "overlords", "overlord": name, "rival": "", "band": "learners", "pilot": "", "rate": 53.0, "low": 51.0, "high": 55.0,
             "verdict": "undecided", "lean": "leans fair"}
            for name, _ in world.overlords
        ]  # fmt: skip
        n = len(world.overlords)
        for group in self.all:
            for i, (name, _) in enumerate(world.overlords):
                rating = 7 * world.strength[i]
                tables.setdefault("ratings", []).append({"group": group, "overlord": name, "rating": rating, "low": rating - 4, "high": rating + 4})
                weight = 100 / n
                tables.setdefault("nash", []).append({"group": group, "overlord": name, "weight": weight, "low": 0.0, "high": min(100.0, 2 * weight)})
                for k, text in enumerate(("Old Money+Hired Knives", "High Society+Old Money")):
                    row = {
                        "group": group,
                        "overlord": name,
                        "influences": text,
                        "rate": 50.0 + k,
                        "low": 48.0 + k,
                        "high": 52.0 + k,
                        "pairs": 2000,
                        "share": 60.0 - 20 * k,
                    }
                    tables.setdefault("influences", []).append(row | {"randomised": False, "p": 0.4})
            tables["ratings"].append({"group": group, "overlord": None, "rating": 8.0, "low": 5.0, "high": 11.0})
            tables.setdefault("metagame", []).append({"group": group, "cyclic": 9.0, "low": 4.0, "high": 16.0, "noise_floor": 12.0, "fit_p": 0.3})
        if world.lottery and world.cards:
            tables |= {"cards": self.cards(), "card_pairs": self.card_pairs()}
            tables["cards_by"] = [
                {
                    "group": r["group"],
                    "card": r["card"],
                    "by": "overlord",
                    "level": r["best_overlord"],
                    "value": r["value"] + 2,
                    "low": r["low"] + 2,
                    "high": r["high"] + 2,
                    "p": 0.001,
                    "q": 0.01,
                }
                for r in tables["cards"]
                if r["best_overlord"]
            ]
        if world.turns:
            tables |= self.feel() | {"calibration": self.calibration()}
        return tables


class Judge:
    """Makes the findings of a world."""

    def __init__(self, world: World, tables: dict[str, list[Row]]) -> None:
        self.world, self.tables = world, tables
        self.main = BEST if len(world.groups) > 1 else world.groups[0]

    def one(self, family: str, key: str, row: Row, size: float, low: float, high: float, sentence: str, **subject: Any) -> Row:
        state = row.get("verdict") or {"fine": "fair", "undecided": "undecided"}.get(row.get("class", ""), "too strong" if size > 0 else "too weak")
        return {
            "id": key,
            "family": family,
            "subject": subject,
            "state": state,
            "class": row.get("class"),
            "size": size,
            "low": low,
            "high": high,
            "unit": "points",
            "word": word(size),
            "pairs": row.get("pairs", self.world.games // 2),
            "p": row.get("p"),
            "group": self.main,
            "more_games": row.get("more_games"),
            "reason": "the interval lies beyond the margin",
            "sentence": sentence,
        }

    def findings(self) -> list[Row]:
        found = []
        for i, row in enumerate(r for r in self.tables["overlords"] if r["group"] == self.main):
            text = f"{row['overlord']} wins {row['rate']:.0f} of 100 games ({row['low']:.0f}–{row['high']:.0f}): {row['verdict']}."
            found.append(self.one("overlords", f"overlord-{i}", row, row["rate"] - 50, row["low"] - 50, row["high"] - 50, text, overlord=row["overlord"]))
        seen = set()
        for row in self.tables["matchups"]:
            both = frozenset((row["overlord"], row["rival"]))
            if row["group"] == self.main and row["seat"] == "both" and both not in seen:
                seen.add(both)
                text = f"{row['overlord']} wins {row['rate']:.0f} of 100 games against {row['rival']}: {row['verdict']}."
                subject = {"overlord": row["overlord"], "rival": row["rival"]}
                found.append(self.one("matchups", f"matchup-{len(seen)}", row, row["rate"] - 50, row["low"] - 50, row["high"] - 50, text, **subject))
        row = self.tables["seats"][0]
        text = f"Going first wins {row['rate']:.0f} of 100 games ({row['low']:.0f}–{row['high']:.0f}): {row['verdict']}."
        found.append(self.one("first", "first", row, row["rate"] - 50, row["low"] - 50, row["high"] - 50, text))
        for i, row in enumerate(r for r in self.tables.get("cards", []) if r["group"] == self.main):
            text = f"Access to {row['card']} is worth {row['value']:+.1f} points ({row['low']:+.1f} to {row['high']:+.1f}): {row['class']}."
            found.append(self.one("cards", f"card-{i}", row, row["value"], row["low"], row["high"], text, card=row["card"]))
        if "feel" in self.tables:
            text = "The winner of 11 of 100 games once had a chance of 20 in 100 or less."
            found.append(self.one("feel", "feel-1", {"verdict": "notable"}, 11.2, 10.8, 11.6, text, metric="comebacks"))
        return found

    def lamps(self, found: list[Row]) -> list[Row]:
        lamps = []
        for family, thing in (
            ("overlords", "overlords"),
            ("matchups", "match-ups"),
            ("first", "questions about the first seat"),
            ("cards", "cards"),
            ("feel", "metrics"),
        ):
            mine = [f for f in found if f["family"] == family]
            states = [f["state"] for f in mine]
            state = "undecided" if not states else next((s for s in STATES if s in states), "fair")
            text = f"{states.count(state)} of {len(states)} {thing}: {state}." if states else f"Nothing is known of {thing}: the run has no table for them."
            lamps.append({"family": family, "state": state, "sentence": text, "findings": [f["id"] for f in mine if f["state"] == state][:3]})
        return lamps

    def data(self) -> Row:
        """findings.json."""
        world, found = self.world, self.findings()
        pressing = sorted((f for f in found if f["state"] in OFF), key=lambda f: -min(abs(f["low"]), abs(f["high"])))
        plans = {g: world.plans.get(g, f"Plays as {g} does, one card after the other.") for g in world.groups}
        run = {"folder": world.folder, "key": "0123456789abcdef", "games": world.games, "seed": 1, "strategies": world.groups, "status": "done"}
        run["command"] = (
            f"terrors simulate --games {world.games} --strategies {','.join(world.groups)} --pairing mirror --deny-lottery {world.lottery} --out {world.folder}"
        )
        return {
            "format": FORMAT,
            "runs": [run],
            "pilots": {
                "best": world.groups[-1:],
                "list": [{"pilot": g, "band": "experts", "elo": 0.0} for g in world.groups],
                "words": [f"The best hands are those of {world.groups[-1]}, for every overlord."],
                "hands": {"overlord-0": "Too strong in experts' hands (63), fair in learners' (53)."},
            },
            "groups": [{k: row[k] for k in ("group", "games", "pairs", "serious")} for row in self.tables["groups"]],
            "played": {"games": world.games, "draws": 1, "turn_limit": 1, "action_limit": 0, "warnings": []},
            "stands_on": {
                "games": world.games,
                "pairs": world.games // 2,
                "strategies": plans,
                "cards_sha256": "99ec6d01" * 8,
                "engine": "abc" * 10,
                "rules": {},
                "changes": {"set": [], "remove": [], "deny": [], "grant": []},
                "lottery": world.lottery,
                "influences": "choose",
                "sequential": False,
                "pooled": False,
                "source": {"rulebook": 14, "inferred": 3, "invented": 91},
                "reference": True,
                "warnings": [],
            },
            "margins": {"overlord": 3, "matchup": 8, "first": 2, "card": 3, "bomb": 10},
            "lamps": self.lamps(found),
            "look_first": [f["id"] for f in pressing[:3]],
            "findings": found,
        }


def made_up(world: World) -> tuple[Row, dict[str, pl.DataFrame]]:
    """Findings and tables of a world."""
    rows = Maker(world).tables()
    tables = {name: pl.DataFrame([{c: row.get(c) for c in ANSWERS[name]} for row in found], infer_schema_length=None) for name, found in rows.items() if found}
    return Judge(world, rows).data(), tables


def write_analysis(folder: Path, world: World) -> tuple[Row, dict[str, pl.DataFrame]]:
    """Put the analysis of a world into a run's folder, as `terrors analyze` does."""
    findings, tables = made_up(world)
    if (folder / "run.json").exists():  # a report is only made of an analysis of the run that is there
        info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        findings["runs"][0] |= {"key": key_of_identity(info["identity"]), "games": info["tallies"]["games"]}
    place = folder / "analysis"
    place.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.write_parquet(place / f"{name}.parquet")
        table.write_csv(place / f"{name}.csv")
    (place / "findings.json").write_text(json.dumps(findings, ensure_ascii=False), encoding="utf-8")
    return findings, tables
