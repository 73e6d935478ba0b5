"""The scenarios, one test each; that no rule is without them; and what is said of a scenario file that is wrong."""

import ast
import io
import re
import tokenize
from collections import Counter
from pathlib import Path

import pytest

from terrors.simulator.story.scenario import Scenario, ScenarioError, find_files, read_scenarios, run_files, run_scenario
from tests.support.places import ROOT, TESTS

RULE = re.compile(r"\b([A-Z]\d{1,2})\b")
SCENARIOS = [scenario for path in find_files([TESTS / "scenarios"]) for scenario in read_scenarios(path)]
# Rules that no function of the engine carries out, and why.
NOT_IN_THE_CODE: dict[str, str] = {}  # by rule, why there is nothing to do


def rules_of_the_page() -> list[str]:
    return re.findall(r"^- \*\*([A-Z]\d{1,2})\b", (ROOT / "docs" / "RULES.md").read_text(encoding="utf-8"), re.MULTILINE)


def name_of(scenario: Scenario) -> str:
    return f"{scenario.path.name}:{scenario.number}:{scenario.rule}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=map(name_of, SCENARIOS))
def test_scenario(scenario, frozen_cards):
    failures = run_scenario(scenario, frozen_cards).failures
    assert not failures, "\n".join([scenario.title, *failures])


# Nothing forgotten


def test_the_page_of_rules_is_read():
    """Every section that has rules is there, and nothing is there twice."""
    rules = rules_of_the_page()
    assert {rule[0] for rule in rules} == set("STPBAHRONXKGE")
    assert len(rules) == len(set(rules)) > 60


def test_every_rule_has_two_scenarios_and_there_are_150():
    found = Counter(rule for scenario in SCENARIOS for rule in RULE.findall(scenario.rule))
    assert {rule for rule in rules_of_the_page() if found[rule] < 2} == set()
    assert len(SCENARIOS) >= 150


def test_every_scenario_cites_a_rule_of_the_page():
    rules = set(rules_of_the_page())
    assert [name_of(s) for s in SCENARIOS if not RULE.findall(s.rule) or not set(RULE.findall(s.rule)) <= rules] == []


def test_every_scenario_checks_something():
    assert [name_of(s) for s in SCENARIOS if not any(re.match(r"((you|opponent): *)?(expect|legal|illegal) ", line) for line in s.lines)] == []


def test_no_scenario_is_there_twice():
    assert [title for title, n in Counter((s.rule, s.title) for s in SCENARIOS).items() if n > 1] == []


def words_of(path: Path) -> str:
    """The docstrings and comments of a file."""
    text = path.read_text(encoding="utf-8")
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    comments = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    return "\n".join([ast.get_docstring(n) or "" for n in nodes] + comments)


def test_every_rule_is_named_where_it_is_carried_out():
    rules = rules_of_the_page()
    found: set[str] = set()
    for path in (ROOT / "simulator").rglob("*.py"):
        words = words_of(path)
        found |= set(RULE.findall(words))
        for a, b in re.findall(r"\b([A-Z]\d{1,2}) to ([A-Z]\d{1,2})\b", words):  # "S1 to S8"
            found |= set(rules[rules.index(a) : rules.index(b)]) if a in rules and b in rules else set()
    assert set(rules) - found == set(NOT_IN_THE_CODE)


# Files that are wrong

TABLE = """
[[scenario]]
rule = "K1"
title = "A cursed player"
[scenario.you]
overlord = "Azazael"
hand = ["Banshee", "Cultist"]
[scenario.opponent]
overlord = "Fenris"
health = 30
[scenario.script]
lines = '''
{lines}
'''
"""
NO_LINES = 'rule = "K1"\ntitle = "Empty"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[scenario", "this is not a TOML file: Expected ']]' at the end of an array declaration (at end of document)."),
        ("", "there is no [[scenario]] in it."),
        ("scenario = 3", "there is no [[scenario]] in it."),
        ('[[scenario]]\nrule = "K1"\n', ", scenario 1: it has no title."),
        ('[[scenario]]\ntitle = "No rule"\n', ", scenario 1: it has no rule."),
        ('[[scenario]]\nrule = 3\ntitle = "A number"\n', ", scenario 1: it has no rule."),
        (TABLE.format(lines="pass") + '[[scenario]]\nrule = "K1"\n', ", scenario 2: it has no title."),
        (
            '[[scenario]]\nrule = "K1"\ntitle = "A slip"\nseeds = 3\n[scenario.script]\nlines = "pass"\n',
            ", scenario 1: unknown entry seeds; a scenario has card, opponent, rule, rules, script, seed, table, title, you.",
        ),
        (f"[[scenario]]\n{NO_LINES}", ", scenario 1, Empty: there is nothing in script.lines."),
        (f'[[scenario]]\n{NO_LINES}[scenario.script]\nlines = "  # only a remark"\n', ", scenario 1, Empty: there is nothing in script.lines."),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(tmp_path, text, words):
    file = tmp_path / "broken.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_scenarios(file)
    assert str(caught.value) == f"{file}{words if words.startswith(',') else ': ' + words}"


