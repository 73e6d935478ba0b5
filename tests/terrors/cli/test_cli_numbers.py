"""`terrors numbers`, `sweep` and `suggest` as somebody types them."""

import json

import polars as pl
import pytest

from terrors.analysis.contract.columns import ANSWERS
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.cards.csv_patch import patched_csv
from tests.support.commands import refused, terrors, worked
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """What is kept is kept in a folder of the test."""
    monkeypatch.chdir(tmp_path)


def test_numbers_in_words_as_a_table_and_again(tmp_path):
    asked = ("numbers", "--cards", FROZEN, "--only", "health,Ghoul", "--games", "3000", "--overlords", "Fenris,Lilith", "--jobs", 2)
    said = worked(*asked, "--out", tmp_path / "effects.csv")
    assert "What would move Fenris:" in said
    assert "What would move going first:" in said
    assert "played by tuned" in said
    table = pl.read_csv(tmp_path / "effects.csv")
    assert table.columns == list(ANSWERS["numbers"])
    assert {"Fenris.health", "Ghoul.cost"} <= set(table["where"])
    assert worked(*asked, "--jobs", 1) == said  # kept, and read again
    data = json.loads(worked(*asked, "--json"))
    assert len(data["numbers"]) == len(table)


def test_numbers_refuses_in_one_sentence():
    assert "did you mean" in refused("numbers", "--cards", FROZEN, "--only", "helth", "--games", 100)
    assert "blocks say nothing" in refused("numbers", "--cards", FROZEN, "--only", "health", "--games", 100)


def test_a_sweep_in_words_as_a_table_and_as_a_picture(tmp_path):
    asked = ("sweep", "Fenris.health=35..55:10", "--cards", FROZEN, "--games", 1500, "--overlords", "Fenris,Lilith")
    said = worked(*asked, "--jobs", 2, "--out", tmp_path / "s.csv", "--chart", tmp_path / "s.png")
    assert "Fenris.health  Fenris" in said
    assert worked(*asked, "--jobs", 1) == said
    table = pl.read_csv(tmp_path / "s.csv").filter(of="Fenris").sort("Fenris.health")
    assert table["Fenris.health"].to_list() == [35, 45, 55]
    assert table["value"].is_sorted()
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
    grid = json.loads(
        worked("sweep", "Fenris.health=45", "--rule", "first_hand=3..4", "--cards", FROZEN, "--games", 400, "--overlords", "Fenris,Lilith", "--json")
    )
    assert {(row["Fenris.health"], row["rule first_hand"]) for row in grid["rows"]} == {(45, 3), (45, 4)}


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        (["Lilith.helth=4..5"], "did you mean Lilith.health"),
        (["Lilith.health"], "write it as"),
        (["Lilith.health=a..b"], "no values"),
        (["Lilith.health=9..5"], "the smaller one first"),
        (["Lilith.health=45..60:0"], "steps of 0"),
        (["Ghoul.abilities[DRAW 9]=1..2"], "has no such number"),
        ([], "give one number"),
        (["Lilith.health=45..46", "Lilith.health=47"], "two different ones"),
    ],
)
def test_a_sweep_refuses_in_one_sentence(ranges, said):
    assert said in refused("sweep", *ranges, "--cards", FROZEN)


