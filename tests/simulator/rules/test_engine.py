"""The engine as a whole: what must be true at every decision of every game, copies, the three builds, and the limits (E1)."""

import hashlib
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.kernel import layout
from terrors.simulator.play.box import Box, Interventions, make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import Match, play_rows
from terrors.simulator.rules.setup import UNLIMITED
from terrors.simulator.story.position import lay_table, scenario_box
from terrors.simulator.terms.enums import DRAW, CardType, End, Mark, Status
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find
from tests.support.cardsets import random_cards, random_rules
from tests.support.places import FROZEN
from tests.support.watching import all_cards, all_match_ups, all_pairs, owned_by, play_each, python, seeds

pytestmark = pytest.mark.slow

TOKEN = Mark.HAUNT_SIDE | Mark.DISMISS_SIDE
Chooser = Callable[[Game], tuple[int, int]]


def by_chance(seed: int) -> Chooser:
    """Any option, sometimes with a part of the amount; luck of its own, so that it needs no strategy."""
    luck = random.Random(seed)

    def choose(game: Game) -> tuple[int, int]:
        index = luck.randrange(game.options.n)
        amount = int(game.options.at[index].amount)
        return index, luck.choice((0, luck.randint(1, amount))) if amount > 0 and game.is_action else 0

    return choose


def by_plan(name: str, box: Box) -> Chooser:
    plan = find(name)
    work = plan.work(box)

    def choose(game: Game) -> tuple[int, int]:
        if game.options.n == 1:
            return 0, 0
        index = int(plan.compiled(game.record, box.record, game.options, work, int(game.record.asked)))
        return index, int(game.options.spend)

    return choose


def strange_box(folder: Path, seed: int) -> Box:
    """A card set and rules that nobody would print."""
    file = folder / f"cards_{seed}.csv"
    file.write_text(random_cards(seed), encoding="utf-8")
    return make_box(load_cards(file), Rules().but({"max_turns": 30, "max_actions": 60, **random_rules(random.Random(f"rules {seed}"))}))


def new_games(box: Box, number: int) -> Iterator[Game]:
    """Games of all match-ups in turn, each in both seats."""
    match_ups = [pair for a, b in all_match_ups(box) for pair in ((a, b), (b, a))]
    for i, seed in enumerate(seeds(number, run=5)):
        first, second = match_ups[i % len(match_ups)]
        yield Game(box, box.names[first], box.names[second], seed)


# At every decision


def look_at(game: Game, cards: np.ndarray | None) -> None:
    """Everything that must be true whenever somebody has to decide. Fields are read as `g["turn"]`, which is quicker than `g.turn`."""
    g, box, rules = np.asarray(game.record), np.asarray(game.box.record), game.box.rules
    assert 1 <= game.options.n <= layout.OPTIONS
    assert g["agenda_n"] <= layout.AGENDA
    assert 0 <= g["street_n"] <= rules.street_size
    assert g["turn"] <= rules.max_turns
    tokens = 0
    for seat in range(2):
        p = g["player"][seat]
        pool = p["coin"], p["power"], p["regeneration"]
        assert min(*pool, p["tokens"], p["armor"], p["claims"]) >= 0
        assert seat == g["active"] or sum(pool) == 0
        assert 0 < p["health"] <= p["start_health"]
        assert p["known"] <= p["deck"]["n"]
        play = p["play"][: p["slots"]]
        play = play[play["card"] >= 0]
        marks, in_play = play["marks"], box["card"][box["kind_of"][play["card"]]]
        relics = in_play["type"] == CardType.RELIC
        assert p["armor"] == in_play["armor"].sum()
        assert p["relics"] == relics.sum()
        assert p["relics_ready"] == (relics & (in_play["active"] > 0) & (marks & Mark.RELIC_USED == 0)).sum()
        assert p["haunts_ready"] == (marks & (Mark.BEGAN | Mark.DISMISS_SIDE | Mark.HAUNTED) == Mark.BEGAN | Mark.DISMISS_SIDE).sum()
        assert (marks & TOKEN != TOKEN).all()
        tokens += (marks & TOKEN > 0).sum()
        if cards is not None:
            assert p["owned"] == len(owned_by(p)) <= layout.OWNED
    assert g["haunt_tokens"] + tokens == (rules.haunt_tokens or UNLIMITED)
    assert g["muster_tokens"] + g["player"]["tokens"].sum() == (rules.muster_tokens or UNLIMITED)
    if cards is not None:
        assert (np.sort(all_cards(g)) == cards).all()


