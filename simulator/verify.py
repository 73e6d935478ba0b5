"""Whether a run is what it says: every part by its checksum, every game there once, and a sample of games played again."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from simulator.chunks import Bench
from simulator.job import Job
from simulator.plan import Plan
from simulator.rng import key_of
from simulator.run import Run, all_parts, damaged
from simulator.tables import SORTED_BY


@dataclass
class Verdict:
    """What was checked, and what was found."""

    problems: list[str] = field(default_factory=list)
    parts: int = 0
    games: int = 0
    replayed: int = 0


def job_of(run: Run) -> Job:
    """The job of a run, from the plan, the cards and the strategies in its folder."""
    with tempfile.TemporaryDirectory() as place:  # a folder may be anywhere; what it has is small
        for name in ("plan.toml", "cards.csv", *run.folder.names("strategies")):
            path = Path(place) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(run.folder.read(name) or b"")
        job = Job.of(Plan.read(Path(place) / "plan.toml"), run.folder.address)
        job.players  # noqa: B018  loaded while their files are there
        return job


def verify_run(address: str, games: int) -> Verdict:
    """Check a run, and play that many of its games again."""
    run, verdict = Run.open(address), Verdict()
    if not run.finished:
        verdict.problems.append(f"The run is not finished ({run.info['status']}): the command that began it goes on with it.")
    bad = set()
    for name, file in all_parts(run):
        verdict.parts += 1
        if damaged(run.folder, name, file):
            bad.add(name)
            there = run.folder.read(name) is not None
            verdict.problems.append(f"{name}: " + ("its content has changed since it was written." if there else "it is missing."))
    if bad:
        return verdict
    _check_rows(run, verdict)
    if not verdict.problems or not run.finished:
        _play_again(run, verdict, games)
    return verdict


def _check_rows(run: Run, verdict: Verdict) -> None:
    """Every game once, and as many rows as the records say."""
    numbers = run.games.select("game", "turns").collect()
    verdict.games = len(numbers)
    expected = np.concatenate([np.arange(part["start"], part["stop"]) for part in run.info["parts"]])
    if not np.array_equal(np.sort(numbers["game"].to_numpy()), expected):
        verdict.problems.append(f"The games table does not have each of its {len(expected):,} games once.")
    for table in ("games", "turns", "purchases", "events"):
        said = sum(part["files"][table]["rows"] for part in run.info["parts"] if table in part["files"])
        if said and (found := run.table(table).select(pl.len()).collect().item()) != said:
            verdict.problems.append(f"The {table} table has {found:,} rows, and run.json says {said:,}.")
    if run.info["plan"]["turns"] and sum(p["files"]["turns"]["rows"] for p in run.info["parts"]) != numbers["turns"].sum():
        verdict.problems.append("The turns table does not have a row for each turn of the games.")


def _play_again(run: Run, verdict: Verdict, games: int) -> None:
    """Play some pairs of games again, and compare every row."""
    job = job_of(run)
    if job.identity() != run.info["identity"]:
        changed = "rules engine" if job.engine != run.info["identity"]["engine"] else "strategies"
        verdict.problems.append(f"The {changed} of this installation are not those of the run: its games cannot be played again here.")
        return
    pairs = np.unique(np.concatenate([np.arange(part["start"], part["stop"]) for part in run.info["parts"]]) // 2)
    luck = np.random.default_rng(key_of("verify", 0))
    chosen = np.sort(luck.choice(pairs, min(len(pairs), (games + 1) // 2), replace=False)).tolist()
    numbers = [game for pair in chosen for game in (2 * pair, 2 * pair + 1)]
    bench = Bench(job.fixtures, job.players)
    again: dict[str, list[pl.DataFrame]] = {}
    for pair in chosen:
        for table, frame in bench.play(2 * pair, 2 * pair + 2).tables.items():
            again.setdefault(table, []).append(frame)
    for table in [name for name in SORTED_BY if name in again and any(name in part["files"] for part in run.info["parts"])]:
        written = run.table(table).filter(pl.col("game").is_in(numbers)).sort(SORTED_BY[table], maintain_order=True).collect()
        played = pl.concat(again[table])
        if not written.equals(played):
            first = next((g for g in numbers if not written.filter(pl.col("game") == g).equals(played.filter(pl.col("game") == g))), numbers[0])
            verdict.problems.append(f"Game {first} of the {table} table is not what comes out when it is played again.")
    verdict.replayed = len(numbers)
