"""Fuzzers: whatever people and machines do to a file, it is read as it is meant or refused in words; no traceback, no hang, no nonsense accepted.

Each begins with files that are right and changes them: bytes, lines, and words that mean something in such files. In CI each has a fixed budget and always the
same inputs; `make fuzz` (FUZZ=10000) tries 10,000 of each, others every time, and Hypothesis prints how to repeat what it finds.
"""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import make_box
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.story.scenario import read_scenarios, run_scenario
from terrors.simulator.terms.errors import WordedError
from terrors.strategies import find
from tests.support.places import FROZEN, ROOT, TESTS
from tests.support.small_set import base, written
from tests.support.whole_run import content

FUZZ = int(os.environ.get("FUZZ", "0"))
BUDGET = settings(max_examples=FUZZ or 40, deadline=None, derandomize=not FUZZ, database=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = [
    "", ",", '"', "'", "\n", "\r\n", "\t", "\0", "\x1b[2J", "\ufeff", "\u202e", "=1+1", "-1", "0", "1", "999", "99999999999999999999", "1e308", "nan", "inf",
    "true", "null", "[]", "{}", "[[", "]]", "= ", "#", "Ghoul", "DRAW 2", "CHOOSE (", ")", " and ", " per Undead", "HORDE: ", "SACRIFICE", "Undead", "💀",
    "x" * 300, "cost", "copies", "health", "name", "games = 3", "../../etc/passwd", "strategies", "max_turns", "expect",
    "you:", "play", "[[scenario]]", "[[buy]]", "when",
]  # fmt: skip
EDITS = st.lists(
    st.tuples(st.sampled_from(("cut", "put", "replace", "double", "move", "flip")), st.integers(0, 2**20), st.integers(0, 40), st.sampled_from(WORDS)),
    min_size=1,
    max_size=4,
)


def changed(data: bytes, edits: list[tuple[str, int, int, str]]) -> bytes:
    """The data after some edits, each at a place of its own."""
    for what, place, length, word in edits:
        at = place % (len(data) + 1)
        if what == "cut":
            data = data[:at] + data[at + length :]
        elif what == "put":
            data = data[:at] + word.encode() + data[at:]
        elif what == "replace":
            data = data[:at] + word.encode() + data[at + length :]
        elif what == "flip":
            data = data[:at] + bytes(byte ^ (1 << length % 8) for byte in data[at : at + 1]) + data[at + 1 :]
        else:
            lines = data.split(b"\n")
            line = lines[place % len(lines)]
            lines.insert(length % len(lines), line if what == "double" else lines.pop(place % len(lines)))
            data = b"\n".join(lines)
    return data


def refused_in_words(error: WordedError) -> None:
    """What is said is text that a terminal shows line by line, and not empty."""
    text = str(error)
    assert text.strip()
    assert "Traceback" not in text
    assert len(text) < 100_000


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def box(frozen_cards):
    return make_box(frozen_cards)


@given(edits=EDITS)
@BUDGET
def test_card_files(place, edits):
    file = place / "cards.csv"
    file.write_bytes(changed(FROZEN.read_bytes(), edits))
    try:
        cards = load_cards(file)
        make_box(cards)
    except WordedError as error:
        refused_in_words(error)
        return
    file.write_text(cards.to_csv(), encoding="utf-8")  # what is accepted is a set: it can be written down and read again
    assert load_cards(file).sha256 == cards.sha256


@given(number=st.integers(0, 12), edits=EDITS)
@BUDGET
def test_scenarios(place, frozen_cards, number, edits):
    file, files = place / "scenario.toml", sorted((TESTS / "scenarios").glob("*.toml"))
    text = files[number % len(files)].read_bytes()
    file.write_bytes(changed(text[: text.index(b"\n[[", 3000) + 1], edits))
    try:
        for scenario in read_scenarios(file)[:5]:
            run_scenario(scenario, frozen_cards)
    except WordedError as error:
        refused_in_words(error)


PLAN = """games = 1_000
seed = 7
overlords = ["Fenris", "Lilith"]
strategies = ["greedy", "tuned"]
pairing = "all"
set = ["Ghoul.cost=3"]
remove = ["Werewolf"]
deny = ["Ghoul:first"]
deny_lottery = 0.1
decisions = 10
turns = true
until = "±2"
margin = 8.0

[rules]
first_hand = 4
max_turns = 90
"""


@given(edits=EDITS)
@BUDGET
def test_plans(place, edits):
    file = place / "plan.toml"
    file.write_bytes(changed(PLAN.encode(), edits))
    try:
        plan = Plan.read(file)
        plan.ruleset()
        plan.interventions()
    except WordedError as error:
        refused_in_words(error)
        return
    file.write_text(plan.to_toml(), encoding="utf-8")
    assert Plan.read(file).as_data() == plan.as_data()


@given(name=st.sampled_from(("bigmoney.toml", "flow.toml", "tuned.json")), edits=EDITS)
@BUDGET
def test_lists_and_numbers(place, box, name, edits):
    file = place / f"mine{Path(name).suffix}"
    file.write_bytes(changed((ROOT / "strategies" / name).read_bytes(), edits))
    try:
        find(str(file)).work(box)
    except WordedError as error:
        refused_in_words(error)


NUMBERS = json.loads((ROOT / "strategies" / "tuned.json").read_text(encoding="utf-8"))
SMALL = json.dumps({"plan": "Plays.", "overlords": {"any": NUMBERS["overlords"]["any"]}}, indent=1)


@given(edits=EDITS)
@BUDGET
def test_numbers(place, box, edits):
    file = place / "mine.json"
    file.write_bytes(changed(SMALL.encode(), edits))
    try:
        find(str(file)).work(box)
    except WordedError as error:
        refused_in_words(error)


@pytest.fixture(scope="module")
def run(place) -> Run:
    cards = place / "small.csv"
    cards.write_text(written(base()), encoding="utf-8")  # a large set would be read again for every input
    return simulate(Plan(games=16, cards=str(cards), decisions=4), place / "whole", jobs=1, chunk=8)


@pytest.fixture(scope="module")
def rows(run) -> dict[str, str]:
    return content(run)


@given(number=st.integers(0, 100), edits=EDITS)
@BUDGET
def test_run_folders(run, rows, number, edits):
    """The rows are those that were played, or it is refused; a file that nobody reads may be anything."""
    folder = Path(run.folder.path)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    file = files[number % len(files)]
    right = file.read_bytes()
    file.write_bytes(changed(right, edits))
    try:
        found = Run.open(folder)
        found.setup  # noqa: B018
        assert content(found) == rows
    except WordedError as error:
        refused_in_words(error)
    finally:
        file.write_bytes(right)
    assert files == sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")  # whoever only looks leaves nothing behind
