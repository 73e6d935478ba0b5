"""Runs: millions of games into a folder, and the folder read again.

    run = simulate(Plan(games=100_000), "runs/base")          # plays, or resumes, or finds that all is there
    run = Run.open("runs/base")
    run.games.group_by("first_overlord").len().collect()      # polars LazyFrames: games, turns, purchases, cards, decisions

The folder: `run.json` (what was played, and the checksum of every part), `plan.toml` and `cards.csv` (all that is needed to play it again), and Parquet parts.
While a run goes on, each finished chunk leaves a record in `chunks/`; whatever is killed loses at most the chunks under way. At the end the records are put
together in run.json. Nothing is trusted that has no record, or does not match it.
"""

from __future__ import annotations

import time
import warnings
from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

from terrors.simulator.engine import entry_points
from terrors.simulator.runs.checked_parts import CheckedParts
from terrors.simulator.runs.job import Chunk, Job, Setup, part_name, setup_of, stages_in
from terrors.simulator.runs.manifest import (
    all_parts,
    damaged_parts,
    decisions_table,
    read_info,
    read_records,
    strays,
    write_info,
)
from terrors.simulator.runs.parquet_tables import added_up, parquet
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.stages import SCREEN, WHOLE
from terrors.simulator.runs.state import LEFT_OVER, State, open_or_make
from terrors.simulator.runs.storage import Folder, FolderError, open_folder, sha256
from terrors.simulator.runs.workers import Stop, Workers
from terrors.simulator.terms.errors import RunError

MOST_IN_A_CHUNK = 100_000  # a chunk is in memory as a whole


@dataclass
class RunProgress:
    """The progress of a run: games done, games in all, time."""

    done: int
    games: int
    seconds: float  # in this session
    done_now: int  # games of this session
    widest: Callable[[], float]  # works out half of the widest interval so far
    bytes: int = 0
    may_stop: bool = False  # before the last game of the plan (`until`)
    stage: str = WHOLE  # of a panel
    limits: tuple[int, int] = (0, 0)  # games that met the turn limit, and games with an Action Phase that the action limit cut (E1)

    @property
    def half_width(self) -> float:
        """Half of the widest interval so far. It takes some thousandths of a second, so it is worked out when somebody asks."""
        return self.widest()

    @property
    def rate(self) -> float:
        """The number of games a second."""
        return self.done_now / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the last game of the plan."""
        return (self.games - self.done) / self.rate if self.rate else None


class Run:
    """A run's folder."""

    def __init__(self, folder: Folder, info: dict[str, Any]) -> None:
        """Take a folder. `info`: what run.json says, with the parts that are there."""
        self.folder, self.info = folder, info

    @classmethod
    def open(cls, address: str | Path) -> Run:
        """Return the run in a folder; one that is not finished has the games that are."""
        folder = open_folder(address)
        info = read_info(folder)
        if info is None:
            raise RunError(f"{address}: there is no run here (no run.json); give the folder that `terrors simulate --out` wrote.")
        if info["status"] != "done":
            info["parts"] = sorted(read_records(folder, info["identity"]), key=lambda record: record["start"])
            if (now := read_info(folder)) is not None and now["status"] == "done":  # meanwhile, and the records are gone
                info = now
        return cls(folder, info)

    @property
    def plan(self) -> Plan:
        """The plan that was to be played, with its files in the run's folder."""
        return Plan.from_data(self.info["plan"])

    @cached_property
    def setup(self) -> Setup:
        """The setup that it was played with: plan, cards, names of strategies. Nothing that lies in the folder is executed."""
        return setup_of(self)

    @property
    def summaries(self) -> dict[str, str]:
        """Each strategy's plan in one line, by name; empty if an earlier version made the run."""
        told = self.info.get("strategies") or {}
        return {name: str(told.get(name) or "") for name in self.info["identity"]["plan"]["strategies"]}

    @property
    def finished(self) -> bool:
        """Whether all of it has been played."""
        return self.info["status"] == "done"

    def expect_whole(self) -> None:
        """Raise a RunError if a part is missing or has another size than when it was written. That is quick; `scan` looks at every byte."""
        for name, file in all_parts(self.info):
            size = self.folder.size(name)
            if size != file["bytes"]:
                what = "missing" if size is None else f"damaged ({size:,} bytes instead of {file['bytes']:,})"
                raise RunError(f"{self.folder.address}/{name}: this part is {what}; the command that made the run plays it again.")

    @cached_property
    def checked(self) -> CheckedParts:
        """The parts that were read, each with the checksum that it was found to have."""
        return CheckedParts(self.folder)

    @cached_property
    def _files(self) -> dict[str, dict[str, Any]]:
        return dict(all_parts(self.info))

    def scan(self, names: list[str]) -> pl.LazyFrame:
        """Return parts as one table, read when it is needed; RunError if one of them is not what was written."""
        self.checked.expect((name, self._files[name]) for name in names)
        return self.folder.scan(names)

    def table(self, name: str) -> pl.LazyFrame:
        """Return one of the tables that are made of parts."""
        names = [part_name(name, record["start"]) for record in self.info["parts"] if name in record["files"]]
        if not names:
            raise RunError(f"{self.folder.address}: this run has no {name} table; {REMEDY.get(name, 'let it play first')}.")
        return self.scan(names)

    def rows_of(self, table: str, games: Collection[int]) -> pl.LazyFrame:
        """Return the rows of some games; only the parts that they lie in are read."""
        numbers = sorted(games)
        parts = [record for record in self.info["parts"] if table in record["files"]]
        mine = [record for record in parts if bisect_left(numbers, record["start"]) < bisect_left(numbers, record["stop"])]
        names = [part_name(table, record["start"]) for record in mine or parts[:1]]
        return self.scan(names).filter(pl.col("game").is_in(numbers)) if names else self.table(table)  # which says that there is none

    @property
    def games(self) -> pl.LazyFrame:
        """The table of games, a row each."""
        return self.table("games")

    @property
    def turns(self) -> pl.LazyFrame:
        """The table of turns, a row for each turn of a player."""
        return self.table("turns")

    @property
    def purchases(self) -> pl.LazyFrame:
        """The table of purchases, a row each."""
        return self.table("purchases")

    @property
    def decisions(self) -> pl.LazyFrame:
        """The table of decisions, a row each, for the games that are told in full."""
        return self.table(decisions_table(self.info["identity"]["plan"]))

    @property
    def events(self) -> pl.LazyFrame:
        """The old name of `decisions`."""
        warnings.warn("Run.events is the old name; write Run.decisions.", DeprecationWarning, stacklevel=2)
        return self.decisions

    @property
    def cards(self) -> pl.LazyFrame:
        """The table of cards, a row for each match-up, strategies, seat and card: small sums."""
        if self.finished:
            return self.scan(["cards.parquet"])
        return added_up([self.table("cards").collect()]).lazy()

    def __repr__(self) -> str:
        """Return the run in one line: folder, games, status."""
        return f"<run {self.folder.address}: {self.info['tallies']['games']:,} games, {self.info['status']}>"


