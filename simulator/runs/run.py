"""Runs: millions of games into a folder, and the folder read again.

    run = simulate(Plan(games=100_000), "runs/base")          # plays, or resumes, or finds that all is there
    run = Run.open("runs/base")
    run.games.group_by("first_overlord").len().collect()      # polars LazyFrames: games, turns, purchases, cards, decisions

The folder: `run.json` (what was played, and the checksum of every part), `plan.toml` and `cards.csv` (all that is needed to play it again), and Parquet parts.
While a run goes on, each finished chunk leaves a record in `chunks/`; whatever is killed loses at most the chunks under way. At the end the records are put
together in run.json. Nothing is trusted that has no record, or does not match it.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from terrors.simulator.engine import entry_points
from terrors.simulator.runs.job import PART_TABLES, Chunk, Job, Setup, part_name, record_name, setup_of
from terrors.simulator.runs.manifest import (
    FORMAT,
    TALLIES,
    ChunkRecord,
    all_parts,
    damaged,
    damaged_parts,
    decisions_table,
    differences,
    read_info,
    read_records,
    strays,
    versions,
    write_info,
)
from terrors.simulator.runs.parquet_tables import added_up, parquet
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.stages import DECIDE, LOTTERY, LOTTERY_TIMES, NARROW, SCREEN, WHOLE, value_sums
from terrors.simulator.runs.stopping import Stopper
from terrors.simulator.runs.storage import TEMPORARY, Folder, FolderError, open_folder, sha256
from terrors.simulator.runs.workers import Stop, Workers
from terrors.simulator.terms.errors import RunError

CHUNK = 5_000  # games in a chunk: a fifth of a second of work, a part of about a megabyte
LARGEST_CHUNK = 50_000  # of runs with very many games, so that there are not too many files
MOST_IN_A_CHUNK = 100_000  # a chunk is in memory as a whole
OWN_FILES = ("plan.toml", "cards.csv", "cards.parquet")  # besides run.json, which says that all of them are a run's
OWN_FOLDERS = ("chunks", *PART_TABLES, "strategies")
LEAST_LOTTERY = 30_000  # pairs, of a panel that stopped when all was decided: fewer know little of cards
LEFT_OVER = ("chunks", "cards")  # what a run needs till it is done


@dataclass
class RunProgress:
    """The progress of a run: games done, games in all, time."""

    done: int
    games: int
    seconds: float  # in this session
    done_now: int  # games of this session
    half_width: float  # of the widest interval so far
    bytes: int = 0
    may_stop: bool = False  # before the last game of the plan (`until`)
    stage: str = WHOLE  # of a panel

    @property
    def rate(self) -> float:
        """The number of games a second."""
        return self.done_now / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the last game of the plan."""
        return (self.games - self.done) / self.rate if self.rate else None


