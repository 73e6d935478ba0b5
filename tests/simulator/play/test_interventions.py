"""Interventions: what is denied, granted, taken out or changed, that nothing else changes with it, and words for what cannot be."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from terrors.simulator.cards.card_set import UnknownCardError
from terrors.simulator.cards.csv_file import CardFileError
from terrors.simulator.play.box import Interventions, PlanError, make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import play_rows
from terrors.simulator.play.names import street_names
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find
from tests.support.watching import Dealer, all_pairs, cards_in, dealer, deck_order, market_order, owned_by, play_each, seeds

NO_CHANCE = 1e-4


def only(cards, *names: str) -> tuple[str, ...]:
    """All market cards but these, to be removed."""
    return tuple(card.name for card in cards.market if card.name not in names)


def rich(game: Game) -> Game:
    """The same table with plenty of Coin for the one whose turn it is."""
    game.record.player[game.record.active].coin = 50
    return Game.of(game.box, game.record)


def owners(box, name: str, pairs: int = 20) -> Counter:
    """Which seats have a card at the end of random games."""
    found, kind, plan = Counter(), box.kind(name), find("random")
    for game in play_each(box, all_pairs(box, pairs, seed=4), plan, plan):
        for seat in range(2):
            found[seat] += bool((box.record.kind_of[owned_by(game.player[seat])] == kind).any())
    return found


# Deny


@pytest.mark.parametrize("seat", [0, 1])
def test_what_is_denied_to_a_seat_cannot_be_bought_by_it(frozen_cards, seat):
    market = {"remove": only(frozen_cards, "Ghoul", "Werewolf", "Silver Mirror")}
    rules = Rules(influences=0, street_size=12, first_hand=0, second_hand=0)
    game = Game(frozen_cards, "Fenris", "Azazael", 3, rules, Interventions(deny=(("Ghoul", seat), ("Silver Mirror", seat)), **market))
    assert set(street_names(game.box, game.record)) == {"Ghoul", "Werewolf", "Silver Mirror"}
    for whose in range(2):
        game = rich(game)
        assert game.record.active == whose
        offered = {action.removeprefix("buy ") for action in game.legal_actions() if action.startswith("buy ")} - {"acolyte"}
        assert offered == ({"Werewolf"} if whose == seat else {"Ghoul", "Werewolf", "Silver Mirror"})
        game.apply("pass")


@pytest.mark.parametrize("ability", ["take a Street monster costing 9 or less", "buy a monster costing 9 or less with Coin"])
@pytest.mark.parametrize("seat", [0, 1])
def test_what_is_denied_cannot_be_had_by_an_ability_either(frozen_cards, ability, seat):
    cards = frozen_cards.replace([f"Cultist.abilities={ability}"])
    market = {"remove": only(frozen_cards, "Ghoul", "Werewolf", "Mudlark")}
    rules = Rules(influences=0, street_size=12, first_hand=8)
    game = rich(Game(cards, "Fenris", "Azazael", 3, rules, Interventions(deny=(("Ghoul", seat),), **market)))
    game.apply("play Cultist")
    offered = {action.removeprefix("choose ") for action in game.legal_actions()} - {"none"}
    assert offered == ({"Werewolf", "Mudlark"} if seat == 0 else {"Ghoul", "Werewolf", "Mudlark"})


def test_whole_games_with_a_card_denied(frozen_cards):
    with_it = owners(make_box(frozen_cards), "Ghoul")
    assert min(with_it[0], with_it[1]) > 20
    denied = owners(make_box(frozen_cards, None, Interventions(deny=(("Ghoul", 0),))), "Ghoul")
    assert denied[0] == 0
    assert denied[1] > 20
    both = owners(make_box(frozen_cards, None, Interventions(deny=(("Ghoul", 0), ("Ghoul", 1)))), "Ghoul")
    assert both.total() == 0


def test_the_luck_stays_when_a_card_is_denied(frozen_cards):
    plain, denied = dealer(frozen_cards), dealer(frozen_cards, Interventions(deny=(("Ghoul", 0),)))
    for seed in seeds(20):
        assert list(market_order(plain.deal(seed))) == list(market_order(denied.deal(seed)))


# Grant


@pytest.mark.parametrize("seat", [0, 1])
def test_a_granted_card_is_in_the_deck_of_its_seat_and_all_else_is_as_it_was(frozen_cards, seat):
    plain, granted = dealer(frozen_cards), dealer(frozen_cards, Interventions(grant=(("Warlock", seat), ("Warlock", seat), ("Silver Mirror", seat))))

    def named(table: Dealer, order) -> list[str]:
        return [table.box.instance_name(card) for card in order]

    positions = Counter()
    for seed in seeds(200):
        a, b = plain.deal(seed), granted.deal(seed)
        other = 1 - seat
        assert named(plain, deck_order(a.player[other])) == named(granted, deck_order(b.player[other]))
        assert named(plain, market_order(a)) == named(granted, market_order(b))
        mine, without = named(granted, deck_order(b.player[seat])), named(plain, deck_order(a.player[seat]))
        assert [card for card in mine if card in without] == without
        more = [card.split("#")[0] for card in mine if card not in without]
        assert sorted(more) == ["Silver Mirror", "Warlock", "Warlock"]
        assert b.player[seat].owned == a.player[seat].owned + 3
        positions.update(at for at, card in enumerate(mine) if card not in without)
    assert len(positions) == 11  # shuffled in, not laid on top
    assert len(set(market_order(b)) & set(owned_by(b.player[seat]))) == 0


def test_a_card_granted_to_both_is_two_cards(frozen_cards):
    box = make_box(frozen_cards, Rules(influences=0), Interventions(grant=(("Warlock", 0), ("Warlock", 1))))
    game = Dealer(box).deal(1)
    found = [card for seat in range(2) for card in owned_by(game.player[seat]) if box.names[box.record.kind_of[card]] == "Warlock"]
    assert len(set(found)) == 2
    assert box.record.key[found[0]] != box.record.key[found[1]]


def test_starting_acolyte_and_influence_cards_can_be_granted(frozen_cards):
    box = make_box(frozen_cards, Rules(influences=0), Interventions(grant=(("Cultist", 0), ("Sexton", 0), ("Long Vigil", 0))))
    found = Counter(box.names[box.record.kind_of[card]] for card in owned_by(Dealer(box).deal(1).player[0]))
    assert found == {"Cultist": 6, "Fanatic": 3, "Sexton": 1, "Long Vigil": 1}


# Remove and override


def test_what_is_removed_is_nowhere(frozen_cards):
    table = dealer(frozen_cards, Interventions(remove=("Ghoul", "silver mirror")))
    names = [table.box.names[table.box.record.kind_of[card]] for card in market_order(table.deal(1))]
    assert len(names) == 68 - 2 - 2
    assert {"Ghoul", "Silver Mirror"}.isdisjoint(names)


def test_an_override_is_in_force(frozen_cards):
    changes = Interventions(override=("Ghoul.cost=3", "Fenris.health=20", "Cultist.abilities=2 Coin"), remove=only(frozen_cards, "Ghoul"))
    game = Game(frozen_cards, "Fenris", "Azazael", 3, Rules(influences=0, first_hand=8), changes)
    assert game.record.player[0].health == 20
    game.apply("play Cultist")
    assert "buy Ghoul" not in game.legal_actions()
    assert game.record.player[0].coin == 2
    game.apply("play Cultist")
    game.apply("buy Ghoul")
    assert game.record.player[0].coin == 1
    assert frozen_cards.by_name("Ghoul").cost == 2  # the set itself is as it was


def test_an_override_can_change_who_wins(frozen_cards):
    greedy = find("greedy")
    plain, strong = make_box(frozen_cards), make_box(frozen_cards, None, Interventions(override=("Fenris.health=90",)))
    wins = []
    for box in (plain, strong):
        rows = play_rows(box, all_pairs(box, 50, seed=1), greedy, greedy)
        fenris = np.where(rows["first"] == box.kind("Fenris"), 0, np.where(rows["second"] == box.kind("Fenris"), 1, -1))
        wins.append((rows["winner"] == fenris)[fenris >= 0].mean())
    assert wins[1] > wins[0] + 0.3


# The lottery


def denials(table: Dealer, given: list[int]) -> dict[int, dict[str, int]]:
    """For each seed, the cards of a Street of twelve and the seats (bits) to whom they are denied."""
    found = {}
    for seed in given:
        street = table.deal(seed).street[:12]
        found[seed] = dict(zip((table.box.names[kind] for kind in street["kind"]), street["denied"].tolist(), strict=True))
    return found


def test_the_lottery_denies_a_card_to_one_seat_half_of_the_time_each(frozen_cards):
    found = denials(dealer(frozen_cards, Interventions(lottery=0.3), street_size=12), seeds(2000))
    by_seat = Counter(denied for street in found.values() for denied in street.values())
    assert set(by_seat) == {0, 1, 2}  # never both
    assert stats.binomtest(by_seat[1] + by_seat[2], by_seat.total(), 0.3).pvalue > NO_CHANCE
    assert stats.binomtest(by_seat[1], by_seat[1] + by_seat[2], 0.5).pvalue > NO_CHANCE
    for name in (card.name for card in frozen_cards.market):
        drawn = [street[name] for street in found.values() if name in street]
        assert stats.binomtest(sum(denied > 0 for denied in drawn), len(drawn), 0.3).pvalue > NO_CHANCE, name


def test_cards_are_denied_independently_of_each_other_and_of_the_game_before(frozen_cards):
    found = list(denials(dealer(frozen_cards, Interventions(lottery=0.5), street_size=12), list(range(3000))).values())
    both = np.zeros((2, 2))
    for street in found:
        first, second = (denied > 0 for denied in list(street.values())[:2])
        both[int(first), int(second)] += 1
    assert stats.chi2_contingency(both).pvalue > NO_CHANCE
    after = np.zeros((2, 2))
    for name in ("Ghoul", "Werewolf", "Mudlark", "Poltergeist"):
        for one, other in pairwise(found):
            if name in one and name in other:
                after[int(one[name] > 0), int(other[name] > 0)] += 1
    assert after.sum() > 500
    assert stats.chi2_contingency(after).pvalue > NO_CHANCE


def test_the_lottery_is_keyed(frozen_cards):
    """The same seed denies the same cards, whatever else is changed; both copies of a card share their fate; and the luck of the deal stays."""
    lottery = {"lottery": 0.3}
    given = seeds(60)
    table = dealer(frozen_cards, Interventions(**lottery), street_size=12)
    found = denials(table, given)
    assert found == denials(table, given)
    others = [
        dealer(frozen_cards, Interventions(remove=("Ghoul",), **lottery), street_size=12),
        dealer(frozen_cards, Interventions(override=("Werewolf.cost=9",), grant=(("Warlock", 0),), **lottery), street_size=12, curse_health=3),
        Dealer(make_box(frozen_cards, Rules(influences=0, street_size=12), Interventions(**lottery)), "Lilith", "Methuselah"),
    ]
    for other in others:
        compared = 0
        for seed, street in denials(other, given).items():
            for name in street.keys() & found[seed].keys():
                assert street[name] == found[seed][name]
                compared += 1
        assert compared > 400
    plain = dealer(frozen_cards, street_size=12)
    for seed in given:
        assert list(market_order(plain.deal(seed))) == list(market_order(table.deal(seed)))
        kinds, denied = (list(table.game.street[:12][field]) for field in ("kind", "denied"))
        assert all(len({denied[i] for i in range(12) if kinds[i] == kind}) == 1 for kind in kinds)


def test_more_is_denied_when_the_lottery_is_higher(frozen_cards):
    """What is denied at 10 % is denied at 40 % as well, to the same seat: one draw decides."""
    low, high = (denials(dealer(frozen_cards, Interventions(lottery=q), street_size=12), seeds(200)) for q in (0.1, 0.4))
    pairs = [(denied, high[seed][name]) for seed, street in low.items() for name, denied in street.items()]
    assert all(more == few for few, more in pairs if few)
    assert sum(few > 0 for few, _ in pairs) < 0.5 * sum(more > 0 for _, more in pairs)


def test_the_lottery_and_denials_by_order_add_up(frozen_cards):
    found = denials(dealer(frozen_cards, Interventions(deny=(("Ghoul", 0),), lottery=0.5), street_size=12), seeds(300))
    assert {street["Ghoul"] for street in found.values() if "Ghoul" in street} == {1, 3}


def test_no_lottery_denies_nothing(frozen_cards):
    found = denials(dealer(frozen_cards, street_size=12), seeds(50))
    assert {denied for street in found.values() for denied in street.values()} == {0}


# Words


def test_what_was_done_can_be_told():
    assert Interventions().changed() == {}
    assert Interventions(deny=(("Ghoul", 1),), lottery=0.1).changed() == {"deny": (("Ghoul", 1),), "lottery": 0.1}


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"remove": ("Cultist",)}, PlanError, "remove Cultist: it is not a market card; only market cards can be removed or denied."),
        ({"remove": ("Sexton",)}, PlanError, "remove Sexton: it is not a market card; only market cards can be removed or denied."),
        ({"grant": (("Fenris", 0),)}, PlanError, "grant Fenris: an overlord cannot be put into a deck; grant a monster, relic or Influence card."),
        ({"grant": (("Ghoul", 0),) * 17}, PlanError, "grant Ghoul: at most 16 cards can be granted to a seat."),
        ({"lottery": 1.0}, PlanError, "deny lottery 1.0: give a probability from 0 to less than 1, for instance 0.1."),
        ({"lottery": -0.1}, PlanError, "deny lottery -0.1: give a probability from 0 to less than 1, for instance 0.1."),
        ({"lottery": float("nan")}, PlanError, "deny lottery nan: give a probability from 0 to less than 1, for instance 0.1."),
        ({"remove": ("Ghul",)}, UnknownCardError, "no card is named 'Ghul'; did you mean Ghoul?"),
        ({"deny": (("Ghul", 0),)}, UnknownCardError, "no card is named 'Ghul'; did you mean Ghoul?"),
        ({"grant": (("Ghul", 0),)}, UnknownCardError, "no card is named 'Ghul'; did you mean Ghoul?"),
        ({"override": ("Ghul.cost=3",)}, CardFileError, "'Ghul.cost=3': no card is named 'Ghul'; did you mean Ghoul?"),
        ({"override": ("Ghoul.price=3",)}, CardFileError, "'Ghoul.price=3': 'price' is not a column"),
        ({"override": ("Ghoul.cost=cheap",)}, CardFileError, "Ghoul, cost: "),
        ({"override": ("Ghoul",)}, CardFileError, "'Ghoul': an override is written as Card.column=value"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(frozen_cards, given, error, words):
    with pytest.raises(error) as caught:
        make_box(frozen_cards, None, Interventions(**given))
    said = str(caught.value)
    assert said == words or (words.endswith(": ") and said.startswith(words)) or re.match(re.escape(words) + "[;,]", said)


@pytest.mark.parametrize("what", ["deny", "grant"])
@pytest.mark.parametrize("seat", [2, -1])
def test_a_seat_that_is_not_there_is_refused_in_words(frozen_cards, what, seat):
    with pytest.raises(PlanError, match=rf"^Ghoul, seat {seat}: the seats are 0, who goes first, and 1\.$"):
        make_box(frozen_cards, None, Interventions(**{what: (("Ghoul", seat),)}))


@pytest.mark.parametrize("name", ["Sexton", "Cultist", "Fenris"])
def test_only_market_cards_can_be_denied(frozen_cards, name):
    with pytest.raises(PlanError, match=rf"^deny {name}: it is not a market card; only market cards can be removed or denied\.$"):
        make_box(frozen_cards, None, Interventions(deny=((name, 0),)))


def test_sixteen_cards_can_be_granted(frozen_cards):
    table = dealer(frozen_cards, Interventions(grant=(("Ghoul", 0),) * 16))
    player = table.deal(1).player[0]
    assert len(set(owned_by(player))) == 8 + 16
    assert len(cards_in(player.deck)) == 20
