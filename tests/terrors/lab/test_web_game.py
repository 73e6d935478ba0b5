"""A person's game in the page: it goes on from the answers alone, undo is one answer less, and nobody sees what is hidden."""

import random
from dataclasses import replace

import pytest

from terrors.lab.errands import changed_cells, numbers_data
from terrors.lab.live_games import games_with
from terrors.lab.sheet import EditError
from terrors.lab.web_game import GameSetup, answers_of, hint_for, play_on, setup_of
from terrors.reports.page.replays import Packer
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan


@pytest.fixture(scope="module")
def job(frozen_cards):
    return replace(Job.of(Plan(strategies=("greedy",), pairing="mirror"), ""), cards=frozen_cards)


def test_a_whole_game_against_a_pilot(job):
    setup, luck, answers = GameSetup("Lilith", "Fenris", second=True, seed=5), random.Random(3), []
    view = play_on(job, setup, answers)
    while view["turn"] < 7:
        before = view["lines"]
        assert view["taken"] == len(answers)
        at = luck.randrange(len(view["options"]))
        answers.append((at, luck.randint(1, view["options"][at]["most"]) if view["options"][at]["most"] else 0))
        view = play_on(job, setup, answers)
        assert view["lines"][: len(before)] == before
    assert view["names"] == ["Fenris", "Lilith"]
    assert play_on(job, setup, answers[:-1])["lines"] == before  # undo
    end = play_on(job, setup, [*answers, *[(0, 0)] * 3_000])
    assert end["over"]
    assert end["taken"] < 3_000
    assert end["end"] in ("You win.", "You lose.", "Nobody wins.")
    assert "Health Fenris" in end["lines"][-1]


def test_the_rivals_hand_is_not_sent(job):
    view = play_on(job, GameSetup("Lilith", "Fenris", second=False, seed=5), [])
    while view["turn"] == 0:
        view = play_on(job, GameSetup("Lilith", "Fenris", second=False, seed=5), [(0, 0)] * (view["taken"] + 1))
    assert "hand1" not in view["state"]
    assert view["hidden"] > 0
    assert view["state"]["hand0"]
    assert view["question"]
    assert any(option["text"].startswith("play ") for option in view["options"])


@pytest.mark.parametrize(
    "wrong", [{}, {"mine": "Lilith", "rival": "Fenris", "second": 0, "seed": 1}, {"mine": "Lilith", "rival": "Fenris", "second": False, "seed": -1}]
)
def test_what_is_no_game_is_refused(wrong):
    with pytest.raises(EditError):
        setup_of(wrong)


@pytest.mark.parametrize("wrong", [None, [[1]], [[1, "2"]], [[-1, 0]], [[True, 0]], [[0, 0]] * 5001])
def test_what_are_no_answers_is_refused(wrong):
    with pytest.raises(EditError):
        answers_of(wrong)


def test_an_answer_that_is_not_on_the_list_is_refused(job):
    with pytest.raises(EditError, match="not on the list"):
        play_on(job, GameSetup("Lilith", "Fenris", second=False, seed=5), [(99, 0)])


def test_a_hint_is_what_the_pilot_would_do(job, monkeypatch):
    monkeypatch.setattr("terrors.table.hint.DEALS", 1)
    assert hint_for(job, GameSetup("Lilith", "Fenris", second=False, seed=5), []).startswith("greedy would `choose ")


def test_games_with_a_card_have_it_bought(job):
    numbers = games_with(job, job.cards.index("Thames Drowner"), 2)
    assert len(numbers) == 2
    packer = Packer(job)
    for number in numbers:
        packer.pack(number)
        assert any("buy Thames Drowner" in line or "buys Thames Drowner" in line for line in packer.lines.texts)


def test_a_move_of_a_number_is_an_edit_of_its_cell(frozen_cards):
    assert changed_cells(frozen_cards, ["Lilith.health=47"]) == [["Lilith", "health", "47"]]
    ((card, column, text),) = changed_cells(frozen_cards, ["Thames Drowner.abilities[DRAW 2]=1"])
    assert (card, column) == ("Thames Drowner", "abilities")
    assert frozen_cards.replace([f"Thames Drowner.abilities={text}"]).sha256 == frozen_cards.replace(["Thames Drowner.abilities[DRAW 2]=1"]).sha256
    with pytest.raises(EditError):
        changed_cells(frozen_cards, ["Lilith.name=Lilly"])


def test_the_lottery_names_moves_that_are_edits(job, monkeypatch):
    monkeypatch.setattr("terrors.lab.errands.SORTS", ("health",))
    told = []
    found = numbers_data(job, 9_600, 2, told.append)
    assert told
    mine = [row for row in found["rows"] if row["where"] == "Lilith.health" and row["of"] == "Lilith"]
    assert mine
    assert mine[0]["effect"] > 0  # more Health, more wins
    assert {len(changed_cells(job.cards, [step["set"]])) for step in mine[0]["steps"]} == {1}


def test_a_suggestion_is_edits_with_what_the_sealed_deals_say(job, monkeypatch):
    import numpy as np

    from terrors.analysis.contract.margins import Margins
    from terrors.analysis.numbers.suggest import Advice, Suggestion
    from terrors.analysis.numbers.wishes import Wanted
    from terrors.analysis.stats.intervals import Looks
    from terrors.lab.errands import advice_data
    from terrors.simulator.cards.card_numbers import numbers_of
    from terrors.simulator.terms.ruleset import Rules

    number = next(one for one in numbers_of(job.cards, Rules()) if one.name == "Lilith.health")

    def patch(edits, measured, states):
        error = np.array([0.4, 0.4])
        return Suggestion(edits, ["Lilith", "Fenris"], np.array(measured), error, np.array(measured), error, states, 2_000, Looks())

    found = Advice(patch([], [44.0, 50.0], ["lopsided", "fair"]), [patch([(number, number.value + 4)], [49.0, 50.0], ["fair", "fair"])], 9_000, "greedy", None)
    monkeypatch.setattr("terrors.lab.errands.suggest", lambda *given: found)
    data = advice_data(job, Wanted(Margins()), 1, 1, print)
    assert data["needed"]
    assert data["off"] == ["Lilith"]
    (one,) = data["suggestions"]
    assert (one["fair"], one["beyond"], data["within"]) == (True, False, True)
    assert [row["of"] for row in one["rows"]] == ["Lilith"]  # Fenris was fair and is
    assert one["rows"][0]["was"] == "44"
    assert one["rows"][0]["text"] == "49 (48–50)"
    assert changed_cells(job.cards, [edit["set"] for edit in one["edits"]]) == [["Lilith", "health", str(number.value + 4)]]
