"""Learning from the games of those who look ahead: the targets by hand, and the same file again after an interruption."""

import numpy as np
import pytest
from click.testing import CliRunner

from terrors.analysis.players import foresight
from terrors.analysis.players.foresight import blended, foresight_settings, train_foresight
from terrors.analysis.players.positions import play_and_note
from terrors.analysis.players.value_net import SetOfCards, begin_weights
from terrors.cli.main import main
from terrors.strategies import find
from terrors.strategies.formats.value import FILE, read_value
from tests.support.places import FROZEN
from tests.support.stopping import stop_after

LIGHT = {"deals": 1, "rounds": 1, "turns": 0, "variants": 0, "setup_deals": 1, "setup_turns": 1}

pytestmark = pytest.mark.slow


def test_targets_lie_between_the_result_and_what_comes_next(frozen_box):
    """A value that knows nothing says 0.5; the side to move changes each turn, and the last position of a game keeps its result."""
    positions = play_and_note(frozen_box, find("tuned").numbers, 96, seed=3)
    nothing = {name: np.zeros_like(w) for name, w in begin_weights(np.random.default_rng(1)).items()}
    ends = np.flatnonzero(positions.game[1:] != positions.game[:-1])
    found = blended(positions, SetOfCards(frozen_box), nothing).won
    end = next(e for e in ends if list(positions.turn[e - 2 : e + 1] - positions.turn[e]) == [-2, -1, 0] and positions.won[e] == 1)
    assert found[end - 2 : end + 1] == pytest.approx([0.1 * 0.5 + 0.9 * (1 - 0.05), 1 - (0.1 * 0.5 + 0.9 * 1), 1])
    assert positions.won[end - 2 : end + 1].tolist() == [1, 0, 1], "what was noted stays as it was"


def test_the_same_training_makes_the_same_file_even_when_interrupted(frozen_box, tmp_path, monkeypatch):
    monkeypatch.setattr(foresight, "NUMBERS", LIGHT)
    settings = foresight_settings(frozen_box, games=200, sets=1, epochs=1)
    one = train_foresight(frozen_box, tmp_path / "one.json", settings)
    with pytest.raises(KeyboardInterrupt):
        train_foresight(frozen_box, tmp_path / "two.json", settings, stopped=stop_after(3))
    assert not (tmp_path / "two.json").exists()
    train_foresight(frozen_box, tmp_path / "two.json", settings, jobs=2)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert one.training["went on from"] == "expert"
    assert any((w != read_value(FILE).weights[name]).any() for name, w in one.weights.items())


def test_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr(foresight, "NUMBERS", LIGHT)
    monkeypatch.setattr(foresight, "MATCH", 24)
    out = tmp_path / "mine.json"
    arguments = ["train", "--foresight", "--out", str(out), "--games", "100", "--sets", "0", "--jobs", "1", "--cards", str(FROZEN)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert "Planner by it against planner by the value of expert, on this set: " in result.stdout
    assert read_value(out).training["games"] == 100
    refused = CliRunner().invoke(main, [*arguments, "--value"])
    assert refused.exit_code == 2
    assert "--value, --adapt and --foresight are three ways to learn; give one of them" in refused.stderr