def test_a_suggestion_in_words_and_applied(tmp_path, monkeypatch):
    import terrors.analysis.numbers.suggest as module
    import terrors.cli.commands.what_if.suggest as command

    for name, rounds in (("CHECKS", (400,)), ("SEALED", (600,)), ("FIRST_RACE", ((80, 4), (200, 2))), ("RACES", 1)):
        monkeypatch.setattr(module, name, rounds)
    monkeypatch.setattr(command, "COMPARED", 200)
    monkeypatch.setattr(module, "feel_metrics", lambda *_: {})
    mine = tmp_path / "mine.csv"
    mine.write_bytes(written := patched_csv(FROZEN, load_cards(FROZEN), ["Fenris.health=53"]))
    asked = ("suggest", "--cards", mine, "--overlords", "Fenris,Lilith", "--only", "Fenris.health", "--games", 3000)
    asked += ("--max-edits", 1, "--margin", "overlord=7", "--margin", "matchup=7")
    said = worked(*asked, "--apply", 1)
    assert "Off as it is: Fenris" in said
    assert "1. Fenris: Health 53 →" in said
    assert "(predicted" in said
    new = tmp_path / "mine-suggested.csv"
    assert len(set(new.read_text().splitlines()) - set(mine.read_text().splitlines())) == 1
    assert mine.read_bytes() == written
    assert (tmp_path / "runs" / "mine-suggested-after" / "compare.html").is_file()
    data = json.loads(worked(*asked, "--json", "--out", tmp_path / "all.csv"))
    assert data["suggestions"][0]["edits"][0]["where"] == "Fenris.health"
    assert pl.read_csv(tmp_path / "all.csv").filter(suggestion=1)["edits"][0].startswith("Fenris: Health 53 →")
    assert "Nothing needs to change" in worked("suggest", "--cards", new, *asked[3:])
    assert "there are 1 suggestions" in terrors(*asked, "--apply", 2).stderr
    assert "never more than 2" in terrors(*asked, "--apply", 4).stderr  # before anything is played


def test_what_lies_beyond_the_limits_is_said_and_marked_wherever_it_goes(tmp_path, monkeypatch):
    import terrors.analysis.numbers.suggest as module
    import terrors.cli.commands.what_if.suggest as command

    for name, rounds in (("CHECKS", (400,)), ("SEALED", (1500,)), ("FIRST_RACE", ((80, 4), (200, 2))), ("RACES", 1)):
        monkeypatch.setattr(module, name, rounds)
    monkeypatch.setattr(command, "COMPARED", 200)
    monkeypatch.setattr(module, "feel_metrics", lambda *_: {})
    mine = tmp_path / "mine.csv"
    mine.write_bytes(patched_csv(FROZEN, load_cards(FROZEN), ["Fenris.health=53"]))
    asked = (
        "suggest",
        "--cards",
        mine,
        "--overlords",
        "Fenris,Lilith",
        "--only",
        "health,Cursed Diamond.cost",
        "--keep",
        "Lilith.health",
        "--games",
        3000,
        "--pilot",
        "tuned",
    )
    said = worked(*asked, "--max-edits", 1, "--margin", "overlord=8", "--margin", "matchup=8", "--apply", 2, "--out", tmp_path / "all.csv")
    assert "1. Cursed Diamond: cost" in said
    assert (
        "No patch within your limits makes all of it fair; the nearest is number 1.\nIf what is printed may change, this does it:\n\n2. Fenris: Health 53 →"
        in said
    )
    assert "(printed: its source says rulebook)." in said
    assert '--apply 2 writes it beside yours; with --keep "Fenris" it is left out of the search.' in said
    assert pl.read_csv(tmp_path / "all.csv").group_by("suggestion").agg(pl.col("within_limits").first()).sort("suggestion")["within_limits"].to_list() == [
        True, True, False
    ]  # fmt: skip
    assert "Changed against the rulebook: Health 53 →" in load_cards(tmp_path / "mine-suggested.csv").by_name("Fenris").note
    assert "printed: its source says rulebook" in (tmp_path / "runs" / "mine-suggested-after" / "compare.html").read_text()


def test_a_suggestion_is_refused_in_one_sentence():
    cards = ("--cards", FROZEN, "--overlords", "Fenris,Lilith")
    assert "did you mean Lilith" in refused("suggest", *cards, "--keep", "Lilith.helth")
    assert "games won of 100" in refused("suggest", *cards, "--target", "Lilith = many")
    assert "did you mean Lilith against Fenris" in refused("suggest", *cards, "--target", "Lilith aganst Fenris = 55")
    assert "free 'Nobody'" in refused("suggest", *cards, "--free", "Nobody")
    assert "from 1 to 6" in refused("suggest", *cards, "--max-edits", 9)
