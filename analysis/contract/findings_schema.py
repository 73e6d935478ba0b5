"""findings.json, declared once: the writer (analysis) and every reader (reports, the command line) take its words and its shape from here.

A change that readers of the version before cannot understand raises `FORMAT`. It imports nothing large: the command line reads it before anything else.
"""

from __future__ import annotations

from typing import Any

from terrors.simulator.terms.shape import NUMBER

FORMAT = 1

FAIR, LOPSIDED, UNDECIDED, DEPENDS, NOTABLE = "fair", "lopsided", "undecided", "depends on play", "notable"
STATES = (LOPSIDED, NOTABLE, DEPENDS, UNDECIDED, FAIR)  # of findings, the most pressing first
PRESSING = STATES[: STATES.index(UNDECIDED)]  # those that a designer wants to see
NOT_MEASURED = "not measured"  # the state of a lamp whose family has no finding
STRONG, WEAK, FINE, TRAP, SLEEPER = "strong", "weak", "fine", "trap", "sleeper"
CLASSES = (STRONG, WEAK, FINE, TRAP, SLEEPER, UNDECIDED)  # of cards
FAMILIES = {"overlords": "Overlords", "matchups": "Match-ups", "first": "Going first", "cards": "Cards", "feel": "Feel"}  # with their titles

FINDINGS: dict[str, Any] = {
    "runs": [{"folder": str, "key": str, "games": int, "command?": str, "checked?": {"parts": int, "sha256": str}}],
    "groups": [{"group": str}],
    "stands_on": {
        "games": int, "pairs?": int, "draws?": int, "turn_limit?": int, "action_limit?": int, "strategies": {"*": str}, "rules?": dict, "changes?": dict,
        "source?": {"*": int}, "lottery?": NUMBER, "warnings?": [str],
    },
    "margins": {"*": NUMBER},
    "lamps": [{"family": frozenset(FAMILIES), "state": frozenset({*STATES, NOT_MEASURED}), "sentence": str, "findings?": [str]}],
    "look_first": [str],
    "findings": [
        {
            "id": str, "family": frozenset(FAMILIES), "subject": {"*": str}, "state": frozenset(STATES), "sentence": str, "size?": NUMBER, "low?": NUMBER,
            "high?": NUMBER, "group?": str, "class?": str, "word?": str, "unit?": str, "reason?": str, "pairs?": int, "p?": NUMBER, "more_games?": int,
            "by_group?": {"*": str},
        }
    ],
}  # fmt: skip
