"""Numbers as the page prints them: only the digits that the interval supports, a true minus, thousands with commas."""

from __future__ import annotations

import math

from terrors.analysis.contract.sentences import digits_of

MINUS = "−"
NOTHING = "–"


def missing(value: float | None) -> bool:
    """Whether a cell is empty."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def decimals(half: float | None) -> int:
    """Return the decimals that a number deserves that is known to ± half, as in the sentences of the findings. Without an interval it gets none."""
    return 0 if half is None or not math.isfinite(half) else digits_of(half)


def half_width(low: float | None, high: float | None) -> float | None:
    """Return half of an interval; None if there is none."""
    return None if low is None or high is None or missing(low) or missing(high) else (high - low) / 2


def plain(value: float | None, digits: int = 0) -> str:
    """Return a number with so many decimals; `–` for an empty cell. Nothing is printed as minus nought."""
    if value is None or missing(value):
        return NOTHING
    text = f"{value:,.{digits}f}"
    text = text.lstrip("-") if float(text.replace(",", "")) == 0 else text
    return text.replace("-", MINUS)


def signed(value: float | None, digits: int = 0) -> str:
    """Return the same with its sign: `+2.3`, `−1.0`, `0`."""
    text = plain(value, digits)
    return text if text.startswith(MINUS) or text == NOTHING or not any(c in "123456789" for c in text) else f"+{text}"


def count(value: float | None) -> str:
    """Return a number of things: `12,000`."""
    return plain(value, 0)


def share(value: float | None, low: float | None, high: float | None) -> str:
    """Return games of 100 with their interval: `53 (52–54)`."""
    digits = decimals(half_width(low, high))
    if half_width(low, high) is None:
        return plain(value, digits)
    to = " to " if plain(low, digits).startswith(MINUS) else "–"  # a dash and a minus side by side cannot be read
    return f"{plain(value, digits)} ({plain(low, digits)}{to}{plain(high, digits)})"


def points(value: float | None, low: float | None, high: float | None) -> str:
    """Return signed points with their interval: `+2.3 (+1.9 to +2.7)`."""
    digits = decimals(half_width(low, high))
    if half_width(low, high) is None:
        return signed(value, digits)
    return f"{signed(value, digits)} ({signed(low, digits)} to {signed(high, digits)})"


def plus_minus(low: float | None, high: float | None) -> str:
    """Return half of an interval as text: `±1.2`."""
    half = half_width(low, high)
    return "" if half is None else f"±{plain(half, max(decimals(half), 1 if half < 9.95 else 0))}"


def odds(p: float | None) -> str:
    """Return the words for how rarely chance alone would do this."""
    if p is None or missing(p):
        return ""
    if p < 0.001:
        return "chance alone would show this less than once in 1,000 times"
    if p < 0.5:
        return f"chance alone would show this about once in {round(1 / p):,} times"
    return "chance alone would often show this"
