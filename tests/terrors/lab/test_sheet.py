"""Edits of a set: what the loader takes, what it refuses and where it says so; what Save writes."""

import pytest

from terrors.lab.saving import SaveError, save
from terrors.lab.sheet import Edit, EditError, OpenedSet, edit_set, edits_data, edits_of, sheet_data
from terrors.simulator.cards.card_set import load_cards
from tests.support.places import FROZEN


def test_edits_make_the_set_that_overrides_make(frozen_cards):
    found = edit_set(frozen_cards, [Edit("Thames Drowner", "cost", "5"), Edit("Lilith", "health", "47"), Edit("Ghoul", "abilities", "3 Power; DRAW 1")])
    assert found.cards.sha256 == frozen_cards.replace(["Thames Drowner.cost=5", "Lilith.health=47", "Ghoul.abilities=3 Power; DRAW 1"]).sha256
    assert not found.broken
    assert found.edited == ["Thames Drowner", "Lilith", "Ghoul"]


def test_a_broken_cell_is_told_in_the_loaders_words_and_loses_nothing_else(frozen_cards):
    edits = [Edit("Lilith", "health", "47"), Edit("Ghoul", "abilities", "3 Pover"), Edit("Ghoul", "cost", "many"), Edit("Ghoul", "copies", "3")]
    found = edit_set(frozen_cards, edits)
    assert found.taken == [edits[0], edits[3]]
    assert found.cards.sha256 == frozen_cards.replace(["Lilith.health=47", "Ghoul.copies=3"]).sha256
    assert "did you mean" in found.broken[edits[1]][0]
    assert found.broken[edits[2]] == ["'many' is not a whole number"]
    data = edits_data(frozen_cards, edits, found)
    assert [bool(chip["problems"]) for chip in data["chips"]] == [False, True, True, False]
    assert data["cards"]["Ghoul"]["cells"]["copies"] == "3"


def test_edits_that_need_each_other_are_taken_together(frozen_cards):
    """An overlord that is renamed takes its Influence cards with it; alone it would leave them without one."""
    name = frozen_cards.overlords[0].name
    renamed = Edit(name, "name", "Somebody Else")
    influences = [Edit(card.name, "overlord", "Somebody Else") for card in frozen_cards.influences_of(name)]
    assert not edit_set(frozen_cards, [renamed, *influences]).broken
    alone = edit_set(frozen_cards, [Edit("Ghoul", "cost", "4"), renamed])
    assert list(alone.broken) == [renamed]
    assert "is not an overlord of this set" in alone.broken[renamed][0]
    assert alone.cards.sha256 == frozen_cards.replace(["Ghoul.cost=4"]).sha256


def test_a_card_that_is_not_there_is_left_out(frozen_cards):
    found = edit_set(frozen_cards, [Edit("Ghol", "cost", "4")])
    assert found.cards is frozen_cards
    assert "Ghoul" in found.broken[Edit("Ghol", "cost", "4")][0]


@pytest.mark.parametrize(
    "wrong", [None, {}, [["Ghoul", "cost"]], [["Ghoul", "cost", 3]], [["Ghoul", "price", "3"]], [["x", "cost", "3"]] * 501, [["Ghoul", "note", "x" * 5001]]]
)
def test_what_are_no_edits_is_refused(wrong):
    with pytest.raises(EditError):
        edits_of(wrong)


def test_the_last_edit_of_a_cell_counts():
    assert edits_of([["Ghoul", "cost", "3"], ["Ghoul", "cost", "4"]]) == [Edit("Ghoul", "cost", "4")]


def test_the_sheet_has_every_card_once():
    opened = OpenedSet.read(FROZEN)
    names = [card["name"] for group in sheet_data(opened) for card in group["cards"]]
    assert sorted(names) == sorted(card.name for card in opened.cards)
    assert all(card["says"] or not card["cells"]["abilities"] for group in sheet_data(opened) for card in group["cards"])


# Save


