"""Who plays the chunks of a run: joblib, with threads or processes of this machine, or a Dask cluster.

Threads have nothing to start and nothing to copy: the compiled engine and the Parquet writer both let go of the interpreter's lock. There is one thread more
than may play at a time, so that while one writes another plays. Processes take a second or two to start, and then get about a tenth more out of two cores,
since what is left of Python does not wait for one lock (benchmarks/batch.py compares them). So `auto` takes threads for small runs, processes for large ones.
"""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any

import joblib

from terrors.simulator.runs.job import Chunk, Job, Slots, WorkerError, play_chunk, play_chunk_in_process, put_away
from terrors.simulator.runs.last_words import crash

CONNECT_SECONDS = 20
PATIENCE_SECONDS = 4.0  # that a slice under way has after a Ctrl-C; it should take a fifth of a second (chunks.py), and is given up anyway
LOST = ("TerminatedWorkerError", "BrokenProcessPool", "KilledWorker", "MemoryError")  # what joblib, Dask and Python call it; Dask need not be installed
GONE = ("FutureCancelledError", "CommClosedError")  # what Dask calls it when its scheduler has died
BACKENDS = ("auto", "threads", "processes", "dask")
ON_THIS_MACHINE: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": None, "worker_dashboard_address": None}  # whoever reaches a worker can run code
LARGE = 100_000  # games from which on it pays to start processes


Gaps = Sequence[tuple[int, int]]  # stretches of games, from the first up to the last


def _pairs(gaps: Gaps) -> int:
    """Return how many pairs there are: no more can be played at a time."""
    return sum(stop - start for start, stop in gaps) // 2


class Stop:
    """A switch that stops a run. The first Ctrl-C asks for it; a second one does not wait, nor does the first for a game that seems to have no end."""

    def __init__(self, at_once: Callable[[], None] | None = None) -> None:
        """Begin unasked. `at_once`: how to leave at once; a thread that plays a strategy which never answers, or an endless game, cannot be waited for."""
        self._event, self._at_once = threading.Event(), at_once
        self.also: Callable[[], None] | None = None  # what is done besides when somebody asks
        self._before: Any = None
        self._patience: threading.Timer | None = None

    @property
    def asked(self) -> bool:
        """Whether somebody has asked."""
        return self._event.is_set()

    def ask(self) -> None:
        """Stop as soon as it can be done cleanly."""
        self._event.set()
        if self.also:
            self.also()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            if self._at_once is not None:
                self._at_once()
            raise KeyboardInterrupt
        self.ask()
        if self._at_once is not None:
            self._patience = threading.Timer(PATIENCE_SECONDS, self._at_once)
            self._patience.daemon = True
            self._patience.start()

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None
        if self._patience is not None:
            self._patience.cancel()


