"""Mutants: how strong the tests are. A small change is made to the code, and the tests that concern it must fail.

    python -m tests.trust.mutants 600              600 mutants, drawn by lot over all files; a table by file, and the survivors
    python -m tests.trust.mutants 40 rules/legal   40 of one file (a part of its path)
    python -m tests.trust.mutants --write FILE …   and the same as Markdown into a page, between its marks

What makes it affordable: the rules are run as plain Python (NUMBA_DISABLE_JIT), so nothing is compiled. A mutant is a forked process in which the code of one
function has been exchanged, and of the scenarios it runs those that call this function; then games against the naive implementation. Other files have the
test files of their room. The first failure ends it; so does an endless loop, after a while.
"""

from __future__ import annotations

import ast
import copy
import importlib
import io
import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[2]
KILLED, SURVIVED = 0, 1  # exit codes
SECONDS = 240  # of processor time: a mutant that takes longer is in an endless loop
GAMES = (("reference", range(3)), ("random", range(0, 320, 32)), ("extreme", range(3)))
RULES = [f"simulator/rules/{name}.py" for name in (
    "actions", "asking", "effects", "legal", "market", "options", "outcomes", "play_area", "resources", "setup", "triggers", "turn_end",
)]  # fmt: skip
STATS, VERDICTS = ("tests/analysis/stats",), ("tests/analysis/verdicts/test_findings.py", "tests/analysis/verdicts/test_judging.py")
TARGETS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*RULES, "simulator/engine/agenda.py", "simulator/kernel/piles.py"), ("scenarios", "games", "tests/simulator/rules/test_plans.py")),
    "simulator/kernel/rng.py": ("games", "tests/simulator/kernel/test_rng.py"),
    "simulator/kernel/seeds.py": ("tests/simulator/kernel/test_rng.py", "tables"),
    "simulator/engine/log.py": ("tables",),
    "simulator/engine/decision_log.py": ("tables",),
    "simulator/runs/stopping.py": ("tests/simulator/runs/test_until.py",),
    "analysis/stats/intervals.py": (*STATS, *VERDICTS, "tests/analysis/questions/test_matchup_tables.py"),
    "analysis/stats/ratios.py": STATS,
    "analysis/stats/bradley_terry.py": STATS,
    "analysis/stats/logistic.py": STATS,
    "analysis/verdicts/judge.py": VERDICTS,
    "analysis/verdicts/findings.py": VERDICTS,
}
FLIPPED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Div: ast.Mult}


@dataclass(frozen=True)
class Mutant:
    """One change: of which function, where, and what it is."""

    file: str
    function: str  # with its class, if it has one
    line: int
    number: int  # among the changes of this function
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.what}"


def changes(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str, Callable[[Any], None]]]:
    """Yield every change that can be made to a function: the node, in words, and how."""
    docstring = ast.get_docstring(function) is not None
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPPED:
            yield node, f"{type(node.ops[0]).__name__} becomes {FLIPPED[type(node.ops[0])].__name__}", _flip
        elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SWAPPED:
            yield node, f"{type(node.op).__name__} becomes {SWAPPED[type(node.op)].__name__}", _swap
        elif isinstance(node, ast.BoolOp):
            yield node, "and becomes or" if isinstance(node.op, ast.And) else "or becomes and", _turn
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node, "the condition is turned round", _negate
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, f"{node.value} becomes {node.value + 1}", _add_one
        elif isinstance(node, ast.Call) and len(node.args) > 1 and ast.dump(node.args[-1]) != ast.dump(node.args[-2]):
            yield node, "the last two arguments are swapped", _swap_arguments
        if isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.While):
            for place, line in enumerate(node.body[docstring if node is function else 0 :]):
                if isinstance(line, ast.AugAssign | ast.Expr | ast.Return | ast.Break | ast.Continue):
                    index = place + (docstring if node is function else 0)
                    yield (
                        line,
                        "the line is dropped",
                        lambda _, body=node.body, index=index: body.__setitem__(index, ast.copy_location(ast.Pass(), body[index])),
                    )


def _drop(body: list[ast.stmt], place: int, _: Any) -> None:
    body[place] = ast.copy_location(ast.Pass(), body[place])


def _flip(node: Any) -> None:
    node.ops[0] = FLIPPED[type(node.ops[0])]()


def _swap(node: Any) -> None:
    node.op = SWAPPED[type(node.op)]()


def _turn(node: Any) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _negate(node: Any) -> None:
    node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)


def _add_one(node: Any) -> None:
    node.value += 1


def _swap_arguments(node: Any) -> None:
    node.args[-1], node.args[-2] = node.args[-2], node.args[-1]


