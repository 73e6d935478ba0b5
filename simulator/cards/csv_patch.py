"""A card file with some cells changed: every other character of it stays as its author wrote it."""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path

from terrors.simulator.cards.card import cells_of
from terrors.simulator.cards.card_set import CardSet, folded
from terrors.simulator.cards.csv_file import read_text, separator_of


def patched_csv(path: Path, cards: CardSet, overrides: Iterable[str]) -> bytes:
    """Return a card file with cells changed ("Ghoul.cost=3"); `cards` is the set in it. A spreadsheet of another format becomes CSV in normal form."""
    changed = cards.replace(overrides)
    if path.suffix.lower() != ".csv":
        return changed.to_csv().encode()
    after = {folded(old.name): (cells_of(old), cells_of(new)) for old, new in zip(cards, changed, strict=True) if old != new}
    text, out, columns = read_text(path)[0], io.StringIO(newline=""), list[str]()
    separator = separator_of(text)
    for raw, cells in _records(text, separator):
        if not columns:
            columns = [cell.strip().casefold() for cell in cells]
        name = folded(cells[columns.index("name")]) if len(cells) > (columns.index("name") if "name" in columns else len(cells)) else ""
        if name not in after:
            out.write(raw)
            continue
        old, new = after[name]
        row = [new[column] if column in new and new[column] != old[column] else cell for column, cell in zip(columns, cells, strict=False)]
        ending = raw[len(raw.rstrip("\r\n")) :]
        csv.writer(out, delimiter=separator, lineterminator=ending).writerow([*row, *cells[len(row) :]])
    return (BOM_UTF8 if path.read_bytes().startswith(BOM_UTF8) else b"") + out.getvalue().encode()


def _records(text: str, separator: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each row as it is written, and its cells; comments and blank lines have none."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            begins = not taken
            taken.append(line)
            yield "\n" if begins and line.lstrip().startswith("#") else line

    for cells in csv.reader(lines(), delimiter=separator, strict=True):
        yield "".join(taken), cells
        taken.clear()


def place_beside(path: Path, here: bool = False) -> Path:
    """Return a name beside a card file that nothing has yet. `here`: in the folder that we are in, since the set came with the program."""
    folder = Path() if here else path.parent
    names = (folder / f"{path.stem}-suggested{'' if n == 1 else f'-{n}'}.csv" for n in range(1, 1000))
    return next(name for name in names if not name.exists())
