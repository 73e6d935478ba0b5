"""Run folders: the same rows whoever plays them and whatever happens to them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from terrors.cli.main import main
from terrors.simulator.play.box import PlanError
from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.chunks import ChunkPlayer, StoppedError
from terrors.simulator.runs.job import Job, WorkerError
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, RunError, simulate
from terrors.simulator.runs.state import chunk_size, cut
from terrors.simulator.runs.storage import FolderError
from terrors.simulator.runs.workers import Stop, Workers
from terrors.strategies import StrategyError
from tests.support.commands import without_warnings
from tests.support.places import FROZEN, ROOT
from tests.support.whole_run import PLAN, content

pytestmark = pytest.mark.slow


def terrors(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def command(out: Path, *more: str) -> list[str]:
    """The plan as a command."""
    given = ["--games", str(PLAN.games), "--cards", str(FROZEN), "--strategies", "greedy,random", "--deny-lottery", "0.1", "--decisions", "12"]
    return [sys.executable, "-m", "terrors", "simulate", *given, "--out", str(out), "--chunk", "60", *more]


# The same rows


WAYS = [{"jobs": 2}, {"jobs": 3, "chunk": 2_400}, {"jobs": 2, "chunk": 98}, {"jobs": 2, "backend": "processes", "chunk": 600}]


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_jobs_chunks_and_backends_make_no_difference(tmp_path, expected, how):
    assert content(simulate(PLAN, tmp_path / "run", **how)) == expected


def test_the_same_plan_and_chunks_give_the_same_bytes(tmp_path, whole):
    again = simulate(PLAN, tmp_path / "run", jobs=2, chunk=400)
    assert again.info["parts"] == whole.info["parts"]
    assert again.info["cards_parquet"] == whole.info["cards_parquet"]


def test_the_plan_in_the_folder_repeats_the_run(tmp_path, whole, expected):
    again = simulate(Plan.read(whole.folder.path / "plan.toml"), tmp_path / "run", jobs=1)
    assert content(again) == expected
    assert again.info["identity"] == whole.info["identity"]


def test_chunks_cover_every_game_once():
    for stop, size in ((2, 2), (10, 4), (1000, 98), (999_998, 5000), (5000, 5000), (5002, 5000)):
        chunks = list(cut(0, stop, size))
        assert [a for a, _ in chunks] == [0, *(b for _, b in chunks[:-1])]
        assert chunks[-1][1] == stop
        assert all(a % 2 == b % 2 == 0 and 0 < b - a <= size for a, b in chunks)


# Whatever happens


def test_a_run_that_is_killed_again_and_again_loses_nothing(tmp_path, expected):
    """SIGKILL at random moments of a real process, as soon as it has begun to write; then the same command to the end."""
    out, luck = tmp_path / "run", random.Random(7)
    for _ in range(2):
        done = len(list(out.glob("chunks/*.json")))
        process = subprocess.Popen(command(out, "--jobs", "2"), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(out.glob("chunks/*.json"))) <= done:
            time.sleep(0.005)
        time.sleep(luck.random() * 0.15)
        process.kill()
        process.wait()
    assert Run.open(out).info["status"] == "running"
    assert 0 < len(list(out.glob("chunks/*.json"))) < 40
    done = subprocess.run(command(out), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    run = Run.open(out)
    assert run.finished
    assert content(run) == expected
    assert verify_run(str(out), 20).problems == []
    assert not [path for path in out.rglob("*") if path.name.startswith(".tmp")]


def test_an_interrupt_stops_cleanly_and_says_how_to_go_on(tmp_path, expected):
    out = tmp_path / "run"
    process = subprocess.Popen(command(out, "--jobs", "1"), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(out.glob("chunks/*.json")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130, said
    assert "Interrupted. What was played is kept; the same command goes on with it: terrors simulate --games 2400" in said
    assert "Traceback" not in said
    run = Run.open(out)
    assert run.info["status"] == "interrupted"
    assert 0 < run.info["tallies"]["games"] < PLAN.games
    assert len(run.games.collect()) == run.info["tallies"]["games"]  # what is there can be looked at
    assert content(simulate(PLAN, out, jobs=1)) == expected


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("how", ["cut off", "altered", "gone"])
def test_a_damaged_part_is_found_and_made_again(tmp_path, whole, expected, finished, how):
    out = tmp_path / "run"
    shutil.copytree(whole.folder.path, out)
    if not finished:
        out = unfinished(tmp_path / "unfinished")
    part = sorted(out.glob("turns/*.parquet"))[0]
    data = part.read_bytes()
    if how == "gone":
        part.unlink()
    else:
        part.write_bytes(data[:1000] if how == "cut off" else data[:2000] + bytes([data[2000] ^ 1]) + data[2001:])
    problems = verify_run(str(out), 4).problems
    assert any(f"turns/{part.name}" in problem for problem in problems)
    assert terrors("verify", str(out)).exit_code == 1
    run = simulate(PLAN, out, jobs=1)
    assert part.read_bytes() == data
    assert content(run) == expected
    assert verify_run(str(out), 4).problems == []


def unfinished(out: Path) -> Path:
    """A run that was stopped in the middle."""
    stop_after = 3

    class EnoughError(Exception):
        pass

    def on_progress(progress) -> None:
        nonlocal stop_after
        stop_after -= 1
        if not stop_after:
            raise EnoughError

    with pytest.raises(EnoughError):
        simulate(PLAN, out, jobs=1, chunk=400, on_progress=on_progress)
    return out


def test_a_damaged_cards_table_is_made_again(tmp_path, whole, expected):
    out = tmp_path / "run"
    shutil.copytree(whole.folder.path, out)
    (out / "cards.parquet").write_bytes(b"nothing")
    assert "cards.parquet: its content has changed since it was written." in verify_run(str(out), 0).problems
    assert content(simulate(PLAN, out, jobs=1)) == expected


def test_records_that_are_no_records_are_not_trusted(tmp_path, expected):
    out = unfinished(tmp_path / "run")
    records = sorted(out.glob("chunks/*.json"))
    records[0].write_text("{", encoding="utf-8")
    (out / "chunks" / "000000001.json").write_text("[]", encoding="utf-8")
    (out / "games" / "part-999999999.parquet").write_bytes(b"somebody else's")
    assert content(simulate(PLAN, out, jobs=1)) == expected


def test_a_finished_run_is_not_played_again(tmp_path, whole):
    before = (whole.folder.path / "run.json").stat().st_mtime_ns
    seen = []
    run = simulate(PLAN, whole.folder.path, on_progress=seen.append)
    assert run.info == whole.info
    assert seen == []
    assert (whole.folder.path / "run.json").stat().st_mtime_ns == before


def test_verify_notices_rows_that_the_engine_would_not_play(tmp_path, whole):
    """A run whose parts and records agree, but with actions that nobody took."""
    from terrors.simulator.runs.parquet_tables import parquet
    from terrors.simulator.runs.storage import sealed, sha256

    out = tmp_path / "run"
    shutil.copytree(whole.folder.path, out)
    info = json.loads((out / "run.json").read_text(encoding="utf-8"))
    for record in info["parts"]:
        part = out / f"games/part-{record['start']:09d}.parquet"
        frame = pl.read_parquet(part)
        data = parquet(frame.with_columns(pl.col("actions") + 1))
        part.write_bytes(data)
        record["files"]["games"] |= {"bytes": len(data), "sha256": sha256(data)}
    (out / "run.json").write_text(json.dumps(sealed(info)), encoding="utf-8")
    problems = verify_run(str(out), 10).problems
    assert len(problems) == 1
    assert problems[0].endswith("of the games table is not what comes out when it is played again.")


# Other plans, other folders


def test_another_plan_is_refused_with_the_differences_named(whole):
    other = PLAN.but(games=4_000, seed=2, strategies=("greedy",), rules={"first_hand": 5})
    with pytest.raises(RunError) as error:
        simulate(other, whole.folder.path)
    changed = "games was 2400 and is 4000; seed was 1 and is 2; strategies was "
    assert str(error.value).startswith(f"{whole.folder.path}: this folder has another run in it: {changed}")
    assert 'rules was {} and is {"first_hand": 5}' in str(error.value)
    assert str(error.value).endswith("Give another --out, or --overwrite to start again.")


def test_overwrite_starts_again_and_touches_nothing_else(tmp_path):
    out = tmp_path / "run"
    simulate(PLAN.but(games=24), out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    run = simulate(PLAN.but(games=48), out, overwrite=True)
    assert len(run.games.collect()) == 48
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(RunError, match=r"this folder is no run and has other things in it \(letter.txt\); give another --out"):
        simulate(PLAN, tmp_path)
    with pytest.raises(FolderError, match=r"this is a file and not a folder; give another --out"):
        simulate(PLAN, tmp_path / "letter.txt")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("what", encoding="utf-8")
    with pytest.raises(RunError, match=r"run.json: this is not what a run writes; start again with --overwrite"):
        simulate(PLAN, tmp_path / "run")
    with pytest.raises(RunError, match=r"there is no run here \(no run.json\)"):
        Run.open(tmp_path)


def test_two_at_a_time_do_not_write_one_folder(tmp_path):
    from terrors.simulator.runs.storage import open_folder

    with open_folder(tmp_path / "run").lock(), pytest.raises(FolderError, match="another process is writing here; wait for it, or give another --out"):
        simulate(PLAN, tmp_path / "run")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FolderError, match="this place cannot be written to"):
        simulate(PLAN, tmp_path / "run")


def test_a_file_system_that_cannot_be_written_to():
    with pytest.raises(FolderError, match=r"/proc/run.*; give another --out"):
        simulate(PLAN, "/proc/run")


def test_a_disk_that_fills_up(tmp_path):
    """Files may not become larger than a megabyte here, which stops a writer in the middle of a part as a full disk does."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        f"from terrors.cli.main import main; sys.argv = {['terrors', *command(tmp_path / 'run')[3:]]!r}; main()"
    )
    done = subprocess.run([sys.executable, "-c", code.replace("'60'", "'600'")], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert len(failed := without_warnings(done.stderr)) == 1
    assert "File too large; give another --out if that cannot be mended." in failed[0]
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".tmp")]
    assert Run.open(tmp_path / "run").info["status"] == "interrupted"


