"""How games feel: metrics worked out by hand on games of a few turns, chances against SciPy and simulated truths, samples and groups of real runs."""

from __future__ import annotations

import json
from math import log, sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.contract.groups import group_name
from terrors.analysis.feel import metrics
from terrors.analysis.feel.feel import NO_TURNS, TABLES, calibration_rows, chance_rows, feel_of, feel_tables, measured, tables_of
from terrors.analysis.feel.metrics import KEYWORDS, METRICS
from terrors.analysis.feel.sample_games import JUDGES, SampleGames
from terrors.analysis.feel.win_model import LEADS, Chances, Model, Sight, columns_of, design, strategy_side
from terrors.analysis.source.sample import TURN_COLUMNS, lot, take_sample
from terrors.analysis.stats import logistic
from terrors.analysis.stats.intervals import Z_95, wilson
from terrors.analysis.stats.ratios import Term, Value, quantile, ratio
from terrors.simulator.runs.job import part_name
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from tests.support.places import FROZEN, ROOT

NUMBERS = [name for name in TURN_COLUMNS if name not in ("game", "turn", "seat", "overlord")]


def seed_for(judged: bool, number: int) -> int:
    """The seed of a deal for judging, or for fitting."""
    return int(np.flatnonzero((lot(np.arange(100), JUDGES) < 0.5) == judged)[number])


def games_of(rows: list[tuple]) -> pl.DataFrame:
    """Games from (seed, first strategy, second strategy, winner, turns); Fenris against Lilith."""
    return pl.DataFrame(
        [(i, seed, "Fenris", "Lilith", a, b, winner, turns) for i, (seed, a, b, winner, turns) in enumerate(rows)],
        schema={"game": pl.UInt32, "seed": pl.UInt64, "first_overlord": pl.String, "second_overlord": pl.String, "first_strategy": pl.String,
                "second_strategy": pl.String, "winner": pl.String, "turns": pl.UInt16}, orient="row",
    )  # fmt: skip


def turns_of(*games: list[dict]) -> pl.DataFrame:
    """Turns of games; what is not named is 0, Health 40."""
    rows = []
    for number, game in enumerate(games):
        for i, row in enumerate(game):
            whose = {"game": number, "turn": i + 1, "seat": ("first", "second")[i % 2], "overlord": ("Fenris", "Lilith")[i % 2]}
            rows.append(dict.fromkeys(NUMBERS, 0) | {"health": 40, "rival_health": 40} | whose | row)
    return pl.DataFrame(rows).select(TURN_COLUMNS)


def played_with(chances: list[list[float]], winners: list[str], judged: bool = True) -> SampleGames:
    """Games with these chances of the first player after each turn, the last of them being the result."""
    games = games_of([(seed_for(judged, i), "a", "a", winner, len(chance)) for i, (chance, winner) in enumerate(zip(chances, winners, strict=True))])
    played = SampleGames(games, turns_of(*[[{}] * len(chance) for chance in chances]))
    played.chance = np.concatenate(chances).astype(np.float32)
    return played


def value_of(name: str, played: SampleGames, group: int = -1) -> tuple[float, float, float, int]:
    return measured(next(metric for metric in METRICS if metric.name == name), played)[group]


# Ratios by deal


def test_a_ratio_by_hand():
    """3/6 from two deals of two games: residuals 1 - 1 = 0 and -0 … by deal (1 + 1 - ½·4) / 6 = 0 and (1 + 0 - ½·2) / 6 = 0; then with deals mixed ±1/6."""
    numerator, denominator, group = np.array([1.0, 1, 1, 0]), np.array([2.0, 2, 1, 1]), np.zeros(4, int)
    even = ratio([Term(numerator, denominator)], group, np.array([0, 0, 1, 1]), 1)[0]
    assert (even.value, even.error, even.deals, even.games) == (0.5, 0.0, 2, 4)
    odd = ratio([Term(numerator, denominator)], group, np.array([0, 1, 0, 1]), 1)[0]  # residuals 0, 0, ½, -½ over 6
    assert odd.error == pytest.approx(sqrt(2 * (1 / 12) ** 2 * 2))


