"""Runs: millions of games into a folder, and the folder read again.

    run = simulate(Plan(games=100_000), "runs/base")          # plays, or resumes, or finds that all is there
    run = Run.open("runs/base")
    run.games.group_by("first_overlord").len().collect()      # polars LazyFrames: games, turns, purchases, cards, events

The folder: `run.json` (what was played, and the checksum of every part), `plan.toml` and `cards.csv` (all that is needed to play it again), and Parquet parts.
While a run goes on, each finished chunk leaves a record in `chunks/`; whatever is killed loses at most the chunks under way. At the end the records are put
together in run.json. Nothing is trusted that has no record, or does not match it.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simulator import batch
from simulator.folder import Folder, FolderError, open_folder, sha256
from simulator.job import PART_TABLES, Chunk, Job, part_name, record_name
from simulator.plan import Plan
from simulator.tables import added_up, parquet
from simulator.until import Stopper
from simulator.workers import Stop, Workers

FORMAT = 1
CHUNK = 5_000  # games in a chunk: a fifth of a second of work, a part of about a megabyte
LARGEST_CHUNK = 50_000  # of runs with very many games, so that there are not too many files
OWN_FILES = ("run.json", "plan.toml", "cards.csv", "cards.parquet", ".lock")
OWN_FOLDERS = (*PART_TABLES, "chunks", "strategies")


class RunError(ValueError):
    """A run that cannot be made, opened or trusted, in one sentence."""


@dataclass
class Progress:
    """How far a run is."""

    done: int
    games: int
    seconds: float  # in this session
    done_now: int  # games of this session
    half_width: float  # of the widest interval so far
    bytes: int = 0

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.done_now / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Until the last game of the plan."""
        return (self.games - self.done) / self.rate if self.rate else None


TALLIES = ("games", "turns", "decisions", "draws", "turn_limit", "action_limit", "events_cut")
Record = dict[str, Any]  # of a chunk that is done: its games, files with checksums, tallies, and sums of its pairs


class State:
    """What of a run is done."""

    def __init__(self, job: Job, chunk: int) -> None:
        """`chunk`: games in a chunk."""
        self.job, self.chunk = job, chunk
        self.records: dict[int, Record] = {}  # by the chunk's first game
        self.damaged: list[str] = []  # parts that were not what their record says
        self.tallies = dict.fromkeys(TALLIES, 0)
        self.sums = np.zeros((len(job.fixtures.cells), 3), np.int64)  # by cell: pairs, points, squares
        self.bytes = 0

    def add(self, record: Record) -> None:
        """A chunk is done."""
        self.records[record["start"]] = {name: record[name] for name in ("start", "stop", "files")}
        for name in TALLIES:
            self.tallies[name] += record["tallies"][name]
        self.sums += np.array(record["pairs"], np.int64)
        self.bytes += sum(file["bytes"] for file in record["files"].values())


