"""The compiler's cache: new when a source is, found again when none is, and never in silence."""

from __future__ import annotations

import ast
import os
import re
import shutil
from pathlib import Path

import pytest
from numba import njit

from terrors.simulator.kernel import jit
from tests.support.places import ROOT
from tests.support.watching import python

pytestmark = pytest.mark.slow

SIMULATOR = ROOT / "simulator"
ANNOUNCED = "Compiling the rules engine, once per version (about 20 seconds) …\n"


# What the cache is named after


def decorated(path: Path) -> bool:
    """Whether a file has functions that are compiled into the engine."""
    functions = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)]
    decorators = [d.func if isinstance(d, ast.Call) else d for f in functions for d in f.decorator_list]
    return any(isinstance(d, ast.Name) and d.id in ("rule", "entry") for d in decorators)


def imports(path: Path) -> set[Path]:
    """The modules of the simulator that a file takes names from: their constants are compiled in."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("terrors.simulator."):
            place = ROOT.joinpath(*node.module.split(".")[1:])
            found |= {place.with_suffix(".py"), *(place / f"{alias.name}.py" for alias in node.names)}
    return {path for path in found if path.is_file()}


def copy_package(folder: Path) -> None:
    """The engine in a checkout of its own, so that it can be edited."""
    for name in ("terrors", "simulator"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)


def test_all_that_is_compiled_is_in_the_hash():
    sources = set(jit.engine_sources())
    compiled = {path for path in SIMULATOR.rglob("*.py") if decorated(path)}
    assert {"resources.py", "effects.py", "entry_points.py", "rng.py"} <= {path.name for path in compiled}
    assert compiled <= sources
    needed = set().union(*map(imports, compiled))
    assert {"enums.py", "layout.py", "jit.py"} <= {path.name for path in needed}
    assert needed <= sources


def test_the_python_layer_is_not_in_the_hash():
    """Whoever edits the transcripts does not wait for the compiler."""
    assert {"transcript.py", "card_set.py", "printing.py"}.isdisjoint(path.name for path in jit.engine_sources())


@pytest.mark.parametrize(
    ("edit", "same"),
    [
        (("rules/resources.py", "p.health -= amount", "p.health -= 2 * amount"), False),
        (("terms/enums.py", "MARKET = 2", "MARKET = 7"), False),
        (("kernel/layout.py", "AGENDA = 64", "AGENDA = 63"), False),
        (("story/transcript.py", '"""', '"""New: '), True),
        (("cards/card_set.py", '"""', '"""New: '), True),
    ],
)
def test_the_hash_changes_with_the_sources(tmp_path, edit, same):
    copy_package(tmp_path)
    code = "from terrors.simulator.kernel import jit; print(jit.__file__, jit.ENGINE_CACHE.name)"
    before = python(code, tmp_path, TERRORS_CACHE=str(tmp_path)).stdout.split()
    assert Path(before[0]).parents[1] == tmp_path / "simulator"
    assert re.fullmatch(r"engine-[0-9a-f]{16}", before[1])
    assert python(code, tmp_path, TERRORS_CACHE=str(tmp_path)).stdout.split() == before
    name, old, new = edit
    file = tmp_path / "simulator" / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    after = python(code, tmp_path, TERRORS_CACHE=str(tmp_path)).stdout.split()
    assert (after == before) == same


def test_bounds_checks_have_a_cache_of_their_own(tmp_path):
    code = "from terrors.simulator.kernel import jit; print(jit.ENGINE_CACHE.name)"
    plain, checked = (python(code, TERRORS_CACHE=str(tmp_path), TERRORS_BOUNDSCHECK=flag).stdout for flag in ("0", "1"))
    assert plain != checked


def test_the_plain_compiler_has_a_cache_of_its_own(tmp_path):
    code = "from terrors.simulator.kernel import jit; print(jit.ENGINE_CACHE.name, jit.SOURCE_HASH)"
    (own, rules), (plain, same) = (python(code, TERRORS_CACHE=str(tmp_path), TERRORS_PLAIN_COMPILER=flag).stdout.split() for flag in ("0", "1"))
    assert own != plain
    assert rules == same


def test_an_edited_rule_is_played(checked_build):
    """The real engine, with one cache throughout: compiled, found again, edited and compiled again, and the first found again."""
    assert checked_build["compiled"].stderr == ANNOUNCED
    found = {step: (checked_build[step].stdout, checked_build[step].stderr) for step in ("again", "edited", "restored")}
    assert found == {"again": ("27\n", ""), "edited": ("24\n", ANNOUNCED), "restored": ("27\n", "")}


def test_rules_that_are_linked_in_twice_are_not_taken_for_each_other():
    """The loader finds functions by name, in all that is loaded; a rule that was optimised for one caller is not what another one wants."""

    @jit.rule
    def shared(a: int, b: int) -> int:
        return a - b

    def one(a, b):
        return shared(b, a)

    def two(a, b):
        return shared(a, b) + 1

    defined = []
    for function, result in ((one, -4), (two, 5)):
        compiled = njit("int64(int64, int64)", **jit.SOON)(function)
        assert compiled(7, 3) == result
        (overload,) = compiled.overloads.values()
        defined.append({found.name for found in overload.library.get_defined_functions()})
        assert any("shared" in name for name in defined[-1])
    assert defined[0].isdisjoint(defined[1])


# The announcement, with an engine of one function

SMALL = '''
from __future__ import annotations
from terrors.simulator.kernel.jit import entry

@entry
def twice(n: int) -> int:
    """Twice as much."""
    return {factor} * n
'''


def small_engine(folder: Path, factor: int = 2) -> Path:
    copy_package(folder)
    small = folder / "simulator" / "small.py"
    small.write_text(SMALL.format(factor=factor), encoding="utf-8")
    os.utime(small, (factor, factor))  # Python knows its bytecode by whole seconds and size, and both versions may be written within one
    return folder


def twice(folder: Path, cache: Path, **environment: str) -> tuple[str, str]:
    done = python("from terrors.simulator.small import twice; print(twice(21), twice(4))", folder, TERRORS_CACHE=str(cache), **environment)
    return done.stdout, done.stderr


def test_compiling_is_announced_once_and_only_when_it_happens(tmp_path):
    folder, cache = small_engine(tmp_path / "one"), tmp_path / "cache"
    assert twice(folder, cache) == ("42 8\n", ANNOUNCED)
    assert twice(folder, cache) == ("42 8\n", "")
    assert twice(small_engine(tmp_path / "one", 3), cache) == ("63 12\n", ANNOUNCED)
    assert twice(folder, cache, NUMBA_DISABLE_JIT="1") == ("63 12\n", "")
    assert len(list(cache.glob("engine-*"))) == 2


RULE = """