def test_no_space_left_is_said_so(tmp_path, monkeypatch):
    import errno

    from terrors.simulator.runs import storage

    def full(path, data) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(storage.os, "replace", full)
    with pytest.raises(FolderError, match="there is no space left on that disk; make room, or give an --out on another one"):
        simulate(PLAN, tmp_path / "run")
    assert not [path for path in (tmp_path / "run").rglob("*") if path.is_file() and path.name != ".lock"]


def test_a_run_that_will_not_fit_stops_early(tmp_path, monkeypatch):
    from terrors.simulator.runs.storage import Folder

    monkeypatch.setattr(Folder, "free_bytes", lambda self: 100_000)
    with pytest.raises(FolderError, match=r"the rest of this run needs about [\d.]+ GB, and there are 0.0 GB left on that disk; make room and give the same"):
        simulate(PLAN, tmp_path / "run", chunk=60)


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"strategies": ("gready",)}, StrategyError, "strategy 'gready': there is none; did you mean greedy?"),
        ({"cards": "nowhere.csv"}, ValueError, "nowhere.csv"),
        ({"remove": ("Fenris",)}, PlanError, "remove Fenris: it is not a market card"),
        ({"set": ("Ghoul.price=3",)}, ValueError, "price"),
    ],
)
def test_bad_plans_leave_nothing_behind(tmp_path, changes, error, sentence):
    with pytest.raises(error, match=sentence.replace("?", r"\?")):
        simulate(PLAN.but(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_bad_ways_to_play(tmp_path):
    for how, sentence in (
        ({"backend": "magic"}, "backend magic: there is none; give auto, threads, processes or dask"),
        ({"jobs": 0}, "jobs 0: give a number from 1 to 4096"),
        ({"scheduler": "tcp://x:1"}, "only the dask backend has one; add --backend dask"),
    ):
        with pytest.raises(WorkerError, match=sentence):
            simulate(PLAN, tmp_path / "run", **how)
    few, many = (Workers(Job.of(PLAN.but(games=games), ""), 2, "auto", None, Stop()).backend for games in (99_000, 100_000))
    assert (few, many) == ("threads", "processes")
    assert Workers(Job.of(PLAN.but(games=10**6), ""), 1, "auto", None, Stop()).backend == "threads"
    with pytest.raises(RunError, match="chunk 3: give an even number of games, at least 2"):
        simulate(PLAN, tmp_path / "run", chunk=3)


# Strategies of one's own

MINE = '''
"""Takes the last option."""
from terrors.strategies import strategy

@strategy
def choose(game, box, options, work, me):
    return options.n - 1
'''


def test_a_strategy_file_travels_with_the_run(tmp_path):
    """A worker process that cannot see the file plays the same; and the run can be repeated when the file is gone."""
    file = tmp_path / "mine.py"
    file.write_text(MINE, encoding="utf-8")
    plan = Plan(games=48, cards=str(FROZEN), strategies=(str(file), "greedy"), rules={"max_turns": 30})
    one = simulate(plan, tmp_path / "one", jobs=1)
    file.unlink()
    again = simulate(Plan.read(tmp_path / "one" / "plan.toml"), tmp_path / "two", jobs=2, backend="processes")
    assert again.games.collect().equals(one.games.collect())
    assert set(one.games.collect()["first_strategy"].to_list()) == {"mine", "greedy"}
    assert verify_run(str(tmp_path / "two"), 10).problems == []


def test_a_strategy_that_changed_makes_another_run(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MINE, encoding="utf-8")
    plan = Plan(games=24, cards=str(FROZEN), strategies=(str(file),), rules={"max_turns": 10})
    simulate(plan, tmp_path / "run")
    file.write_text(MINE.replace("options.n - 1", "0"), encoding="utf-8")
    from terrors.strategies.formats import registry

    registry._loaded.pop(file)
    with pytest.raises(RunError, match="this folder has another run in it: strategy mine has changed"):
        simulate(plan, tmp_path / "run")


def test_a_worker_with_other_rules_or_strategies_says_so():
    job = Job.of(PLAN, "")
    from dataclasses import replace

    from terrors.simulator.runs.job import Chunk, play_chunk

    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(WorkerError, match=r"the rules engine on .* is another version; install the same version of terrors there"):
        play_chunk(replace(job, engine="other"), Chunk(0, 2))
    with pytest.raises(WorkerError, match=r"strategy greedy is another one on .*; install the same version of terrors there"):
        replace(job.sources[0], sha256="other").strategy()
    assert signal.getsignal(signal.SIGINT) is handler  # only a process of its own may become deaf


# Other places


def test_a_run_at_an_address(expected):
    """`memory://` stands for any store that fsspec knows."""
    pytest.importorskip("fsspec")
    address = "memory://bucket/runs/base"
    run = simulate(PLAN, address, jobs=2)
    assert content(run) == expected
    assert content(Run.open(address)) == expected
    assert verify_run(address, 10).problems == []
    with pytest.raises(RunError, match="this folder has another run in it: seed was 1 and is 9"):
        simulate(PLAN.but(seed=9), address)
    assert simulate(PLAN.but(seed=9, games=24), address, overwrite=True).info["tallies"]["games"] == 24


def test_an_address_that_nobody_knows():
    with pytest.raises(FolderError, match="this address cannot be opened: "):
        simulate(PLAN, "nosuch://bucket/run")


# Memory


def test_memory_does_not_grow_with_the_number_of_games(tmp_path):
    """Peak memory of a process that plays 7 times as many games; `getrusage` would count the parent's too."""
    code = (
        "import re, sys; from terrors import Plan, simulate;"
        "simulate(Plan(games=int(sys.argv[1])), sys.argv[2], jobs=1, chunk=2000);"
        r"print(re.search(r'VmHWM:\s+(\d+)', open('/proc/self/status').read())[1])"
    )
    peaks = []
    for games in (4_000, 28_000):
        done = subprocess.run([sys.executable, "-c", code, str(games), str(tmp_path / str(games))], cwd=ROOT, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]) / 1024)
    assert peaks[1] < peaks[0] * 1.15
    assert peaks[1] < 500


def test_a_run_of_slow_strategies_is_cut_small_and_asks_after_every_game_whether_to_stop(tmp_path):
    """Two hundred games of a second each would leave an interrupt without an answer for minutes."""
    job = Job.of(Plan(games=400, cards=str(FROZEN), strategies=("planner", "greedy"), pairing="vs:greedy"), "")
    asked = []
    bench = ChunkPlayer(job.schedule, job.players, lambda: bool(asked.append(1)) or len(asked) > 2)
    with pytest.raises(StoppedError):
        bench.play(0, 40)
    assert len(asked) == 3
    assert chunk_size(400, slow=True) == 20 < chunk_size(400)
