"""How the engine is compiled: the one place that knows about Numba.

    @rule    an inner function. Its annotations are its signature, so that it is compiled once and not once for every width of integer.
    @entry   a function that Python calls; the only ones that are cached on disk, each with all the rules that it needs linked in.

Numba's own cache looks at one source file only: edit a file of rules, and a cached entry point goes on with the old rules. So the cache folder is named
after a hash of all engine sources, the Numba and NumPy versions, the machine and the flags; any change of these starts a new folder.

`NUMBA_DISABLE_JIT=1` runs the same functions as plain Python, for a debugger: the same games, bit for bit. `TERRORS_BOUNDSCHECK=1` compiles with
bounds checks. `TERRORS_PLAIN_COMPILER=1` does without compiler.py, which builds on parts of Numba that it does not promise to keep: the same games too, after
a longer wait and a little slower. A Numba that lacks those parts is compiled with plainly without being asked.
"""

from __future__ import annotations

import gc
import hashlib
import inspect
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np
from numba import njit, types

from terrors.simulator.kernel import layout, work_layout
from terrors.simulator.kernel.caches import cache_root
from terrors.simulator.kernel.record_types import U64 as U64
from terrors.simulator.kernel.record_types import Array, ResultRecord
from terrors.simulator.kernel.record_types import BoxRecord as BoxRecord
from terrors.simulator.kernel.record_types import FrameRecord as FrameRecord
from terrors.simulator.kernel.record_types import GameRecord as GameRecord
from terrors.simulator.kernel.record_types import LogRecord as LogRecord
from terrors.simulator.kernel.record_types import OptionRecord as OptionRecord
from terrors.simulator.kernel.record_types import OptionsRecord as OptionsRecord
from terrors.simulator.kernel.record_types import PileRecord as PileRecord
from terrors.simulator.kernel.record_types import PlayerRecord as PlayerRecord
from terrors.simulator.kernel.record_types import StepRecord as StepRecord
from terrors.simulator.kernel.record_types import WorkRecord as WorkRecord
from terrors.simulator.kernel.records import records

SOURCES = Path(__file__).parents[1]  # the room of the rules
PLAIN_SOURCES = (
    "terms/enums.py",
    "kernel/layout.py",
    "kernel/decision_columns.py",
    "kernel/work_layout.py",
    "kernel/records.py",
    "kernel/compiler.py",
    "kernel/jit.py",
    "kernel/vectors.py",
)  # what compiled files build on; those themselves are found by their decorators
BOUNDSCHECK = os.environ.get("TERRORS_BOUNDSCHECK", "") not in ("", "0")
PLAIN_COMPILER = os.environ.get("TERRORS_PLAIN_COMPILER", "") not in ("", "0")
_config: Any = numba.config
INTERPRETED = bool(_config.DISABLE_JIT)
KEEP_DAYS = 30  # cache folders of other versions are removed when unused for that long


# In annotations, where they are looked up by name:
ResultRecords = Array[ResultRecord]
CountArray = Array[Any]  # counts by cell, seat, kind and what is counted (layout.COUNT_FIELDS)


_NUMBA_TYPES = {
    "GameRecord": numba.from_dtype(layout.GAME),
    "PlayerRecord": numba.from_dtype(layout.PLAYER),
    "BoxRecord": numba.from_dtype(layout.BOX),
    "OptionsRecord": numba.from_dtype(layout.OPTIONS_RECORD),
    "OptionRecord": numba.from_dtype(layout.OPTION),
    "StepRecord": numba.from_dtype(layout.STEP),
    "PileRecord": numba.from_dtype(layout.pile(layout.OWNED)),
    "FrameRecord": numba.from_dtype(layout.FRAME),
    "WorkRecord": numba.from_dtype(work_layout.WORK),
    "ResultRecords": numba.from_dtype(layout.RESULT)[::1],
    "LogRecord": numba.from_dtype(layout.LOG),
    "CountArray": types.int64[:, :, :, ::1],
    "U64": types.uint64,
    "int": types.int64,
    "bool": types.boolean,
    "float": types.float64,
    "None": types.void,
}
# What a strategy is: its answer, and what it is given (docs/STRATEGIES.md).
STRATEGY_SIGNATURE = types.int64(*(_NUMBA_TYPES[n] for n in ("GameRecord", "BoxRecord", "OptionsRecord", "WorkRecord", "int")))
_NUMBA_TYPES["CompiledStrategy"] = types.FunctionType(STRATEGY_SIGNATURE)