@rule
def more(n: int, by: int) -> int:
    return n + by


@entry(fast=False)
def thrice(n: int) -> int:
    return more(more(n, n), n)
"""
PLAINLY = re.compile(r"The rules are compiled plainly, which takes longer: Numba [\d.]+ is not as expected \(.*JITCodeLibrary.*\)\.\n")


def thrice(folder: Path, cache: Path, **environment: str) -> tuple[str, str]:
    small = folder / "simulator" / "small.py"
    text = SMALL.format(factor=2).replace("import entry", "import entry, rule")
    small.write_text(text + RULE, encoding="utf-8")
    code = "from terrors.simulator.kernel import jit; from terrors.simulator.small import thrice; print(thrice(14), bool(jit.SOON.get('pipeline_class')))"
    done = python(code, folder, TERRORS_CACHE=str(cache), **environment)
    return done.stdout, done.stderr


def test_the_rules_can_be_compiled_without_the_private_parts_of_numba(tmp_path):
    """When that is asked for, and when this Numba does not have them: it says so, once."""
    folder, cache = small_engine(tmp_path / "one"), tmp_path / "cache"
    assert thrice(folder, cache) == ("42 True\n", ANNOUNCED)
    assert thrice(folder, cache, TERRORS_PLAIN_COMPILER="1") == ("42 False\n", ANNOUNCED)
    assert thrice(folder, cache, TERRORS_PLAIN_COMPILER="1") == ("42 False\n", "")
    compiler = folder / "simulator" / "kernel" / "compiler.py"
    compiler.write_text(compiler.read_text(encoding="utf-8").replace("import JITCodeLibrary", "import NoJITCodeLibrary as JITCodeLibrary"), encoding="utf-8")
    out, error = thrice(folder, cache)
    assert out == "42 False\n"
    assert PLAINLY.fullmatch(error.removesuffix(ANNOUNCED))


BEHIND = """
@rule(rare=True)
def agenda_at(game: GameRecord, i: int) -> int:
    return game.agenda[i].slot