def watch(game: Game, choose: Chooser) -> int:
    """Play a game to its end, looking at every decision; how many there were."""
    cards, decisions = None, 0
    while not game.over:
        if cards is None and game.turn > 0:
            cards = np.sort(all_cards(np.asarray(game.record)))
            assert len(np.unique(cards)) == len(cards)
        look_at(game, cards)
        game.apply_index(*choose(game))
        decisions += 1
    if cards is not None:
        assert (np.sort(all_cards(game.record)) == cards).all()
    g = game.record
    assert game.legal_actions() == []
    assert (g.status, g.question, g.agenda_n) == (Status.OVER, 0, 0)
    if g.winner == DRAW:
        assert (g.end, g.turn) == (End.TURN_LIMIT, game.box.rules.max_turns)
    else:
        assert g.end == End.HEALTH
        assert g.player[1 - g.winner].health == 0
    return decisions


@pytest.mark.parametrize("how", ["random", "greedy"])
def test_properties_with_the_frozen_set(frozen_box, how):
    decisions = 0
    for number, game in enumerate(new_games(frozen_box, 12)):
        decisions += watch(game, by_chance(number) if how == "random" else by_plan(how, frozen_box))
        assert game.record.end == End.HEALTH
    assert decisions > 1000


@pytest.mark.parametrize("seed", range(24))
def test_properties_with_strange_sets(tmp_path, seed):
    box = strange_box(tmp_path, seed)
    choosers = [by_chance(seed), by_plan("greedy", box)]
    for number, game in enumerate(new_games(box, 2)):
        watch(game, choosers[number])


def test_a_property_that_does_not_hold_is_found(frozen_box):
    """The look is a sharp one: each of these would be an error of the engine."""

    def armor(g):
        g.player[0].armor += 1

    def health(g):
        g.player[1].health = -1

    def token(g):
        g.haunt_tokens -= 1

    def twin(g):
        g.player[1].hand.card[0] = g.player[0].hand.card[0]

    def lost(g):
        g.player[0].deck.n -= 1

    def pool(g):
        g.player[0].coin = -1

    for spoil in (armor, health, token, twin, lost, pool):
        game = next(new_games(frozen_box, 1))
        while game.turn == 0:
            game.apply_index(0)
        cards = np.sort(all_cards(np.asarray(game.record)))
        look_at(game, cards)
        spoil(game.record)
        with pytest.raises(AssertionError):
            look_at(game, cards)


# Snapshots


@pytest.mark.parametrize("how", ["random", "greedy"])
def test_a_copy_plays_on_identically(frozen_box, how):
    """A copy at any decision, in the middle of actions too; both are then given the same choices."""
    luck = random.Random(2)
    in_the_middle = 0
    for number, game in enumerate(new_games(frozen_box, 20)):
        choose = by_chance(number) if how == "random" else by_plan(how, frozen_box)
        for _ in range(luck.randrange(150)):
            if not game.over:
                game.apply_index(*choose(game))
        if game.over:
            continue
        in_the_middle += not game.is_action
        twin = game.copy()
        assert np.asarray(twin.record).tobytes() == np.asarray(game.record).tobytes()
        before = np.asarray(game.record).tobytes()
        choices = []
        while not twin.over:
            choices.append(choose(twin))
            twin.apply_index(*choices[-1])
        assert np.asarray(game.record).tobytes() == before
        for choice in choices:
            game.apply_index(*choice)
        assert np.asarray(twin.record).tobytes() == np.asarray(game.record).tobytes()
    assert in_the_middle > 1


@pytest.mark.parametrize("rubbish", [0x00, 0x01, 0xAB, 0xFF])
def test_what_was_in_the_record_before_does_not_matter(frozen_box, rubbish):
    """Only what is read before it is written is cleared between games: nothing of a game before may shine through."""
    for plan in (find("random"), find("greedy")):
        rows = all_pairs(frozen_box, 2, seed=9)
        expected = play_rows(frozen_box, rows.copy(), plan, plan)
        match = Match(frozen_box, plan, plan)
        for dirty in (match.game, match.options):
            np.asarray(dirty).reshape(1).view(np.uint8).fill(rubbish)
        assert match.play(rows) == len(rows)
        assert rows.tobytes() == expected.tobytes()


