"""A second opinion: whether a slow pilot agrees with the headline, by hand and on a small run."""

import numpy as np

from terrors.analysis.analyze import analyze
from terrors.analysis.questions.hands_tables import opinion_words
from terrors.analysis.trials.second_opinion import add_opinion, ask_opinion, opinion_table
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from tests.support.places import FROZEN

HEADLINES = {"Ash": {"rate": 60.0, "low": 58.0, "high": 62.0}, "Birch": {"rate": 40.0, "low": 38.0, "high": 42.0}}


def won(share: float, deals: int = 1_000) -> np.ndarray:
    return (np.arange(deals) < share * deals).astype(float)


def test_it_agrees_unless_luck_and_who_plays_do_not_explain_the_difference():
    same = opinion_table("owl", 2_000, [("overlords", "Ash", won(0.62)), ("overlords", "Birch", won(0.41))], HEADLINES)
    assert same["agrees"].to_list() == [True, True]
    who = "owl, the strongest slow pilot, in 2,000 games against itself"
    assert opinion_words(same) == f"{who}, agrees: nothing differs by more than luck and who plays explain."
    other = opinion_table("owl", 2_000, [("overlords", "Ash", won(0.75)), ("overlords", "Birch", won(0.41))], HEADLINES)
    assert other["agrees"].to_list() == [False, True]
    assert opinion_words(other) == f"{who}, sees it otherwise: Ash wins 75 (72–78) instead of 60; the rest agrees."
    assert opinion_words(None) == ""
    few = opinion_table("owl", 96, [("overlords", "Ash", won(0.62, 48)), ("overlords", "Birch", won(0.41, 48))], HEADLINES)
    assert opinion_words(few).endswith("in 96 games against itself, sees nothing clearly otherwise (±14 points; --thorough asks it for more).")


def test_a_pilot_agrees_with_itself(tmp_path):
    plan = Plan(games=800, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), strategies=("greedy",), pairing="mirror")
    simulate(plan, tmp_path / "run", jobs=1)
    found = analyze([tmp_path / "run"], feel=False)
    add_opinion(found, ask_opinion(Job.of(plan, str(tmp_path / "run")), 600))
    table = found.tables["second_opinion"]
    assert sorted(table["overlord"]) == ["", "Azazael", "Fenris", "Lilith"]
    assert table["agrees"].all()
    assert found.as_data()["pilots"]["opinion"] == found.as_data()["pilots"]["words"][-1]
