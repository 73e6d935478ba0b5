"""`terrors play`: sessions as a person would type them."""

import json
import re

import click
import pytest
from click.testing import CliRunner, Result

from terrors.cli.main import main
from terrors.cli.shared_options import chooser_of
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import make_box
from terrors.simulator.play.notation import NotationError
from terrors.simulator.story.position import lay_table
from terrors.strategies import find
from terrors.table.hint import hint
from terrors.table.input import find_answer
from terrors.table.screen import short_text, table_lines
from terrors.table.session import Session
from tests.support.places import FROZEN

CARDS = str(FROZEN)
pytestmark = pytest.mark.usefixtures("compiled_engine")


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    """Whatever the tests are run in."""
    monkeypatch.setenv("COLUMNS", "120")


def play(*lines: str, arguments: tuple[str, ...] = ()) -> Result:
    given = ["play", "--as", "Lilith", "--against", "random", "--rival-overlord", "Azazael", "--seed", "5", "--cards", CARDS, *arguments]
    return CliRunner().invoke(main, given, input="".join(f"{line}\n" for line in lines))


def told(*lines: str, arguments: tuple[str, ...] = ()) -> str:
    result = play("old", "hired", *lines, arguments=arguments)
    assert result.exit_code == 0, result.output + result.stderr
    return result.output


def test_the_table_is_shown_before_each_action():
    text = told()
    assert text.startswith("Seed 5: terrors play --as Lilith --against random --rival-overlord Azazael --seed 5 --cards ")
    assert "Turn 1 · Lilith (first, you) · Health 45 : 50 (Azazael)\n" in text
    assert re.search(r"^    1 Mudlark +B<Mortal>S +1 Coin; look at 2: discard any · horde 1 Coin$", text, re.MULTILINE)
    assert re.search(r"^    2 × Cultist +1 Coin$", text, re.MULTILINE)
    assert "  Azazael · Health 50 of 50 · hand 5 · deck 5 · discard 0\n" in text
    assert "  1 play Hired Knives   2 play Cultist   3 play Old Money   4 overlord\n> \n" in text
    assert text.endswith("You leave in turn 1. Lilith: Health 45, Azazael: Health 50.\n")


def test_the_influence_cards_are_chosen_with_their_texts():
    text = told()
    assert "Which Influence card do you take?\n  1 choose Old Money" in text
    assert "2 Coin · faction in play: 1 Coin\n" in text
    assert "  Lilith: choose Hired Knives\n" in text


@pytest.mark.parametrize("line", ["2", "play Cultist", "PLAY cultist", "pl cu", "p cul", "cult", "  play   Cultist → +1 Coin [1 Coin]"])
def test_many_ways_to_say_the_same(line):
    assert "  play Cultist → +1 Coin [1 Coin]\n" in told(line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("99", "99: the options go from 1 to 4."),
        ("0", "0: the options go from 1 to 4."),
        ("pl", "'pl' may mean play Hired Knives or play Cultist or play Old Money; write more of it."),
        ("play Goul", "'play Goul' is not legal now; legal are: play Hired Knives"),
        ("play Cultis", "  play Cultist → +1 Coin [1 Coin]"),
        ("pass", "'pass' is not legal now"),
        ("attack 3", "'attack 3' is not legal now"),
        ("\x00\ufffd", "is not legal now"),
        ("undo now", "'undo now' is not legal now"),
        (";;;", "> ;;;"),
    ],
)
def test_what_is_not_understood_is_said_and_the_question_stays(line, words):
    text = told(line, "play Old Money")
    assert words in text
    assert "  play Old Money → +2 Coin" in text


def test_an_amount_that_is_not_there_is_refused():
    text = told("play Hired Knives", "att 3", "attack 9", "a 1")
    assert "'attack 3': the amount goes from 1 to 2." in text
    assert "'attack 9': the amount goes from 1 to 2." in text
    assert "  attack 1 → Azazael 50 → 49 [1 Power]\n" in text


