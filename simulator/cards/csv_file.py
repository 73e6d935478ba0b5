"""The card file as bytes → its rows, whatever spreadsheet wrote it: separator, byte order mark, column order, blank lines and comments."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from terrors.simulator.cards.card import COLUMNS, OPTIONAL
from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.text import did_you_mean, quoted, shown

SEPARATORS = (",", ";", "\t")
SEPARATOR_NAMES = {",": "','", ";": "';'", "\t": "a tab"}


class CardFileError(WordedError):
    """Raised for a card set that cannot be used; `problems` has all that is wrong with it, one line each."""

    def __init__(self, problems: list[str]) -> None:
        """Take the problems in the order in which they are to be shown."""
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


def read_text(path: Path) -> str:
    """Return the text of the file, or raise a worded reason why there is none."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise CardFileError([f"{path}: there is no such file"]) from None
    except IsADirectoryError:
        raise CardFileError([f"{path}: this is a folder, not a card file"]) from None
    except (OSError, ValueError) as error:
        raise CardFileError([f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})"]) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = raw.count(b"\n", 0, error.start) + 1
        how = "save it as 'CSV UTF-8' (Excel: Save As, CSV UTF-8; LibreOffice: Save As, Text CSV, character set Unicode (UTF-8))"
        raise CardFileError([f"{path.name}: not UTF-8 text (near line {row}); {how}"]) from None


class _Lines:
    """The physical lines for the csv module. A comment at the start of a record becomes a blank line, so that a quotation mark in it opens nothing."""

    def __init__(self, text: str):
        self.lines = io.StringIO(text, newline="")
        self.at_start = True

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        if self.at_start and line.lstrip().startswith("#"):
            return "\n"
        self.at_start = False
        return line


def separator_of(text: str) -> str:
    """Return the separator that finds most columns in the header."""
    for line in io.StringIO(text, newline=""):
        if line.strip() and not line.lstrip().startswith("#"):
            return max(
                SEPARATORS, key=lambda separator: (sum(cell.strip().strip('"').casefold() in COLUMNS for cell in line.split(separator)), line.count(separator))
            )
    return ","


def records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
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
        if any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith("#"):
            yield row, cells


def header_problems(columns: list[str]) -> list[str]:
    """Return all that is wrong with the names of the columns."""
    problems = []
    missing = [column for column in COLUMNS if column not in columns and column not in OPTIONAL]
    for at, column in enumerate(columns):
        if column in columns[:at]:
            problems.append(f"the column {quoted(column)} is there twice")
        elif not column:
            problems.append(f"column {at + 1} has no name")
        elif column not in COLUMNS:
            suggestion = did_you_mean(column, missing, 0.7) or did_you_mean(column, COLUMNS, 0.7)
            problems.append(f"{quoted(column)} is not a column{suggestion}")
            missing = [name for name in missing if f"mean {name}?" not in suggestion]
    return problems + [f"the column '{column}' is missing" for column in missing]


def read_rows(path: Path) -> tuple[list[tuple[int, dict[str, str]]], list[str]]:
    """Return the rows as (number, cells by column), and the rows whose cells do not fit the header."""
    text, name = read_text(path), path.name
    found = records(text, name)
    header_row, header = next(found, (0, []))
    if not header:
        raise CardFileError([f"{name}: the file is empty"])
    columns = [cell.strip().casefold() for cell in header]
    while columns and not columns[-1]:
        columns.pop()
    if wrong := header_problems(columns):
        raise CardFileError([f"{name}, row {header_row}: {problem}" for problem in wrong])
    rows, problems = [], []
    for row, cells in found:
        cells = cells[: len(columns)] + [cell for cell in cells[len(columns) :] if cell.strip()]
        if len(cells) == len(columns):
            rows.append((row, dict(zip(columns, cells, strict=True))))
            continue
        label = cells[columns.index("name")].strip() if len(cells) > columns.index("name") else ""
        where = ", ".join([name, f"row {row}"] + [shown(label)] * bool(label))
        hint = f"; a cell with {SEPARATOR_NAMES[separator_of(text)]} in it needs quotation marks around it" if len(cells) > len(columns) else ""
        problems.append(f"{where}: {len(cells)} cells, and the header has {len(columns)}{hint}")
    return rows, problems
