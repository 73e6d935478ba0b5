"""Warnings about a card set (simulator/cards/advice.py): each command says them once, on stderr."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from terrors.cli.main import main
from terrors.simulator.cards.card_set import load_cards
from tests.support.places import FROZEN

ENDLESS = "Azazael.abilities=1 Power"
ENDLESS_WARNING = "costs nothing and has no limit, so it can be used without end; write 'once per turn: …' before it (rule O1)."
FEW_GAMES = ("--strategies", "greedy", "--overlords", "Fenris,Azazael", "--games", "40", "--jobs", "1")


def terrors(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def warned(result: Result) -> list[str]:
    """The warnings, which stand on stderr and nowhere else."""
    assert "Warning" not in result.stdout
    return [line for line in result.stderr.splitlines() if line.startswith("Warning: ")]


@pytest.fixture
def sound() -> Path:
    """A set of which nothing is to be said."""
    assert load_cards().warnings == ()
    return Path(str(load_cards().path))


@pytest.fixture
def endless(sound, tmp_path) -> Path:
    """The same with an overlord whose ability has no end."""
    file = tmp_path / "endless.csv"
    file.write_text(load_cards(sound).replace(ENDLESS).to_csv(), encoding="utf-8")
    return file


def test_cards(sound, endless):
    assert warned(terrors("cards", sound)) == []
    (warning,) = warned(terrors("cards", endless))
    assert warning.startswith("Warning: endless.csv, row ")
    assert warning.endswith(ENDLESS_WARNING)
    (said,) = json.loads(terrors("cards", endless, "--json").stdout)["warnings"]
    assert warning == f"Warning: {said}."


@pytest.mark.slow
def test_simulate(sound, endless, tmp_path):
    (warning,) = warned(terrors("simulate", "--cards", endless, *FEW_GAMES, "--out", tmp_path / "file"))
    assert warning.endswith(ENDLESS_WARNING)
    (warning,) = warned(terrors("simulate", "--cards", sound, "--set", ENDLESS, *FEW_GAMES, "--out", tmp_path / "changed"))
    assert "Azazael" in warning
    assert warning.endswith(ENDLESS_WARNING)
    mended = ("--set", "Azazael.abilities=once per turn: 1 Power")
    assert warned(terrors("simulate", "--cards", endless, *mended, *FEW_GAMES, "--out", tmp_path / "mended")) == []


@pytest.mark.slow
def test_balance(sound, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (warning,) = warned(terrors("balance", "--cards", sound, "--set", ENDLESS, *FEW_GAMES))
    assert warning.endswith(ENDLESS_WARNING)


@pytest.mark.slow
def test_each_warning_of_a_set_is_said_once(tmp_path):
    """The frozen set, whose Horde indicators do not agree, and an endless overlord."""
    warnings = load_cards(FROZEN).replace(ENDLESS).warnings
    assert len(warnings) == 1 + len(load_cards(FROZEN).warnings)
    found = warned(terrors("simulate", "--cards", FROZEN, "--set", ENDLESS, *FEW_GAMES, "--out", tmp_path / "run"))
    assert found == [f"Warning: {warning}." for warning in warnings]
