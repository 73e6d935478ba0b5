"""Where things are."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
ROOMS = ("simulator", "strategies", "analysis", "reports", "terrors")
FROZEN = TESTS / "data" / "cards.csv"  # a balance edit of cards.csv must not break the test of a rule
