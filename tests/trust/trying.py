"""Trying mutants on the tests of their room: which test executes which line, and forked processes that play only those (mutants.py).

Started by mutants.py as `python -m tests.trust.trying ROOM JOBS`, with the mutants on its standard input. This process only imports and collects; tests are
played by processes forked from it, so that no thread of a library is alive when it forks.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.trust.mutants import CACHE, ROOMS, ROOT, Mutant, Outcome, Room, code_of, hashed, mutate, remember, tests_of

KILLED, SURVIVED, ENDLESS, BROKEN = 10, 11, 12, 13  # exit codes
SLOWEST = 20.0  # seconds of a test while its lines are recorded: what takes longer is left out
ENOUGH = 60.0  # such seconds of tests for one mutant; what comes after, the dearest, is not played
DEAR = 0.2  # seconds of a fixture that count, once, however many tests share it
MEMORY = 4 << 30
# What tests play with is compiled beforehand: it would be a test that takes too long, or a mutant without an end.
COMPILED = """
import tempfile
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
simulate(Plan(games=16, strategies=("greedy", "random")), tempfile.mkdtemp() + "/run", jobs=1)
"""


class Lines:
    """The lines of the room's files that are executed while it is on."""

    def __init__(self, room: Room):
        self.files = {str(ROOT / file): file for file in room.files}
        self.seen: set[tuple[str, int]] = set()

    def on(self) -> None:
        """Begin to look."""
        self.seen = set()
        threading.settrace(self.call)  # runs play in threads
        sys.settrace(self.call)

    def off(self) -> set[tuple[str, int]]:
        """Stop looking, and return what was seen."""
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        return self.seen

    def call(self, frame: Any, event: str, argument: Any) -> Any:
        """Follow a function of the room line by line."""
        return self.line if frame.f_code.co_filename in self.files else None

    def line(self, frame: Any, event: str, argument: Any) -> Any:
        """Take note of a line."""
        self.seen.add((self.files[frame.f_code.co_filename], frame.f_lineno))
        return self.line


class Recorder:
    """Play every test once, and write down its lines, with those of its fixtures, its seconds, and whether it passed."""

    def __init__(self, lines: Lines):
        self.lines, self.failed = lines, False
        self.fixtures: dict[str, tuple[set[tuple[str, int]], float, float]] = {}  # lines, seconds, and when it was made last

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        before, began = self.lines.off(), time.process_time()
        self.lines.on()
        try:
            return (yield)
        finally:
            found = self.lines.off()
            self.fixtures[fixturedef.argname] = found, time.process_time() - began, began
            self.lines.on()
            self.lines.seen |= before

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def record(self, items: list[pytest.Item]) -> list[dict[str, Any]]:
        """Return a row for each test that passed in time."""
        rows = []
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.failed, began = False, time.process_time()
            signal.signal(signal.SIGVTALRM, _too_slow)
            signal.setitimer(signal.ITIMER_VIRTUAL, SLOWEST)
            self.lines.on()
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            except TimeoutError:
                self.failed = True
            found, seconds, shared = self.lines.off(), time.process_time() - began, {}
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            for name in getattr(item, "fixturenames", ()):
                more, cost, at = self.fixtures.get(name, (set(), 0.0, 0.0))
                found |= more
                if cost >= DEAR:
                    shared[name] = cost
                    seconds -= cost if at > began else 0  # it was made for this test
            rows.append({"test": item.nodeid, "seconds": seconds, "fixtures": shared, "passed": not self.failed, "lines": sorted(found)})
        return rows


def _too_slow(signum: int, frame: Any) -> None:
    raise TimeoutError


