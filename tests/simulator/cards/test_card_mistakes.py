"""Every kind of bad input in a card file, with its message word for word (docs/CARDS.md, "Bad input")."""

from pathlib import Path

import pytest

from terrors.simulator.cards import card as card_module
from terrors.simulator.cards import card_set
from terrors.simulator.cards.card_set import COLUMNS, CardFileError, load_cards
from terrors.simulator.kernel import layout
from tests.support.small_set import Rows, base, changed, load, problems, row, written


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cards.csv"


# ---------------------------------------------------------------- the file cannot be read


def test_no_file_a_folder_and_an_empty_file(tmp_path: Path, file: Path) -> None:
    for path, message in ((tmp_path / "none.csv", "there is no such file"), (tmp_path, "this is a folder, not a card file")):
        with pytest.raises(CardFileError) as caught:
            load_cards(str(path))
        assert caught.value.problems == [f"{path}: {message}"]
    assert problems(file, "") == ["cards.csv: the file is empty"]
    assert problems(file, "\ufeff\n# only a comment\n\n") == ["cards.csv: the file is empty"]


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", b"name,\x81\x00", b"\xef\xbb\xbfname,caf\xe9", b"name,\x81\n"])
def test_bytes_that_are_no_text(file: Path, raw: bytes) -> None:
    (problem,) = problems(file, raw)
    assert problem.startswith("cards.csv: not UTF-8 text (near line ")
    assert "save it as 'CSV UTF-8'" in problem


def test_quotation_marks_that_do_not_pair_up(file: Path) -> None:
    (problem,) = problems(file, written(base()) + '"Hag,market\n')
    assert problem.startswith("cards.csv, row 12: the quotation marks do not pair up")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (("abilities", "abilites"), ["cards.csv, row 1: 'abilites' is not a column; did you mean abilities?"]),
        (("horde", "left"), ["cards.csv, row 1: the column 'left' is there twice", "cards.csv, row 1: the column 'horde' is missing"]),
        (("cost", "price"), ["cards.csv, row 1: 'price' is not a column", "cards.csv, row 1: the column 'cost' is missing"]),
        (("pile", ""), ["cards.csv, row 1: column 2 has no name", "cards.csv, row 1: the column 'pile' is missing"]),
    ],
)
def test_wrong_columns(file: Path, header: tuple[str, str], found: list[str]) -> None:
    assert (
        problems(
            file, written(base()).replace(f"{header[0]},", f"{header[1]},", 1).replace(",note\n", f",{header[1]}\n" if header[0] == "note" else ",note\n", 1)
        )
        == found
    )


def test_rows_that_are_too_long_or_too_short(file: Path) -> None:
    text = written(base()) + "Hag,market,Monster\n" + ",".join(["Imp", "market", "Monster", *["x"] * 15]) + "\n"
    assert problems(file, text) == [
        "cards.csv, row 12, Hag: row 12 has 3 fields, the header 16",
        "cards.csv, row 13, Imp: row 13 has 18 fields, the header 16; a field with ',' in it needs quotation marks around it",
    ]
    assert problems(file, written(base(), ";") + ";".join(["Imp"] * 17))[0].endswith("; a field with ';' in it needs quotation marks around it")


def test_row_numbers_are_those_of_a_spreadsheet(file: Path) -> None:
    """A cell of several lines is one row; blank lines and comments are rows of their own."""
    rows = changed("Azazael", note="one\n\n# two\nthree")
    rows[8]["abilities"] = "CURSED"
    lines = written(rows).replace("Fenris,overlord", "# comment\n\nFenris,overlord")
    assert problems(file, lines) == ["cards.csv, row 12, Ghoul, abilities: 'CURSED' is not an ability; did you mean CURSE?"]


# ---------------------------------------------------------------- mistakes in a card


