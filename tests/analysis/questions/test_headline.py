"""The headline of a real run: where one pilot beats the other, the best hands are that pilot's own, and all that is said of them is what was counted of it."""

import numpy as np
import polars as pl
import pytest

from terrors.analysis.contract.findings_schema import FAIR, UNDECIDED
from terrors.analysis.contract.margins import Margins
from terrors.analysis.contract.sentences import about
from terrors.analysis.questions.headline import Headline, headline_of
from terrors.analysis.source.pair_sums import GOING_FIRST
from terrors.analysis.source.source import Source
from terrors.analysis.stats.intervals import Looks, rate_of
from terrors.analysis.verdicts.judge import judge
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.terms.errors import AnalysisError
from tests.support.places import FROZEN

OVERLORDS = ("Fenris", "Lilith", "Azazael")


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    """Greedy wins nearly all games against random; overlords meet themselves too."""
    plan = Plan(games=2_400, cards=str(FROZEN), overlords=OVERLORDS, strategies=("greedy", "random"), pairing="all", mirrors=True)
    return simulate(plan, tmp_path_factory.mktemp("run") / "run", jobs=1)


@pytest.fixture(scope="module")
def headline(run) -> Headline:
    return headline_of(Source([run]), Margins())


def rows(frame: pl.DataFrame, group: str, *names: str) -> list[tuple]:
    return frame.filter(group=group).select(*names).rows()


def test_the_best_hands_are_those_of_the_better_pilot(headline, run):
    assert headline.hands is not None
    assert {pilot.name: pilot.share for pilot in headline.hands.pilots} == {"greedy": 1, "random": 0}
    assert {(cell.a_strategy, cell.b_strategy) for cell in headline.in_mix} == {("greedy", "greedy")}
    assert len(headline.in_mix) == len({(cell.a, cell.b) for cell in headline.source.cells}) == 6


def test_all_that_is_said_of_them_is_what_was_counted(headline, run):
    games = run.games.filter(first_strategy="greedy", second_strategy="greedy").collect()
    points = pl.when(pl.col("winner") == "first").then(1.0).when(pl.col("winner") == "second").then(0.0).otherwise(0.5)
    games = games.select("first_overlord", "second_overlord", points.alias("points")).cast({"first_overlord": pl.String, "second_overlord": pl.String})

    def won(overlord: str, rival: str) -> float:
        first, second = games.filter(first_overlord=overlord, second_overlord=rival), games.filter(first_overlord=rival, second_overlord=overlord)
        return 100 * float(np.concatenate([first["points"], 1 - second["points"]]).mean())

    overlords, seats = headline.tables["overlords"].filter(group="best hands"), headline.tables["seats"].filter(group="best hands")
    for row in overlords.to_dicts():
        rivals = [name for name in OVERLORDS if name != row["overlord"]]
        assert row["rate"] == pytest.approx(np.mean([won(row["overlord"], rival) for rival in rivals]))
        played = games.filter(pl.col("first_overlord") != pl.col("second_overlord"), pl.any_horizontal(pl.col("^.*_overlord$") == row["overlord"]))
        assert row["pairs"] == len(played) / 2
    for row in headline.tables["matchups"].filter(group="best hands", seat="both").to_dicts():
        assert row["rate"] == pytest.approx(won(row["overlord"], row["rival"]))
    plain = games.filter(pl.col("first_overlord") != pl.col("second_overlord"))
    by_match_up = plain.group_by("first_overlord", "second_overlord").agg(pl.col("points").mean())["points"]
    whole = seats.filter(overlord="", rival="").row(0, named=True)
    assert whole["rate"] == pytest.approx(100 * by_match_up.mean())
    assert whole["pairs"] == len(plain) / 2
    assert whole["verdict"] is not None


def test_the_other_pilot_has_rows_of_its_own(headline, run):
    games = run.games.filter(first_strategy="random", second_strategy="random").collect()
    points = {"first": 1.0, "second": 0.0, "draw": 0.5}
    played = [(game["first_overlord"], game["second_overlord"], points[game["winner"]]) for game in games.to_dicts()]

    def share(overlord: str, rival: str) -> float:
        won = [p for first, second, p in played if (first, second) == (overlord, rival)]
        return float(np.mean(won + [1 - p for first, second, p in played if (first, second) == (rival, overlord)]))

    for row in headline.tables["overlords"].filter(group="random").to_dicts():
        assert row["rate"] == pytest.approx(100 * np.mean([share(row["overlord"], rival) for rival in OVERLORDS if rival != row["overlord"]]))
    for row in headline.tables["matchups"].filter(group="random", seat="both").to_dicts():
        assert row["rate"] == pytest.approx(100 * share(row["overlord"], row["rival"]))


def test_games_that_are_missing_are_so_many_times_those_that_were_played(headline):
    """The headline is one question by itself; those of the three groups are judged together."""
    seats = headline.tables["seats"].filter(overlord="", rival="").to_dicts()
    plain = [m for m, (a, b) in enumerate(headline.sums.match_ups) if a != b]
    rates = [rate_of(headline.sums.sums[number, plain, GOING_FIRST]) for number in range(3)]
    verdicts = judge(np.array([100 * rate.gap for rate in rates]), np.array([100 * rate.se for rate in rates]), Margins().first)
    verdicts += judge(np.array([seats[3]["rate"] - 50]), np.array([seats[3]["luck"] / Looks().z()]), Margins().first)
    assert [verdict.state for verdict in verdicts] == [UNDECIDED, FAIR, UNDECIDED, UNDECIDED]
    assert [row["more_games"] for row in seats] == [
        verdict.more and about(verdict.more * 2 * row["pairs"]) for verdict, row in zip(verdicts, seats, strict=True)
    ]


def test_intervals_are_those_of_the_pilot_alone(headline):
    """Nothing was chosen among many: the luck is that of its own games. What hangs on who plays is not known."""
    for name in ("overlords", "matchups"):
        for best, own in zip(
            headline.tables[name].filter(pl.col("verdict").is_not_null(), group="best hands").to_dicts(),
            headline.tables[name].filter(pl.col("verdict").is_not_null(), group="greedy").to_dicts(),
            strict=True,
        ):
            assert (best["overlord"], best["rate"], best["spread"]) == (own["overlord"], pytest.approx(own["rate"]), None)
            assert best["high"] - best["low"] == pytest.approx(own["high"] - own["low"], rel=0.05)
            assert best["luck"] == pytest.approx((own["high"] - own["low"]) / 2, rel=0.05)


def test_what_is_reckoned_from_sums_has_the_headline_too(headline):
    sums = headline.sums.sums[-1]
    for (a, b), (n, total, _) in zip(headline.sums.match_ups, sums[:, 0], strict=True):
        if a != b:
            assert 100 * total / n == pytest.approx(headline.tables["matchups"].filter(group="best hands", overlord=a, rival=b, seat="both")["rate"].item())


def test_a_run_without_games_has_no_headline(tmp_path, run, monkeypatch):
    source = Source([run])
    monkeypatch.setattr(Source, "blocks", lambda *_: iter(()))
    with pytest.raises(AnalysisError, match="there are no games in it yet"):
        headline_of(source, Margins())
