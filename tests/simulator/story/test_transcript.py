"""The driver and the story that it tells."""

import json
from pathlib import Path

import numpy as np
import pytest

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.records import records
from terrors.simulator.play.box import make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import play_rows
from terrors.simulator.play.notation import without_comment
from terrors.simulator.story.position import lay_table
from terrors.simulator.story.scenario import ScriptLine as ScenarioStep
from terrors.simulator.story.story_text import Teller
from terrors.simulator.story.transcript import BadAnswerError, Driver, Story, play_and_tell, strategy_chooser, take_step
from terrors.simulator.terms.enums import Action
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import all_names, find

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"
GOLDEN = DATA / "transcript.txt"
# A player who needs no strategy of the toolkit, so that tuning one does not change these tests: the first of what is most pressing.
PRESSING = [
    Action.HAUNT, Action.PLAY, Action.HORDE_LEFT, Action.HORDE_RIGHT, Action.HORDE, Action.RELIC, Action.OVERLORD, Action.BUY, Action.BUY_ACOLYTE, Action.HEAL,
    Action.ATTACK, Action.PASS, Action.CONVERT,
]  # fmt: skip


def steady(game: Game) -> tuple[int, int]:
    options = [game.options.at[i] for i in range(game.options.n)]
    if not game.is_action:
        return game.turn % len(options), 0
    return min(range(len(options)), key=lambda i: (PRESSING.index(options[i].action), -options[i].amount)), 0


@pytest.fixture(scope="module")
def cards():
    return load_cards(DATA / "cards.csv")


def story_of(cards, first="Fenris", second="Azazael", seed=7, rules=None, choosers=(steady, steady)) -> Story:
    return play_and_tell(Game(cards, first, second, seed, rules), choosers)


def golden_text() -> str:
    story = story_of(load_cards(DATA / "cards.csv"), "Methuselah", "Lilith", 7)
    return "\n".join(Teller(story.names).story(story, from_turn=27)) + "\n"


def test_the_golden_transcript_is_told_as_before():
    """After a wanted change: `python -m tests.simulator.story.test_transcript` writes it anew; read the difference."""
    assert golden_text() == GOLDEN.read_text(encoding="utf-8")
    assert len(GOLDEN.read_text(encoding="utf-8").splitlines()) < 150


@pytest.mark.parametrize("name", all_names())
def test_a_game_that_is_watched_ends_as_in_a_batch(cards, name):
    plan, box = find(name), make_box(cards)
    pairs = [("Fenris", "Azazael"), ("Lilith", "Methuselah"), ("Azazael", "Lilith")]
    results = np.zeros(1 if plan.slow else 2 * len(pairs), layout.RESULT)
    for i, row in enumerate(records(results)):
        row.seed, row.first, row.second = 100 + i, *(box.kind(overlord) for overlord in pairs[i % 3])
    play_rows(box, results, plan, plan)
    for i, row in enumerate(results):
        choosers = [strategy_chooser(plan.compiled, plan.work(box)) for _ in range(2)]
        game, driver = Game(box, *pairs[i % 3], 100 + i), Driver(choosers)
        while not game.over:
            game.apply_index(*driver.answer(game))
        found = (game.winner, game.turn, game.record.player[0].health, game.record.player[1].health)
        assert found == (("first", "second", "draw")[row["winner"]], row["turns"], row["first_health"], row["second_health"])


def test_a_strategy_is_not_asked_when_there_is_one_option_and_what_it_spends_is_honoured(cards):
    game = Game(cards, "Fenris", "Azazael", 3)
    seen = []

    def choose(record, box, options, work, seat):
        assert options.n > 1
        index = steady(game)[0]
        options.spend = 1
        seen.append(seat)
        return index

    driver = Driver([strategy_chooser(choose, None)] * 2)
    texts = []
    while not game.over and game.turn < 3:
        texts.append(take_step(game, *driver.answer(game)).text)
    assert set(seen) == {0, 1}
    assert "attack 1" in texts
    assert "attack 2" not in texts


