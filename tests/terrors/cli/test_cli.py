"""The commands: what they print, how they fail, and that they fail in words."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from terrors.cli.main import main
from tests.support.commands import CARDS, COMMAND, run, sentence
from tests.support.places import ROOT

pytestmark = pytest.mark.usefixtures("compiled_engine")

HOLDS = """
[[scenario]]
rule = "X1"
title = "Pass"
[scenario.you]
overlord = "Azazael"
[scenario.script]
lines = "pass"
"""
FAILS = """
[[scenario]]
rule = "K1"
title = "A wrong number"
[scenario.you]
overlord = "Azazael"
hand = ["Cultist", "Cultist"]
[scenario.script]
lines = '''
play Cultist → +1 Coin [1 Coin]
expect you.coin = 2
illegal play Cultist
buy Ghoul
'''
"""


def every_command(command: click.Command = main, path: str = "terrors") -> list[tuple[str, click.Command]]:
    inner = command.commands.items() if isinstance(command, click.Group) else ()
    return [(path, command)] + [found for name, item in inner for found in every_command(item, f"{path} {name}")]


# Help


@pytest.mark.parametrize(("path", "command"), every_command(), ids=[path for path, _ in every_command()])
def test_every_command_and_every_option_has_help(path, command):
    assert command.help
    assert all(option.help for option in command.params if isinstance(option, click.Option)), path
    result = run(*path.split()[1:], "--help")
    assert result.exit_code == 0
    assert command.help.split("\n")[0].split(".")[0][:40] in result.output


def test_without_a_command_the_commands_are_listed():
    result = run()
    assert result.exit_code == 0
    for name in ("cards", "check", "replay", "play", "strategies"):
        assert f"\n  {name} " in result.output


def test_the_version():
    assert run("--version").output.startswith("terrors 0.")


def test_nothing_heavy_is_imported_for_help():
    heavy = ("numpy", "numba", "polars", "pandas", "matplotlib", "terrors.simulator.play.game")
    code = f"import sys, terrors.cli.main; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True).stdout == "[]\n"


def test_options_that_are_wrong_are_named_in_one_sentence():
    assert sentence(run("replay", "--frist", "Fenris")).startswith("terrors replay: no such option '--frist'")
    assert sentence(run("repley")).startswith("terrors: no such command 'repley'")
    assert "'x' is not a valid whole number" in sentence(run("replay", "--seed", "x"))
    assert sentence(run("check")).startswith("terrors check: missing argument")


# cards


def test_cards_prints_the_set_as_sentences():
    result = run("cards", CARDS)
    assert result.exit_code == 0
    assert "Banshee" in result.output
    assert "Each time you CURSE, gain 2 Health." in result.output


def test_cards_words_prints_the_language():
    result = run("cards", "words")
    assert result.exit_code == 0
    assert "take a Street monster costing 3 or less" in result.output
    words = json.loads(run("cards", "words", "--json").output)
    assert {"examples", "meaning"} == set(words["abilities"][0])


def test_cards_as_json():
    data = json.loads(run("cards", CARDS, "--json").stdout)
    banshee = next(card for card in data["cards"] if card["name"] == "Banshee")
    assert (banshee["cost"], banshee["abilities"]) == (4, "1 Power; CURSE")
    assert banshee["sentences"][1] == "Each time you CURSE, gain 2 Health."
    assert len(data["sha256"]) == 64


def test_every_problem_of_a_broken_card_file_is_listed(tmp_path):
    broken = tmp_path / "broken.csv"
    text = Path(CARDS).read_text(encoding="utf-8")
    broken.write_text(text.replace("1 Power; CURSE,each CURSE", "1 Power; CURSED,each CURSE").replace("1 Coin; COMMAND", "1 Coyn; COMMAND"), encoding="utf-8")
    for result in (run("cards", str(broken)), run("replay", "--cards", str(broken))):
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 2
        assert "Banshee, abilities: 'CURSED' is not an ability; did you mean CURSE?" in result.stderr
        assert "Hanged Man of Tyburn" in result.stderr
    assert "nowhere.csv" in sentence(run("cards", "nowhere.csv"))


# check


def test_check_says_for_each_file_how_many_hold(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(HOLDS, encoding="utf-8")
    result = run("check", str(tmp_path), "--cards", CARDS)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "2 scenarios hold.")
    assert f"{tmp_path / 'a.toml'}: 1 scenario holds." in result.output


def test_check_tells_each_failed_step_with_what_was_found(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(HOLDS + FAILS, encoding="utf-8")
    result = run("check", str(file), "--cards", CARDS)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0] == f"{file}: 1 of 2 scenarios hold, 1 does not."
    assert lines[1] == f"  {file}, scenario 2, K1: A wrong number"
    assert lines[2] == "    expect you.coin = 2: found 1"
    assert lines[3].startswith("    illegal play Cultist: it is legal; legal are: play Cultist")
    assert lines[4].startswith("    'buy Ghoul' is not legal now")
    data = json.loads(run("check", str(file), "--cards", CARDS, "--json").output)
    assert [item["holds"] for item in data] == [True, False]
    assert len(data[1]["failures"]) == 3


def test_check_of_what_cannot_be_read(tmp_path):
    assert "there is no such file or folder" in sentence(run("check", str(tmp_path / "no.toml")))
    assert "no .toml files" in sentence(run("check", str(tmp_path)))
    (tmp_path / "bad.toml").write_text("lines = ", encoding="utf-8")
    assert "this is not a TOML file" in sentence(run("check", str(tmp_path)))


# replay


def test_replay_prints_a_game():
    result = run("replay", "--seed", "7", "--first", "fenris:random", "--second", "Azazael:random", "--cards", CARDS, "--rule", "max_turns=4")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "Fenris (first) against Azazael (second) · seed 7"
    assert next(line for line in lines if line.startswith("Turn ")) == "Turn 1 · Fenris (first) · Health 45 : 50 (Azazael)"
    assert lines[-1].startswith("A draw by the turn limit · Health Fenris ")


def test_replay_from_a_turn_on_and_as_json():
    arguments = ("replay", "--first", "Fenris:random", "--second", "Azazael:random", "--cards", CARDS, "--rule", "max_turns=6", "--turn", "5")
    headings = [line for line in run(*arguments).stdout.splitlines() if line.startswith("Turn ")]
    assert [heading.split(" · ")[0] for heading in headings] == ["Turn 5", "Turn 6"]
    data = json.loads(run(*arguments, "--json").stdout)
    assert [turn["number"] for turn in data["turns"]] == [5, 6]
    assert (data["strategies"], data["rules"], data["winner"]) == (["random", "random"], {"max_turns": 6}, "draw")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--first", "Fenriz:random"], "no card is named 'Fenriz'; did you mean Fenris?"),
        (["--first", "Ghoul:random"], "Ghoul is no overlord; the overlords are"),
        (["--first", "Fenris:randm"], "strategy 'randm': there is none; did you mean random?"),
        (["--first", "Fenris:./nothing.py"], "nothing.py: there is no such file."),
        (["--second", "Fenris:random"], "both players cannot have the same faction (rule S3)"),
        (["--rule", "frist_hand=3"], "rule frist_hand: there is no such rule; did you mean first_hand?"),
        (["--rule", "first_hand=x"], "rule first_hand: 'x' is not possible; give a whole number from 0 to 30."),
        (["--rule", "max_turns=2", "--turn", "9"], "--turn 9: this game ends in turn 2; give that or an earlier one."),
    ],
)
def test_replay_of_what_cannot_be(arguments, words):
    assert words in sentence(run("replay", "--first", "Fenris:random", "--second", "Azazael:random", "--cards", CARDS, *arguments))


def test_a_strategy_that_chooses_nothing_on_the_list_is_named(tmp_path):
    file = tmp_path / "wild.py"
    file.write_text(
        '"""Answers out of range."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    return 99\n',
        encoding="utf-8",
    )
    words = sentence(run("replay", "--first", f"Fenris:{file}", "--second", "Azazael:random"))
    assert words == "The strategy of Fenris (first) chose option 99 of 4, counted from 0; mend its return value."