class State:
    """The part of a run that is done."""

    def __init__(self, job: Job, chunk: int) -> None:
        """Begin with nothing done. `chunk`: games in a chunk."""
        self.job, self.chunk = job, chunk
        self.found: dict[int, ChunkRecord] = {}  # from an earlier session, by the chunk's first game; they count when their look comes
        self.records: dict[int, ChunkRecord] = {}  # by the chunk's first game
        self.new = 0  # games of this session
        self.damaged: list[str] = []  # parts that were not what their record says
        self.tallies = dict.fromkeys(TALLIES, 0)
        self.sums = np.zeros((len(job.schedule.cells), 3), np.int64)  # by cell: pairs, points, squares
        self.bytes = 0
        self.end = 0  # games of the looks that are over
        self.stage = job.schedule.stages[0]
        self.before = np.zeros_like(self.sums)  # the sums when the stage began that judges
        self.stopper = Stopper(job.plan, self.questions)

    @property
    def questions(self) -> int:
        """The number of things that a run which waits for certainty must know: all cells, or the value of each match-up of a panel."""
        cells = self.job.schedule.cells
        return len(cells) if self.stage.name == WHOLE else len({(cell.a, cell.b) for cell in cells})

    def begin(self, name: str) -> None:
        """Fix a stage by what is known when it begins."""
        schedule = self.job.schedule
        if name == WHOLE:
            return
        stages = tuple(stage for stage in self.job.stages[: list(schedule.planned).index(name)])
        self.stage = schedule.stage(name, self.sums, stages)
        if name == LOTTERY and self.job.plan.until:
            decided = stages[-1].pairs
            self.stage = replace(self.stage, pairs=min(self.stage.pairs, max(LEAST_LOTTERY, round(LOTTERY_TIMES * decided))))
        if name in (NARROW, DECIDE) and not self.before.any():
            self.before = self.sums.copy()
        self.job = replace(self.job, stages=(*stages, self.stage))

    def looks(self) -> list[int]:
        """Return after how many games of the run to look, of the stage that has begun."""
        games, stage = 2 * self.stage.pairs, self.stage
        if stage.name in (SCREEN, NARROW, LOTTERY):
            return [self.end + games]
        return [self.end + look for look in self.stopper.looks(games, 2 * stage.window / stage.cycle)]

    def question_sums(self) -> np.ndarray:
        """Return what is known of each question, as sums of pairs."""
        schedule = self.job.schedule
        if self.stage.name == WHOLE:
            return self.sums
        return value_sums(schedule.cells, len(schedule.strategies), self.sums, self.before if self.stage.name != SCREEN else 0 * self.sums)

    def enough(self) -> bool:
        """Whether the stage that has begun may stop here."""
        return self.stage.name in (WHOLE, DECIDE) and self.stopper.enough(self.question_sums())

    def close_stage(self) -> None:
        """Note how long the stage was, should it have stopped early."""
        if self.stage.name == WHOLE:
            return
        played = (self.end - self.job.schedule.starts[-2]) // 2
        self.job = replace(self.job, stages=(*self.job.stages[:-1], replace(self.stage, pairs=played)))

    def has(self, chunk: Chunk) -> bool:
        """Whether an earlier session has played this chunk: if so, it counts from now on."""
        record = self.found.get(chunk.start)
        if record is None or record["stop"] != chunk.stop or len(record["pairs"]) != len(self.sums):
            return False
        self.add(self.found.pop(chunk.start))
        return True

    def add(self, record: ChunkRecord) -> None:
        """Count a chunk as done."""
        self.records[record["start"]] = {name: record[name] for name in ("start", "stop", "files")}
        for name in TALLIES:
            self.tallies[name] += record["tallies"][name]
        self.sums += np.array(record["pairs"], np.int64)
        self.bytes += sum(file["bytes"] for file in record["files"].values())


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
        """Raise a RunError if a part is missing or has another size than when it was written. That is quick; `terrors verify` looks at every byte."""
        for name, file in all_parts(self.info):
            size = self.folder.size(name)
            if size != file["bytes"]:
                what = "missing" if size is None else f"damaged ({size:,} bytes instead of {file['bytes']:,})"
                raise RunError(f"{self.folder.address}/{name}: this part is {what}; the command that made the run plays it again.")

    def table(self, name: str) -> pl.LazyFrame:
        """Return one of the tables that are made of parts."""
        names = [part_name(name, record["start"]) for record in self.info["parts"] if name in record["files"]]
        if not names:
            raise RunError(f"{self.folder.address}: this run has no {name} table; {REMEDY.get(name, 'let it play first')}.")
        return self.folder.scan(names)

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
            return self.folder.scan(["cards.parquet"])
        return added_up([self.table("cards").collect()]).lazy()

    def __repr__(self) -> str:
        """Return the run in one line: folder, games, status."""
        return f"<run {self.folder.address}: {self.info['tallies']['games']:,} games, {self.info['status']}>"


REMEDY = {"turns": "simulate without --no-turns", "decisions": "simulate with --decisions 200"}


def open_or_make(folder: Folder, job: Job, overwrite: bool, chunk: int | None) -> tuple[State, dict[str, Any]]:
    """Return the state of a run in a folder: a new one, or one to be resumed; RunError if something else is there."""
    if not overwrite and (info := read_info(folder)) is not None:
        return resumed(folder, job, info), info
    others = [name for name in folder.anything() if name != ".lock" and not name.startswith(TEMPORARY)]
    if others and folder.read("run.json") is None:
        raise RunError(f"{folder.address}: this folder is no run and has other things in it ({', '.join(others[:3])}); give another --out.")
    for name in OWN_FOLDERS:
        folder.remove_all(name)
    for name in OWN_FILES:
        folder.remove(name)
    folder.sweep(OWN_FOLDERS)
    state = State(job, chunk or chunk_size(job.schedule.games, any(player.slow for player in job.players)))
    info = new_info(state)
    write_info(folder, info)  # first: should the rest not come to be, the folder is known for a run, and resuming it adds the rest
    put_beside(folder, job)
    return state, info


