"""findings.json, declared once: the writer (analysis) and every reader (reports, the command line) take its words and its shape from here.

A change that readers of the version before cannot understand raises `FORMAT`. It imports nothing large: the command line reads it before anything else.
"""

from __future__ import annotations

from typing import Any

from terrors.simulator.terms.shape import NUMBER

FORMAT = 2

TOO_STRONG, TOO_WEAK, FAIR, UNDECIDED, NOTABLE = "too strong", "too weak", "fair", "undecided", "notable"
LOPSIDED = "lopsided"  # of a match-up: who is favoured is named first. As a gate (--fail-on) it means whatever is off balance
PAYS, COSTS = "pays", "costs"  # going first
OFF = (TOO_STRONG, TOO_WEAK, LOPSIDED, PAYS, COSTS)  # off balance: the whole interval lies beyond the margin
STATES = (*OFF, NOTABLE, UNDECIDED, FAIR)  # of findings, the most pressing first
PRESSING = STATES[: STATES.index(UNDECIDED)]  # those that a designer wants to see
OFF_BALANCE = "off balance"  # the state of a lamp whose findings are off in several ways, some too strong and some too weak
NOT_MEASURED = "not measured"  # the state of a lamp whose family has no finding
STRONG, WEAK, FINE, TRAP, SLEEPER, BOMB, DEAD = "strong", "weak", "fine", "trap", "sleeper", "bomb", "dead"
CLASSES = (BOMB, STRONG, TRAP, WEAK, SLEEPER, DEAD, UNDECIDED, FINE)  # of cards
UNDERPRICED, OVERPRICED, IN_LINE = "underpriced", "overpriced", "in line"  # what a copy is worth against its cost
PRICES = (UNDERPRICED, OVERPRICED, IN_LINE)
EXPERTS, CLUB, LEARNERS = "experts", "club", "learners"
BANDS = (LEARNERS, CLUB, EXPERTS)  # of pilots, by how they do against the best
FAMILIES = {"overlords": "Overlords", "matchups": "Match-ups", "first": "Going first", "cards": "Cards", "feel": "Feel"}  # with their titles

FINDINGS: dict[str, Any] = {
    "runs": [{"folder": str, "key": str, "games": int, "command?": str, "checked?": {"parts": int, "sha256": str}}],
    "groups": [{"group": str}],
    "pilots": {"best": [str], "list": [{"pilot": str, "band?": str, "elo?": NUMBER}], "words": [str], "gained?": [str], "hands": {"*": str}, "opinion?": str},
    "played": {"games": int, "draws": int, "turn_limit": int, "action_limit": int, "warnings": [str]},
    "stands_on": {
        "games": int, "pairs?": int, "strategies": {"*": str}, "rules?": dict, "changes?": dict,
        "source?": {"*": int}, "lottery?": NUMBER, "withheld?": int, "warnings?": [str],
    },
    "margins": {"*": NUMBER},
    "lamps": [{"family": frozenset(FAMILIES), "state": frozenset({*STATES, OFF_BALANCE, NOT_MEASURED}), "sentence": str, "findings?": [str]}],
    "look_first": [str],
    "findings": [
        {
            "id": str, "family": frozenset(FAMILIES), "subject": {"*": str}, "state": frozenset(STATES), "sentence": str, "size?": NUMBER, "low?": NUMBER,
            "high?": NUMBER, "luck?": NUMBER, "spread?": NUMBER, "lean?": str, "margin?": NUMBER, "group?": str, "class?": str, "word?": str, "unit?": str,
            "reason?": str, "pairs?": int, "p?": NUMBER, "more_games?": int, "contradicted?": str,
        }
    ],
}  # fmt: skip
