"""A stranger's run: whoever opens it runs nothing of it, unless games are to be played and that code is trusted."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from terrors.simulator.kernel import jit
from terrors.simulator.runs.job import NotTrustedError, job_of
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, RunError, simulate
from terrors.strategies import StrategyError, find
from terrors.strategies.formats import registry
from terrors.strategies.formats.known import is_known
from tests.support.commands import refused, terrors, worked
from tests.support.places import FROZEN, ROOT

pytestmark = pytest.mark.slow

CODE = '''"""Takes the last option."""

from pathlib import Path

from terrors.strategies import strategy

Path({marker!r}).touch()


@strategy
def choose(game, box, options, work, me):
    return options.n - 1
'''
SMALL = Plan(games=48, cards=str(FROZEN), overlords=("Fenris", "Lilith"), deny_lottery=0.1)
READING = {
    "analyze": ("analyze", "RUN"),
    "compare": ("compare", "RUN", "RUN"),
    "report without games": ("report", "RUN", "--games", "0"),
    "verify without games": ("verify", "RUN", "--games", "0"),
}
PLAYING = {
    "report": (("report", "RUN", "--games", "1"), 0),
    "verify": (("verify", "RUN", "--games", "2"), 0),
    "replay": (("replay", "RUN", "0"), 2),
    "card": (("card", "Ghoul", "--run", "RUN", "--deals", "20", "--fork-deals", "0"), 2),
    "handicap": (("handicap", "--run", "RUN", "--games", "40", "--sizes", "3,4"), 2),
    "confirm": (("analyze", "RUN", "--no-feel", "--confirm", "1"), 2),
}


def forget(code: bytes) -> None:
    """Nobody has ever used this code here."""
    (jit.CACHE_ROOT / "known_strategies" / hashlib.sha256(code).hexdigest()).unlink(missing_ok=True)
    registry._loaded.clear()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, Path]:
    """A run that somebody made with code of their own, analysed; and the file that the code makes when it is imported."""
    place = tmp_path_factory.mktemp("stranger")
    marker, file = place / "marker", place / "sly.py"
    file.write_text(CODE.format(marker=str(marker)), encoding="utf-8")
    simulate(SMALL.but(strategies=(str(file),)), place / "run", jobs=1)
    worked("analyze", place / "run")
    return place / "run", marker


@pytest.fixture
def stranger(made, tmp_path) -> tuple[Path, Path]:
    """The same on the machine of somebody who has never seen that code."""
    run, marker = made
    forget((run / "strategies" / "sly.py").read_bytes())
    marker.unlink(missing_ok=True)
    return Path(shutil.copytree(run, tmp_path / "run")), marker


def on(run: Path, command: tuple[str, ...]) -> list[object]:
    return [run if word == "RUN" else word for word in command]


@pytest.mark.parametrize("name", READING)
def test_reading_runs_nothing(stranger, name):
    run, marker = stranger
    worked(*on(run, READING[name]))
    assert not marker.exists()


@pytest.mark.parametrize("name", PLAYING)
def test_playing_needs_trust(stranger, name):
    run, marker = stranger
    command, code = PLAYING[name]
    result = terrors(*on(run, command))
    assert result.exit_code == code, result.output
    assert not marker.exists()
    (said,) = result.stderr.strip().splitlines()
    assert said.endswith(
        f"{run}/strategies/sly.py: this code came with the run and has never been used on this machine; read it, and give --trust to let it play."
    )
    result = terrors(*on(run, command), "--trust")
    assert result.exit_code == 0, result.output
    assert marker.exists()
    assert "never been used" not in result.stderr


def test_a_page_without_replays_says_so(stranger):
    run, marker = stranger
    worked("report", run)
    page = (run / "report" / "index.html").read_text(encoding="utf-8")
    assert "This page has no games to replay: " in page
    assert "give --trust to let it play." in page
    assert not marker.exists()


def test_verify_checks_what_it_can(stranger):
    run, _ = stranger
    report = json.loads(worked("verify", run, "--json"))
    assert (report["problems"], report["games"], report["replayed"]) == ([], 48, 0)
    assert report["not_replayed"].startswith("No game was played again: ")
    part = next((run / "games").iterdir())
    part.write_bytes(part.read_bytes()[:-1] + b"?")
    assert terrors("verify", run).exit_code == 1


def test_what_was_trusted_once_is_known(stranger):
    run, marker = stranger
    worked("replay", run, "0", "--trust")
    marker.unlink()
    registry._loaded.clear()
    worked("replay", run, "1")
    assert marker.exists()


def test_ones_own_runs_need_no_trust(stranger, tmp_path):
    """Whoever has played with a file has let it run; later edits of the file make no difference to the run."""
    run, marker = stranger
    mine = tmp_path / "sly.py"
    shutil.copy(run / "strategies" / "sly.py", mine)
    worked("simulate", "--games", "8", "--cards", FROZEN, "--strategies", mine, "--out", tmp_path / "mine")
    mine.write_text("nonsense", encoding="utf-8")
    registry._loaded.clear()
    marker.unlink()
    worked("replay", tmp_path / "mine", "0")
    assert marker.exists()


def test_code_that_was_exchanged_is_not_the_code_that_is_known(stranger):
    run, marker = stranger
    file = run / "strategies" / "sly.py"
    worked("replay", run, "0", "--trust")
    marker.unlink()
    file.write_bytes(file.read_bytes() + b"# and more\n")
    assert "never been used" in refused("replay", run, "0")
    assert not marker.exists()


def edited(file: Path, change: Callable[[str], str]) -> None:
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def test_a_plan_cannot_name_code_elsewhere(stranger, tmp_path):
    """Not even with --trust: that is about what lies in the run's folder."""
    run, marker = stranger
    shutil.copy(run / "strategies" / "sly.py", tmp_path / "other.py")
    plan = (run / "plan.toml").read_text(encoding="utf-8")
    for name in (str(tmp_path / "other.py"), "../other.py", "strategies/../../other.py"):
        (run / "plan.toml").write_text(plan.replace("strategies/sly.py", name), encoding="utf-8")
        for trust in ((), ("--trust",)):
            assert "other.py is no file of this run; the command that made the run puts" in refused("replay", run, "0", *trust)
    (run / "plan.toml").write_text(plan.replace('"cards.csv"', f'"{FROZEN}"'), encoding="utf-8")
    with pytest.raises(RunError, match=r"cards\.csv is no file of this run"):
        job_of(Run.open(run), trusted=True)
    assert not marker.exists()


