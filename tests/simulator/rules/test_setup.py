"""Setup (S1 to S7) and E2, as far as a scenario cannot show it: scenarios begin at a table that is set already."""

import re
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from terrors.simulator.cards.card_set import UnknownCardError
from terrors.simulator.play.box import Interventions, PlanError, make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.names import pile_names, street_names
from terrors.simulator.story.position import lay_table, scenario_box
from terrors.simulator.terms.enums import CardType, Faction, Pile
from terrors.simulator.terms.ruleset import Rules
from tests.support.watching import Dealer, all_cards, cards_in, dealer, deck_order, market_order, owned_by, seeds

CHOSEN = ("Blood Moon", "Scent of Fear"), ("Tithe of Souls", "Long Vigil")


def dealt(cards, seed=7, first="Fenris", second="Azazael", chosen=CHOSEN, **rules) -> Game:
    game = Game(cards, first, second, seed, Rules(**rules), None, *chosen)
    assert game.turn == 1
    return game


def names(game: Game, instances) -> list[str]:
    return [game.box.names[game.box.record.kind_of[i]] for i in instances]


# S1, S2: the box


def test_the_overlords(reference_cards):
    """S1."""
    found = {card.name: (card.faction, card.health) for card in reference_cards.overlords}
    assert found == {"Methuselah": (Faction.UNDEAD, 40), "Fenris": (Faction.BEAST, 45), "Lilith": (Faction.MORTAL, 45), "Azazael": (Faction.SPIRIT, 50)}


def test_the_box_has_108_cards(reference_cards):
    """S2."""
    copies = Counter()
    for card in reference_cards:
        if card.pile is Pile.MARKET:
            copies[card.faction.name if card.type is CardType.MONSTER else "relics"] += card.copies
        else:
            copies[card.name if card.pile is Pile.STARTING else card.pile.name] += card.copies
    assert copies.pop("OVERLORD") == 4
    assert copies == {"Cultist": 10, "Fanatic": 6, "INFLUENCE": 16, "ACOLYTE": 8, "UNDEAD": 14, "BEAST": 14, "MORTAL": 14, "SPIRIT": 14, "relics": 12}
    assert copies.total() == 108


def test_all_market_cards_and_acolytes_are_on_the_table(frozen_cards):
    """S5, S6: each copy once, and nothing else."""
    game = dealt(frozen_cards)
    record = game.record
    assert Counter(names(game, market_order(record))) == {card.name: card.copies for card in frozen_cards.market}
    assert Counter(pile_names(game.box, record.acolytes)) == {card.name: card.copies for card in frozen_cards.acolytes}
    assert record.acolytes.n == 8
    assert len(market_order(record)) == 68


def test_the_reserve_of_tokens(frozen_cards):
    """S2: ten of each; 0 is no limit."""
    record = dealt(frozen_cards).record
    assert (record.haunt_tokens, record.muster_tokens) == (10, 10)
    record = dealt(frozen_cards, haunt_tokens=3, muster_tokens=0).record
    assert record.haunt_tokens == 3
    assert record.muster_tokens > 1_000_000


# S3: overlords and Influence cards


@pytest.mark.parametrize(("first", "second"), [("Fenris", "Fenris"), ("Fenris", "Whelp"), ("Whelp", "Fenris")])
def test_one_overlord_or_faction_cannot_be_taken_twice(frozen_cards, first, second):
    cards = frozen_cards.with_cards([{"name": "Whelp", "type": "Overlord", "faction": "Beast", "health": 30}])
    words = f"{first} against {second}: both players cannot have the same faction (rule S3); set the rule mirror=true to allow it."
    with pytest.raises(PlanError, match=f"^{re.escape(words)}$"):
        Game(cards, first, second)
    assert Game(cards, first, second, rules=Rules(mirror=True)).turn == 0
    assert Game(cards, first, "Lilith").turn == 0


@pytest.mark.parametrize(
    ("first", "second", "error", "words"),
    [
        ("Cultist", "Fenris", PlanError, "Cultist is no overlord; the overlords are Methuselah, Fenris, Lilith, Azazael."),
        ("Fenris", "Ghoul", PlanError, "Ghoul is no overlord; the overlords are Methuselah, Fenris, Lilith, Azazael."),
        ("Fenriz", "Azazael", UnknownCardError, "no card is named 'Fenriz'; did you mean Fenris?"),
    ],
)
def test_who_is_no_overlord_is_refused(frozen_cards, first, second, error, words):
    with pytest.raises(error, match=f"^{re.escape(words)}$"):
        Game(frozen_cards, first, second)


