"""A/A: games that differ only in their luck show no difference, as often as they should not; and 95 % intervals hold what other games say.

Real games of one run, cut into many runs: each piece has deals of its own.
"""

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

from terrors.analysis.questions.lottery import Lottery, Second
from terrors.analysis.source.source import Block, Source
from terrors.analysis.stats.intervals import Looks, rate_of
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from tests.support.places import FROZEN

PLAN = Plan(games=48_000, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), deny_lottery=0.25, turns=False)
PIECE = 1_200  # games: 200 pairs of each match-up


@pytest.fixture(scope="module")
def blocks(tmp_path_factory) -> tuple[Source, list[Block]]:
    folder = tmp_path_factory.mktemp("same") / "run"
    source = Source([simulate(PLAN, folder, jobs=1, chunk=PIECE)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("terrors.analysis.source.source.AT_ONCE", 0)  # small parts are read together; here each is a piece
        return source, list(source.blocks(denied=True, bought=True))


@pytest.fixture(scope="module")
def fits(blocks) -> tuple[np.ndarray, np.ndarray]:
    """Access values and their errors, by piece and card."""
    source, pieces = blocks
    found = []
    with threadpool_limits(1, "blas"):
        for piece in pieces:
            lottery = Lottery(source)
            lottery.add(piece)
            lottery.solve()
            second = Second(lottery, pairs=False)
            second.add(piece)
            found.append(second.fits()[-1])
    assert all(fit.known.all() for fit in found)
    return np.array([fit.value for fit in found]), np.array([fit.se for fit in found])


@pytest.fixture(scope="module")
def shares(blocks) -> tuple[np.ndarray, np.ndarray]:
    """By match-up and pair: the share of the first named overlord, and of who went first."""
    source, pieces = blocks
    legs = np.concatenate([piece.points.reshape(-1, 2) for piece in pieces])
    cell = np.concatenate([piece.cell[::2] for piece in pieces])
    both, first = (legs[:, 0] + 1 - legs[:, 1]) / 2, legs.mean(1)
    return tuple(np.array([values[cell == c] for c in range(len(source.cells))]) for values in (both, first))


def rates(values: np.ndarray, pairs: int) -> list[list]:
    """By match-up, one rate for so many pairs after the other."""
    pieces = values[:, : values.shape[1] // pairs * pairs].reshape(len(values), -1, pairs)
    return [[rate_of(np.array([pairs, piece.sum(), (piece**2).sum()])) for piece in row] for row in pieces]


def differences(row: list) -> list[float]:
    """P-values of every second piece against the one after it."""
    pairs = zip(row[::2], row[1::2], strict=False)
    return [float(Looks().p((one.share - other.share) / np.hypot(one.se, other.se))) for one, other in pairs]


def test_there_are_enough_pieces(blocks):
    _, pieces = blocks
    assert len(pieces) == PLAN.games // PIECE
    assert all(abs(piece.deals - PIECE // 2) <= 1 for piece in pieces)  # the last deal of a part waits for the next one: it might go on there
    assert len(np.unique(np.concatenate([piece.deal_seed for piece in pieces]))) == PLAN.games // 2


@pytest.mark.parametrize("what", [0, 1], ids=["match-ups", "seats"])
def test_rates_that_differ_in_luck_alone_have_uniform_p_values(shares, what):
    p = [value for row in rates(shares[what], 100) for value in differences(row)]
    assert len(p) == 120
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_a_planted_difference_between_rates_is_found(shares, tmp_path):
    """Another opening hand, fresh luck: whoever goes first does better, and the same p-values say so."""
    run = simulate(PLAN.but(games=6_000, seed=2, rules={"first_hand": 6}, deny_lottery=0.0), tmp_path / "run", jobs=1)
    found = [(block.points.reshape(-1, 2).mean(1), block.cell[::2]) for block in Source([run]).blocks()]
    first, cell = (np.concatenate(column) for column in zip(*found, strict=True))
    other = np.array([first[cell == c] for c in range(3)])
    mixed = [[rate for pair in zip(a, b, strict=False) for rate in pair] for a, b in zip(rates(shares[1], 100), rates(other, 100), strict=True)]
    p = [value for row in mixed for value in differences(row)]
    assert len(p) == 30
    assert stats.kstest(p, "uniform").pvalue < 1e-4


@pytest.mark.parametrize("what", [0, 1], ids=["match-ups", "seats"])
@pytest.mark.parametrize("pairs", [20, 80])
def test_intervals_of_rates_cover_what_all_other_games_say(shares, what, pairs):
    held = []
    for values, row in zip(shares[what], rates(shares[what], pairs), strict=True):
        total, n = values.sum(), values.size
        for k, rate in enumerate(row):
            truth = (total - values[k * pairs : (k + 1) * pairs].sum()) / (n - pairs)
            held.append(rate.low <= truth <= rate.high)
    assert len(held) >= 300
    spread = 2 * np.sqrt(0.05 * 0.95 / len(held))  # what chance moves it by
    assert 0.93 - spread / 2 < np.mean(held) < 0.97 + spread / 2


def test_access_values_that_differ_in_luck_alone_have_uniform_p_values(fits):
    value, se = fits
    p = Looks().p((value[::2] - value[1::2]) / np.hypot(se[::2], se[1::2]))
    assert p.size > 800
    assert stats.kstest(p.ravel(), "uniform").pvalue > 0.01
    rolled = Looks().p((value[::2] - np.roll(value[1::2], 1, 1)) / np.hypot(se[::2], np.roll(se[1::2], 1, 1)))  # one card against another
    assert stats.kstest(rolled.ravel(), "uniform").pvalue < 0.01


def test_intervals_of_access_values_cover_what_all_other_games_say(fits):
    value, se = fits
    others = (value.sum(0) - value) / (len(value) - 1)
    error = np.sqrt((se**2).sum(0) - se**2) / (len(value) - 1)
    held = np.abs(value - others) <= 1.96 * np.hypot(se, error)
    assert held.size > 1_600
    assert 0.93 < held.mean() < 0.97


def test_the_lots_are_even(blocks):
    """Each card is denied in about a quarter of the deals, to the first player as often as to the second, and not together with another."""
    _, pieces = blocks
    first, second = (np.concatenate([piece.denied[seat] for piece in pieces]) for seat in (0, 1))
    assert not (first & second).any()
    n = len(first)
    assert np.abs(first.mean(0) - 0.125).max() < 4 * np.sqrt(0.125 * 0.875 / n)
    x = second * 1.0 - first
    assert np.abs(np.corrcoef(x.T) - np.eye(x.shape[1])).max() < 4.5 / np.sqrt(n)