@pytest.mark.parametrize(
    ("card", "cells", "found"),
    [
        ("Ghoul", {"abilities": "CURSED"}, "abilities: 'CURSED' is not an ability; did you mean CURSE?"),
        ("Ghoul", {"triggers": "each CURSEE: DRAW"}, "triggers: 'each CURSEE': 'CURSEE' is not an event; did you mean CURSE?"),
        ("Ghoul", {"horde": "1 Coin|1 Coin|1 Coin"}, "horde: '1 Coin|1 Coin|1 Coin': a card has at most 2 Horde abilities"),
        ("Ghoul", {"pile": "markt"}, "pile: 'markt' is not a pile; did you mean market?"),
        ("Ghoul", {"pile": ""}, "pile: an empty cell is not a pile (overlord, starting, influence, acolyte or market)"),
        ("Ghoul", {"type_": "Goblin"}, "type: 'Goblin' is not a type (Overlord, Monster, Influence or Relic)"),
        ("Ghoul", {"faction": "Undeat"}, "faction: 'Undeat' is not a faction; did you mean Undead?"),
        ("Ghoul", {"left": "Elf"}, "left: 'Elf' is not a faction (Undead, Beast, Mortal or Spirit)"),
        ("Ghoul", {"right": "Beest"}, "right: 'Beest' is not a faction; did you mean Beast?"),
        ("Ghoul", {"cost": "-1"}, "cost: '-1' is not between 0 and 99"),
        ("Ghoul", {"cost": "100"}, "cost: '100' is not between 0 and 99"),
        ("Ghoul", {"cost": "9" * 5000}, f"cost: '{'9' * 150}…' is not between 0 and 99"),
        ("Ghoul", {"cost": "2.5"}, "cost: '2.5' is not a whole number"),
        ("Ghoul", {"cost": "two"}, "cost: 'two' is not a whole number"),
        ("Ghoul", {"cost": ""}, "cost: a card of the market needs a cost"),
        ("Sexton", {"cost": ""}, "cost: an Acolyte needs a cost"),
        ("Azazael", {"cost": "3"}, "cost: an Overlord is not for sale; leave the cost empty"),
        ("Vigil", {"cost": "3"}, "cost: an Influence card is not for sale; leave the cost empty"),
        ("Ghoul", {"copies": "0"}, "copies: '0' is not between 1 and 999"),
        ("Ghoul", {"copies": "1000"}, "copies: '1000' is not between 1 and 999"),
        ("Ghoul", {"copies": ""}, "copies: an empty cell is not a number of copies"),
        ("Vigil", {"copies": "2"}, "copies: '2': there is one of an Influence card"),
        ("Azazael", {"health": "0"}, "health: '0' is not between 1 and 999"),
        ("Azazael", {"health": "1000"}, "health: '1000' is not between 1 and 999"),
        ("Azazael", {"health": ""}, "health: an Overlord needs its Health at the start"),
        ("Ghoul", {"health": "3"}, "health: only Overlords have Health"),
        ("Azazael", {"faction": ""}, "faction: an Overlord needs a faction"),
        ("Vigil", {"overlord": ""}, "overlord: an Influence card needs the name of its overlord"),
        ("Ghoul", {"overlord": "Fenris"}, "overlord: 'Fenris': only Influence cards belong to an overlord"),
        ("Mirror", {"left": "Beast"}, "left: a Relic has no Horde indicators"),
        ("Vigil", {"right": "Beast"}, "right: an Influence card has no Horde indicators"),
        ("Azazael", {"left": "Beast"}, "left: an Overlord has no Horde indicators"),
        ("Mirror", {"horde": "1 Coin"}, "horde: a Relic has no Horde abilities"),
        ("Ghoul", {"left": "", "right": ""}, "horde: Horde abilities need a Horde indicator, left or right"),
        ("Ghoul", {"triggers": "; ".join(["each CURSE: DRAW"] * 5)}, "triggers: 5 triggers; a card has at most 4"),
        ("Mirror", {"abilities": "HAUNT"}, "abilities: 'HAUNT' is for monsters, and this is a Relic; write HAUNT another monster"),
        (
            "Vigil",
            {"triggers": "faction in play: HAUNT"},
            "triggers: 'HAUNT' is for monsters, and this is an Influence card; write HAUNT another monster",
        ),
        ("Mirror", {"abilities": "1 Coin per monster in this horde"}, "abilities: '1 Coin per monster in this horde': a Relic is in no horde"),
        (
            "Ghoul",
            {"triggers": "faction in play: DRAW 1"},
            "triggers: 'faction in play: DRAW 1': 'faction in play' is for Influence cards; name the faction: 'if Undead in play: …'",
        ),
        ("Azazael", {"abilities": "SACRIFICE this: DRAW 1"}, "abilities: 'SACRIFICE this: DRAW 1': an Overlord cannot be sacrificed"),
        ("Azazael", {"abilities": "2 Armor"}, "abilities: an Overlord has no Armor: it counts on cards in play"),
        ("Ghoul", {"horde": "2 Armor"}, "horde: '2 Armor': no Horde ability can be Armor or CLAIM"),
        ("Ghoul", {"abilities": "pay 1 Coin: 2 Armor"}, "abilities: '2 Armor': Armor and CLAIM stand alone, never behind ':' or in a choice"),
        ("Mirror", {"abilities": "CLAIM"}, "abilities: 'CLAIM' is for monsters of the market"),
        ("Sexton", {"abilities": "CLAIM"}, "abilities: 'CLAIM' is for monsters of the market"),
        ("Cultist", {"abilities": "CLAIM"}, "abilities: 'CLAIM' is for monsters of the market"),
        ("Vigil", {"beginner": "maybe"}, "beginner: 'maybe' is not yes or no"),
    ],
)
def test_every_mistake_in_a_card_is_named(file: Path, card: str, cells: dict[str, str], found: str) -> None:
    number = [cells_of["name"] for cells_of in base()].index(card) + 2
    assert problems(file, changed(card, **cells)) == [f"cards.csv, row {number}, {card}, {found}"]