def test_several_on_one_line_and_what_is_behind_a_mistake_is_dropped():
    text = told("play Hired Knives; attack; foo; play Cultist")
    assert "  play Hired Knives → +2 Power [2 Power]\n  attack 2 → Azazael 50 → 48 [empty]\n'foo' is not legal now" in text
    assert "play Cultist →" not in text
    assert text.count("Street · Market") == 1  # the table is shown once a turn
    assert "  hand · 2 Cultist, Old Money   Pool · empty\n" in text


# undo


def test_undo_goes_back_through_the_turn_and_no_further():
    text = told("play Cultist", "play Hired Knives", "attack 1", "undo", "u", "undo", "undo", "show")
    taken = re.findall(r"^Taken back: (.*)$", text, re.MULTILINE)
    assert taken == ["attack 1", "play Hired Knives", "play Cultist"]
    assert "There is nothing to undo: only your own decisions of this turn can be taken back.\n" in text
    tables = text.split("  Azazael · Health ")
    assert tables[1].split("> ")[0] == tables[-2].split("> ")[0]


def test_undo_takes_lines_out_of_the_log():
    log = told("play Cultist", "undo", "play Old Money", "log").rsplit("> log\n", 1)[1]
    assert "play Old Money → +2 Coin [2 Coin]" in log
    assert "play Cultist" not in log


def test_undo_does_not_reach_into_the_rivals_turn():
    text = told("play Hired Knives; play Cultist; play Cultist; play Old Money; pass", "pass", "undo")
    assert "Turn 2 · Azazael (second) · Health" in text
    assert "There is nothing to undo" in text.split("Turn 3 ")[1]


def test_undo_of_an_influence_card():
    text = play("old", "undo", "black", "hired").output
    assert "Taken back: choose Old Money\n" in text
    assert "Turn 1 " in text


def test_undo_in_the_middle_of_an_action():
    """The answer of the rival to a CURSE in my own turn is gone through as well."""
    lines = ("1", "1", "play Cultist; play Cultist; overlord; yes", "undo; undo; log")
    text = play(*lines, arguments=("--as", "Azazael", "--rival-overlord", "Lilith")).output
    assert re.search(r"^  opponent: choose ", text, re.MULTILINE)
    assert re.findall(r"^Taken back: (.*)$", text, re.MULTILINE) == ["choose yes", "overlord"]
    assert text.split("Taken back: overlord")[1].count("play Cultist → ") == 2
    assert "opponent: " not in text.split("Taken back: overlord")[1]


# help, show, log, quit


def test_help_tells_what_can_be_typed():
    text = told("help", "?")
    assert text.count("  undo        take back your last decision of this turn") == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("help Ghoul", "Gain 1 Power. SACRIFICE from your discard pile.\n    Horde: Gain 1 Coin."),
        ("help bloody m", "If you have a Mortal in play, make your opponent lose"),
        ("help tyburn", "Hanged Man of Tyburn  cost 3"),
        ("help curse", "CURSE: The opponent loses 2 Health or discards a card, as they choose."),
        ("help the", "'the' may be The Black Auction, The Unquiet House, The Wild Hunt; write more of it."),
        ("help Gohul", "No card is named 'Gohul'; did you mean Ghoul?"),
        ("help zzz", "No card is named 'zzz'; type help for what else there is."),
        ("show", "  Lilith's discard pile · empty\n"),
        ("log", "  Lilith: choose Old Money\n  Lilith: choose Hired Knives\n"),
    ],
)
def test_commands(line, words):
    assert words in told(line)


@pytest.mark.parametrize("line", ["quit", "q", "exit", "QUIT"])
def test_quitting(line):
    text = told(line, "play Cultist")
    assert text.endswith("You leave in turn 1. Lilith: Health 45, Azazael: Health 50.\n")
    assert "play Cultist →" not in text


def test_the_end_of_the_input_ends_the_game_cleanly():
    result = play()
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.output.endswith("You leave in turn 0. Lilith: Health 45, Azazael: Health 50.\n")


# Whole games


