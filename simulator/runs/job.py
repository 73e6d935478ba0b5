"""What a worker needs to play chunks of a run, and the task that it is given: play the games, write the parts, leave a record.

A job travels to other processes and machines as it is (pickle): it has the plan, the cards and the strategies' sources in it, so that a worker needs the
toolkit and the run's folder, and nothing else. A worker that has another version of the rules says so instead of playing other games.
"""

from __future__ import annotations

import hashlib
import json
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.kernel import jit
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.play.match import Ready
from terrors.simulator.runs.chunks import ChunkPlayer, PlayedChunk, StoppedError
from terrors.simulator.runs.parquet_tables import parquet
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.runs.storage import open_folder, sha256
from terrors.simulator.terms.errors import PlanError, WordedError
from terrors.strategies import Strategy, all_names, find

PART_TABLES = ("games", "turns", "purchases", "decisions", "cards")  # folders of parts; those of `cards` are added up at the end


class WorkerError(WordedError):
    """A worker that cannot do its part, in one sentence."""


@dataclass(frozen=True)
class StrategySource:
    """A strategy as it travels: by name if it ships with the toolkit, else with its text."""

    name: str
    sha256: str
    file: str = ""
    text: str = ""

    @classmethod
    def of(cls, strategy: Strategy) -> StrategySource:
        """The strategy's source."""
        if strategy.name in all_names() and find(strategy.name) is strategy:
            return cls(strategy.name, strategy.sha256)
        return cls(strategy.name, strategy.sha256, strategy.path.name, strategy.path.read_text(encoding="utf-8"))

    def strategy(self) -> Strategy:
        """The strategy, on whatever machine this is."""
        if not self.text:
            found = find(self.name)
        else:
            path = jit.CACHE_ROOT / "sources" / hashlib.sha256(self.text.encode()).hexdigest()[:16] / self.file
            if not path.exists():
                open_folder(path.parent).write(path.name, self.text.encode())
            found = find(str(path))
        if found.sha256 != self.sha256:
            raise WorkerError(f"strategy {self.name} is another one on {socket.gethostname()}; install the same version of terrors there.")
        return found


@dataclass(frozen=True)
class Job:
    """A run, as its workers see it."""

    plan: Plan
    cards: CardSet
    sources: tuple[StrategySource, ...]
    engine: str  # hash of the rules' sources
    folder: str

    @classmethod
    def of(cls, plan: Plan, folder: str) -> Job:
        """The job of a plan: files are read here, and every name is checked."""
        cards = load_cards(plan.cards or None)
        strategies = [find(name) for name in plan.strategies]
        if plan.pairing.startswith("vs:"):  # the rival comes last, also if it is one of them
            rival = find(plan.pairing[3:])
            strategies = [s for s in strategies if (s.name, s.sha256) != (rival.name, rival.sha256)] + [rival]
        for strategy in strategies:
            if sum(strategy.name == other.name for other in strategies) > 1:
                raise PlanError(f"strategies: two are named {strategy.name}; rename one of the files.")
        return cls(plan, cards, tuple(StrategySource.of(strategy) for strategy in strategies), jit.SOURCE_HASH, folder)

    @cached_property
    def box(self) -> Box:
        """Cards, rules and interventions."""
        return make_box(self.cards, self.plan.ruleset(), self.plan.interventions())

    @cached_property
    def players(self) -> list[Strategy]:
        """The strategies."""
        return [source.strategy() for source in self.sources]

    @cached_property
    def ready(self) -> list[Ready]:
        """The strategies, with their opinions of the box."""
        return [Ready(player, self.box) for player in self.players]

    @cached_property
    def schedule(self) -> Schedule:
        """The games."""
        return Schedule(self.plan, self.box, [source.name for source in self.sources])

    def identity(self) -> dict[str, Any]:
        """What decides every row of the run. Where files lie does not matter, what is in them does."""
        plan = self.plan.as_data() | {"strategies": [source.name for source in self.sources]}
        plan["pairing"] = "vs:" + self.sources[-1].name if self.plan.pairing.startswith("vs:") else self.plan.pairing
        del plan["cards"]
        return {"plan": plan, "cards": self.cards.sha256, "strategies": {s.name: s.sha256 for s in self.sources}, "engine": self.engine}

    @cached_property
    def key(self) -> str:
        """The identity as a short text."""
        return key_of_identity(self.identity())

    def __getstate__(self) -> dict[str, Any]:
        """What travels: not what can be made anew from it."""
        return {name: getattr(self, name) for name in ("plan", "cards", "sources", "engine", "folder")}


