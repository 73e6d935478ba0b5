"""Tables as CSV, for spreadsheets, which run what they take for a formula: names come from card files and strategies that others may have written."""

from __future__ import annotations

import polars as pl

FORMULA = r"^[=+\-@\t\r]"  # what makes a spreadsheet calculate a cell, or send it somewhere, instead of showing it


def csv_bytes(frame: pl.DataFrame) -> bytes:
    """Return a table as CSV. A text that a spreadsheet would run has an apostrophe before it; numbers are as they are."""
    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    safe = [pl.col(name).cast(pl.String).str.replace(FORMULA, "'${0}") for name in texts]
    titles = {name: f"'{name}" for name in frame.columns if name[:1] in ("=", "+", "-", "@")}
    return frame.with_columns(safe).rename(titles).write_csv().encode()