def test_influence_cards_are_chosen_one_by_one_the_first_player_first(frozen_cards):
    game = Game(frozen_cards, "Fenris", "Azazael", 7)
    asked = []
    while game.turn == 0:
        asked.append((game.asked, game.question, game.legal_actions()))
        game.apply(game.legal_actions()[-1])
    question = "Which Influence card do you take?"
    assert asked == [
        ("first", question, ["choose Hunting Grounds", "choose Blood Moon", "choose Call of the Pack", "choose Scent of Fear"]),
        ("first", question, ["choose Hunting Grounds", "choose Blood Moon", "choose Call of the Pack"]),
        ("second", question, ["choose Tithe of Souls", "choose Wailing Chorus", "choose The Unquiet House", "choose Long Vigil"]),
        ("second", question, ["choose Tithe of Souls", "choose Wailing Chorus", "choose The Unquiet House"]),
    ]
    first, second = (Counter(names(game, owned_by(game.record.player[seat]))) for seat in range(2))
    assert {"Scent of Fear", "Call of the Pack"} < set(first)
    assert {"Long Vigil", "The Unquiet House"} < set(second)
    assert game.active == "first"


def test_influence_cards_that_are_given_are_not_asked_for(frozen_cards):
    game = Game(frozen_cards, "Fenris", "Azazael", 7, first_influences=("Blood Moon",), second_influences=("Long Vigil", "Tithe of Souls"))
    assert game.legal_actions() == ["choose Hunting Grounds", "choose Call of the Pack", "choose Scent of Fear"]
    game.apply("choose Scent of Fear")
    assert game.turn == 1
    assert {"Blood Moon", "Scent of Fear"} < set(names(game, owned_by(game.record.player[0])))


def test_influence_cards_of_another_overlord_are_refused(frozen_cards):
    words = "Long Vigil is no Influence card of Fenris; it has Hunting Grounds, Blood Moon, Call of the Pack, Scent of Fear."
    with pytest.raises(PlanError, match=f"^{re.escape(words)}$"):
        Game(frozen_cards, "Fenris", "Azazael", first_influences=("Blood Moon", "Long Vigil"))


def test_more_influence_cards_than_the_rules_allow_are_refused(frozen_cards):
    with pytest.raises(PlanError, match=r"^3 Influence cards for Fenris: the rules give 2; name fewer or set the rule influences\.$"):
        Game(frozen_cards, "Fenris", "Azazael", first_influences=("Blood Moon", "Hunting Grounds", "Scent of Fear"))


@pytest.mark.parametrize(("influences", "questions"), [(0, 0), (1, 2), (2, 4), (3, 6), (4, 6), (16, 6)])
def test_how_many_influence_cards_is_a_rule(frozen_cards, influences, questions):
    """The last of four is no choice; more than there are cannot be taken."""
    game = Game(frozen_cards, "Fenris", "Azazael", 7, Rules(influences=influences))
    asked = 0
    while game.turn == 0:
        asked += 1
        game.apply_index(0)
    assert asked == questions
    for seat in range(2):
        kinds = [frozen_cards.by_name(name).type for name in names(game, owned_by(game.record.player[seat]))]
        assert kinds.count(CardType.INFLUENCE) == min(influences, 4)


def test_in_a_mirror_match_the_second_player_has_cards_of_their_own(frozen_cards):
    game = dealt(frozen_cards, first="Fenris", second="Fenris", chosen=(CHOSEN[0], CHOSEN[0]), mirror=True)
    first, second = (owned_by(game.record.player[seat]) for seat in range(2))
    assert sorted(names(game, first)) == sorted(names(game, second))
    assert not set(first) & set(second)
    assert len(set(all_cards(game.record))) == len(all_cards(game.record))


# S4: starting decks


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_starting_deck_is_five_cultists_three_fanatics_and_the_chosen_two(frozen_cards, seed):
    game = dealt(frozen_cards, seed)
    for seat in range(2):
        assert Counter(names(game, owned_by(game.record.player[seat]))) == {"Cultist": 5, "Fanatic": 3, **dict.fromkeys(CHOSEN[seat], 1)}
        assert game.record.player[seat].owned == 10
        assert game.record.player[seat].discard.n == game.record.player[seat].slots == 0


