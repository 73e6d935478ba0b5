"""What the tests share: the two card sets as boxes, and what is compiled before them."""

import os
import tempfile
from pathlib import Path

import pytest

from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.play.game import Game
from tests.support.builds import Builder, Builds
from tests.support.places import FROZEN, ROOT


@pytest.fixture(scope="session")
def frozen_cards() -> CardSet:
    return load_cards(FROZEN)


@pytest.fixture(scope="session")
def reference_cards() -> CardSet:
    return load_cards(ROOT / "cards.csv")


@pytest.fixture(scope="session")
def frozen_box(frozen_cards) -> Box:
    """Not for tables set by hand: those put more cards into their box."""
    return make_box(frozen_cards)


@pytest.fixture(scope="session")
def reference_box(reference_cards) -> Box:
    return make_box(reference_cards)


@pytest.fixture(scope="session")
def compiled_engine(frozen_cards) -> None:
    """Let the engine be there, so that no command has to announce on stderr that it is being compiled."""
    Game(frozen_cards, "Lilith", "Azazael")


# What is compiled before the tests: begun by the process that hands them out (pytest-xdist) or plays them all, known to the others by its folder.
BUILDS = pytest.StashKey[Builds]()
FOLDER = "TERRORS_TEST_BUILDS"


def begin_builds(config: pytest.Config) -> None:
    config.stash[BUILDS] = Builder(Path(tempfile.mkdtemp(prefix="terrors-tests-")), checked="not slow" not in config.option.markexpr)


def pytest_sessionstart(session):
    config = session.config
    if hasattr(config, "workerinput"):
        config.stash[BUILDS] = Builds(Path(os.environ[FOLDER]))
    elif getattr(config.option, "dist", "no") != "no":
        begin_builds(config)
        os.environ[FOLDER] = str(config.stash[BUILDS].folder)


def pytest_collection_finish(session):
    """In a single process: only if a test is going to ask for it."""
    config = session.config
    if BUILDS not in config.stash and not config.option.collectonly and any("checked_build" in getattr(item, "fixturenames", ()) for item in session.items):
        begin_builds(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Whoever plays tests waits until everything is compiled, so that nothing is compiled twice."""
    builds = session.config.stash.get(BUILDS, None)
    if builds is not None and getattr(session.config.option, "dist", "no") == "no":
        builds.wait_for("all")  # if it failed, the tests will tell


# Files that take long, the longest first: begun at last, one process would still be at them when the other has nothing left to do.
LONG = ("differential", "runs", "cli_balance", "strategies", "page", "docs_pages", "analysis_mishaps", "run_mishaps", "engine", "jit", "transcript", "browser")


@pytest.hookimpl(tryfirst=True)  # before those that are not asked for are left out
def pytest_collection_modifyitems(items):
    for item in items:
        if "checked_build" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    order = {f"test_{name}.py": place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path.name, len(LONG)))


def pytest_terminal_summary(terminalreporter):
    """Say where the time went, and loudly what was left out."""
    files: dict[str, float] = {}
    for report in [report for found in terminalreporter.stats.values() for report in found if isinstance(report, pytest.TestReport)]:
        name = Path(report.location[0]).stem.removeprefix("test_")
        files[name] = files.get(name, 0.0) + report.duration
    if len(files) > 1:
        listed = sorted(((seconds, name) for name, seconds in files.items() if seconds >= 3), reverse=True)
        rest = sum(files.values()) - sum(seconds for seconds, _ in listed)
        terminalreporter.section("seconds by file")
        terminalreporter.write_line(", ".join(f"{name} {seconds:.0f}" for seconds, name in listed) + f"; all others {rest:.0f}")
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)}
    for reason in sorted(reason.removeprefix("Skipped: ") for reason in reasons if "LEFT OUT" in reason):
        terminalreporter.write_line(reason, red=True, bold=True)


def pytest_sessionfinish(session):
    builds = session.config.stash.get(BUILDS, None)
    if isinstance(builds, Builder):
        builds.stop()


@pytest.fixture(scope="session")
def checked_build(request) -> Builds:
    return request.config.stash[BUILDS]


@pytest.fixture(autouse=True, scope="session")
def unwatched_strategies():
    """Strategies that tests write are not tried out in a process of their own first, which takes a second each; test_own_files.py tests that."""
    from terrors.strategies.formats import registry

    registry.WATCH = False
    yield
    registry.WATCH = True
