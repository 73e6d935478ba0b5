"""Campaigns and mutants look for trouble: that they find it, and shrink it, is tested here on small ones."""

from tests.trust.campaign import batch, play_world, shrunk
from tests.trust.differential import Plan, plan_of
from tests.trust.mutants import TARGETS, all_mutants, drawn, table, verdict


def test_a_difference_is_shrunk_to_what_shows_it():
    """Here every game differs in which one card is in the set and one rule is changed, the longer the higher its number."""
    plan = plan_of("random", 24)
    _, *rows = plan.cards.splitlines()
    culprit = next(row for row in rows if ",Market" in row or ",market" in row).split(",")[0]

    def fails(one: Plan) -> int | None:
        return 10 + one.number if f"\n{culprit}," in one.cards and "max_turns" in one.rules else None

    small = shrunk(plan, fails)
    assert f"\n{culprit}," in small.cards
    assert len(small.cards.splitlines()) < len(rows) / 2
    assert list(small.rules) == ["max_turns"]
    assert small.number == 0


def test_a_world_follows_from_its_name(monkeypatch):
    assert play_world("1 2 3") == play_world("1 2 3")
    monkeypatch.setattr("tests.trust.campaign.BATCH", 8)
    monkeypatch.setattr("tests.trust.campaign.WORLDS", 0)
    found = batch(5, 1)
    assert (found.games, found.told) == (8, [])
    assert found.decisions > 100


def test_there_are_mutants_of_every_file_and_a_draw_is_always_the_same():
    assert [file for file in TARGETS if len(all_mutants(file)) < 5] == []
    assert drawn(50, "", 1) == drawn(50, "", 1)
    assert len(set(map(str, drawn(600, "", 1)))) > 500
    assert [verdict(status) for status in (0, 256, 9, 24)] == ["killed", "survived", "endless", "endless"]
    assert table([(drawn(1, "", 1)[0], "killed", 2.0)])[-1] == "| **all** | 1 | 1 | 0 | 0 | 2 |"