# Compiled, interpreted, checked: the same games

VARIANTS: dict[str, dict[str, Any]] = {
    "as printed": {},
    "since in play": {"first_time": "since_in_play", "hand_size": 6, "street_size": 7},
    "optional": {"optional_keywords": True, "relic_limit": 1, "haunt_tokens": 1, "curse_discard": 2},
    "few actions": {"max_actions": 7, "mirror": True, "influences": 4, "sacrifice_gain": "2 Coin"},
}
LARGE_HANDS = {"first_hand": 30, "second_hand": 30, "hand_size": 30, "cultists": 50, "fanatics": 10, "max_turns": 2}  # and Fanatics that draw: up to 79 cards


def fingerprints(how: str, large_hands: bool) -> list[str]:
    """The whole record after each of some short games, as a hash. For both processes."""
    if large_hands:
        changes = Interventions(override=("Fanatic.abilities=DRAW 9",), grant=(("Ghoul", 0),) * 16 + (("Werewolf", 1),) * 16)
        boxes = [make_box(load_cards(FROZEN), Rules(**LARGE_HANDS), changes)]
    else:
        changes = Interventions(lottery=0.2, override=("Azazael.health=15",), grant=(("Ghoul", 0), ("Werewolf", 1)))
        boxes = [make_box(load_cards(FROZEN), Rules(max_turns=10).but(rules), changes) for rules in VARIANTS.values()]
    plan, found = find(how), []
    for number, box in enumerate(boxes):
        for game in play_each(box, all_pairs(box, 1, seed=number)[1:3], plan, plan):
            found.append(hashlib.sha256(np.asarray(game).tobytes()).hexdigest())
    return found


CASES = [(how, large) for how in ("random", "greedy") for large in (False, True)]


@pytest.fixture(scope="module")
def interpreted():
    """The same games played without the compiler, in a process of their own; or how that failed."""
    code = """
import json
from tests.simulator.rules import test_engine as t
found = []
for case in t.CASES:
    try:
        found.append(t.fingerprints(*case))
    except Exception as error:
        found.append([repr(error)])
print(json.dumps(found))
"""
    done = python(code, NUMBA_DISABLE_JIT="1")
    assert done.stderr == ""
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("how", ["random", "greedy"])
def test_compiled_and_interpreted_are_the_same_bit_for_bit(interpreted, how):
    found = fingerprints(how, False)
    assert len(set(found)) == 2 * len(VARIANTS)
    assert found == interpreted[how, False]


@pytest.mark.parametrize("how", ["random", "greedy"])
def test_compiled_and_interpreted_are_the_same_with_large_hands(interpreted, how):
    assert fingerprints(how, True) == interpreted[how, True]


def test_play_rows_works_interpreted():
    code = """
from terrors import Rules, load_cards
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import play_rows
from terrors.strategies import find
from tests.support.watching import all_pairs
box, plan = make_box(load_cards(), Rules(max_turns=2)), find("random")
print(set(play_rows(box, all_pairs(box, 1, 1)[:2], plan, plan)["status"].tolist()))
"""
    assert python(code, NUMBA_DISABLE_JIT="1").stdout == "{1}\n"


STRANGE_SETS = 30


def play_checked() -> None:
    """For the build with bounds checks: many games with sets of all kinds, then a write behind the end of a pile, which must be noticed."""
    reference = make_box(load_cards())
    with tempfile.TemporaryDirectory() as folder:
        boxes = [reference, make_box(load_cards(FROZEN)), *(strange_box(Path(folder), seed) for seed in range(100, 100 + STRANGE_SETS))]
    games = decisions = 0
    for box in boxes:
        for plan in (find("random"), find("greedy")):
            rows = play_rows(box, all_pairs(box, 100 if box is reference else 3, seed=12), plan, plan)
            assert set(rows["status"]) == {Status.OVER}
            games, decisions = games + len(rows), decisions + int(rows["decisions"].sum())
    game = next(new_games(reference, 1))
    while game.turn == 0:
        game.apply_index(0)
    game.record.player[0].discard.n = layout.OWNED  # full, as the rules never let it be
    said = ""
    try:
        while game.record.active == 0:
            game.apply_index(game.options.n - 1 if game.is_action and game.record.player[0].hand.n < 2 else 0)
    except IndexError as error:
        said = str(error)
    print(json.dumps({"games": games, "decisions": decisions, "said": said}))