def test_all_groups_count_the_same_and_a_deal_counts_once():
    """Group 0: 1 of 4, group 1: 1 of 1 and so 5/8; the deal that both share moves both."""
    found = ratio([Term(np.array([1.0, 0, 0, 0, 1]), np.ones(5))], np.array([0, 0, 0, 0, 1]), np.array([0, 1, 2, 3, 0]), 2)
    assert [one.value for one in found] == [0.25, 1.0, 0.625]
    by_deal = np.array([0.75 / 4, -0.25 / 4, -0.25 / 4, -0.25 / 4]) / 2
    assert found[2].error == pytest.approx(sqrt((by_deal**2).sum() * 4 / 3))
    assert (found[2].deals, found[2].games) == (4, 5)
    assert found[1].error == float("inf")  # one deal
    assert found[1].interval(share=True) == wilson(1.0, 1)


def test_a_group_without_such_games_is_left_out_of_the_mean():
    found = ratio([Term(np.array([1.0, 0, 0]), np.array([1.0, 1, 0]))], np.array([0, 0, 1]), np.array([0, 1, 2]), 2)
    assert np.isnan(found[1].value)
    assert np.isnan(found[1].interval(share=False)).all()
    assert (found[2].value, found[2].games) == (0.5, 2)


def test_intervals_of_shares_are_wilsons():
    assert Value(0.2, 0.02, 50, 100).interval(share=True) == wilson(0.2, 0.16 / 0.0004)
    assert Value(0.0, 0.0, 50, 100).interval(share=True) == wilson(0.0, 50)
    assert Value(2.0, 0.5, 50, 100).interval(share=False) == (2 - Z_95 * 0.5, 2 + Z_95 * 0.5)


@pytest.mark.parametrize("share", [True, False])
def test_the_interval_of_correlated_games_holds_the_truth_95_times_of_100(share):
    """Deals of four games, two in each of two groups, that share a chance; 1500 tries, two standard errors are 1.1 points."""
    luck, held = np.random.default_rng(3), 0
    deal, group = np.repeat(np.arange(100), 4), np.tile([0, 0, 1, 1], 100)
    for _ in range(1500):
        p = np.repeat(luck.choice([0.1, 0.7], 100), 4)
        found = ratio([Term((luck.random(400) < p).astype(float), np.ones(400))], group, deal, 2)[-1]
        low, high = found.interval(share)
        held += low <= 0.4 <= high
    assert 0.93 < held / 1500 < 0.97


def test_quantiles_by_hand():
    values, deals = np.arange(1, 101), np.arange(100)
    middle, low, high, games = quantile(values, np.zeros(100, int), deals, 1, 0.5)[0]
    half = Z_95 * sqrt(0.25 / 99)  # of the share below
    assert (middle, low, high, games) == (50, np.ceil(100 * (0.5 - half)), np.ceil(100 * (0.5 + half)), 100)
    both = quantile(np.array([1, 1, 1, 1, 9]), np.array([0, 0, 0, 0, 1]), np.arange(5), 2, 0.6)
    assert [one[0] for one in both] == [1, 9, 9]  # half of the weight is the one game of group 1


# Logistic regression


@pytest.mark.parametrize(("ridge", "kind"), [(1.0, float), (20.0, float), (1.0, np.float32)])
def test_logistic_regression_as_scipy_finds_it(ridge, kind):
    luck = np.random.default_rng(1)
    x = luck.normal(size=(600, 4)) * [1, 5, 0.2, 1] + [0, 3, 0, -1]
    x[:, 3] = 2 * x[:, 0] + 0.1 * x[:, 3]  # nearly the same as another
    y = np.where(luck.random(600) < 0.05, 0.5, luck.random(600) < 1 / (1 + np.exp(-(0.3 + x[:, 0] - 0.2 * x[:, 1]))))
    intercept, weights = logistic.fit(x.astype(kind), y, ridge)

    def loss(b: np.ndarray) -> float:
        logit = b[0] + x @ b[1:]
        return float((np.logaddexp(0, logit) - y * logit).sum() + ridge / 2 * ((b[1:] * x.std(axis=0)) ** 2).sum())

    best = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8, "maxiter": 2000})
    assert loss(np.r_[intercept, weights]) <= best.fun + 1e-6
    assert np.allclose(np.r_[intercept, weights], best.x, atol=2e-3 if kind is np.float32 else 1e-4)


def test_logistic_regression_survives_a_clean_separation_and_a_constant_column():
    x = np.column_stack([np.r_[-np.ones(50), np.ones(50)], np.full(100, 7.0)])
    intercept, weights = logistic.fit(x, (x[:, 0] > 0).astype(float))
    assert weights[0] > 2
    assert abs(weights[1]) < 1e-6
    assert abs(intercept) < 1e-6


