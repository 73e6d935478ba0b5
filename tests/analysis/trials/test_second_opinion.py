"""A second opinion: whether a slow pilot agrees with the headline, by hand and on a small run."""

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from terrors.analysis.analyze import analyze
from terrors.analysis.compare import compare, open_pair
from terrors.analysis.contract.findings_schema import FAIR, TOO_STRONG, TOO_WEAK, UNDECIDED
from terrors.analysis.contract.groups import HEADLINES as ONE_GROUP
from terrors.analysis.contract.margins import Margins
from terrors.analysis.questions.hands_tables import opinion_words
from terrors.analysis.trials.second_opinion import Opinion, add_opinion, ask_opinion, opinion_table
from terrors.analysis.verdicts.findings import finding_id
from terrors.reports.page.comparison import difference_chart
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.storage import open_folder
from terrors.simulator.terms.errors import ReportError
from tests.support.places import FROZEN

HEADLINES = {
    "Ash": {"rate": 60.0, "low": 58.0, "high": 62.0, "verdict": TOO_STRONG},
    "Birch": {"rate": 40.0, "low": 38.0, "high": 42.0, "verdict": TOO_WEAK},
    "Cedar": {"rate": 50.0, "low": 49.0, "high": 51.0, "verdict": FAIR},
}


def won(share: float, deals: int = 1_000) -> np.ndarray:
    return (np.arange(deals) < share * deals).astype(float)


def test_it_agrees_unless_luck_and_who_plays_do_not_explain_the_difference():
    same = opinion_table("owl", 2_000, [("overlords", "Ash", won(0.62)), ("overlords", "Birch", won(0.41))], HEADLINES, Margins())
    assert same["agrees"].to_list() == [True, True]
    who = "owl, the strongest slow pilot, in 2,000 games against itself"
    assert opinion_words(same) == f"{who}, agrees: nothing differs by more than luck and who plays explain."
    other = opinion_table("owl", 2_000, [("overlords", "Ash", won(0.75)), ("overlords", "Birch", won(0.41))], HEADLINES, Margins())
    assert other["agrees"].to_list() == [False, True]
    assert opinion_words(other) == f"{who}, sees it otherwise: Ash wins 75 (72–78) instead of 60; the rest agrees."
    assert opinion_words(None) == ""
    few = opinion_table("owl", 96, [("overlords", "Ash", won(0.62, 48)), ("overlords", "Birch", won(0.41, 48))], HEADLINES, Margins())
    assert opinion_words(few).endswith("in 96 games against itself, sees nothing clearly otherwise (±14 points; --thorough asks it for more).")


