"""`terrors doctor`: is everything there that the commands need, and what to do where it is not."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click

from terrors.cli.failures import CHECK_FAILED
from terrors.cli.shared_options import json_option, print_json
from terrors.cli.versions import installed
from terrors.table.colours import state_word

if TYPE_CHECKING:
    from packaging.requirements import Requirement

OK, MISSING, PROBLEM = "ok", "missing", "problem"
HERE = Path(__file__).resolve().parents[2]  # the folder of the package
NEEDED_DISK, NEEDED_MEMORY = 0.5, 2.0  # GB. Measured: 180,000 games leave 45 MB, and the analysis of 100,000 takes 0.6 GB
AGAIN = "pip install --upgrade ."


@dataclass(frozen=True)
class Check:
    """One line of what was found. Only what is `needed` makes the command fail."""

    what: str
    state: str
    words: str
    remedy: str = ""
    needed: bool = True

    @property
    def failed(self) -> bool:
        """Whether something does not work without it."""
        return self.needed and self.state != OK


@click.command(short_help="Is everything there that is needed? The installation, the compiled engine, disk, browser, cluster.")
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check the installation: Python and libraries, the compiled engine, the place for runs, the machine, and what tests and clusters need besides.

    A line for each, ok, missing or problem, with the remedy. Exits with 1 if something is broken that the commands need.
    """
    found = [check for look in CHECKS for check in look()]
    if as_json:
        print_json([asdict(check) for check in found])
    else:
        click.echo(words(found))
    if any(check.failed for check in found):
        ctx.exit(CHECK_FAILED)


def words(found: list[Check]) -> str:
    """Return the checks as text, and what they come to."""
    width = max(len(check.what) for check in found)
    lines = []
    for check in found:
        optional = "" if check.needed or check.state == OK else " Not needed for anything else."
        lines.append(f"{check.what:<{width}}  {state_word(check.state, 7)}  {check.words}{optional}{' ' + check.remedy if check.remedy else ''}")
    broken = sum(check.failed for check in found)
    last = "All is there that is needed." if not broken else f"{broken} {'thing is' if broken == 1 else 'things are'} broken; see above what to do."
    return "\n".join([*lines, "", last])


# What is asked for, and what is there


def project() -> tuple[str, list[str], dict[str, list[str]]]:
    """Return what the project asks for: bounds of Python, needed packages, packages by extra. A checkout's own pyproject.toml, else what was installed."""
    file = HERE.parent / "pyproject.toml"
    if file.is_file():
        asked = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        return asked["requires-python"], asked["dependencies"], asked["optional-dependencies"]
    told = metadata.metadata("terrors")
    needed: list[str] = []
    extras: dict[str, list[str]] = {}
    for text in metadata.requires("terrors") or []:
        text, _, condition = text.partition(";")
        if "extra" in condition:
            extras.setdefault(condition.split("==")[1].strip(" '\""), []).append(text.strip())
        else:
            needed.append(text.strip())
    return str(told["Requires-Python"]), needed, extras


def library(requirement: Requirement, needed: bool, remedy: str) -> Check:
    """Check that a package is there, in a version that will do."""
    version = installed(requirement.name)
    if version is None:
        return Check(requirement.name, MISSING, "It is not installed.", remedy, needed)
    if version not in requirement.specifier:
        return Check(requirement.name, PROBLEM, f"Version {version} is installed; it should be {requirement.specifier}.", remedy, needed)
    return Check(requirement.name, OK, version, needed=needed)


def together(what: str, checks: list[Check]) -> list[Check]:
    """Return one line for all that are as they should be, and one for each that is not."""
    good, bad = [c for c in checks if c.state == OK], [c for c in checks if c.state != OK]
    return ([Check(what, OK, ", ".join(f"{c.what} {c.words}" for c in good) + ".", needed=False)] if good else []) + bad


def check_libraries() -> Iterator[Check]:
    """Check Python and the libraries, against the bounds that the project gives."""
    try:
        from packaging.requirements import Requirement
        from packaging.specifiers import SpecifierSet

        python, needed, _ = project()
    except (ImportError, metadata.PackageNotFoundError) as error:
        yield Check("installation", PROBLEM, f"It is not complete ({error}).", f"Install it: {AGAIN}")
        return
    version = platform.python_version()
    fits = version in SpecifierSet(python)
    yield Check("Python", OK if fits else PROBLEM, f"{version}." if fits else f"This is {version}; it should be {python}.", "" if fits else "Use another one.")
    yield from together("libraries", [library(Requirement(text), True, f"Install again: {AGAIN}") for text in needed])


