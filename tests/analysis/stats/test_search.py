"""The search for good numbers, and ratings: on problems whose answer is known."""

import json
from math import log

import numpy as np
import pytest
from scipy.optimize import minimize

from terrors.analysis.stats.bradley_terry import ELO, Encounter, expected_share, rate
from terrors.analysis.stats.cma_es import Search


def minimum(loss, start, spread=0.5, generations=300, noise=0.0, population=None) -> np.ndarray:
    luck = np.random.default_rng(3)
    search = Search(np.array(start, float), spread, population)
    for _ in range(generations):
        candidates = search.ask(luck)
        search.tell(candidates, np.array([loss(c) for c in candidates]) + noise * luck.standard_normal(len(candidates)))
    return search.mean


def test_it_finds_the_bottom_of_a_bowl():
    target = np.linspace(-1, 1, 20)
    assert minimum(lambda x: ((x - target) ** 2).sum(), np.zeros(20)) == pytest.approx(target, abs=1e-4)


def test_it_finds_the_bottom_of_a_long_valley():
    """Numbers that matter a thousand times more than others: the steps must learn it."""
    scale = np.logspace(0, 3, 12)
    found = minimum(lambda x: (scale * (x - 1) ** 2).sum(), np.zeros(12), generations=400)
    assert found == pytest.approx(np.ones(12), abs=1e-3)


def test_it_does_not_lose_its_way_in_noise():
    found = minimum(lambda x: ((x - 0.5) ** 2).sum(), np.zeros(10), generations=300, noise=0.3, population=24)
    assert np.abs(found - 0.5).max() < 0.45
    assert ((found - 0.5) ** 2).sum() < 0.15 * 10 * 0.25


def test_a_search_that_was_put_away_goes_on_as_if_it_had_not():
    def steps(search: Search, luck: np.random.Generator, n: int) -> Search:
        for _ in range(n):
            candidates = search.ask(luck)
            search.tell(candidates, (candidates**2).sum(1))
        return search

    whole = steps(Search(np.ones(8), 0.3), np.random.default_rng(1), 20)
    luck = np.random.default_rng(1)
    half = steps(Search(np.ones(8), 0.3), luck, 10)
    again = steps(Search.of(json.loads(json.dumps(half.state()))), luck, 10)
    assert again.mean.tolist() == whole.mean.tolist()
    assert (again.sigma, again.generation) == (whole.sigma, 20)


def test_two_players_worked_by_hand():
    """Three of four points in very many pairs: odds 3 to 1, so ln 3 apart; the variance of a share is that of the mean, carried through the odds' slope."""
    ratings = rate(2, [Encounter(1, 0, 100_000, 0.75, 0.1)])
    gap, half = ratings.difference(1, 0)
    assert gap == pytest.approx(ELO * log(3), rel=1e-4)
    assert half == pytest.approx(1.959964 * ELO * (0.1 / 100_000) ** 0.5 / (0.75 * 0.25), rel=1e-3)
    assert expected_share(gap) == pytest.approx(0.75, abs=1e-4)


def test_ratings_are_the_most_likely_ones():
    """Against a general minimiser."""
    luck = np.random.default_rng(5)
    truth = np.array([0, 0.4, -0.8, 1.1, 2.0])
    encounters = []
    for a in range(5):
        for b in range(a):
            n = int(luck.integers(50, 500))
            mean = luck.binomial(n, 1 / (1 + np.exp(truth[b] - truth[a]))) / n
            encounters.append(Encounter(a, b, n, mean, 0.2))

    def loss(r):
        total = 0.0
        for e in encounters:
            p = 1 / (1 + np.exp(np.append(0, r)[e.b] - np.append(0, r)[e.a]))
            won = e.pairs * e.mean + 0.5
            total -= won * np.log(p) + (e.pairs + 1 - won) * np.log(1 - p)
        return total

    expected = minimize(loss, np.zeros(4), tol=1e-10).x
    assert rate(5, encounters).rating[1:] / ELO == pytest.approx(expected, abs=1e-4)


def test_the_intervals_cover_the_truth():
    """400 tournaments of 4 players with pairs of games: 95 of 100 intervals hold it, give or take what 1,200 intervals can tell."""
    luck, truth, hits, total = np.random.default_rng(8), np.array([0, 0.5, 1.0, -0.7]), 0, 0
    for _ in range(400):
        encounters = []
        for a in range(4):
            for b in range(a):
                scores = luck.binomial(2, 1 / (1 + np.exp(truth[b] - truth[a])), 120) / 2
                encounters.append(Encounter(a, b, 120, scores.mean(), scores.var(ddof=1)))
        ratings = rate(4, encounters)
        for i in range(1, 4):
            gap, half = ratings.difference(i, 0)
            hits += abs(gap - ELO * (truth[i] - truth[0])) < half
            total += 1
    assert 0.93 < hits / total < 0.97


def test_somebody_who_never_won_has_a_rating():
    ratings = rate(3, [Encounter(0, 1, 50, 1.0, 0.0), Encounter(1, 2, 50, 1.0, 0.0), Encounter(0, 2, 50, 1.0, 0.0)])
    assert np.isfinite(ratings.rating).all()
    assert ratings.rating[0] > ratings.rating[1] > ratings.rating[2]