def resumed(folder: Folder, job: Job, info: dict[str, Any]) -> State:
    """Return what of a run is there and as it should be; RunError if it is another run."""
    if found := differences(info["identity"], job.identity()):
        raise RunError(f"{folder.address}: this folder has another run in it: {'; '.join(found)}. Give another --out, or --overwrite to start again.")
    state = State(job, info["chunk"])
    folder.sweep(OWN_FOLDERS)
    put_beside(folder, job)
    if info["plan"] != (plan := plan_beside(job).as_data()):
        info["plan"] = plan
        write_info(folder, info)
    if info["status"] == "done":
        for name in strays(folder, info):
            folder.remove(name)
        for name in LEFT_OVER:
            folder.remove_all(name)
        state.damaged = [name for record in info["parts"] for name in damaged_parts(folder, record)]
        if damaged(folder, "cards.parquet", info["cards_parquet"]):
            state.damaged.append("cards.parquet")
        return state
    for record in read_records(folder, job.identity()):
        if bad := damaged_parts(folder, record):
            state.damaged += bad
            folder.remove(record_name(record["start"]))
        else:
            state.found[record["start"]] = record
    return state


def chunk_size(games: int, slow: bool = False) -> int:
    """Return the games in a chunk: enough chunks to keep all workers busy, not so many that the folder is full of them; few games if one takes a second."""
    if slow:
        return 20
    return int(np.clip(games // 16, 200, CHUNK) if games < 4_000 * CHUNK else min(games // 4_000, LARGEST_CHUNK)) // 2 * 2


def put_beside(folder: Folder, job: Job) -> None:
    """Write what is needed to play a run again into its folder: its plan, its cards and its strategies."""
    files = {"plan.toml": plan_beside(job).to_toml(), "cards.csv": job.cards.to_csv()}
    files |= {f"strategies/{source.file}": source.text for source in job.sources if source.text}
    for name, text in files.items():
        if folder.read(name) != text.encode():
            folder.write(name, text.encode())


def plan_beside(job: Job) -> Plan:
    """Return the plan of a job, with its files where the run's folder has them."""
    names = {source.name: f"strategies/{source.file}" if source.text else source.name for source in job.sources}
    strategies = tuple(names[source.name] for source in job.sources)
    pairing = job.plan.pairing
    if pairing.startswith("vs:"):
        pairing = f"vs:{strategies[-1]}"
        strategies = strategies[: len(job.plan.strategies)]
    return job.plan.but(cards="cards.csv", strategies=strategies, pairing=pairing)


def new_info(state: State) -> dict[str, Any]:
    """Return the content of run.json when nothing has been played yet."""
    job = state.job
    return {
        "format": FORMAT,
        "status": "running",
        "command": " ".join(sys.argv),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seconds": 0.0,
        "plan": plan_beside(job).as_data(),
        "cards": {"path": str(job.cards.path or ""), "sha256": job.cards.sha256},
        "identity": job.identity(),
        "strategies": {player.name: player.summary for player in job.players},  # for those who read the run: they need not load any code
        "versions": versions(),
        "chunk": state.chunk,
        "tallies": state.tallies,
        "parts": [],
    }


def cut(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """Return a stretch of games in chunks. The last two share what is left, so that no worker waits for a large one at the end."""
    while start < stop:
        left = stop - start
        n = size if left >= 2 * size else left if left <= size else (left // 2 + 1) // 2 * 2
        yield start, start + n
        start += n


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
            for name in state.job.schedule.planned:
                state.begin(name)
                workers.job = state.job
                _note_stages(folder, state, info)
                for look in state.looks():
                    todo = [chunk for chunk in (Chunk(a, b) for a, b in cut(state.end, look, state.chunk)) if not state.has(chunk)]
                    for record in workers.play(todo):
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
    games, widest = state.tallies["games"], float(state.stopper.widths(state.question_sums()).max())
    return RunProgress(games, state.job.schedule.games, seconds, state.new, widest, state.bytes, bool(state.job.plan.until), state.stage.name)


def finish(folder: Folder, state: State, info: dict[str, Any]) -> None:
    """Put the records together, and add up the cards table."""
    starts = sorted(state.records)
    cards = added_up(_cards_of(folder, start) for start in starts)
    data = parquet(cards)
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
    bad = [record for record in info["parts"] if whole or damaged_parts(folder, record)]
    tables = []
    with workers:
        for record in workers.play([Chunk(record["start"], record["stop"]) for record in bad]):
            tables.append(_cards_of(folder, record["start"]))
            del record["files"]["cards"]
            next(r for r in bad if r["start"] == record["start"])["files"] = record["files"]
    if workers.stop.asked:
        raise KeyboardInterrupt
    if whole:
        data = parquet(cards := added_up(tables))
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
