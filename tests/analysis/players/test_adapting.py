"""Pilots that learn a set before they judge it: who is replaced in a panel, and what the page says of it. How well they learn is benchmarks/adapting.py's."""

import json
from dataclasses import asdict

import pytest

from terrors.analysis.players.adapting import Gain, adapt, adapted_panel, is_news
from terrors.analysis.players.gained import GAINED, gained_words
from terrors.simulator.play.box import make_box
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find
from terrors.strategies.formats.value import LearntValue, content_of, read_value


@pytest.fixture
def learnt(frozen_box, tmp_path):
    """Return a function that writes what expert would have learnt of a set, with a gain."""

    def write(elo: float, half_width: float, cards: str = frozen_box.cards.sha256):
        expert = find("expert")
        about = {"began as": expert.sha256, "cards": cards, "rules": {}, GAINED: asdict(Gain(elo, half_width, 4000))}
        file = tmp_path / "expert_adapted.json"
        file.write_bytes(content_of(LearntValue("Learnt.", expert.value.weights, about)))
        return file

    return write


def test_a_pilot_that_gained_clearly_takes_the_place_of_the_one_that_ships(frozen_box, learnt, tmp_path):
    file = learnt(45, 9)
    assert adapted_panel(frozen_box, ["greedy", "tuned", "expert"], tmp_path) == ["greedy", "tuned", str(file)]
    assert find(str(file)).name == "expert_adapted"


def test_a_pilot_that_did_not_gain_stays_as_it_ships(frozen_box, learnt, tmp_path):
    learnt(5, 9)
    assert adapted_panel(frozen_box, ["tuned", "expert"], tmp_path) == ["tuned", "expert"]


def test_what_was_learnt_of_another_set_is_learnt_again(frozen_box, learnt, tmp_path, monkeypatch):
    file, begun = learnt(45, 9, cards="0" * 64), []
    monkeypatch.setattr("terrors.analysis.players.adapting.adapt", lambda box, out, **of: begun.append(out) or Gain(1, 9, 4000))
    assert adapted_panel(frozen_box, ["expert"], tmp_path) == ["expert"]
    assert begun == [file]


def test_the_gain_is_written_into_the_file_and_told(frozen_box, tmp_path):
    gain = adapt(frozen_box, tmp_path / "mine.json", games=96, match=48)
    assert read_value(tmp_path / "mine.json").training[GAINED] == asdict(gain)


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        ([], []),
        ([45.2], ["One of the pilots had not learnt this set (it gained 45 Elo)."]),
        ([45.2, 38], ["The pilots had not learnt this set (they gained 38 to 45 Elo)."]),
    ],
)  # fmt: skip
def test_the_page_says_what_was_gained_and_nothing_where_nothing_was(gains, words):
    files = [json.dumps({"training": {GAINED: {"elo": elo}}}).encode() for elo in gains]
    assert gained_words([b'{"plan": "numbers"}', *files]) == words
    broken = [b"", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"training": 3}', b'{"training": {"gained": {"elo": "9"}}}', b'{"training": {"gained": {"elo": NaN}}}']
    assert gained_words([*broken, *files]) == words


def test_a_set_is_news_only_to_those_who_play_by_a_value_and_were_not_trained_on_it(frozen_box):
    assert not is_news(frozen_box, ["greedy", "tuned"])
    assert not is_news(make_box(frozen_box.cards, Rules()), ["expert"]), "an ordinary set of known abilities is none"
