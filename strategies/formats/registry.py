"""Finding, compiling and wording: what stands between a strategy's file and the engine."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from numba import njit

from terrors.simulator.kernel import jit, work_layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.terms.text import did_you_mean
from terrors.strategies.formats.known import PLANS, SIBLINGS, has_passed, remember
from terrors.strategies.formats.old_names import complaint
from terrors.strategies.formats.tried_out import StrategyError as StrategyError
from terrors.strategies.formats.tried_out import try_out

HELPERS = tuple(f"kit/{name}" for name in ("simple", "taste", "valuation", "decisions", "prospects", "buying", "turn"))  # what strategies share
# Files that are not Python, by how their names end, and the module of this folder that reads them. It is loaded when it is needed, since the rules in it are
# compiled with those of the engine.
FORMATS = {".toml": "lists", ".json": "numbers"}
SORTS = (".py", *FORMATS)


class Strategy:
    """A strategy: its name, its plan in words, and the compiled function."""

    def __init__(self, function: Callable, engine: bool = False, helpers: tuple[str, ...] = HELPERS) -> None:
        """Take the function; it is compiled when it is first needed.

        `engine`: whether it plays games on by itself, so that all rules are compiled into it. `helpers`: the files of this folder that it may be made with.
        """
        self.function, self.engine, self.helpers = function, engine, helpers
        self.path = Path(inspect.getsourcefile(function) or "")
        self.name = self.path.stem
        self.words = inspect.getdoc(sys.modules.get(function.__module__)) or inspect.getdoc(function) or ""
        expected = ["game", "box", "options", "work", "me"]
        if len(inspect.signature(function).parameters) != len(expected):
            raise StrategyError(f"{self.path}: {function.__name__} must take ({', '.join(expected)}).")

    @property
    def summary(self) -> str:
        """The plan in one line."""
        return self.words.strip().split("\n", 1)[0]

    @property
    def slow(self) -> bool:
        """Whether it takes its time over each decision (`SLOW = True` beside its function): who plays many games plays fewer with it."""
        return bool(getattr(sys.modules.get(self.function.__module__), "SLOW", False))

    @cached_property
    def sha256(self) -> str:
        """The hash of the source file and of the helpers that strategies share."""
        helpers = b"".join((PLANS / f"{name}.py").read_bytes() for name in self.helpers)
        return hashlib.sha256(self.path.read_bytes() + helpers).hexdigest()

    @cached_property
    def doubtful(self) -> bool:
        """Whether it does not ship and has not passed its check yet: then it is compiled with bounds checks, and no index can get it out of its records."""
        return PLANS not in Path(inspect.getsourcefile(self.function) or "").resolve().parents and not has_passed(self.path.read_bytes())

    @cached_property
    def compiled(self) -> Any:
        """The function as the engine calls it. A new file costs a second, or half a minute if it plays games on; the engine is not compiled again."""
        if jit.INTERPRETED:
            return self.function
        folder = jit.ENGINE_CACHE / f"strategy-{self.name}-{self.sha256[:16]}{'-checked' * self.doubtful}"
        try:
            if self.engine and not (folder / "ready").exists():
                jit.announce_compiling(f"the rules into {self.path.name}", 30)
                jit.compile_rules()
                self._load(folder)
                (folder / "ready").touch()
            return self._load(folder)  # from the cache even when just compiled: there it is one piece of code, and faster (jit.Entry)
        except Exception as error:  # mostly NumbaError, but the compiler stumbles over some mistakes in its own ways
            reason = _reason(error)
            if '", line' not in reason:  # the compiler did not say where: the function, then
                reason += f' (File "{self.path}", line {self.function.__code__.co_firstlineno}, in {self.function.__name__})'
            raise StrategyError(f"{self.path}: this strategy cannot be compiled. {reason}") from None

    def _load(self, folder: Path) -> Any:
        """Return the function from the cache, or compile it into it."""
        with _one_signature_each([] if any(folder.rglob("*.nbi")) else _helpers_of(self.function)), jit.cache_folder(folder):
            options = (jit.FAST if self.engine else jit.STRATEGY) | ({"boundscheck": True} if self.doubtful else {})
            return njit(jit.STRATEGY_SIGNATURE, cache=True, **options)(self.function)

    def work(self, box: Any) -> Any:
        """Return a work area for this strategy with that box (terrors.simulator.play.box.Box): its opinions of the cards are formed here, once."""
        area = record(work_layout.WORK)
        prepare = getattr(sys.modules.get(self.function.__module__), "prepare", None)
        if prepare is not None:
            try:
                prepare(box.record, area)
            except (Exception, SystemExit) as error:  # whatever a user's file may raise
                raise StrategyError(f"{self.path}: prepare raised {raised(error, self.path)}.") from None
        return area

    def __repr__(self) -> str:
        """Return name and plan in one line."""
        return f"<strategy {self.name}: {self.summary}>"


def _helpers_of(function: Callable) -> list[Any]:
    """Return the compiled helpers in this folder that a function calls, and those that they call: the called ones first."""
    found: list[Any] = []
    for name in function.__code__.co_names:
        helper: Any = function.__globals__.get(name)
        if hasattr(helper, "py_func") and helper.py_func.__module__.startswith("terrors.strategies."):
            found += [other for other in [*_helpers_of(helper.py_func), helper] if other not in found]
    return found


_prepared: list[Any] = []  # helpers that were compiled here, and not with the whole engine, which sees to it itself


@contextmanager
def _one_signature_each(helpers: list[Any]) -> Iterator[None]:
    """Compile helpers for the one signature that their annotations spell. Else each width of integer that one is called with makes another: twice the time."""
    for helper in helpers:
        if not helper.signatures:
            helper.compile(jit.signature_of(helper.py_func))
            _prepared.append(helper)
        helper.disable_compile()
    try:
        yield
    finally:
        for helper in _prepared:
            helper.disable_compile(False)


def _reason(error: Exception) -> str:
    """Return the compiler's complaint without its frames: the message and the line that it is about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    keep = [line for line in lines if not line.startswith(("Failed in", "[1]", "[2]", "During:", "- Resolution", "There are"))]
    where = [line for line in lines if line.startswith("File ")]
    return " ".join(keep[:3] + where[-1:])[:600]


