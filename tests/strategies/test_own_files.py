"""Strategies that hang, crash or leave: each is told in a sentence that says where, and the toolkit goes on."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from terrors.simulator.play.match import StrategyAnswerError, pairs_of_games, play_rows
from terrors.strategies import StrategyError, find
from terrors.strategies.checks import alone
from terrors.strategies.formats import registry, tried_out
from terrors.strategies.formats.known import has_passed
from tests.support.commands import CARDS, refused

HEAD = '"""Tries something."""\nimport os, signal, sys\nimport numpy as np\nfrom terrors import strategy\n'
CHOOSE = "\n@strategy\ndef choose(game, box, options, work, me):\n"
LAST = CHOOSE + "    return options.n - 1\n"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A strategy of one's own; files are tried out, and not waited for as long as usual."""
    monkeypatch.setattr(registry, "WATCH", True)

    def write(text: str, name: str = "mine") -> Path:
        (tmp_path / f"{name}.py").write_text(HEAD + text + f"# {tmp_path}\n", encoding="utf-8")  # a content that nobody has seen
        return tmp_path / f"{name}.py"

    return write


LOOP = "    i = 1\n    while game.turn >= {turn} and i:\n        i = i % 7 + 1\n    return 0\n"
ENDS = {  # what a file does, and what is said of it
    "loops in choose": (CHOOSE + LOOP.format(turn=3), r"in game \d, turn [34], it did not come to an end within 1 s; look for a loop that does not end"),
    "loops at import": ("while True:\n    pass\n" + LAST, r"while it was imported, it did not come to an end within 1 s; look for a loop"),
    "loops in prepare": ("def prepare(box, work):\n    while True:\n        pass\n" + LAST, r"in prepare, it did not come to an end within 1 s; look"),
    "leaves at import": ("sys.exit(7)\n" + LAST, r"it cannot be imported: SystemExit: 7 \(line 5\)\."),
    "is gone at import": ("os._exit(0)\n" + LAST, r"while it was imported, it ended the process \(exit code 0\); mend that, and see what `terrors"),
    "is killed": ("os.kill(os.getpid(), signal.SIGSEGV)\n" + LAST, r"while it was imported, it ended the process with a segmentation fault, as an index"),
    "interrupts": ("raise KeyboardInterrupt\n" + LAST, r"while it was imported, it raised KeyboardInterrupt \(line 5\); mend that"),
    "fails in prepare": ("def prepare(box, work):\n    work.weight[99] = 1\n" + LAST, r"prepare raised IndexError: index 99 is out of bounds .* \(line 6\)\."),
    "leaves in prepare": ("def prepare(box, work):\n    exit()\n" + LAST, r"prepare raised SystemExit \(line 6\)\."),
    "takes all memory at import": ("held = []\nwhile True:\n    held.append(bytearray(1 << 27))\n" + LAST, r"it cannot be imported: MemoryError \(line 7\)\."),
    "takes all memory in prepare": (
        "def prepare(box, work):\n    held = [bytearray(1 << 27) for _ in range(10_000)]\n" + LAST, r"prepare raised MemoryError \(line 6\)\.",
    ),
    "talks into a file that it did not open": (
        "for file in range(3, 20):\n    try:\n        os.write(file, b'hello\\n')\n    except OSError:\n        pass\n" + LAST,
        r"while it was imported, it wrote into a file that it had not opened; mend that",
    ),
    "closes files that it did not open": ("os.closerange(3, 100)\n" + LAST, r"while it was imported, it ended the process \(exit code 1\); mend that"),
    "reads wildly in a helper": (
        "from terrors.strategies.kit.simple import buy_worth\n" + CHOOSE + "    return int(buy_worth(game, work, 10**13 * game.turn) > 5.0)\n",
        r"in game 1, turn 1, it ended the process with a segmentation fault, as an index out of range does in a helper; mend that",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_file_that_cannot_be_let_in(written, monkeypatch, name):
    text, said = ENDS[name]
    short = {"loops at import": ("importing",), "loops in prepare": ("preparing",), "loops in choose": ("answering",)}.get(name, ())
    monkeypatch.setattr(tried_out, "SECONDS", tried_out.SECONDS | dict.fromkeys(short, 1.0))
    monkeypatch.setattr(tried_out, "memory_limit", lambda: 2 << 30)
    file = written(text)
    with pytest.raises(StrategyError, match=rf"^{file}: ({said})"):
        find(str(file))
    assert not has_passed(file.read_bytes())


WILD = CHOOSE + "    return options.at[10**9 if game.turn > {turn} else 0].card * 0\n"


def test_an_index_out_of_range_is_told_and_no_crash(written, frozen_box):
    """Until a file has passed its check, it is played with bounds checks: here the check has seen no such turn."""
    file = written(WILD.format(turn=6))
    report = alone.check_alone(file, frozen_box, 2)
    assert len(report.problems) == 1
    assert "turn 7, question" in report.problems[0]
    assert "it raised IndexError: index is out of bounds" in report.problems[0]
    plan = find(str(file))
    assert plan.doubtful
    with pytest.raises(StrategyAnswerError, match=r"^strategy mine raised IndexError: index is out of bounds \(turn 7 of the game with seed \d+\)\.$"):
        play_rows(frozen_box, pairs_of_games(frozen_box, [(0, 1)], 4, seed=1), plan, plan)


def test_what_has_passed_is_compiled_without_bounds_checks(written, frozen_box):
    file = written(LAST, "good")
    report = alone.check_alone(file, frozen_box, 2)
    assert (report.games, report.problems) == (2, [])
    assert has_passed(file.read_bytes())
    assert not find(str(file)).doubtful
    file.write_text(file.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    assert not has_passed(file.read_bytes())


def test_what_was_tried_out_is_not_tried_out_again(written, monkeypatch):
    file = written(LAST, "again")
    find(str(file))
    monkeypatch.setattr(tried_out, "Watch", lambda *_: pytest.fail("it was tried out twice"))
    registry._loaded.clear()
    find(str(file))


@pytest.mark.parametrize("text", ["raise KeyboardInterrupt", "raise SystemExit", "exit()"])
def test_leaving_in_a_game_cannot_be_compiled(written, text):
    file = written(CHOOSE + f"    if game.turn > 2:\n        {text}\n    return 0\n")
    with pytest.raises(StrategyError, match=rf"^{file}: this strategy cannot be compiled\. "):
        find(str(file))


def test_commands_refuse_it_in_one_sentence(written, monkeypatch, tmp_path):
    monkeypatch.setattr(tried_out, "SECONDS", tried_out.SECONDS | {"answering": 1.0})
    file = written(CHOOSE + LOOP.format(turn=1))
    for command in (("simulate", "--games", 24, "--out", tmp_path / "run", "--strategies", file), ("strategies", "check", file)):
        assert "turn 1, it did not come to an end within 1 s" in refused(*command)


UNWATCHED = "from terrors.strategies.formats import registry; registry.WATCH = False; from terrors.cli.main import main; main()"


def test_a_crash_in_a_run_is_told_by_game_and_strategy(written, tmp_path):
    """The check has not seen it; what other games gave is kept. In a process of its own, as a user's is: with helpers that nobody has compiled before."""
    file = written(
        "from terrors.strategies.kit.simple import buy_worth\n" + CHOOSE + "    return int(buy_worth(game, work, 10**13 * (game.turn > 25)) > 1e9)\n"
    )
    given = ("simulate", "--games", "400", "--chunk", "20", "--jobs", "1", "--cards", CARDS, "--strategies", f"{file},greedy", "--out", tmp_path / "run")
    result = subprocess.run([sys.executable, "-c", UNWATCHED, *map(str, given)], capture_output=True, text=True, check=False)
    assert result.returncode == 2, result.stdout + result.stderr
    said = [line for line in result.stderr.splitlines() if not line.startswith("Warning")]
    assert re.fullmatch(
        r"game \d+, turn 26: strategy mine crashed the worker that played it \(segmentation fault\); what was played is kept\. "
        r"`terrors strategies check` may say what is wrong with it\.", said[-1]
    )  # fmt: skip
