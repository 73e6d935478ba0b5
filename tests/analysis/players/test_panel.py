"""Games against a panel of strategies: that each is counted where it belongs."""

import numpy as np
import pytest

from terrors.analysis.players.head_to_head import games_per_second, match_ups, play_against, together
from terrors.analysis.stats.intervals import pair_estimate
from terrors.simulator.play.match import pairs_of_games, play_rows
from terrors.strategies import find
from terrors.strategies.checks.usage import ACTIONS, Watched
from tests.support.watching import all_match_ups


@pytest.fixture(scope="module")
def box(frozen_box):
    return frozen_box


def test_all_match_ups(box):
    assert match_ups(box) == all_match_ups(box)


def test_a_strategy_against_itself_wins_half(box):
    """Each game is played twice with the names of the players exchanged."""
    record = play_against(box, find("greedy"), find("greedy"), 100, seed=3)
    assert record.games == 120  # five groups of four games in each of six match-ups
    assert record.overall.share == 0.5
    assert record.overall.pairs == 30


def test_points_are_counted_by_overlord(box):
    mine, rival = find("flow"), find("greedy")
    record = play_against(box, mine, rival, 240, seed=3)
    won, played = {}, {}
    for seat, players in ((0, (mine, rival)), (1, (rival, mine))):
        for row in play_rows(box, pairs_of_games(box, match_ups(box), 10, seed=3), *players):
            overlord = int(row["second" if seat else "first"])
            won[overlord] = won.get(overlord, 0) + (0.5 if row["winner"] == 2 else row["winner"] == seat)
            played[overlord] = played.get(overlord, 0) + 1
    assert set(played.values()) == {60}
    for overlord, points in won.items():
        assert record.with_overlord(overlord).share == pytest.approx(points / 60)
    assert record.overall.share == pytest.approx(sum(won.values()) / 240)


def test_several_records_as_one(box):
    records = [play_against(box, find("greedy"), find(name), 24, seed=3) for name in ("random", "flow")]
    both = together(records)
    assert both.games == sum(record.games for record in records)
    assert both.overall.share == pytest.approx(np.mean([record.overall.share for record in records]))
    assert pair_estimate(both.first, both.second).share == pytest.approx(both.overall.share)


def test_watching_changes_nothing(box):
    """And what is taken was on offer."""
    plan, rival = find("greedy"), find("random")
    watched = Watched(plan, box)
    rows = pairs_of_games(box, match_ups(box), 2, seed=5)
    assert play_rows(box, rows.copy(), watched, rival).tobytes() == play_rows(box, rows.copy(), plan, rival).tobytes()
    assert "attack" not in dict(watched.never_used)
    assert {name for name, _ in watched.never_used} <= set(ACTIONS.values())
    by_chance = Watched(rival, box)
    play_rows(box, rows.copy(), by_chance, plan)
    assert len(by_chance.never_bought) < len(box.cards.market)


def test_speed_is_measured(box):
    assert games_per_second(box, find("greedy"), 12) > 0
