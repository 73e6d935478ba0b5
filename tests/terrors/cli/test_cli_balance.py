"""`terrors balance`: the main job, as a designer does it."""

import json
from pathlib import Path

import pytest

from tests.support.commands import terrors
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow

SMALL = ("--cards", str(FROZEN), "--games", "480", "--strategies", "greedy", "--jobs", "2")


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_play_analyse_report_change_a_card_and_compare(desk):
    """With a gate on the way: 480 games are too few to say anything about a card, so that it hangs on the others."""
    wide = [text for name in ("overlord", "matchup", "first", "card") for text in ("--margin", f"{name}=49")]
    first = terrors("balance", *SMALL, *wide, "--fail-on", "lopsided")
    assert first.exit_code == 0, first.output
    page = desk / first.stdout.split("The page: ")[1].splitlines()[0]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (desk / "runs" / "latest" / "report" / "index.html").samefile(page)
    assert "What changed" not in first.stdout
    second = terrors("balance", *SMALL, "--set", "Werewolf.cost=7", "--margin", "first=0.001", "--fail-on", "undecided")
    assert second.exit_code == 1, second.output
    words = second.stdout.split("What changed since the run before: terrors ")[1].split()
    assert (desk / "runs" / "latest").resolve() == (desk / words[2]).resolve()
    compared = terrors(*words)
    assert "Werewolf, cost: 4 → 7." in compared.stdout
    again = terrors("balance", *SMALL, "--set", "Werewolf.cost=7", "--json")  # all is there already
    assert json.loads(again.stdout)["page"] == second.stdout.split("The page: ")[1].splitlines()[0]


def test_only_one_size(desk):
    result = terrors("balance", "--quick", "--thorough")
    assert result.exit_code == 2
    assert "give only one of them" in result.stderr
