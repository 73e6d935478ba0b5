"""The card file → its rows, whatever wrote it: encoding, separator, column order, blank lines, comments, columns that are the designer's own."""

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from terrors.simulator.cards.card import COLUMNS, OPTIONAL
from terrors.simulator.cards.dialect import is_definition
from terrors.simulator.cards.spreadsheet import SUFFIXES, read_sheet
from terrors.simulator.terms.errors import CardFileError
from terrors.simulator.terms.limited_file import read_limited
from terrors.simulator.terms.text import did_you_mean, listed, quoted, shown

SEPARATORS = (",", ";", "\t")
SEPARATOR_NAMES = {",": "','", ";": "';'", "\t": "a tab"}
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}  # how a file may say what it is written in
Records = Iterator[tuple[int, list[str]]]


@dataclass
class Rows:
    """The rows of a file: cards as (number, cells by column), definitions as (number, text), problems, and notes for the designer."""

    cards: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    definitions: list[tuple[int, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_text(path: Path) -> tuple[str, list[str]]:
    """Return the text of the file and what is to be said of its encoding, or raise a worded reason why there is no text."""
    try:
        raw = read_limited(path)
    except FileNotFoundError:
        raise CardFileError([f"{path}: there is no such file"]) from None
    except IsADirectoryError:
        raise CardFileError([f"{path}: this is a folder, not a card file"]) from None
    except (OSError, ValueError) as error:
        raise CardFileError([f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})"]) from None
    for encoding in _encodings(raw):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "cp1252":
            return text, [f"{path.name}: this is not UTF-8 and was read as Windows-1252; if a name looks wrong in `terrors cards`, save it as 'CSV UTF-8'"]
        return text, []
    row = raw.count(b"\n", 0, _first_wrong(raw)) + 1
    how = "save it as 'CSV UTF-8' (Excel: Save As, CSV UTF-8; LibreOffice: Save As, Text CSV, character set Unicode (UTF-8))"
    raise CardFileError([f"{path.name}: not UTF-8 text (near line {row}); {how}"])


def _encodings(raw: bytes) -> list[str]:
    """Return what a file may be written in: what it says itself, else UTF-16 if every other byte is zero, else UTF-8, else what Windows calls ANSI."""
    for mark, encoding in MARKS.items():
        if raw.startswith(mark):
            return [encoding]
    head = raw[:200]
    for encoding, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if len(head) > 3 and not any(zeros) and all(others):
            return [encoding]
    return ["utf-8"] if b"\0" in raw else ["utf-8", "cp1252"]


def _first_wrong(raw: bytes) -> int:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


class _Lines:
    """The physical lines for the csv module. A comment at the start of a record becomes a blank line, so that a quotation mark in it opens nothing."""

    def __init__(self, text: str):
        self.lines = io.StringIO(text, newline="")
        self.at_start = True

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        if self.at_start and (line.lstrip().startswith("#") or _says_separator(line)):
            return "\n"
        self.at_start = False
        return line


def _says_separator(line: str) -> bool:
    """Whether this is Excel's `sep=;`, which stands before the header and is no row."""
    return line.strip().casefold() in [f"sep={separator}".strip() for separator in SEPARATORS]


def separator_of(text: str) -> str:
    """Return the separator that finds most columns in the header."""
    for line in io.StringIO(text, newline=""):
        if line.strip() and not line.lstrip().startswith("#") and not _says_separator(line):
            return max(
                SEPARATORS, key=lambda separator: (sum(cell.strip().strip('"').casefold() in COLUMNS for cell in line.split(separator)), line.count(separator))
            )
    return ","


def records(text: str, name: str) -> Records:
    """Yield the rows that are neither blank nor comments, numbered as a spreadsheet does: a cell of several lines is still one row."""
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=separator_of(text), strict=True)
    row = 0
    while True:
        lines.at_start = True
        row += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise CardFileError([f"{name}, row {row}: the quotation marks do not pair up ({error})"]) from None
        if _is_row(cells):
            yield row, cells


def _is_row(cells: list[str]) -> bool:
    return any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith("#")


def header_problems(columns: list[str]) -> tuple[list[str], list[str]]:
    """Return all that is wrong with the names of the columns, and those that are the designer's own: unlike any that is missing."""
    problems, own = [], []
    missing = [column for column in COLUMNS if column not in columns and column not in OPTIONAL]
    for at, column in enumerate(columns):
        if column in COLUMNS and column in columns[:at]:
            problems.append(f"the column {quoted(column)} is there twice")
        elif not column:
            problems.append(f"column {at + 1} has no name")
        elif column not in COLUMNS:
            suggestion = did_you_mean(column, missing, 0.7)
            if suggestion:
                problems.append(f"{quoted(column)} is not a column{suggestion}")
                missing = [name for name in missing if f"mean {name}?" not in suggestion]
            else:
                own.append(column)
    if missing:  # one of them may have been meant
        problems += [f"{quoted(column)} is not a column" for column in own]
    return problems + [f"the column '{column}' is missing" for column in missing], own


def read_rows(path: Path) -> Rows:
    """Return the rows of a card file."""
    name = path.name
    found = Rows()
    if path.suffix.lower() in SUFFIXES and path.is_file():
        raw: Records = ((row, cells) for row, cells in enumerate(read_sheet(path), 1) if _is_row(cells))
        hint = ""
    else:
        text, found.notes = read_text(path)
        raw = records(text, name)
        hint = f"; a field with {SEPARATOR_NAMES[separator_of(text)]} in it needs quotation marks around it"
    columns: list[str] = []
    for row, cells in raw:
        first = next(cell for cell in cells if cell.strip())
        if not columns and "=" not in first:
            columns = _columns(found, name, row, cells)
            continue
        fitting = cells[: len(columns)] + [cell for cell in cells[len(columns) :] if cell.strip()]
        if is_definition(dict(zip(columns, cells, strict=False)), first):
            found.definitions.append((row, ", ".join(cell.strip() for cell in cells if cell.strip())))
        elif len(fitting) == len(columns):
            found.cards.append((row, dict(zip(columns, fitting, strict=True))))
        else:
            at = columns.index("name") if columns else 0
            label = fitting[at].strip() if len(fitting) > at else ""
            where = ", ".join([name, f"row {row}"] + [shown(label)] * bool(label))
            found.problems.append(f"{where}: row {row} has {len(fitting)} fields, the header {len(columns)}{hint if len(fitting) > len(columns) else ''}")
    if not columns:
        raise CardFileError([f"{name}: the file is empty"])
    return found


def _columns(found: Rows, name: str, row: int, cells: list[str]) -> list[str]:
    """Return the names of the columns; what is wrong with them ends the reading, which of them are the designer's own is noted."""
    columns = [cell.strip().casefold() for cell in cells]
    while columns and not columns[-1]:
        columns.pop()
    wrong, own = header_problems(columns)
    if wrong:
        raise CardFileError([f"{name}, row {row}: {problem}" for problem in wrong])
    if own:
        several = len(own) > 1
        found.notes.append(
            f"{name}: the {'columns' if several else 'column'} {listed([quoted(column) for column in own])} {'are' if several else 'is'} your own; "
            f"{'they are' if several else 'it is'} kept, and nothing is read from {'them' if several else 'it'}"
        )
    return columns
