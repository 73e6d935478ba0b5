"""What a run is played with, and what a worker needs to play chunks of it: play the games, write the parts, leave a record.

`Setup` is what the tables of a run speak of: plan, cards, names of strategies. It is data, and enough to read a run. A `Job` has the strategies as well, and
can play. To make the job of a run that lies in a folder (`job_of`) means to execute the Python files in it: that is done only if they are known or trusted.

A job travels to other processes and machines as it is (pickle): it has the plan, the cards and the strategies' sources in it, so that a worker needs the
toolkit and the run's folder, and nothing else. A worker that has another version of the rules says so instead of playing other games.
"""

from __future__ import annotations

import hashlib
import json
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.kernel import jit
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.play.match import MatchRecords, Ready
from terrors.simulator.runs.chunks import ChunkPlayer, PlayedChunk, StoppedError
from terrors.simulator.runs.last_words import LastWords
from terrors.simulator.runs.parquet_tables import parquet
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.runs.stages import Stage, deciding
from terrors.simulator.runs.storage import open_folder, sealed, sha256
from terrors.simulator.terms.errors import PlanError, RunError, WordedError
from terrors.strategies import Strategy, all_names, find
from terrors.strategies.formats.known import DATA, is_known

if TYPE_CHECKING:
    from terrors.simulator.runs.run import Run

PART_TABLES = ("games", "turns", "purchases", "decisions", "cards")  # folders of parts; those of `cards` are added up at the end


PUT_BACK = "the command that made the run puts its plan, cards and strategies back"


class NotTrustedError(RunError):
    """Raised for games that cannot be played again since code came with the run that nobody has let run here, in one sentence."""


class WorkerError(WordedError):
    """Raised for a worker that cannot do its part, in one sentence."""


@dataclass(frozen=True)
class StrategySource:
    """A strategy as it travels: by name if it ships with the toolkit, else with its text."""

    name: str
    sha256: str
    file: str = ""
    text: str = ""

    @classmethod
    def of(cls, strategy: Strategy) -> StrategySource:
        """Return the source of a strategy."""
        if strategy.name in all_names() and find(strategy.name) is strategy:
            return cls(strategy.name, strategy.sha256)
        return cls(strategy.name, strategy.sha256, strategy.path.name, strategy.path.read_text(encoding="utf-8"))

    def strategy(self) -> Strategy:
        """Return the strategy, on whatever machine this is."""
        if not self.text:
            found = find(self.name)
        else:
            path = jit.CACHE_ROOT / "sources" / hashlib.sha256(self.text.encode()).hexdigest() / self.file
            if not path.exists():
                open_folder(path.parent).write(path.name, self.text.encode())
            found = find(str(path), watched=False)
        if found.sha256 != self.sha256:
            raise WorkerError(f"strategy {self.name} is another one on {socket.gethostname()}; install the same version of terrors there.")
        return found


@dataclass(frozen=True)
class Setup:
    """The things that the tables of a run speak of: its plan, its cards and the names of its strategies."""

    plan: Plan
    cards: CardSet
    strategies: tuple[str, ...]  # with `vs:NAME` that one last
    stages: tuple[Stage, ...] = field(default=(), kw_only=True)  # those that are fixed: of a panel, the first one is at the beginning

    @cached_property
    def box(self) -> Box:
        """The box: cards, rules and interventions."""
        return make_box(self.cards, self.plan.ruleset(), self.plan.interventions())

    @cached_property
    def schedule(self) -> Schedule:
        """The schedule of all games."""
        return Schedule(self.plan, self.box, list(self.strategies), self.stages)


