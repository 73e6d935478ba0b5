"""A spreadsheet file (.xlsx, .ods) → rows of texts, as a CSV file of it would have them. Read by python-calamine, an extra of the installation."""

import datetime
from pathlib import Path

from terrors.simulator.terms.errors import CardFileError

SUFFIXES = (".xlsx", ".xlsm", ".xls", ".ods")
SHEET = "cards"  # the sheet that is read if there are several; else the first
READER = "python-calamine"


def read_sheet(path: Path) -> list[list[str]]:
    """Return the cells of the sheet of cards, row by row from the first of the sheet."""
    try:
        import python_calamine
    except ImportError:
        remedy = f"install it with: pip install {READER}, or save the file as CSV"
        raise CardFileError([f"{path}: a spreadsheet is read with {READER}, which is not installed; {remedy}"]) from None
    try:
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            names = book.sheet_names
            if not names:
                raise CardFileError([f"{path.name}: there is no sheet in it"])
            name = next((name for name in names if name.strip().casefold() == SHEET), names[0])
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, OSError) as error:
        raise CardFileError([f"{path}: this is no spreadsheet that can be read ({str(error).rstrip('.')})"]) from None
    return [[cell_text(cell) for cell in row] for row in rows]


def cell_text(value: object) -> str:
    """Return a cell as a CSV file would have it: 2.0 is 2, since spreadsheets know no whole numbers."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    return "" if value is None else str(value)
