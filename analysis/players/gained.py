"""What pilots gained by learning a set first (adapting.py writes it into their files): the sentence about it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

GAINED = "gained"


def gained_words(files: Iterable[bytes]) -> list[str]:
    """Return the sentence about pilots who had to learn a set first, from the files of the strategies of a run; none if there are none."""
    gains: list[dict[str, Any]] = []
    for content in files:
        training = json.loads(content).get("training")
        if isinstance(training, dict) and GAINED in training:
            gains.append(training[GAINED])
    if not gains:
        return []
    if len(gains) == 1:
        return [f"One of the pilots had not learnt this set (it gained {gains[0]['elo']:.0f} Elo)."]
    least, most = (round(pick(gain["elo"] for gain in gains)) for pick in (min, max))
    return [f"The pilots had not learnt this set (they gained {least if least == most else f'{least} to {most}'} Elo)."]