@dataclass(frozen=True)
class Job(Setup):
    """A run, as its workers see it: it can be played."""

    sources: tuple[StrategySource, ...]
    engine: str  # hash of the rules' sources
    folder: str

    @classmethod
    def of(cls, plan: Plan, folder: str) -> Job:
        """Return the job of a plan: files are read here, and every name is checked."""
        cards = load_cards(plan.cards or None)
        strategies = [find(name) for name in plan.strategies]
        if plan.pairing.startswith("vs:"):  # the rival comes last, also if it is one of them
            rival = find(plan.pairing[3:])
            strategies = [s for s in strategies if (s.name, s.sha256) != (rival.name, rival.sha256)] + [rival]
        for strategy in strategies:
            if sum(strategy.name == other.name for other in strategies) > 1:
                raise PlanError(f"strategies: two are named {strategy.name}; rename one of the files.")
        sources = tuple(StrategySource.of(strategy) for strategy in strategies)
        return cls(plan, cards, tuple(source.name for source in sources), sources, jit.SOURCE_HASH, folder)

    @cached_property
    def players(self) -> list[Strategy]:
        """The strategies by their numbers in the schedule."""
        return [source.strategy() for source in self.sources]

    def in_stages(self, stages: tuple[Stage, ...]) -> Job:
        """Return the same job with other stages fixed; what does not depend on them is kept."""
        job = replace(self, stages=stages)
        vars(job).update({name: made for name in ("box", "players", "ready", "key", "about") if (made := vars(self).get(name)) is not None})
        return job

    @property
    def foreign(self) -> bool:
        """Whether code that does not ship plays in it."""
        return any(source.text and not source.file.endswith(DATA) for source in self.sources)

    @cached_property
    def ready(self) -> list[Ready]:
        """The strategies with their opinions of the box."""
        return [Ready(player, self.box) for player in self.players]

    def identity(self) -> dict[str, Any]:
        """Return everything that decides a row of the run. Where files lie does not matter, what is in them does."""
        plan = self.plan.as_data() | {"strategies": [source.name for source in self.sources]}
        plan["pairing"] = "vs:" + self.sources[-1].name if self.plan.pairing.startswith("vs:") else self.plan.pairing
        del plan["cards"]
        return {"plan": plan, "cards": self.cards.sha256, "strategies": {s.name: s.sha256 for s in self.sources}, "engine": self.engine}

    @cached_property
    def key(self) -> str:
        """The identity as a short text."""
        return key_of_identity(self.identity())

    @cached_property
    def about(self) -> dict[str, str]:
        """The facts that every Parquet file of the run has in its footer, so that a file that was copied out of the folder still says what it is."""
        return {
            "terrors.run": self.key,
            "terrors.engine": self.engine,
            "terrors.cards": self.cards.sha256,
            "terrors.rules": json.dumps(dict(self.plan.rules), sort_keys=True),
            "terrors.strategies": json.dumps({source.name: source.sha256 for source in self.sources}, sort_keys=True),
            "terrors.seed": str(self.plan.seed),
        }

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels: not what can be made anew from it."""
        return {name: getattr(self, name) for name in ("plan", "cards", "strategies", "stages", "sources", "engine", "folder")}


def setup_of(run: Run) -> Setup:
    """Return what a run was played with, from run.json and its cards. Nothing that lies in its folder is executed."""
    info = run.info
    for name, value in info["identity"]["plan"].items():
        if name not in ("strategies", "pairing") and info["plan"].get(name) != value:
            raise RunError(f"{run.folder.address}/run.json: plan.{name} is not what the run was played with; the command that made the run puts it back.")
    with _copied(run, "cards.csv") as place:
        cards = load_cards(place / "cards.csv")
        setup = Setup(run.plan, cards, tuple(info["identity"]["plan"]["strategies"]), stages=stages_in(info))
        if cards.sha256 != info["identity"]["cards"]:
            raise RunError(f"{run.folder.address}/cards.csv: this is not what the run was played with; the command that made the run puts it back.")
        setup.schedule  # noqa: B018  what is wrong with the plan is said here
    return setup


def job_of(run: Run, trusted: bool = False) -> Job:
    """Return the job of a run, from the plan, the cards and the strategies in its folder. NotTrustedError if code among them is not known and not trusted."""
    with _copied(run, "plan.toml", "cards.csv", *run.folder.names("strategies")) as place:
        plan = Plan.read(place / "plan.toml")
        rival = [plan.pairing[3:]] if plan.pairing.startswith("vs:") else []
        for path in [Path(name) for name in (*plan.strategies, *rival) if name not in all_names()]:
            if path.parent != place / "strategies":
                raise RunError(f"{run.folder.address}/plan.toml: {path} is no file of this run; {PUT_BACK}.")
            if path.suffix not in DATA and path.is_file() and not trusted and not is_known(path.read_bytes()):
                raise NotTrustedError(
                    f"{run.folder.address}/strategies/{path.name}: this code came with the run and has never been used on this machine; "
                    "read it, and give --trust to let it play."
                )
        if plan.cards and Path(plan.cards) != place / "cards.csv":
            raise RunError(f"{run.folder.address}/plan.toml: {plan.cards} is no file of this run; {PUT_BACK}.")
        job = Job.of(plan, run.folder.address).in_stages(stages_in(run.info))
        job.schedule, job.players  # noqa: B018  strategies are loaded while their files are there
    return job


def in_best_hands(job: Job) -> Job:
    """Return the job of a panel for those alone who were found to play best, each against itself; any other job as it is. For trials on the same set."""
    if job.plan.pairing != "panel" or len(job.stages) < 2:
        return job
    last, cells = job.stages[-1], job.schedule.cells
    chosen = sorted({number for cell in deciding(last) for number in (cells[cell].a_strategy, cells[cell].b_strategy)})
    plan = job.plan.but(pairing="mirror", strategies=tuple(job.strategies[number] for number in chosen))
    return Job(plan, job.cards, tuple(job.strategies[n] for n in chosen), tuple(job.sources[n] for n in chosen), job.engine, job.folder)


def stages_in(info: dict[str, Any]) -> tuple[Stage, ...]:
    """Return the stages that run.json has: those that are fixed so far."""
    return tuple(Stage.from_data(stage) for stage in info.get("stages", ()))


@contextmanager
def _copied(run: Run, *names: str) -> Iterator[Path]:
    """Yield a temporary folder with some files of a run, which may lie anywhere; a sentence that names the run's folder says what is wrong with them."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary).resolve()
        for name in names:
            data = run.folder.read(name)
            if data is None:
                raise RunError(f"{run.folder.address}/{name}: it is missing; {PUT_BACK}.")
            path = place / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            except OSError as error:
                raise RunError(f"{path}: {error.strerror or error}; make room there, or let TMPDIR name another place for what is temporary.") from None
        try:
            yield place
        except RunError:
            raise
        except (ValueError, LookupError) as error:  # all that plans, cards and strategies are refused with
            said = str(error).replace(str(place), run.folder.address).splitlines()[0].rstrip(".")
            raise RunError(f"{said}; {PUT_BACK}.") from None


