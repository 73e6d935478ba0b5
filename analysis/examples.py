"""Games behind a claim, chosen by rule, so that nobody can pick the ones that please.

    examples(run, finding)   ->   [{"game": 4711, "why": "typical: …"}, …]

Of the games that a finding is about (its overlord, match-up, card and strategies), up to three are taken:

- *typical*: it ended as the finding says such games mostly end, and of these it is nearest to the middle in its length and in the Health that was left;
- *closest*: the winner had the least Health left;
- *biggest swing*: the winner had been furthest behind in Health. It needs the turns table.

A card's games are those in which one player was denied it by lot and the other got it; without a lottery, those in which just one player got it. Ties go to the
lower number. Only a sample is read: the first parts of a run, which have all match-ups equally often, until there are `SAMPLE` games; of a panel, the first
parts of the stages that decide and that have the lottery, in the hands that were found to be best.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from terrors.analysis.contract.groups import ALL, BEST, group_name
from terrors.simulator.runs.job import part_name
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.stages import DECIDE, LOTTERY, WHOLE

SAMPLE = 20_000
_NAMES = ("first_overlord", "second_overlord", "first_strategy", "second_strategy", "winner", "end")
_COLUMNS = ("game", *_NAMES, "turns", "first_health", "second_health")
Finding = dict[str, Any]
Example = dict[str, Any]


class Examples:
    """A sample of a run's games, read once, to choose from for any number of findings."""

    def __init__(self, run: Run, sample: int = SAMPLE) -> None:
        """Read the games of the sample; all else is read when it is needed."""
        self.run, self.parts = run, []
        schedule = run.setup.schedule
        played = [stage for stage in schedule.stages if stage.name in (WHOLE, DECIDE, LOTTERY)]
        for stage in played:
            games = 0
            for part in (part for part in run.info["parts"] if schedule.stage_of(part["start"]) is stage):
                if games >= sample / len(played):
                    break
                self.parts.append(part)
                games += part["stop"] - part["start"]
        names, cells = run.setup.box.names, [schedule.cells[number] for number in played[-1].cells] if played and played[-1].name == LOTTERY else []
        self.best = {(names[c.a], names[c.b], schedule.strategies[c.a_strategy], schedule.strategies[c.b_strategy]) for c in cells}
        self.lottery = bool(run.info["plan"].get("deny_lottery") or run.info["plan"].get("deny"))
        self.games = self._games()
        self._swings: pl.DataFrame | None = None
        self._owners: pl.DataFrame | None = None

    def _scan(self, table: str) -> pl.LazyFrame | None:
        """Return a table's parts of the sample; None if the run has no such table."""
        names = [part_name(table, part["start"]) for part in self.parts if table in part["files"]]
        return self.run.scan(names) if names else None

    def _games(self) -> pl.DataFrame:
        """Return the sample, with the winner's side of each game; draws have none."""
        scan = self._scan("games")
        if scan is None:
            return pl.DataFrame(schema=dict.fromkeys((*_COLUMNS, "denied_first", "denied_second", "winner_overlord", "left"), pl.String))
        denied = [pl.col(name).cast(pl.List(pl.String)) for name in ("denied_first", "denied_second")]
        games = scan.select(*_COLUMNS, *(denied if self.lottery else [])).with_columns(pl.col(_NAMES).cast(pl.String)).collect()
        won_first = pl.col("winner") == "first"
        return games.with_columns(
            winner_overlord=pl.when(won_first).then("first_overlord").when(pl.col("winner") == "second").then("second_overlord"),
            left=pl.when(won_first).then("first_health").otherwise("second_health"),
        )

    @property
    def swings(self) -> pl.DataFrame | None:
        """The Health by which the winner was behind at the worst, and after which turn; by game."""
        if self._swings is None and (scan := self._scan("turns")) is not None:
            turns = scan.select("game", "turn", pl.col("seat").cast(pl.String), "health", "rival_health").collect()
            decided = self.games.filter(pl.col("winner") != "draw").select("game", "winner")
            lead = pl.col("health").cast(pl.Int32) - pl.col("rival_health").cast(pl.Int32)
            behind = pl.when(pl.col("seat") == pl.col("winner")).then(-lead).otherwise(lead)
            self._swings = (
                turns.join(decided, on="game")
                .with_columns(behind=behind)
                .sort("behind", "turn", descending=[True, False])
                .group_by("game")
                .first()
                .select("game", "behind", "turn")
            )
        return self._swings

    @property
    def owners(self) -> pl.DataFrame:
        """The players who got each card, by game; once each."""
        if self._owners is None:
            scan = self._scan("purchases")
            none = pl.DataFrame(schema={"game": pl.Int64, "seat": pl.String, "card": pl.String})
            self._owners = none if scan is None else scan.select("game", "seat", "card").unique().collect().with_columns(pl.col("seat", "card").cast(pl.String))
        return self._owners

    def of(self, finding: Finding) -> list[Example]:
        """Return up to three games for a finding."""
        games, hero = self._about(finding)
        games = games.filter(pl.col("winner") != "draw").sort("game")
        if games.is_empty():
            return []
        chosen: list[Example] = []
        for pick in (self._typical(games, hero, finding), self._closest(games, finding), self._swing(games, finding)):
            if pick is not None and pick["game"] not in [other["game"] for other in chosen]:
                chosen.append(pick)
        return chosen

    def is_as_played(self, game: int, turns: int, health: list[int]) -> bool:
        """Whether a game that was played again is the one in the table."""
        rows = self.games.filter(pl.col("game") == game).select("turns", "first_health", "second_health").rows()
        return rows == [(turns, *health)]

    def _about(self, finding: Finding) -> tuple[pl.DataFrame, pl.Expr | None]:
        """Return the games that a finding is about, and in which of them the one side won that it speaks of."""
        subject = finding.get("subject") or {}
        games = self._in_best_hands() if finding.get("group") == BEST else _of_group(self.games, finding.get("group"))
        overlord, rival, card = subject.get("overlord"), subject.get("rival"), subject.get("card")
        if card:
            games = self._with_card(games, card, subject.get("other"))
            return games, pl.col("winner") == pl.col("owner")
        if overlord:
            games = games.filter((pl.col("first_overlord") == overlord) != (pl.col("second_overlord") == overlord))
            if rival:
                games = games.filter((pl.col("first_overlord") == rival) | (pl.col("second_overlord") == rival))
            return games, pl.col("winner_overlord") == overlord
        return games, pl.col("winner") == "first" if finding.get("family") == "first" else None

    def _in_best_hands(self) -> pl.DataFrame:
        """Return the games that the pilots play who are best chosen, where the run says who: those of its last stage."""
        if not self.best:
            return self.games
        pairs = sorted(self.best | {(b, a, t, s) for a, b, s, t in self.best})
        names = ["first_overlord", "second_overlord", "first_strategy", "second_strategy"]
        return self.games.join(pl.DataFrame(pairs, schema=names, orient="row"), on=names, how="semi", maintain_order="left")

    def _with_card(self, games: pl.DataFrame, card: str, other: str | None) -> pl.DataFrame:
        """Return the games in which just one player got the card (and the other one, if there is one), with their seat as `owner`."""
        cards = [card, other] if other else [card]
        got = (
            self.owners.filter(pl.col("card").is_in(cards)).group_by("game", "seat").agg(pl.col("card").n_unique().alias("n")).filter(pl.col("n") == len(cards))
        )
        one = got.group_by("game").agg(pl.col("seat").first().alias("owner"), pl.len().alias("owners")).filter(pl.col("owners") == 1).drop("owners")
        games = games.join(one, on="game")
        if self.lottery and not other:
            denied = {seat: pl.col(f"denied_{seat}").list.contains(card) for seat in ("first", "second")}
            by_lot = games.filter(pl.when(pl.col("owner") == "first").then(denied["second"]).otherwise(denied["first"]))
            return games if by_lot.is_empty() else by_lot
        return games

    def _typical(self, games: pl.DataFrame, hero: pl.Expr | None, finding: Finding) -> Example | None:
        """Return the game nearest to the middle, of those that ended as the finding says."""
        size = finding.get("size") or 0
        if hero is not None:
            as_said = games.filter(hero if size >= 0 else ~hero)
            games = games if as_said.is_empty() else as_said
        far = pl.lit(0.0)
        for column in ("turns", "left"):
            middle, spread = games[column].median(), (games[column].quantile(0.75) or 0) - (games[column].quantile(0.25) or 0)
            far = far + (pl.col(column) - middle).abs() / max(1.0, float(spread))
        row = games.with_columns(far=far).sort("far", "game").row(0, named=True)
        return {
            "game": row["game"],
            "why": f"typical: {_who(row, finding)} wins in turn {row['turns']} with {row['left']} Health left, both near the middle of such games",
        }

    def _closest(self, games: pl.DataFrame, finding: Finding) -> Example:
        row = games.sort("left", "game").row(0, named=True)
        return {"game": row["game"], "why": f"closest: {_who(row, finding)} wins with {row['left']} Health left"}

    def _swing(self, games: pl.DataFrame, finding: Finding) -> Example | None:
        if self.swings is None:
            return None
        found = games.join(self.swings.rename({"turn": "worst_turn"}), on="game").filter(pl.col("behind") > 0).sort("behind", "game", descending=[True, False])
        if found.is_empty():
            return None
        row = found.row(0, named=True)
        return {"game": row["game"], "why": f"biggest swing: {_who(row, finding)} is {row['behind']} Health behind after turn {row['worst_turn']}, and wins"}


def _who(row: dict[str, Any], finding: Finding) -> str:
    """Return the winner's name; with or without the card, if it is about one."""
    card = (finding.get("subject") or {}).get("card")
    if not card:
        return str(row["winner_overlord"])
    return f"{row['winner_overlord']} {'with' if row['owner'] == row['winner'] else 'without'} {card}"


def _of_group(games: pl.DataFrame, group: str | None) -> pl.DataFrame:
    """Return the games in which a group's strategies decided."""
    if not group or group == ALL:
        return games
    pair = ["first_strategy", "second_strategy"]
    there = games.select(pair).unique()
    mine = [group_name(*names) == group for names in there.rows()]
    return games.join(there.filter(pl.Series(mine, dtype=pl.Boolean)), on=pair, how="semi", maintain_order="left")


def examples(run: Run, finding: Finding) -> list[Example]:
    """Return up to three games behind a finding, each with why it was chosen."""
    return Examples(run).of(finding)