class Run:
    """A run's folder."""

    def __init__(self, folder: Folder, info: dict[str, Any]) -> None:
        """`info`: what run.json says, with the parts that are there."""
        self.folder, self.info = folder, info

    @classmethod
    def open(cls, address: str | Path) -> Run:
        """The run in a folder; one that is not finished has the games that are."""
        folder = open_folder(address)
        info = read_info(folder)
        if info is None:
            raise RunError(f"{address}: there is no run here (no run.json); give the folder that `terrors simulate --out` wrote.")
        if info["status"] != "done":
            info["parts"] = sorted(read_records(folder), key=lambda record: record["start"])
        return cls(folder, info)

    @property
    def plan(self) -> Plan:
        """What was to be played, with its files in the run's folder."""
        return Plan.from_data(self.info["plan"])

    @property
    def finished(self) -> bool:
        """Whether all of it has been played."""
        return self.info["status"] == "done"

    def table(self, name: str) -> pl.LazyFrame:
        """One of the tables that are made of parts."""
        names = [part_name(name, record["start"]) for record in self.info["parts"] if name in record["files"]]
        if not names:
            raise RunError(f"{self.folder.address}: this run has no {name} table; {REMEDY.get(name, 'let it play first')}.")
        return self.folder.scan(names)

    @property
    def games(self) -> pl.LazyFrame:
        """A row a game."""
        return self.table("games")

    @property
    def turns(self) -> pl.LazyFrame:
        """A row a player's turn."""
        return self.table("turns")

    @property
    def purchases(self) -> pl.LazyFrame:
        """A row a purchase."""
        return self.table("purchases")

    @property
    def events(self) -> pl.LazyFrame:
        """A row an answer, for the games that are told in full."""
        return self.table("events")

    @property
    def cards(self) -> pl.LazyFrame:
        """A row a match-up, strategies, seat and card: small sums."""
        if self.finished:
            return self.folder.scan(["cards.parquet"])
        return added_up([self.table("cards").collect()]).lazy()

    def __repr__(self) -> str:
        """For people."""
        return f"<run {self.folder.address}: {self.info['tallies']['games']:,} games, {self.info['status']}>"


REMEDY = {"turns": "simulate without --no-turns", "events": "simulate with --events 200"}


def read_info(folder: Folder) -> dict[str, Any] | None:
    """What run.json says; None if there is none."""
    data = folder.read("run.json")
    if data is None:
        return None
    try:
        info = json.loads(data)
        if info["format"] != FORMAT:
            raise RunError(f"{folder.address}: this run was written by another version (format {info['format']}, not {FORMAT}); simulate it again.")
        return info
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, RunError):
            raise
        raise RunError(f"{folder.address}/run.json: this is not what a run writes; start again with --overwrite.") from None


def read_records(folder: Folder) -> list[dict[str, Any]]:
    """The records of finished chunks."""
    found = []
    for name in folder.names("chunks"):
        try:
            record = json.loads(folder.read(name) or b"")
            if name == record_name(record["start"]) and {"stop", "files", "tallies", "pairs"} <= set(record):
                found.append(record)
        except (ValueError, KeyError, TypeError):  # half a record, or somebody else's file: the chunk is played again
            continue
    return found


def damaged(folder: Folder, name: str, file: dict[str, Any]) -> bool:
    """Whether a file is not what its record says."""
    data = folder.read(name)
    return data is None or len(data) != file["bytes"] or sha256(data) != file["sha256"]


def damaged_parts(folder: Folder, record: Record) -> list[str]:
    """The parts of a chunk that are not what its record says."""
    return [name for table, file in record["files"].items() if damaged(folder, name := part_name(table, record["start"]), file)]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """In what two runs differ, in words."""
    found = []
    for name, value in now["plan"].items():
        if (was := before["plan"].get(name)) != value:
            found.append(f"{name} was {_short(was)} and is {_short(value)}")
    if before["cards"] != now["cards"]:
        found.append("the card file has changed")
    for name in now["strategies"]:
        if name in before["strategies"] and before["strategies"][name] != now["strategies"][name]:
            found.append(f"strategy {name} has changed")
    if before["engine"] != now["engine"]:
        found.append("the rules engine has changed")
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value or "nothing"
    return text if len(text) <= 60 else text[:57] + "…"


