"""What people and machines do to run folders: each ends in the same rows or in one sentence, and never in rows that are wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.job import WorkerError
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, RunError, simulate
from terrors.strategies.formats.known import note_passed
from tests.support.commands import refused, terrors
from tests.support.damage import damaged
from tests.support.places import FROZEN, ROOT

pytestmark = pytest.mark.slow

PLAN = Plan(games=240, cards=str(FROZEN), overlords=("Fenris", "Lilith"))


@pytest.mark.parametrize("option", ["--games", "--chunk", "--decisions"])
def test_a_number_of_hundreds_of_digits(option):
    assert "is no whole number; write it as 1000000" in refused("simulate", option, "9" * 400)


def test_names_that_no_file_can_have(tmp_path):
    assert refused("simulate", "--games", 24, "--out", tmp_path / ("x" * 300)).endswith("File name too long; give another --out if that cannot be mended.")
    assert "this address names no folder; give it one" in refused("simulate", "--games", 24, "--out", "s3://")
    assert "there is no such file" in refused("simulate", "--strategies", f"{'x' * 300}.py")
    (tmp_path / "plan.toml").write_text('strategies = ["\\u0000.py"]', encoding="utf-8")
    assert "there is no such file" in refused("simulate", tmp_path / "plan.toml")


def test_a_rival_of_ones_own_stays_with_the_run(tmp_path):
    """The plan in the folder names the rival's file beside it, wherever the run is verified from."""
    file = tmp_path / "mine.py"
    file.write_text(
        '"""The last option."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    return options.n - 1\n',
        encoding="utf-8",
    )
    plan = PLAN.but(games=24, pairing=f"vs:{file}", rules={"max_turns": 20})
    run = simulate(plan, tmp_path / "run")
    file.unlink()
    assert verify_run(str(tmp_path / "run"), 10).problems == []
    again = simulate(Plan.read(tmp_path / "run" / "plan.toml"), tmp_path / "again")
    assert again.games.collect().equals(run.games.collect())


# What lies in the folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Run:
    return simulate(PLAN, tmp_path_factory.mktemp("whole") / "run", jobs=1, chunk=60)


@pytest.fixture
def out(tmp_path, whole) -> Path:
    """A finished run to be spoiled."""
    return Path(shutil.copytree(whole.folder.path, tmp_path / "run"))


def same(one: Run, two: Run) -> bool:
    return all(getattr(one, table).collect().equals(getattr(two, table).collect()) for table in ("games", "turns", "purchases", "cards"))


def edited(out: Path, change) -> None:
    """Change run.json, as somebody does who takes its checksum out."""
    info = json.loads((out / "run.json").read_text(encoding="utf-8"))
    info.pop("checksum", None)
    change(info)
    (out / "run.json").write_text(json.dumps(info), encoding="utf-8")


def places(data: object, path: tuple = ()) -> list[tuple]:
    """Every entry of nested data, but for entries of plans; of a list the first and the last."""
    items = list(data.items()) if isinstance(data, dict) else [(0, data[0]), (-1, data[-1])] if isinstance(data, list) and data else []
    return [found for key, value in items for found in ((*path, key), *(places(value, (*path, key)) if key not in ("plan", "versions") else ()))]


def test_a_run_json_with_any_entry_missing_or_of_another_kind(tmp_path):
    """It is refused in one sentence, or it makes no difference to the rows; verify does not stumble either."""
    plan, out = PLAN.but(games=8), tmp_path / "run"
    rows = simulate(plan, out, chunk=4).games.collect()
    text = (out / "run.json").read_text(encoding="utf-8")
    for path in places(json.loads(text)):
        for value in ("gone", -1, []):
            (out / "run.json").write_text(damaged(text, path, value), encoding="utf-8")
            try:
                Run.open(out)
                verify_run(str(out), 2)
                run = simulate(plan, out, jobs=1)
            except RunError as error:
                assert str(error).endswith(("start again with --overwrite.", "or --overwrite to start again.", "simulate it again."))  # noqa: PT017
            else:
                assert run.games.collect().equals(rows), (path, value)
                assert run.purchases.collect()["game"].n_unique() == run.turns.collect()["game"].n_unique() == 8, (path, value)


