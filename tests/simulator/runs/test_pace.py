"""Chunks and slices follow time: games that take long are cut into smaller pieces, and the rows are the same."""

import signal
import subprocess
import sys
import time

import pytest

from terrors.cli.progress import progress_line
from terrors.simulator.runs import chunks, state
from terrors.simulator.runs.job import Chunk, Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, RunProgress, simulate
from terrors.simulator.runs.state import State
from tests.support.cardsets import small_set
from tests.support.places import FROZEN, ROOT
from tests.support.whole_run import content

PLAN = Plan(games=240, cards=str(FROZEN), overlords=("Fenris", "Lilith"), decisions=10)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Run:
    return simulate(PLAN, tmp_path_factory.mktemp("whole") / "run", jobs=1, chunk=240)


def sizes(run: Run) -> list[int]:
    return [record["stop"] - record["start"] for record in run.info["parts"]]


def test_a_few_games_say_how_long_they_take(tmp_path, whole):
    run = simulate(PLAN, tmp_path / "run", jobs=1)
    assert sizes(run) == [state.PROBE, 104, 104]
    assert content(run) == content(whole)


def test_games_that_take_long_are_cut_into_small_pieces(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(state, "CHUNK_SECONDS", 1e-9)
    seen = []
    run = simulate(PLAN, tmp_path / "run", jobs=1, on_progress=seen.append)
    assert sizes(run) == [state.PROBE] + [2] * 104
    assert len(seen) == 105
    assert content(run) == content(whole)


def test_what_an_earlier_session_has_cut_otherwise_counts(tmp_path, whole):
    class EnoughError(Exception):
        pass

    def enough(progress) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        simulate(PLAN, tmp_path / "run", jobs=1, chunk=60, on_progress=enough)
    done = Run.open(tmp_path / "run").info["parts"]
    run = simulate(PLAN, tmp_path / "run", jobs=1)
    assert next(record for record in run.info["parts"] if record["start"] == done[0]["start"])["stop"] == done[0]["stop"]
    assert content(run) == content(whole)


def test_slices_follow_time_too(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(chunks, "SLICE_SECONDS", 0.0)
    assert content(simulate(PLAN, tmp_path / "run", jobs=1, chunk=120)) == content(whole)


def test_gaps_between_what_is_there():
    found = State(Job.of(PLAN, ""), 50)
    record = {"files": {}, "tallies": dict.fromkeys(found.tallies, 0), "pairs": found.sums.tolist(), "seconds": 30.0}
    found.found = {start: {"start": start, "stop": stop, **record} for start, stop in ((40, 60), (50, 80), (60, 100), (230, 260))}
    assert found.gaps(0, 240) == [(0, 40), (100, 240)]  # what overlaps, or goes on after the end, does not count
    assert sorted(found.records) == [40, 60]
    assert found.pace == 30.0 / 40
    assert found.size() == 2  # the largest of 50, 24, 12, 6, 2 that takes four seconds at most
    assert list(found.chunks([(0, 4), (8, 10)])) == [Chunk(0, 2), Chunk(2, 4), Chunk(8, 10)]


def test_several_workers_end_together():
    """Each takes a share of what is left, down to what takes a tenth of a second: nobody waits for a large chunk at the end of a stage."""
    found = State(Job.of(PLAN, ""), 1_000)
    found.jobs, found.pace = 2, 0.001
    sizes = [chunk.stop - chunk.start for chunk in found.chunks([(0, 3_000), (4_000, 5_000)])]
    assert sizes[:3] == [1_000, 750, 562]
    assert sum(sizes) == 4_000
    assert sizes[-2:] == [60, 58]
    assert max(sizes[-6:]) < 150
    found.jobs = 1
    assert [chunk.stop - chunk.start for chunk in found.chunks([(0, 3_000)])] == [1_000] * 3


def test_games_that_meet_a_limit_are_told_as_they_happen():
    line = progress_line(RunProgress(1_000, 5_000, 2.0, 1_000, lambda: 0.01, limits=(1_200, 7)))
    assert line.endswith("points or better · 1,200 at the turn limit · 7 with an Action Phase cut short")
    assert "limit" not in progress_line(RunProgress(1_000, 5_000, 2.0, 1_000, lambda: 0.01))


# Hundreds of cards are drawn, played and lined up in every turn, and nobody ever dies: a game of this takes half a minute, and a slice begins with eight.
ABSURD = small_set(
    "DRAW 2; 1 Coin,each overlord used: gain 9 Health,Undead,Undead,1 Coin", "Undead", overlord="gain 99 Health; DRAW 3,",
    market="Imp,market,Monster,Undead,,0,200,,DRAW 2; take a Street monster costing 9 or less,,Undead,Undead,1 Power | DRAW 1,,,\n",
)  # fmt: skip


@pytest.mark.slow
def test_an_interrupt_does_not_wait_for_games_without_an_end(tmp_path, compiled_engine):
    (tmp_path / "cards.csv").write_text(ABSURD, encoding="utf-8")
    rules = [word for rule in ("max_turns=65535", "max_actions=100000", "cultists=33", "hand_size=30") for word in ("--rule", rule)]
    command = ["simulate", "--cards", str(tmp_path / "cards.csv"), "--games", "1000", "--strategies", "random", "--jobs", "1", "--out", str(tmp_path / "run")]
    process = subprocess.Popen([sys.executable, "-m", "terrors", *command, *rules], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (tmp_path / "run" / "run.json").exists():
        time.sleep(0.05)
    time.sleep(1)  # into the first game
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)  # as long as that only if it hangs
    assert process.returncode == 130, said
    assert "Interrupted. What was played is kept; the same command goes on with it: terrors simulate" in said
    assert "Traceback" not in said
