"""Every mistake in a list is named in a sentence: the file, the entry, the wrong word, and what to write instead."""

import datetime
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from terrors.simulator.play.box import make_box
from terrors.strategies import StrategyError, find
from terrors.strategies.formats.lists import playing
from terrors.strategies.formats.lists.conditions import WORDS, ConditionError, parse
from terrors.strategies.formats.lists.reading import BUY_KEYS, PLAY_KEYS

PLAN = 'plan = "Plays as this test wants it."\n'
GOOD = PLAN + "[[buy]]\n"


@pytest.fixture(scope="module")
def box(frozen_cards):
    return make_box(frozen_cards)


def complaint(folder, text: str, box=None) -> list[str]:
    """What is said about a file, without its name."""
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StrategyError) as caught:
        find(str(file)).work(box)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(f"{file}") and line.endswith((".", "?")) for line in lines)
    return [line.removeprefix(str(file)).lstrip(",: ") for line in lines]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("plan = ", "this is not a TOML file: Invalid value (at end of document)."),
        ("[[buy]]\n", 'plan: say in a sentence how this strategy plays, as in plan = "Buys Relics."'),
        ("plan = 3\n[[buy]]\n", "plan: 3 is not a text; put it in quotation marks."),
        (PLAN, "buy: there is no [[buy]] in it, so it would never buy anything; write at least one."),
        (PLAN + "[buy]\n", "buy: each rule is a table of its own; write [[buy]] above it, with two brackets."),
        (PLAN + "[[buy]]\n" * 49, "buy: there are 49 rules; 48 are possible."),
        ('name = "wolves"\n' + GOOD, "name: a strategy is named after its file; leave this out."),
        (GOOD + "[[sell]]\n", "'sell' is not an entry here"),
        (GOOD + "[[play]]\n", "play: it is one table; write [play] above its entries, with single brackets."),
        (GOOD + "untill = 3\n", "buy 1: 'untill' is not an entry here; did you mean until?"),
        (
            GOOD + "zzz = 3\n",
            "buy 1: 'zzz' is not an entry here; there are card, faction, type, has, min_cost, max_cost, until, when, pick, overlord, against.",
        ),
        (GOOD + 'type = "Relik"\n', "buy 1, type: 'Relik' is not a type; did you mean Relic?"),
        (GOOD + 'type = ["Relic"]\n', 'buy 1, type: ["Relic"] is not a text; put it in quotation marks.'),
        (GOOD + 'has = "DRAWS"\n', "buy 1, has: 'DRAWS' is not something that a card has; did you mean DRAW?"),
        (GOOD + 'has = "2 Powr"\n', "buy 1, has: 'Powr' is not something that a card has; did you mean Power?"),
        (GOOD + 'has = "3"\n', "buy 1, has: '3' is not something that a card has"),
        (GOOD + 'max_cost = "3"\n', 'buy 1, max_cost: "3" is not possible; give a whole number from 0 to 999.'),
        (GOOD + "max_cost = true\n", "buy 1, max_cost: true is not possible; give a whole number from 0 to 999."),
        (GOOD + "until = -1\n", "buy 1, until: -1 is not possible; give a whole number from 0 to 999."),
        (GOOD + "until = 0\n", "buy 1, until: 0 would be a rule that never buys; give 1 or more, or leave the rule out."),
        (GOOD + "min_cost = 5\nmax_cost = 3\n", "buy 1, max_cost: no card costs at least 5 and at most 3."),
        (GOOD + "card = 3\n", 'buy 1, card: 3 is not possible; write a text or a list of texts, as in card = ["one", "another"].'),
        (GOOD + 'card = ["Ghoul", 3]\n', 'buy 1, card: ["Ghoul", 3] is not possible; write a text or a list of texts, as in card = ["one", "another"].'),
        (GOOD + "card = []\n", "buy 1, card: the list is empty; leave it out, or write something into it."),
        (GOOD + 'pick = "best one"\n', "buy 1, pick: 'best one' is not a way to pick; did you mean best?"),
        (GOOD + 'pick = ""\n', "buy 1, pick: it is empty; leave it out, or write something."),
        (GOOD + "when = 8\n", "buy 1, when: 8 is not a text; put it in quotation marks."),
        (
            GOOD + 'type = "Acolyte"\nfaction = "Beast"\n',
            "buy 1: an Acolyte is bought unseen (rule B4), so card, faction and has cannot be asked of it; leave them out.",
        ),
        (GOOD + '[play]\nstile = "x"\n', "play: 'stile' is not an entry here"),
        (GOOD + '[play]\ncurse = "helth"\n', "play, curse: 'helth' is not an answer to a CURSE; did you mean health?"),
        (GOOD + '[play]\nbuild = "trun < 3"\n', "play, build: 'trun' is not known; did you mean turn?"),
        (GOOD + "[play]\nfirst = 7\n", "play, first: 7 is not possible; write a text or a list of texts"),
    ],
)
def test_mistakes_in_the_file(tmp_path, text, says):
    (said,) = complaint(tmp_path, text)
    assert said.startswith(says)


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("trun <= 8", "'trun' is not known; did you mean turn?"),
        ("gold > 3", "'gold' is not known; there are turn, my turn, health"),
        ("my tern > 3", "'my tern' is not known; did you mean my turn?"),
        ("turn", "'turn' is a number, not a condition; compare it, as in 'turn >= 3'."),
        ("turn + 2", "'turn + 2' is a number, not a condition; compare it, as in 'turn + 2 >= 3'."),
        ("turn > 2 and coin", "'coin' is a number, not a condition; compare it, as in 'coin >= 3'."),
        ("not turn", "'turn' is a number, not a condition"),
        ("turn > ", "something is missing at the end in 'turn > '; a condition reads like 'turn >= 6 and coin < 4'."),
        ("turn => 3", "something is missing before '>' in 'turn => 3'"),
        ("and turn > 3", "something is missing before 'and' in 'and turn > 3'"),
        ("turn > 3 coin < 2", "'coin' is one too many in 'turn > 3 coin < 2'; join two conditions by 'and' or 'or'."),
        ("(turn > 3", "a ')' is missing in '(turn > 3'."),
        ("turn > 3)", "')' is one too many in 'turn > 3)'"),
        ("(turn > 3) > 2", "'(turn > 3)' is not a number, and > needs one on each side."),
        ("(turn > 3) + 1 > 2", "'(turn > 3)' is not a number, and + needs one on each side."),
        ("turn * 2 > 3", "'*' has no meaning in 'turn * 2 > 3'; a condition reads like"),
        ("turn > 2; coin", "';' has no meaning in"),
        ("turn > 3.5", "'.' has no meaning in"),
        ("'Ghoul' > 3", "'Ghoul' stands alone; how many of a card you have is 'owned \"Ghoul\"'."),
        ("owned > 3", "what is owned? Write a faction, a type, a keyword or a card's name behind 'owned' in 'owned > 3'."),
        ("turn > 99999999", "'99999999' is too large; numbers go up to 1,000,000."),
        (" ", "it is empty; leave it out, or write something."),
        ("1 + (" * 20 + "1" + ")" * 20 + " > turn", "it is nested too deeply: 21 values at once, 16 are possible; use fewer parentheses."),
    ],
)
def test_mistakes_in_a_condition(tmp_path, condition, says):
    (said,) = complaint(tmp_path, f'{GOOD}when = """{condition}"""\n')
    assert said.startswith(f"buy 1, when: {says}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('card = "Ghool"', "buy 1, card: no card of this set is named 'Ghool'; did you mean Ghoul?"),
        ('card = ["Ghoul", "Excalibur"]', "buy 1, card: no card of this set is named 'Excalibur'; 'terrors cards' lists them."),
        ('overlord = "Fenriz"', "buy 1, overlord: no overlord of this set is named 'Fenriz'; did you mean Fenris?"),
        ('against = "Ghoul"', "buy 1, against: no overlord of this set is named 'Ghoul'"),
        ('when = "owned Beest > 1"', "buy 1, when: 'Beest' is no card of this set, no faction, type or keyword; did you mean Beast?"),
        ('[[buy]]\nfaction = "Beest"', "buy 2, faction: 'Beest' is not a faction of this set; did you mean Beast?"),
        ('faction = "Elves"', "buy 1, faction: 'Elves' is not a faction of this set; there are Undead, Beast, Mortal, Spirit, own."),
        ('[play]\ninfluences = ["Blood Mon"]', "play, influences: no Influence card of this set is named 'Blood Mon'; did you mean Blood Moon?"),
        ('[play]\nfirst = ["Ghool"]', "play, first: 'Ghool' is no card of this set, no faction, type or keyword; did you mean Ghoul?"),
        ('[play]\nlast = "Ghool"', "play, last: 'Ghool' is no card of this set, no faction, type or keyword; did you mean Ghoul?"),
        ('[play]\nkeep = "Fanatik"', "play, keep: 'Fanatik' is no card of this set, no faction, type or keyword; did you mean Fanatic?"),
        ('[play]\njunk = "Fanatik"', "play, junk: 'Fanatik' is no card of this set, no faction, type or keyword; did you mean Fanatic?"),
    ],
)
def test_cards_that_are_not_in_the_set(tmp_path, box, text, says):
    (said,) = complaint(tmp_path, f"{GOOD}{text}\n", box)
    assert said.startswith(says)