def test_a_run_json_that_is_cut_off(out):
    data = (out / "run.json").read_bytes()
    for size in (0, 1, len(data) // 2, len(data) - 1):
        (out / "run.json").write_bytes(data[:size])
        with pytest.raises(RunError, match=r"run.json: this is not what a run writes; start again with --overwrite\."):
            simulate(PLAN, out)
    assert simulate(PLAN, out, overwrite=True).finished


@pytest.mark.parametrize("name", ["tallies", "pairs"])
def test_verify_adds_up_again_what_run_json_tells(out, name):
    def change(info) -> None:
        if name == "tallies":
            info["tallies"]["draws"] += 1
        else:
            info["pairs"][0][1] += 1

    edited(out, change)
    assert [problem[:9] for problem in verify_run(str(out), 2).problems] == ["run.json:"]


def test_a_part_less_in_run_json_is_noticed(out):
    edited(out, lambda info: info["parts"].pop())
    with pytest.raises(RunError, match=r"run.json: tallies.games is missing or not what a run writes; start again with --overwrite\."):
        verify_run(str(out), 2)


def test_parts_that_changed_places_are_put_right(out, whole):
    one, two = sorted(out.glob("games/*.parquet"))[:2]
    one.rename(out / "swap")
    two.rename(one)
    (out / "swap").rename(two)
    assert len(verify_run(str(out), 2).problems) == 2
    assert same(simulate(PLAN, out), whole)


def test_what_is_no_part_is_found_and_taken_away(out, whole):
    shutil.copy(next(out.glob("games/*.parquet")), out / "games" / "part-000000999.parquet")
    assert verify_run(str(out), 2).problems == ["games/part-000000999.parquet: it is no part of this run; the command that made the run takes it away."]
    simulate(PLAN, out)
    assert verify_run(str(out), 2).problems == []
    assert pl.read_parquet(out / "games" / "*.parquet").equals(whole.games.collect())


@pytest.mark.parametrize("name", ["plan.toml", "cards.csv"])
@pytest.mark.parametrize("text", [None, "", "games = 3\n"])
def test_plan_and_cards_in_the_folder_are_put_back(out, name, text):
    before = (out / name).read_bytes()
    (out / name).unlink()
    if text is not None:
        (out / name).write_text(text, encoding="utf-8")
    problem = verify_run(str(out), 2).problems[0]
    assert problem.startswith(("The games cannot be played again here: ", f"{out / name}: it is missing; ", name))
    assert simulate(PLAN, out).finished
    assert (out / name).read_bytes() == before
    assert verify_run(str(out), 2).problems == []


# Beginning


def test_overwrite_leaves_alone_what_is_no_run(tmp_path):
    """`--out .` in somebody's project: there may be a cards.csv and a folder of strategies."""
    (tmp_path / "cards.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "strategies").mkdir()
    assert "this folder is no run and has other things in it (cards.csv, strategies)" in refused("simulate", "--out", tmp_path, "--overwrite")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "cards.csv", "strategies"]


def test_a_run_that_was_killed_while_it_began(tmp_path, whole):
    out = tmp_path / "run"
    out.mkdir()
    (out / ".tmp-0123-run.json").write_text("{", encoding="utf-8")
    simulate(PLAN, out, chunk=60)
    assert not list(out.glob(".tmp*"))
    for name in ("plan.toml", "cards.csv"):
        (out / name).unlink()
    edited(out, lambda info: info.update(status="running", parts=[]))
    assert same(simulate(PLAN, out), whole)
    assert verify_run(str(out), 2).problems == []


def test_a_run_keeps_others_out_while_it_goes_on(tmp_path):
    said = []

    def on_progress(progress) -> None:
        said.append(refused("simulate", "--games", 24, "--out", tmp_path / "run", "--overwrite"))

    simulate(PLAN, tmp_path / "run", jobs=1, chunk=120, on_progress=on_progress)
    assert said == [f"{tmp_path / 'run'}: another process is writing here; wait for it, or give another --out."] * 2


def test_bad_ways_to_play_do_not_cost_the_run_that_is_there(out):
    refused("simulate", "--out", out, "--overwrite", "--scheduler", "tcp://nowhere:1")
    refused("simulate", "--out", out, "--overwrite", "--chunk", "1M")
    assert verify_run(str(out), 2).problems == []


# Going on


class EnoughError(Exception):
    pass


def stopped(plan: Plan, out: Path, after: int, **how) -> Path:
    """A run that was stopped after so many chunks."""
    done = []

    def on_progress(progress) -> None:
        done.append(progress)
        if len(done) == after:
            raise EnoughError

    with pytest.raises(EnoughError):
        simulate(plan, out, jobs=1, on_progress=on_progress, **how)
    return out


def test_where_a_run_stops_by_itself_does_not_depend_on_interruptions(tmp_path):
    """Games after a look that an earlier session has played do not count at that look."""
    plan = PLAN.but(games=20_000, until="±7")
    whole = simulate(plan, tmp_path / "whole", chunk=10)
    games = whole.info["tallies"]["games"]
    assert 200 < games < 20_000
    for before in (1, 2):  # chunks before the end: most of what is needed is there at the look before
        out = stopped(plan, tmp_path / f"run {before}", games // 10 - before, chunk=10)
        assert same(simulate(plan, out, jobs=1), whole)


def test_records_of_another_run_or_of_other_chunks_are_not_trusted(tmp_path, whole):
    other = stopped(PLAN.but(seed=2), tmp_path / "other", 2, chunk=60)
    out = stopped(PLAN, tmp_path / "run", 1, chunk=60)
    for name in ("chunks/000000060.json", *(f"{table}/part-000000060.parquet" for table in ("games", "turns", "purchases", "cards"))):
        shutil.copy(other / name, out / name)
    assert same(simulate(PLAN, out), whole)
    out = stopped(PLAN, tmp_path / "again", 2, chunk=60)
    edited(out, lambda info: info.update(chunk=40))
    run = simulate(PLAN, out)
    assert same(run, whole)
    assert verify_run(str(out), 2).problems == []


def test_a_game_that_has_not_been_played_is_not_told(tmp_path):
    out = stopped(PLAN, tmp_path / "run", 1, chunk=60)
    played = Run.open(out).games.select("game").collect()["game"].max() + 1  # a chunk, or a second one that another thread had played by then
    assert f"there is no game {played}; of this run, {played} games have been played so far." in refused("replay", out, played)
    assert terrors("replay", out, played - 1).exit_code == 0
    assert terrors("verify", out, "--games", 4).stdout.startswith("The run is not finished (interrupted)")


def test_a_run_of_which_nothing_has_been_played(tmp_path):
    out = stopped(PLAN, tmp_path / "run", 1, chunk=60)
    shutil.rmtree(out / "chunks")
    assert "The run is not finished" in terrors("verify", out).stdout
    assert "this run has no games table; let it play first" in refused_table(out)
    assert "there is no game 0; of this run, 0 games have been played so far." in refused("replay", out, 0)


def refused_table(out: Path) -> str:
    with pytest.raises(RunError) as error:
        Run.open(out).games  # noqa: B018
    return str(error.value)


def test_a_relative_folder_is_the_same_one_for_workers_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Path(os.path.relpath(simulate(PLAN.but(games=24), "run").folder.everywhere)) == Path("run")


def test_a_worker_process_that_is_killed(tmp_path, whole):
    """As the kernel does when memory runs out: one sentence, and the same command goes on."""

    def on_progress(progress) -> None:
        from joblib.externals.loky import reusable_executor

        for process in list(reusable_executor._executor._processes.values()):
            os.kill(process.pid, signal.SIGKILL)

    with pytest.raises(WorkerError, match="a worker was killed or ran out of memory; what was played is kept: give the same command again"):
        simulate(PLAN, tmp_path / "run", jobs=2, backend="processes", chunk=20, on_progress=on_progress)
    assert 0 < Run.open(tmp_path / "run").info["tallies"]["games"] < PLAN.games
    assert same(simulate(PLAN, tmp_path / "run", jobs=2, backend="processes"), whole)


def test_a_second_interrupt_does_not_wait_for_a_strategy_that_never_answers(tmp_path):
    file, out = tmp_path / "loops.py", tmp_path / "run"
    text = '"""Never answers after turn 5."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    i = 0\n'
    file.write_text(text + "    while game.turn > 5 and i < 9:\n        i = (i + 1) % 7\n    return 0\n", encoding="utf-8")
    note_passed(file.read_bytes())  # as if the games of the check had been shorter
    command = [sys.executable, "-m", "terrors", "simulate", "--games", "48", "--strategies", str(file), "--out", str(out), "--jobs", "1"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (out / "plan.toml").exists():
        time.sleep(0.01)
    while process.poll() is None:  # the first asks it to stop, the next does not wait
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode in (130, -signal.SIGINT)  # the latter if another one came when it was leaving
    assert "Interrupted. What was played is kept; the same command goes on with it: terrors simulate" in said