@pytest.mark.parametrize(
    ("card", "pile", "message"),
    [
        ("Azazael", "market", "'market' is for a Monster or a Relic, and this is an Overlord"),
        ("Cultist", "overlord", "'overlord' is for an Overlord, and this is a Monster"),
        ("Mirror", "acolyte", "'acolyte' is for a Monster, and this is a Relic"),
        ("Vigil", "starting", "'starting' is for a Monster or a Relic, and this is an Influence card"),
        ("Mirror", "influence", "'influence' is for an Influence card, and this is a Relic"),
    ],
)
def test_pile_and_type_that_do_not_fit(file: Path, card: str, pile: str, message: str) -> None:
    assert any(problem.endswith(f", {card}, pile: {message}") for problem in problems(file, changed(card, pile=pile)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "name: a card needs a name"),
        ("x" * 121, f"{'x' * 121}, name: '{'x' * 121}' is longer than 120 characters"),
        ("Gh\x07oul", "Gh?oul, name: 'Gh?oul' has a line break or another control character in it"),
        ("Gh\noul", "Gh?oul, name: 'Gh?oul' has a line break or another control character in it"),
        ("Ghoul #2", "Ghoul #2, name: 'Ghoul #2' ends with '#' and a number, which means a second copy of a card"),
        ("Ghoul#13", "Ghoul#13, name: 'Ghoul#13' ends with '#' and a number, which means a second copy of a card"),
        ("NONE", "NONE, name: 'NONE' means something else in scripts and replays; a card needs another name"),
        ("Acolyte", "Acolyte, name: 'Acolyte' means something else in scripts and replays; a card needs another name"),
    ],
)
def test_names_that_cannot_be(file: Path, name: str, message: str) -> None:
    assert problems(file, changed("Ghoul", name=name)) == [f"cards.csv, row 10, {message}"]


def test_a_name_with_a_number_sign_elsewhere_is_fine(file: Path) -> None:
    assert load(file, changed("Ghoul", name="Ghoul #two")).by_name("ghoul #TWO").cost == 2


def test_a_name_that_begins_like_a_comment(file: Path) -> None:
    text = written(changed("Ghoul", name="#Ghoul"), columns=tuple(reversed(COLUMNS)))
    assert problems(file, text) == ["cards.csv, row 10, #Ghoul, name: '#Ghoul' begins with '#', as comments do"]


def test_one_slip_may_have_two_consequences(file: Path) -> None:
    assert problems(file, changed("Ghoul", pile="influence")) == [
        "cards.csv, row 10, Ghoul, pile: 'influence' is for an Influence card, and this is a Monster",
        "cards.csv, row 10, Ghoul, abilities: 'CLAIM' is for monsters of the market",
    ]


