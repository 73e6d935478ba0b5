"""A report in other forms: a workbook and CSV files of what was found, and the page as PDF, printed by a browser that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from terrors.analysis.contract.csv_text import csv_bytes
from terrors.reports.inputs import Material, ReportError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
WAIT = 120  # seconds for printing
LONGEST_SHEET_NAME = 31  # that Excel takes
WIDEST = 60  # letters of a column


def verdict_table(material: Material) -> pl.DataFrame:
    """Return the findings as a table: one row each, what it is about, the verdict, the sentence."""
    rows = [
        {"id": found["id"], "family": found["family"], **{key: found["subject"].get(key) for key in ("overlord", "rival", "card")},
         "verdict": found.get("class") or found["state"], "sentence": found["sentence"]}
        for found in material.findings["findings"]
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=dict.fromkeys(("id", "family", "overlord", "rival", "card", "verdict", "sentence"), pl.String))


def tables_of(material: Material) -> dict[str, pl.DataFrame]:
    """Return all tables of a report, the verdicts first."""
    return {"verdicts": verdict_table(material)} | material.tables


def write_csv(material: Material, folder: Path) -> list[Path]:
    """Write each table as a CSV file; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, table in tables_of(material).items():
        files.append(folder / f"{name}.csv")
        files[-1].write_bytes(csv_bytes(table))
    return files


def write_xlsx(material: Material, out: Path) -> Path:
    """Write a workbook with a sheet for each table. Texts are written as texts: a name that looks like a formula is none."""
    try:
        import xlsxwriter
    except ImportError:
        raise ReportError('a workbook is written with xlsxwriter, which is not installed; install it with: pip install "terrors[spreadsheets]"') from None
    out.parent.mkdir(parents=True, exist_ok=True)
    with xlsxwriter.Workbook(out, {"in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        bold, wrap = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        for name, table in tables_of(material).items():
            sheet = book.add_worksheet(name[:LONGEST_SHEET_NAME])
            for column, title in enumerate(table.columns):
                sheet.write_string(0, column, title, bold)
                values = table[title].to_list()
                for row, value in enumerate(values, 1):
                    _write_cell(sheet, row, column, value, wrap)
                sheet.set_column(column, column, min(WIDEST, 2 + max(map(len, [title, *(str(value) for value in values if value is not None)]))))
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, max(1, len(table)), max(0, len(table.columns) - 1))
    return out


def _write_cell(sheet: Any, row: int, column: int, value: Any, wrap: Any) -> None:
    if value is None or value != value:  # nothing, and what is no number
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        sheet.write_number(row, column, value)
    else:
        sheet.write_string(row, column, str(value), wrap)


def find_browser() -> str:
    """Return the browser that prints; a ReportError if there is none."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise ReportError("a PDF is printed by Chromium or Chrome, and none is installed; open the page in any browser and print it to a file.")
    return browser


def write_pdf(page: Path, out: Path) -> Path:
    """Print a page to a PDF file, with whatever Chromium there is."""
    browser = find_browser()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        command = [browser, "--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={home}", f"--print-to-pdf={out.resolve()}"]
        command += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # Chromium refuses to run as root with it
        try:
            done = subprocess.run([*command, page.resolve().as_uri()], capture_output=True, timeout=WAIT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ReportError(f"{browser}: it did not print ({error}); open {page} in a browser and print it to a file.") from None
    if done.returncode or not out.is_file():
        raise ReportError(f"{browser}: it did not print; open {page} in a browser and print it to a file.")
    return out