def test_what_is_no_text_and_what_is_not_there_are_named(tmp_path):
    (tmp_path / "image.toml").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ScenarioError, match=r"image\.toml: this is not a TOML file: byte 1 is no UTF-8 text"):
        read_scenarios(tmp_path / "image.toml")
    with pytest.raises(ScenarioError, match=r"gone\.toml: there is no such file or folder\.$"):
        find_files([tmp_path / "gone.toml"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ScenarioError, match=r"empty: there are no \.toml files in this folder\.$"):
        find_files([tmp_path / "empty"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('overlord = "Azazael"', 'overlord = "Cultist"', "you.overlord: Cultist is no overlord."),
        ('overlord = "Azazael"', 'overlord = "Azazel"', "did you mean Azazael?"),
        ('overlord = "Azazael"', 'overlord = "Azazael"\nhealth = 51', "you.health: 51 is not between 1 and the starting Health of Azazael, 50."),
        ('overlord = "Azazael"', 'overlord = "Azazael"\nhands = []', "you: unknown entry hands; there are deck, discard, hand, health, overlord"),
        ('"Banshee", "Cultist"', '"Banshe", "Cultist"', "did you mean Banshee?"),
        (
            'title = "A cursed player"',
            'title = "A cursed player"\nrules = { first_hands = 3 }',
            "rule first_hands: there is no such rule; did you mean first_hand?",
        ),
        ('title = "A cursed player"', 'title = "A cursed player"\ntable = { street = [], streets = [] }', "table: unknown entry streets"),
    ],
)
def test_a_table_that_cannot_be_set_is_named(tmp_path, frozen_cards, old, new, words):
    file = tmp_path / "table.toml"
    file.write_text(TABLE.format(lines="pass").replace(old, new), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        list(run_files([file], frozen_cards))
    assert str(caught.value).startswith(f"{file}, scenario 1, A cursed player: ")
    assert words in str(caught.value)


# Steps that do not hold


def failures_of(tmp_path: Path, cards, *lines: str) -> list[str]:
    file = tmp_path / "steps.toml"
    file.write_text(TABLE.format(lines="\n".join(lines)), encoding="utf-8")
    (outcome,) = run_files([file], cards)
    return outcome.failures


def test_what_holds_has_no_failures(tmp_path, frozen_cards):
    lines = ["illegal pass", "play Banshee", "expect opponent.health = 28", "expect you.hand = [Cultist]", "expect winner = none", "legal pass"]
    assert failures_of(tmp_path, frozen_cards, *lines) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("expect opponent.health = 31", "expect opponent.health = 31: found 30"),
        ("expect you.hand = [Cultist]", "expect you.hand = [Cultist]: found [Banshee, Cultist]"),
        ("expect you.hand = 3", "expect you.hand = 3: found [Banshee, Cultist]"),
        ("expect you.hand contains Ghoul", "expect you.hand contains Ghoul: found [Banshee, Cultist]"),
        ("expect winner = you", "expect winner = you: found none"),
        ("expect turn > 1", "expect turn > 1: found 1"),
        ("expect you.mana = 3", "expect you.mana = 3: there is no you.mana"),
        ("expect you.health", "expect you.health: this is not understood; write for instance expect you.health = 28."),
        ("legal pass", "legal pass: it is not legal; legal are: play Banshee, play Cultist, overlord"),
        ("illegal overlord", "illegal overlord: it is legal; legal are: play Banshee, play Cultist, overlord"),
        ("opponent: pass", "'pass': the decision is yours (play Banshee, play Cultist, overlord)."),
        ("play Banshe", "'play Banshe' is not legal now; did you mean 'play Banshee'?"),
    ],
)
def test_a_failed_step_says_what_was_found(tmp_path, frozen_cards, line, said):
    assert failures_of(tmp_path, frozen_cards, line) == [said]


def test_a_failed_check_does_not_end_a_scenario_but_an_impossible_action_does(tmp_path, frozen_cards):
    lines = ["expect you.coin = 9", "play Cultist", "expect you.coin = 8", "buy Ghoul", "expect you.coin = 7"]
    assert failures_of(tmp_path, frozen_cards, *lines) == [
        "expect you.coin = 9: found 0",
        "expect you.coin = 8: found 1",
        "'buy Ghoul' is not legal now; legal are: play Banshee, overlord, pass.",
    ]
