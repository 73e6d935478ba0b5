"""What every strategy of strategies/ is held to, without being named here; and that each of the checks can fail."""

import re
from pathlib import Path

import numpy as np
import pytest

from terrors.analysis.stats.intervals import pair_estimate
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import StrategyAnswerError, play_rows
from terrors.simulator.terms.enums import Status
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import Strategy, StrategyError, all_names, find, strategy
from terrors.strategies.checks.contract import check_strategy
from terrors.strategies.formats.registry import PLANS, SIBLINGS
from tests.support.watching import all_pairs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def box(frozen_box):
    return frozen_box


# The contract


def test_a_new_file_is_found_by_its_name():
    assert {"random", "greedy", "flow"} <= set(all_names())
    there = {path.stem for folder in (PLANS, SIBLINGS) for sort in ("py", "toml", "json") for path in folder.glob(f"*.{sort}")}
    assert set(all_names()) == there - {"__init__"}
    assert {"expert_b", "expert_c"} == {path.stem for path in SIBLINGS.iterdir()}, "siblings of expert, trained with other seeds"
    assert all("sibling" in find(path.stem).summary for path in SIBLINGS.iterdir())


@pytest.fixture(scope="module")
def short_box(frozen_cards):
    """Games of three turns a player: enough of every sort of question for a strategy that takes its time."""
    return make_box(frozen_cards, Rules(max_turns=6))


@pytest.fixture
def fair_box(name, box, short_box):
    return short_box if find(name).slow else box


@pytest.mark.parametrize("name", all_names())
class TestContract:
    def test_it_has_words(self, name):
        plan = find(name)
        assert plan.name == name
        assert len(plan.words.split()) > 20
        assert plan.summary.endswith(".")
        assert len(plan.summary) < 160
        assert repr(plan) == f"<strategy {name}: {plan.summary}>"

    def test_it_keeps_to_the_contract_and_does_not_peek(self, name, fair_box):
        games = 1 if find(name).slow else 4
        report = check_strategy(find(name), fair_box, games=games)
        assert report.problems == []
        assert report.games == games
        assert report.decisions > (20 if find(name).slow else 200)
        assert report.redeals == 3 * report.decisions

    def test_it_plays_games_to_their_end_in_both_seats(self, name, fair_box):
        box, plan, other = fair_box, find(name), find("random")
        for first, second in ((plan, plan), (plan, other), (other, plan)):
            rows = play_rows(box, some_pairs(box, name, 4), first, second)
            assert set(rows["status"]) == {Status.OVER}
            assert set(rows["winner"]) <= {0, 1, 2}

    def test_the_same_seeds_give_the_same_results(self, name, fair_box):
        box, plan = fair_box, find(name)
        assert play_rows(box, some_pairs(box, name, 8), plan, plan).tobytes() == play_rows(box, some_pairs(box, name, 8), plan, plan).tobytes()

    def test_it_is_at_least_as_good_as_chance(self, name, box):
        share = share_against(box, name, "random", 40)
        assert share.share == 1.0 if find(name).slow else share.low > (0.3 if name == "random" else 0.5)  # a slow one plays four games, and wins them