@pytest.mark.parametrize("arguments", [(), ("--second",), ("--as", "Azazael", "--rival-overlord", "Methuselah")])
def test_a_whole_game_by_always_choosing_1(arguments):
    result = play(*["1"] * 5000, arguments=arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.search(r"wins · Health \w+ \d+, \w+ \d+\nYou (win|lose)\.\n$", result.output)


def test_a_rival_who_begins_is_told_without_what_it_holds():
    text = play("old", "hired", "health", arguments=("--second",)).output
    turn = text.split("Turn 1 · Azazael (first) · ")[1].split("Turn 2 ")[0]
    assert "\n  hand: 4 cards\n" in turn
    assert re.search(r"\n  pass → .*new hand of 5\n", turn)


def test_the_seed_says_who_the_rival_is():
    given = ["play", "--as", "lilith", "--against", "random", "--cards", CARDS]
    found = {CliRunner().invoke(main, [*given, "--seed", str(seed)], input="").output.split("--rival-overlord ")[1].split()[0] for seed in range(3)}
    assert found == {"Methuselah", "Fenris", "Azazael"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--as", "Lilit"), "no card is named 'Lilit'; did you mean Lilith?\n"),
        (("--rival-overlord", "Lilith"), "Lilith against Lilith: both players cannot have the same faction (rule S3); set the rule mirror=true to allow it.\n"),
        (("--against", "nobody"), "strategy 'nobody': there is none; there are "),
        (("--rule", "hand=3"), "rule hand: there is no such rule; "),
        (("--seed", "-1"), "terrors play: invalid value for '--seed': "),
    ],
)
def test_what_cannot_be_played(arguments, words):
    result = play(arguments=arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(words)
    assert len(result.stderr.splitlines()) == 1


# A rival's turn with a question for the person, on a table set by hand


def session_on(table: dict, *lines: str, seat: int = 0) -> Session:
    game, _ = lay_table(make_box(load_cards(CARDS)), table)
    rest = iter(lines)

    def read_line(prompt: str) -> str:
        line = next(rest, None)
        if line is None:
            raise EOFError
        return line

    session = Session(game, seat, lambda game: (0, 0), read_line)
    session.run()
    return session


def test_a_cursed_person_answers_in_the_rivals_turn_and_cannot_take_it_back(capsys):
    table = {
        "you": {"overlord": "Azazael", "hand": ["Cock Lane Ghost"]},
        "opponent": {"overlord": "Fenris", "hand": ["Cultist", "Ghoul"]},
        "table": {"turn": 5},
    }
    session = session_on(table, "undo", "disc gh", seat=1)
    text = capsys.readouterr().out
    assert "Cock Lane Ghost (2 Power; CURSE · horde 1 Power): You are cursed: what do you give up?\n  1 choose health\n  2 choose discard Cultist" in text
    assert "There is nothing to undo" in text
    assert "  you: choose discard Ghoul" in session.log


def test_abbreviations_of_hordes_and_of_copies():
    game, _ = lay_table(make_box(load_cards(CARDS)), {"you": {"overlord": "Azazael", "play": ["Skeletal", "Poltergeist", "Poltergeist"]}})
    texts = game.legal_actions()
    assert texts[find_answer(game, "ho sk po")[0]] == "horde Skeletal + Poltergeist"
    assert texts[find_answer(game, "horde sk + po #2")[0]] == "horde Skeletal + Poltergeist #2"
    with pytest.raises(NotationError, match="may mean"):
        find_answer(game, "horde")


# What helps: a question before a waste, hints, colours, going on later, looking at it again


def test_a_pass_that_throws_something_away_is_asked_about():
    text = told("play Hired Knives; play Cultist; play Cultist; play Old Money; pass; pass", "attack", "pass")
    assert text.count("A Pass throws away 2 Power and 4 Coin, which could still be spent; type pass again if you mean it.\n") == 1
    assert "A Pass throws away 4 Coin, which could still be spent" in text  # asked anew, since something was done in between
    assert "Turn 2 " not in text


@pytest.fixture
def few_deals(monkeypatch):
    monkeypatch.setattr("terrors.table.hint.DEALS", 3)


def test_a_hint_says_what_a_strategy_would_do_and_how_it_came_out(few_deals):
    text = " ".join(told("play Cultist", "hint").split())
    found = re.search(r"tuned would `(.*?)`\. Played on from here 3 times by tuned on both sides, .* you win (\S+) of them; after `", text)
    assert found
    assert f" {found[1]}" in text.split("> hint")[0].split("Pool · 1 Coin")[1]  # one of the options that are listed
    assert 0 <= float(found[2]) <= 3


def test_a_hint_depends_on_nothing_that_is_hidden(few_deals):
    """Two tables that differ only in what the person cannot see."""
    told_at = []
    for rival in (["Cultist", "Ghoul"], ["Ghoul", "Cultist"]):
        table = {
            "you": {"overlord": "Azazael", "hand": ["Cock Lane Ghost", "Cultist"]},
            "opponent": {"overlord": "Fenris", "hand": rival[:1], "deck": rival[1:]},
            "table": {"turn": 5, "street": ["Ghoul"]},
        }
        game, _ = lay_table(make_box(load_cards(CARDS)), table)
        told_at.append(hint(game, 0, "greedy", chooser_of(find("greedy"), game.box)).split(". ")[0])
    assert told_at[0] == told_at[1]


def test_save_and_go_on(tmp_path):
    file = tmp_path / "game.json"
    text = told("play Cultist; play Hired Knives; undo; play Old Money", f"save {file}", "quit")
    assert f"Saved. This goes on with it: terrors play --resume {file}\n" in text
    result = CliRunner().invoke(main, ["play", "--resume", str(file)], input="show\n")
    assert result.exit_code == 0, result.output
    assert "  play Cultist → +1 Coin [1 Coin]\n  play Old Money → +2 Coin [3 Coin]\n" in result.output
    assert "Hired Knives → " not in result.output
    assert "  Pool · 3 Coin\n" in result.output


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cards_sha256": "0" * 64}, "the cards have changed since, so that this game cannot be gone on with; begin a new one."),
        ({"engine": "other"}, "the rules engine has changed since, so that this game cannot be gone on with; begin a new one."),
        ({"answers": [[0]]}, "answers.0 is not what a saved game has; `save` in `terrors play` writes one."),
    ],
)
def test_a_saved_game_that_is_another_one(tmp_path, change, words):
    file = tmp_path / "game.json"
    told("play Cultist", f"save {file}")
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | change), encoding="utf-8")
    result = CliRunner().invoke(main, ["play", "--resume", str(file)])
    assert (result.exit_code, result.stderr) == (2, f"{file}: {words}\n")
    result = CliRunner().invoke(main, ["play", "--resume", str(file), "--seed", "3"])
    assert "--resume and --seed: the saved game says that already" in result.stderr