def test_what_is_not_used_is_not_in_the_game(frozen_cards):
    game = dealt(frozen_cards)
    found = all_cards(game.record)
    assert len(found) == len(set(found)) == 10 + 10 + 8 + 68
    influences = {name for name in names(game, found) if frozen_cards.by_name(name).type is CardType.INFLUENCE}
    assert influences == {*CHOSEN[0], *CHOSEN[1]}


def test_other_starting_cards_are_shared_out_by_halves(frozen_cards):
    """S4: of seven each player gets three, and one leaves the game."""
    cards = frozen_cards.with_cards([{"name": "Beggar", "pile": "starting", "type": "Monster", "copies": 7, "abilities": "1 Coin"}])
    game = dealt(cards)
    for seat in range(2):
        assert names(game, owned_by(game.record.player[seat])).count("Beggar") == 3
    assert names(game, all_cards(game.record)).count("Beggar") == 6


@pytest.mark.parametrize(("cultists", "fanatics"), [(0, 0), (7, 1), (12, 9)])
def test_the_starting_deck_is_a_rule(frozen_cards, cultists, fanatics):
    """Also more than the box has: the seats' cards are different ones all the same."""
    game = dealt(frozen_cards, cultists=cultists, fanatics=fanatics)
    for seat in range(2):
        found = Counter(names(game, owned_by(game.record.player[seat])))
        assert (found["Cultist"], found["Fanatic"]) == (cultists, fanatics)
    assert len(set(all_cards(game.record))) == len(all_cards(game.record))


def test_a_starting_deck_that_is_too_large_is_refused(frozen_cards):
    cards = frozen_cards.with_cards([{"name": "Beggar", "pile": "starting", "type": "Monster", "copies": 200, "abilities": "1 Coin"}])
    with pytest.raises(PlanError, match=r"cards\.csv: a starting deck of more than 64 cards; give fewer copies of the starting cards\.$"):
        make_box(cards)


# S6, S7: the Street and the hands come from the top


@pytest.mark.parametrize("street_size", [0, 1, 5, 12])
def test_the_street_is_the_top_of_the_market(frozen_cards, street_size):
    whole, table = dealer(frozen_cards, street_size=0), dealer(frozen_cards, street_size=street_size)
    for seed in seeds(20):
        from_the_top = cards_in(whole.deal(seed).market)[::-1]
        game = table.deal(seed)
        assert game.street_n == street_size
        assert list(game.street["card"][:street_size]) == list(from_the_top[:street_size])
        assert list(cards_in(game.market)[::-1]) == list(from_the_top[street_size:])


def test_the_street_has_five_cards(frozen_cards):
    game = dealt(frozen_cards)
    assert len(street_names(game.box, game.record)) == 5
    assert game.record.market.n == 63


def test_a_market_smaller_than_the_street(frozen_cards):
    removed = [card.name for card in frozen_cards.market][3:]
    small = [f"{card.name}.copies=1" for card in frozen_cards.market]
    record = Game(frozen_cards.replace(small), interventions=Interventions(remove=tuple(removed)), rules=Rules(influences=0)).record
    assert (record.street_n, record.market.n) == (3, 0)


@pytest.mark.parametrize(("rules", "sizes"), [({}, (4, 5)), ({"first_hand": 0, "second_hand": 1}, (0, 1)), ({"first_hand": 30, "second_hand": 3}, (8, 3))])
def test_opening_hands_come_from_the_top_of_the_decks(frozen_cards, rules, sizes):
    """A hand larger than the deck is the deck."""
    whole, table = dealer(frozen_cards, first_hand=0, second_hand=0), dealer(frozen_cards, **rules)
    for seed in seeds(20):
        decks = [cards_in(whole.deal(seed).player[seat].deck)[::-1] for seat in range(2)]
        game = table.deal(seed)
        for seat in range(2):
            player = game.player[seat]
            assert player.hand.n == sizes[seat]
            assert list(deck_order(player)) == list(decks[seat])