def test_all_problems_of_a_file_at_once_and_in_order(file: Path) -> None:
    rows = base()
    rows[8] |= {"abilities": "CURSED; 0 Coin", "cost": "x", "horde": "DRAWW 1"}
    rows[9] |= {"left": "Beast"}
    rows.append(row("ghoul", "market", "Monster", cost="1"))
    assert problems(file, rows) == [
        "cards.csv, row 10, Ghoul, cost: 'x' is not a whole number",
        "cards.csv, row 10, Ghoul, abilities: 'CURSED' is not an ability; did you mean CURSE?",
        "cards.csv, row 10, Ghoul, abilities: '0 Coin': amounts go from 1 to 99",
        "cards.csv, row 10, Ghoul, horde: 'DRAWW 1' is not an ability; did you mean DRAW 1?",
        "cards.csv, row 11, Mirror, left: a Relic has no Horde indicators",
        "cards.csv, row 12, ghoul, name: the name is there twice, first in row 10",
    ]


# ---------------------------------------------------------------- mistakes in the set


def without(*names: str) -> Rows:
    return [cells for cells in base() if cells["name"] not in names]


def extra(count: int, pile: str, type_: str, **cells: str) -> Rows:
    return [row(f"Extra {number}", pile, type_, **cells) for number in range(count)]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (without("Vigil"), ["cards.csv, row 2, Azazael: the overlord has only 1 Influence card, and 2 are needed"]),
        (without("Vigil", "Chorus"), ["cards.csv, row 2, Azazael: the overlord has no Influence cards, and 2 are needed"]),
        (
            [*base(), *extra(15, "influence", "Influence", overlord="Fenris")],
            ["cards.csv, row 3, Fenris: the overlord has 17 Influence cards, and 16 are the most"],
        ),
        (
            changed("Moon", overlord="Fenriss"),
            [
                "cards.csv, row 3, Fenris: the overlord has only 1 Influence card, and 2 are needed",
                "cards.csv, row 6, Moon, overlord: 'Fenriss' is not an overlord of this set; did you mean Fenris?",
            ],
        ),
        (without("Azazael", "Fenris", "Vigil", "Chorus", "Moon", "Pack"), ["cards.csv: there are no overlords"]),
        (without("Azazael", "Vigil", "Chorus"), ["cards.csv: there are no two overlords of different factions"]),
        (changed("Azazael", faction="Beast"), ["cards.csv: there are no two overlords of different factions"]),
        (without("Ghoul", "Mirror"), ["cards.csv: there are no market cards"]),
        (without("Cultist"), ["cards.csv: there are no starting cards"]),
        (
            [*base(), row("Sweep", "acolyte", "Monster", cost="3")],
            ["cards.csv: the Acolytes cost 2 and 3; they are bought unseen and cost the same (B1, S5)"],
        ),
        (changed("Sexton", copies="65"), ["cards.csv: there are 65 Acolytes, and 64 are the most"]),
        (
            [*base(), *extra(17, "market", "Monster", cost="1", copies="999")],
            ["cards.csv: there are 17010 copies of cards, and 16384 are the most"],
        ),
        ([*base(), *extra(4087, "market", "Monster", cost="1")], ["cards.csv: there are 4097 different cards, and 4096 are the most"]),
        (
            [*base(), *extra(400, "market", "Monster", cost="1", abilities="; ".join(["CURSE"] * 90))],
            ["cards.csv: the abilities of all cards take 36012 steps, and 32768 are the most"],
        ),
        (
            [],
            ["cards.csv: there are no overlords", "cards.csv: there are no market cards", "cards.csv: there are no starting cards"],
        ),
    ],
    ids=range(15),
)  # fmt: skip
def test_mistakes_in_the_set(file: Path, rows: Rows, found: list[str]) -> None:
    assert problems(file, rows) == found


def test_a_set_without_acolytes_is_fine(file: Path) -> None:
    assert load(file, without("Sexton")).acolytes == ()


def test_the_limits_are_those_of_the_engine() -> None:
    assert (card_set.MAX_CARDS, card_set.MAX_COPIES, card_set.MAX_ROWS) == (layout.KINDS, layout.INSTANCES, layout.ROWS)
    assert (card_set.MAX_ACOLYTES, card_set.MAX_INFLUENCES, card_module.MAX_TRIGGERS) == (layout.ACOLYTES, layout.INFLUENCES, layout.TRIGGERS)
