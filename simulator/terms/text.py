"""Pieces of sentences that every room uses: a suggestion, a quotation, a list in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher


def closest(text: str, names: Iterable[str], cutoff: float = 0.7) -> str:
    """Return the name most like the text, whatever its case; empty if none is near."""
    matcher = SequenceMatcher()
    matcher.set_seq2(text.casefold()[:200])
    best, found = cutoff, ""
    for name in names:
        matcher.set_seq1(name.casefold())
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, found = ratio, name
    return found


def did_you_mean(text: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the end of an error message: a suggestion, or nothing."""
    name = closest(text, names, cutoff)
    return f"; did you mean {name}?" if name else ""


def shown(text: str) -> str:
    """Return a piece of text as messages show it: in one line, and what is absurdly long is cut."""
    text = text if len(text) <= 160 else text[:150] + "…"
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in text)


def quoted(text: str) -> str:
    """Return the same in quotation marks."""
    return f"'{shown(text)}'"


def listed(names: Sequence[str]) -> str:
    """Return a list in words: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def counted(names: Iterable[str]) -> str:
    """Return a pile in few words: `3 Cultist, Ghoul`."""
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in Counter(names).items())


def some(count: int, singular: str, plural: str) -> str:
    """Return a number of things in words: `1 card`, `3 cards`."""
    return f"{count:,} {singular if count == 1 else plural}"
