"""The styles: each plays a sound turn, each does what its plan says, and none is weaker than greedy."""

from typing import Any

import numpy as np
import pytest

from terrors.analysis.stats.intervals import Estimate, pair_estimate
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import play_rows
from terrors.simulator.story.position import lay_table
from terrors.simulator.terms.enums import CardType, Pile
from terrors.strategies import find
from tests.support.watching import all_pairs, owned_by, play_each

STYLES = ("aggro", "control", "economy", "horde", "loyal", "relics", "thin")


@pytest.fixture(scope="module")
def box(frozen_box):
    return frozen_box


@pytest.fixture(scope="module")
def table_box(frozen_cards):
    """For tables set by hand, which put more cards into their box."""
    return make_box(frozen_cards)


# Strength


def legs(box: Any, name: str, other: str, pairs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Who meets whom, and the games that `name` won in the first seat and in the second."""
    rows = all_pairs(box, pairs, seed=31)
    first, second = play_rows(box, rows.copy(), find(name), find(other)), play_rows(box, rows.copy(), find(other), find(name))
    return rows, first["winner"] == 0, second["winner"] == 1


def share_with(box: Any, overlord: str, rows: np.ndarray, won_first: np.ndarray, won_second: np.ndarray) -> Estimate:
    """The share of games won with one overlord. The two legs with the same luck are rows 2i and 2i + 1 with the seats exchanged."""
    kind = box.kind(overlord)
    at = np.flatnonzero(rows["first"] == kind)
    return pair_estimate(won_first[at], won_second[at ^ 1])


@pytest.mark.parametrize("name", STYLES)
def test_a_style_beats_random_clearly_with_every_overlord(box, name):
    played = legs(box, name, "random", 30)
    for overlord in box.cards.overlords:
        assert share_with(box, overlord.name, *played).low > 0.9


@pytest.mark.parametrize("name", STYLES)
def test_a_style_is_at_least_as_good_as_greedy(box, name):
    rows, first, second = legs(box, name, "greedy", 100)
    assert pair_estimate(first, second).low > 0.5
    for overlord in box.cards.overlords:
        assert share_with(box, overlord.name, rows, first, second).high > 0.5


# A sound turn


def turn(box: Any, name: str, **table: Any) -> list[str]:
    """What a style does in one turn at a table set by hand, and what it answers in the rival's place."""
    plan = find(name)
    game, you = lay_table(box, table)
    work, said = plan.work(box), []
    while not game.over and game.record.active == you:
        index = 0
        if game.options.n > 1:
            index = int(plan.compiled(game.record, box.record, game.options, work, int(game.record.asked)))
        said.append(game.legal_actions()[index])
        game.apply_index(index, int(game.options.spend))
    return said


@pytest.mark.parametrize("name", STYLES)
class TestSoundTurn:
    def test_power_that_kills_is_used_at_once(self, table_box, name):
        you = {"pool": {"power": 5, "coin": 4}, "hand": ["Cultist", "Cultist"]}
        assert turn(table_box, name, you=you, opponent={"overlord": "Fenris", "health": 5}, table={"street": ["Werewolf"]}) == ["attack"]

    def test_armor_is_counted(self, table_box, name):
        you = {"overlord": "Lilith", "pool": {"power": 5}, "hand": ["Fanatic", "Fanatic"]}
        opponent = {"overlord": "Fenris", "health": 5, "relics": ["Templar Mail"]}
        assert turn(table_box, name, you=you, opponent=opponent) == ["play Fanatic", "play Fanatic", "attack"]

    def test_a_monster_of_the_own_faction_lights_the_influence_card(self, table_box, name):
        you = {"overlord": "Methuselah", "hand": ["Danse Macabre", "Fanatic", "Skeletal"], "deck": ["Cultist"] * 6}
        said = turn(table_box, name, you=you, opponent={"overlord": "Fenris"})
        assert said.index("play Skeletal") < said.index("play Danse Macabre")

    def test_what_hears_of_monsters_played_comes_first(self, table_box, name):
        you = {"overlord": "Fenris", "hand": ["Cultist", "Ghoul", "King in the Barrow", "Werewolf"], "deck": ["Cultist"] * 9}
        assert turn(table_box, name, you=you, opponent={"overlord": "Azazael"})[0] == "play King in the Barrow"

    def test_a_monster_gains_haunt_after_the_hordes(self, table_box, name):
        hand = ["The Unquiet House", "Werewolf", "Lich of Lincoln's Inn"]
        you = {"overlord": "Azazael", "hand": hand, "play": ["Cock Lane Ghost haunted"], "deck": ["Cultist"] * 9}
        said = turn(table_box, name, you=you, opponent={"overlord": "Fenris"})
        assert next(i for i, words in enumerate(said) if words.startswith("horde")) < said.index("play The Unquiet House")

    def test_a_dear_monster_that_stays_is_kept_out_of_hordes(self, table_box, name):
        you = {"overlord": "Methuselah", "hand": ["Skeletal", "The Wild Hunt"], "deck": ["Cultist"] * 9}
        assert not any(words.startswith("horde") for words in turn(table_box, name, you=you, opponent={"overlord": "Fenris"}))

    def test_destroy_takes_the_rivals_relic(self, table_box, name):
        you = {"overlord": "Fenris", "hand": ["Menagerie Ape"], "deck": ["Cultist"] * 9}
        opponent = {"overlord": "Azazael", "relics": ["Templar Mail"]}
        assert "choose opponent Templar Mail" in turn(table_box, name, you=you, opponent=opponent, table={"street": ["Ghoul"]})

    def test_sacrifice_takes_a_starting_card(self, table_box, name):
        you = {"overlord": "Fenris", "hand": ["Ghoul"], "discard": ["Werewolf", "Fanatic", "Black Shuck"], "deck": ["Cultist"] * 9}
        assert "choose discard Fanatic" in turn(table_box, name, you=you, opponent={"overlord": "Azazael"})

    def test_nobody_dies_of_the_own_relic(self, table_box, name):
        you = {"overlord": "Fenris", "health": 1, "relics": ["Cursed Diamond"], "hand": ["Fanatic"], "deck": ["Cultist"] * 9}
        assert "relic Cursed Diamond" not in turn(table_box, name, you=you, opponent={"overlord": "Azazael"})

    def test_nobody_dies_of_a_curse_while_there_is_a_card(self, table_box, name):
        you = {"overlord": "Fenris", "hand": ["Cock Lane Ghost"], "deck": ["Cultist"] * 9}
        opponent = {"overlord": "Azazael", "health": 2, "hand": ["The Wild Hunt"]}
        assert "choose discard The Wild Hunt" in turn(table_box, name, you=you, opponent=opponent)

    def test_power_becomes_coin_where_that_buys_more(self, table_box, name):
        """Resurrection Man converts; The Wild Hunt in the Street is worth the last points of Power, on a turn that is not the last."""
        you = {"overlord": "Lilith", "hand": ["Resurrection Man", "Cultist"], "pool": {"coin": 4, "power": 2}, "deck": ["Cultist"] * 3}
        said = turn(table_box, name, you=you, opponent={"overlord": "Fenris"}, table={"street": ["The Wild Hunt"]})
        assert any(words.startswith("buy The Wild Hunt") for words in said)


# What makes a style


def test_aggro_takes_the_blow_of_a_curse_and_control_gives_up_a_card(table_box):
    you = {"overlord": "Fenris", "hand": ["Cock Lane Ghost"], "deck": ["Cultist"] * 9}
    opponent = {"overlord": "Azazael", "health": 30, "hand": ["Fanatic", "Cultist"]}
    assert "choose health" in turn(table_box, "aggro", you=you, opponent=opponent)
    assert any(words.startswith("choose discard") for words in turn(table_box, "control", you=you, opponent=opponent))


def test_loyal_keeps_an_influence_card_until_it_can_be_lit(table_box):
    you = {"overlord": "Lilith", "hand": ["Old Money"], "deck": ["Cultist"] * 9, "pool": {"coin": 1}}
    table = {"street": ["Werewolf"]}
    assert turn(table_box, "loyal", you=you, opponent={"overlord": "Fenris"}, table=table) == ["pass"]
    you["play"] = ["Mudlark"]
    assert turn(table_box, "loyal", you=you, opponent={"overlord": "Fenris"}, table=table)[0] == "play Old Money"


def test_thin_plays_starting_cards_before_what_may_sacrifice_them(table_box):
    you = {"overlord": "Azazael", "play": ["Poltergeist"], "hand": ["Mudlark", "Cultist"], "deck": ["Fanatic"] * 9}
    said = turn(table_box, "thin", you=you, opponent={"overlord": "Fenris"})
    assert said.index("play Cultist") < said.index("play Mudlark")
    assert "choose Cultist" in said


def test_horde_lets_a_monster_join_that_could_have_stayed_and_control_does_not(table_box):
    you = {"overlord": "Lilith", "play": ["Poltergeist haunting", "Relic Hunter"], "deck": ["Fanatic"] * 9}
    joined = "horde Poltergeist + Relic Hunter"
    assert joined in turn(table_box, "horde", you=you, opponent={"overlord": "Fenris"})
    assert joined not in turn(table_box, "control", you=you, opponent={"overlord": "Fenris"})


def test_horde_begins_with_the_pair_that_others_can_join(table_box):
    """Skeletal and one Poltergeist could be a horde of their own; Werewolf joins only a horde that ends with Skeletal."""
    you = {"overlord": "Lilith", "play": ["Werewolf", "Skeletal", "Poltergeist", "Relic Hunter"], "deck": ["Fanatic"] * 9}
    said = turn(table_box, "horde", you=you, opponent={"overlord": "Fenris"})
    assert len([words for words in said if words.startswith("horde")]) == 3


def test_relics_uses_its_relics_when_what_hears_of_them_is_in_play(table_box):
    you = {"overlord": "Lilith", "relics": ["Cursed Diamond"], "hand": ["Mudlark", "The Black Auction"], "deck": ["Fanatic"] * 9}
    said = turn(table_box, "relics", you=you, opponent={"overlord": "Fenris"})
    assert said.index("play The Black Auction") < said.index("relic Cursed Diamond")


def collection(box: Any, name: str) -> dict[str, float]:
    """What a style owns at the end of its games against greedy, on average."""
    totals = dict.fromkeys(("bought", "cost", "relics", "faction", "sacrificed", "deck", "hostile", "power", "links"), 0.0)
    rows = all_pairs(box, 12, seed=17)
    for game in play_each(box, rows, find(name), find("greedy")):
        p = game.player[0]
        kinds = [int(box.record.kind_of[card]) for card in owned_by(p)]
        totals["sacrificed"] += p.removed.n
        totals["deck"] += len(kinds) - p.removed.n - p.relics
        ends = [(int(box.record.card[kind].link_left), int(box.record.card[kind].link_right)) for kind in kinds]
        totals["links"] += sum(left_of == right for left_of, _ in ends for _, right in ends if right) / len(kinds)
        for kind in kinds:
            card, has = box.record.card[kind], box.record.has[kind]
            if card.pile in (Pile.MARKET, Pile.ACOLYTE):
                totals["bought"] += 1
                totals["cost"] += card.cost
                totals["relics"] += card.type == CardType.RELIC
                totals["faction"] += card.faction == p.faction
                totals["power"] += has.power
                totals["hostile"] += has.curse + has.discard + has.armor + has.destroy
    return {key: value / len(rows) for key, value in totals.items()}


@pytest.fixture(scope="module")
def collections(box):
    return {name: collection(box, name) for name in (*STYLES, "greedy")}


def test_relics_collects_more_relics_than_any_other(collections):
    assert all(collections["relics"]["relics"] > owned["relics"] for name, owned in collections.items() if name != "relics")


def test_thin_sacrifices_most_and_has_the_smallest_deck(collections):
    others = [owned for name, owned in collections.items() if name != "thin"]
    assert all(collections["thin"]["sacrificed"] > owned["sacrificed"] for owned in others)
    assert all(collections["thin"]["deck"] < owned["deck"] for owned in others)


def test_economy_buys_the_dearest_cards(collections):
    dear = {name: owned["cost"] / owned["bought"] for name, owned in collections.items()}
    assert max(dear, key=lambda name: dear[name]) == "economy"


def test_loyal_buys_most_of_its_own_faction(collections):
    own = {name: owned["faction"] / owned["bought"] for name, owned in collections.items()}
    assert max(own, key=lambda name: own[name]) == "loyal"


def test_control_buys_most_of_what_curses_destroys_and_shields(collections):
    hostile = {name: owned["hostile"] / owned["bought"] for name, owned in collections.items()}
    assert max(hostile, key=lambda name: hostile[name]) == "control"


def test_of_the_styles_aggro_buys_most_power_for_its_coin(collections):
    power = {name: collections[name]["power"] / collections[name]["cost"] for name in STYLES}
    assert max(power, key=lambda name: power[name]) == "aggro"


def test_of_the_styles_horde_owns_most_monsters_that_can_stand_side_by_side(collections):
    assert max(STYLES, key=lambda name: collections[name]["links"]) == "horde"


def test_aggro_ends_its_games_soonest(box):
    rows = {name: play_rows(box, all_pairs(box, 60, seed=18), find(name), find(name))["turns"].mean() for name in (*STYLES, "greedy")}
    assert min(rows, key=lambda name: rows[name]) == "aggro"
