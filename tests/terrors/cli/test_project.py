"""A project is a folder: which set, rules, margins and strategies the commands use there, and that they say so."""

import json
from pathlib import Path

import pytest

from terrors.cli.project import ENTRIES, Project, ProjectError, margins_of, project, rules_of
from terrors.simulator.cards.card_set import load_cards
from tests.support.commands import refused, terrors, worked
from tests.support.places import FROZEN

SHIPS = "Cards: the reference set that ships with terrors, since this folder has no cards.csv (terrors new my-game makes a folder with one).\n"
HERE = "Cards: cards.csv, of this folder.\n"


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mine(desk) -> Path:
    """A folder with a set that differs in one cost from every other."""
    (desk / "cards.csv").write_text(load_cards(FROZEN).replace("Ghoul.cost=9").to_csv(), encoding="utf-8")
    return desk


def ghoul(data: str) -> int:
    return next(card["cost"] for card in json.loads(data)["cards"] if card["name"] == "Ghoul")


def test_elsewhere_the_set_that_ships(desk):
    result = terrors("cards", "--json")
    assert json.loads(result.stdout)["sha256"] == load_cards().sha256
    assert result.stderr == SHIPS


def test_a_folder_with_cards_is_enough(mine):
    result = terrors("cards", "--json")
    assert ghoul(result.stdout) == 9
    assert result.stderr.startswith(HERE) or result.stderr.endswith(HERE)


def test_a_set_that_is_named_needs_no_words(mine):
    result = terrors("cards", FROZEN, "--json")
    assert ghoul(result.stdout) != 9
    assert "Cards: " not in result.stderr


def test_a_refused_command_says_one_sentence(mine):
    assert refused("replay", "--first", "Nobody").startswith("no card is named 'Nobody'")


def test_new_makes_a_folder_in_which_everything_works(desk, monkeypatch):
    assert "Next: cd my-game" in worked("new", "my-game")
    monkeypatch.chdir(desk / "my-game")
    here = project()
    assert here.cards is not None
    assert load_cards(here.cards).sha256 == load_cards().sha256
    assert here.strategies == ("greedy", "aggro", "control", "tuned")
    assert here.games == 150_000
    assert margins_of(None, ()).as_data() == {"overlord": 3, "matchup": 8, "first": 2, "card": 3, "bomb": 10}
    assert set(Path("terrors.toml").read_text(encoding="utf-8").replace("]", "").replace("[", "").split()) >= set(ENTRIES) - {"panel", "feel"}


def test_new_takes_another_set_and_leaves_a_folder_alone(mine):
    worked("new", "other", "--cards", "cards.csv")
    assert ghoul(worked("cards", mine / "other" / "cards.csv", "--json")) == 9
    assert refused("new", "other") == "other: there is something already; give the name of a folder that is not there yet."
    assert "leave one of them out" in refused("new", "fourth", "--cards", "cards.csv", "--from", "first-draft")
    (mine / "broken.csv").write_text("name\n", encoding="utf-8")
    assert terrors("new", "third", "--cards", "broken.csv").exit_code == 2
    assert not (mine / "third").exists()


@pytest.mark.slow
def test_options_win_entry_by_entry(mine, compiled_engine):
    """Rules, strategies and number of games come from the file, unless an option gives them."""
    (mine / "terrors.toml").write_text('games = 48\nstrategies = ["greedy"]\n[rules]\nfirst_hand = 5\nhand_size = 6\n[margins]\ncard = 4\n', encoding="utf-8")
    assert rules_of(["first_hand=3"]) == {"first_hand": 3, "hand_size": 6}
    assert margins_of(None, ("first=1",)).as_data() == {"overlord": 3, "matchup": 8, "first": 1, "card": 4, "bomb": 10}
    result = terrors("simulate", "--games", "40", "--overlords", "Fenris,Azazael", "--rule", "first_hand=4", "--jobs", "1", "--json")
    assert result.exit_code == 0, result.output
    plan = json.loads(result.stdout)["plan"]
    assert plan["rules"] == {"first_hand": 4, "hand_size": 6}
    assert "Cards: cards.csv, of this folder; rules of terrors.toml: first_hand=5, hand_size=6." in result.stderr
    told = json.loads(terrors("replay", "--json").stdout)
    assert told["rules"] == {"first_hand": 5, "hand_size": 6}
    assert told["cards"] == load_cards("cards.csv").sha256


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cards = 3", "cards is not possible; give a path in quotation marks."),
        ('cards = "none.csv"', "cards names none.csv, and there is no such file; mend the name, or leave the entry out."),
        ("games = 0", "games is not possible; give a whole number, for instance 180_000."),
        ("protected = [1]", "protected is not possible; give a list of texts in quotation marks."),
        ("pilots = []", "there is no entry 'pilots'; the entries are"),
        ("[rules]\nfirst_hnd = 3", "rule first_hnd: there is no such rule; did you mean first_hand?"),
        ("[rules]\nfirst_hand = 99", "rule first_hand: 99 is not possible"),
        ("games =", "this is not a TOML file"),
    ],
)
def test_a_file_that_cannot_be_used(desk, text, words):
    (desk / "terrors.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ProjectError) as caught:
        project()
    assert str(caught.value).startswith(f"terrors.toml: {words}")


def test_margins_of_the_file_are_checked_where_they_are_used(desk):
    (desk / "terrors.toml").write_text("[margins]\noverlrd = 3", encoding="utf-8")
    with pytest.raises(ValueError, match=r"terrors.toml, margins: there is no entry 'overlrd'; did you mean overlord\?"):
        margins_of(None, ())


def test_no_project():
    assert Project().cards_words() + "\n" == SHIPS


def test_code_that_only_the_file_names_does_not_run_unseen(desk, monkeypatch):
    """A folder may be a stranger's: what its terrors.toml names is executed only if it has been used here before."""
    monkeypatch.setattr("terrors.simulator.kernel.jit.CACHE_ROOT", desk / "cache")
    (desk / "theirs.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    (desk / "terrors.toml").write_text('strategies = ["theirs.py"]\n', encoding="utf-8")
    said = refused("balance", "--games", "48")
    assert said == "terrors.toml names theirs.py, code that has never been used on this machine; read it, then `terrors strategies check theirs.py` once."