def key_of_identity(identity: dict[str, Any]) -> str:
    """What decides the rows of a run, as a short text."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Chunk:
    """Some games of a run in a row."""

    start: int
    stop: int


_jobs: dict[str, Job] = {}
_local = threading.local()
_lock = threading.Lock()


def _bench(job: Job, stop: Callable[[], bool]) -> ChunkPlayer:
    """The thread's own bench for a job. What a job needs is made once for each process."""
    if job.engine != jit.SOURCE_HASH:
        raise WorkerError(f"the rules engine on {socket.gethostname()} is another version; install the same version of terrors there.")
    with _lock:
        if job.key not in _jobs:
            _jobs.clear()
            _jobs[job.key] = job
        job = _jobs[job.key]
        if getattr(_local, "key", "") != job.key:
            _local.bench, _local.key = ChunkPlayer(job.schedule, job.ready), job.key  # compiled and thought over once, under the lock
    _local.bench.stop = stop
    return _local.bench


def part_name(table: str, start: int) -> str:
    """The file of a chunk's part of a table; chunks are named by their first game."""
    return f"{table}/part-{start:09d}.parquet"


def record_name(start: int) -> str:
    """The file that says that a chunk is done."""
    return f"chunks/{start:09d}.json"


def write_chunk(job: Job, chunk: Chunk, played: PlayedChunk) -> dict[str, Any]:
    """Write the parts of a chunk, and last of all the record that they are there."""
    folder = open_folder(job.folder)
    files = {}
    for table, frame in played.tables.items():
        data = parquet(frame)
        folder.write(part_name(table, chunk.start), data)
        files[table] = {"rows": len(frame), "bytes": len(data), "sha256": sha256(data)}
    record = {"run": job.key, "start": chunk.start, "stop": chunk.stop, "files": files, "tallies": played.tallies, "pairs": played.pairs.tolist()}
    folder.write(record_name(chunk.start), json.dumps(record).encode())
    return record


class Slots:
    """What the threads of a run share: how many may play at the same time, and who is writing."""

    def __init__(self, jobs: int) -> None:
        """So many may play."""
        self.playing = threading.Semaphore(jobs)
        self._writing, self._closed, self._changed = 0, False, threading.Condition()

    @contextmanager
    def writing(self) -> Iterator[bool]:
        """Somebody wants to write; whether that is still possible."""
        with self._changed:
            self._writing += 1
        try:
            yield not self._closed
        finally:
            with self._changed:
                self._writing -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody begin to write, and wait for those who do: when the program ends, threads end wherever they are, and would leave half a file."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._writing)


def _never() -> bool:
    return False


def play_chunk_in_process(job: Job, chunk: Chunk) -> dict[str, Any] | None:
    """The task of a worker that is a process of its own: the parent decides what an interrupt means."""
    if threading.current_thread() is threading.main_thread():
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    return play_chunk(job, chunk)


def play_chunk(job: Job, chunk: Chunk, stop: Callable[[], bool] = _never, slots: Slots | None = None) -> dict[str, Any] | None:
    """The task of a worker. The chunk's record; None if it was stopped before it was done. `slots`: what it shares with other threads."""
    bench = _bench(job, stop)
    try:
        with slots.playing if slots else nullcontext():
            played = bench.play(chunk.start, chunk.stop)
    except StoppedError:
        return None
    with slots.writing() if slots else nullcontext(True) as may_write:
        return write_chunk(job, chunk, played) if may_write else None
