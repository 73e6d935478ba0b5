"""Luck: shuffles are fair, streams know nothing of each other, and one card more or less leaves the others where they were.

All of it is measured on the tables that the engine deals. Everything is seeded: a test that passes passes always.
"""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.seeds import game_seeds, mixed, streams
from terrors.simulator.play.box import Interventions, make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import pairs_of_games, play_rows
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find
from tests.naive import luck
from tests.support.watching import Dealer, all_match_ups, all_pairs, cards_in, dealer, deck_order, market_order, owned_by, play_each, seeds

GAMES = 3000
NOT_BY_CHANCE = 1e-4  # a fair shuffle would fail so rarely; one that is too even is not fair either


def fair(table: np.ndarray) -> float:
    """How likely a table of counts is, if it is the sum of permutations (cards × places, or places × places) that were all as likely.

    Pearson's sum over the cells; each row and column is fixed, so that it is (n - 1)² degrees of freedom, and a cell varies by 1/n (1 - 1/n).
    """
    n = len(table)
    expected = table.sum() / n**2
    return float(stats.chi2.sf(((table - expected) ** 2 / expected).sum() * (n - 1) / n, (n - 1) ** 2))


def places(order: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """At which place of the order each of the cards lies."""
    at = {int(card): place for place, card in enumerate(order)}
    return np.array([at[int(card)] for card in cards])


def added_up(pairs: Iterator[tuple[np.ndarray, np.ndarray]], n: int) -> np.ndarray:
    """The table of two numbers that each card has."""
    table = np.zeros((n, n))
    for a, b in pairs:
        np.add.at(table, (a, b), 1)
    return table


def test_the_measure_finds_what_is_not_fair():
    """A deck whose top card is left where it was one time in ten; and a permutation that repeats itself."""
    luck = np.random.default_rng(1)
    fine, lazy, lame = np.zeros((10, 10)), np.zeros((10, 10)), np.zeros((10, 10))
    for number in range(GAMES):
        order = luck.permutation(10)
        fine[np.arange(10), order] += 1
        lame[np.arange(10), np.roll(np.arange(10), number)] += 1
        if number % 10 == 0:
            order = np.concatenate([[0], 1 + luck.permutation(9)])
        lazy[np.arange(10), order] += 1
    assert NOT_BY_CHANCE < fair(fine) < 1 - NOT_BY_CHANCE
    assert fair(lazy) < NOT_BY_CHANCE
    assert fair(lame) > 1 - NOT_BY_CHANCE


# Shuffles are fair


ORDERS: dict[str, Callable] = {
    "deck of the first": lambda game: deck_order(game.player[0]),
    "deck of the second": lambda game: deck_order(game.player[1]),
    "market": market_order,
    "acolytes": lambda game: cards_in(game.acolytes),
}


@pytest.mark.parametrize("what", ORDERS)
@pytest.mark.parametrize("numbered", ["as in a run", "one after the other"])
def test_every_card_is_as_often_at_every_place(frozen_cards, what, numbered):
    table = dealer(frozen_cards)
    cards = np.sort(ORDERS[what](table.deal(0)))
    given = seeds(GAMES) if numbered == "as in a run" else range(GAMES)
    found = added_up(((np.arange(len(cards)), places(ORDERS[what](table.deal(seed)), cards)) for seed in given), len(cards))
    assert NOT_BY_CHANCE < fair(found) < 1 - NOT_BY_CHANCE


def test_every_order_of_four_cards_is_as_likely(frozen_cards):
    table = dealer(frozen_cards, cultists=3, fanatics=1)
    found: dict[tuple, int] = {}
    for seed in seeds(24 * 200):
        order = tuple(deck_order(table.deal(seed).player[0]))
        found[order] = found.get(order, 0) + 1
    assert len(found) == 24
    assert NOT_BY_CHANCE < stats.chisquare(list(found.values())).pvalue < 1 - NOT_BY_CHANCE


# Streams know nothing of each other


class SameCards(Dealer):
    """Deals the same twenty cards as Market, as Acolytes and to both seats: what differs is the luck alone."""

    def __init__(self, cards):
        rules = Rules(influences=0, first_hand=0, second_hand=0, street_size=0, hand_size=30)
        super().__init__(make_box(cards, rules))
        box = self.box.record
        self.cards = box.market[:20].copy()
        box.market_n = box.acolytes_n = 20
        box.acolyte[:20] = self.cards
        for seat in range(2):
            box.starters_n[seat] = 20
            box.starter[seat][:20] = self.cards

    def orders(self, seed: int) -> dict[str, np.ndarray]:
        """The place of each card in each of the orders that one game has for them."""
        game = self.deal(seed)
        found = {"market": cards_in(game.market), "acolytes": cards_in(game.acolytes)}
        found |= {f"deck {seat}": cards_in(game.player[seat].deck) for seat in range(2)}
        for number in (1, 2, 3):  # X4: the first player discards all and draws all
            player = game.player[0]
            player.discard.card[:20], player.discard.n, player.deck.n, player.hand.n = self.cards, 20, 0, 0
            game.active, player.shuffles, game.turn = 0, number, 1
            self.pass_turn()
            found[f"shuffle {number}"] = cards_in(player.hand)
        return {name: places(order, self.cards) for name, order in found.items()}

    def pass_turn(self) -> None:
        game = Game.of(self.box, self.game)
        game.apply("pass")


@pytest.fixture(scope="module")
def orders(frozen_cards):
    """Orders by name: a row a game, seeds one after the other."""
    table = SameCards(frozen_cards)
    found = [table.orders(seed) for seed in range(1000)]
    return {name: np.array([order[name] for order in found]) for name in found[0]}


STREAMS = ["market", "acolytes", "deck 0", "deck 1", "shuffle 1", "shuffle 2", "shuffle 3"]


def test_all_streams_are_there_and_each_is_fair(orders):
    assert list(orders) == STREAMS
    for name in STREAMS:
        found = added_up(((np.arange(20), order) for order in orders[name]), 20)
        assert NOT_BY_CHANCE < fair(found) < 1 - NOT_BY_CHANCE, name


@pytest.mark.parametrize(("one", "other"), list(combinations(STREAMS, 2)))
def test_purposes_seats_and_numbers_of_shuffles_are_independent(orders, one, other):
    """The place of a card in one order says nothing about its place in another of the same game."""
    found = added_up(zip(orders[one], orders[other], strict=True), 20)
    assert NOT_BY_CHANCE < fair(found) < 1 - NOT_BY_CHANCE


@pytest.mark.parametrize("apart", [1, 2, 256])
@pytest.mark.parametrize("name", ["market", "deck 0", "shuffle 1"])
def test_neighbouring_seeds_are_independent(orders, name, apart):
    found = added_up(zip(orders[name][:-apart], orders[name][apart:], strict=True), 20)
    assert NOT_BY_CHANCE < fair(found) < 1 - NOT_BY_CHANCE


def test_copies_of_a_card_are_independent(frozen_cards):
    """Two Cultists that differ only by their number do not stick together: they lie side by side as often as any two of eight cards."""
    table = dealer(frozen_cards)
    cards = np.sort(deck_order(table.deal(0).player[0]))
    apart = [places(deck_order(table.deal(seed).player[0]), cards) for seed in seeds(GAMES)]
    for a, b in [(0, 1), (1, 2), (3, 4)]:
        neighbours = sum(abs(order[a] - order[b]) == 1 for order in apart)
        assert stats.binomtest(int(neighbours), GAMES, 7 / 28).pvalue > NOT_BY_CHANCE


# Seeds


def test_the_seeds_of_a_run_are_distinct_and_far_apart():
    found = game_seeds(7, np.arange(200_000))
    assert len(np.unique(found)) == 200_000
    assert not np.intersect1d(found, game_seeds(8, np.arange(200_000))).size
    bits = np.unpackbits(np.bitwise_xor(found[1:], found[:-1]).view(np.uint8)).mean()
    assert abs(bits - 0.5) < 5 * 0.5 / np.sqrt(64 * 200_000)


def test_columns_of_luck_are_those_of_the_naive_implementation():
    numbers = np.array([0, 1, 7, 2**63 + 5], np.uint64)
    whole = [int(n) for n in numbers]
    assert mixed(numbers).tolist() == [luck.mix(n) for n in whole]
    assert streams(numbers, 2, 1, 9).tolist() == [luck.stream(n, 2, 1, 9) for n in whole]
    assert streams(numbers, 3).tolist() == [luck.stream(n, 3, 0, 0) for n in whole]
    assert game_seeds(7, np.arange(3)).tolist() == [luck.mix(luck.key("run 7", 0) + luck.GOLDEN * (n + 1)) for n in range(3)]


def test_a_game_has_its_seed_whatever_else_is_played():
    assert list(game_seeds(7, np.arange(5, 9))) == list(game_seeds(7, np.arange(100))[5:9])
    assert game_seeds(7, np.arange(3))[0] != game_seeds(8, np.arange(3))[0]


def test_a_game_is_the_same_whatever_was_played_before_it(frozen_box):
    rows, greedy = all_pairs(frozen_box, 5, seed=3), find("greedy")
    together = play_rows(frozen_box, rows.copy(), greedy, greedy)
    backwards = play_rows(frozen_box, rows[::-1].copy(), greedy, greedy)
    assert together.tobytes() == backwards[::-1].tobytes()
    alone = [play_rows(frozen_box, rows[i : i + 1].copy(), greedy, greedy) for i in (0, 17, 41)]
    assert np.concatenate(alone).tobytes() == together[[0, 17, 41]].tobytes()


def test_the_legs_of_a_pair_share_their_seed_and_swap_seats(frozen_box):
    match_ups = all_match_ups(frozen_box)
    rows = pairs_of_games(frozen_box, match_ups, 3, seed=5)
    assert len(rows) == 2 * 3 * len(match_ups)
    assert (rows["seed"][0::2] == rows["seed"][1::2]).all()
    assert len(set(rows["seed"])) == len(rows) / 2
    assert (rows["first"][0::2] == rows["second"][1::2]).all()
    assert (rows["second"][0::2] == rows["first"][1::2]).all()
    assert [(int(r["first"]), int(r["second"])) for r in rows[0::6]] == match_ups


# Luck belongs to the seat


def test_luck_belongs_to_the_seat_and_not_to_the_overlord(frozen_cards):
    box = make_box(frozen_cards, Rules(influences=0))
    one, other = Dealer(box, "Fenris", "Azazael"), Dealer(box, "Lilith", "Methuselah")
    for seed in seeds(50):
        a, b = one.deal(seed), other.deal(seed)
        for seat in range(2):
            assert list(deck_order(a.player[seat])) == list(deck_order(b.player[seat]))
        assert list(market_order(a)) == list(market_order(b))
        assert list(cards_in(a.acolytes)) == list(cards_in(b.acolytes))


def test_the_two_seats_have_luck_of_their_own(frozen_cards):
    """The same names in the same order would be the same luck: Cultists and Fanatics of ten cards lie alike in few games only."""
    table = dealer(frozen_cards)
    kinds = table.box.record.kind_of
    alike = sum(list(kinds[deck_order((game := table.deal(seed)).player[0])]) == list(kinds[deck_order(game.player[1])]) for seed in seeds(GAMES))
    assert stats.binomtest(alike, GAMES, 1 / 56).pvalue > NOT_BY_CHANCE  # 8 over 3 orders


def test_influence_cards_leave_the_other_cards_where_they_were(frozen_cards):
    without = dealer(frozen_cards)
    for seed in seeds(30):
        plain = [without.box.instance_name(card) for card in deck_order(without.deal(seed).player[0])]
        game = Game(
            frozen_cards, "Fenris", "Azazael", seed, first_influences=("Blood Moon", "Scent of Fear"), second_influences=("Long Vigil", "Tithe of Souls")
        )
        found = [game.box.instance_name(card) for card in deck_order(game.record.player[0])]
        assert [name for name in found if name in plain] == plain


# One card more or less


def named_orders(table: Dealer, seed: int) -> list[list[str]]:
    game = table.deal(seed)
    orders = market_order(game), cards_in(game.acolytes), deck_order(game.player[0]), deck_order(game.player[1])
    return [[table.box.instance_name(card) for card in order] for order in orders]


@pytest.mark.parametrize("name", ["Ghoul", "The Wild Hunt", "Silver Mirror"])
def test_a_card_that_is_removed_leaves_the_order_of_all_others(frozen_cards, name):
    whole, less = dealer(frozen_cards), dealer(frozen_cards, Interventions(remove=(name,)))
    for seed in seeds(50):
        market, *others = named_orders(whole, seed)
        assert any(card.startswith(f"{name}#") for card in market)
        assert named_orders(less, seed) == [[card for card in market if not card.startswith(f"{name}#")], *others]


def test_a_card_that_is_removed_from_a_huge_market_leaves_the_order_of_all_others(frozen_cards):
    """E2: of more than 256 cards those on top are dealt, so that others come in at the bottom only."""
    cards = frozen_cards.replace([f"{card.name}.copies=9" for card in frozen_cards.market])
    whole, less = dealer(cards), dealer(cards, Interventions(remove=("Ghoul",)))
    for seed in seeds(20):
        (market, *_), (found, *_) = named_orders(whole, seed), named_orders(less, seed)
        left = [card for card in market if not card.startswith("Ghoul#")]
        assert len(left) < len(market) == len(found) == 256
        assert found[: len(left)] == left


def test_a_card_that_is_added_or_changed_leaves_the_order_of_all_others(frozen_cards):
    added = [{"name": "Newcomer", "type": "Monster", "faction": "Beast", "cost": 3, "copies": 2}]
    whole, more = dealer(frozen_cards), dealer(frozen_cards.with_cards(added))
    changed = dealer(frozen_cards, Interventions(override=("Ghoul.cost=5", "Werewolf.abilities=9 Power", "Fanatic.abilities=2 Power")))
    for seed in seeds(50):
        market, *others = named_orders(more, seed)
        assert sum(card.startswith("Newcomer#") for card in market) == 2
        assert [[card for card in market if not card.startswith("Newcomer#")], *others] == named_orders(whole, seed)
        assert named_orders(changed, seed) == named_orders(whole, seed)


class Removed:
    """Some hundred games of greedy, and the same games without one card in the market, for each market card."""

    def __init__(self, cards):
        box, greedy = make_box(cards), find("greedy")
        self.rows = all_pairs(box, 40, seed=11)
        bought, seen = np.zeros((2, len(self.rows), len(box.names)), bool)
        for i, game in enumerate(play_each(box, self.rows, greedy, greedy)):
            taken = np.concatenate([owned_by(game.player[seat]) for seat in range(2)])
            bought[i, box.record.kind_of[taken]] = True
            gone = np.concatenate([cards_in(game.removed), game.street["card"][: game.street_n].astype(int)])
            seen[i, box.record.kind_of[gone]] = True
        kinds = [box.kind(card.name) for card in cards.market]
        self.bought, self.seen = bought[:, kinds].T, (bought | seen)[:, kinds].T
        self.without = np.zeros((len(kinds), len(self.rows)), layout.RESULT)
        for i, kind in enumerate(kinds):
            less = make_box(cards, None, Interventions(remove=(box.names[kind],)))
            self.without[i] = play_rows(less, all_pairs(less, 40, seed=11), greedy, greedy)
        self.same = self.without == self.rows


@pytest.fixture(scope="module")
def removed(reference_cards):
    return Removed(reference_cards)


def test_a_card_that_nobody_saw_is_not_missed(removed):
    """Whatever lies in the Market to the end may as well not be there: all these games are the same to the last number."""
    assert (~removed.seen).mean() > 0.3
    assert removed.same[~removed.seen].all()


def test_a_card_that_nobody_bought_is_missed_in_few_games(removed):
    """It may have lain in the Street, in the place of another: then the game may go on otherwise, and must be allowed to.

    Measured: of the games without a purchase of the card, 81 % are the same to the last number and 96 % have the same winner; of the others 2 % and 74 %.
    """
    nobodys = ~removed.bought
    same_winner = removed.without["winner"] == removed.rows["winner"]
    assert removed.same[nobodys].mean() > 0.65
    assert same_winner[nobodys].mean() > 0.85
    assert removed.same[removed.bought].mean() < 0.2


def test_a_row_has_all_that_the_comparison_needs():
    """Games that are told apart by none of these would count as the same."""
    assert {"winner", "turns", "actions", "decisions", "first_health", "second_health"} <= set(layout.RESULT.names)
