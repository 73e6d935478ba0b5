"""The house: who may know whom, how large a room may get, and that nothing points outside."""

import ast
import re
from pathlib import Path

import pytest

from terrors.simulator.cards.vocabulary import WORDS
from terrors.simulator.terms.enums import Effect
from tests.support.places import ROOMS, ROOT
from tests.support.watching import python

# A room may import those that stand before it; the command line, in terrors/, knows them all.
# The one file that names another direction: a plan names its strategies, and a worker has to find them.
EXCEPTIONS = {"simulator/runs/job.py": {"strategies"}}
MAY_IMPORT = {
    "simulator": set(),
    "strategies": {"simulator"},
    "analysis": {"simulator", "strategies"},
    "reports": {"simulator", "strategies", "analysis"},
    "terrors": {"simulator", "strategies", "analysis", "reports"},
}
# Effects that no card can say.
INTERNAL = {Effect.NOTHING: "an empty row", Effect.ALTERNATIVE: "marks where an alternative of CHOOSE begins"}
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 450, 70
BARE = {f"bare {room}" for room in ROOMS[:-1]}
# Errors that never reach a person: whoever catches them puts their words into a sentence of its own.
CAUGHT = {"FieldError", "ConditionError", "StepError", "StoppedError"}
HEAVY = {"numba", "numpy", "polars", "pandas", "matplotlib", "joblib"}
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {room_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(room_of(node.module or "") if not node.level else path.relative_to(ROOT).parts[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and isinstance(node.args[0], ast.Constant):
            found.add(room_of(node.args[0].value))
    return found & {*ROOMS, "tests", "benchmarks", *BARE}


def room_of(module: str) -> str:
    """The room of a module: terrors.analysis.compare is in analysis, terrors.cli.main in terrors. Without `terrors.` its name is a stranger's."""
    first, _, rest = module.partition(".")
    second = rest.partition(".")[0]
    return f"bare {first}" if first in ROOMS[:-1] else second if first == "terrors" and second in ROOMS else first


def test_there_is_something_to_look_at():
    assert len(FILES) > 30
    assert {path.relative_to(ROOT).parts[0] for path in FILES} == set(ROOMS)
    assert imported_rooms(ROOT / "terrors" / "cli" / "commands" / "pilots" / "ladder.py") == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_says_what_it_is_for_and_what_it_may_import(room):
    said = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert len(said.splitlines()) >= 4
    allowed = said.partition("May import: ")[2].partition(".")[0]
    assert allowed, f"{room}/__init__.py does not say what it may import"
    exceptions = {other for file, others in EXCEPTIONS.items() if file.startswith(f"{room}/") for other in others}
    assert {other for other in ROOMS if other in allowed} - exceptions == MAY_IMPORT[room]


def test_rooms_know_nothing_of_tests_and_benchmarks():
    """Which are not installed."""
    assert [name for name, path in zip(names(FILES), FILES, strict=True) if imported_rooms(path) & {"tests", "benchmarks"}] == []


def test_every_folder_with_python_is_a_room_or_stands_beside_them():
    """A new folder has to be given its place among those that import each other."""
    folders = {path.relative_to(ROOT).parts[0] for path in ROOT.glob("*/**/*.py") if not path.relative_to(ROOT).parts[0].startswith(".")}
    assert folders - {"build", "dist"} == {*ROOMS, "tests", "benchmarks", "docs"}


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_no_room_imports_a_later_one(path):
    room = path.relative_to(ROOT).parts[0]
    assert imported_rooms(path) <= MAY_IMPORT[room] | {room} | EXCEPTIONS.get(path.relative_to(ROOT).as_posix(), set())


# The folders of a room, in the order of the data: each may import those before it. Files that lie in the room itself come last, but for those of reports.
ORDER = {
    "simulator": ("terms", "cards", "kernel", "rules", "engine", "play", "story", "runs"),
    "strategies": ("kit", "formats", "checks", "."),
    "analysis": ("contract", "stats", "source", "verdicts", "questions", "feel", "trials", "numbers", "players", "."),
    "reports": (".", "charts", "page"),
    "terrors": ("table", "lab", "cli", "."),
}


def folder_of(parts: tuple[str, ...]) -> str:
    return parts[1] if len(parts) > 2 else "."


def imported_when_loaded(tree: ast.AST) -> list[str]:
    """The modules that a file imports, but for those that only its types need."""
    for_types = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" for inner in ast.walk(node)}
    return [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types]


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "__init__.py"], ids=names([path for path in FILES if path.name != "__init__.py"]))
def test_no_folder_imports_a_later_one(path):
    parts = path.relative_to(ROOT).parts
    room, order = parts[0], ORDER[parts[0]]
    for module in imported_when_loaded(ast.parse(path.read_text(encoding="utf-8"))):
        if module.startswith("terrors.") and room_of(module) == room:
            inner = tuple(module.split(".")[1 if room != "terrors" else 0 :])
            folder = inner[1] if len(inner) > 1 and (ROOT / room / inner[1]).is_dir() else "."
            assert order.index(folder) <= order.index(folder_of(parts)), f"{module} is later"


def test_every_folder_has_its_place():
    for room, order in ORDER.items():
        assert {path.parent.name for path in (ROOT / room).glob("*/__init__.py")} == set(order) - {"."}


def test_the_help_loads_nothing_heavy():
    """So that `terrors --help` is there at once."""
    loaded = python(f"import sys, terrors.cli.main; print(*sorted({HEAVY} & set(sys.modules)))")
    assert loaded.stdout.split() == []
    loaded = python("import sys, terrors.simulator.play.game; print(*(m for m in ('numba', 'numpy') if m in sys.modules))")
    assert loaded.stdout.split() == ["numba", "numpy"]


def ours() -> list[Path]:
    """The text files of the project, but for this one, which names what it looks for."""
    places = [*ROOMS, "tests", "benchmarks", "docs", "examples"]
    files = [path for place in places for path in (ROOT / place).rglob("*") if path.suffix in (".py", ".md", ".toml", ".csv", ".txt")]
    files += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml", "constraints.txt", "Makefile", "cards.csv")]
    files += [ROOT / ".pre-commit-config.yaml", *(ROOT / ".github").rglob("*.md")]
    return [path for path in files if path.is_file() and path.name != Path(__file__).name]


def test_nothing_points_out_of_the_project():
    outside = re.compile(r"\.\./shared|(?<![\w.~<{/])/(?:work|home|tmp|root|Users|mnt|opt|usr/local)/\w")
    assert outside.search("see ../" + "shared/DESIGN.md")
    assert outside.search('open("/wor' + 'k/main/cards.csv")')
    assert not outside.search("docs/tmp/x, ~/.cache/home/x, https://example.org/home/x")
    assert len(ours()) > 60
    found = [f"{path.relative_to(ROOT)}: {line.strip()}" for path in ours() for line in path.read_text(encoding="utf-8").splitlines() if outside.search(line)]
    assert found == []


def test_every_effect_has_a_word():
    said = {word.effect for word in WORDS}
    assert set(Effect) - said == set(INTERNAL)


def test_every_error_that_reaches_people_is_worded():
    """One base class, so that the command line need not know them all."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error")
    }
    worded = {"WordedError"}
    while more := {name for name, of in bases.items() if of & worded} - worded:
        worded |= more
    assert len(worded) >= 18
    assert set(bases) - worded == CAUGHT


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_files_and_functions_stay_short(path):
    text = path.read_text(encoding="utf-8")
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    long = {node.name: node.end_lineno - node.lineno + 1 for node in functions if node.end_lineno - node.lineno + 1 > MOST_LINES_OF_A_FUNCTION}
    assert long == {}
    assert len(text.splitlines()) <= MOST_LINES or path.name == "record_types.py"  # which is generated
