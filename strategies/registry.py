"""Finding, compiling and wording: what stands between a strategy's file and the engine."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import njit

from simulator import jit, layout
from simulator.layout import record

HERE = Path(__file__).parent
NOT_STRATEGIES = ("__init__", "registry", "checks", "common", "lookahead")


class StrategyError(ValueError):
    """What is wrong with a strategy, in one sentence (and where, for the compiler's complaints)."""


class Strategy:
    """A strategy: its name, its plan in words, and the compiled function."""

    def __init__(self, function: Callable, module: str = "", engine: bool = False) -> None:
        """Take the function; it is compiled when it is first needed.

        `module`: the strategy's file, as its `__name__`, if the function is from another one: several strategies may share a function and differ in numbers.
        `engine`: whether the function plays on by itself, so that all rules must be compiled into it.
        """
        self.function, self.engine = function, engine
        self.module = sys.modules.get(module or function.__module__)
        self.path = Path((getattr(self.module, "__file__", "") if module else inspect.getsourcefile(function)) or "")
        self.name = self.path.stem
        self.words = inspect.getdoc(self.module) or inspect.getdoc(function) or ""
        expected = ["game", "box", "options", "work", "me"]
        if len(inspect.signature(function).parameters) != len(expected):
            raise StrategyError(f"{self.path}: {function.__name__} must take ({', '.join(expected)}).")

    @property
    def summary(self) -> str:
        """The plan in one line."""
        return self.words.strip().split("\n", 1)[0]

    @cached_property
    def sha256(self) -> str:
        """Hash of the source file and of the helpers that it shares with other strategies."""
        return _hash_with_helpers(self.path)

    @cached_property
    def compiled(self) -> Any:
        """The function as the engine calls it. A new file costs a second, and half a minute if it plays on by itself; the engine is not compiled again."""
        if jit.INTERPRETED:
            return self.function
        source = Path(inspect.getsourcefile(self.function) or "")  # strategies with the same function share what is compiled
        folder = jit.ENGINE_CACHE / f"strategy-{source.stem}-{_hash_with_helpers(source)[:16]}"
        try:
            if self.engine and not (folder / "ready").exists():
                jit.announce_compiling(f"what looks ahead in {source.stem}.py")
                jit.compile_rules()
                self._compile(folder)
                (folder / "ready").touch()
            return self._compile(folder)
        except Exception as error:  # mostly NumbaError, but the compiler stumbles over some mistakes in its own ways
            reason = _reason(error)
            if '", line' not in reason:  # the compiler did not say where: the function, then
                reason += f' (File "{self.path}", line {self.function.__code__.co_firstlineno}, in {self.function.__name__})'
            raise StrategyError(f"{self.path}: this strategy cannot be compiled. {reason}") from None

    def _compile(self, folder: Path) -> Any:
        with jit.cache_folder(folder):
            return njit(jit.STRATEGY_SIGNATURE, cache=True, nogil=True, error_model="numpy", boundscheck=jit.BOUNDSCHECK)(self.function)

    def work(self, box: Any) -> Any:
        """A work area for this strategy with that box (simulator.box.Box): its opinions of the cards are formed here, once."""
        area = record(layout.WORK)
        prepare = getattr(self.module, "prepare", None)
        if prepare is not None:
            prepare(box.record, area)
        return area

    def __repr__(self) -> str:
        """For people."""
        return f"<strategy {self.name}: {self.summary}>"


def _hash_with_helpers(path: Path) -> str:
    """Hash of a file and of all files of this folder that it is compiled with: those that it imports, and those that they import."""
    files = [path]
    for file in files:
        for name in re.findall(r"^from strategies\.(\w+) import", file.read_text(encoding="utf-8"), re.MULTILINE):
            if name != "registry" and HERE / f"{name}.py" not in files:
                files.append(HERE / f"{name}.py")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _reason(error: Exception) -> str:
    """The compiler's complaint without its frames: the message and the line that it is about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    keep = [line for line in lines if not line.startswith(("Failed in", "[1]", "[2]", "During:", "- Resolution", "There are"))]
    where = [line for line in lines if line.startswith("File ")]
    return " ".join(keep[:3] + where[-1:])[:600]


def strategy(function: Callable) -> Strategy:
    """Mark the function of a file that answers the questions."""
    if not callable(function):
        raise StrategyError(f"@strategy stands above a function; {function!r} is none.")
    return Strategy(function)


def all_names() -> list[str]:
    """The names of the strategies that ship, in alphabetical order."""
    return sorted(p.stem for p in HERE.glob("*.py") if p.stem not in NOT_STRATEGIES and not p.stem.startswith("_"))


def find(name: str | Strategy) -> Strategy:
    """A strategy by name, or by the path of its file."""
    if isinstance(name, Strategy):
        return name
    if callable(name):
        raise StrategyError(f"{name!r} is a plain function; write @strategy above it.")
    if name.endswith(".py") or "/" in name:
        return _load(Path(name))
    names = all_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        raise StrategyError(
            f"strategy {name!r}: there is none; " + (f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}, or give a .py file.")
        )
    return _load(HERE / f"{name}.py")


_loaded: dict[Path, Strategy] = {}


def _load(path: Path) -> Strategy:
    path = path.resolve()
    if path in _loaded:
        return _loaded[path]
    if not path.is_file():
        raise StrategyError(f"{path}: there is no such file.")
    module = _import(path)
    plans = [value for value in vars(module).values() if isinstance(value, Strategy) and value.path.resolve() == path]
    if len(plans) != 1:
        raise StrategyError(f"{path}: a strategy file has exactly one function with @strategy above it; this one has {len(plans)}.")
    if not plans[0].words.strip():
        raise StrategyError(f"{path}: say in the docstring how this strategy plays.")
    _loaded[path] = plans[0]
    return plans[0]


def _import(path: Path) -> ModuleType:
    name = f"strategies.{path.stem}" if path.parent == HERE else f"terrors_strategy_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise StrategyError(f"{path}: this is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except StrategyError:
        raise
    except Exception as error:  # whatever a user's file may raise, it is named with its file
        raise StrategyError(f"{path}: it cannot be imported: {type(error).__name__}: {error}") from None
    return module
