"""`terrors simulate`, `verify` and `replay RUN GAME` as somebody types them."""

import io
import json
import os
import re

import pytest
from click.testing import CliRunner, Result

from terrors.cli.commands.runs import GameCount
from terrors.cli.main import main
from terrors.cli.progress import ProgressPrinter, progress_line, span
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, RunProgress
from tests.support.commands import without_warnings
from tests.support.places import FROZEN

CARDS = ("--cards", str(FROZEN))
GREEDY = ("--strategies", "greedy")


def terrors(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1000", 1000), ("1_000_000", 10**6), ("1,000,000", 10**6), ("1M", 10**6), ("2.5k", 2500), ("1e6", 10**6), ("3G", 3 * 10**9)],
)
def test_numbers_as_people_write_them(text, number):
    assert GameCount().convert(text, None, None) == number


@pytest.mark.parametrize("text", ["", "x", "1.5", "-3", "1e", "M", "1e999"])
def test_what_is_no_number(text):
    result = terrors("simulate", "--games", text)
    assert result.exit_code == 2
    assert re.search(r"is no whole number; write it as 1000000, 1_000_000 or 1M|out of range", result.stderr)


def test_a_run_from_the_command_line(tmp_path):
    out = tmp_path / "run"
    arguments = (
        "simulate",
        *CARDS,
        "--games",
        "240",
        "--strategies",
        "greedy,random",
        "--pairing",
        "mirror",
        "--overlords",
        "Fenris,Lilith",
        "--out",
        str(out),
    )
    result = terrors(*arguments, "--rule", "first_hand=5", "--set", "Ghoul.cost=3", "--deny", "Ghoul:first", "--seed", "4", "--no-turns")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"240 games in {out} (")
    assert re.fullmatch(r"  Fenris \(greedy\) – Lilith \(greedy\)  \d\d ±\d+", lines[2])
    assert re.fullmatch(r"  Fenris \(random\) – Lilith \(random\)  \d\d ±\d+", lines[3])
    run = Run.open(out)
    plan = run.plan
    assert (plan.games, plan.seed, plan.turns, plan.rules, plan.set, plan.deny) == (240, 4, False, {"first_hand": 5}, ("Ghoul.cost=3",), ("Ghoul:first",))
    games = run.games.collect()
    assert set(games["denied_first"].explode().to_list()) == {"Ghoul"}
    assert terrors("verify", str(out)).stdout.endswith("240 games checked, 200 games played again: all as it should be.\n")
    data = json.loads(terrors("verify", str(out), "--json", "--games", "10").stdout)
    assert (data["problems"], data["games"], data["replayed"]) == ([], 240, 10)
    again = terrors(*arguments, "--rule", "first_hand=6")
    assert again.exit_code == 2
    assert "this folder has another run in it" in again.stderr
    assert len(without_warnings(again.stderr)) == 1


