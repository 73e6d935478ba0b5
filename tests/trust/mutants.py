"""Mutants: how strong the tests are. A small change is made to the code, and a test that executes that line must fail.

    python -m tests.trust.mutants 600               600 mutants, drawn by lot over all files; a table by file, and the survivors
    python -m tests.trust.mutants 40 rules/legal    40 of one file (a part of its path)
    python -m tests.trust.mutants --write FILE …    and the same as Markdown into a page, between its marks
    python -m tests.trust.mutants --seed 2 …        another lot; --jobs 1: one at a time; --fresh: without what is known of an earlier time

What makes it affordable: the rules run as plain Python (NUMBA_DISABLE_JIT), so nothing is compiled. Which test executes which line is recorded once
(trying.py). A mutant is a forked process in which the code of one function has been exchanged, and plays only the tests that execute the line, first those
that have killed others of this function, then the cheapest; the first failure ends it, and so does an endless loop. What came out is kept in .cache/mutants
and used again: a kill while the function is the same, and so the survival of one that is explained; any other survival while the tests are the same too.
So it can be stopped and goes on.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "mutants"
WANTED = 0.95  # killed or explained


@dataclass(frozen=True)
class Room:
    """Files that are tried together: how, and which tests may concern them."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    interpreted: bool  # the rules as plain Python: they can be changed without compiling, and games are slow


RULES = (
    "actions", "asking", "effects", "legal", "market", "options", "outcomes", "play_area", "resources", "setup", "triggers", "turn_end",
)  # fmt: skip
ROOMS = {
    "rules": Room(
        (*(f"simulator/rules/{name}.py" for name in RULES), "simulator/engine/agenda.py", "simulator/engine/log.py", "simulator/engine/decision_log.py",
         "simulator/kernel/piles.py", "simulator/kernel/rng.py", "simulator/kernel/seeds.py"),
        ("tests/simulator/rules/test_scenarios.py", "tests/trust/short_games.py"),
        interpreted=True,
    ),
    "estimators": Room(
        (*(f"analysis/stats/{name}.py" for name in ("intervals", "ratios", "bradley_terry", "logistic")),
         *(f"analysis/questions/{name}.py" for name in ("best_hands", "headline", "lottery", "matchups", "metagame")),
         "analysis/source/pair_sums.py", "simulator/runs/stopping.py"),
        ("tests/analysis/stats", "tests/analysis/questions", "tests/simulator/runs/test_until.py"),
        interpreted=False,
    ),
    "verdicts": Room(
        ("analysis/verdicts/judge.py", "analysis/verdicts/findings.py", "analysis/contract/margins.py"),
        ("tests/analysis/verdicts", "tests/analysis/contract", "tests/analysis/trials/test_second_opinion.py"),
        interpreted=False,
    ),
}  # fmt: skip
RULES_SHARE = ("tests/naive", "tests/scenarios", "tests/simulator/rules/test_plans.py", "tests/trust/differential.py", "tests/trust/diary.py")
FLIPPED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Div: ast.Mult}
EITHER_WAY = ("min", "max", "minimum", "maximum", "zip", "isclose", "min_horizontal", "max_horizontal")  # calls whose arguments have no order


@dataclass(frozen=True)
class Mutant:
    """One change: of which function, where, and what it is."""

    file: str
    function: str  # with its class, if it has one
    line: int
    number: int  # among the changes of this function
    what: str
    text: str  # of the line, without its comment
    time: int  # that this function has this change of this text

    def __str__(self) -> str:
        """Return it as it is known while other lines change."""
        return f"{self.file} {self.function}: {self.what} in `{self.text}`" + (f", {self.time}" if self.time > 1 else "")


@dataclass
class Outcome:
    """What became of a mutant."""

    verdict: str  # killed, endless, survived; untouched if no test executes the line
    by: str  # the test that killed it
    seconds: float  # of processor time
    code: str = ""  # of the function as it was
    tests: str = ""  # all tests as they were


# Making them


