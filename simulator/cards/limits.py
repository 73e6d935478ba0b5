"""How often an overlord may be used in a turn (O1), as the card says it: `once per turn: discard a card: DRAW 1`.

The limit stands first among an Overlord's abilities and counts for all of them, since the Overlord Action activates them together. Relics and haunted
monsters have their limits from the rules, so nothing else on a card is limited this way.
"""

import re

from terrors.simulator.terms.text import closest, quoted

MOST_USES = 99
LIMIT = re.compile(r"\b(?:(?P<word>once|twice)|(?P<times>-?[0-9]+) times?) per turn\b", re.IGNORECASE)
BY_WORD = {"once": 1, "twice": 2}
# Examples and what they mean, for `terrors cards words` and the tests.
LIMITS = (
    (("once per turn: 1 Coin", "twice per turn: pay 1 Health: DRAW 1", "3 times per turn: pay 2 Coin: CURSE"),
     "Overlords only, before all abilities: how often the Overlord Action may be taken in a turn; without it as often as you like (O1)."),
)  # fmt: skip


def limit_text(limit: int) -> str:
    """Return the limit as it stands before the abilities; empty if there is none."""
    return {0: "", 1: "once per turn: ", 2: "twice per turn: "}.get(limit, f"{limit} times per turn: ")


def limit_in(text: str) -> str:
    """Return the limit that stands anywhere in a text, as it is written; empty if there is none."""
    found = LIMIT.search(text)
    return found[0] if found else ""


def misplaced_limit(found: str) -> str:
    """Return the error for a limit that stands where none may stand."""
    return f"{quoted(found)}: a limit stands first among the abilities of an Overlord, once, and counts for all of them (rule O1)"


def read_limit(text: str) -> tuple[int, str, list[str]]:
    """Return the limit before the abilities in a tidied text (0 = none), the text behind it, and what is wrong with the limit."""
    head, colon, rest = text.partition(":")
    head, rest = head.strip(), rest.strip()
    if match := LIMIT.fullmatch(head):
        limit = BY_WORD[match["word"].lower()] if match["word"] else int(match["times"][:6])
        if not 1 <= limit <= MOST_USES:
            return 0, rest, [f"{quoted(head)}: limits go from 1 to {MOST_USES} times per turn"]
        if not colon or not rest:
            return limit, "", [f"{quoted(head)}: ':' and what is limited must follow"]
        return limit, rest, []
    if colon and ";" not in head and (near := _near(head)):
        return 0, rest, [f"{quoted(head)} is not a limit; did you mean {near}?"]
    return 0, text, []


def _near(head: str) -> str:
    """Return the limit that a writer may have meant; empty if none is near."""
    number = re.search(r"[0-9]+", head)
    names = [limit_text(n).removesuffix(": ") for n in (1, 2, int(number[0][:6]) if number else 3)]
    return closest(head, names, 0.75)