def test_the_build_with_bounds_checks_has_nothing_to_say(checked_build):
    found = json.loads(checked_build["compiled"].stdout)
    assert found["games"] > 1200 + 30 * 6
    assert found["decisions"] > 100_000
    assert found["said"] == "index is out of bounds"


# The limits (E1)


CHANTER = {"name": "Chanter", "type": "Monster", "faction": "Spirit", "cost": 3, "abilities": "CURSE", "triggers": "each CURSE: CURSE"}


def lay(cards, inline: list[dict], you: dict, opponent: dict | None = None, rules: dict | None = None, **table) -> Game:
    data = {"you": {"overlord": "Azazael", **you}, "opponent": {"overlord": "Fenris", **(opponent or {})}, "table": table}
    return lay_table(scenario_box(cards, inline, rules or {}), data)[0]


def test_an_endless_combination_ends_the_action_phase_and_is_marked(frozen_cards):
    """A CURSE that curses: the opponent chooses each time, until the limit of actions."""
    endless = {**CHANTER, "name": "Cultist", "cost": "", "pile": "starting", "faction": ""}
    cards = frozen_cards.with_cards([endless]).replace(["Fenris.health=999"])
    game = lay(cards, [], {"hand": ["Cultist", "Fanatic", "Fanatic"], "deck": ["Fanatic"] * 5}, {"hand": ["Fanatic"] * 3})
    all_of_them = np.sort(all_cards(game.record))
    game.apply("play Cultist")
    answers = 0
    while not game.is_action:
        assert game.asked == "second"
        game.apply("choose health" if answers % 2 or "choose discard Fanatic" not in game.legal_actions() else "choose discard Fanatic")
        answers += 1
    assert (game.record.limits, game.active, game.turn) == (1, "second", 2)
    assert (np.sort(all_cards(game.record)) == all_of_them).all()
    cursed = 400  # the play is one action, each of the 399 triggers another; the first CURSE is no trigger
    assert 999 - int(game.record.player[1].health) == 2 * (cursed - 3)
    me = game.record.player[0]
    assert (me.hand.n, me.discard.n, me.slots) == (5, 3, 0)
    game.apply("pass")
    assert game.record.limits == 1


def test_endless_combinations_are_counted_in_a_batch(frozen_cards):
    cards = frozen_cards.replace(["Cultist.abilities=CURSE", "Cultist.triggers=each CURSE: CURSE", "Fenris.health=999", "Azazael.health=999"])
    plan = find("greedy")
    for most, limit in ((50, True), (400, True)):
        box = make_box(cards, Rules(max_actions=most, max_turns=20, curse_health=0, curse_discard=0))
        rows = all_pairs(box, 2, seed=1)
        rows = play_rows(box, rows, plan, plan)
        assert (rows["limits"] > 0).all() == limit
        assert rows["actions"].max() <= most * 20
    plain = make_box(frozen_cards)
    assert play_rows(plain, all_pairs(plain, 2, seed=1), plan, plan)["limits"].sum() == 0


def test_the_limit_of_turns_is_a_draw(frozen_cards):
    box = make_box(frozen_cards, Rules(max_turns=7))
    plan = find("random")
    rows = play_rows(box, all_pairs(box, 3, seed=1), plan, plan)
    assert (set(rows["winner"]), set(rows["end"]), set(rows["turns"])) == ({DRAW}, {End.TURN_LIMIT}, {7})
    assert (rows["first_health"] > 0).all()


