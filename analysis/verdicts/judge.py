"""The one judge: too strong, too weak, fair or undecided, and how many games more would decide. Whatever shows a verdict asks here.

*Fair* is a claim, and is tested as one: the interval rules out a gap beyond the designer's margin, on either side. *Too strong* and *too weak*: the whole
interval lies beyond the margin. Anything else is *undecided*, with a lean; that nothing was found is never read as balance. All the questions of a family are
corrected together: the few headlines by Holm's method, the many cards by Benjamini and Hochberg's. So a verdict can be read off the 95 % interval that stands
beside it, but for the correction: an interval that crosses the margin is undecided.

    judge(np.array([5.2, -0.3]), np.array([0.5, 0.4]), margin=3)     ->     [too strong, fair]: gaps and standard errors in the margin's unit

A gap may be uncertain in a way that more games do not mend: `spread`, by how much pilots of the same strength differ (questions/best_hands.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from terrors.analysis.contract.findings_schema import COSTS, FAIR, LOPSIDED, PAYS, TOO_STRONG, TOO_WEAK, UNDECIDED
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

    state: str  # too strong, too weak, fair or undecided
    lean: str  # of one that is undecided: leans strong, leans weak or leans fair, as the estimate does; else empty
    p: float  # that there is no gap at all; corrected
    p_fair: float  # that the gap is not within the margin; corrected
    p_beyond: float  # that the gap is not beyond the margin; corrected
    more: float | None  # times the games of now that are missing for a verdict; None if there is one, infinite if no number of games would do

    @property
    def side(self) -> int:
        """+1 if it is too strong, −1 if it is too weak, else 0."""
        return {TOO_STRONG: 1, TOO_WEAK: -1}.get(self.state, 0)


LEANS = {1: "leans strong", 0: "leans fair", -1: "leans weak"}
WORDS_OF = {"matchups": {1: LOPSIDED, -1: LOPSIDED}, "first": {1: PAYS, -1: COSTS}}  # families whose two sides have other names


def worded(verdict: Judgement, family: str) -> str:
    """Return a verdict in the words of its family: a match-up is lopsided, going first pays or costs."""
    return WORDS_OF.get(family, {}).get(verdict.side, verdict.state)


def lean_of(gap: float, margin: float) -> str:
    """Return the way an estimate leans that is not decided."""
    return LEANS[0 if abs(gap) <= margin else 1 if gap > 0 else -1]


def judge(
    gaps: np.ndarray, ses: np.ndarray, margin: float | np.ndarray, looks: Looks | None = None, level: float = LEVEL, correct: Correction = holm,
    spread: np.ndarray | float = 0.0,
) -> list[Judgement]:  # fmt: skip
    """Return verdicts on a family of gaps (signed, 0 = even), all in the same unit as the margin. `ses`: what games mend; `spread`: what they do not."""
    looks = looks or Looks()
    gaps = np.asarray(gaps, float)
    ses, margins, spreads = (np.broadcast_to(np.asarray(one, float), gaps.shape) for one in (ses, margin, spread))
    whole = np.maximum(np.sqrt(ses**2 + spreads**2), 1e-300)
    off = correct(looks.p(gaps / whole))
    fair = correct(one_side(looks, (margins - np.abs(gaps)) / whole))
    beyond = correct(one_side(looks, (np.abs(gaps) - margins) / whole))
    next_beyond, next_fair = next_level(beyond, level, correct), next_level(fair, level, correct)
    found = []
    for i, gap in enumerate(gaps):
        beyond_it = beyond[i] <= level
        state = FAIR if fair[i] <= level else (TOO_STRONG if gap > 0 else TOO_WEAK) if beyond_it else UNDECIDED
        more, size, bound = None, abs(float(gap)), float(margins[i])
        if state == UNDECIDED:
            more = games_missing(size, max(float(ses[i]), 1e-300), bound, looks, next_beyond if size > bound else next_fair, float(spreads[i]))
        lean = lean_of(float(gap), bound) if state == UNDECIDED else ""
        found.append(Judgement(state, lean, float(off[i]), float(fair[i]), float(beyond[i]), more))
    return found


def access_margin(margin: float, copies: int, all_copies: Sequence[int]) -> float:
    """Return the margin of a card's access value: the designer's is that of a card with as many copies as the cards of the market have on average.

    Access to two copies of a card is worth twice as much as access to one. One margin for all would call the same card fine or strong by how often it is there.
    """
    mean = sum(max(1, one) for one in all_copies) / max(1, len(all_copies))
    return round(margin * max(1, copies) / mean, 1) if all_copies else margin


def one_side(looks: Looks, z: np.ndarray) -> np.ndarray:
    """Return the chance to be so far above or more, doubled: as small as that of a two-sided interval that ends there."""
    return np.minimum(1.0, (1 if looks.rounds else 2) * looks.p_above(z))


def next_level(corrected: np.ndarray, level: float, correct: Correction) -> float:
    """Return how small the p-value of one question more must be to pass the correction, with those that have passed already."""
    n, passed = max(1, len(corrected)), int((corrected <= level).sum())
    return level * min(n, passed + 1) / n if correct is benjamini_hochberg else level / max(1, n - passed)


def chance_of_verdict(gap: float, se: float, margin: float, looks: Looks, level: float, spread: float = 0.0) -> float:
    """Return the chance that a true gap of this size (not negative) gets the verdict that it deserves when games know it to ±se."""
    whole = sqrt(se**2 + spread**2)
    z = looks.z(level)
    if gap > margin:
        return NORMAL.cdf((gap - margin - z * whole) / se)
    reach = (margin - z * whole) / se  # fair if the estimate is within so many standard errors of even, on either side
    return NORMAL.cdf(reach - gap / se) - NORMAL.cdf(-reach - gap / se) if reach > 0 else 0.0


def games_missing(gap: float, se: float, margin: float, looks: Looks, level: float, spread: float = 0.0) -> float:
    """Return how many times the games of now are missing until a gap of this size would be decided, four times of five; infinite if none would do.

    Somebody who is just at the margin is never decided: a tenth of the margin is the least distance that is reckoned with.
    """
    gap = max(gap, 1.1 * margin) if gap > margin else min(gap, 0.9 * margin)

    def enough(times: float) -> bool:
        return chance_of_verdict(gap, se / sqrt(times), margin, looks.after(times), level, spread) >= POWER

    low, high = 1.0, MOST
    if not enough(high):
        return inf
    while high / low > 1.001:
        middle = sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return max(0.1, high - 1)
