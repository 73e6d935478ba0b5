"""Fair, lopsided or undecided: three states, and how many games more would decide.

*Fair* is a claim, and is tested as one: two one-sided tests rule out a gap beyond the designer's margin. *Lopsided*: the gap is clearly beyond the margin, or
clearly not nothing and, as far as one can tell, beyond the margin. Anything else is *undecided*; that nothing was found is never read as balance. All the
questions of a family are corrected together (Holm).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from analysis.stats import Looks, holm

FAIR, LOPSIDED, UNDECIDED, DEPENDS = "fair", "lopsided", "undecided", "depends on play"
LEVEL = 0.05  # chance of a wrong verdict in a family
POWER_Z = 0.8416212335729143  # standard errors that make four of five attempts succeed
WORDS = ((1.0, "no practical"), (3.0, "slight"), (6.0, "clear"), (10.0, "strong"))  # below so many points; anything larger is crushing


def size_word(points: float) -> str:
    """What a difference of so many points is called."""
    return next((word for limit, word in WORDS if abs(points) < limit), "crushing")


@dataclass(frozen=True)
class Judgement:
    """The verdict on one gap."""

    state: str
    p: float  # that there is no gap at all; corrected
    p_fair: float  # that the gap is not within the margin; corrected
    p_beyond: float  # that the gap is not beyond the margin; corrected
    more: float | None  # times the games of now that are missing for a verdict; None if there is one


def judge(gaps: np.ndarray, ses: np.ndarray, margin: float, looks: Looks | None = None, level: float = LEVEL) -> list[Judgement]:
    """Verdicts on a family of gaps (signed, 0 = even), all in the same unit as the margin."""
    looks = looks or Looks()
    gaps, ses = np.asarray(gaps, float), np.maximum(np.asarray(ses, float), 1e-300)
    off = holm(looks.p(gaps / ses))
    fair = holm(looks.p_above((margin - np.abs(gaps)) / ses))
    beyond = holm(looks.p_above((np.abs(gaps) - margin) / ses))
    found = []
    for i, gap in enumerate(np.abs(gaps)):
        if fair[i] <= level:
            state = FAIR
        elif beyond[i] <= level or (off[i] <= level and gap > margin):
            state = LOPSIDED
        else:
            state = UNDECIDED
        more = None if state != UNDECIDED else games_missing(gap, float(ses[i]), margin, looks, level / max(1, len(gaps)))
        found.append(Judgement(state, float(off[i]), float(fair[i]), float(beyond[i]), more))
    return found


def games_missing(gap: float, se: float, margin: float, looks: Looks, level: float) -> float:
    """How many times the games of now are missing until a gap of this size would be decided, four times of five.

    Somebody who is just at the margin is never decided: a tenth of the margin is the least distance that is reckoned with.
    """
    if gap > margin:
        needed = (looks.z(level) + POWER_Z) / gap
    else:
        needed = (looks.z(2 * level) + POWER_Z) / max(margin - gap, margin / 10)
    return max(0.1, (se * needed) ** 2 - 1)


def about(games: float | None) -> int | None:
    """A number of games, as one says it: two digits."""
    if games is None or not isfinite(games):
        return None
    digits = len(str(int(games))) - 2
    return int(round(games, -digits)) if digits > 0 else round(games)
