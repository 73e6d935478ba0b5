"""A sample of whole deals from a run: games with the same luck stay together, spread over the run, the same ones each time.

Parts of a run are read or left as they are, so that a tenth of a run costs a tenth of the time. Stretches of neighbouring parts are taken at even distances;
a deal that the end of a stretch cuts in two is left out.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from terrors.simulator.kernel.rng import GOLDEN
from terrors.simulator.kernel.seeds import mixed
from terrors.simulator.runs.job import part_name
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.stages import DECIDE, WHOLE

STRETCH = 2_000  # games of neighbouring parts that are taken or left together, so that few deals are cut
MOST_TURNS = 1_200_000  # in memory at a time, of some 56,000 games: most of what is told is known to half a point, and it stays below 500 MB
GAME_COLUMNS = ("game", "seed", "first_overlord", "second_overlord", "first_strategy", "second_strategy", "winner", "turns")
TURN_COLUMNS = (
    "game", "turn", "seat", "overlord", "health", "rival_health", "coin", "coin_spent", "power", "damage", "armor_absorbed", "healed", "bought", "hordes",
    "horde_activations", "longest_horde", "relics_used", "overlord_used", "haunts", "curses", "sacrificed", "destroyed", "deck", "discard", "hand",
)  # fmt: skip


@dataclass
class Sample:
    """Some games of a run: all that is needed to say how they felt. Sorted by game and turn."""

    games: pl.DataFrame
    turns: pl.DataFrame | None  # None: the run has no such table
    street: pl.DataFrame | None  # by game: turns in which something of the Street was got (`busy`), and how many cards (`taken`)
    street_size: int
    of: int  # games of the run


def lot(seeds: np.ndarray, purpose: int) -> np.ndarray:
    """Return a number from 0 to 1 for each deal, another one for each purpose, always the same."""
    with np.errstate(over="ignore"):
        return mixed(np.asarray(seeds, np.uint64) + GOLDEN * np.uint64(purpose + 1)) / 2.0**64


def stretches(parts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return neighbouring parts, together at least `STRETCH` games."""
    out: list[list[dict[str, Any]]] = [[]]
    games = 0
    for part in parts:
        if games >= STRETCH:
            out.append([])
            games = 0
        out[-1].append(part)
        games += part["stop"] - part["start"]
    return out


Cells = Collection[tuple[str, str, str, str]]  # two overlords by name, and who plays them