def test_what_a_strategy_names_to_be_played_next_becomes_steps_of_their_own(cards):
    game, _ = lay_table(make_box(cards), {"you": {"overlord": "Fenris", "hand": ["Cultist", "Fanatic", "Cultist", "Ghoul"]}, "table": {"street": ["Ghoul"]}})

    def choose(record, box, options, work, seat):
        for i, name in enumerate(("Cultist", "Fanatic")):
            options.then[i] = (Action.PLAY, game.box.kind(name), 0, 0, 0, 0)
        options.then_n = 2
        return next(i for i in range(options.n) if options.at[i].card == game.box.kind("Cultist"))

    driver = Driver([strategy_chooser(choose, None)] * 2)
    assert [take_step(game, *driver.answer(game)).text for _ in range(3)] == ["play Cultist", "play Cultist", "play Fanatic"]


def test_a_bad_answer_is_named(cards):
    with pytest.raises(BadAnswerError, match=r"Fenris \(first\) chose option 99 of 4"):
        story_of(cards, choosers=[lambda game: (99, 0)] * 2)


@pytest.mark.parametrize("seed", range(6))
def test_the_steps_are_the_game_in_the_notation(cards, seed):
    """Each line of a transcript, its comment left out, does the same again: it can be pasted into a scenario."""
    plan = find("random")
    box = make_box(cards)
    story = story_of(box, "Methuselah", "Lilith", seed, choosers=[strategy_chooser(plan.compiled, plan.work(box))] * 2)
    game = Game(box, "Methuselah", "Lilith", seed)
    for step in story.setup:
        game.apply(step.text)
    teller = Teller(story.names)
    for turn in story.turns:
        assert (game.turn, game.record.active) == (turn.number, turn.seat)
        for step in turn.steps:
            lines = [line for line in map(without_comment, teller.lines(step)) if line]
            assert lines == [("opponent: " if step.seat != step.active else "") + step.text]
            ScenarioStep(game, turn.seat, lines[0]).run()
    assert game.over
    assert game.result == story.result


@pytest.mark.parametrize("seed", range(6))
def test_the_changes_add_up(cards, seed):
    """What is told is what happened: pools and Health follow from the changes alone."""
    plan, box = find("random"), make_box(cards)
    story = story_of(box, "Azazael", "Fenris", seed, choosers=[strategy_chooser(plan.compiled, plan.work(box))] * 2)
    health = [side.start_health for side in story.turns[0].table.sides]
    for turn in story.turns:
        assert [side.health for side in turn.table.sides] == health
        pool = {"Coin": 0, "Power": 0, "Regeneration": 0}
        hand = len(turn.table.sides[turn.seat].hand)
        for step in turn.steps:
            for change in step.changes:
                if change.what == "resource":
                    pool[change.source] += change.amount
                elif change.what == "health":
                    health[change.seat] += change.amount
                    assert change.after == health[change.seat]
                elif change.seat == turn.seat and change.what in ("draw", "move"):
                    hand += len(change.cards) * ((change.target == "hand") - (change.source == "hand"))
            if step.text != "pass":
                assert tuple(pool.values()) == step.pool
        if turn.steps[-1].text == "pass":
            assert hand == sum(change.what == "keep" for change in turn.steps[-1].changes)
    assert [side.health for side in story.table.sides] == health


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_player_is_not_told_what_the_rival_holds(cards, viewer):
    """G7: the same words, with the rival's hand, draws and looked-at cards hidden."""
    story = story_of(cards, "Lilith", "Azazael", 5)
    teller, all_seeing = Teller(story.names, viewer), Teller(story.names)
    hidden = 0
    for turn in story.turns:
        lines = list(teller.turn(turn))
        if turn.seat == viewer:
            assert lines[1:] == list(all_seeing.turn(turn))[1:]
            assert ", you)" in lines[0]
            continue
        assert lines[1] == f"  hand: {len(turn.table.sides[turn.seat].hand)} cards"
        for step in turn.steps:
            for change in step.changes:
                if change.what in ("draw", "look", "keep") and change.seat == turn.seat:
                    hidden += 1
                    assert teller.words(change, step).endswith((" a card", " cards"))
    assert hidden


def told(cards, script: str, you: dict, **table) -> str:
    """The last step of a small scripted game, as it is told."""
    game, _ = lay_table(make_box(cards), {"you": {"overlord": "Azazael", **you}, "opponent": {"overlord": "Fenris", **table.pop("rival", {})}, "table": table})
    teller = Teller((you.get("overlord", "Azazael"), "Fenris"))
    steps = [list(teller.lines(take_step(game, game.legal_actions().index(line)))) for line in script.split("; ")]
    return "\n".join(map(str.strip, steps[-1]))