def test_a_plan_file_and_options_that_change_it(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text('games = 48\nseed = 9\nstrategies = ["random"]\n[rules]\nmax_turns = 20\n', encoding="utf-8")
    result = terrors("simulate", str(file), *CARDS, "--seed", "3", "--rule", "first_hand=3", "--out", str(tmp_path / "run"), "--json")
    assert result.exit_code == 0, result.output
    info = json.loads(result.stdout)
    assert info["tallies"]["games"] == 48
    assert info["plan"] | {"cards": ""} == Plan(games=48, seed=3, strategies=("random",), rules={"max_turns": 20, "first_hand": 3}).as_data()
    assert info["folder"] == str(tmp_path / "run")


def test_many_match_ups_are_summed_up(tmp_path):
    result = terrors("simulate", *CARDS, "--games", "48", "--strategies", "greedy,random", "--mirrors", "--out", str(tmp_path / "run"))
    assert "36 match-ups, each known to ±50.0 points or better.\nThe stronger side wins" in result.stdout


def test_limits_are_said(tmp_path):
    result = terrors("simulate", *CARDS, *GREEDY, "--games", "24", "--rule", "max_turns=4", "--out", str(tmp_path / "run"))
    assert "24 games ended at the turn limit; in 0 an Action Phase was cut short." in result.stdout


def test_without_out_the_plan_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = terrors("simulate", *CARDS, *GREEDY, "--games", "24")
    folder = re.search(r"runs/run-\w{8}", first.stdout)[0]
    assert os.path.isdir(folder)
    assert folder in terrors("simulate", *CARDS, *GREEDY, "--games", "24").stdout
    assert folder not in terrors("simulate", *CARDS, *GREEDY, "--games", "26").stdout


def test_a_game_of_a_run_is_told(tmp_path):
    out = str(tmp_path / "run")
    terrors("simulate", *CARDS, *GREEDY, "--games", "24", "--influences", "all", "--deny-lottery", "0.3", "--out", out)
    game = Run.open(out).games.collect().row(7, named=True)
    told = json.loads(terrors("replay", out, "7", "--json").stdout)
    assert (told["seed"], told["winner"], len(told["turns"])) == (game["seed"], game["winner"], game["turns"])
    assert told["setup"] == []  # the run has dealt the Influence cards
    assert f"({game['winner']}) wins" in terrors("replay", out, "7").stdout
    for arguments, sentence in (
        ((out, "24"), "there is no game 24; this run has the games 0 to 23."),
        ((out,), "give the number of a game"),
        ((out, "7", "--seed", "3"), "no other option than --turn, --trust and --json"),
        ((str(tmp_path), "7"), "there is no run here (no run.json)"),
    ):
        result = terrors("replay", *arguments)
        assert result.exit_code == 2
        assert sentence in result.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_is_one_line_that_is_renewed(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")  # a narrower terminal cuts it
    stream = Terminal()
    printer = ProgressPrinter(stream)
    printer(RunProgress(done=1_000, games=2_000_000, seconds=0.5, done_now=1_000, widest=lambda: 0.0321))
    assert stream.getvalue() == "\r1,000 of 2,000,000 games · 2,000 games/s · 17 min left · every match-up to ±3.2 points or better"
    printer(RunProgress(done=2_000, games=2_000_000, seconds=1, done_now=2_000, widest=lambda: 0.02))
    assert stream.getvalue().count("\r") == 1  # too soon
    printer.close()
    assert stream.getvalue().endswith("\r")


def test_progress_elsewhere_is_plain_lines_now_and_then(monkeypatch):
    stream = io.StringIO()
    now = [100.0]
    monkeypatch.setattr("terrors.cli.progress.time.monotonic", lambda: now[0])
    printer = ProgressPrinter(stream)
    for second in range(25):
        now[0] = 100.0 + second
        printer(RunProgress(done=100 * second, games=2_500, seconds=second, done_now=100 * second, widest=lambda: 0.01))
    printer.close()
    assert stream.getvalue() == (
        "1,000 of 2,500 games · 100 games/s · 15 s left · every match-up to ±1.0 points or better\n"
        "2,000 of 2,500 games · 100 games/s · 5 s left · every match-up to ±1.0 points or better\n"
    )


def test_times_as_people_say_them():
    assert [span(s) for s in (0.4, 59, 99, 100, 3600, 6000, 360_000, 10**7)] == ["0 s", "59 s", "99 s", "2 min", "60 min", "2 h", "4 days", "116 days"]
    assert "left" not in progress_line(RunProgress(done=10, games=10, seconds=1, done_now=10, widest=lambda: 0.1))
    assert "0 games/s" in progress_line(RunProgress(done=0, games=10, seconds=0, done_now=0, widest=lambda: 0.5))


def test_a_run_that_stops_by_what_it_sees_says_so(tmp_path):
    result = terrors("simulate", *CARDS, *GREEDY, "--overlords", "Fenris,Lilith", "--games", "400", "--until", "±2", "--out", str(tmp_path / "run"))
    assert "(95 % intervals that hold although the run stopped by what it saw):" in result.stdout
    assert "Not known well enough yet: Fenris – Lilith. More games may settle it." in result.stdout
    width = int(re.search(r"Fenris – Lilith +\d+ ±(\d+)", result.stdout)[1])
    plain = terrors("simulate", *CARDS, *GREEDY, "--overlords", "Fenris,Lilith", "--games", "400", "--out", str(tmp_path / "plain"))
    assert width > 1.2 * int(re.search(r"Fenris – Lilith +\d+ ±(\d+)", plain.stdout)[1])  # looking costs something
    assert "left" not in progress_line(
        RunProgress(done=32, games=182_400, seconds=3, done_now=32, widest=lambda: 0.1, may_stop=False)
    )  # it has compiled so far
    assert "at most 4 s left" in progress_line(RunProgress(done=100, games=500, seconds=1, done_now=100, widest=lambda: 0.1, may_stop=True))