def _pipelines() -> dict[str, dict[str, Any]]:
    """Return njit's options for rules, for entries, and for entries that have to be there soon, so that compiler.py compiles them; none to do without it."""
    global PLAIN_COMPILER
    if not PLAIN_COMPILER:
        try:
            from terrors.simulator.kernel import compiler
        except (ImportError, AttributeError) as error:
            PLAIN_COMPILER = True
            os.environ["TERRORS_PLAIN_COMPILER"] = "1"  # so that processes started from here say nothing more
            print(f"The rules are compiled plainly, which takes longer: Numba {numba.__version__} is not as expected ({error}).", file=sys.stderr, flush=True)
        else:
            return {
                "rule": {"pipeline_class": compiler.RuleCompiler},
                "fast": {"pipeline_class": compiler.EntryCompiler},
                "soon": {"pipeline_class": compiler.QuickEntryCompiler},
                "strategy": {"pipeline_class": compiler.StrategyCompiler},
            }
    return {"rule": {}, "fast": {}, "soon": {}, "strategy": {}}


_PIPELINES = _pipelines()
_FLAGS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "boundscheck": BOUNDSCHECK}
_RULE: dict[str, Any] = {**_PIPELINES["rule"], "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_FLAGS}
FAST: dict[str, Any] = {**_PIPELINES["fast"], **_FLAGS}  # what njit is told of a function that is called from outside, and has to be fast,
SOON: dict[str, Any] = {**_PIPELINES["soon"], **_FLAGS}  # or has to be compiled soon,
STRATEGY: dict[str, Any] = {**_PIPELINES["strategy"], **_FLAGS}  # or is a strategy


class CompiledStrategy:
    """A compiled strategy in annotations."""

    def __call__(self, game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
        """Return the number of the chosen option."""
        raise NotImplementedError


def signature_of(function: Callable[..., Any]) -> Any:
    """Return the Numba signature that a function's annotations spell."""
    names = inspect.get_annotations(function)
    arguments = [_NUMBA_TYPES[str(names[p])] for p in inspect.signature(function).parameters]
    return _NUMBA_TYPES[str(names["return"])](*arguments)


Rule = TypeVar("Rule", bound=Callable[..., Any])
_rules: list[tuple[Any, Any]] = []  # dispatchers and signatures, callees before callers


@overload
def rule(function: Rule) -> Rule: ...


@overload
def rule(*, inline: bool = False, rare: bool = False) -> Callable[[Rule], Rule]: ...


def rule(function: Callable[..., Any] | None = None, *, inline: bool = False, rare: bool = False) -> Any:
    """Make an inner function of the engine. `inline=True` for the small ones on the hot path, `rare=True` for what less than every other turn needs."""

    def decorate(f: Callable[..., Any]) -> Any:
        if INTERPRETED:
            return f
        if rare and not PLAIN_COMPILER:
            from terrors.simulator.kernel.compiler import call_rare

            call_rare(f.__module__, f.__name__)
        dispatcher = njit(f, forceinline=inline, **_RULE)
        _rules.append((dispatcher, signature_of(f)))
        return dispatcher

    return decorate(function) if function is not None else decorate


def compile_rules() -> None:
    """Compile every rule for its one signature; later calls convert their arguments to it."""
    collecting = gc.isenabled()
    gc.disable()  # the compiler makes millions of objects and no garbage worth looking for
    try:
        while _rules:
            dispatcher, signature = _rules.pop(0)
            dispatcher.compile(signature)
            dispatcher.disable_compile()
    finally:
        if collecting:
            gc.enable()


def engine_sources() -> list[Path]:
    """Return the files that are compiled into the engine."""
    files = sorted(SOURCES.rglob("*.py"))
    return [p for p in files if _place(p) in PLAIN_SOURCES or "\n@rule" in (text := p.read_text(encoding="utf-8")) or "\n@entry" in text]


def _place(path: Path) -> str:
    return path.relative_to(SOURCES).as_posix()


def source_hash() -> str:
    """Return the rules as a short hash of the sources: the same on every machine that plays the same games."""
    digest = hashlib.sha256()
    for path in engine_sources():
        digest.update(_place(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def engine_hash() -> str:
    """Return everything that the compiled code depends on, as a short hash."""
    digest = hashlib.sha256(f"{SOURCE_HASH} {SOURCES} ".encode())  # Numba's own index goes by the folder of the sources too
    digest.update(f"{numba.__version__} {np.__version__} {platform.python_version()} {platform.machine()} {_config.CPU_NAME} {_FLAGS}".encode())
    digest.update(f" plain {PLAIN_COMPILER}".encode())
    return digest.hexdigest()[:16]


SOURCE_HASH = source_hash()
ENGINE_HASH = engine_hash()
CACHE_ROOT = cache_root()
ENGINE_CACHE = CACHE_ROOT / f"engine-{ENGINE_HASH}"


def _remove_old_caches() -> None:
    limit = time.time() - KEEP_DAYS * 86400
    for folder in CACHE_ROOT.glob("engine-*"):
        try:
            if folder != ENGINE_CACHE and folder.stat().st_mtime < limit:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # another process was faster
            continue


@contextmanager
def cache_folder(folder: Path) -> Any:
    """Let decorators inside this block cache into that folder."""
    before = _config.CACHE_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        _config.CACHE_DIR = before


class Entry:
    """A compiled function that Python calls. It is loaded, or compiled, when it is called for the first time."""

    def __init__(self, function: Callable[..., Any], fast: bool = True) -> None:
        """Take the function; nothing is compiled yet."""
        self._options = {"cache": True, **(FAST if fast and not BOUNDSCHECK else SOON)}
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.python = function
        self._ready: Callable[..., Any] | None = None

    def _prepare(self) -> Callable[..., Any]:
        if INTERPRETED:
            return self._quietly
        # A file beside the cache says that this entry is in it, so that the wait is announced just when there is one.
        done = ENGINE_CACHE / f"{self.__name__}.ready"
        with cache_folder(ENGINE_CACHE):
            if not done.exists():
                announce_compiling()
                _remove_old_caches()
                compile_rules()
                njit(self.python, **self._options).compile(signature_of(self.python))
                done.touch()
            # Taken from the cache even when just compiled: there the whole engine is one piece of code, which runs a sixth faster than the pieces that it was
            # compiled in, each on a page of its own.
            dispatcher = njit(self.python, **self._options)
            dispatcher.compile(signature_of(self.python))
            dispatcher.disable_compile()
        return dispatcher

    def _quietly(self, *arguments: Any) -> Any:
        """Call the function uncompiled: rows are read by name as records are, and wrapping 64-bit arithmetic is meant, not a mistake to warn of."""
        with np.errstate(over="ignore"):
            return self.python(*(records(a) if isinstance(a, np.ndarray) and a.ndim else a for a in arguments))

    def prepare(self) -> None:
        """Load or compile it now, for instance before threads are started that all need it."""
        if self._ready is None:
            self._ready = self._prepare()

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        self.prepare()
        return self._ready(*arguments)  # type: ignore[misc]


@overload
def entry(function: Callable[..., Any]) -> Entry: ...


@overload
def entry(*, fast: bool) -> Callable[[Callable[..., Any]], Entry]: ...


def entry(function: Callable[..., Any] | None = None, *, fast: bool = True) -> Any:
    """Make a function that Python calls; its annotations are its signature. `fast=False`: it need not be fast, but compiled soon."""
    return Entry(function, fast) if function is not None else lambda f: Entry(f, fast)


_announced: set[str] = set()


def announce_compiling(what: str = "the rules engine", seconds: int = 20) -> None:
    """Say once why the first start takes a while."""
    if what not in _announced:
        _announced.add(what)
        print(f"Compiling {what}, once per version (about {seconds} seconds) …", file=sys.stderr, flush=True)