def functions_of(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a file and the methods of its classes, by name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{inner.name}", inner) for inner in node.body if isinstance(inner, ast.FunctionDef))


def all_mutants(file: str) -> list[Mutant]:
    """Return every mutant of a file."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return [
        Mutant(file, name, getattr(node, "lineno", function.lineno), number, what)
        for name, function in functions_of(tree)
        for number, (node, what, _) in enumerate(changes(function))
    ]


def drawn(count: int, only: str, seed: int) -> list[Mutant]:
    """Return so many mutants by lot, as many of each file as it has a share in all of them."""
    every = [mutant for file in TARGETS if only in file for mutant in all_mutants(file)]
    return sorted(random.Random(seed).sample(every, min(count, len(every))), key=str)


def plain_function(file: str, name: str) -> FunctionType:
    """Return the function as Python runs it; decorators that compile leave it as it is, those that keep it have it in `python`, `fget` or `func`."""
    found: Any = importlib.import_module("terrors." + file.removesuffix(".py").replace("/", "."))
    for part in name.split("."):
        found = vars(found)[part]
    for attribute in ("python", "function", "fget", "func", "__func__", "__wrapped__"):
        found = getattr(found, attribute, found) if not isinstance(found, FunctionType) else found
    assert isinstance(found, FunctionType), name
    return found


def mutate(mutant: Mutant) -> None:
    """Exchange the code of the function, in this process."""
    tree = copy.deepcopy(ast.parse((ROOT / mutant.file).read_text(encoding="utf-8")))
    function = dict(functions_of(tree))[mutant.function]
    node, _, change = list(changes(function))[mutant.number]
    change(node)
    function.decorator_list = []
    code = compile(ast.fix_missing_locations(ast.Module([function], [])), str(ROOT / mutant.file), "exec")
    plain_function(mutant.file, mutant.function).__code__ = next(
        part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == function.name
    )


# The tests


class Scenarios:
    """The scenarios, and which of them call which function."""

    def __init__(self) -> None:
        from terrors.simulator.cards.card_set import load_cards
        from terrors.simulator.story.scenario import find_files, read_scenarios, run_scenario

        self.cards = load_cards(ROOT / "tests" / "data" / "cards.csv")
        self.run = run_scenario
        self.all = [scenario for path in find_files([ROOT / "tests" / "scenarios"]) for scenario in read_scenarios(path)]
        self.calls: list[set[tuple[str, int]]] = []
        for scenario in self.all:
            called: set[tuple[str, int]] = set()
            sys.setprofile(lambda frame, event, _, called=called: called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno)))
            failures = run_scenario(scenario, self.cards).failures
            sys.setprofile(None)
            assert not failures, (scenario.title, failures)
            self.calls.append(called)

    def hold(self, mutant: Mutant) -> bool:
        """Whether all scenarios that call the function have no failures."""
        code = plain_function(mutant.file, mutant.function).__code__
        key = code.co_filename, code.co_firstlineno
        return not any(self.run(scenario, self.cards).failures for scenario, called in zip(self.all, self.calls, strict=True) if key in called)


def games_hold() -> bool:
    """Whether some games come out as the naive implementation has them."""
    from tests.trust.differential import play_many

    return not any(play_many(kind, numbers, 1).failures for kind, numbers in GAMES)


def tables_hold() -> bool:
    """Whether what a small run writes down is what watched games say (tests/simulator/runs/test_tables.py), and the referee agrees."""
    import tempfile

    from terrors.simulator.runs.checks.verify import refereed
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import simulate
    from tests.simulator.runs import test_tables as tests

    tests.EVERY_SORT["games"] = tests.GAMES = 48  # one of each cell and seat
    with tempfile.TemporaryDirectory() as folder:
        run = simulate(Plan(**tests.EVERY_SORT), f"{folder}/run", jobs=1)
        for number in (0, 7, 12):
            tests.test_a_watched_game_is_the_one_that_was_written_down(run, number)
        for name, test in vars(tests).items():
            if name.startswith("test_") and test.__code__.co_varnames[: test.__code__.co_argcount] == ("run",):
                test(run)
        return not refereed(run).violations


def files_hold(files: list[str]) -> bool:
    """Whether test files pass."""
    import pytest

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return pytest.main(["-x", "-q", "-p", "no:cacheprovider", *(str(ROOT / file) for file in files)]) == 0


def holds(mutant: Mutant | None, tests: tuple[str, ...], scenarios: Scenarios | None) -> bool:
    """Whether all tests of a mutant pass: then it survives."""
    if mutant is not None and "scenarios" in tests and scenarios is not None and not scenarios.hold(mutant):
        return False
    if "games" in tests and not games_hold():
        return False
    if "tables" in tests and not tables_hold():
        return False
    files = [test for test in tests if "/" in test]
    return not files or files_hold(files)


def begin(mutant: Mutant | None, tests: tuple[str, ...], scenarios: Scenarios | None) -> int:
    """Begin to try a mutant, in a process of its own; return that process."""
    child = os.fork()
    if child:
        return child
    code = KILLED  # an error is a failure that a test would tell
    with suppress(BaseException):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        if mutant is not None:
            mutate(mutant)
        code = SURVIVED if holds(mutant, tests, scenarios) else KILLED
    os._exit(code)


def verdict(status: int) -> str:
    """Return what became of a mutant: killed, survived, or endless."""
    if os.WIFSIGNALED(status):
        return "endless" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"
    return {KILLED: "killed", SURVIVED: "survived"}[os.waitstatus_to_exitcode(status)]


def play(mutants: list[Mutant], scenarios: Scenarios | None) -> Iterator[tuple[Mutant, str, float]]:
    """Yield what becomes of each mutant, and how long that took; as many at a time as there are cores."""
    waiting, running = list(reversed(mutants)), {}
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            mutant = waiting.pop()
            running[begin(mutant, TARGETS[mutant.file], scenarios)] = mutant, time.monotonic()
        child, status = os.wait()
        mutant, began = running.pop(child)
        yield mutant, verdict(status), time.monotonic() - began


def equal() -> dict[str, str]:
    """Return the survivors that change nothing, with the reason (tests/data/equal_mutants.json); the key is the mutant without its line."""
    return dict(json.loads((ROOT / "tests" / "data" / "equal_mutants.json").read_text(encoding="utf-8")))


def key_of(mutant: Mutant) -> str:
    """Return a mutant as it is known while lines move: file, function, number of the change, and what it is."""
    return f"{mutant.file} {mutant.function} {mutant.number} {mutant.what}"


def table(results: list[tuple[Mutant, str, float]]) -> list[str]:
    """Return the results by file, as Markdown."""
    known = equal()
    lines = ["| file | mutants | killed | survived | of these equal | seconds |", "|---|---|---|---|---|---|"]
    files = list(dict.fromkeys(mutant.file for mutant, _, _ in results))
    for file in [*files, ""]:
        mine = [one for one in results if file in ("", one[0].file)]
        counts = Counter("killed" if what == "endless" else what for _, what, _ in mine)
        same = sum(what == "survived" and key_of(mutant) in known for mutant, what, _ in mine)
        seconds = sum(took for _, _, took in mine)
        lines.append(f"| {f'`{file}`' if file else '**all**'} | {len(mine)} | {counts['killed']} | {counts['survived']} | {same} | {seconds:.0f} |")
    return lines


def main() -> None:
    """Play the mutants that the command line asks for."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    page = Path(words.pop(0)) if "--write" in sys.argv else None
    if not os.environ.get("NUMBA_DISABLE_JIT"):  # the rules as plain Python, in the same process
        os.execve(sys.executable, [sys.executable, "-m", "tests.trust.mutants", *sys.argv[1:]], os.environ | {"NUMBA_DISABLE_JIT": "1"})
    mutants = drawn(int(words[0]) if words else 600, words[1] if len(words) > 1 else "", int(words[2]) if len(words) > 2 else 1)
    if not mutants:
        sys.exit("mutants: there are none; is that a part of a file's path?")
    scenarios = Scenarios() if any("scenarios" in TARGETS[mutant.file] for mutant in mutants) else None
    for tests in dict.fromkeys(TARGETS[mutant.file] for mutant in mutants):  # a control: without a change all of them pass
        if verdict(os.waitpid(begin(None, tests, scenarios), 0)[1]) != "survived":
            sys.exit(f"mutants: {', '.join(tests)} fail without any change; mend that first.")
    results: list[tuple[Mutant, str, float]] = []
    for mutant, what, took in play(mutants, scenarios):
        results.append((mutant, what, took))
        print(f"{what:<9}{took:6.1f} s  {key_of(mutant)} (line {mutant.line})", flush=True)
    results.sort(key=lambda result: str(result[0]))
    if len(results) != len(mutants):
        sys.exit(f"mutants: {len(results)} results for {len(mutants)} mutants.")
    lines = table(results)
    print("\n".join(["", *lines]))
    left = [mutant for mutant, what, _ in results if what == "survived" and key_of(mutant) not in equal()]
    print("\n".join(["", f"{len(left)} survivors that nobody has explained:", *(f"  {key_of(mutant)} (line {mutant.line})" for mutant in left)]))
    if page is not None:
        before, mark, rest = page.read_text(encoding="utf-8").partition("<!-- mutants -->\n")
        after = rest.partition("<!-- end of mutants -->")[2]
        assert mark, f"{page}: there is no place for the table."
        page.write_text(f"{before}{mark}" + "\n".join(lines) + f"\n<!-- end of mutants -->{after}", encoding="utf-8")
    killed = 1 - len(left) / len(results)
    if killed < 0.95:
        sys.exit(f"mutants: {100 * killed:.1f} % were killed or explained; 95 % are wanted.")


if __name__ == "__main__":
    main()
