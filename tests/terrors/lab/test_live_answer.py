"""The answer of the lab: the same question gets the same digits as `terrors compare` and `terrors analyze`."""

import numpy as np
import polars as pl
import pytest

from terrors.analysis.analyze import analyze
from terrors.analysis.compare import compare, open_pair, sentences
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.lab.live_answer import answer
from terrors.lab.live_games import BATCH, UNTIL, LiveGames, LiveQuestion
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.strategies import find
from tests.support.places import FROZEN

ROUNDS = 120
CHANGE = "Thames Drowner.cost=1"


def played(games, question):
    games.open(question)
    with games._changed:
        assert games._changed.wait_for(lambda: question.rounds >= question.most or question.failed, 120)
    games.close(question)
    assert not question.failed
    return question


@pytest.fixture(scope="module")
def live(frozen_cards):
    games, pilot = LiveGames(2), find("greedy")
    sides = games.side(frozen_cards, {}, pilot), games.side(frozen_cards.replace([CHANGE]), {}, pilot)

    def notify():
        with games._changed:
            games._changed.notify_all()

    played(games, LiveQuestion(*sides, notify, most=ROUNDS))
    return games, sides, answer(*sides, ROUNDS, ["Thames Drowner"], Margins())


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same as two runs, as the page about the lab says."""
    place = tmp_path_factory.mktemp("runs")
    plan = Plan(games=12 * ROUNDS, strategies=("greedy",), pairing="mirror", cards=str(FROZEN), until=UNTIL)
    simulate(plan, place / "one")
    simulate(plan.but(set=(CHANGE,)), place / "two")
    return place / "one", place / "two"


def test_the_same_digits_as_compare(live, runs):
    _, _, mine = live
    theirs = compare(*open_pair(*runs))
    keys = ["family", "group", "overlord", "rival"]
    one, two = mine.table.sort(keys), theirs.table.sort(keys)
    assert one.select(*keys, "deals").equals(two.select(*keys, "deals"))
    for column in ("before", "after", "difference", "low", "high", "p"):
        assert np.allclose(one[column].to_numpy(), two[column].to_numpy(), rtol=0, atol=1e-9), column
    assert one["verdict_after"].to_list() == two["verdict_after"].to_list()
    assert mine.data["sentences"] == sentences(theirs, 4)
    assert one["difference"].abs().max() > 1  # there was something to see


def test_the_same_verdicts_as_analyze(live, runs):
    _, _, mine = live
    theirs = analyze([runs[1]]).tables["overlords"].filter(pl.col("group").is_in(HEADLINES)).sort("overlord")
    now = mine.data["now"]["overlords"]
    assert [row["overlord"] for row in now] == theirs["overlord"].to_list()
    assert np.allclose([row["rate"] for row in now], theirs["rate"].to_numpy())
    assert np.allclose([row["low"] for row in now], theirs["low"].to_numpy())
    assert [row["state"]["word"] for row in now] == theirs["verdict"].to_list()


def test_length_and_purchases_are_those_of_the_runs(live, runs):
    from terrors.simulator.runs.run import Run

    _, _, mine = live
    turns, bought = [], []
    for folder in runs:
        run = Run.open(folder)
        turns.append(run.games.select(pl.col("turns").mean()).collect().item())
        bought.append(run.purchases.filter(pl.col("card") == "Thames Drowner").collect().height / (12 * ROUNDS))
    assert mine.data["length"]["difference"] == pytest.approx(turns[1] - turns[0])
    (row,) = mine.data["cards"]
    assert row["card"] == "Thames Drowner"
    assert row["difference"] == pytest.approx(bought[1] - bought[0])
    assert row["low"] < row["difference"] < row["high"]


def test_a_side_is_kept_and_its_games_are_not_played_again(live, frozen_cards):
    games, sides, _ = live
    count = games.played
    assert games.side(frozen_cards.replace([CHANGE]), {}, find("greedy")) is sides[1]
    played(games, LiveQuestion(*sides, lambda: None, most=ROUNDS))
    assert games.played == count


def test_too_few_games_have_no_answer(live):
    _, sides, _ = live
    assert answer(*sides, BATCH, [], Margins()) is None


def test_one_side_is_told_by_itself(live):
    _, sides, _ = live
    found = answer(sides[0], sides[0], ROUNDS, [], Margins())
    assert "overlords" not in found.data
    assert [row["overlord"] for row in found.data["now"]["overlords"]] == sorted(card.name for card in sides[0].cards.overlords)
    assert found.widest > 1


def test_sets_that_share_no_overlord_are_not_compared(live, frozen_cards):
    """Nor is anything made up where an overlord has another name: its deals are others."""
    games, sides, _ = live
    name = frozen_cards.overlords[0].name
    renamed = frozen_cards.replace([f"{name}.name=Somebody", *(f"{card.name}.overlord=Somebody" for card in frozen_cards.influences_of(name))])
    other = games.side(renamed, {}, find("greedy"))
    question = LiveQuestion(sides[0], other, lambda: None, most=100)
    games.open(question)
    while question.rounds < 100:
        pass
    games.close(question)
    found = answer(sides[0], other, 100, [], Margins())
    assert {row["overlord"] for row in found.data["overlords"]} == {card.name for card in frozen_cards.overlords} - {name}
    assert found.data["length"] is None