class Trial:
    """A pytest session that, instead of playing its tests, tries mutants on them."""

    def __init__(self, name: str, mutants: list[Mutant], jobs: int):
        self.name, self.room, self.mutants, self.jobs = name, ROOMS[name], mutants, jobs
        self.items: dict[str, pytest.Item] = {}
        self.seconds: dict[str, float] = {}
        self.fixtures: dict[str, dict[str, float]] = {}
        self.touching: dict[tuple[str, int], list[str]] = defaultdict(list)
        self.kills: Counter[tuple[str, str]] = Counter()  # by function and test
        self.tests, self.done = tests_of(self.room), 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items if "checked_build" not in getattr(item, "fixturenames", ())}
        self.read_lines(self.recorded())
        self.try_them()
        return True

    # Which test executes which line

    def recorded(self) -> list[dict[str, Any]]:
        """Return the lines of all tests, recorded unless they are known."""
        sources = [(ROOT / file).read_text(encoding="utf-8") for file in (*self.room.files, "tests/trust/trying.py")]
        file = CACHE / f"lines-{self.name}-{hashed(self.tests, *sources)}.json"
        if not file.is_file():
            CACHE.mkdir(parents=True, exist_ok=True)
            began, child = time.monotonic(), os.fork()
            if not child:
                _alone(Path(tempfile.mkdtemp(prefix="mutants-")))
                recorder = Recorder(Lines(self.room))
                any_item = next(iter(self.items.values()))
                any_item.config.pluginmanager.register(recorder)
                part = file.with_suffix(".part")
                part.write_text(json.dumps(recorder.record(list(self.items.values()))), encoding="utf-8")
                part.rename(file)
                os._exit(0)
            os.waitpid(child, 0)
            if not file.is_file():
                sys.exit("mutants: the lines of the tests could not be recorded.")
            print(f"{self.name}: lines of {len(self.items)} tests recorded in {time.monotonic() - began:.0f} s", flush=True)
        return list(json.loads(file.read_text(encoding="utf-8")))

    def read_lines(self, rows: list[dict[str, Any]]) -> None:
        """Take what was recorded; tests that do not pass without any change are left out, and said."""
        left_out = [row["test"] for row in rows if not row["passed"]]
        if left_out:
            print(f"{self.name}: {len(left_out)} tests are left out, which take too long here or do not pass: {', '.join(left_out)}", flush=True)
        for row in rows:
            if row["passed"]:
                self.seconds[row["test"]], self.fixtures[row["test"]] = row["seconds"], row["fixtures"]
                for file, line in row["lines"]:
                    self.touching[file, line].append(row["test"])
        if not self.touching:
            sys.exit("mutants: no test executes any line of the room.")

    def chosen(self, mutant: Mutant) -> list[str]:
        """Return the tests for a mutant: those that executed its line, first what killed others of the function, then the cheapest."""

        def worth(test: str) -> tuple[float, float, str]:
            return -self.kills[mutant.function, test], self.seconds[test] + sum(self.fixtures[test].values()), test

        ordered = sorted((test for test in self.touching.get((mutant.file, mutant.line), ()) if test in self.items), key=worth)
        spent, enough, made = 0.0, [], set()
        for test in ordered:
            if spent < ENOUGH:
                enough.append(test)
                spent += self.seconds[test] + sum(cost for name, cost in self.fixtures[test].items() if name not in made)
                made |= self.fixtures[test].keys()
        return enough

    # Trying

    def try_them(self) -> None:
        """Try every mutant, so many at a time, and write down what became of it."""
        waiting, running = list(reversed(self.mutants)), {}
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop()
                tests = self.chosen(mutant)
                if tests:
                    folder = Path(tempfile.mkdtemp(prefix="mutants-"))
                    running[self.begin(mutant, tests, folder)] = mutant, folder
                else:
                    self.note(mutant, "untouched", "", 0.0)
            if running:
                child, status, used = os.wait3(0)
                mutant, folder = running.pop(child)
                killer = folder / "killer"
                by = killer.read_text(encoding="utf-8") if killer.is_file() else ""
                shutil.rmtree(folder, ignore_errors=True)
                verdict = verdict_of(status)
                if verdict == "broken":
                    sys.exit(f"mutants: {mutant} cannot be tried:\n{by}")
                self.note(mutant, verdict, by, used.ru_utime + used.ru_stime)

    def begin(self, mutant: Mutant, tests: list[str], folder: Path) -> int:
        """Begin to try a mutant, in a process of its own; return that process."""
        child = os.fork()
        if child:
            return child
        _alone(folder)
        try:
            mutate(mutant)
        except BaseException:
            (folder / "killer").write_text(traceback.format_exc(), encoding="utf-8")
            os._exit(BROKEN)
        at_most = {test: 3 + 8 * (self.seconds[test] + sum(self.fixtures[test].values())) for test in tests}
        session = Session([self.items[test] for test in tests], at_most, folder)
        os._exit(SURVIVED if session.passes() else KILLED)

    def note(self, mutant: Mutant, verdict: str, by: str, seconds: float) -> None:
        """Tell and remember what became of a mutant."""
        self.done += 1
        self.kills[mutant.function, by] += verdict == "killed"
        remember(mutant, Outcome(verdict, by, round(seconds, 2), code_of(mutant), self.tests))
        print(f"{self.done:>4} of {len(self.mutants)} {verdict:<9} {seconds:5.1f} s  {mutant} (line {mutant.line}) {by.partition('::')[2]}", flush=True)


class Session:
    """Some tests, played in this process until one fails."""

    def __init__(self, items: list[pytest.Item], at_most: dict[str, float], folder: Path):
        self.items, self.at_most, self.folder, self.failed = items, at_most, folder, False
        items[0].config.pluginmanager.register(self)

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def passes(self) -> bool:
        """Whether all of them pass."""
        signal.signal(signal.SIGVTALRM, lambda *_: os._exit(ENDLESS))
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            (self.folder / "killer").write_text(item.nodeid, encoding="utf-8")
            signal.setitimer(signal.ITIMER_VIRTUAL, self.at_most[item.nodeid])
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:
                self.failed = True
            if self.failed:
                return False
        (self.folder / "killer").unlink()
        return True


def _alone(folder: Path) -> None:
    """Let this process have its own place, say nothing, and take no more than its share."""
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)


def verdict_of(status: int) -> str:
    """Return what became of a mutant, from how its process ended."""
    if os.WIFSIGNALED(status):
        return "killed"  # a crash, which no test survives
    return {KILLED: "killed", SURVIVED: "survived", ENDLESS: "endless"}.get(os.waitstatus_to_exitcode(status), "broken")


def main() -> None:
    """Try the mutants that come in."""
    name, jobs = sys.argv[1], int(sys.argv[2])
    mutants = [Mutant(**fields) for fields in json.load(sys.stdin)]
    if not ROOMS[name].interpreted:
        subprocess.run([sys.executable, "-c", COMPILED], check=True, cwd=ROOT)
    trial = Trial(name, mutants, jobs)
    files = [str(ROOT / file) for file in ROOMS[name].tests if (ROOT / file).exists()]
    code = pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", *files], plugins=[trial])
    if trial.done != len(mutants):
        sys.exit(f"mutants: {trial.done} of {len(mutants)} were tried (pytest says {code}).")


if __name__ == "__main__":
    main()