def test_all_mistakes_are_told_at_once(tmp_path, box):
    said = complaint(tmp_path, f'{GOOD}type = "Relik"\nwhen = "trun > 1"\n[play]\ncurse = "no"\n')
    assert [line.split(":")[0] for line in said] == ["buy 1, type", "buy 1, when", "play, curse"]
    assert len(complaint(tmp_path, f'{GOOD}card = ["Ghool", "Werewulf"]\nfaction = "Beest"\noverlord = "Fenriz"\n', box)) == 4


def test_a_list_that_is_too_long(tmp_path, box):
    many = " and ".join(f"turn != {n}" for n in range(120))
    (said,) = complaint(tmp_path, f'{GOOD}when = "{many}"\n' + f'[[buy]]\nwhen = "{many}"\n', box)
    assert said.startswith("its conditions are too long for the room that there is, by ")
    rules = [f'[[buy]]\nwhen = \'owned "{n} Power" > 1 or owned "{n} Coin" > 1\'\n' for n in range(22)]
    (said, *_) = complaint(tmp_path, "".join([PLAN, *rules]), box)
    assert said.endswith(f"that is one set of cards too many; {playing.MOST_SETS} are possible, buy rules included.")


def test_a_file_that_is_no_text(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StrategyError, match=r"mine\.toml: this is not a TOML file: byte"):
        find(str(file))
    with pytest.raises(StrategyError, match=r"gone\.toml: there is no such file\.$"):
        find(str(tmp_path / "gone.toml"))


