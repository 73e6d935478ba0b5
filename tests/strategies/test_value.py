"""The learnt value of positions: the compiled sums against NumPy's, files that do not fit, and cards that count the same in any order."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from terrors.strategies import StrategyError, find
from terrors.strategies.formats.value import DESCRIBED, FILE, describe, read_value, rows_of_cards
from terrors.strategies.kit.prospects import FINE
from tests.support.places import ROOT

COMPARED = """
import numpy as np
from terrors.analysis.players.positions import positions_of
from terrors.analysis.players.value_net import SetOfCards, forward, inputs_of
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.kernel import layout, work_layout
from terrors.simulator.kernel.records import record
from terrors.simulator.play.box import make_box
from terrors.simulator.story.position import lay_table
from terrors.strategies.formats.value import fill_value, read_value
from terrors.strategies.kit.notes import note_position
from terrors.strategies.kit.prospects import look, odds

box = make_box(load_cards("tests/data/cards.csv"))
deck = ["Cultist", "Fanatic", "Werewolf", "Blood Moon", "Rat-Catcher", "Ghoul"]
you = {"overlord": "Fenris", "health": 17, "hand": ["Cultist", "Ghoul"], "deck": deck, "discard": ["Black Shuck"], "relics": ["Hand of Glory"]}
rival = {"overlord": "Azazael", "health": 31, "hand": ["Fanatic"] * 5, "deck": ["Cultist"] * 4, "play": ["Grey Lady haunted"], "relics": ["Crystal Ball"]}
game, _ = lay_table(box, {"you": you, "opponent": rival, "table": {"turn": 9, "street": ["Skeletal", "Banshee", "Werewolf"]}})
weights, work = read_value().weights, record(work_layout.WORK)
fill_value(weights, box.record, work)
note_position(game.record, box.record, work)
look(game.record, box.record, work)
found = odds(work, int(game.record.active), int(game.record.turn))
rows = np.zeros(1, layout.RESULT)
rows["seed"] = game.record.seed
position = positions_of(np.asarray(work.notes.note)[:1].copy(), rows, int(box.record.kinds))
cards = SetOfCards(box)
print(found, forward(weights, inputs_of(position, cards), cards.described)[0][0])
"""


def test_the_compiled_sums_are_those_of_numpy():
    """As plain Python, which plays the same games bit for bit (jit.py)."""
    done = subprocess.run([sys.executable, "-c", COMPARED], cwd=ROOT, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    one, other = map(float, done.stdout.split())
    assert one == pytest.approx(other, abs=2e-3)  # rows of cards are rounded in play


def test_rows_of_cards_are_exact_in_any_order(frozen_box):
    rows = rows_of_cards(read_value().weights, describe(frozen_box.record))
    assert (rows * FINE == np.round(rows * FINE)).all()
    luck = np.random.default_rng(1)
    drawn = rows[luck.integers(0, len(rows), 128)]
    assert (drawn.sum(0, dtype=np.float32) == drawn[luck.permutation(128)].sum(0, dtype=np.float32)).all()


def test_a_card_is_known_by_what_it_does_and_not_by_its_name(frozen_cards):
    from terrors.simulator.play.box import make_box

    renamed = frozen_cards.with_cards([{"name": "Night Errand", "pile": "market", "type": "Monster", "cost": 2, "copies": 1, "abilities": "2 Power"}])
    again = frozen_cards.with_cards([{"name": "Other Errand", "pile": "market", "type": "Monster", "cost": 2, "copies": 1, "abilities": "2 Power"}])
    assert (describe(make_box(renamed).record) == describe(make_box(again).record)).all()


def changed(tmp_path, change):
    data = json.loads(FILE.read_text(encoding="utf-8"))
    change(data)
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data["weights"].pop("inner"), "inner: there are no such numbers"),
        (lambda data: data["weights"].update(out=[1.0]), "out: these numbers do not fit"),
        (lambda data: data["weights"].update(out_bias=float("nan")), "out_bias: these numbers do not fit"),
        (lambda data: data.update(described=list(DESCRIBED)[1:]), "other descriptions of cards"),
        (lambda data: data.pop("plan"), "a plan in words and weights"),
    ],
)
def test_a_file_that_does_not_fit_is_named_with_its_remedy(tmp_path, change, words):
    with pytest.raises(StrategyError, match=words) as error:
        find(str(changed(tmp_path, change)))
    assert "terrors train --value" in str(error.value)


def test_a_missing_file_is_an_error_and_no_other_value_takes_its_place(tmp_path, frozen_box):
    from terrors.strategies.formats.thinker import Thinker

    with pytest.raises(StrategyError, match="the learnt value of positions cannot be read"):
        Thinker("terrors.strategies.formats.thinker", value=tmp_path / "none.json", deals=1, rounds=1, turns=0, variants=0).work(frozen_box)


def test_another_value_is_another_player(tmp_path):
    """The hash of a run's strategies tells them apart."""
    from terrors.strategies.formats.thinker import Thinker

    mine = changed(tmp_path, lambda data: data["weights"].update(out_bias=0.5))
    assert find(str(mine)).sha256 != find("expert").sha256
    numbers = {"deals": 1, "rounds": 1, "turns": 0, "variants": 0}
    module = "terrors.strategies.formats.thinker"
    assert Thinker(module, value=mine, **numbers).sha256 != Thinker(module, **numbers).sha256
