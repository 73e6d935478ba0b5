"""Pixels as a PNG file, in half the time that Pillow takes: it tries five ways to write each row, and charts have large even areas for which one is enough."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

import numpy as np

LEVEL = 3  # of packing: with 1 it takes as long, with 6 half as long again and is a sixth smaller
UP = 2  # the filter of a row: what differs from the row above
INCH = 0.0254  # metres
RGB, BITS = 2, 8


def png_file(pixels: np.ndarray, dpi: int, texts: Mapping[str, str]) -> bytes:
    """Return a PNG file. `pixels`: rows of red, green and blue, what else there is (how opaque they are) is left out; `texts`: what is told about it."""
    height, width = pixels.shape[:2]
    rows = pixels[:, :, :3].reshape(height, 3 * width)
    filtered = np.empty((height, 1 + 3 * width), np.uint8)
    filtered[:, 0] = UP
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])  # wraps around, as it should
    metre = round(dpi / INCH)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, BITS, RGB, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", metre, metre, 1)),
            *(_chunk(b"iTXt", name.encode("latin-1") + bytes(5) + text.replace("\0", "").encode()) for name, text in texts.items()),
            _chunk(b"IDAT", zlib.compress(filtered.data, LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