REMEDY = {"turns": "simulate without --no-turns", "decisions": "simulate with --decisions 200"}


def simulate(
    plan: Plan,
    out: str | Path | None = None,
    *,
    jobs: int | None = None,
    backend: str = "threads",
    scheduler: str | None = None,
    overwrite: bool = False,
    chunk: int | None = None,
    on_progress: Callable[[RunProgress], None] | None = None,
    stop: Stop | None = None,
) -> Run:
    """Play a plan into a folder (without `out`: runs/ and a name made from the plan), or go on with what is there."""
    job = Job.of(plan, "")
    folder = open_folder(out if out is not None else f"runs/run-{job.key[:8]}")
    job = replace(job, folder=folder.everywhere)
    job.schedule  # noqa: B018  refuses what these cards cannot give
    if chunk is not None and (not 2 <= chunk <= MOST_IN_A_CHUNK or chunk % 2):
        raise RunError(f"chunk {chunk}: give an even number of games, at least 2 and at most {MOST_IN_A_CHUNK:,}.")
    for player in job.players:
        player.compiled  # noqa: B018  now, and not in every worker
    entry_points.play_games.prepare()
    workers = Workers(job, jobs, backend, scheduler, stop or Stop())
    folder.anything()  # a file is no folder
    with folder.lock():
        state, info = open_or_make(folder, job, overwrite, chunk)
        if info["status"] != "done":
            _go_on(folder, state, info, workers, on_progress)
        elif state.damaged:
            _repair(folder, state, info, workers)
    return Run(folder, info)