def test_later_hands_are_another_rule(frozen_cards):
    game = dealt(frozen_cards, hand_size=7, first_hand=1)
    game.apply("pass")
    assert game.record.player[0].hand.n == 7
    assert game.record.player[1].hand.n == 5


# B1: what an Acolyte costs


@pytest.mark.parametrize(("in_the_file", "rules", "cost"), [(2, {}, 2), (3, {}, 3), (3, {"acolyte_cost": 1}, 1), (2, {"acolyte_cost": 0}, 0)])
def test_the_acolytes_cost_what_the_file_says_unless_the_rules_say_otherwise(frozen_cards, in_the_file, rules, cost):
    cards = frozen_cards.replace([f"{card.name}.cost={in_the_file}" for card in frozen_cards.acolytes])
    for coin in range(4):
        game, _ = lay_table(scenario_box(cards, [], rules), {"you": {"pool": {"coin": coin}}, "table": {"acolytes": 2}})
        assert ("buy acolyte" in game.legal_actions()) == (coin >= cost)
        if coin >= cost:
            game.apply("buy acolyte")
            assert game.record.player[0].coin == coin - cost


# E2: what is too much


def test_of_a_huge_market_256_cards_are_dealt_others_each_time(frozen_cards):
    """All as likely as the others: chi-square over the cards of the box."""
    cards = frozen_cards.replace([f"{card.name}.copies=9" for card in frozen_cards.market])
    table = dealer(cards)
    in_the_box = int(table.box.record.market_n)
    assert in_the_box == 9 * len(frozen_cards.market) > 256
    first_of_all = int(table.box.record.market[:in_the_box].min())
    dealt_sets, times = set(), np.zeros(in_the_box, int)
    for seed in seeds(2000):
        order = market_order(table.deal(seed))
        assert len(set(order)) == len(order) == 256
        dealt_sets.add(tuple(sorted(order)))
        times[order - first_of_all] += 1
    assert len(dealt_sets) == 2000
    share = 256 / in_the_box
    spread = ((times - 2000 * share) ** 2).sum() / (2000 * share * (1 - share)) * (in_the_box - 1) / in_the_box
    assert 0.001 < stats.chi2.sf(spread, in_the_box - 1) < 0.999
    assert tuple(sorted(market_order(table.deal(seeds(1)[0])))) in dealt_sets


def test_a_market_of_256_is_dealt_whole(frozen_cards):
    copies = {card.name: card.copies for card in frozen_cards.market}
    more = 256 - sum(copies.values())
    cards = frozen_cards.replace([f"Ghoul.copies={copies['Ghoul'] + more}"])
    game = Dealer(make_box(cards, Rules(influences=0))).deal(3)
    assert len(set(market_order(game))) == 256


def test_a_player_owns_at_most_128_cards(frozen_cards):
    """By buying from the Street, of Acolytes, and by taking: in one Action Phase, as far as it goes."""
    cards = frozen_cards.replace(["Ghoul.copies=200", "Ghoul.cost=0", "Cultist.abilities=take a Street monster costing 9 or less"])
    only_ghouls = Interventions(remove=tuple(card.name for card in cards.market if card.name != "Ghoul"))
    game = Game(cards, "Fenris", "Azazael", 5, Rules(influences=0, acolyte_cost=0, max_actions=1000), only_ghouls)
    player = game.record.player[0]
    bought = Counter()
    while action := next((action for action in reversed(game.legal_actions()) if action.startswith("buy ")), None):
        game.apply(action)
        bought[action] += 1
    assert player.owned == len(owned_by(player)) == 128
    assert bought.total() == 120
    assert set(bought) >= {"buy Ghoul", "buy acolyte"}
    street = street_names(game.box, game.record)
    assert "Ghoul" in street
    game.apply("play Cultist")
    assert street_names(game.box, game.record) == street
    assert player.owned == 128
    assert game.record.limits == 0


def test_nothing_of_the_game_before_lies_on_the_table_while_influence_cards_are_chosen(frozen_cards):
    """A choice that could depend on the game before would make a run depend on the order of its games."""
    table = Dealer(make_box(frozen_cards))
    table.game.street_n, table.game.market.n, table.game.acolytes.n = 5, 20, 7
    game = table.deal(3)
    assert (game.turn, game.street_n, game.market.n, game.acolytes.n) == (0, 0, 0, 0)
