"""What people and machines do to run folders: each ends in the same rows or in one sentence, and never in rows that are wrong."""

import pytest
from click.testing import CliRunner, Result

from reports.cli import main
from simulator.plan import Plan
from simulator.run import simulate
from simulator.verify import verify_run
from tests.conftest import FROZEN

PLAN = Plan(games=240, cards=str(FROZEN), overlords=("Fenris", "Lilith"))


def terrors(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(*arguments: object) -> str:
    """The one sentence with which a command refuses."""
    result = terrors(*arguments)
    assert result.exit_code == 2, result.output
    assert len(result.stderr.strip().splitlines()) == 1
    assert isinstance(result.exception, SystemExit)
    return result.stderr.strip()


@pytest.mark.parametrize("option", ["--games", "--chunk", "--events"])
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
        '"""The last option."""\nfrom strategies import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    return options.n - 1\n',
        encoding="utf-8",
    )
    plan = PLAN.but(games=24, pairing=f"vs:{file}", rules={"max_turns": 20})
    run = simulate(plan, tmp_path / "run")
    file.unlink()
    assert verify_run(str(tmp_path / "run"), 10).problems == []
    again = simulate(Plan.read(tmp_path / "run" / "plan.toml"), tmp_path / "again")
    assert again.games.collect().equals(run.games.collect())
