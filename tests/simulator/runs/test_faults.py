"""What may happen to the process of a run: the same rows, or one sentence, and nothing lost (docs/TESTING.md has the table of all faults)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from terrors.simulator.runs import run as runs
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from tests.support.commands import COMMAND, terrors
from tests.support.places import FROZEN, ROOT
from tests.support.whole_run import content

pytestmark = pytest.mark.slow

PLAN = Plan(games=2_000, cards=str(FROZEN), overlords=("Fenris", "Lilith"), decisions=10)


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, str]:
    return content(simulate(PLAN, tmp_path_factory.mktemp("whole") / "run", jobs=1))


def begun(out: Path, *more: str) -> subprocess.Popen[str]:
    """The run as a process of its own, when its first chunk is there."""
    plan = out.with_suffix(".toml")
    plan.write_text(PLAN.to_toml(), encoding="utf-8")
    command = [*COMMAND, "simulate", str(plan), "--out", str(out), "--jobs", "1", "--chunk", "20", *more]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list((out / "chunks").glob("[0-9]*.json")):
        time.sleep(0.01)
    return process


def test_terminated_it_goes_on_where_it_was(tmp_path, expected):
    process = begun(tmp_path / "run")
    process.terminate()
    process.communicate()
    assert process.returncode in (-signal.SIGTERM, 0)
    assert Run.open(tmp_path / "run").info["parts"]
    assert content(simulate(PLAN, tmp_path / "run", jobs=1)) == expected


def test_stopped_and_continued_it_goes_on(tmp_path, expected):
    process = begun(tmp_path / "run")
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.2)
    process.send_signal(signal.SIGCONT)
    assert "2,000 games" in process.communicate()[0]
    assert content(Run.open(tmp_path / "run")) == expected


def limited(out: Path, limit: str, value: int) -> subprocess.CompletedProcess[str]:
    """The run in a process that may not have more of something."""
    plan = out.with_suffix(".toml")
    plan.write_text(PLAN.to_toml(), encoding="utf-8")
    code = f"import resource; resource.setrlimit(resource.{limit}, ({value}, {value})); {COMMAND[2]}"
    return subprocess.run(
        [sys.executable, "-c", code, "simulate", str(plan), "--out", str(out), "--jobs", "1"], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_few_file_handles_are_enough_or_it_says_so(tmp_path, expected):
    done = limited(tmp_path / "run", "RLIMIT_NOFILE", 24)
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.returncode == 2
        assert len([line for line in done.stderr.splitlines() if not line.startswith(("Warning", "Cards"))]) == 1
    assert content(simulate(PLAN, tmp_path / "run", jobs=1)) == expected


def test_a_clock_that_jumps_changes_nothing(tmp_path, expected, monkeypatch):
    """An hour back and years ahead, again and again: time is only told, and no row knows of it."""
    jumps = iter(range(10**9))
    monkeypatch.setattr(runs.time, "time", lambda: (-3600.0, 4e9)[next(jumps) % 2])
    assert content(simulate(PLAN, tmp_path / "run", jobs=1)) == expected
    os.utime(tmp_path / "run" / "cards.parquet", (4e9, 4e9))  # a part from the future
    assert content(Run.open(tmp_path / "run")) == expected


def test_too_little_memory_is_said_in_a_sentence(tmp_path, monkeypatch):
    """Where Python hears of it; a process that the kernel ends is told as a worker that was killed (test_run_mishaps.py)."""
    from terrors.simulator.runs import job

    def no_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(job, "write_chunk", no_memory)
    result = terrors("simulate", "--games", 40, "--cards", FROZEN, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "a worker was killed or ran out of memory; what was played is kept" in result.stderr