@pytest.mark.parametrize(
    ("overlord", "share", "deals", "verdict", "contradicts"),
    [
        ("Cedar", 0.40, 1_000, TOO_WEAK, True),
        ("Cedar", 0.52, 1_000, UNDECIDED, False),
        ("Cedar", 0.61, 110, UNDECIDED, True),  # that it differs is certain, that it is beyond the margin is not
        ("Cedar", 0.60, 20, UNDECIDED, False),  # too few to say anything
        ("Ash", 0.75, 1_000, TOO_STRONG, False),  # stronger still is no contradiction
        ("Ash", 0.50, 40_000, FAIR, False),  # too strong in able hands is too strong
        ("Ash", 0.40, 1_000, TOO_WEAK, True),
    ],
)
def test_it_contradicts_where_both_cannot_be_right(overlord, share, deals, verdict, contradicts):
    (row,) = opinion_table("owl", 2 * deals, [("overlords", overlord, won(share, deals))], HEADLINES, Margins()).to_dicts()
    assert (row["verdict"], row["contradicts"]) == (verdict, contradicts)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A small run of greedy, and its plan."""
    plan = Plan(games=800, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), strategies=("greedy",), pairing="mirror")
    folder = tmp_path_factory.mktemp("opinion") / "run"
    simulate(plan, folder, jobs=1)
    return folder, plan


def test_what_the_slow_pilot_contradicts_is_undecided_wherever_it_is_shown(run, tmp_path):
    wide = Margins(overlord=20.0, matchup=30.0, first=20.0)
    found = analyze([run[0]], wide, feel=False)
    before = {finding.id: finding.state for finding in found.findings}
    rates = [row["rate"] for row in found.tables["overlords"].to_dicts()]
    assert {before[finding_id("overlords", name)] for name in ("Fenris", "Lilith", "Azazael")} == {FAIR}, rates
    opinion = Opinion(
        "owl", 2_000, [("first", "", won(0.51)), ("overlords", "Fenris", won(0.25)), ("overlords", "Lilith", won(0.5)), ("overlords", "Azazael", won(0.75))]
    )
    add_opinion(found, opinion)
    after = {finding.id: finding for finding in found.findings}
    fenris, azazael = (after[finding_id("overlords", name)] for name in ("Fenris", "Azazael"))
    assert (fenris.state, fenris.lean, azazael.state, azazael.lean) == (UNDECIDED, "leans weak", UNDECIDED, "leans strong")
    assert fenris.sentence.endswith("undecided at your ±20, leans weak, since in the hands of owl, who looks further ahead, it is 25 (22–28).")
    assert fenris.reason.startswith(
        "The strongest slow pilot contradicts the best fast hands: it differs, corrected for the number of questions, and lies beyond ±20."
    )
    others = {key for key in before if key not in (fenris.id, azazael.id)}
    assert {key: after[key].state for key in others} == {key: before[key] for key in others}
    data = found.as_data()
    lamp = next(lamp for lamp in data["lamps"] if lamp["family"] == "overlords")
    assert (lamp["state"], lamp["sentence"]) in (
        (UNDECIDED, "2 of 3 overlords are undecided: Fenris (leans weak) and Azazael (leans strong)."),
        (UNDECIDED, "2 of 3 overlords are undecided: Azazael (leans strong) and Fenris (leans weak)."),
    )
    assert {fenris.id, azazael.id} & set(data["look_first"])
    rows = {row["overlord"]: row for row in found.tables["overlords"].filter(pl.col("group").is_in(ONE_GROUP)).to_dicts()}
    assert {name: rows[name]["verdict"] for name in rows} == {"Fenris": UNDECIDED, "Lilith": FAIR, "Azazael": UNDECIDED}
    with_opinion = Path(shutil.copytree(run[0], tmp_path / "run"))
    found.write(open_folder(f"{with_opinion}/analysis"))
    both = compare(*open_pair(run[0], with_opinion), margins=wide)
    assert "after the change minus before, in the best hands before and after; the band" in difference_chart(both).caption
    table = both.table.filter(pl.col("group").is_in(ONE_GROUP), family="overlords")
    told = {row["overlord"]: (row["verdict_before"], row["verdict_after"]) for row in table.to_dicts()}
    assert told == {"Fenris": (FAIR, "undecided, leans weak"), "Lilith": (FAIR, FAIR), "Azazael": (FAIR, "undecided, leans strong")}
    file = with_opinion / "analysis" / "second_opinion.parquet"
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(ReportError, match=r"second_opinion.parquet: its content has changed since it was written; `terrors analyze"):
        compare(*open_pair(run[0], with_opinion), margins=wide)


def test_a_pilot_agrees_with_itself(run):
    folder, plan = run
    found = analyze([folder], feel=False)
    add_opinion(found, ask_opinion(Job.of(plan, str(folder)), 600))
    table = found.tables["second_opinion"]
    assert sorted(table["overlord"]) == ["", "Azazael", "Fenris", "Lilith"]
    assert table["agrees"].all()
    assert not table["contradicts"].any()
    assert found.as_data()["pilots"]["opinion"] == found.as_data()["pilots"]["words"][-1]
