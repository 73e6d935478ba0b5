"""The files of an analysis and their checksums: no report shows a number that a fault of the disk has changed since it was reckoned."""

from __future__ import annotations

import json
from collections.abc import Mapping

from terrors.simulator.runs.storage import Folder, seal_broken, sealed, sha256

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
