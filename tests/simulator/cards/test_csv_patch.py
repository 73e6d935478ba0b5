"""A card file with some cells changed: everything else stays as it was written."""

import pytest

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.cards.csv_patch import patched_csv, place_beside
from tests.support.places import FROZEN

CHANGES = ("Ghoul.cost=4", "Ghoul.abilities[1 Power]=2", "Lilith.health=47")


@pytest.mark.parametrize("layout", ["as it is", "semicolons", "comments", "a byte order mark", "Windows"])
def test_only_the_cells_that_are_asked_for_change(tmp_path, layout):
    text = FROZEN.read_text(encoding="utf-8")
    if layout == "comments":
        text = '# a "comment, with an open quotation mark\n\n' + text.replace("\nGhoul,", "\n# Ghoul, too\nGhoul,", 1)
    data = text.encode()
    if layout == "semicolons":
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(csv.reader(io.StringIO(text)))
        data = out.getvalue().encode()
    if layout == "a byte order mark":
        data = b"\xef\xbb\xbf" + data
    if layout == "Windows":
        data = data.replace(b"\n", b"\r\n")
    path = tmp_path / "mine.csv"
    path.write_bytes(data)
    cards = load_cards(path)
    found = patched_csv(path, cards, CHANGES)
    before, after = data.splitlines(keepends=True), found.splitlines(keepends=True)
    assert len(before) == len(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 2
    (tmp_path / "new.csv").write_bytes(found)
    assert load_cards(tmp_path / "new.csv").cards == cards.replace(CHANGES).cards
    assert path.read_bytes() == data


def test_a_new_name_is_never_one_that_is_taken(tmp_path):
    path = tmp_path / "mine.csv"
    first = place_beside(path)
    assert first.name == "mine-suggested.csv"
    first.touch()
    assert place_beside(path).name == "mine-suggested-2.csv"