def test_many_rows_are_fitted_in_two_goes_and_find_the_truth():
    luck = np.random.default_rng(2)
    x = luck.normal(size=(logistic.MANY + 1000, 2)).astype(np.float32)
    y = luck.random(len(x)) < logistic.chance(0.4 + x @ np.array([1.0, -0.5]))
    intercept, weights = logistic.fit(x, y)
    assert np.allclose([intercept, *weights], [0.4, 1.0, -0.5], atol=0.05)  # standard errors are 0.01


# What both players can see


GAME = [  # Coin, Power, Health of the mover and the rival after the turn; cards in deck, discard pile and hand
    {"coin": 3, "coin_spent": 3, "power": 1, "health": 45, "rival_health": 44, "deck": 1, "discard": 5, "hand": 5},
    {"coin": 4, "coin_spent": 2, "power": 2, "health": 44, "rival_health": 43, "deck": 0, "discard": 6, "hand": 5},
    {"coin": 5, "coin_spent": 5, "power": 3, "health": 43, "rival_health": 41, "deck": 2, "discard": 4, "hand": 6},
    {"coin": 6, "coin_spent": 6, "power": 8, "health": 41, "rival_health": 35, "deck": 3, "discard": 5, "hand": 5},
    {"coin": 1, "coin_spent": 0, "power": 41, "health": 35, "rival_health": 0, "deck": 0, "discard": 7, "hand": 5},
]


def test_what_both_can_see_by_hand():
    sight = Sight(turns_of(GAME, GAME[:2]))
    assert [side.tolist() for side in sight.health] == [[45, 43, 43, 35, 35, 45, 43], [44, 44, 41, 41, 0, 44, 44]]
    assert [side.tolist() for side in sight.lately("coin")] == [[3, 3, 4, 4, 3, 3, 3], [0, 4, 4, 5, 5, 0, 4]]
    assert [side.tolist() for side in sight.so_far("coin_spent")] == [[3, 3, 8, 8, 8, 3, 3], [0, 2, 2, 8, 8, 0, 2]]
    assert [side.tolist() for side in sight.now("hand")] == [[5, 5, 6, 6, 5, 5, 5], [0, 5, 5, 5, 5, 0, 5]]
    assert sight.next.tolist() == [-1, 1, -1, 1, -1, -1, 1]
    assert np.isnan(sight.known[:4]).all()
    assert sight.known[4] == 1
    assert sight.overlords(["Fenris", "Lilith", "Azazael"]).tolist() == [[1, -1, 0]] * 7


def test_leads_by_hand():
    sight = Sight(turns_of(GAME))
    said = {name: float(measure(sight)[3]) for name, (_, measure) in LEADS.items()}  # after turn 4: 35 Health against 41
    zero = dict.fromkeys(("armor", "healed", "hordes", "curses", "haunts"), 0.0)
    by_hand = zero | {
        "health": -6, "health_ratio": log(36 / 42), "power": 2 - 5, "power_so_far": 4 - 10, "coin": 4 - 5, "spent_so_far": 0, "cards": 12 - 13, "hand": 1,
        "turns_to_live": 35 / 6.5 - 41 / 3.5, "threat": 2 / 42 - 5 / 36, "next": 1, "tempo": 10 / 38,
    }  # fmt: skip
    assert said == pytest.approx(by_hand, abs=1e-5)


def test_who_brings_oneself_to_nothing_loses():
    """T4."""
    assert Sight(turns_of([{"health": 0, "rival_health": 0}])).known.tolist() == [0]
    assert Sight(turns_of([{}, {"health": 0, "rival_health": 3}])).known[1] == 1


def a_model(groups: tuple[str, ...] = ("a",), **weights: float) -> Chances:
    columns = columns_of(["Fenris", "Lilith"])
    return Chances(["Fenris", "Lilith"], {group: Model(0.25, np.array([weights.get(name, 0.0) for name in columns])) for group in groups})


def test_a_prediction_by_hand():
    model = a_model(**{"health": 0.1, "health, later": -0.2, "overlord Fenris": 0.5, "late": 1.0, "turn 1": 3.0})
    late = np.array([1, 2, 3, 4]) / np.array([21, 22, 23, 24])
    lead = np.array([1, -1, 2, -6])
    logit = 0.25 + 0.1 * lead - 0.2 * lead * late + 0.5 + late + [3, 0, 0, 0]
    assert model.predict(turns_of(GAME)).tolist() == pytest.approx([*(1 / (1 + np.exp(-logit))), 1.0], abs=1e-6)
    columns = columns_of(model.overlords)
    assert design(turns_of(GAME), model.overlords, 0.0).shape == (5, len(columns))
    assert np.allclose(0.25 + design(turns_of(GAME), model.overlords, 0.0)[:4] @ model.models["a"].weights, logit, atol=1e-5)