@entry
def slot_at(game: GameRecord, i: int) -> int:
    \"\"\"What stands there.\"\"\"
    game.agenda[0].slot = 7
    return agenda_at(game, i)
"""


def test_rules_do_not_count_from_the_end_and_the_checked_build_refuses_it(tmp_path):
    """What Python reads at -1, the rules would read before the beginning: in the build with bounds checks that is an error."""
    folder = small_engine(tmp_path / "one")
    small = folder / "simulator" / "small.py"
    small.write_text(SMALL.format(factor=2).replace("import entry", "import GameRecord, entry, rule") + BEHIND, encoding="utf-8")
    code = """
from terrors.simulator.kernel.layout import GAME, record
from terrors.simulator.small import slot_at
game = record(GAME)
print(slot_at(game, 0))
try:
    print(slot_at(game, -1))
except IndexError as error:
    print("refused")
"""
    environment = {"TERRORS_CACHE": str(tmp_path / "cache")}
    assert python(code, folder, TERRORS_BOUNDSCHECK="1", **environment).stdout == "7\nrefused\n"
    assert python(code.partition("try")[0], folder, **environment).stdout == "7\n"


def test_compiling_is_announced_in_a_second_clone_too(tmp_path):
    cache = tmp_path / "cache"
    assert twice(small_engine(tmp_path / "one"), cache) == ("42 8\n", ANNOUNCED)
    found = twice(small_engine(tmp_path / "two"), cache)
    compiled = len(list(cache.rglob("*.nbc")))
    assert found == ("42 8\n", ANNOUNCED if compiled == 2 else "")


def test_a_cache_that_cannot_be_written_falls_back_to_a_temporary_one(tmp_path):
    """The folder's name is that of a file, which stops whoever runs this, the root user too."""
    file, temporary = tmp_path / "file", tmp_path / "temporary"
    file.touch()
    temporary.mkdir()
    folder = small_engine(tmp_path / "one")
    for cache in (file, file / "below"):
        done = python("from terrors.simulator.kernel import jit; print(jit.CACHE_ROOT)", folder, TERRORS_CACHE=str(cache), TMPDIR=str(temporary))
        assert done.stdout == f"{temporary / f'terrors-cache-{os.getuid()}'}\n"
    assert twice(folder, file, TMPDIR=str(temporary)) == ("42 8\n", ANNOUNCED)
    assert twice(folder, file, TMPDIR=str(temporary)) == ("42 8\n", "")


def test_the_cache_is_the_users_unless_one_is_named(tmp_path):
    code = "from terrors.simulator.kernel import jit; print(jit.CACHE_ROOT)"
    assert python(code, TERRORS_CACHE="", XDG_CACHE_HOME=str(tmp_path)).stdout == f"{tmp_path / 'terrors'}\n"
    assert python(code, TERRORS_CACHE=str(tmp_path / "mine"), XDG_CACHE_HOME=str(tmp_path)).stdout == f"{tmp_path / 'mine'}\n"


def test_caches_that_nobody_used_for_long_are_removed(tmp_path):
    """Only when something is compiled anyway, and only what is called a cache."""
    folder, cache = small_engine(tmp_path / "one"), tmp_path / "cache"
    for name, days in (("engine-old", jit.KEEP_DAYS + 1), ("engine-recent", jit.KEEP_DAYS - 1), ("other", 1000)):
        (cache / name).mkdir(parents=True)
        os.utime(cache / name, (0, (cache / name).stat().st_mtime - days * 86400))
    twice(folder, cache)
    kept = {path.name for path in cache.iterdir()}
    assert {"engine-recent", "other"} < kept
    assert "engine-old" not in kept
