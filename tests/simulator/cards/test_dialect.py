"""Factions and keywords of a set's own: read, written, and played as any others."""

import csv
import io
import pickle

import pytest

from terrors.simulator.cards.card_set import COLUMNS, CardFileError, CardSet, load_cards
from terrors.simulator.cards.dialect import Dialect
from terrors.simulator.cards.printing import card_sentences
from terrors.simulator.cards.vocabulary import parse_abilities, parse_triggers, text_of_all, trigger_text
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import pairs_of_games, play_rows
from terrors.simulator.story.scenario import run_files
from terrors.simulator.terms.enums import Faction
from terrors.strategies import find
from tests.support.places import FROZEN

RENAMED = {"Undead": "Grave Folk", "Beast": "Pack", "Mortal": "Elf", "Spirit": "Öde"}


def rows_of(cards: CardSet) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(cards.to_csv())))


def text(rows: list[dict[str, str]], *definitions: str) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{"name": definition} for definition in definitions] + rows)
    return out.getvalue()


@pytest.fixture
def load(tmp_path):
    def read(content: str) -> CardSet:
        (tmp_path / "cards.csv").write_text(content, encoding="utf-8")
        return load_cards(tmp_path / "cards.csv")

    return read


@pytest.fixture
def renamed(load, frozen_cards) -> CardSet:
    """The frozen set with every faction under another name."""
    content = frozen_cards.to_csv()
    rows = rows_of(frozen_cards)
    for row in rows:
        for column in ("faction", "left", "right", "abilities", "triggers", "horde"):
            for old, new in RENAMED.items():
                row[column] = row[column].replace(old, new)
    assert content != text(rows)
    return load(text(rows, "factions = Grave Folk #123456, Pack, Elf, Öde"))


def games(cards: CardSet, strategy: str) -> list[tuple]:
    box = make_box(cards)
    kinds = [box.kind(card.name) for card in box.cards.overlords[:2]]
    rows = play_rows(box, pairs_of_games(box, [(kinds[0], kinds[1]), (kinds[1], kinds[0])], 60, seed=5), find(strategy), find("greedy"))
    return rows.tolist()


def test_a_name_changes_no_game(renamed, frozen_cards):
    """The truth that is known beforehand: under other names the very same games are played."""
    assert games(renamed, "loyal") == games(frozen_cards, "loyal")


def test_the_file_is_read_back_as_the_same_set(renamed, load):
    assert renamed.dialect.names == tuple(RENAMED.values())
    assert renamed.dialect.factions[0].colour == "#123456"
    again = load(renamed.to_csv())
    assert (again.cards, again.dialect, again.sha256) == (renamed.cards, renamed.dialect, renamed.sha256)
    assert pickle.loads(pickle.dumps(renamed)).to_csv() == renamed.to_csv()
    assert renamed.sha256 != load_cards(FROZEN).sha256
    assert "factions" not in load_cards(FROZEN).to_csv()


@pytest.fixture
def five(load, frozen_cards) -> CardSet:
    """The frozen set with a fifth faction: an overlord, its monsters, and what listens to them and counts them."""
    fey = [
        {"name": "Titania", "pile": "overlord", "type": "Overlord", "faction": "Fey", "health": "40", "abilities": "once per turn: 1 Coin"},
        {"name": "Glamour", "pile": "influence", "type": "Influence", "overlord": "Titania", "abilities": "1 Coin", "triggers": "each Fey played: 2 Power"},
        {"name": "Ring", "pile": "influence", "type": "Influence", "overlord": "Titania", "abilities": "1 Power", "triggers": "faction in play: 1 Coin"},
        {"name": "Pixie", "pile": "market", "type": "Monster", "faction": "Fey", "cost": "1", "copies": "8", "abilities": "FRENZY; 1 Power per Fey in play",
         "left": "Spirit", "right": "Undead", "horde": "if Fey in play: FRENZY", "triggers": "first Fey played: 1 Regeneration"},
    ]  # fmt: skip
    rows = [{column: row.get(column, "") for column in COLUMNS} | {"copies": row.get("copies", "1")} for row in fey]
    return load(text([*rows_of(frozen_cards), *rows], "factions = Undead, Beast, Mortal, Spirit, Fey #2f7d4f", "FRENZY = 1 Power and DRAW 1"))