def some_pairs(box, name: str, pairs: int, seed: int = 8, few: int = 2):
    """Rows for that many pairs of games of each match-up; a few rows for a strategy that takes its time."""
    return all_pairs(box, 1, seed)[:: 12 // few].copy() if find(name).slow else all_pairs(box, pairs, seed)


def share_against(box, name: str, other: str, pairs: int):
    """The share of games that the one wins against the other, each in both seats of each match-up."""
    legs = [play_rows(box, some_pairs(box, name, pairs, seed=6, few=2), find(a), find(b))["winner"] for a, b in ((name, other), (other, name))]
    return pair_estimate(legs[0] == 0, legs[1] == 1)


def test_greedy_beats_random_clearly(box):
    assert share_against(box, "greedy", "random", 100).low > 0.95


def test_asking_a_strategy_alone_does_not_move_the_luck_of_the_game(box):
    """The second seat plays by chance; whoever sits in the first seat, the opening deal is the same."""
    rows = play_rows(box, all_pairs(box, 10, seed=2), find("random"), find("random"))
    again = play_rows(box, all_pairs(box, 10, seed=2), find("greedy"), find("random"))
    assert (rows["seed"] == again["seed"]).all()
    assert (rows["winner"] != again["winner"]).any()


# Strategies that break it

HEAD = '"""Plays in a way that this test is about, and says so here at some length."""\n\nfrom terrors.strategies.formats.registry import strategy\n'


def written(folder: Path, body: str, head: str = HEAD, name: str = "mine") -> Path:
    file = folder / f"{name}.py"
    file.write_text(f"{head}\n\n{body}", encoding="utf-8")
    return file


def plan_of(folder: Path, *lines: str, name: str = "mine") -> Strategy:
    body = "\n".join(["@strategy", "def choose(game, box, options, work, me):", *(f"    {line}" for line in lines)])
    return find(str(written(folder, body + "\n", name=name)))


def test_a_file_anywhere_is_a_strategy(tmp_path, box):
    plan = plan_of(tmp_path, "return options.n - 1")
    assert plan.name == "mine"
    assert check_strategy(plan, box, games=2).problems == []
    assert find(plan) is plan
    assert find(str(tmp_path / "mine.py")) is plan


PEEKS = {
    "the rival's hand": "return int(game.player[1 - me].hand.card[0]) % options.n",
    "the order of the own deck": "return int(game.player[me].deck.card[0]) % options.n if game.player[me].deck.n else 0",
    "the Market": "return int(game.market.card[game.market.n - 1]) % options.n if game.market.n else 0",
    "the Acolytes": "return int(game.acolytes.card[0]) % options.n",
    "the luck to come": "return int(game.seed % 1000) % options.n",
}


@pytest.mark.parametrize("what", PEEKS)
def test_peeking_is_found(tmp_path, box, what):
    report = check_strategy(plan_of(tmp_path, PEEKS[what]), box, games=2)
    assert list(report.found) == ["peeks"]
    assert re.fullmatch(
        r"game 1, turn \d+, question '.+': it peeks: with other hidden cards it answered otherwise than '.+' \(rule G7\)\.",
        report.problems[0],
    )


def test_what_a_player_sees_is_no_peeking(tmp_path, box):
    """Counts of piles, discard piles, the Street, the own hand, the rival's cards in play."""
    plan = plan_of(
        tmp_path,
        "rival = game.player[1 - me]",
        "seen = game.player[me].deck.n + rival.hand.n + rival.deck.n + game.market.n + rival.health + rival.slots",
        "seen += int(game.player[me].hand.card[0]) if game.player[me].hand.n else 0",
        "seen += int(rival.discard.card[0]) if rival.discard.n else 0",
        "seen += int(game.street[0].card) if game.street_n else 0",
        "return int(seen) % options.n",
    )
    assert check_strategy(plan, box, games=3).problems == []


def test_peeking_in_a_plan_is_found(tmp_path, box):
    plan = plan_of(
        tmp_path,
        "hand, rival = game.player[me].hand, game.player[1 - me].hand",
        "if game.question == 1 and options.at[0].action == 0 and hand.n > 1 and rival.n > 0:",
        "    options.then[0].card = box.kind_of[hand.card[int(rival.card[0]) % hand.n]]",
        "    options.then_n = 1",
        "return 0",
    )
    assert "peeks" in check_strategy(plan, box, games=2).found


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("game.player[me].power = 50", r"player\[0\]\.power"),
        ("game.player[1 - me].health = 1", r"player\[1\]\.health"),
        ("game.turn = 3", "turn"),
        ("game.player[1 - me].chances += 1", r"player\[1\]\.chances"),
        ("game.street[0].cost = 0", "street"),
    ],
)
def test_writing_into_the_game_is_found(tmp_path, box, line, field):
    report = check_strategy(plan_of(tmp_path, line, "return options.n - 1"), box, games=1)
    assert re.search(rf"^game 1, turn \d+, question '.+': it wrote into the game \({field}\); a strategy may only read it\.$", report.found["wrote"])


def test_writing_into_the_options_is_found(tmp_path, box):
    plan = plan_of(
        tmp_path,
        "for i in range(options.n):",
        "    if options.at[i].action == 3:",
        "        options.at[i].amount = 99",
        "        return i",
        "return options.n - 1",
    )
    assert "it wrote into the game (options.at)" in check_strategy(plan, box, games=2).found["wrote"]


def test_a_memory_is_found(tmp_path, box):
    plan = plan_of(tmp_path, "work.weight[0] += 1", "return int(work.weight[0]) % options.n")
    report = check_strategy(plan, box, games=1)
    assert "asked the same twice, it gave two answers; chance must come from rng.chance, and memory does not belong in work." in report.found["twice"]


@pytest.mark.parametrize("answer", ["options.n", "-1", "10**6"])
def test_an_answer_that_is_not_there_is_found(tmp_path, box, answer):
    plan = plan_of(tmp_path, f"return {answer}")
    (problem,) = check_strategy(plan, box, games=1).problems
    assert re.fullmatch(r"game 1, turn 0, question 'Which Influence card do you take\?': it answered -?\d+; there are options 0 to 3\.", problem)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_answer_that_is_not_there_stops_a_batch_with_the_game_named(tmp_path, box, seat):
    bad = plan_of(tmp_path, "return options.n if game.turn > 2 else 0", name="blunderer")
    plans = (bad, find("greedy")) if seat == 0 else (find("greedy"), bad)
    rows = all_pairs(box, 1, seed=8)
    with pytest.raises(StrategyAnswerError) as caught:
        play_rows(box, rows, *plans)
    said = re.fullmatch(
        r"strategy blunderer answered with an option that is not there \(turn (\d+) of the game with seed (\d+)\); see what it returns there\.",
        str(caught.value),
    )
    assert said
    assert int(said[1]) == 3 + seat
    assert int(said[2]) == rows["seed"][0]


