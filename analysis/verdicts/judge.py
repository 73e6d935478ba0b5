"""Fair, lopsided or undecided: three states, and how many games more would decide.

*Fair* is a claim, and is tested as one: two one-sided tests rule out a gap beyond the designer's margin. *Lopsided*: the gap is clearly beyond the margin, or
clearly not nothing and, as far as one can tell, beyond the margin. Anything else is *undecided*; that nothing was found is never read as balance. All the
questions of a family are corrected together: the few headlines by Holm's method, the many cards by Benjamini and Hochberg's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from terrors.analysis.contract.findings_schema import FAIR, LOPSIDED, UNDECIDED
from terrors.analysis.stats.intervals import NORMAL, Looks, benjamini_hochberg, holm

LEVEL = 0.05  # chance of a wrong verdict in a family
POWER = 0.8  # four of five attempts succeed
MOST = 1e9  # times the games of now: never
Correction = Callable[[np.ndarray], np.ndarray]
WORDS = ((1.0, "no practical"), (3.0, "slight"), (6.0, "clear"), (10.0, "strong"))  # below so many points; anything larger is crushing


def size_word(points: float) -> str:
    """Return the word for a difference of so many points."""
    return next((word for limit, word in WORDS if abs(points) < limit), "crushing")


def sized(points: float, noun: str) -> str:
    """Return a size in words: `a clear gap`, `no practical gap`."""
    word = size_word(points)
    return f"{word} {noun}" if word.startswith("no ") else f"a {word} {noun}"


@dataclass(frozen=True)
class Judgement:
    """The verdict on one gap."""

    state: str
    p: float  # that there is no gap at all; corrected
    p_fair: float  # that the gap is not within the margin; corrected
    p_beyond: float  # that the gap is not beyond the margin; corrected
    more: float | None  # times the games of now that are missing for a verdict; None if there is one


def judge(gaps: np.ndarray, ses: np.ndarray, margin: float, looks: Looks | None = None, level: float = LEVEL, correct: Correction = holm) -> list[Judgement]:
    """Return verdicts on a family of gaps (signed, 0 = even), all in the same unit as the margin."""
    looks = looks or Looks()
    gaps, ses = np.asarray(gaps, float), np.maximum(np.asarray(ses, float), 1e-300)
    off = correct(looks.p(gaps / ses))
    fair = correct(looks.p_above((margin - np.abs(gaps)) / ses))
    beyond = correct(looks.p_above((np.abs(gaps) - margin) / ses))
    next_off, next_fair = next_level(off, level, correct), next_level(fair, level, correct)
    found = []
    for i, gap in enumerate(np.abs(gaps)):
        if fair[i] <= level:
            state = FAIR
        elif beyond[i] <= level or (off[i] <= level and gap > margin):
            state = LOPSIDED
        else:
            state = UNDECIDED
        more = None if state != UNDECIDED else games_missing(gap, float(ses[i]), margin, looks, next_off if gap > margin else next_fair)
        found.append(Judgement(state, float(off[i]), float(fair[i]), float(beyond[i]), more))
    return found


def next_level(corrected: np.ndarray, level: float, correct: Correction) -> float:
    """Return how small the p-value of one question more must be to pass the correction, with those that have passed already."""
    n, passed = max(1, len(corrected)), int((corrected <= level).sum())
    return level * min(n, passed + 1) / n if correct is benjamini_hochberg else level / max(1, n - passed)


def chance_of_verdict(gap: float, se: float, margin: float, looks: Looks, level: float) -> float:
    """Return the chance that a true gap of this size (not negative) gets the verdict that it deserves when it is known to ±se."""
    if gap > margin:
        least = min(max(margin, looks.z(level) * se), margin + looks.z_above(level) * se)  # clearly off even and beyond the margin, or clearly beyond it
        return NORMAL.cdf((gap - least) / se)
    reach = margin / se - looks.z_above(level)  # fair if the estimate is within so many standard errors of even, on either side
    return NORMAL.cdf(reach - gap / se) - NORMAL.cdf(-reach - gap / se) if reach > 0 else 0.0


def games_missing(gap: float, se: float, margin: float, looks: Looks, level: float) -> float:
    """Return how many times the games of now are missing until a gap of this size would be decided, four times of five.

    Somebody who is just at the margin is never decided: a tenth of the margin is the least distance that is reckoned with.
    """
    gap = max(gap, 1.1 * margin) if gap > margin else min(gap, 0.9 * margin)

    def enough(times: float) -> bool:
        return chance_of_verdict(gap, se / sqrt(times), margin, looks.after(times), level) >= POWER

    low, high = 1.0, MOST
    while high / low > 1.001:
        middle = sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return max(0.1, high - 1)
