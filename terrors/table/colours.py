"""Colours on a terminal. Elsewhere, and with NO_COLOR, click takes them out again.

They are written in a form of their own (`0;3n`), which is the only one that the commands let through to a terminal: names come from files that others may have
written, and could have colours in them (terrors/cli/failures.py).
"""

from __future__ import annotations

from terrors.analysis.contract.findings_schema import OFF

OF_A_STATE = {**dict.fromkeys(OFF, "red"), "fair": "green", "undecided": "blue", "notable": "yellow", "ok": "green", "problem": "red",
              "missing": "yellow"}  # fmt: skip
CODES = {"red": 1, "green": 2, "yellow": 3, "blue": 4, "magenta": 5, "cyan": 6}


def coloured(text: str, colour: str | None) -> str:
    """Return a text in a colour; without one as it is."""
    return f"\x1b[0;3{CODES[colour]}m{text}\x1b[0m" if colour and text else text


def state_word(word: str, width: int = 0) -> str:
    """Return the word for a state in its colour, with spaces behind it up to a width."""
    return coloured(word, OF_A_STATE.get(word)) + " " * (width - len(word))
