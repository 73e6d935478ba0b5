"""`terrors strategies` and `terrors strategies check`: what they print, and how they fail."""

import json
import re

import pytest

from terrors.strategies import all_names, find
from tests.support.commands import CARDS, run, sentence

pytestmark = [pytest.mark.usefixtures("compiled_engine"), pytest.mark.slow]

LIST = """
plan = "Buys only what hits, and never an Acolyte."
[[buy]]
has = "Power"
[[buy]]
card = "Silver Mirror"
when = "turn > 150"
"""


@pytest.fixture
def list_file(tmp_path):
    file = tmp_path / "hits.toml"
    file.write_text(LIST, encoding="utf-8")
    return str(file)


def test_strategies_are_listed_with_their_plans_and_speed():
    lines = run("strategies", "--cards", CARDS).stdout.splitlines()
    assert lines[0].split() == ["games/s"]
    assert [line.split()[0] for line in lines[1:]] == all_names()
    assert all(re.match(r"\w+ +[\d,.]+  \w", line) for line in lines[1:])
    starts = {re.match(r"\w+ +[\d,.]+  ", line).end() for line in lines[1:]}
    assert len(starts) == 1  # aligned


def test_strategies_without_speed():
    result = run("strategies", "--no-speed")
    assert "\nrandom    Takes any of the legal options, each as likely as the others.\n" in re.sub(r"  +", "    ", result.output)
    plans = json.loads(run("strategies", "--no-speed", "--json").output)
    assert [plan["name"] for plan in plans] == all_names()
    assert set(plans[0]) == {"name", "plan", "path", "sha256"}


def test_strategies_as_json_with_speed(monkeypatch):
    """Measured in the test of the list; here it is only shown."""
    rates = {name: 100.0 + number for number, name in enumerate(all_names())}
    monkeypatch.setattr("terrors.analysis.players.head_to_head.games_per_second", lambda box, plan, games: rates[plan.name])
    found = json.loads(run("strategies", "--json", "--cards", CARDS).stdout)
    assert {plan["name"]: plan["games_per_second"] for plan in found} == rates


def test_a_check_tells_how_good_a_list_is_and_what_it_never_did(list_file):
    result = run("strategies", "check", list_file, "--games", "96", "--against", "greedy", "--against", "random", "--cards", CARDS)
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert text.startswith("hits: Buys only what hits, and never an Acolyte.\n\nIt keeps to the contract and does not peek (")
    assert "of 96 against each" in text
    head, *rows = [line for line in text.splitlines() if re.match(r" +all  |  (greedy|random|all of them) ", line)]
    assert head.split() == ["all", "Methuselah", "Fenris", "Lilith", "Azazael"]
    assert [line.split("  ")[1] for line in rows] == ["greedy", "random", "all of them"]
    assert all(len(line) == len(head) and len(re.findall(r"\d+ \(\d+–\d+\)", line)) == 5 for line in rows)
    assert '  buy 2 never bought anything: card = "Silver Mirror", when = "turn > 150"\n' in text
    assert re.search(r"  never bought, and how often it could have been: .*Silver Mirror \([\d,]+\)", text, re.DOTALL)
    assert re.search(r"  never used, and how often it could have been: buy an Acolyte \([\d,]+\)", text.replace("\n    ", " "))


def test_a_check_as_json(list_file):
    data = json.loads(run("strategies", "check", list_file, "--games", "24", "--against", "random", "--cards", CARDS, "--json").stdout)
    assert data["contract"]["problems"] == []
    (rival,) = data["against"]
    assert (rival["name"], rival["games"]) == ("random", 24)
    assert rival["low"] <= rival["share"] <= rival["high"]
    assert set(rival["overlords"]) == {"Methuselah", "Fenris", "Lilith", "Azazael"}
    assert data["never"]["rules"] == [{"rule": 2, "text": 'card = "Silver Mirror", when = "turn > 150"'}]


def test_a_strategy_is_not_played_against_itself():
    data = json.loads(run("strategies", "check", "greedy", "--games", "24", "--json", "--cards", CARDS).stdout)
    assert [rival["name"] for rival in data["against"]] == [name for name in all_names() if name != "greedy" and not find(name).slow]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("return int(game.player[1 - me].hand.card[0]) % options.n", "it peeks: with other hidden cards it answered otherwise than"),
        ("return options.n", "there are options 0 to"),
        ("return [0, 1][options.n // 2]", "it raised IndexError"),
    ],
)
def test_a_strategy_that_breaks_the_contract(tmp_path, line, words):
    file = tmp_path / "cheat.py"
    text = f'"""Plays in a way that this test is about."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    {line}\n'
    file.write_text(text, encoding="utf-8")
    result = run("strategies", "check", str(file), "--cards", CARDS, "--games", "24")
    assert result.exit_code == 1, result.output
    assert "It breaks the contract; no games are played before that is mended:\n  game 1, turn" in result.stdout
    assert words in result.stdout


def test_a_broken_contract_as_json(tmp_path):
    file = tmp_path / "blunder.py"
    file.write_text(
        '"""Answers wrong."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    return -1\n', encoding="utf-8"
    )
    result = run("strategies", "check", str(file), "--cards", CARDS, "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert "it answered -1" in data["contract"]["problems"][0]
    assert "against" not in data


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LIST.replace("has =", "hass ="), "hits.toml, buy 1: 'hass' is not an entry here; did you mean has?"),
        (LIST.replace("Silver Mirror", "Silver Miror"), "hits.toml, buy 2, card: no card of this set is named 'Silver Miror'; did you mean Silver Mirror?"),
    ],
)
def test_a_list_with_a_mistake_is_bad_input(tmp_path, text, words):
    file = tmp_path / "hits.toml"
    file.write_text(text, encoding="utf-8")
    assert sentence(run("strategies", "check", str(file), "--cards", CARDS)).endswith(words)
    assert sentence(run("replay", "--first", f"Fenris:{file}", "--cards", CARDS)).endswith(words)


def test_a_list_plays_wherever_a_strategy_does(list_file):
    result = run("replay", "--first", f"Fenris:{list_file}", "--second", "Azazael:random", "--cards", CARDS, "--rule", "max_turns=4")
    assert result.exit_code == 0, result.output


def test_names_that_are_not_there():
    assert "strategy 'greedi': there is none; did you mean greedy?" in sentence(run("strategies", "check", "greedi"))
    assert "strategy 'greedi': there is none; did you mean greedy?" in sentence(run("strategies", "check", "greedy", "--against", "greedi"))


def test_options_before_check_are_not_ignored():
    assert sentence(run("strategies", "--json", "check", "greedy")).startswith("terrors strategies: options of check stand behind it; see ")
