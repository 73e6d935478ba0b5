"""Findings in sentences, by template: plain words first, only the digits that the interval supports."""

from __future__ import annotations

from math import floor, isfinite, log10


def digits_of(half_width: float) -> int:
    """Return the number of decimals that a number may have whose interval reaches so far: those that the interval does not blur."""
    if not half_width > 0:
        return 0
    return max(0, min(3, -floor(log10(2 * half_width))))


def number(value: float, half_width: float) -> str:
    """Return a number with the digits that its interval supports."""
    text = f"{value:.{digits_of(half_width)}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def signed(value: float, half_width: float) -> str:
    """Return the same, with its sign."""
    text = number(value, half_width)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"


def interval(value: float, low: float, high: float, sign: bool = False) -> str:
    """Return an estimate in words: `62 (61–63)`; with a sign `+6.5 (+5.5 to +7.5)`."""
    half = (high - low) / 2
    if sign:
        return f"{signed(value, half)} ({signed(low, half)} to {signed(high, half)})"
    to = " to " if number(low, half).startswith("−") else "–"  # a dash and a minus side by side cannot be read
    return f"{number(value, half)} ({number(low, half)}{to}{number(high, half)})"


def about(games: float | None) -> int | None:
    """Return a number of games as one says it: with two digits."""
    if games is None or not isfinite(games):
        return None
    digits = len(str(int(games))) - 2
    return int(round(games, -digits)) if digits > 0 else round(games)


def missing(games: int | None) -> str:
    """Return the words for how many games more would settle it."""
    return f"about {games:,} more games would settle it" if games else "more games would settle it"