def check_cards() -> Iterator[Check]:
    """Check the reference set."""
    from terrors.cli.versions import cards_words
    from terrors.simulator.cards.card_set import reference_path

    found = cards_words()
    broken = found.startswith("cannot")
    yield Check("cards", PROBLEM if broken else OK, f"{reference_path()}: {found}.", f"Mend that file, or install again: {AGAIN}" if broken else "")


def check_engine() -> Iterator[Check]:
    """Check the compiled engine: where it is kept, and whether it is there for this version."""
    try:
        from terrors.simulator.kernel import jit
    except Exception as error:  # whatever keeps the compiler from being loaded, this command is there to say so
        yield Check("engine", PROBLEM, f"The compiler cannot be loaded ({type(error).__name__}: {error}).", f"Install again: {AGAIN}")
        return
    yield Check("cache", *_cache_state(jit.CACHE_ROOT))
    if jit.INTERPRETED:
        yield Check("engine", PROBLEM, "NUMBA_DISABLE_JIT is set: games are played without compiling, some thousand times slower.", "Unset it.", needed=False)
    elif any(jit.ENGINE_CACHE.glob("*.ready")):
        yield Check("engine", OK, f"Version {jit.SOURCE_HASH[:12]}, compiled.")
    else:
        yield Check("engine", OK, f"Version {jit.SOURCE_HASH[:12]}, not compiled yet: the first command that plays does it, once.")


def _cache_state(root: Path) -> tuple[str, str, str, bool]:
    wanted = os.environ.get("TERRORS_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    if not root.is_relative_to(wanted):
        words = f"{wanted} cannot be written, so that the compiled engine is kept in {root} and may be gone tomorrow."
        return PROBLEM, words, "Set TERRORS_CACHE to a folder that can be written.", False
    if not _can_write(root):
        return PROBLEM, f"{root} cannot be written.", "Set TERRORS_CACHE to a folder that can be.", True
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / 1e6
    return OK, f"{root}, {size:,.0f} MB.", "", True


def _can_write(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def check_place() -> Iterator[Check]:
    """Check the place where runs go: runs/ of the folder that one is in."""
    runs = Path("runs")
    folder = runs if runs.exists() else Path()
    place = str(folder.resolve())
    if not folder.is_dir() or not _can_write(folder):
        yield Check("runs", PROBLEM, f"{place} cannot be written.", "Go to another folder, or name one with --out.")
        return
    free = shutil.disk_usage(folder).free / 1e9
    full = free < NEEDED_DISK
    told = f"{place} can be written; {free:,.1f} GB are free."
    yield Check("runs", PROBLEM if full else OK, told, f"A run wants {NEEDED_DISK:g} GB: make room, or name another folder with --out." if full else "")


def check_machine() -> Iterator[Check]:
    """Check cores and memory. Few of them make a run slow, not wrong."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield Check("cores", OK, f"{cores}.", needed=False)
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (AttributeError, ValueError, OSError):  # not on every system
        yield Check("memory", OK, "This system does not say how much there is.", needed=False)
        return
    low = memory < NEEDED_MEMORY
    yield Check("memory", PROBLEM if low else OK, f"{memory:,.1f} GB.", "Use fewer --jobs." if low else "", needed=False)


def check_browser() -> Iterator[Check]:
    """Check the browser that the tests of the page use. Any browser shows the page."""
    lacking = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None] + [name for name in ("selenium",) if installed(name) is None]
    if lacking:
        remedy = "sh tests/support/get_browser.sh fetches what it can; selenium comes with pip install '.[test]'."
        yield Check("browser", MISSING, f"{', '.join(lacking)}, which the tests of the page use.", remedy, needed=False)
    else:
        yield Check("browser", OK, f"{shutil.which('chromium')}, for the tests of the page.", needed=False)


def check_cluster() -> Iterator[Check]:
    """Check the libraries that --backend dask uses."""
    try:
        from packaging.requirements import Requirement

        _, _, extras = project()
    except (ImportError, metadata.PackageNotFoundError):
        return  # said already
    remedy = "For --backend dask: pip install '.[cluster]'"
    yield from together("cluster", [library(Requirement(text), False, remedy) for text in extras.get("cluster", [])])


CHECKS: tuple[Callable[[], Iterator[Check]], ...] = (
    check_libraries,
    check_cards,
    check_engine,
    check_place,
    check_machine,
    check_browser,
    check_cluster,
)