TOLD = [
    ("play Cultist → +1 Coin [3 Coin]", "play Cultist", {"hand": ["Cultist"], "pool": {"coin": 2}}, {}),
    ("buy Ghoul → Street: Mudlark [1 Coin]", "buy Ghoul", {"pool": {"coin": 3}}, {"street": ["Ghoul"], "market": ["Mudlark"]}),
    ("buy Churchyard Grim to deck → [empty]", "buy Churchyard Grim to deck", {"pool": {"coin": 3}}, {"street": ["Churchyard Grim"]}),
    ("buy acolyte → gets Sexton [empty]", "buy acolyte", {"pool": {"coin": 2}}, {"acolytes": ["Sexton"]}),
    ("attack 3 → Armor stops 2, Fenris 45 → 44 [empty]", "attack", {"pool": {"power": 3}}, {"rival": {"relics": ["Templar Mail"]}}),
    ("heal 2 → Azazael 48 → 50 [1 Regeneration]", "heal", {"health": 48, "pool": {"regeneration": 3}}, {}),
    (
        "horde Skeletal + Poltergeist → the token of Poltergeist turns to Dismiss",
        "horde Skeletal + Poltergeist",
        {"play": ["Skeletal", "Poltergeist haunting"]},
        {},
    ),
    (
        "horde Werewolf + Skeletal… → horde of 3: Werewolf + Skeletal + Poltergeist",
        "horde Skeletal + Poltergeist; activate none; horde Werewolf + Skeletal…",
        {"play": ["Skeletal", "Poltergeist", "Werewolf"]},
        {},
    ),
    (
        "play Thames Drowner → +1 Power, draws Cultist, Fanatic [1 Power]",
        "play Thames Drowner",
        {"hand": ["Thames Drowner"], "deck": ["Cultist", "Fanatic"]},
        {},
    ),
    ("choose Fanatic → discarded", "play Thames Drowner; choose Fanatic", {"hand": ["Thames Drowner"], "deck": ["Cultist", "Fanatic"]}, {}),
    ("play Crystal Ball", "play Crystal Ball", {"hand": ["Crystal Ball"]}, {}),
    ("relic Crystal Ball → reveals Cultist, takes Cultist", "relic Crystal Ball", {"relics": ["Crystal Ball"], "deck": ["Cultist"]}, {}),
    ("relic Crystal Ball → nothing happens", "relic Crystal Ball", {"relics": ["Crystal Ball"]}, {}),
    ("play Mudlark → +1 Coin, looks at Ghoul, Cultist [1 Coin]", "play Mudlark", {"hand": ["Mudlark"], "deck": ["Ghoul", "Cultist"]}, {}),
    ("opponent: choose health → Fenris 45 → 43", "play Cock Lane Ghost; choose health", {"hand": ["Cock Lane Ghost"]}, {"rival": {"hand": ["Cultist"]}}),
    ("opponent: choose discard Cultist", "play Cock Lane Ghost; choose discard Cultist", {"hand": ["Cock Lane Ghost"]}, {"rival": {"hand": ["Cultist"]}}),
    ("play Cock Lane Ghost → +2 Power, Fenris 45 → 43 [2 Power]", "play Cock Lane Ghost", {"hand": ["Cock Lane Ghost"]}, {}),
    (
        "choose opponent Ghoul → to the discard pile",
        "play Menagerie Ape; choose opponent Ghoul",
        {"hand": ["Menagerie Ape"]},
        {"rival": {"play": ["Ghoul haunting"]}},
    ),
    (
        "choose Street Ghoul → leaves the game, Street: Mudlark",
        "play Menagerie Ape; choose Street Ghoul",
        {"hand": ["Menagerie Ape"]},
        {"street": ["Ghoul"], "market": ["Mudlark"]},
    ),
    (
        "choose discard Cultist → leaves the game, +1 Power [2 Power]",
        "play Ghoul; choose discard Cultist",
        {"hand": ["Ghoul"], "discard": ["Cultist", "Fanatic"]},
        {},
    ),
    (
        "choose Cultist → to hand",
        "play Hanged Man of Tyburn; choose Cultist",
        {"hand": ["Hanged Man of Tyburn"], "discard": ["Cultist", "Fanatic"]},
        {},
    ),
    (
        "choose Cultist → discarded, shuffles the discard pile, draws Cultist",
        "overlord; choose Cultist",
        {"overlord": "Methuselah", "hand": ["Cultist"], "discard": ["Cultist"]},
        {},
    ),
    (
        "choose Cultist → discarded, shuffles the discard pile, draws Cultist",
        "overlord; choose Cultist",
        {"overlord": "Methuselah", "hand": ["Cultist"]},
        {},
    ),
    ("choose yes → −2 Coin, Fenris 45 → 43 [empty]", "overlord; choose yes", {"pool": {"coin": 2}}, {}),
    ("play Call of the Pack → +1 Power, +1 MUSTER [1 Power]", "play Call of the Pack", {"hand": ["Call of the Pack"]}, {}),
    ("overlord → the next monster bought gains CLAIM", "overlord", {"overlord": "Lilith"}, {}),
    (
        "play Tithe of Souls → +2 Coin, +2 Regeneration, faction in play [2 Coin, 2 Regeneration]",
        "play Tithe of Souls",
        {"hand": ["Tithe of Souls"], "play": ["Banshee"]},
        {},
    ),
    ("pass → keeps Cultist, Ghoul stays in play, new hand of 2", "pass", {"hand": ["Cultist"], "deck": ["Fanatic"], "play": ["Ghoul haunting"]}, {}),
    ("pass → Azazael 40 → 41, shuffles the discard pile, new hand of 1", "pass", {"health": 40, "pool": {"regeneration": 1}, "play": ["Cultist"]}, {}),
]