def raised(error: BaseException, path: Path) -> str:
    """Return an error of a user's file in words, with the last line of the file that it came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    said = " ".join(str(error).split()).rstrip(".") if error.args != (None,) else ""
    return f"{type(error).__name__}{f': {said}' if said else ''}" + (f" (line {lines[-1]})" if lines else "")


def strategy(function: Callable) -> Strategy:
    """Return the function of a file that answers the questions as a strategy: written as `@strategy` above it."""
    if not callable(function):
        raise StrategyError(f"@strategy stands above a function; {function!r} is none.")
    return Strategy(function)


def all_names() -> list[str]:
    """Return the names of the strategies that ship, in alphabetical order: Python files, priority lists and files of numbers."""
    return sorted({p.stem for folder in (PLANS, SIBLINGS) for sort in SORTS for p in folder.glob(f"*{sort}") if not p.stem.startswith("_")})


def find(name: str | Strategy, watched: bool = True) -> Strategy:
    """Return a strategy by name, or by the path of its file.

    A Python file of one's own is first tried out in a process of its own, once for each content of it (tried_out.py): should it never answer, or end the
    process, a StrategyError says where. `watched=False`: that has been done.
    """
    if isinstance(name, Strategy):
        return name
    if callable(name):
        raise StrategyError(f"{name!r} is a plain function; write @strategy above it.")
    if name.endswith(SORTS) or "/" in name:
        return _load(Path(name), watched)
    names = all_names()
    if name not in names:
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}, or give a .py, .toml or .json file."
        raise StrategyError(f"strategy {name!r}: there is none{hint}")
    files = [file for folder in (PLANS, SIBLINGS) for sort in SORTS if (file := folder / f"{name}{sort}").is_file()]
    if len(files) > 1:
        raise StrategyError(f"strategy {name!r}: there is {files[0].name} and {files[1].name}; give one of them another name.")
    return _load(files[0])


WATCH = True  # whether files of one's own are tried out before they are imported; tests that have hundreds of them do without
_loaded: dict[Path, Strategy] = {}
Reader = TypeVar("Reader", bound=Callable[[Path], Strategy])


_readers: dict[str, Callable[[Path], Strategy]] = {}  # by suffix; each format puts its own in


def reads(suffix: str) -> Callable[[Reader], Reader]:
    """Return a decorator that says which files (FORMATS) are read by a function or a class of strategies."""

    def register(reader: Reader) -> Reader:
        _readers[suffix] = reader
        return reader

    return register


def _load(path: Path, watched: bool = False) -> Strategy:
    try:
        path = path.resolve()
        there = path.is_file()
    except (OSError, ValueError):  # a name that is too long, or that no file can have
        there = False
    if path in _loaded:
        return _loaded[path]
    if not there:
        raise StrategyError(f"{path}: there is no such file.")
    if path.suffix in FORMATS:
        importlib.import_module(f"{__package__}.{FORMATS[path.suffix]}")
        return _readers[path.suffix](path)  # read again each time: that is cheap, and its author edits it
    if path.suffix != ".py":  # Python would import other things too, compiled ones for instance
        raise StrategyError(f"{path}: this is no strategy; give a .py, .toml or .json file.")
    if watched and WATCH and path.parent != PLANS:
        try_out(path)
    module = _import(path)
    plans = [value for value in vars(module).values() if isinstance(value, Strategy) and value.path.resolve() == path]
    if len(plans) != 1:
        raise StrategyError(f"{path}: a strategy file has exactly one function with @strategy above it; this one has {len(plans)}.")
    if not plans[0].words.strip():
        raise StrategyError(f"{path}: say in the docstring how this strategy plays.")
    _loaded[path] = plans[0]
    return plans[0]


def _import(path: Path) -> ModuleType:
    name = f"terrors.strategies.{path.stem}" if path.parent == PLANS else f"terrors_strategy_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise StrategyError(f"{path}: this is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        data = path.read_bytes()
        if old := complaint(data):
            raise StrategyError(f"{path}: {old}")
        spec.loader.exec_module(module)
    except StrategyError:
        raise
    except (Exception, SystemExit) as error:  # whatever a user's file may raise, it is named with its file
        raise StrategyError(f"{path}: it cannot be imported: {raised(error, path)}.") from None
    if path.parent != PLANS:
        remember(data)
    return module