def test_triggers_beyond_the_agenda_end_the_action_phase_and_are_marked(frozen_cards):
    """Each cause sets off all triggers in play at once: as many as the agenda holds are resolved, one more is too many."""
    bell = {"name": "Bell", "type": "Monster", "faction": "Mortal", "cost": 1, "triggers": "; ".join(["each CURSE: 1 Coin"] * 4)}
    ringer = {"name": "Ringer", "type": "Monster", "faction": "Mortal", "cost": 1, "abilities": "CURSE"}
    for bells, too_many in ((layout.AGENDA // 4 - 1, False), (layout.AGENDA // 4 + 1, True), (30, True)):
        given = {"hand": ["Ringer", "Cultist", "Cultist"], "play": ["Bell"] * bells, "deck": ["Fanatic"] * 6}
        game = lay(frozen_cards, [bell, ringer], given, rules={"max_actions": 1000})
        cards = np.sort(all_cards(np.asarray(game.record)))
        game.apply("play Ringer")
        while not game.is_action:
            game.apply_index(0)
        look_at(game, cards)
        assert (game.record.limits, game.active) == ((1, "second") if too_many else (0, "first"))
        assert game.record.player[0].coin == (0 if too_many else 4 * bells)


def test_every_owned_card_may_leave_play_with_something_used_up(frozen_cards):
    """H4, R1: 128 relics, each used and sacrificed in one Action Phase."""
    vial = {"name": "Vial", "type": "Relic", "cost": 1, "abilities": "SACRIFICE this: 1 Coin"}
    game = lay(frozen_cards, [vial], {"relics": ["Vial"] * layout.OWNED})
    cards = np.sort(all_cards(np.asarray(game.record)))
    assert game.legal_actions()[0] == "relic Vial"
    for number in range(layout.OWNED):  # by number: the names of so many copies take long to write
        game.apply_index(0)
        assert game.question == "Vial: do you SACRIFICE it?"
        game.apply_index(0)
        if number % 16 == 0:
            look_at(game, cards)
    me = game.record.player[0]
    assert (me.coin, me.power, me.removed.n, me.relics, game.record.leavers_n) == (128, 128, 128, 0, 128)
    look_at(game, cards)
    assert game.record.limits == 0
    game.apply("pass")
    assert game.record.leavers_n == 0


def test_cards_may_come_and_go_more_often_than_there_are_slots(frozen_cards):
    """A card that destroys itself, is commanded back and played again takes a new slot each time."""
    imp = {
        "name": "Imp",
        "type": "Monster",
        "faction": "Undead",
        "cost": 1,
        "abilities": "DESTROY; COMMAND; 1 Coin",
        "left": "Beast",
        "right": "Beast",
        "horde": "1 Power",
    }
    hound = {"name": "Hound", "type": "Monster", "faction": "Beast", "cost": 1, "left": "Undead", "right": "Undead", "horde": "1 Power"}
    given = {"hand": ["Imp"], "play": ["Imp", "Hound", "Hound"], "relics": ["Silver Mirror"]}
    game = lay(frozen_cards, [imp, hound], given, rules={"max_actions": 1000})
    game.apply("horde Hound + Imp")
    game.apply("activate none")
    cards = np.sort(all_cards(np.asarray(game.record)))
    for number in range(300):
        game.apply("play Imp")
        game.apply("choose Imp #2")
        if not game.is_action:
            game.apply("choose Imp")
        if number % 10 == 0:
            look_at(game, cards)
            assert "in play: Hound + Imp, Hound #2" in repr(game)
    assert game.record.player[0].coin == 300
    assert game.record.player[0].slots <= layout.SLOTS
    assert game.record.limits == 0


def test_more_hordes_than_can_be_listed_leave_room_for_the_rest(frozen_cards):
    """120 monsters that all link to each other are 14,280 pairs: what is offered is cut, but pass and the others stay on the list."""
    link = {"name": "Link", "type": "Monster", "faction": "Undead", "cost": 1, "left": "Undead", "right": "Undead"}
    game = lay(frozen_cards, [link], {"play": ["Link"] * 120, "pool": {"coin": 3, "power": 2}}, street=["Ghoul"], acolytes=1)
    actions = Counter(action.split()[0] for action in game.legal_actions())
    assert game.options.n <= layout.OPTIONS
    assert actions["horde"] > 500
    assert {"overlord", "buy", "attack", "pass"} <= set(actions)
    look_at(game, np.sort(all_cards(game.record)))