# Real processes


def process(*arguments: str, **extra) -> subprocess.Popen:
    environment = {**os.environ, **extra.pop("env", {})}
    return subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment, encoding="latin-1", **extra
    )


def test_a_reader_that_goes_away_leaves_no_traceback():
    with process("cards", CARDS) as job:
        job.stdout.close()
        assert (job.wait(60), job.stderr.read()) == (141, "")


def test_a_terminal_without_unicode_gets_plain_characters():
    with process(
        "replay", "--first", "Fenris:random", "--second", "Azazael:random", "--rule", "max_turns=2", "--cards", CARDS, env={"PYTHONIOENCODING": "latin-1"}
    ) as job:
        out, _ = job.communicate(timeout=300)
    assert job.returncode == 0
    assert "\nTurn 1 · Fenris (first) · Health 45 : 50 (Azazael)\n" in out
    assert " -> +1 " in out


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals as on Unix")
def test_ctrl_c_ends_a_game_with_130_and_the_words_that_begin_it_again():
    with process("play", "--as", "Lilith", "--against", "random", "--seed", "3", "--cards", CARDS) as job:
        while not job.stdout.readline().startswith("  4 choose"):
            pass
        job.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(20)
        job.send_signal(signal.SIGINT)  # Python loses an interrupt that falls into a callback: one presses again
        _, errors = job.communicate(timeout=60)
    assert job.returncode == 130
    assert "Interrupted in turn 0" in errors
    assert "terrors play --as Lilith --against random --rival-overlord Methuselah --seed 3 --cards" in errors
    assert "Traceback" not in errors
