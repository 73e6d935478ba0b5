"""The fair hand of a report: which hands are tried, and what is said of them."""

import polars as pl
import pytest

from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.trials import fair_hand as asked
from terrors.analysis.trials.fair_hand import fair_hand, fair_hand_words
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan

ROW = {"fair": 2.84, "fair_low": 2.66, "fair_high": 3.04, "games": 9000, "played_by": "tuned"}


def hand(size: int, now: bool, rate: float, **more: object) -> dict[str, object]:
    return {"size": size, "now": now, "rate": rate, "low": rate - 1.5, "high": rate + 1.5, "deals": 1500} | ROW | more


@pytest.mark.usefixtures("compiled_engine")
@pytest.mark.parametrize(("pays", "rules", "sizes"), [(True, {}, [2, 3, 4]), (False, {}, [4, 5, 6]), (True, {"first_hand": 0}, [0, 1])])
def test_hands_are_tried_on_the_side_that_helps(pays, rules, sizes, monkeypatch):
    monkeypatch.setattr(asked, "GAMES", 120)
    table = fair_hand(Job.of(Plan(strategies=("greedy",), pairing="mirror", rules=rules), ""), pays)
    assert table.columns == list(ANSWERS["fair_hand"])
    assert table["size"].to_list() == sizes
    assert table.filter(pl.col("now"))["size"].to_list() == [rules.get("first_hand", 4)]
    assert table["games"][0] == len(sizes) * 120
    assert table["played_by"].unique().to_list() == ["greedy"]


def test_it_says_where_it_is_even_and_how_to_play_it_so():
    assert fair_hand_words([hand(2, False, 43.0), hand(3, False, 51.2), hand(4, True, 57.4)]) == (
        "Going first would be even with a first hand of 2.8 cards (2.7–3.0); now it is 4. Of whole hands, with 3 the first player wins 51 (50–53) of 100 "
        "(9,000 games of tuned, the same deals with each hand). `terrors balance --rule first_hand=3` plays the set so."
    )


def test_where_no_hand_is_even_it_says_so():
    unknown = {"fair": None, "fair_low": None, "fair_high": None}
    words = fair_hand_words([hand(2, False, 63.0, **unknown), hand(3, False, 66.0, **unknown), hand(4, True, 70.0, **unknown)])
    assert words.startswith("No first hand from 2 to 4 cards makes going first even for certain; with 2 the first player wins 63 ")
    assert words.endswith("`terrors balance --rule first_hand=2` plays the set so.")


def test_the_hand_as_it_is_needs_no_command():
    assert "--rule" not in fair_hand_words([hand(3, False, 43.0), hand(4, True, 49.6)])
    assert fair_hand_words([]) == ""