def test_a_fifth_faction_is_played(five):
    box = make_box(five)
    assert five.by_name("Pixie").faction == 5
    rows = play_rows(box, pairs_of_games(box, [(box.kind("Titania"), box.kind("Fenris"))], 40, seed=1), find("tuned"), find("greedy"))
    assert set(rows["winner"]) == {0, 1}


SCENARIO = """
[[scenario]]
rule = "P5"
title = "Two Pixies: the second is heard by the lit Influence card, and counts both"
[scenario.you]
overlord = "Titania"
hand = ["Pixie", "Glamour", "Pixie"]
deck = ["Cultist", "Cultist"]
[scenario.opponent]
overlord = "Fenris"
[scenario.script]
lines = '''
play Pixie
expect you.power = 2
play Glamour
play Pixie
expect you.power = 7
expect you.coin = 1
expect you.regeneration = 0
'''
"""


def test_its_triggers_and_counts_work(five, tmp_path):
    """By hand: 1 and 1 for itself; then 1, 2 for the two Fey, and 2 from Glamour. The first Fey of the turn was the Pixie itself, which nobody heard (P5)."""
    file = tmp_path / "fey.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    (outcome,) = run_files([file], five)
    assert outcome.failures == []


def test_the_words_of_a_faction_are_read_and_written():
    dialect = Dialect((*Faction.PRINTED, Faction(5, "Fey")))
    (trigger,), _ = parse_triggers("each Feys played: 2 Power", False, dialect)
    assert (trigger.event, trigger_text(trigger)) == (21, "each Fey played: 2 Power")
    (ability,) = parse_abilities("if Fey in play: 1 Power per Fey in play", dialect)
    assert text_of_all((ability,)) == "if Fey in play: 1 Power per Fey in play"
    assert ability.b == 5


def test_sentences_name_the_faction(five):
    assert card_sentences(five.by_name("Pixie")) == [
        "Gain 1 Power. Draw 1 card. Gain 1 Power for each Fey that you have in play.",
        "The first time you play a Fey this turn, gain 1 Regeneration.",
        "Horde: If you have a Fey in play, gain 1 Power and draw 1 card.",
    ]


def test_a_keyword_is_what_it_stands_for(five, load, frozen_cards):
    written = five.to_csv()
    assert "FRENZY" not in written
    assert load(written).sha256 == five.sha256
    assert five.replace("Pixie.abilities=choose FRENZY or 2 Coin").by_name("Pixie").abilities == parse_abilities("choose 1 Power and DRAW 1 or 2 Coin")
    nested = load(text(rows_of(frozen_cards), "FRENZY = pay 1 Health: DRAW 1", "WILD RAGE = FRENZY; RAGE"))
    assert nested.replace("Ghoul.abilities=wild rage; 1 Coin").by_name("Ghoul").abilities == parse_abilities("(pay 1 Health: DRAW 1) and RAGE; 1 Coin")


@pytest.mark.parametrize(
    ("definition", "problem"),
    [
        ("FRENZY = 1 Pwer", "FRENZY: '1 Pwer': 'Pwer' is not a resource; did you mean Power?"),
        ("CURSE = 1 Power", "'CURSE' is a word of the language already; the keyword needs another name"),
        ("FRENZY =", "'FRENZY' stands for nothing; write the abilities behind '='"),
        ("3RENZY = 1 Power", "'3RENZY' is no name of a keyword; use letters, as in 'FRENZY = 1 Power and DRAW 1'"),
        ("factions = Undead", "factions: there are 1 factions; give 2 to 8, with commas between them"),
        ("factions = Undead, Fey, fey", "factions: 'fey' is there twice"),
        ("factions = Undead, Power", "factions: 'Power' means something else in abilities; a faction needs another name"),
        ("= 1 Power", "'= 1 Power': a definition has a name before '=', as in 'FRENZY = 1 Power and DRAW 1'"),
    ],
)
def test_definitions_that_cannot_be_read(load, frozen_cards, definition, problem):
    with pytest.raises(CardFileError) as caught:
        load(text(rows_of(frozen_cards), definition))
    assert f"cards.csv, row 2: {problem}" in caught.value.problems


def test_a_faction_that_is_not_declared(load, frozen_cards):
    with pytest.raises(CardFileError) as caught:
        load(text(rows_of(frozen_cards), "factions = Undead, Beast, Mortal, Ghost"))
    assert any("'Spirit' is not a faction (Undead, Beast, Mortal or Ghost)" in problem for problem in caught.value.problems)
