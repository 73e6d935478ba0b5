"""The card file: what is read, whatever spreadsheet wrote it; changed and added cards; big files, rubbish, and printing."""

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrors.simulator.cards import card_set
from terrors.simulator.cards.card_set import COLUMNS, Card, CardFileError, UnknownCardError, load_cards
from terrors.simulator.cards.printing import card_sentences, print_set, print_words
from terrors.simulator.cards.vocabulary import parse_abilities, parse_horde, parse_triggers
from terrors.simulator.terms.enums import CardType, Faction, Pile
from tests.support.small_set import base, changed, load, problems, row, written

REFERENCE = load_cards()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cards.csv"


# ---------------------------------------------------------------- reading


def test_a_card_with_everything(file: Path) -> None:
    ghoul = load(file, base()).by_name("Ghoul")
    assert ghoul == Card(
        name="Ghoul", pile=Pile.MARKET, type=CardType.MONSTER, faction=Faction.UNDEAD, cost=2, copies=2,
        abilities=parse_abilities("DRAW 1; 1 Power; 1 Armor; CLAIM"), triggers=parse_triggers("first Mortal played: SACRIFICE")[0],
        left=Faction.SPIRIT, right=Faction.BEAST, horde=parse_horde("1 Coin | CURSE"), source="invented", note="two\nlines",
    )  # fmt: skip
    assert (ghoul.row, ghoul.armor, ghoul.claim) == (10, 1, True)


def test_what_a_set_knows(file: Path) -> None:
    found = load(file, base())
    assert [card.name for card in found.overlords] == ["Azazael", "Fenris"]
    assert [card.name for card in found.influences_of("fenris")] == ["Moon", "Pack"]
    assert [card.name for card in found.starting] == ["Cultist"]
    assert [card.name for card in found.acolytes] == ["Sexton"]
    assert [card.name for card in found.market] == ["Ghoul", "Mirror"]
    assert (len(found), found.path, found.index("ghoul")) == (10, file, 8)
    assert [card.name for card in found] == [cells["name"] for cells in base()]
    azazael, vigil = found.by_name("Azazael"), found.by_name("VIGIL")
    assert (azazael.health, azazael.cost, azazael.faction) == (50, None, Faction.SPIRIT)
    assert (vigil.overlord, vigil.lit, vigil.triggers, vigil.beginner) == ("Azazael", *reversed(parse_triggers("faction in play: 2 Power", True)), True)


def test_an_unknown_name_gets_a_suggestion(file: Path) -> None:
    found = load(file, base())
    with pytest.raises(UnknownCardError, match=r"^no card is named 'goul'; did you mean Ghoul\?$"):
        found.by_name("goul")
    with pytest.raises(UnknownCardError, match=r"^no card is named 'Xyzzy'$"):
        found.influences_of("Xyzzy")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("columns", [COLUMNS, tuple(reversed(COLUMNS)), COLUMNS[5:] + COLUMNS[:5]])