def test_a_game_that_is_over_can_be_looked_at_again(tmp_path):
    page = tmp_path / "mine.html"
    result = play(*["1"] * 5000, arguments=("--replay", str(page)))
    assert result.output.endswith(f"To look at it again: {page}\n")
    text = page.read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="replays">(.*?)</script>', text, re.S)[1])
    (game,) = data["games"]
    assert game["strategies"] == ["you", "random"]
    assert f"Turn {len(game['turns'])} " in result.output
    assert game["end"] in result.output


def test_colours_only_where_they_are_wanted(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    given = ["play", "--as", "Lilith", "--against", "random", "--rival-overlord", "Azazael", "--seed", "5", "--cards", CARDS]
    assert "\x1b[0;33m" in CliRunner().invoke(main, given, input="old\nhired\n", color=True).output
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(main, given, input="old\nhired\n", color=True).output


@pytest.mark.parametrize("columns", ["60", "80", "97"])
def test_no_word_is_broken_at_the_edge(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    words = {word for card in load_cards(CARDS) for word in f"{short_text(card)} {card.name}".split()}
    game, _ = lay_table(
        make_box(load_cards(CARDS)), {"you": {"overlord": "Azazael", "hand": ["Highgate Vampire", "Table-Rapper"], "play": ["Skeletal", "Spring-Heeled Jack"]}}
    )
    for line in table_lines(game, 0):
        text = click.unstyle(line)
        assert len(text) <= int(columns)
        if text.startswith(" " * 40):
            assert set(text.split()) <= words
