"""`terrors numbers`, `sweep` and `suggest` as somebody types them."""

import json

import polars as pl
import pytest

from terrors.analysis.contract.columns import ANSWERS
from tests.support.commands import refused, worked
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
        (["Ghoul.abilities[DRAW 9]=1..2"], "has no such number"),
        ([], "give one number"),
        (["Lilith.health=45..46", "Lilith.health=47"], "two different ones"),
    ],
)
def test_a_sweep_refuses_in_one_sentence(ranges, said):
    assert said in refused("sweep", *ranges, "--cards", FROZEN)