@pytest.mark.parametrize(
    "change", [lambda text: text, lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n"), lambda text: text.replace("\n", "\r")]
)
def test_layout_does_not_matter(file: Path, delimiter: str, columns: tuple[str, ...], change) -> None:
    plain = load(file, base())
    other = load(file, change(written(base(), delimiter, columns)))
    assert other.cards == plain.cards
    assert other.sha256 == plain.sha256


def test_blank_lines_and_comments_do_not_matter(file: Path) -> None:
    plain = load(file, base())
    lines = written(base()).splitlines(keepends=True)
    comments = ['# Our cards, "version 2\n', "\n", ",,,,,,,,,,,,,,,\n", '"# a comment, quoted by a spreadsheet",,,,,,,,,,,,,,,\n', '  #,"not closed\n']
    other = load(file, "".join([*comments, lines[0], *comments, *lines[1:3], *comments, *lines[3:], *comments]))
    assert other.sha256 == plain.sha256
    assert other.by_name("Azazael").row == 12


def test_the_content_does_matter(file: Path) -> None:
    assert load(file, base()).sha256 != load(file, changed("Ghoul", cost="3")).sha256
    assert load(file, base()).sha256 == load(file, changed("Ghoul", abilities=" draw ;1 POWER; one Armor;claim ")).sha256
    assert len(load(file, base()).sha256) == 64


def test_header_in_capitals_trailing_separators_and_missing_optional_columns(file: Path) -> None:
    columns = tuple(column for column in COLUMNS if column not in ("beginner", "source", "note"))
    text = "\n".join(line + ",," for line in written(base(), columns=columns).upper().splitlines()[:1])
    text += "\n" + "\n".join(line + ",," for line in written(base(), columns=columns).splitlines()[1:])
    found = load(file, text)
    assert found.by_name("Ghoul").note == ""
    assert not any(card.beginner for card in found)


@pytest.mark.parametrize(("cell", "value"), [("yes", True), ("YES", True), ("x", True), ("true", True), ("no", False), ("", False), ("false", False)])
def test_beginner(file: Path, cell: str, value: bool) -> None:
    assert load(file, changed("Vigil", beginner=cell)).by_name("Vigil").beginner is value


def test_names_in_any_script_and_accents_of_any_system(file: Path) -> None:
    rows = base()
    rows[8]["name"], rows[9]["name"] = "Ба́ба-Яга́ 夜叉", "Me\u0301lusine\u00a0 d'Or"
    found = load(file, rows)
    assert found.by_name("M\u00c9LUSINE d'or").name == "M\u00e9lusine d'Or"
    assert found.by_name("Ба́ба-Яга́ 夜叉").cost == 2
    assert load(file, found.to_csv()).cards == found.cards


def test_to_csv_is_a_normal_form(file: Path) -> None:
    found = load(file, written(base(), ";", tuple(reversed(COLUMNS))))
    again = load(file, found.to_csv())
    assert again.cards == found.cards
    assert again.to_csv() == found.to_csv()
    assert found.to_csv().splitlines()[0] == ",".join(COLUMNS)


# ---------------------------------------------------------------- the reference set


def test_the_reference_set_loads_and_keeps_its_known_facts() -> None:
    """docs/CARDS.md, "The reference set"; RULES S1, S2."""
    found = load_cards()
    assert found.path is not None
    assert found.path.name == "cards.csv"
    assert {card.name: card.faction for card in found.overlords} == {
        "Methuselah": Faction.UNDEAD, "Fenris": Faction.BEAST, "Lilith": Faction.MORTAL, "Azazael": Faction.SPIRIT,
    }  # fmt: skip
    assert (found.by_name("Methuselah").health, found.by_name("Azazael").health) == (40, 50)  # printed; the others are ours
    assert [len(found.influences_of(card.name)) for card in found.overlords] == [4, 4, 4, 4]
    assert sum(card.copies for card in found.market) == 68
    assert (sum(card.copies for card in found.acolytes), {card.cost for card in found.acolytes}) == (8, {2})
    assert (found.by_name("Cultist").abilities, found.by_name("Fanatic").abilities) == (parse_abilities("1 Coin"), parse_abilities("1 Power"))
    assert parse_triggers("first Mortal played: SACRIFICE")[0] == found.by_name("Poltergeist").triggers


def test_the_reference_set_survives_a_round_trip(file: Path) -> None:
    found = load_cards()
    assert load(file, found.to_csv()).cards == found.cards


def test_the_reference_set_of_an_installed_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cards.csv").write_text(written(base()))
    monkeypatch.setattr(card_set, "__file__", str(tmp_path / "simulator" / "cards" / "card_set.py"))
    assert len(load_cards()) == 10


# ---------------------------------------------------------------- changed and added cards


def test_replace(file: Path) -> None:
    found = load(file, base())
    new = found.replace(["Ghoul.cost=3", "ghoul.abilities = 2 Power; CURSE", "Azazael.health=55"])
    assert (new.by_name("Ghoul").cost, new.by_name("Ghoul").abilities) == (3, parse_abilities("2 Power; CURSE"))
    assert new.by_name("Azazael").health == 55
    assert (found.by_name("Ghoul").cost, new.sha256 == found.sha256) == (2, False)
    assert [card.name for card in new] == [card.name for card in found]
    assert found.replace([]).sha256 == found.sha256
    assert found.replace("Ghoul.cost=4").by_name("Ghoul").cost == 4


def test_replace_with_awkward_names(file: Path) -> None:
    rows = base()
    rows[8]["name"], rows[9]["name"] = "Dr. Jekyll", "E.m=c"
    found = load(file, rows).replace(["Dr. Jekyll.cost=7", "E.m=c.cost=8", "E.m=c.note=a.b=c"])
    assert (found.by_name("Dr. Jekyll").cost, found.by_name("E.m=c").cost, found.by_name("E.m=c").note) == (7, 8, "a.b=c")


def test_replace_names_every_problem(file: Path) -> None:
    found = load(file, base())
    with pytest.raises(CardFileError) as caught:
        found.replace(["Goul.cost=3", "Ghoul.price=3", "nonsense", "Mirror.cost=x", "Cultist.abilities=CURSED"])
    assert caught.value.problems == [
        "'Goul.cost=3': no card is named 'Goul'; did you mean Ghoul?",
        "'Ghoul.price=3': 'price' is not a column",
        "'nonsense': an override is written as Card.column=value",
        "Mirror, cost: 'x' is not a whole number",
        "Cultist, abilities: 'CURSED' is not an ability; did you mean CURSE?",
    ]
    with pytest.raises(CardFileError, match=r"^row 3, Fenris: the overlord has only 1 Influence card, and 2 are needed$"):
        found.replace(["Moon.overlord=Azazael"])


def test_with_cards(file: Path) -> None:
    found = load(file, base())
    new = found.with_cards(
        [
            {"name": "Hag", "type": "Monster", "faction": "Spirit", "cost": 2, "abilities": "1 Power; CURSE"},
            {"name": "ghoul", "type": "relic", "cost": 0, "abilities": None},
            {"name": "Lich", "type": "Overlord", "faction": "Undead", "health": 30, "beginner": False},
            {"Name": "Urchin", "type": "Monster"},
            {"name": "Rite", "type": "Influence", "overlord": "Lich", "triggers": "faction in play: DRAW 1"},
        ]
    )
    hag = new.by_name("Hag")
    assert (hag.pile, hag.copies, hag.cost, hag.row) == (Pile.MARKET, 1, 2, 0)
    assert (new.index("ghoul"), new.by_name("Ghoul").type, new.by_name("Ghoul").cost) == (8, CardType.RELIC, 0)
    assert new.by_name("Lich").pile is Pile.OVERLORD
    assert new.influences_of("Lich")[0].name == "Rite"
    assert (new.by_name("Urchin").pile, new.by_name("Urchin").cost) == (Pile.STARTING, None)
    assert len(new) == len(found) + 4
    with pytest.raises(CardFileError, match=r"^Lich: the overlord has only 1 Influence card, and 2 are needed$"):
        found.with_cards(
            [{"name": "Lich", "type": "Overlord", "faction": "Undead", "health": 30}, {"name": "Rite", "type": "Influence", "overlord": "Lich"}], True
        )


def test_with_cards_names_every_problem(file: Path) -> None:
    found = load(file, base())
    with pytest.raises(CardFileError) as caught:
        found.with_cards(
            [
                {"name": "Hag", "type": "Monster", "cost": 2, "ability": "CURSE", "abilities": "CURSED"},
                {"type": "Monster", "cost": 1.5},
                {"name": "hag", "type": "Monster", "abilities": ["CURSE"]},
            ]
        )
    assert caught.value.problems == [
        "Hag, 'ability' is not a column; did you mean abilities?",
        "Hag, abilities: 'CURSED' is not an ability; did you mean CURSE?",
        "card 2, cost: '1.5' is neither text nor a whole number",
        "card 2, name: a card needs a name",
        "hag, abilities: '['CURSE']' is neither text nor a whole number",
        "hag, name: there are two of that name",
    ]


# ---------------------------------------------------------------- big files and rubbish


def test_thousands_of_rows_are_read_quickly(file: Path) -> None:
    """5,000 rows, hardly any cell like another: more cards than the engine holds, which is the one thing said about them."""
    dice = random.Random(1)
    rows = base()
    for number in range(5000 - len(rows)):
        n = [dice.randint(1, 99) for _ in range(5)]
        rows.append(
            row(
                f"Card {number}", "market", "Monster", faction="Beast", cost=str(n[0]), abilities=f"{n[1]} Coin; pay {n[2]} Health: DRAW {n[3]}",
                triggers=f"each CURSE: gain {n[4]} Health", left="Undead", right="Mortal", horde=f"{n[0]} Power",
            )
        )  # fmt: skip
    text = written(rows)
    start = time.perf_counter()
    found = problems(file, text)
    assert time.perf_counter() - start < 8  # about 1.2 s on the machine that it was written on
    assert found == ["cards.csv: there are 5000 different cards, and 4096 are the most"]
    assert len(load(file, rows[:4096])) == 4096


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_refused_in_words(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    assert problems(tmp_path_factory.mktemp("fuzz") / "cards.csv", content)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(COLUMNS), st.text(st.characters(exclude_categories=["Cs"]), max_size=30)), st.integers(0, 9))
def test_any_cells_are_read_or_refused_in_words(tmp_path_factory: pytest.TempPathFactory, cells: dict[str, str], at: int) -> None:
    file = tmp_path_factory.mktemp("fuzz") / "cards.csv"
    rows = base()
    rows[at] |= cells
    file.write_text(written(rows), encoding="utf-8", newline="")
    try:
        found = load_cards(file)
    except CardFileError as error:
        wrong = error.problems
    else:
        file.write_text(found.to_csv(), encoding="utf-8", newline="")
        wrong = []
        assert load_cards(file).cards == found.cards
    assert all(problem.startswith("cards.csv") for problem in wrong)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from([*COLUMNS, "colour"]), st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9), st.floats())), max_size=3
    )
)
def test_any_added_cards_are_taken_or_refused_in_words(given_cards: list[dict[str, object]]) -> None:
    try:
        found = REFERENCE.with_cards(given_cards)
    except CardFileError as error:
        found, wrong = REFERENCE, error.problems
    else:
        wrong = []
    assert all(wrong)
    assert len(found) >= len(REFERENCE)