def take_sample(run: Run, most_games: int = 200_000, seed: int = 0, cells: Cells | None = None) -> Sample:
    """Return about `most_games` games, or fewer if they are so long that they would not fit into memory. Of a panel: games of the stage that decides.

    `cells`: only these.
    """
    schedule = run.setup.schedule
    parts = [part for part in run.info["parts"] if "games" in part["files"] and schedule.stage_of(part["start"]).name in (WHOLE, DECIDE)]
    if not parts:
        run.games  # noqa: B018  it says so
    total = sum(part["stop"] - part["start"] for part in parts)
    turns = sum(part["files"]["turns"]["rows"] for part in parts if "turns" in part["files"])
    wanted = min(most_games, int(MOST_TURNS * total / turns) if turns else most_games)
    every, too_many = stretches(parts), total > wanted
    if too_many:
        n = min(len(every), max(1, -(-wanted * len(every) // total)))
        begin = lot(np.array([seed]), 0)[0]  # of the first stretch
        parts = [part for i in range(n) for part in every[int((i + begin) * len(every) / n)]]
    games = _table(run, "games", parts, list(GAME_COLUMNS)).collect().sort("game")
    played = len(games)
    if cells is not None:
        games = games.filter(_in_cells(games, cells))
        total = round(total * len(games) / max(1, played))
    if too_many:
        games = _whole_deals(run, games, cells)
        if len(games) > wanted:
            games = games.filter(pl.Series(lot(games["seed"].to_numpy(), 1 + seed) < wanted / len(games)))
    kept = games.select("game")
    turn_rows = street = None
    if all("turns" in part["files"] for part in parts) and parts:
        turn_rows = _turns(run, parts, games)
    if all("purchases" in part["files"] for part in parts) and parts:
        got = _table(run, "purchases", parts, ["game", "turn", "source"]).filter(pl.col("source") != "acolyte")
        by_game = got.group_by("game").agg(busy=pl.col("turn").n_unique(), taken=pl.len()).collect()
        street = kept.join(by_game, on="game", how="left", maintain_order="left").with_columns(pl.col("busy", "taken").fill_null(0))
    return Sample(games, turn_rows, street, run.plan.ruleset().street_size, total)


def _turns(run: Run, parts: list[dict[str, Any]], games: pl.DataFrame) -> pl.DataFrame:
    """Return the turns of some games, in their order, as parts are written. Part by part into columns of their final size: no turn is there twice."""
    kept, size, at = games["game"].to_numpy(), int(games["turns"].sum()), 0
    columns: dict[str, np.ndarray] = {}
    names: dict[str, pl.DataType] = {}
    for part in parts:
        turns = _table(run, "turns", [part], list(TURN_COLUMNS)).collect()
        names = {name: kind for name, kind in turns.schema.items() if isinstance(kind, pl.Enum)}
        here = np.zeros(part["stop"] - part["start"], bool)
        here[kept[slice(*np.searchsorted(kept, [part["start"], part["stop"]]))] - part["start"]] = True
        mine = here[turns["game"].to_numpy() - part["start"]]
        end = at + int(mine.sum())
        for name in turns.columns:
            column = (turns[name].to_physical() if name in names else turns[name]).to_numpy()[mine]
            columns[name] = _room(columns.get(name), size, column)
            columns[name][at:end] = column
        at = end
    return pl.DataFrame([pl.Series(name, column).cat.to(names[name]) if name in names else pl.Series(name, column) for name, column in columns.items()])


def _room(column: np.ndarray | None, size: int, values: np.ndarray) -> np.ndarray:
    """Return a column that can take these values too, as small as it can be: nearly all numbers of a turn fit into a byte."""
    ends = (values.min(), values.max()) if len(values) else (0, 0)
    kind = np.result_type(*map(np.min_scalar_type, ends))
    if column is None:
        return np.empty(size, kind)
    return column if np.can_cast(kind, column.dtype) else column.astype(np.promote_types(kind, column.dtype))


def _in_cells(games: pl.DataFrame, cells: Cells) -> pl.Series:
    """Return which games belong to some cells, whoever of the two goes first."""
    wanted = {*cells, *((b, a, t, s) for a, b, s, t in cells)}
    names = games.select(pl.col("first_overlord", "second_overlord", "first_strategy", "second_strategy").cast(pl.String))
    there = names.unique()
    kept = there.filter(pl.Series([row in wanted for row in there.rows()], dtype=pl.Boolean))
    return names.join(kept.with_columns(kept=True), on=names.columns, how="left", maintain_order="left")["kept"].fill_null(value=False)


def _table(run: Run, name: str, parts: list[dict[str, Any]], columns: list[str]) -> pl.LazyFrame:
    return run.scan([part_name(name, part["start"]) for part in parts]).select(columns)


def _whole_deals(run: Run, games: pl.DataFrame, cells: Cells | None) -> pl.DataFrame:
    """Return the games without the deals of which the run has more games elsewhere."""
    here = games.group_by("seed").len("here")
    columns = ["seed"] if cells is None else ["seed", "first_overlord", "second_overlord", "first_strategy", "second_strategy"]
    found = run.games.select(columns).join(here.lazy().select("seed"), on="seed", how="semi").collect(engine="streaming")
    everywhere = (found if cells is None else found.filter(_in_cells(found, cells))).group_by("seed").len("everywhere")
    whole = here.join(everywhere, on="seed").filter(pl.col("here") == pl.col("everywhere"))
    return games.join(whole, on="seed", how="semi", maintain_order="left")
