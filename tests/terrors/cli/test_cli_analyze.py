"""`terrors analyze`, `compare`, `card` and `handicap` as somebody types them."""

import json
import os
import re
import shutil

import polars as pl
import pytest
from click.testing import CliRunner, Result

from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.contract.findings_schema import OFF
from terrors.cli.main import main
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow


def terrors(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(*arguments: object) -> str:
    """The one sentence with which a command refuses."""
    result = terrors(*arguments)
    assert result.exit_code == 2, result.output
    assert len(result.stderr.strip().splitlines()) == 1
    return result.stderr.strip()


PLAN = Plan(games=3_600, cards=str(FROZEN), strategies=("greedy", "control"), pairing="mirror", deny_lottery=0.1, seed=4)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("analyze") / "run"
    simulate(PLAN, folder, jobs=2)
    return folder


@pytest.fixture(scope="module")
def analysed(run):
    result = terrors("analyze", run)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_summary_says_what_to_look_at(analysed):
    assert analysed.startswith("3,600 games, played by greedy and control. Win rates are of 100 games, with 95 % intervals.")
    for family in ("overlords", "matchups", "first", "cards", "feel"):
        assert f"\n{family} " in analysed
    assert "Look at these first:\n  1. " in analysed
    assert "reference set, mostly invented" in analysed


def test_every_table_is_there_as_parquet_and_as_csv_with_the_columns_that_are_promised(run, analysed):
    there = {path.stem for path in (run / "analysis").glob("*.parquet")}
    with_games_of_their_own, where_it_was_told_who_plays_best = {"rulings", "numbers", "fair_hand", "second_opinion"}, {"pilots", "hands"}
    assert there == set(ANSWERS) - with_games_of_their_own - where_it_was_told_who_plays_best
    for name, columns in ((name, ANSWERS[name]) for name in there):
        table = pl.read_parquet(run / "analysis" / f"{name}.parquet")
        assert table.columns == list(columns), name
        assert (run / "analysis" / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0] == ",".join(columns)
        assert table.height or name == "strategies", name  # no two strategies met


def test_findings_are_as_the_summary_says(run, analysed):
    data = json.loads((run / "analysis" / "findings.json").read_text(encoding="utf-8"))
    assert data["stands_on"]["games"] == 3_600
    assert data["stands_on"]["lottery"] == 0.1
    assert data["groups"] == [
        {"group": "greedy", "games": 1_800, "pairs": 900, "serious": False},
        {"group": "control", "games": 1_800, "pairs": 900, "serious": True},
    ]
    ids = [finding["id"] for finding in data["findings"]]
    assert len(set(ids)) == len(ids)
    assert set(data["look_first"]) <= set(ids)
    for lamp in data["lamps"]:
        assert lamp["sentence"] in analysed
    for finding in data["findings"]:
        assert finding["low"] <= finding["size"] <= finding["high"]
        assert finding["sentence"].endswith(".")
        if finding["state"] == "undecided" and finding["family"] != "feel":
            assert finding["more_games"] is None or finding["more_games"] > 0


def test_rates_of_all_overlords_add_up(run, analysed):
    overlords = pl.read_parquet(run / "analysis" / "overlords.parquet")
    for _, rows in overlords.group_by("group"):
        assert rows["rate"].mean() == pytest.approx(50, abs=0.2)  # deals are spread over match-ups evenly, give or take one
    matchups = pl.read_parquet(run / "analysis" / "matchups.parquet").filter(pl.col("seat") == "both")
    back = matchups.join(matchups, left_on=["group", "overlord", "rival"], right_on=["group", "rival", "overlord"])
    assert (back["rate"] + back["rate_right"]).to_list() == pytest.approx([100.0] * len(matchups))


def test_the_same_numbers_by_hand_from_the_games(run, analysed):
    """One match-up and group, counted with plain polars: nothing of the analysis is used."""
    games = pl.scan_parquet(run / "games" / "*.parquet").filter(pl.col("first_strategy").cast(pl.String) == "control").collect()
    mine = games.filter(
        ((pl.col("first_overlord").cast(pl.String) == "Fenris") & (pl.col("second_overlord").cast(pl.String) == "Lilith"))
        | ((pl.col("first_overlord").cast(pl.String) == "Lilith") & (pl.col("second_overlord").cast(pl.String) == "Fenris"))
    )
    won = (mine["winner_overlord"].cast(pl.String) == "Fenris").sum() + 0.5 * (mine["winner"].cast(pl.String) == "draw").sum()
    row = pl.read_parquet(run / "analysis" / "matchups.parquet").row(
        by_predicate=(pl.col("group") == "control") & (pl.col("overlord") == "Fenris") & (pl.col("rival") == "Lilith") & (pl.col("seat") == "both"), named=True
    )
    assert row["pairs"] == len(mine) // 2
    assert row["rate"] == pytest.approx(100 * won / len(mine))
    assert row["low"] < row["rate"] < row["high"]


def test_a_gate_for_a_designers_ci(run):
    assert terrors("analyze", run, "--no-feel", "--fail-on", "lopsided").exit_code == 1
    wide = ("--margin", "overlord=45", "--margin", "matchup=45", "--margin", "first=40", "--margin", "card=45")
    result = terrors("analyze", run, "--no-feel", "--fail-on", "lopsided", *wide, "--out", run / "elsewhere")
    traps = [f for f in json.loads((run / "elsewhere" / "findings.json").read_text())["findings"] if f["state"] in OFF]
    assert result.exit_code == (1 if traps else 0)
    assert all(finding["family"] == "cards" for finding in traps)


def test_json_is_what_is_written(run):
    result = terrors("analyze", run, "--no-feel", "--json", "--out", run / "json")
    assert json.loads(result.stdout) == json.loads((run / "json" / "findings.json").read_text(encoding="utf-8"))


def test_a_run_without_a_lottery_says_what_is_missing(tmp_path):
    simulate(PLAN.but(games=240, deny_lottery=0.0, turns=False), tmp_path / "run")
    result = terrors("analyze", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "What cards are worth was not measured" in result.stdout
    cards = pl.read_parquet(tmp_path / "run" / "analysis" / "cards.parquet")
    assert cards["value"].null_count() == cards.height
    assert cards["bought"].null_count() == 0
    assert not (tmp_path / "run" / "analysis" / "card_pairs.parquet").exists()


def test_an_analysis_of_less_takes_the_place_of_an_earlier_one(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    terrors("analyze", tmp_path / "run")
    assert (tmp_path / "run" / "analysis" / "feel.parquet").exists()
    terrors("analyze", tmp_path / "run", "--no-feel")
    assert not (tmp_path / "run" / "analysis" / "feel.parquet").exists()


def test_bad_input_gets_one_sentence(run, tmp_path):
    assert "there is no run here (no run.json)" in refused("analyze", tmp_path)
    assert "there is no 'overlrd'; did you mean overlord?" in refused("analyze", run, "--margin", "overlrd=3")
    assert "the margins cannot be read" in refused("analyze", run, "--margins", tmp_path / "none.toml")
    assert "have the same seed (4)" in refused("analyze", run, run)
    assert "is not a market card" in refused("card", "Cultist", "--strategies", "greedy")
    assert "did you mean Ghoul?" in refused("card", "Ghuol", "--strategies", "greedy")
    assert "give whole numbers with commas between them" in refused("handicap", "--sizes", "a,b")
    assert "needs at least two sizes" in refused("handicap", "--sizes", "4", "--strategies", "greedy")
    assert "a run says already who plays what" in refused("card", "Ghoul", "--run", run, "--strategies", "greedy")
    assert "--margin" in refused("card", "Ghoul", "--margin", "99")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_an_unwritable_place(run, tmp_path):
    tmp_path.chmod(0o500)
    assert "cannot" in refused("analyze", run, "--no-feel", "--out", tmp_path / "x")


def test_a_damaged_part_is_named(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    part = next((tmp_path / "run" / "games").iterdir())
    part.write_bytes(part.read_bytes()[:100])
    assert part.name in refused("analyze", tmp_path / "run", "--no-feel")
    part.unlink()
    assert f"{part.name}: this part is missing; the command that made the run plays it again." in refused("analyze", tmp_path / "run", "--no-feel")


def test_a_part_whose_bytes_were_altered_is_not_analysed(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    part = next((tmp_path / "run" / "games").iterdir())
    part.write_bytes(bytes(part.stat().st_size))
    said = f"{part.name}: this part is damaged (its content has changed since it was written); the command that made the run plays it again."
    assert said in refused("analyze", tmp_path / "run", "--no-feel")


def test_a_change_of_one_card_is_seen_deal_by_deal(run, analysed, tmp_path):
    simulate(PLAN.but(set=("Werewolf.cost=8",)), tmp_path / "after")
    result = terrors("compare", run, tmp_path / "after")
    assert result.exit_code == 0, result.output
    assert "Werewolf, cost: 4 → 8." in result.stdout
    assert "100 of 100 deals are the same in both runs" in result.stdout
    data = json.loads(terrors("compare", run, tmp_path / "after", "--json").stdout)
    rows = {(row["family"], row["group"], row["overlord"], row["rival"]): row for row in data["differences"]}
    overall = rows["first", "all", "", ""]
    assert overall["difference"] == pytest.approx(overall["after"] - overall["before"])
    table = pl.read_parquet(run / "analysis" / "seats.parquet").row(by_predicate=(pl.col("group") == "all") & (pl.col("overlord") == ""), named=True)
    assert overall["before"] == pytest.approx(table["rate"], abs=1e-9)
    # The same deals tell far more than two batches of the same size would.
    assert overall["high"] - overall["low"] < 0.9 * 2**0.5 * (table["high"] - table["low"])


def test_a_run_compared_with_itself_and_with_other_luck(run, tmp_path):
    assert "No difference is clear" in terrors("compare", run, run).stdout
    simulate(PLAN.but(seed=5), tmp_path / "other")
    result = terrors("compare", run, tmp_path / "other")
    assert "The runs have different seeds" in result.stdout
    simulate(PLAN.but(games=240, strategies=("flow",)), tmp_path / "flow")
    assert "no strategies in common" in refused("compare", run, tmp_path / "flow")


def test_several_versions_are_one_table_with_the_verdicts_of_each(run, tmp_path):
    for name, changed in (("b", {"set": ("Lilith.health=60",)}), ("c", {"rules": {"first_hand": 2}})):
        simulate(PLAN.but(games=1_200, **changed), tmp_path / name)
    result = terrors("compare", run, tmp_path / "b", tmp_path / "c")
    assert result.exit_code == 0, result.output
    assert "Lilith, health: 45 → 60." in result.stdout
    assert "Rule first_hand: 4 → 2." in result.stdout
    data = json.loads(terrors("compare", run, tmp_path / "b", tmp_path / "c", "--json").stdout)
    rows = {(row["version"], row["group"], row["overlord"], row["rival"]): row for row in data["table"]}
    # A version alone against the first says the same: rates, differences and verdicts.
    alone = json.loads(terrors("compare", run, tmp_path / "c", "--out", tmp_path / "alone.html", "--json").stdout)["differences"]
    for row in alone:
        key = row["group"], row["overlord"], row["rival"]
        first, last = rows["A", *key], rows["C", *key]
        assert (first["rate"], last["rate"], last["difference"]) == pytest.approx((row["before"], row["after"], row["difference"]))
        assert (first["verdict"], last["verdict"]) == (row["verdict_before"], row["verdict_after"])
        assert last["p"] == pytest.approx(min(1.0, 2 * row["p"]))
    lilith = next(line for line in result.stdout.splitlines() if line.startswith("Lilith "))
    assert f"{rows['B', 'all', 'Lilith', '']['verdict']}" in lilith
    assert "*)" in lilith
    page = (tmp_path / "c" / "compare.html").read_text(encoding="utf-8")
    shown = {float(value) for value in re.findall(r'data-v="([-0-9.e]+)"><span class="v">', page)}
    assert {row["difference"] for row in data["table"] if row["group"] == "all" and row["difference"] is not None} <= shown
    simulate(PLAN.but(games=240, strategies=("greedy",)), tmp_path / "other")
    assert "simulate all with the same --strategies" in refused("compare", run, tmp_path / "b", tmp_path / "other")


def test_one_card_and_the_fair_hand(run):
    common = ("--cards", FROZEN, "--strategies", "greedy", "--jobs", "2")
    result = terrors("card", "thames drowner", "--deals", "1200", "--fork-deals", "600", *common)
    assert result.exit_code == 0, result.output
    assert "Thames Drowner, played by greedy (" in result.stdout
    assert "Access: being allowed to buy it is worth +" in result.stdout
    assert "Purchase: buying it instead of the next best thing is worth" in result.stdout
    data = json.loads(terrors("card", "Thames Drowner", "--run", run, "--deals", "600", "--fork-deals", "0", "--json").stdout)
    assert data["strategies"] == ["greedy", "control"]
    assert data["access"]["low"] < data["access"]["value"] < data["access"]["high"]
    hands = json.loads(terrors("handicap", "--games", "1200", "--json", *common).stdout)
    rates = [row["rate"] for row in hands["sizes"]]
    assert rates == sorted(rates)
    assert 1 < hands["fair"] < 5
    assert hands["low"] < hands["fair"] < hands["high"]


def test_a_comparison_is_a_page_too(run, tmp_path, analysed):
    simulate(PLAN.but(set=("Werewolf.cost=8", "Ghoul.abilities=1 Power")), tmp_path / "after")
    terrors("analyze", tmp_path / "after", "--no-feel")
    data = json.loads(terrors("compare", run, tmp_path / "after", "--json").stdout)
    page = (tmp_path / "after" / "compare.html").read_text(encoding="utf-8")
    assert data["page"] == str(tmp_path / "after" / "compare.html")
    assert "Werewolf, cost: 4 → 8." in page
    assert "after the change minus before, over all strategies; the band" in page
    for sentence in data["sentences"]:
        assert sentence in page
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "https://" not in page
    shown = [float(value) for value in re.findall(r'data-v="([-0-9.e]+)"><span class="v">', page)]
    wanted = [row["difference"] for row in data["differences"] if row["group"] == "all" and row["family"] != "first"] + [
        row["difference"] for row in data["cards"]
    ]
    assert sorted(shown) == pytest.approx(sorted(wanted))
    assert (tmp_path / "after" / "compare_files" / "differences.png").read_bytes().startswith(b"\x89PNG")