class Workers:
    """The workers of a run; used in a `with` block."""

    def __init__(self, job: Job, jobs: int | None, backend: str, scheduler: str | None, stop: Stop) -> None:
        """Choose the workers. `jobs`: how many play at the same time; without it as many as there are cores. `scheduler`: the address of a Dask scheduler."""
        if backend not in BACKENDS:
            raise WorkerError(f"backend {backend}: there is none; give {', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}.")
        if jobs is not None and not 1 <= jobs <= 4096:
            raise WorkerError(f"jobs {jobs}: give a number from 1 to 4096.")
        if scheduler and backend != "dask":
            raise WorkerError(f"scheduler {scheduler}: only the dask backend has one; add --backend dask.")
        self.job, self.scheduler, self.stop = job, scheduler, stop
        self.jobs = jobs or joblib.cpu_count()
        apart = job.foreign or (self.jobs > 1 and job.schedule.games >= LARGE)  # should code that does not ship crash, it is not this process
        self.backend = ("processes" if apart else "threads") if backend == "auto" else backend
        self._stack = ExitStack()

    def __enter__(self) -> Workers:
        self._stack = ExitStack()
        self._stack.enter_context(self.stop)
        if self.backend == "dask":
            self._stack.enter_context(self._cluster())
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop.also = None
        self._stack.close()
        put_away()

    def _cluster(self) -> ExitStack:
        """Return a connection to a Dask cluster, or a cluster of processes on this machine."""
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise WorkerError("backend dask: Dask is not installed; install it with: pip install dask distributed fsspec.") from None
        stack = ExitStack()
        if self.scheduler:
            stack.enter_context(_silent("distributed.client"))  # a scheduler that dies is told in a sentence (play)
            try:
                client = stack.enter_context(Client(self.scheduler, timeout=CONNECT_SECONDS, set_as_default=True))
            except (OSError, ValueError) as error:
                raise WorkerError(f"scheduler {self.scheduler}: it cannot be reached ({str(error).splitlines()[0]}); start one with: dask scheduler.") from None
            if not client.scheduler_info(n_workers=-1)["workers"]:
                stack.close()
                raise WorkerError(f"scheduler {self.scheduler}: it has no workers; start some with: dask worker {self.scheduler}.")
        else:
            cluster = stack.enter_context(LocalCluster(n_workers=self.jobs, threads_per_worker=1, silence_logs="ERROR", **ON_THIS_MACHINE))
            client = stack.enter_context(Client(cluster, set_as_default=True))
        self.jobs = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        stack.enter_context(joblib.parallel_config(backend="dask", client=client))
        return stack

    def play(self, gaps: Gaps, cut: Callable[[Gaps], Iterable[Chunk]]) -> Iterator[dict[str, Any]]:
        """Play stretches of games, cut into chunks; yield their records as they are done.

        When the run is stopped, those under way are given up and no more are begun. What the next chunk is, is asked when somebody has time for it.
        """
        if not gaps:
            return
        chunks = cut(gaps)
        slots = None
        folder = ""
        processes = min(self.jobs, _pairs(gaps)) if self.backend == "processes" else 0
        if processes and self.job.foreign:
            processes = max(2, processes)  # one would be this one
            folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        if self.backend == "threads" or processes == 1:  # joblib would play what is for one process in this one, deaf to Ctrl-C
            slots = Slots(self.jobs)
            # At least two threads: what is for one, joblib plays in the main thread, which then cannot hear a Ctrl-C.
            parallel = joblib.Parallel(
                n_jobs=max(2, min(self.jobs + 1, _pairs(gaps))), backend="threading", return_as="generator_unordered", pre_dispatch="n_jobs"
            )
            tasks = (joblib.delayed(play_chunk)(self.job, chunk, lambda: self.stop.asked, slots) for chunk in self._until_stopped(chunks))
        else:
            backend = {"backend": "loky", "n_jobs": processes} if processes else {"n_jobs": -1}
            ahead = 1 if processes > self.jobs else 2 * self.jobs
            parallel = joblib.Parallel(return_as="generator_unordered", pre_dispatch=ahead, batch_size=1, **backend)
            tasks = (joblib.delayed(play_chunk_in_process)(self.job, chunk, folder) for chunk in self._until_stopped(chunks))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
            with held_interrupts() if self.backend == "processes" else nullcontext():
                found = parallel(tasks)
            if self.backend == "processes" and slots is None:
                self.stop.also = _end_processes
            try:
                for record in found:
                    if record is not None:
                        yield record
            except BaseException as error:
                asked = self.stop.asked
                self.stop.ask()  # the others need not finish
                with suppress(BaseException):
                    found.close()
                if slots is not None:
                    slots.close()
                if _is_one_of(error, GONE) and not asked:
                    raise WorkerError(
                        f"scheduler {self.scheduler}: the connection to it was lost; what was played is kept: start it and its workers again, "
                        "and give the same command (with the new address, or without a cluster)."
                    ) from None
                if not _is_one_of(error, LOST):
                    raise
                if folder and (words := crash(folder, self.job)):
                    raise WorkerError(f"{words}; what was played is kept. `terrors strategies check` may say what is wrong with it.") from None
                if not asked:  # a worker that has only just started dies of the interrupt that asks us to stop
                    raise WorkerError(
                        "a worker was killed or ran out of memory; what was played is kept: give the same command again, perhaps with fewer --jobs."
                    ) from None

    def _until_stopped(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            if self.stop.asked:
                return
            yield chunk


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Keep processes that start in here from ever seeing a Ctrl-C, which the terminal sends to them too; ours comes afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_processes() -> None:
    """End the worker processes: what they play is given up, what they write has a name that nothing trusts, and they hear of no interrupt."""
    from joblib.externals.loky import reusable_executor

    executor = reusable_executor._executor
    for process in list(executor._processes.values()) if executor is not None else []:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def _is_one_of(error: BaseException, names: Sequence[str]) -> bool:
    """Whether an error has one of these names: LOST if a worker has died, and not the games that it played."""
    return any(kind.__name__ in names for kind in type(error).__mro__)


@contextmanager
def _silent(logger: str) -> Iterator[None]:
    """Keep a library from writing tracebacks to the terminal."""
    found = logging.getLogger(logger)
    before = found.level
    found.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        found.setLevel(before)
