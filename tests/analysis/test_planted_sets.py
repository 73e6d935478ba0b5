"""Planted sets: what is planted is found, and what is not is not called off; small ones of those that `terrors selftest` plays."""

import pytest

from terrors.analysis.planted import KINDS, Planting, Tried, plantings, rows_of, try_out

OVERLORDS = ("Azazael", "Fenris", "Lilith", "Methuselah")


def test_kinds_take_turns_and_overlords_too():
    found = plantings(12, OVERLORDS)
    assert [one.kind for one in found] == [*KINDS, *KINDS]
    assert {one.subject for one in found if one.kind == "strong overlord"} == {"Azazael", "Fenris"}
    assert all(one.expected for one in found if one.kind != "nothing")


def test_the_table_counts_by_kind():
    nothing, bomb = Planting("nothing"), Planting("bomb", "Brass Comet")
    rows = rows_of([Tried(nothing, False, "", 4, ["Fenris"]), Tried(nothing, False, "", 4), Tried(bomb, True, "bomb"), Tried(bomb, False, "fine")])
    assert rows == [
        {"kind": "nothing", "sets": 2, "found": None, "said": "1 of 8 overlords called off"},
        {"kind": "bomb", "sets": 2, "found": 1, "said": "bomb 1, fine 1"},
    ]


@pytest.mark.slow
def test_a_weak_and_a_strong_overlord_are_both_named(tmp_path):
    """Methuselah with 8 Health less, Lilith with 8 more: the worst is not hidden, and nobody who is fair is named instead."""
    base = plantings(1, OVERLORDS)[0].changes
    planting = Planting("strong overlord", "Lilith", (*base, "Lilith.health=55", "Methuselah.health=28"), (), ("too strong",))
    found = try_out(planting, tmp_path, seed=3, games=8_000, jobs=2)
    assert found.found
    from terrors.analysis.analyze import analyze

    lamp = analyze([tmp_path / "run"], feel=False).as_data()["lamps"][0]
    assert "Lilith (too strong)" in lamp["sentence"]
    assert "Methuselah (too weak)" in lamp["sentence"]
    assert "Fenris (too strong)" not in lamp["sentence"]