def test_a_model_knows_who_plays():
    model = a_model(("a – b", "b"), strategy=1.0)
    turns = turns_of(GAME[:2])
    assert group_name("b", "a") == "a – b"
    assert (strategy_side("a", "b"), strategy_side("b", "a"), strategy_side("b", "b")) == (1, -1, 0)
    assert model.predict(turns, "a", "b") == pytest.approx(1 / (1 + np.exp([-1.25, -1.25])))
    assert model.predict(turns, "b", "a") == pytest.approx(1 / (1 + np.exp([0.75, 0.75])))
    assert model.predict(turns, "b") == pytest.approx(1 / (1 + np.exp([-0.25, -0.25])))
    with pytest.raises(KeyError, match="no model for a; there are a – b, b"):
        model.predict(turns, "a")
    with pytest.raises(KeyError, match="games without strategies"):
        model.predict(turns)


def test_a_model_is_written_down_and_read_again():
    model = a_model(health=0.123456789)
    data = json.loads(json.dumps(model.as_data()))
    assert Chances.from_data(data).predict(turns_of(GAME)).tolist() == model.predict(turns_of(GAME)).tolist()
    del data["models"]["a"]["weights"]["health"]
    with pytest.raises(ValueError, match="The model of a was fitted by another version"):
        Chances.from_data(data)


# Every metric by hand


def test_length_by_hand():
    played = SampleGames(games_of([(i, "a", "a", "first", turns) for i, turns in enumerate([9, 10, 11, 21])]))
    assert value_of("length", played)[0] == (9 + 10 + 11 + 21) / 4
    assert [value_of(name, played)[0] for name in ("length_short", "length_median", "length_long")] == [9, 10, 21]
    table = tables_of(played)["length"]
    assert table.filter(group="all").rows() == [("all", turns, 1, 25.0) for turns in (9, 10, 11, 21)]


def test_lead_changes_by_hand():
    """Chances between 40 and 60 % change nothing; to win is to take the lead."""
    played = played_with(
        [[0.5, 0.62, 0.45, 0.55, 0.41, 1.0], [0.7, 0.3, 0.59, 0.61, 0.0], [0.45, 0.55, 0.0], [0.9, 0.5]], ["first", "second", "second", "draw"]
    )
    assert metrics.lead_changes(played).tolist() == [0, 3, 0, 0]
    value, low, high, games = value_of("lead_changes", played)
    assert (value, games) == (0.75, 4)
    assert high - value == pytest.approx(Z_95 * stats.sem([0, 3, 0, 0]))
    assert value - low == pytest.approx(high - value)


def test_comebacks_by_hand():
    """20 % is down; the loser's fall is none; a draw has no winner."""
    played = played_with([[0.5, 0.2, 1.0], [0.21, 1.0], [0.8, 0.5, 0.0], [0.1, 0.0], [0.1, 0.5]], ["first", "first", "second", "second", "draw"])
    assert metrics.comebacks(played).tolist() == [True, False, True, False, False]
    assert value_of("comebacks", played)[0] == pytest.approx(40)


def test_the_point_of_no_return_by_hand():
    played = played_with([[0.5, 0.85, 0.79, 0.9, 1.0], [0.1, 0.2, 0.0], [0.3, 0.3, 0.3, 0.0], [0.5, 0.5]], ["first", "second", "second", "draw"])
    assert metrics.no_return(played)[:3].tolist() == [3 / 5, 0, 3 / 4]
    value, _, _, games = value_of("no_return", played)
    assert (value, games) == (pytest.approx(100 * (0.6 + 0.75) / 3), 3)  # not the draw


def test_only_judged_games_tell_of_chances():
    played = played_with([[0.5, 0.2, 1.0]], ["first"], judged=False)
    played.chance = np.full(3, np.nan, np.float32)
    assert value_of("comebacks", played)[3] == 0