@pytest.mark.parametrize("suffix", [".pyc", ".so", ".txt", ""])
def test_code_under_another_name_is_code(stranger, suffix):
    run, marker = stranger
    (run / "strategies" / "sly.py").rename(run / "strategies" / f"sly{suffix}")
    edited(run / "plan.toml", lambda text: text.replace("strategies/sly.py", f"strategies/sly{suffix}"))
    with pytest.raises(NotTrustedError):
        job_of(Run.open(run))
    with pytest.raises(RunError, match=r"this is no strategy; give a \.py, \.toml or \.json file"):
        job_of(Run.open(run), trusted=True)
    assert not marker.exists()


@pytest.mark.parametrize("file", ["bigmoney.toml", "tuned.json"])
def test_lists_and_numbers_are_data(tmp_path, file):
    mine = tmp_path / f"my_{file}"
    shutil.copy(ROOT / "strategies" / file, mine)
    run = simulate(SMALL.but(games=4, strategies=(str(mine),)), tmp_path / "run", jobs=1)
    assert [source.name for source in job_of(run).sources] == [mine.stem]
    assert not is_known(mine.read_bytes())


def test_nothing_is_deleted_through_a_link(stranger, tmp_path):
    run, _ = stranger
    mine = tmp_path / "mine" / "figures" / "holiday.png"
    mine.parent.mkdir(parents=True)
    mine.touch()
    shutil.rmtree(run / "report", ignore_errors=True)
    (run / "report").symlink_to(tmp_path / "mine")
    worked("report", run, "--games", "0")
    assert mine.exists()


def test_what_ships_is_known():
    assert is_known((ROOT / "strategies" / "greedy.py").read_bytes())
    assert not is_known(b"")


def test_only_strategies_can_be_loaded(tmp_path):
    (tmp_path / "plan.pyc").write_bytes(b"")
    with pytest.raises(StrategyError, match=r"this is no strategy; give a \.py, \.toml or \.json file"):
        find(str(tmp_path / "plan.pyc"))