def copied(tmp_path, text=None):
    file = tmp_path / "cards.csv"
    file.write_bytes(FROZEN.read_bytes() if text is None else text.encode())
    return file


def test_save_changes_the_cells_and_leaves_every_other_line(tmp_path):
    lines = FROZEN.read_text(encoding="utf-8").splitlines(keepends=True)
    text = lines[0] + '# a comment, with "quotes\n' + "".join(lines[1:])
    file = copied(tmp_path, text)
    opened = OpenedSet.read(file)
    edits = [Edit("Thames Drowner", "cost", "5"), Edit("Ghoul", "note", 'says "boo", twice\nor more')]
    new, kept = save(opened, edits, edit_set(opened.cards, edits))
    assert kept.read_text(encoding="utf-8") == text
    assert new.cards.by_name("Thames Drowner").cost == 5
    assert new.cards.by_name("Ghoul").note == 'says "boo", twice\nor more'
    untouched = [line for line in text.splitlines() if not line.startswith(("Thames Drowner,", "Ghoul,"))]
    written = file.read_text(encoding="utf-8")
    assert all(line in written.splitlines() for line in untouched)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["cards.csv", "cards.csv.before-1"]
    again, later = save(new, [Edit("Ghoul", "cost", "4")], edit_set(new.cards, [Edit("Ghoul", "cost", "4")]))
    assert later.name == "cards.csv.before-2"
    assert later.read_text(encoding="utf-8") == written
    assert again.cards.by_name("Ghoul").cost == 4


@pytest.mark.parametrize(("separator", "end", "mark"), [(";", "\r\n", b"\xef\xbb\xbf"), ("\t", "\n", b""), (",", "\r\n", b"")])
def test_the_file_keeps_its_separator_its_line_ends_and_its_mark(tmp_path, separator, end, mark):
    import csv
    import io

    rows = list(csv.reader(FROZEN.read_text(encoding="utf-8").splitlines()))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator=end).writerows(rows)
    raw = mark + out.getvalue().encode()
    file = tmp_path / "cards.csv"
    file.write_bytes(raw)
    opened = OpenedSet.read(file)
    edits = [Edit("Thames Drowner", "cost", "5")]
    save(opened, edits, edit_set(opened.cards, edits))
    changed = file.read_bytes()
    assert changed.startswith(mark)
    assert len(changed) == len(raw)
    assert sum(a != b for a, b in zip(changed, raw, strict=True)) == 1


def test_a_save_over_somebody_elses_change_is_refused(tmp_path):
    file = copied(tmp_path)
    opened = OpenedSet.read(file)
    edits = [Edit("Ghoul", "cost", "4")]
    theirs = file.read_text(encoding="utf-8").replace("Lilith", "Lilly")
    file.write_text(theirs, encoding="utf-8")
    with pytest.raises(SaveError, match="was changed on disk"):
        save(opened, edits, edit_set(opened.cards, edits))
    assert file.read_text(encoding="utf-8") == theirs
    assert [path.name for path in tmp_path.iterdir()] == ["cards.csv"]


def test_what_cannot_be_read_or_ships_is_not_saved(tmp_path):
    file = copied(tmp_path)
    before = file.read_bytes()
    opened = OpenedSet.read(file)
    edits = [Edit("Ghoul", "cost", "many")]
    with pytest.raises(SaveError, match="mend them"):
        save(opened, edits, edit_set(opened.cards, edits))
    with pytest.raises(SaveError, match="terrors new"):
        save(OpenedSet.read(file, shipped=True), [], edit_set(opened.cards, []))
    assert file.read_bytes() == before
    assert load_cards(file).sha256 == opened.cards.sha256


def test_a_card_is_renamed(tmp_path):
    opened = OpenedSet.read(copied(tmp_path))
    edits = [Edit("Ghoul", "name", "Ghast"), Edit("Ghoul", "cost", "4")]
    new, _ = save(opened, edits, edit_set(opened.cards, edits))
    assert new.cards.by_name("Ghast").cost == 4
