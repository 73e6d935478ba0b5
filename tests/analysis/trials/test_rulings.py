"""How much hangs on a ruling: effects that are known beforehand, none where nothing changes, the same every time."""

import json

import polars as pl
import pytest

from terrors.analysis.trials.rulings import READINGS, Rulings, play_rulings, readings
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.terms.ruleset import FIELDS, Rules
from tests.support.commands import refused, worked
from tests.support.places import FROZEN

NOTHING, LARGE = "haunt_tokens=999", "first_hand=10"


def play(*wanted: str, games: int = 1_200, jobs: int = 1) -> Rulings:
    job = Job.of(Plan(cards=str(FROZEN), strategies=("greedy",), pairing="mirror"), "")
    return play_rulings(job, wanted, games, jobs)


@pytest.fixture(scope="module")
def found() -> Rulings:
    return play(NOTHING, LARGE, "rage_choice=2 Power|2 Regeneration")


def effects(found: Rulings, rule: str) -> dict:
    return {effect.of: effect for ruling in found.rulings if ruling.rule == rule for effect in ruling.effects}


def test_an_effect_that_is_known_beforehand_is_found(found):
    """Ten cards in the first hand: going first pays, and it is the largest effect."""
    assert found.rulings[0].rule == "first_hand"
    first = effects(found, "first_hand")["going first"]
    assert first.certain
    assert first.low > 5


def test_a_reading_that_changes_nothing_moves_nothing(found):
    none = effects(found, "haunt_tokens")
    assert {effect.value for effect in none.values()} == {0.0}
    assert not any(effect.certain for effect in none.values())
    assert found.rulings[-1].rule == "haunt_tokens"
    assert found.rulings[-1].changed == 0.0


def test_overlords_win_together_what_others_lose(found):
    """Every game has a winner and a loser: with as many games each, what the overlords gain adds up to nothing."""
    for ruling in found.rulings:
        overlords = [effect.value for effect in ruling.effects if effect.of not in ("going first", "turns")]
        assert len(overlords) == 4
        assert abs(sum(overlords)) < 1e-9


def test_the_same_every_time_and_with_any_number_of_jobs(found):
    again = play(NOTHING, LARGE, "rage_choice=2 Power|2 Regeneration", jobs=2)
    assert again.rows() == found.rows()


def test_more_comparisons_make_wider_intervals(found):
    alone = effects(play(LARGE), "first_hand")["going first"]
    among = effects(found, "first_hand")["going first"]
    assert alone.value == among.value
    assert alone.high - alone.low < among.high - among.low


def test_every_reading_is_one_that_can_be_played():
    base = Rules()
    assert [(ruling.rule, ruling.value) for ruling in readings(base)] == [(rule, value) for rule, value, _ in READINGS if rule in FIELDS]
    there = readings(base.but({"first_time": "since_in_play"}))
    assert "first_time" not in {ruling.rule for ruling in there}  # it is played so already


def test_the_command_says_which_icon_to_look_up(tmp_path):
    table = tmp_path / "rulings.csv"
    given = ("rulings", "--cards", FROZEN, "--strategies", "greedy", "--games", 2_400, "--jobs", 1)
    said = worked(*given, "--ruling", "rage_choice=99 Power|99 Power", "--ruling", NOTHING, "--out", table)
    assert "Look up first in the printed game: the icon of RAGE." in said
    assert "not one game goes otherwise" in said
    rows = pl.read_csv(table)
    assert len(rows) == 2 * 6
    data = json.loads(worked(*given, "--ruling", NOTHING, "--json"))
    assert {row["change"] for row in data["rulings"]} == {0.0}
    assert data["games"] == 2_400


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--ruling", "first_time"], "write it as NAME=VALUE"),
        (["--ruling", "first_tim=turn"], "did you mean first_time?"),
        (["--ruling", "first_time=never"], "give turn or since_in_play"),
        (["--games", "0"], "give a number from 1 to"),
        (["--cards", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(given, said):
    assert said in refused("rulings", *given)
