"""The ladder: who meets whom, what is counted, and that the main rungs are in order."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from terrors.analysis.players.head_to_head import play_against
from terrors.analysis.players.ladder import climb, differing, groups_of, turned
from terrors.analysis.players.training import judge
from terrors.cli.commands.pilots.ladder import ladder_data, ladder_lines
from terrors.cli.main import main
from terrors.reports.charts.ladder import finding
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import make_box
from terrors.strategies import find
from tests.support.places import FROZEN


@pytest.fixture(scope="module")
def box():
    return make_box(load_cards(FROZEN))


@pytest.fixture(scope="module")
def ladder(box):
    return climb(box, [find(name) for name in ("greedy", "random", "economy", "tuned")], lambda a, b: 480)


def test_the_main_rungs_are_in_order_and_clear_of_each_other(ladder):
    """Random < greedy < a style < tuned."""
    order = [rung.name for rung in ladder.rungs()]
    assert order == ["tuned", "economy", "greedy", "random"]
    for upper, lower in (("tuned", "economy"), ("economy", "greedy"), ("greedy", "random")):
        gap, half = ladder.step(upper, lower)
        assert gap > half


def test_both_sides_see_the_same_games(ladder, box):
    for a, b in (("greedy", "tuned"), ("random", "economy")):
        mine, theirs = ladder.record(a, b), ladder.record(b, a)
        assert mine.overall.share == pytest.approx(1 - theirs.overall.share)
        assert mine.games == theirs.games == 480
    again = play_against(box, find("tuned"), find("greedy"), 48, 5)
    other = turned(play_against(box, find("greedy"), find("tuned"), 48, 5))
    assert (again.first == other.first).all()
    assert (again.second == other.second).all()
    assert (again.overlord == other.overlord).all()


def test_a_group_is_one_observation(ladder):
    record = ladder.record("greedy", "tuned")
    groups = groups_of(record)
    assert len(groups) == 480 // 4
    assert groups.mean() == pytest.approx(record.overall.share)
    assert record.overall.pairs == 120


def test_regret_is_measured_from_the_best_pilot_of_each_overlord(ladder, box):
    for overlord in ladder.overlords:
        regret = ladder.regret(box.kind(overlord))
        assert min(regret.values()) == 0
        assert regret["tuned"] <= 3
        assert regret["random"] > 30
        shares = {name: ladder.with_overlord(name, box.kind(overlord)).share for name in ladder.names}
        assert regret["greedy"] == pytest.approx(100 * (max(shares.values()) - shares["greedy"]))


def test_tuned_is_the_best_pilot_of_every_overlord(box):
    """Against rivals that it was trained with, on seeds that it was not: at least as good as each style, give or take three points."""
    for card in box.cards.overlords:
        judged = judge(box, [find(name) for name in ("tuned", "economy", "control")], [find("greedy"), find("thin")], 40, 3, box.kind(card.name))
        assert judged.regret("tuned") < 3


def test_the_same_whatever_the_jobs(box):
    strategies = [find(name) for name in ("greedy", "random", "aggro")]
    one, two = (climb(box, strategies, lambda a, b: 24, jobs=jobs) for jobs in (1, 2))
    assert one.ratings.rating.tolist() == two.ratings.rating.tolist()


def test_a_strategy_never_differs_from_itself(box):
    assert differing(box, find("greedy"), find("greedy"), 1).share == 0
    assert differing(box, find("greedy"), find("random"), 1).share > 0.4


def test_the_ladder_from_the_command_line(tmp_path):
    arguments = ["ladder", "--strategies", "random,greedy", "--games", "24", "--differ", "1", "--cards", str(FROZEN), "--out", str(tmp_path / "ladder")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].startswith("greedy         0      0   50")
    assert "random instead of greedy:" in result.stdout
    data = json.loads((tmp_path / "ladder" / "ladder.json").read_text(encoding="utf-8"))
    assert [rung["name"] for rung in data["rungs"]] == ["greedy", "random"]
    assert data["games"] == {"random – greedy": 24}
    assert (tmp_path / "ladder" / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_too_close_is_said(ladder, box):
    data = ladder_data(ladder, box, {})
    assert "Too close to call" not in "\n".join(ladder_lines(data))
    data["steps"][0]["clear"] = False
    assert "Too close to call with these games: tuned and economy." in "\n".join(ladder_lines(data))
    assert finding(data) == "tuned and economy lead, too close to call"
    assert all(np.isfinite(rung["half_width"]) for rung in data["rungs"])
