"""Reading a file that people write, and no more of it than people write: a device without an end, or a disk image by mistake, does not fill memory."""

from __future__ import annotations

import errno
from pathlib import Path

LARGEST = 32 << 20  # bytes


def read_limited(path: str | Path) -> bytes:
    """Return the content of a file; OSError if it is larger than any card set, plan or strategy."""
    with Path(path).open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST >> 20} MB")
    return data
