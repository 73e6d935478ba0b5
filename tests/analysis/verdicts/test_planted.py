"""Planted truth: cards whose worth is known by construction, and whether the lottery sees it; the naive column is reported, whatever it shows."""

import polars as pl
import pytest

from terrors.analysis.analyze import analyze
from terrors.analysis.contract.findings_schema import BOMB, TRAP, UNDERPRICED, WEAK
from terrors.analysis.trials.one_card import card_page
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from tests.support.places import FROZEN

# A card that wins nearly outright; an expensive one that does nothing; a strictly better twin of Ghoul; a dud that hurts its owner.
PLANTED = """Doomsday,market,Monster,Beast,,3,2,,12 Power,,Undead,Mortal,1 Power,,planted,
Gilded Nothing,market,Relic,,,5,2,,,,,,,,planted,
Ghoul Prince,market,Monster,Undead,,2,2,,2 Power; DRAW 1; SACRIFICE from discard,,Spirit,Beast,1 Coin,,planted,
Leech,market,Monster,Spirit,,1,2,,lose 2 Health,,Mortal,Undead,1 Power,,planted,
"""
DEAREST = 'plan = """\nBuys the dearest card that it can pay for.\n"""\n\n[[buy]]\npick = "dearest"\n'  # a pilot that does buy the blank


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    (folder / "cards.csv").write_text(FROZEN.read_text(encoding="utf-8").rstrip("\n") + "\n" + PLANTED, encoding="utf-8")
    (folder / "dearest.toml").write_text(DEAREST, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def cards(place) -> dict[str, dict]:
    plan = Plan(games=36_000, cards=str(place / "cards.csv"), strategies=(str(place / "dearest.toml"),), deny_lottery=0.25, turns=False)
    simulate(plan, place / "run", jobs=2)
    table = analyze([place / "run"], feel=False).tables["cards"]
    return {row["card"]: row for row in table.filter(pl.col("group") == "best hands").iter_rows(named=True)}


def test_the_lottery_ranks_the_planted_cards_right(cards):
    order = sorted(("Doomsday", "Ghoul Prince", "Ghoul", "Leech"), key=lambda name: -cards[name]["value"])
    assert order == ["Doomsday", "Ghoul Prince", "Ghoul", "Leech"]
    assert cards["Doomsday"]["rank"] == cards["Doomsday"]["rank_high"] == 1
    assert cards["Leech"]["rank"] == cards["Leech"]["rank_low"] == len(cards)
    assert cards["Ghoul Prince"]["low"] > cards["Ghoul"]["high"]


def test_what_wins_outright_is_a_bomb_and_a_surprise_for_its_cost(cards):
    assert cards["Doomsday"]["class"] == BOMB
    assert cards["Doomsday"]["price"] == UNDERPRICED
    assert cards["Doomsday"]["low"] > 6
    assert cards["Doomsday"]["outlier"]


def test_an_expensive_blank_is_weak_or_a_trap_whatever_its_win_rate_when_bought_says(cards, record_property):
    blank = cards["Gilded Nothing"]
    naive = sorted(cards, key=lambda name: -cards[name]["rate_when_bought"]).index("Gilded Nothing") + 1
    record_property("rate when bought of the blank", f"{blank['rate_when_bought']:.1f} of 100 games, rank {naive} of {len(cards)}")
    print(f"Gilded Nothing: access {blank['value']:.1f}, won when bought {blank['rate_when_bought']:.1f} of 100, naive rank {naive} of {len(cards)}")
    assert blank["bought_when_affordable"] > 50
    assert blank["class"] in (WEAK, TRAP)
    assert blank["high"] < 0
    assert blank["per_purchase"] < blank["value"]


def test_a_dud_that_is_bought_is_a_trap(cards):
    assert cards["Leech"]["class"] == TRAP


def test_a_copy_is_worth_what_access_is_worth_divided_by_the_copies_that_a_denial_moves(cards):
    for name in ("Doomsday", "Ghoul Prince", "Leech"):
        row = cards[name]
        assert row["per_purchase"] == pytest.approx(row["value"] / row["purchases_moved"])
        assert row["per_purchase_low"] < row["per_purchase"] < row["per_purchase_high"]


def test_denial_on_purpose_and_forks_agree_with_the_lottery(place, cards):
    """Another way to the same number, on other deals: the same card denied deal by deal; and bought or left at real decisions."""
    plan = Plan(cards=str(place / "cards.csv"), strategies=(str(place / "dearest.toml"),), seed=5)
    page = card_page(Job.of(plan, ""), "doomsday", 3.0, most=3_000, fork_deals=1_200)
    low, high = (100 * end for end in page.access.interval)
    assert page.state == "too strong"
    assert low < cards["Doomsday"]["high"]
    assert high > cards["Doomsday"]["low"]
    whole = page.forks[0]
    assert whole.low > 10  # buying it is worth more than being allowed to
    assert {value.by for value in page.forks} == {"all", "turn", "overlord", "wanted"}
