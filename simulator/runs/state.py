"""What of a run is done: a new folder, or one that is gone on with, and what lies in it beside the tables.

Nothing in a folder counts that has no record, or does not match it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from terrors.simulator.runs.job import PART_TABLES, Chunk, Job, record_name
from terrors.simulator.runs.manifest import (
    FORMAT,
    TALLIES,
    ChunkRecord,
    damaged,
    damaged_parts,
    differences,
    read_info,
    read_records,
    strays,
    versions,
    write_info,
)
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.stages import DECIDE, LOTTERY, LOTTERY_TIMES, NARROW, SCREEN, WHOLE, value_sums
from terrors.simulator.runs.stopping import Stopper
from terrors.simulator.runs.storage import TEMPORARY, Folder
from terrors.simulator.terms.errors import RunError

CHUNK = 10_000  # games in a chunk: some tenths of a second of work, a part of about two megabytes
LARGEST_CHUNK = 50_000  # of runs with very many games, so that there are not too many files
CHUNK_SECONDS = 4.0  # that a chunk may take: less often than that nothing is heard of a run
LAST_SECONDS = 0.1  # and the last ones of several workers: so long one may have to wait for the others when a stage ends
PROBE = 32  # games in the first chunk, which says how long they take
OWN_FILES = ("plan.toml", "cards.csv", "cards.parquet")  # besides run.json, which says that all of them are a run's
OWN_FOLDERS = ("chunks", *PART_TABLES, "strategies")
LEAST_LOTTERY = 30_000  # pairs, of a panel that stopped when all was decided: fewer know little of cards
LEFT_OVER = ("chunks", "cards")  # what a run needs till it is done


class State:
    """The part of a run that is done."""

    def __init__(self, job: Job, chunk: int, fixed: bool = False) -> None:
        """Begin with nothing done. `chunk`: games in a chunk, at most; if that is `fixed`, always."""
        self.job, self.chunk, self.fixed = job, chunk, fixed
        self.jobs = 1  # how many play at a time
        self.probe = 2 if any(player.slow for player in job.players) else PROBE
        self.pace: float | None = None  # seconds that a worker took for a game, when last heard of
        self.found: dict[int, ChunkRecord] = {}  # from an earlier session, by the chunk's first game; they count when their look comes
        self.records: dict[int, ChunkRecord] = {}  # by the chunk's first game
        self.new = 0  # games of this session
        self.damaged: list[str] = []  # parts that were not what their record says
        self.tallies = dict.fromkeys(TALLIES, 0)
        self.sums = np.zeros((len(job.schedule.cells), 3), np.int64)  # by cell: pairs, points, squares
        self.bytes = 0
        self.end = 0  # games of the looks that are over
        self.stage = job.schedule.stages[0]
        self.screen = np.zeros_like(self.sums)  # the sums of the screen, if there is one and it is over
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
        if name == NARROW:
            self.screen = self.sums.copy()
        self.stage = schedule.stage(name, self.sums, stages, self.screen)
        if name == LOTTERY and self.job.plan.until:
            decided = stages[-1].pairs
            self.stage = replace(self.stage, pairs=min(self.stage.pairs, max(LEAST_LOTTERY, round(LOTTERY_TIMES * decided))))
        self.job = self.job.in_stages((*stages, self.stage))

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
        return value_sums(schedule.cells, len(schedule.strategies), self.sums, self.screen)

    def enough(self) -> bool:
        """Whether the stage that has begun may stop here."""
        return self.stage.name in (WHOLE, DECIDE) and self.stopper.enough(self.question_sums())

    def close_stage(self) -> None:
        """Note how long the stage was, should it have stopped early."""
        if self.stage.name == WHOLE:
            return
        played = (self.end - self.job.schedule.starts[-2]) // 2
        self.job = self.job.in_stages((*self.job.stages[:-1], replace(self.stage, pairs=played)))

    def gaps(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Count what an earlier session has played of these games; return the stretches between that are still to be played."""
        gaps, starts = [], sorted(first for first, record in self.found.items() if start <= first and record["stop"] <= stop)
        for first in starts:
            if first >= start and len(self.found[first]["pairs"]) == len(self.sums):
                if first > start:
                    gaps.append((start, first))
                start = self.found[first]["stop"]
                self.add(self.found.pop(first))
        return [*gaps, (start, stop)] if start < stop else gaps

    def in_order(self, gaps: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        """Yield what is to be played before all else, a few games that say how long they take, and then the rest."""
        if self.pace is None and not self.fixed and gaps and gaps[0][1] - gaps[0][0] > 2 * self.probe:
            start, stop = gaps[0]
            yield [(start, start + self.probe)]
            gaps = [(start + self.probe, stop), *gaps[1:]]
        yield gaps

    def chunks(self, gaps: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
        """Yield what is to be played in pieces that take some seconds at most, as far as is known when the next one is asked for."""
        left = sum(stop - start for start, stop in gaps)
        for start, stop in gaps:
            while start < stop:
                _, end = next(cut(start, stop, self.size(left)))
                yield Chunk(start, end)
                start, left = end, left - (end - start)

    def size(self, left: int | None = None) -> int:
        """Return how many games the next chunk should have: as many as usual, or a half, a quarter, … of that if these games take long.

        `left`: that are still to be played before all wait for each other; towards the end several workers take less and less, so that they end together.
        """
        size = self.chunk
        while not self.fixed and size > 3 and size * (self.pace or 0.0) > CHUNK_SECONDS:
            size = size // 4 * 2
        if self.jobs > 1 and left is not None and not self.fixed and self.pace:
            size = min(size, max(left // (2 * self.jobs), int(LAST_SECONDS / self.pace), 2) // 2 * 2)
        return size

    def add(self, record: ChunkRecord) -> None:
        """Count a chunk as done."""
        self.records[record["start"]] = {name: record[name] for name in ("start", "stop", "files")}
        for name in TALLIES:
            self.tallies[name] += record["tallies"][name]
        self.sums += np.array(record["pairs"], np.int64)
        self.bytes += sum(file["bytes"] for file in record["files"].values())
        if "seconds" in record:
            self.pace = record["seconds"] / (record["stop"] - record["start"])


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
    state = State(job, chunk or chunk_size(job.schedule.games, any(player.slow for player in job.players)), fixed=chunk is not None)
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