def changes(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str, Callable[[Any], None]]]:
    """Yield every change that can be made to what a function does: the node, in words, and how."""
    yield from _dropped(function.body)
    for node in _executed(function):
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
        elif isinstance(node, ast.Call) and len(node.args) > 1 and ast.dump(node.args[-1]) != ast.dump(node.args[-2]) and _name(node) not in EITHER_WAY:
            yield node, "the last two arguments are swapped", _swap_arguments
        if isinstance(node, ast.If | ast.For | ast.While):
            yield from _dropped(node.body)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all that is executed when a function is called: not its own defaults, nor annotations, nor what an error says."""
    for name, value in ast.iter_fields(node):
        if name in ("args", "returns", "annotation", "decorator_list", "exc") and not isinstance(node, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _executed(child)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _dropped(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, str, Callable[[Any], None]]]:
    for place, line in enumerate(body):
        if isinstance(line, ast.AugAssign | ast.Expr | ast.Return | ast.Break | ast.Continue) and not isinstance(getattr(line, "value", None), ast.Constant):
            yield line, "the line is dropped", lambda _, place=place: body.__setitem__(place, ast.copy_location(ast.Pass(), body[place]))


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


@cache
def text_of(file: str) -> str:
    """Return a source file."""
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def tree_of(file: str) -> ast.Module:
    """Return a source file, parsed."""
    return ast.parse(text_of(file))


def all_mutants(file: str) -> list[Mutant]:
    """Return every mutant of a file."""
    lines, found = text_of(file).splitlines(), []
    for name, function in functions_of(tree_of(file)):
        times: Counter[tuple[str, str]] = Counter()
        for number, (node, what, _) in enumerate(changes(function)):
            line = getattr(node, "lineno", function.lineno)
            text = lines[line - 1].partition("  # ")[0].strip()
            times[what, text] += 1
            found.append(Mutant(file, name, line, number, what, text, times[what, text]))
    return found


def drawn(count: int, only: str, seed: int) -> list[Mutant]:
    """Return so many mutants by lot. Each has a lot of its own, by its name, which is what its line says: whatever changes elsewhere, it is drawn as before."""
    every = [mutant for room in ROOMS.values() for file in room.files if only in file for mutant in all_mutants(file)]
    return sorted(sorted(every, key=lambda mutant: hashed(f"lot {seed}", str(mutant)))[:count], key=str)


def plain_function(file: str, name: str) -> FunctionType:
    """Return the function as Python runs it; decorators that compile leave it as it is, those that keep it have it in `python`, `fget` or `func`."""
    found: Any = importlib.import_module("terrors." + file.removesuffix(".py").replace("/", "."))
    for part in name.split("."):
        found = vars(found)[part]
    for attribute in ("python", "function", "fget", "func", "__func__", "__wrapped__"):
        found = getattr(found, attribute, found) if not isinstance(found, FunctionType) else found
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    assert isinstance(found, FunctionType), name
    return found


def mutate(mutant: Mutant) -> None:
    """Exchange the code of the function, in this process."""
    function = copy.deepcopy(dict(functions_of(tree_of(mutant.file)))[mutant.function])
    node, _, change = list(changes(function))[mutant.number]
    change(node)
    function.decorator_list = []
    holder: ast.stmt = function
    if "." in mutant.function:  # in its class, so that super() finds it
        holder = ast.ClassDef(mutant.function.split(".")[0], [], [], [function], [])
    code: Any = compile(ast.fix_missing_locations(ast.Module([holder], [])), str(ROOT / mutant.file), "exec", dont_inherit=True)
    for name in mutant.function.split("."):
        code = next(part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
    plain_function(mutant.file, mutant.function).__code__ = code


# What is known


def hashed(*parts: str) -> str:
    """Return a short hash of some texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def code_of(mutant: Mutant) -> str:
    """Return a hash of a function as it is."""
    return hashed(ast.dump(dict(functions_of(tree_of(mutant.file)))[mutant.function]))


def tests_of(room: Room) -> str:
    """Return a hash of the tests of a room, and of what they share."""
    shared = ("tests/support", "tests/conftest.py", *(RULES_SHARE if room.interpreted else ()))
    paths = [ROOT / name for name in (*room.tests, *shared)]
    files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*")) if file.suffix in (".py", ".toml"))
    return hashed(*(file.read_text(encoding="utf-8") for file in files))