def key_of_identity(identity: dict[str, Any]) -> str:
    """Return everything that decides the rows of a run, as a short text."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Chunk:
    """Some games of a run in a row."""

    start: int
    stop: int


_jobs: dict[str, Job] = {}
_idle: list[ChunkPlayer] = []  # that have played chunks of the job and wait for the next one: to make room for games takes longer than some hundred of them
_lock = threading.Lock()


def _bench(job: Job, words: LastWords | None = None) -> ChunkPlayer:
    """Return a bench for a job, which nobody else has until it is put back. What a job needs is made once for each process, all stages of it together."""
    if job.engine != jit.SOURCE_HASH:
        raise WorkerError(f"the rules engine on {socket.gethostname()} is another version; install the same version of terrors there.")
    with _lock:
        if job.key not in _jobs:
            put_away()
        before = _jobs.get(job.key, job)
        job = _jobs[job.key] = before if before.stages == job.stages else before.in_stages(job.stages)
        bench = _idle.pop() if _idle else ChunkPlayer(job.schedule, job.ready, desk=MatchRecords(words.game if words else None))  # compiled under the lock
    bench.schedule = job.schedule
    return bench


def put_away() -> None:
    """Forget what chunks were played on: the run is over."""
    _jobs.clear()
    _idle.clear()


def part_name(table: str, start: int) -> str:
    """Return the file of a chunk's part of a table; chunks are named by their first game."""
    return f"{table}/part-{start:09d}.parquet"


def record_name(start: int) -> str:
    """Return the file that says that a chunk is done."""
    return f"chunks/{start:09d}.json"


def write_chunk(job: Job, chunk: Chunk, played: PlayedChunk, seconds: float) -> dict[str, Any]:
    """Write the parts of a chunk, and last of all the record that they are there. `seconds`: that its games took."""
    folder = open_folder(job.folder)
    files = {}
    for table, frame in played.tables.items():
        data = parquet(frame, job.about, statistics=table == "games")
        folder.write(part_name(table, chunk.start), data)
        files[table] = {"rows": len(frame), "bytes": len(data), "sha256": sha256(data)}
    record = {"run": job.key, "start": chunk.start, "stop": chunk.stop, "files": files, "tallies": played.tallies, "pairs": played.pairs.tolist()}
    record["seconds"] = round(seconds, 6)
    folder.write(record_name(chunk.start), json.dumps(sealed(record)).encode())
    return record


class Slots:
    """The limits that the threads of a run share: how many may play at the same time, and who is writing."""

    def __init__(self, jobs: int) -> None:
        """Let that many threads play at the same time."""
        self.playing = threading.Semaphore(jobs)
        self._writing, self._closed, self._changed = 0, False, threading.Condition()

    @contextmanager
    def writing(self) -> Iterator[bool]:
        """Keep the program from ending while somebody writes; yield whether writing is still possible."""
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


_words: list[LastWords] = []  # of this process, if it is a worker: one at most


def play_chunk_in_process(job: Job, chunk: Chunk, folder: str = "") -> dict[str, Any] | None:
    """Play a chunk in a worker that is a process of its own: the parent decides what an interrupt means. `folder`: where it leaves its last words."""
    if folder and not (_words and _words[0].folder == folder):
        _words[:] = [LastWords(folder)]
    if threading.current_thread() is threading.main_thread():
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    return play_chunk(job, chunk, words=_words[0] if folder else None)


def play_chunk(job: Job, chunk: Chunk, stop: Callable[[], bool] = _never, slots: Slots | None = None, words: LastWords | None = None) -> dict[str, Any] | None:
    """Play a chunk; return its record, or None if it was stopped before it was done. `slots`: what it shares with other threads."""
    bench = _bench(job, words)
    bench.stop = stop
    if words:
        words.begin(chunk.start, chunk.stop)
    try:
        with slots.playing if slots else nullcontext():
            began = time.perf_counter()
            played = bench.play(chunk.start, chunk.stop, borrowed=True)  # nobody plays here before it is written
            seconds = time.perf_counter() - began
    except StoppedError:
        return None
    with slots.writing() if slots else nullcontext(True) as may_write:
        record = write_chunk(job, chunk, played, seconds) if may_write else None
    _idle.append(bench)
    return record
