"""Planted sets: what is planted is found, and what is not is not called off; small ones of those that `terrors selftest` plays."""

import json
from dataclasses import replace

import numpy as np
import pytest

from terrors.analysis.planted import FAIR_HEALTH, KINDS, OFF_BY, Planting, Tried, kept_name, plantings, rows_of, try_all, try_out
from terrors.analysis.players.head_to_head import match_ups
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import pairs_of_games, play_rows, points
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find

OVERLORDS = ("Azazael", "Fenris", "Lilith", "Methuselah")


def test_kinds_take_turns_and_overlords_too():
    found = plantings(2 * len(KINDS), OVERLORDS)
    assert [one.kind for one in found] == [*KINDS, *KINDS]
    assert {one.subject for one in found if one.kind == "strong overlord"} == {"Azazael", "Fenris"}
    assert [one.expected for one in found if one.kind == "going first"] == [("pays",), ("costs",)]
    assert {one.kind for one in plantings(4, OVERLORDS, ("bomb", "dead"))} == {"bomb", "dead"}


@pytest.mark.parametrize("planting", plantings(len(KINDS), OVERLORDS), ids=KINDS)
def test_every_planted_set_can_be_read(planting, tmp_path):
    """New names, no card of the reference set among them; and changes that the card file knows."""
    text = load_cards(None).to_csv().rstrip("\n")
    (tmp_path / "cards.csv").write_text("\n".join([text, *planting.rows]) + "\n", encoding="utf-8")
    cards = load_cards(tmp_path / "cards.csv").replace(list(planting.changes))
    assert len(cards.cards) == len(load_cards(None).cards) + len(planting.rows)
    Rules().but(dict(planting.rules))


def test_the_table_counts_by_kind_and_says_how_large():
    nothing = [Tried("nothing", "", True, "", fair={"overlords": 4}, false={"overlords": names}) for names in (["Fenris wins …"], [])]
    bombs = [Tried("bomb", "Brass Comet", True, "bomb", 22.0, 5.0), Tried("bomb", "Brass Comet", False, "fine", 20.0, 7.0)]
    one, other = rows_of([*nothing, *bombs])
    assert one == {"kind": "nothing", "sets": 2, "found": None, "said": "called off: 1 of 8 overlords"}
    assert other["scatter"] == pytest.approx(2**0.5)
    assert {name: other[name] for name in ("kind", "sets", "found", "said", "size", "half")} == {
        "kind": "bomb", "sets": 2, "found": 1, "said": "bomb 1, fine 1", "size": 21.0, "half": 6.0,
    }  # fmt: skip


def test_what_was_judged_is_kept_and_not_played_again(tmp_path):
    (kept,) = [Tried("dead", "Lead Penny", True, "dead", 0.1, 0.2)]
    (planting,) = plantings(1, OVERLORDS, ("dead",))
    (tmp_path / f"{kept_name(planting)} 0, seed 7, 1000 games.json").write_text(json.dumps(vars(kept)), encoding="utf-8")
    assert try_all(1, tmp_path, seed=7, games=1_000, kinds=("dead",)) == [kept]
    assert kept_name(planting) != kept_name(replace(planting, changes=("Fenris.health=1",)))


@pytest.mark.slow
@pytest.mark.parametrize("pilot", ["expert", "expert_b"])
def test_the_base_is_fair_with_the_reference_set_of_today(pilot):
    """Whoever edits cards.csv makes other Health fair (FAIR_HEALTH); with an unfair base the table of planted truths would count truths as false alarms."""
    planting = plantings(1, OVERLORDS)[0]
    box = make_box(load_cards(None).replace(list(planting.changes)), Rules().but(dict(planting.rules)))
    rows = pairs_of_games(box, match_ups(box), 500, seed=5)
    play_rows(box, rows, find(pilot), find(pilot))
    won = points(rows["winner"])
    assert won.mean() == pytest.approx(0.49, abs=0.03)
    for name in OVERLORDS:
        mine = np.concatenate([won[rows["first"] == box.kind(name)], 1 - won[rows["second"] == box.kind(name)]])
        assert mine.mean() == pytest.approx(0.5, abs=0.045), name


@pytest.mark.slow
def test_a_weak_and_a_strong_overlord_are_both_named(tmp_path):
    """Methuselah with 8 Health less, Lilith with 8 more: the worst is not hidden, and nobody who is fair is named instead."""
    base = plantings(1, OVERLORDS)[0].changes
    off = f"Lilith.health={FAIR_HEALTH['Lilith'] + OFF_BY}", f"Methuselah.health={FAIR_HEALTH['Methuselah'] - OFF_BY}"
    planting = Planting("strong overlord", "Lilith", (*base, *off), (), ("too strong",))
    found = try_out(planting, tmp_path, seed=3, games=8_000, jobs=2)
    assert found.found
    from terrors.analysis.analyze import analyze

    lamp = analyze([tmp_path / "run"], feel=False).as_data()["lamps"][0]
    assert "Lilith (too strong)" in lamp["sentence"]
    assert "Methuselah (too weak)" in lamp["sentence"]
    assert "Fenris (too strong)" not in lamp["sentence"]
