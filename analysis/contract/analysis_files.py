"""The files of an analysis and their checksums: no report shows a number that a fault of the disk has changed since it was reckoned."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping

import polars as pl

from terrors.analysis.contract.columns import ANSWERS
from terrors.simulator.runs.storage import Folder, seal_broken, sealed, sha256
from terrors.simulator.terms.errors import ReportError

CHECKSUMS = "checksums.json"


def note_files(folder: Folder, files: Mapping[str, bytes]) -> None:
    """Write down the checksums of files in the folder of an analysis, beside those of others that are noted there."""
    known = noted(folder.read(CHECKSUMS)) | {name: sha256(data) for name, data in files.items()}
    folder.write(CHECKSUMS, json.dumps(sealed({"files": known}), indent=1).encode())


def noted(data: bytes | None) -> dict[str, str]:
    """Return the checksums that are written down, by file; none where that is damaged itself, or by an earlier version, which wrote down none."""
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    files = found.get("files") if isinstance(found, dict) and not seal_broken(found) else None
    return files if isinstance(files, dict) else {}


def has_changed(folder: Folder, name: str, data: bytes) -> bool:
    """Whether a file of the analysis in a run's folder is not as it was written."""
    return noted(folder.read(f"analysis/{CHECKSUMS}")).get(name, sha256(data)) != sha256(data)


def analysis_file(folder: Folder, name: str) -> bytes | None:
    """Return a file of the analysis in a run's folder, if it is as it was written; None if there is none."""
    data = folder.read(f"analysis/{name}")
    if data is not None and has_changed(folder, name, data):
        raise ReportError(f"{folder.address}/analysis/{name}: its content has changed since it was written; `terrors analyze {folder.address}` makes it anew.")
    return data


def read_table(folder: Folder, name: str) -> pl.DataFrame | None:
    """Return a table of the analysis in a run's folder, with its names as text; None if it is not there or has no rows."""
    again = f"`terrors analyze {folder.address}` makes it anew"
    data = analysis_file(folder, f"{name}.parquet")
    if data is None:
        return None
    try:
        table = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise ReportError(f"{folder.address}/analysis/{name}.parquet: this is no Parquet file; {again}.") from None
    missing = [column for column in ANSWERS[name] if column not in table.columns]
    if missing:
        raise ReportError(f"{folder.address}/analysis/{name}.parquet: it has no column {missing[0]}; {again}.")
    return table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)) if len(table) else None