# ---------------------------------------------------------------- for the terminal


def test_print_set(file: Path) -> None:
    found = load(file, base())
    text = print_set(found, width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert "Ghoul  cost 2, 2 copies, Spirit <-> Beast" in text
    assert "Azazael  Spirit, 50 Health\n    You may pay 2 Coin to CURSE." in text
    assert "Vigil   for a first game\n    Gain 2 Coin.\n    With your faction in play: Gain 2 Power." in text
    assert all(card.name in text for card in found)
    assert [text.index(title) for title in ("Overlords", "Starting cards", "Influence cards", "Acolytes", "Market")] == sorted(
        text.index(title) for title in ("Overlords", "Starting cards", "Influence cards", "Acolytes", "Market")
    )


def test_print_set_sorts_by_cost(file: Path) -> None:
    rows = [*base(), row("Zombie", "market", "Monster", faction="Undead", cost="1"), row("Adept", "market", "Monster", faction="Undead", cost="2")]
    text = print_set(load(file, rows))
    assert text.index("Zombie") < text.index("Adept") < text.index("Ghoul") < text.index("Mirror")


def test_card_sentences(file: Path) -> None:
    assert card_sentences(load(file, base()).by_name("Ghoul")) == [
        "Draw 1 card. Gain 1 Power. 1 Armor while this is in play. CLAIM.",
        "The first time you play a Mortal this turn, SACRIFICE.",
        "Horde: Gain 1 Coin.",
        "Horde: CURSE.",
    ]


def test_print_words_has_every_word() -> None:
    text = print_words()
    assert max(map(len, text.splitlines())) <= 100
    for example in ("HAUNT another monster", "discard a card: 2 Power", "1 Power per card in hand", "horde expanded", "faction in play: 2 Power"):
        assert f"  {example}  " in text