# What comes of a step stands in the order in which it happens.
ORDERED = [
    (
        "choose yes → Doctor's Black Bag leaves the game, +1 Power, +3 Regeneration, draws Cultist [1 Power, 3 Regeneration]",
        "relic Doctor's Black Bag; choose yes",
        {"relics": ["Doctor's Black Bag"], "deck": ["Cultist"]},
        {},
    ),
    ("choose yes → Azazael 50 → 49, takes back Cultist", "relic Hand of Glory; choose yes", {"relics": ["Hand of Glory"], "discard": ["Cultist"]}, {}),
    (
        "buy Ghoul → Street: Mudlark, +1 Power [3 Power]",
        "play Hired Knives; buy Ghoul",
        {"overlord": "Lilith", "hand": ["Hired Knives"], "play": ["Mudlark"], "pool": {"coin": 2}},
        {"street": ["Ghoul"], "market": ["Mudlark"]},
    ),
    (
        "play Open Graves → +1 Coin, Cultist leaves the game, +2 Power, faction in play [1 Coin, 2 Power]",
        "play Open Graves",
        {"overlord": "Methuselah", "hand": ["Open Graves"], "play": ["Skeletal"], "discard": ["Cultist"]},
        {},
    ),
    (
        "choose 2 Power → +2 Power, +2 Coin [2 Coin, 2 Power]",
        "play Hunting Grounds; choose 2 Power",
        {"overlord": "Fenris", "hand": ["Hunting Grounds"], "play": ["Werewolf"]},
        {"rival": {"overlord": "Azazael"}},
    ),
    (
        "choose Street Ghoul → leaves the game, Street: Mudlark, draws Cultist",
        "play Scent of Fear; choose Street Ghoul",
        {"overlord": "Fenris", "hand": ["Scent of Fear"], "play": ["Werewolf"], "deck": ["Cultist"]},
        {"rival": {"overlord": "Azazael"}, "street": ["Ghoul"], "market": ["Mudlark"]},
    ),
    (
        "play Collector of Curiosities → +3 Coin, +1 MUSTER, +1 Coin, shuffles the discard pile, reveals Cultist, Silver Mirror, takes Silver Mirror [4 Coin]",
        "play Collector of Curiosities",
        {"hand": ["Collector of Curiosities"], "relics": ["Hand of Glory"], "deck": ["Cultist"], "discard": ["Silver Mirror"]},
        {},
    ),
    ("play Crystal Ball", "play Crystal Ball", {"hand": ["Crystal Ball"], "deck": ["Cultist"]}, {}),
]
# What the active player's card does after the rival's answer is not the rival's doing.
WHOSE_LINE = [
    (
        "opponent: choose discard Cultist\n→ Azazael 50 → 49",
        "relic Cursed Diamond; choose discard Cultist",
        {"relics": ["Cursed Diamond"]},
        {"rival": {"hand": ["Cultist"]}},
    ),
    (
        "opponent: choose health → Fenris 45 → 43\n→ Azazael 50 → 49",
        "relic Cursed Diamond; choose health",
        {"relics": ["Cursed Diamond"]},
        {"rival": {"hand": ["Cultist"]}},
    ),
    ("relic Cursed Diamond → +1 Power, Fenris 45 → 43, Azazael 50 → 49 [1 Power]", "relic Cursed Diamond", {"relics": ["Cursed Diamond"]}, {}),
    (
        "opponent: choose discard Cultist → Fenris 45 → 43\n→ may convert Regeneration to Power",
        "play Bloody Mary; choose discard Cultist",
        {"hand": ["Bloody Mary"], "play": ["Mudlark"]},
        {"rival": {"hand": ["Cultist"]}},
    ),
    (
        "opponent: choose discard Cultist\n→ Azazael 40 → 42",
        "play Banshee; choose discard Cultist",
        {"health": 40, "hand": ["Banshee"]},
        {"rival": {"hand": ["Cultist"]}},
    ),
]
TOLD += ORDERED + WHOSE_LINE