def versions() -> dict[str, str]:
    """Of what was used."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in ("terrors", "numba", "numpy", "polars", "joblib")}


def open_or_make(folder: Folder, job: Job, overwrite: bool, chunk: int | None) -> tuple[State, dict[str, Any]]:
    """The state of a run in a folder: a new one, or one to be resumed; RunError if something else is there."""
    if not overwrite:
        info = read_info(folder)
        if info is not None:
            return resumed(folder, job, info), info
        others = [name for name in folder.anything() if name != ".lock"]
        if others:
            raise RunError(f"{folder.address}: this folder is no run and has other things in it ({', '.join(others[:3])}); give another --out.")
    for name in OWN_FILES:
        folder.remove(name)
    for name in OWN_FOLDERS:
        folder.remove_all(name)
    state = State(job, chunk or chunk_size(job.fixtures.games))
    return state, start_info(folder, state)


def resumed(folder: Folder, job: Job, info: dict[str, Any]) -> State:
    """What of a run is there and as it should be; RunError if it is another run."""
    if found := differences(info["identity"], job.identity()):
        raise RunError(f"{folder.address}: this folder has another run in it: {'; '.join(found)}. Give another --out, or --overwrite to start again.")
    state = State(job, info["chunk"])
    folder.sweep(OWN_FOLDERS)
    if info["status"] == "done":
        state.damaged = [name for record in info["parts"] for name in damaged_parts(folder, record)]
        if damaged(folder, "cards.parquet", info["cards_parquet"]):
            state.damaged.append("cards.parquet")
        return state
    for record in read_records(folder):
        if bad := damaged_parts(folder, record):
            state.damaged += bad
            folder.remove(record_name(record["start"]))
        else:
            state.add(record)
    return state


def chunk_size(games: int) -> int:
    """Games in a chunk: enough chunks to keep all workers busy, not so many that the folder is full of them."""
    return int(np.clip(games // 16, 200, CHUNK) if games < 4_000 * CHUNK else min(games // 4_000, LARGEST_CHUNK)) // 2 * 2


def start_info(folder: Folder, state: State) -> dict[str, Any]:
    """A new run.json, and beside it what is needed to play it again."""
    job = state.job
    folder.write("cards.csv", job.cards.to_csv().encode())
    for source in job.sources:
        if source.text:
            folder.write(f"strategies/{source.file}", source.text.encode())
    names = {source.name: f"strategies/{source.file}" if source.text else source.name for source in job.sources}
    strategies = tuple(names[source.name] for source in job.sources)
    pairing = job.plan.pairing
    if pairing.startswith("vs:"):
        pairing = f"vs:{strategies[-1]}"
        strategies = strategies[: len(job.plan.strategies)]
    plan = job.plan.but(cards="cards.csv", strategies=strategies, pairing=pairing)
    folder.write("plan.toml", plan.to_toml().encode())
    info = {
        "format": FORMAT,
        "status": "running",
        "command": " ".join(sys.argv),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seconds": 0.0,
        "plan": plan.as_data(),
        "cards": {"path": str(job.cards.path or ""), "sha256": job.cards.sha256},
        "identity": job.identity(),
        "versions": versions(),
        "chunk": state.chunk,
        "tallies": state.tallies,
        "parts": [],
    }
    write_info(folder, info)
    return info


def write_info(folder: Folder, info: dict[str, Any]) -> None:
    """Replace run.json."""
    folder.write("run.json", json.dumps(info, ensure_ascii=False, indent=1).encode())


def cut(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """A stretch of games in chunks. The last two share what is left, so that no worker waits for a large one at the end."""
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
    on_progress: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
) -> Run:
    """Play a plan into a folder (without `out`: runs/ and a name made from the plan), or go on with what is there."""
    job = Job.of(plan, "")
    job.fixtures  # noqa: B018  refuses what these cards cannot give
    folder = open_folder(out if out is not None else f"runs/run-{job.key[:8]}")
    object.__setattr__(job, "folder", folder.address)
    if chunk is not None and (chunk < 2 or chunk % 2):
        raise RunError(f"chunk {chunk}: give an even number of games, at least 2.")
    for player in job.players:
        player.compiled  # noqa: B018  now, and not in every worker
    batch.play_games.prepare()
    folder.anything()  # a file is no folder
    with folder.lock():
        state, info = open_or_make(folder, job, overwrite, chunk)
        workers = Workers(job, jobs, backend, scheduler, stop or Stop())
        if info["status"] != "done":
            _go_on(folder, state, info, workers, on_progress)
        elif state.damaged:
            _repair(folder, state, info, workers)
    return Run(folder, info)


def _go_on(folder: Folder, state: State, info: dict[str, Any], workers: Workers, on_progress: Callable[[Progress], None] | None) -> None:
    """Play what is missing, look by look, and put the parts together."""
    stopper = Stopper(state.job.plan, len(state.job.fixtures.cells))
    began, before, spent = time.monotonic(), state.tallies["games"], info["seconds"]

    def note(status: str) -> None:
        info.update(status=status, tallies=state.tallies, seconds=round(spent + time.monotonic() - began, 3), jobs=workers.jobs, backend=workers.backend)
        write_info(folder, info)

    note("running")
    end = 0
    try:
        with workers:
            for look in stopper.looks():
                todo = [Chunk(a, b) for a, b in cut(end, look, state.chunk) if a not in state.records]
                for record in workers.play(todo):
                    state.add(record)
                    _room_left(folder, state)
                    if on_progress:
                        games, widest = state.tallies["games"], float(stopper.widths(state.sums).max())
                        on_progress(Progress(games, state.job.fixtures.games, time.monotonic() - began, games - before, widest, state.bytes))
                end = look
                if workers.stop.asked or stopper.enough(state.sums):
                    break
    except BaseException:
        note("interrupted")
        raise
    if workers.stop.asked:
        note("interrupted")
        raise KeyboardInterrupt
    finish(folder, state, info)
    note("done")
    for name in ("chunks", "cards"):
        folder.remove_all(name)


def finish(folder: Folder, state: State, info: dict[str, Any]) -> None:
    """Put the records together, and add up the cards table."""
    starts = sorted(state.records)
    cards = added_up(pl.read_parquet(folder.read(part_name("cards", start)) or b"") for start in starts)
    data = parquet(cards)
    folder.write("cards.parquet", data)
    info["cards_parquet"] = {"rows": len(cards), "bytes": len(data), "sha256": sha256(data)}
    info["pairs"] = state.sums.tolist()
    info["parts"] = [state.records[start] for start in starts]
    for record in info["parts"]:
        del record["files"]["cards"]


def _repair(folder: Folder, state: State, info: dict[str, Any], workers: Workers) -> None:
    """Play again what is no longer as it was written in a run that was done: the same games, so the same parts."""
    whole = "cards.parquet" in state.damaged
    bad = [record for record in info["parts"] if whole or damaged_parts(folder, record)]
    tables = []
    with workers:
        for record in workers.play([Chunk(record["start"], record["stop"]) for record in bad]):
            tables.append(pl.read_parquet(folder.read(part_name("cards", record["start"])) or b""))
            del record["files"]["cards"]
            next(r for r in bad if r["start"] == record["start"])["files"] = record["files"]
    if workers.stop.asked:
        raise KeyboardInterrupt
    if whole:
        data = parquet(cards := added_up(tables))
        folder.write("cards.parquet", data)
        info["cards_parquet"] = {"rows": len(cards), "bytes": len(data), "sha256": sha256(data)}
    write_info(folder, info)
    for name in ("chunks", "cards"):
        folder.remove_all(name)


def _room_left(folder: Folder, state: State) -> None:
    """Stop before the disk is full, and not when it is."""
    done, games = state.tallies["games"], state.job.fixtures.games
    needed = state.bytes / done * (games - done)
    free = folder.free_bytes()
    if free is not None and not state.job.plan.until and needed > free:
        raise FolderError(
            f"{folder.address}: the rest of this run needs about {needed / 1e9:,.1f} GB, and there are {free / 1e9:,.1f} GB left on that disk; "
            "make room and give the same command again, or give fewer games or --no-turns."
        )


def all_parts(run: Run) -> Iterable[tuple[str, dict[str, Any]]]:
    """Every file that run.json vouches for, with its checksum."""
    for record in run.info["parts"]:
        for table, file in record["files"].items():
            yield part_name(table, record["start"]), file
    if "cards_parquet" in run.info:
        yield "cards.parquet", run.info["cards_parquet"]