def known_outcomes(mutants: list[Mutant]) -> dict[str, Outcome]:
    """Return what an earlier time found that still holds, by mutant."""
    file, found = CACHE / "outcomes.jsonl", {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        fields = json.loads(line)
        name = fields.pop("mutant")
        found[name] = Outcome(**fields)
    held, explained = {}, equal()
    for room in ROOMS.values():
        tests = tests_of(room)
        for mutant in mutants:
            outcome = found.get(str(mutant)) if mutant.file in room.files else None
            lasting = outcome is not None and (outcome.verdict in ("killed", "endless") or outcome.tests == tests or str(mutant) in explained)
            if outcome is not None and lasting and outcome.code == code_of(mutant):
                held[str(mutant)] = outcome
    return held


def remember(mutant: Mutant, outcome: Outcome) -> None:
    """Write down what became of a mutant."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "outcomes.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"mutant": str(mutant)} | asdict(outcome)) + "\n")


def equal() -> dict[str, str]:
    """Return the survivors that change nothing, with the reason (tests/data/equal_mutants.json)."""
    return dict(json.loads((ROOT / "tests" / "data" / "equal_mutants.json").read_text(encoding="utf-8")))


# What came of it


def table(outcomes: dict[Mutant, Outcome]) -> list[str]:
    """Return the outcomes by file, as Markdown."""
    known = equal()
    lines = ["| file | mutants | killed | survived | of these equal | no test there | seconds |", "|---|---|---|---|---|---|---|"]
    for file in [*sorted({mutant.file for mutant in outcomes}), ""]:
        mine = {mutant: outcome for mutant, outcome in outcomes.items() if file in ("", mutant.file)}
        counts = Counter("killed" if outcome.verdict == "endless" else outcome.verdict for outcome in mine.values())
        same = sum(str(mutant) in known and outcome.verdict in ("survived", "untouched") for mutant, outcome in mine.items())
        seconds = sum(outcome.seconds for outcome in mine.values())
        survived = counts["survived"] + counts["untouched"]
        name = f"`{file}`" if file else "**all**"
        lines.append(f"| {name} | {len(mine)} | {counts['killed']} | {survived} | {same} | {counts['untouched']} | {seconds:.0f} |")
    return lines


def write_table(page: Path, lines: list[str]) -> None:
    """Put the table between the marks of a page."""
    before, mark, rest = page.read_text(encoding="utf-8").partition("<!-- mutants -->\n")
    after = rest.partition("<!-- end of mutants -->")[2]
    assert mark, f"{page}: there is no place for the table."
    page.write_text(f"{before}{mark}" + "\n".join(lines) + f"\n<!-- end of mutants -->{after}", encoding="utf-8")


def try_all(mutants: list[Mutant], jobs: int) -> dict[Mutant, Outcome]:
    """Try mutants, each room in a Python of its own; return what is known of them afterwards."""
    known = known_outcomes(mutants)
    for name, room in ROOMS.items():
        mine = [mutant for mutant in mutants if mutant.file in room.files and str(mutant) not in known]
        if mine:
            settings = {"NUMBA_DISABLE_JIT": "1"} if room.interpreted else {}
            command = [sys.executable, "-m", "tests.trust.trying", name, str(jobs)]
            done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, input=json.dumps([asdict(one) for one in mine]), text=True, check=False)
            if done.returncode:
                sys.exit(f"mutants: the tests of {name} could not be tried.")
    known = known_outcomes(mutants)
    return {mutant: known[str(mutant)] for mutant in mutants if str(mutant) in known}


def main() -> None:
    """Try the mutants that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.trust.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("file", nargs="?", default="", help="a part of a file's path")
    parser.add_argument("--room", choices=ROOMS, help="only those of the lot that are in this room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument("--fresh", action="store_true")
    asked = parser.parse_args()
    mutants = [one for one in drawn(asked.count, asked.file, asked.seed) if asked.room is None or one.file in ROOMS[asked.room].files]
    if not mutants:
        sys.exit("mutants: there are none; is that a part of a file's path?")
    if asked.fresh:
        (CACHE / "outcomes.jsonl").unlink(missing_ok=True)
    outcomes = try_all(mutants, asked.jobs)
    if len(outcomes) != len(mutants):
        sys.exit(f"mutants: {len(outcomes)} outcomes for {len(mutants)} mutants.")
    lines = table(outcomes)
    print("\n".join(["", *lines]))
    left = [mutant for mutant, outcome in outcomes.items() if outcome.verdict in ("survived", "untouched") and str(mutant) not in equal()]
    told = [f"  {outcomes[mutant].verdict} {mutant} (line {mutant.line})" for mutant in left]
    print("\n".join(["", f"{len(left)} survivors that nobody has explained:", *told]))
    if asked.write is not None:
        write_table(asked.write, lines)
    share = 1 - len(left) / len(outcomes)
    if share < WANTED:
        sys.exit(f"mutants: {100 * share:.1f} % were killed or explained; {100 * WANTED:.0f} % are wanted.")


if __name__ == "__main__":
    main()