def test_a_strategy_that_raises_is_named(tmp_path, box):
    bad = plan_of(tmp_path, "if game.turn > 2:", "    raise ValueError('no')", "return 0", name="thrower")
    with pytest.raises(StrategyAnswerError, match=r"^strategy thrower raised ValueError: no \(turn 3 of the game with seed \d+\)\.$"):
        play_rows(box, all_pairs(box, 1, seed=8), bad, bad)


def test_what_a_strategy_is_given_stays_in_its_work_area(tmp_path, box):
    """`prepare` is called once with the box, before the first game."""
    head = HEAD + "\n\ndef prepare(box, work):\n    work.weight[0] = box.kinds\n"
    body = "@strategy\ndef choose(game, box, options, work, me):\n    return 0 if work.weight[0] == box.kinds else -1\n"
    plan = find(str(written(tmp_path, body, head)))
    assert plan.work(box).weight[0] == len(box.names)
    assert np.all(play_rows(box, all_pairs(box, 1, seed=8), plan, plan)["status"] == Status.OVER)


# Files that are no strategies


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import nothing_of_that_name\n", "it cannot be imported: ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("def choose(:\n", "it cannot be imported: SyntaxError: invalid syntax ("),
        ("raise RuntimeError('no')\n", "it cannot be imported: RuntimeError: no"),
        (HEAD, "a strategy file has exactly one function with @strategy above it; this one has 0."),
        (
            HEAD + "\ndef choose(game, box, options, work, me):\n    return 0\n",
            "a strategy file has exactly one function with @strategy above it; this one has 0.",
        ),
        (
            HEAD + "".join(f"\n@strategy\ndef {name}(game, box, options, work, me):\n    return 0\n" for name in ("one", "two")),
            "a strategy file has exactly one function with @strategy above it; this one has 2.",
        ),
        (HEAD + "\n@strategy\ndef choose(game, me):\n    return 0\n", "choose must take (game, box, options, work, me)."),
        (HEAD.split("\n", 1)[1] + "\n@strategy\ndef choose(game, box, options, work, me):\n    return 0\n", "say in the docstring how this strategy plays."),
    ],
)
def test_a_file_that_is_no_strategy_is_named_with_what_is_wrong(tmp_path, text, words):
    file = tmp_path / "wrong.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StrategyError) as caught:
        find(str(file))
    assert str(caught.value).startswith(f"{file}: {words}")
    assert "\n" not in str(caught.value)


def test_a_docstring_of_the_function_is_words_enough(tmp_path):
    text = HEAD.split("\n", 1)[1] + '\n@strategy\ndef choose(game, box, options, work, me):\n    """Plays the first."""\n    return 0\n'
    file = tmp_path / "said.py"
    file.write_text(text, encoding="utf-8")
    assert find(str(file)).summary == "Plays the first."


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("return game.player[me].gold", "gold"),
        ("return sorted(options, key=lambda o: o.amount)[0]", ""),
        ("return 'the first'", "No conversion from Literal[str](the first) to int64"),
        ("return open('x')", "Untyped global name 'open'"),
        ("if options.n > 3: return 0", "No conversion from none to int64"),  # and what if not?
        ("return nothing_of_that_name", "NameError: name 'nothing_of_that_name' is not defined"),
    ],
)
def test_what_does_not_compile_is_said_with_the_file_and_the_reason(tmp_path, line, words):
    plan = plan_of(tmp_path, line)
    with pytest.raises(StrategyError) as caught:
        _ = plan.compiled
    said = str(caught.value)
    assert said.startswith(f"{tmp_path / 'mine.py'}: this strategy cannot be compiled. ")
    assert words in said
    assert 'mine.py", line' in said or said.endswith("is not defined")
    assert len(said) < 800
    assert "\n" not in said


def test_a_plain_function_is_not_a_strategy():
    def choose(game, box, options, work, me):
        return 0

    with pytest.raises(StrategyError, match=r"^<function .*choose at .*> is a plain function; write @strategy above it\.$"):
        find(choose)
    with pytest.raises(StrategyError, match=r"^@strategy stands above a function; 3 is none\.$"):
        strategy(3)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("greedi", "strategy 'greedi': there is none; did you mean greedy?"),
        ("chess", f"strategy 'chess': there is none; there are {', '.join(all_names())}, or give a .py, .toml or .json file."),
        ("common", f"strategy 'common': there is none; there are {', '.join(all_names())}, or give a .py, .toml or .json file."),
    ],
)
def test_a_name_that_is_not_there(name, words):
    with pytest.raises(StrategyError, match=f"^{re.escape(words)}$"):
        find(name)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(StrategyError, match=r"gone\.py: there is no such file\.$"):
        find(str(tmp_path / "gone.py"))
