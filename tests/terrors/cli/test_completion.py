"""What the shell completes: cards, overlords, strategies, runs; and which run is proposed for a comparison."""

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from terrors.cli.comparable import comparable
from terrors.cli.main import main
from terrors.simulator.cards.card_set import load_cards
from tests.support.places import FROZEN


def completed(words: list[str], last: str) -> list[str]:
    return [item.value for item in ShellComplete(main, {}, "terrors", "_X").get_completions(words, last) if item.value]


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_of_the_set_that_would_be_played(desk):
    assert completed(["card"], "thames") == ["Thames Drowner"]
    assert completed(["overlord"], "L") == ["Lilith"]
    assert completed(["play", "--as"], "fe") == ["Fenris"]
    assert completed(["balance", "--overlords"], "Lilith,F") == ["Lilith,Fenris"]
    (desk / "cards.csv").write_text(load_cards(FROZEN).to_csv().replace("Thames Drowner", "Thames Diver"), encoding="utf-8")
    assert completed(["card"], "thames") == ["Thames Diver"]
    (desk / "cards.csv").write_text("broken", encoding="utf-8")
    assert completed(["card"], "thames") == []


def test_strategies_and_runs(desk):
    assert "greedy" in completed(["balance", "--strategies"], "gr")
    assert completed(["simulate", "--strategies"], "greedy,cont") == ["greedy,control"]
    assert completed(["strategies", "check"], "aggr") == ["aggro"]
    (desk / "runs" / "base").mkdir(parents=True)
    (desk / "runs" / "base" / "run.json").touch()
    for command in (["compare"], ["compare", "runs/base"], ["analyze"], ["report"], ["card", "Ghoul", "--run"]):
        assert completed(command, "ru") == ["runs/base"]


def info(games: int, cards: str = "a", **plan) -> dict:
    usual = {
        "overlords": [],
        "strategies": ["greedy"],
        "pairing": "mirror",
        "mirrors": False,
        "influences": "choose",
        "deny_lottery": 0.1,
        "seed": 1,
        "set": [],
    }
    return {"tallies": {"games": games}, "identity": {"plan": usual | plan, "cards": cards}}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (info(180_000), info(180_000, "b"), True),
        (info(180_000), info(180_000, set=["Ghoul.cost=3"]), True),
        (info(180_000), info(90_000, "b"), True),
        (info(180_000), info(16_000, "b"), False),  # far fewer games
        (info(180_000), info(180_000, "b", strategies=["tuned"]), False),
        (info(180_000), info(180_000, "b", overlords=["Lilith", "Fenris"]), False),
        (info(180_000), info(180_000, "b", seed=2), False),
        (info(180_000), info(180_000), False),  # nothing has changed
    ],
)
def test_which_runs_can_be_compared(one, other, same):
    assert comparable(one, other) is same
    assert comparable(other, one) is same