def test_no_fair_judge_sees_more_than_25_comebacks():
    """Chances that are right are a martingale: who is at 20 % wins a fifth of the time. A walk in small steps comes near to the 25."""
    luck, paths, winners = np.random.default_rng(4), [], []
    for _ in range(300):
        at, path = 50, []
        while 0 < at < 100:
            at += 2 if luck.random() < 0.5 else -2
            path.append(at / 100)
        paths.append(path)
        winners.append("first" if at else "second")
    games = games_of([(2 * i + 1, "a", "a", winner, len(path)) for i, (path, winner) in enumerate(zip(paths, winners, strict=True))])
    turns = pl.DataFrame(
        {"game": np.repeat(np.arange(300, dtype=np.uint32), [len(p) for p in paths]), "turn": np.concatenate([np.arange(len(p)) + 1 for p in paths])}
    )
    played = SampleGames(games, turns)
    played.chance = np.concatenate(paths).astype(np.float32)
    _, low, high, _ = value_of("comebacks", played)
    assert low < 25 < high
    assert high - low < 11


def lasting(leads: list[int], made: list[int]) -> list[dict]:
    """A game by its Health leads and by the Coin of each turn."""
    rows = [{"health": 40, "rival_health": 40 - lead} if i % 2 == 0 else {"health": 40 - lead, "rival_health": 40} for i, lead in enumerate(leads)]
    return [row | {"coin": coin // 2, "power": coin - coin // 2} for row, coin in zip(rows, made, strict=True)]


def test_snowballs_by_hand():
    """Games of 8 turns: from turn 4 to turn 8. Leads of 2, -2 and 3 are 1, -3 and 2 off the mean; they become 5, -3, 4, that is grow by 3, -1 and 1."""
    leads = [[0, 0, 0, 2, 0, 0, 0, 5], [0, 0, 0, -2, 0, 0, 0, -3], [0, 0, 0, 3, 0, 0, 0, 4]]
    made = [[3, 1, 3, 1, 4, 1, 4, 1], [1, 3, 1, 3, 2, 3, 2, 3], [2, 2, 2, 2, 2, 2, 2, 2]]  # 4, -4 and 0 more, then 6, -2 and 0
    games = games_of([(i, "a", "a", "first", 8) for i in range(3)])
    played = SampleGames(games, turns_of(*[lasting(lead, coin) for lead, coin in zip(leads, made, strict=True)]))
    assert metrics.snowball_turn(played, 0) == 4
    assert value_of("snowball_health", played)[0] == pytest.approx((1 * 2 + -3 * -2 + 2 * 0) / (1 + 9 + 4))
    assert value_of("snowball_income", played)[0] == pytest.approx((4 * (6 - 4 / 3) + -4 * (-2 - 4 / 3)) / 32)


def test_a_better_player_is_no_snowball():
    """Strategy a always leads by 2 after turn 4 and by 5 after turn 8, in either seat: that is usual for a against b."""
    leads = [[0, 0, 0, sign * (2 + off), 0, 0, 0, sign * 5] for sign, off in ((1, 0), (1, 1), (-1, 0), (-1, 1))]
    games = games_of([(i, *("ab" if i < 2 else "ba"), "first", 8) for i in range(4)])
    played = SampleGames(games, turns_of(*[lasting(lead, [0] * 8) for lead in leads]))
    assert len(set(played.matchup)) == 2
    assert played.groups == ["a – b"]
    assert value_of("snowball_health", played)[0] == pytest.approx(-1)  # whatever was more than usual is lost again


def test_a_game_that_ends_within_the_snowball_counts_as_it_ended():
    leads = [[0, 0, 0, 2, 0, 0, 0, 5], [0, 0, 0, -2, 0, -8]]
    games = games_of([(i, "a", "a", "first", len(lead)) for i, lead in enumerate(leads)])
    played = SampleGames(games, turns_of(*[lasting(lead, [0] * len(lead)) for lead in leads]))
    assert metrics.snowball_turn(played, 0) == 4
    assert value_of("snowball_health", played)[0] == pytest.approx((2 * 4.5 + -2 * -4.5) / 8)  # growths 3 and -6, the mean -1.5


def test_dead_turns_by_hand():
    rows = [{"bought": 1}, {"damage": 1}, {"healed": 1}, {"power": 3, "coin": 2}, {"curses": 1}]
    assert value_of("dead_turns", SampleGames(games_of([(1, "a", "a", "first", 5)]), turns_of(rows)))[0] == pytest.approx(40)


def opening_games(n: int, worth: float, luck: np.random.Generator) -> SampleGames:
    """Games of five turns in which each Coin of the first turn is worth so many points; nothing else matters."""
    coin = luck.integers(0, 5, n)
    won = luck.random(n) < 0.5 + worth * (coin - 2)
    games = games_of([(i, "a", "a", "first" if w else "second", 5) for i, w in enumerate(won)])
    turns = turns_of(*[[{"coin": int(c)}, {}, {}, {}, {}] for c in coin])
    return SampleGames(games, turns)


def test_opening_luck_by_hand():
    """0.2 a Coin, 0 to 4 alike: variance 0.04 · 2 = 0.08 of 0.25. Games with the same opening stay in one third."""
    played = opening_games(4000, 0.2, np.random.default_rng(6))
    _, low, high, games = value_of("opening_luck", played)
    assert low < 32 < high
    assert high - low < 8
    assert games == played.judged.sum()
    score, _, third = metrics.opening_scores(played)
    coin = metrics.opening(played)[:, 0]
    assert [set(coin[third == which]) for which in range(3)] == [{0}, {1, 2}, {3, 4}]  # a third of the games ends among those with 1 Coin, and with 3
    by_hand = [played.result[played.judged & (third == which)].mean() for which in (2, 0)]
    assert value_of("lucky_third", played)[0] == pytest.approx(100 * (by_hand[0] - by_hand[1]))
    assert np.corrcoef(score, coin)[0, 1] > 0.99


def test_an_opening_that_is_worth_nothing_explains_nothing():
    played = opening_games(2000, 0.0, np.random.default_rng(7))
    value, low, _, _ = value_of("opening_luck", played)
    assert low < 0.5
    assert value < 1
    _, low, high, _ = value_of("lucky_third", played)
    assert low < 0 < high


def test_the_street_by_hand():
    """13 of 25 turns without a purchase; 25 turns · 5 cards for 16 that were taken: a game without any purchase has waited too."""
    street = pl.DataFrame({"game": [0, 1, 2], "busy": [7, 5, 0], "taken": [9, 7, 0]})
    played = SampleGames(games_of([(i, "a", "a", "first", turns) for i, turns in enumerate([10, 10, 5])]), street=street, street_size=5)
    assert value_of("street_untouched", played)[0] == pytest.approx(52)
    assert value_of("street_wait", played)[0] == pytest.approx(125 / 16)
    assert value_of("street_wait", played)[3] == 3


def test_scores_of_the_chances_by_hand():
    played = played_with([[0.6, 0.9, 1.0], [0.3, 0.0]], ["first", "second"])
    played.constant, played.health_only = np.full(5, 0.5, np.float32), np.array([0.5, 1.0, 0, 0.5, 0], np.float32)
    assert value_of("brier", played)[0] == pytest.approx((0.16 + 0.01 + 0.09) / 3, abs=1e-6)
    assert value_of("log_loss", played)[0] == pytest.approx(-(log(0.6) + log(0.9) + log(0.7)) / 3, abs=1e-6)
    assert value_of("brier_constant", played)[0] == pytest.approx(0.25)
    assert value_of("log_loss_constant", played)[0] == pytest.approx(log(2))
    assert value_of("brier_health_only", played)[0] == pytest.approx((0.25 + 0 + 0.25) / 3, abs=1e-5)
    assert value_of("log_loss_health_only", played)[0] == pytest.approx(2 / 3 * log(2), abs=1e-5)


def test_hordes_and_keywords_by_hand():
    rows = [{"longest_horde": 2, "hordes": 1, "curses": 3}, {}, {"longest_horde": 3, "hordes": 2}, {"curses": 1}, {}]
    tables = tables_of(SampleGames(games_of([(1, "a", "a", "first", 5), (2, "a", "a", "first", 5)]), turns_of(rows, rows)))
    hordes = tables["hordes"].filter(group="a")
    assert hordes.filter(overlord="Fenris").select("length", "turns", "share").rows() == [(n, 2, pytest.approx(100 / 3)) for n in (0, 2, 3)]
    assert hordes.filter(overlord="Lilith").select("length", "turns", "share").rows() == [(0, 4, 100.0)]
    assert hordes.filter(pl.col("overlord").is_null()).select("length", "share").rows() == [(0, 60.0), (2, 20.0), (3, 20.0)]
    used = {(row["overlord"], row["what"]): row["per_turn"] for row in tables["keywords"].filter(group="all").to_dicts()}
    assert {what for _, what in used} == set(KEYWORDS)
    assert (used["Fenris", "curses"], used["Lilith", "curses"], used[None, "curses"]) == (1.0, 0.5, pytest.approx(0.8))
    assert used["Fenris", "hordes"] == 1.0


def test_chances_by_turn_by_hand():
    """100 games of two turns with the chances 1 to 100 after the first."""
    games = games_of([(i, "a", "a", "first", 2) for i in range(100)])
    played = SampleGames(games, turns_of(*[[{}, {}]] * 100))
    played.chance = np.column_stack([np.arange(1, 101) / 100, np.ones(100)]).ravel().astype(np.float32)
    rows = [row for row in chance_rows(played) if row[0] == "all"]
    assert [(turn, band, games) for _, turn, band, _, games in rows] == [(1, band, 100) for band in (5, 25, 50, 75, 95)]
    assert [chance for *_, chance, _ in rows] == pytest.approx([5, 25, 50, 75, 95], abs=1e-4)


@pytest.mark.parametrize("wrong", [0.0, 0.25])
def test_calibration_tells_a_right_model_from_a_wrong_one(wrong):
    """Chances that are what they say, and such that are drawn towards the ends."""
    luck = np.random.default_rng(8)
    truth = luck.random(6000)
    games = games_of([(i // 2, "a", "a", "first" if won else "second", 2) for i, won in enumerate(luck.random(6000) < truth)])
    played = SampleGames(games, turns_of(*[[{}, {}]] * 6000))
    said = np.clip(truth + wrong * np.sign(truth - 0.5), 0.001, 0.999)
    played.chance = np.column_stack([said, played.result]).ravel().astype(np.float32)
    rows = [row for row in calibration_rows(played) if row[0] == "all"]
    assert sum(row[5] for row in rows) == sum(row[6] for row in rows) == 6000
    held = [low <= predicted <= high for _, predicted, _, low, high, *_ in rows]
    assert sum(held) >= len(rows) - 1 if not wrong else sum(held) <= 2


# Runs


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    """Two strategies in all pairings, in parts of 200 games."""
    plan = Plan(games=2400, cards=str(FROZEN), strategies=("greedy", "aggro"), seed=11)
    return simulate(plan, tmp_path_factory.mktemp("feel") / "run", jobs=1, chunk=200)


@pytest.fixture(scope="module")
def feel(run):
    return feel_of(run)


@pytest.fixture(scope="module")
def fitted(run) -> SampleGames:
    return SampleGames.of(take_sample(run))


def test_tables_have_the_columns_that_are_written_down(feel):
    assert list(feel.tables) == list(TABLES)
    for name, table in feel.tables.items():
        assert table.columns == list(ANSWERS[name])
        assert len(table)
        assert set(table["group"]) == {"aggro", "greedy", "aggro – greedy", "all"}
    assert set(feel.tables["feel"]["metric"]) == {metric.name for metric in METRICS}
    assert (feel.games, feel.of, feel.left_out) == (2400, 2400, [])


def test_every_value_lies_in_its_interval(feel):
    for name in ("feel", "keywords"):
        table = feel.tables[name]
        value = table["value" if name == "feel" else "per_turn"]
        assert ((table["low"] <= value) & (value <= table["high"])).all()


def test_all_is_the_mean_of_the_groups(feel):
    table = feel.tables["feel"].filter(~pl.col("metric").str.starts_with("length_"))
    means = table.filter(pl.col("group") != "all").group_by("metric").agg(pl.col("value").mean())
    both = table.filter(group="all").join(means, on="metric")
    assert len(both) == len(METRICS) - 3
    assert np.allclose(both["value"], both["value_right"])
    shares = feel.tables["length"].group_by("group").agg(pl.col("share").sum())
    assert np.allclose(shares["share"], 100)


def test_the_model_knows_more_than_health_and_that_more_than_nothing(feel):
    value = {row["metric"]: row["value"] for row in feel.tables["feel"].filter(group="all").to_dicts()}
    assert value["brier"] < value["brier_health_only"] < value["brier_constant"] < 0.26
    assert value["log_loss"] < value["log_loss_health_only"] < value["log_loss_constant"] < 0.7


def test_a_game_of_a_run_gets_the_chances_that_were_judged(run, feel, fitted):
    """The viewer asks for one game, the analysis for all at once."""
    played = fitted
    game = int(np.flatnonzero(played.judged & (played.side != 0))[0])
    row = run.games.filter(pl.col("game") == game).collect().row(0, named=True)
    alone = Chances.from_data(feel.chances.as_data()).predict(run.turns.filter(pl.col("game") == game).collect(), row["first_strategy"], row["second_strategy"])
    assert np.allclose(alone, played.chance[played.game == game], atol=1e-5)
    assert alone[-1] == (row["winner"] == "first")
    assert np.isnan(played.chance[~played.judged[played.game]]).all()


def test_fitting_and_judging_never_share_a_deal(fitted):
    rows = np.concatenate([fitted._fitted_rows(g) for g in range(3)])
    said = ~np.isnan(fitted.chance)
    assert rows.size
    assert said.any()
    assert not said[rows].any()
    assert not set(fitted.deal[fitted.game[rows]]) & set(fitted.deal[fitted.game[said]])
    assert 0.4 < fitted.judged.mean() < 0.6


@pytest.mark.parametrize("most", [100, 700, 2000])
def test_a_sample_is_of_whole_deals_and_always_the_same(run, most, monkeypatch):
    monkeypatch.setattr("terrors.analysis.source.sample.STRETCH", 100)
    sample = take_sample(run, most)
    again = take_sample(run, most)
    assert sample.games.equals(again.games)
    assert sample.turns.equals(again.turns)
    assert most / 3 < len(sample.games) < 1.3 * most
    everywhere = run.games.group_by("seed").len().collect()
    here = sample.games.group_by("seed").len()
    assert here.join(everywhere, on="seed").select((pl.col("len") == pl.col("len_right")).all()).item()
    assert here["len"].unique().to_list() == [8]  # two legs of four pairings
    assert sample.turns["game"].unique().sort().to_list() == sample.games["game"].to_list() == sample.street["game"].to_list()
    assert len(sample.turns) == sample.games["turns"].sum()
    assert take_sample(run, most, seed=5).games["game"].to_list() != sample.games["game"].to_list()
    if most > 500:  # spread over the run
        assert sample.games["game"].min() < 700
        assert sample.games["game"].max() > 1700


def test_a_large_run_says_that_it_was_sampled(run):
    found = feel_of(run, most_games=1200)
    assert found.left_out == [f"Feel is told from {found.games:,} of 2,400 games, whole deals spread over the run."]
    assert found.games < 1400


def test_the_street_of_a_run_is_what_was_bought_there(run):
    sample = take_sample(run)
    got = run.purchases.filter(pl.col("source") != "acolyte").collect()
    assert sample.street["taken"].sum() == len(got)
    assert sample.street["busy"].sum() == len(got.select("game", "turn").unique())


def test_without_turns_the_games_still_tell_something(tmp_path):
    bare = simulate(Plan(games=200, cards=str(FROZEN), turns=False), tmp_path / "run", jobs=1)
    found = feel_of(bare)
    assert found.left_out == [NO_TURNS]
    assert found.chances is None
    assert set(found.tables["feel"]["metric"]) == {metric.name for metric in METRICS if metric.needs in ("games", "street")}
    assert [name for name in TABLES if len(found.tables[name])] == ["feel", "length"]
    assert all(table.columns == list(ANSWERS[name]) for name, table in found.tables.items())


def test_a_handful_of_games_is_too_few_to_fit(tmp_path):
    few = simulate(Plan(games=24, cards=str(FROZEN)), tmp_path / "run", jobs=1)
    found = feel_of(few)
    assert found.left_out == ["Too few games to fit chances for greedy."]
    assert not len(found.tables["chances"])
    assert "comebacks" not in set(found.tables["feel"]["metric"])
    assert "dead_turns" in set(found.tables["feel"]["metric"])


def test_an_unfinished_run_tells_of_the_games_that_are_there(run, tmp_path):
    """As a killed run leaves it: fewer parts, some of them."""
    info = run.info | {"parts": [part for part in run.info["parts"] if part["start"] != 400]}
    found = feel_tables(Run(run.folder, info))
    assert found["length"].filter(group="all")["games"].sum() == 2200
    assert (Path(run.folder.address) / part_name("games", 400)).exists()


def test_lots_are_even_and_independent():
    seeds = np.arange(20_000, dtype=np.uint64)
    one, two = lot(seeds, 1), lot(seeds, 2)
    assert stats.kstest(one, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.03


# Nothing forgotten


def test_every_metric_keyword_and_lead_is_in_the_docs():
    text = (ROOT / "docs" / "ANALYSIS.md").read_text(encoding="utf-8")
    section = text.split("\n## Feel\n")[1].split("\n## ")[0]
    for name in (*(metric.name for metric in METRICS), *KEYWORDS, *LEADS):
        assert f"`{name}`" in section, name
    for metric in METRICS:
        assert metric.meaning.endswith(".")
        assert metric.unit
