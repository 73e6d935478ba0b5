"""What pilots gained by learning a set first (adapting.py writes it into their files): the sentence about it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import isfinite

GAINED = "gained"


def _gain(content: bytes) -> float | None:
    """Return the Elo that the pilot of a file gained; None if it says nothing of that, or is none: then whoever plays it will say so."""
    try:
        elo = json.loads(content)["training"][GAINED]["elo"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return float(elo) if isinstance(elo, int | float) and isfinite(elo) else None


def gained_words(files: Iterable[bytes]) -> list[str]:
    """Return the sentence about pilots who had to learn a set first, from the files of the strategies of a run; none if there are none."""
    gains = [elo for content in files if (elo := _gain(content)) is not None]
    if not gains:
        return []
    if len(gains) == 1:
        return [f"One of the pilots had not learnt this set (it gained {gains[0]:.0f} Elo)."]
    least, most = round(min(gains)), round(max(gains))
    return [f"The pilots had not learnt this set (they gained {least if least == most else f'{least} to {most}'} Elo)."]