def _go_on(folder: Folder, state: State, info: dict[str, Any], workers: Workers, on_progress: Callable[[RunProgress], None] | None) -> None:
    """Play what is missing, stage by stage and look by look, and put the parts together."""
    began, spent = time.monotonic(), info["seconds"]

    def note(status: str) -> None:
        info.update(status=status, tallies=state.tallies, seconds=round(spent + time.monotonic() - began, 3), jobs=workers.jobs, backend=workers.backend)
        write_info(folder, info)

    info["status"] = "running"
    write_info(folder, info)
    try:
        with workers:
            state.jobs = workers.jobs
            for name in state.job.schedule.planned:
                state.begin(name)
                workers.job = state.job
                _note_stages(folder, state, info)
                for look in state.looks():
                    for gaps in state.in_order(state.gaps(state.end, look)):
                        for record in workers.play(gaps, state.chunks):
                            state.add(record)
                            state.new += record["stop"] - record["start"]
                            _room_left(folder, state)
                            if on_progress:
                                on_progress(progress(state, time.monotonic() - began))
                    state.end = look
                    if workers.stop.asked or state.enough():
                        break
                if workers.stop.asked:
                    break
                state.close_stage()
            _note_stages(folder, state, info)
    except BaseException:
        note("interrupted")
        raise
    if workers.stop.asked:
        note("interrupted")
        raise KeyboardInterrupt
    finish(folder, state, info)
    note("done")
    for name in LEFT_OVER:
        folder.remove_all(name)


def _note_stages(folder: Folder, state: State, info: dict[str, Any]) -> None:
    """Write into run.json which stages are fixed, if the run has any: whoever reads the run needs to know which game is which."""
    stages = [stage.as_data() for stage in state.job.stages]
    if stages and info.get("stages") != stages:
        info["stages"] = stages
        write_info(folder, info)


def progress(state: State, seconds: float) -> RunProgress:
    """Return the progress of a run, after so many seconds of this session."""
    games = state.tallies["games"]
    until, planned = bool(state.job.plan.until), state.job.schedule.games
    return RunProgress(games, planned, seconds, state.new, partial(_widest, state), state.bytes, until, state.stage.name, _limits(state))


def _widest(state: State) -> float:
    return 0.5 if state.stage.name == SCREEN else float(state.stopper.widths(state.question_sums()).max())  # a screen asks who plays best


def _limits(state: State) -> tuple[int, int]:
    return state.tallies["turn_limit"], state.tallies["action_limit"]


def finish(folder: Folder, state: State, info: dict[str, Any]) -> None:
    """Put the records together, and add up the cards table."""
    starts = sorted(state.records)
    cards = added_up(_cards_of(folder, start) for start in starts)
    data = parquet(cards, state.job.about)
    folder.write("cards.parquet", data)
    info["cards_parquet"] = {"rows": len(cards), "bytes": len(data), "sha256": sha256(data)}
    info["pairs"] = state.sums.tolist()
    info["parts"] = [state.records[start] for start in starts]
    for record in info["parts"]:
        del record["files"]["cards"]
    for name in strays(folder, info):
        folder.remove(name)


def _cards_of(folder: Folder, start: int) -> pl.DataFrame:
    """Return the cards table of a chunk."""
    name = part_name("cards", start)
    if (data := folder.read(name)) is None:
        raise RunError(f"{folder.address}: {name} was written by a worker and is not here; give an --out that is the same place for all workers.")
    return pl.read_parquet(data)


def _repair(folder: Folder, state: State, info: dict[str, Any], workers: Workers) -> None:
    """Play again what is no longer as it was written in a run that was done: the same games, so the same parts."""
    whole = "cards.parquet" in state.damaged
    workers.job = state.job.in_stages(stages_in(info))
    bad = [record for record in info["parts"] if whole or damaged_parts(folder, record)]
    tables = []
    with workers:
        for record in workers.play([(record["start"], record["stop"]) for record in bad], lambda gaps: (Chunk(*gap) for gap in gaps)):
            tables.append(_cards_of(folder, record["start"]))
            del record["files"]["cards"]
            next(r for r in bad if r["start"] == record["start"])["files"] = record["files"]
    if workers.stop.asked:
        raise KeyboardInterrupt
    if whole:
        data = parquet(cards := added_up(tables), state.job.about)
        folder.write("cards.parquet", data)
        info["cards_parquet"] = {"rows": len(cards), "bytes": len(data), "sha256": sha256(data)}
    write_info(folder, info)
    for name in LEFT_OVER:
        folder.remove_all(name)


def _room_left(folder: Folder, state: State) -> None:
    """Raise a FolderError before the disk is full, and not when it is."""
    done, games = state.tallies["games"], state.job.schedule.games
    needed = state.bytes / done * (games - done)
    free = folder.free_bytes()
    if free is not None and not state.job.plan.until and needed > free:
        raise FolderError(
            f"{folder.address}: the rest of this run needs about {needed / 1e9:,.1f} GB, and there are {free / 1e9:,.1f} GB left on that disk; "
            "make room and give the same command again, or give fewer games or --no-turns."
        )
