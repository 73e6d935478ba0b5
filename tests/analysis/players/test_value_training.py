"""Learning the value of positions: its gradient, its data, the same result again, and the edits that it is learnt on."""

import numpy as np
import pytest

from terrors.analysis.players.adapting import Gain, adapt, fits
from terrors.analysis.players.edited_sets import edited
from terrors.analysis.players.positions import FACTS, play_and_note
from terrors.analysis.players.value_net import SetOfCards, begin_weights, chances, forward, gradient, inputs_of
from terrors.analysis.players.value_training import ValueSettings, loss_of, train_value
from terrors.simulator.cards.card_set import set_problems
from terrors.strategies import find
from tests.support.stopping import stop_after

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def some_positions(frozen_box):
    return play_and_note(frozen_box, find("tuned").numbers, 96, seed=3)


def test_positions_are_those_at_the_beginning_of_turns(some_positions):
    """Turn by turn, seen by the one to move; whoever has less Health at the end has mostly lost."""
    facts = {name: some_positions.facts[:, :, i] for i, name in enumerate(FACTS)}
    first = some_positions.turn == 1
    assert (facts["health"][first] == facts["start_health"][first]).all()
    assert (facts["cycle"][first] == 10).all()
    late = some_positions.turn > 12
    ahead = facts["health"][late][:, 0] - facts["health"][late][:, 1]
    assert np.corrcoef(ahead, some_positions.won[late])[0, 1] > 0.4
    same = some_positions.game[1:] == some_positions.game[:-1]
    assert (some_positions.turn[1:][same] > some_positions.turn[:-1][same]).all()


def test_the_gradient_is_the_slope(frozen_box, some_positions):
    batch, cards = some_positions.some(slice(0, 48)), SetOfCards(frozen_box)
    inputs, luck = inputs_of(batch, cards), np.random.default_rng(2)
    described = cards.described.astype(float)
    weights = {name: w.astype(float) + 0.05 * luck.standard_normal(w.shape) for name, w in begin_weights(luck).items()}

    def loss(changed):
        return loss_of(chances(forward(weights | changed, inputs, described)[0]), batch.won)

    odds, way = forward(weights, inputs, described)
    slope = gradient(weights, inputs, described, way, (chances(odds) - batch.won) / len(batch))
    for name, w in weights.items():
        way_up = luck.standard_normal(w.shape)
        measured = (loss({name: w + 1e-5 * way_up}) - loss({name: w - 1e-5 * way_up})) / 2e-5
        assert measured == pytest.approx(float((slope[name] * way_up).sum()), rel=1e-3, abs=1e-7), name


def test_an_edited_set_is_valid_and_always_the_same(frozen_cards):
    one, again, other = edited(frozen_cards, 4), edited(frozen_cards, 4), edited(frozen_cards, 5)
    assert one.cards == again.cards != other.cards
    assert not set_problems(one.cards)
    differ = sum(a != b for a, b in zip(one.cards, frozen_cards.cards, strict=True))
    assert 0.2 < differ / len(frozen_cards.cards) < 0.7


def test_the_same_training_makes_the_same_file_even_when_interrupted(frozen_box, tmp_path):
    settings = ValueSettings(frozen_box.cards.sha256, "", {}, games=400, sets=1, rounds=2, epochs=1, batch=512)
    train_value(frozen_box, tmp_path / "one.json", settings)
    with pytest.raises(KeyboardInterrupt):
        train_value(frozen_box, tmp_path / "two.json", settings, stopped=stop_after(3))
    assert not (tmp_path / "two.json").exists()
    train_value(frozen_box, tmp_path / "two.json", settings, jobs=2)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_adapting_writes_a_pilot_and_says_what_it_gained(frozen_box, tmp_path):
    gain = adapt(frozen_box, tmp_path / "mine.json", games=400, match=96)
    assert gain.games == 96
    assert gain.half_width > 0
    assert find(str(tmp_path / "mine.json")).value.training["cards"] == frozen_box.cards.sha256
    assert Gain(30, 20, 96).clear
    assert not Gain(10, 20, 96).clear


def test_the_value_fits_its_own_set(frozen_box):
    fit = fits(frozen_box, games=192)
    assert 0 < fit.bias < 100
    assert fit.needs_adapting == (fit.bias > fit.limit)