# Whatever somebody may write


def said(action, error_type) -> str | None:
    """What was said about it; None if there was nothing wrong."""
    try:
        action()
    except error_type as error:
        return str(error)
    return None


SCRAPS = st.sampled_from(
    [*WORDS, "owned", "and", "or", "not", "(", ")", "<", ">=", "=", "+", "-", "3", "17", "Beast", '"Ghoul"', "'", '"', "9" * 30, "é", "\u200b", "_"]
)


@settings(deadline=None)
@given(st.lists(SCRAPS, max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_condition_is_read_or_refused_in_words(text):
    assert said(lambda: parse(text), ConditionError) != ""


def toml(value) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + re.sub(r'["\\\x00-\x1f\x7f]', "?", value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    return str(value)


WORDED = st.sampled_from(
    ["Ghoul", "own", "Beast", "Relic", "Acolyte", "DRAW 2", "3", "", " ", "turn > 3", "owned Ghoul = 1", "health", "dearest", "Fenris", "Old Money"]
)
ATOMS = WORDED | st.text(max_size=8) | st.integers(-3, 2**40) | st.booleans() | st.floats(allow_nan=False) | st.just(datetime.date(2026, 1, 1))
VALUES = ATOMS | st.lists(ATOMS, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), ATOMS, max_size=2)


@settings(max_examples=60, deadline=None)
@given(
    rules=st.lists(st.dictionaries(st.sampled_from(BUY_KEYS), VALUES, max_size=4), max_size=3),
    play=st.dictionaries(st.sampled_from(PLAY_KEYS), VALUES, max_size=4),
)
@example(rules=[], play={"first": ["\x85"]})  # a line of its own to some, which must not become one of the message
def test_any_file_is_taken_or_refused_in_words(tmp_path_factory, box, rules, play):
    lines = [PLAN] + [line for rule in rules for line in ("[[buy]]", *(f"{key} = {toml(value)}" for key, value in rule.items()))]
    lines += ["[play]", *(f"{key} = {toml(value)}" for key, value in play.items())]
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    complaints = said(lambda: find(str(file)).work(box), StrategyError)
    assert complaints is None or all(line.startswith(str(file)) for line in complaints.splitlines())