@pytest.mark.parametrize("name", ["random", "tuned"])
def test_a_game_that_is_watched_closely_is_the_same_game(cards, name):
    """Taken in small steps, an option leads to the very record that it leads to at once."""
    plan, box = find(name), make_box(cards)
    game = Game(box, "Lilith", "Fenris", 5)
    driver = Driver([strategy_chooser(plan.compiled, plan.work(box)) for _ in range(2)])
    seen = 0
    while not game.over:
        index, spend = driver.answer(game)
        twin, things = game.copy(), []
        game.apply_index(index, spend, watch=lambda: things.append(game.turn))  # noqa: B023 - called at once
        twin.apply_index(index, spend)
        twin.record.news = game.record.news  # it is part of a plan, of which a copy knows nothing
        assert game.record.tobytes() == twin.record.tobytes()
        assert game.legal_actions() == twin.legal_actions()
        seen += len(things)
    assert seen > 500


@pytest.mark.parametrize(("expected", "script", "you", "table"), TOLD, ids=[case[0] for case in TOLD])
def test_how_things_are_told(cards, expected, script, you, table):
    assert told(cards, script, you, **table) == expected


def test_an_action_phase_that_is_cut_off_is_told(cards):
    story = story_of(cards, rules=Rules(max_actions=2, max_turns=6))
    text = "\n".join(Teller(story.names).story(story))
    assert "the Action Phase is cut off, at the limit of actions, " in text
    assert text.endswith("A draw by the turn limit · Health Fenris 45, Azazael 50")


def test_a_mirror_match_tells_the_players_apart(cards):
    story = story_of(cards, "Lilith", "Lilith", rules=Rules(mirror=True))
    assert story.names == ("Lilith the first", "Lilith the second")


def test_the_story_from_a_turn_on(cards):
    story = story_of(cards)
    lines = list(Teller(story.names).story(story, 4))
    assert lines[0] == "Fenris (first) against Azazael (second) · seed 7"
    assert lines[2].startswith("Turn 4 · Azazael (second) · Health ")


def test_the_story_as_data_is_json_and_leaves_nothing_out(cards):
    story = story_of(cards)
    data = json.loads(json.dumps(story.as_data()))
    assert [turn["seat"] for turn in data["turns"][:3]] == ["first", "second", "first"]
    assert data["turns"][0]["table"]["sides"][0]["hand"]
    assert {change["seat"] for turn in data["turns"] for step in turn["steps"] for change in step["changes"]} == {"first", "second", "table"}
    assert sum(len(turn["steps"]) for turn in data["turns"]) == sum(len(turn.steps) for turn in story.turns)


if __name__ == "__main__":
    GOLDEN.write_text(golden_text(), encoding="utf-8")
