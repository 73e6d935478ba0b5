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
