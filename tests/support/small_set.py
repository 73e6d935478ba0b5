"""A small card set for tests, and ways to write it, change it and load it."""

import csv
import io
from pathlib import Path

import pytest

from terrors.simulator.cards.card_set import COLUMNS, CardFileError, CardSet, load_cards

Rows = list[dict[str, str]]


def row(name: str, pile: str, type_: str, **cells: str) -> dict[str, str]:
    return {"name": name, "pile": pile, "type": type_, "copies": "1"} | cells


def base() -> Rows:
    """Give a small set that is right. Row numbers in the file: Azazael is row 2, Ghoul is row 10."""
    return [
        row("Azazael", "overlord", "Overlord", faction="Spirit", health="50", abilities="pay 2 Coin: CURSE"),
        row("Fenris", "overlord", "Overlord", faction="Beast", health="45"),
        row("Vigil", "influence", "Influence", overlord="Azazael", abilities="2 Coin", triggers="faction in play: 2 Power", beginner="yes"),
        row("Chorus", "influence", "Influence", overlord="Azazael", triggers="each CURSE: 1 Power"),
        row("Moon", "influence", "Influence", overlord="Fenris", abilities="RAGE"),
        row("Pack", "influence", "Influence", overlord="Fenris", abilities="MUSTER"),
        row("Cultist", "starting", "Monster", copies="10", abilities="1 Coin"),
        row("Sexton", "acolyte", "Monster", faction="Undead", cost="2", copies="8", abilities="1 Power", left="Spirit", right="Beast", horde="1 Power"),
        row(
            "Ghoul", "market", "Monster", faction="Undead", cost="2", copies="2", abilities="DRAW 1; 1 Power; 1 Armor; CLAIM",
            triggers="first Mortal played: SACRIFICE", left="Spirit", right="Beast", horde="1 Coin | CURSE", source="invented", note="two\nlines",
        ),
        row("Mirror", "market", "Relic", cost="4", abilities="2 Armor"),
    ]  # fmt: skip


def written(rows: Rows, delimiter: str = ",", columns: tuple[str, ...] = COLUMNS) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", delimiter=delimiter, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def load(file: Path, content: Rows | str | bytes) -> CardSet:
    if isinstance(content, list):
        content = written(content)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return load_cards(file)


def problems(file: Path, content: Rows | str | bytes) -> list[str]:
    with pytest.raises(CardFileError) as caught:
        load(file, content)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return caught.value.problems


def changed(card: str, /, **cells: str) -> Rows:
    rows = base()
    next(found for found in rows if found["name"] == card).update({"type" if key == "type_" else key: value for key, value in cells.items()})
    return rows
