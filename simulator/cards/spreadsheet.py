"""A spreadsheet file (.xlsx, .ods) → rows of texts, as a CSV file of it would have them. Read by python-calamine, an extra of the installation."""

import datetime
import re
import zipfile
from pathlib import Path

from terrors.simulator.terms.errors import CardFileError

SUFFIXES = (".xlsx", ".xlsm", ".xls", ".ods")
SHEET = "cards"  # the sheet that is read if there are several; else the first
READER = "python-calamine"
MOST_BYTES, MOST_CELLS = 256 << 20, 5_000_000  # of a workbook, and of a sheet


def read_sheet(path: Path) -> list[list[str]]:
    """Return the cells of the sheet of cards, row by row from the first of the sheet."""
    try:
        import python_calamine
    except ImportError:
        remedy = f"install it with: pip install {READER}, or save the file as CSV"
        raise CardFileError([f"{path}: a spreadsheet is read with {READER}, which is not installed; {remedy}"]) from None
    try:
        _refuse_if_vast(path)
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            names = book.sheet_names
            if not names:
                raise CardFileError([f"{path.name}: there is no sheet in it"])
            name = next((name for name in names if name.strip().casefold() == SHEET), names[0])
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, zipfile.BadZipFile, OSError) as error:
        raise CardFileError([f"{path}: this is no spreadsheet that can be read ({str(error).rstrip('.')})"]) from None
    return [[cell_text(cell) for cell in row] for row in rows]


def _refuse_if_vast(path: Path) -> None:
    """Raise a CardFileError for a workbook whose sheets would fill memory: one that unpacks to very much, or has a cell far away from all others."""
    if not zipfile.is_zipfile(path):  # an old .xls, which has 65,536 rows of 256 columns at most; or nothing that can be read
        return
    with zipfile.ZipFile(path) as book:
        if sum(part.file_size for part in book.infolist()) > MOST_BYTES:
            raise CardFileError([f"{path.name}: it unpacks to more than {MOST_BYTES >> 20} MB; save the sheet of cards alone"])
        for part in book.infolist():
            if part.filename.startswith("xl/worksheets/"):
                text = book.read(part)
                rows = max((int(number) for number in re.findall(rb'<row [^>]*?\br="(\d{1,9})"', text)), default=0)
                columns = max((_column(name) for name in set(re.findall(rb'<c [^>]*?\br="([A-Z]{1,3})\d', text))), default=0)
                if rows * columns > MOST_CELLS:
                    raise CardFileError([f"{path.name}: a sheet has {rows:,} rows and {columns:,} columns; delete the cells far away from the cards"])


def _column(letters: bytes) -> int:
    """Return the number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def cell_text(value: object) -> str:
    """Return a cell as a CSV file would have it: 2.0 is 2, since spreadsheets know no whole numbers."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    return "" if value is None else str(value)
