"""The value of a small zero-sum game: by hand, against a linear programme, and whom its solution does not depend on."""

import numpy as np
import pytest
from scipy.optimize import linprog

from terrors.simulator.play.pilot_game import contenders, saddles, solve


def by_programme(entries: np.ndarray) -> float:
    n, m = entries.shape
    upper = np.c_[-entries.T, np.ones(m)]
    found = linprog(np.r_[np.zeros(n), -1], A_ub=upper, b_ub=np.zeros(m), A_eq=[np.r_[np.ones(n), 0]], b_eq=[1], bounds=[(0, 1)] * n + [(None, None)])
    return -found.fun


def test_hand_cases():
    assert solve(np.array([[0.6]])).value == 0.6
    saddle = solve(np.array([[0.6, 0.7], [0.3, 0.8]]))  # the first row, the first column: neither wants to change
    assert (saddle.value, saddle.rows.tolist(), saddle.columns.tolist()) == (0.6, [1, 0], [1, 0])
    pennies = solve(np.eye(2))
    assert (pennies.value, pennies.rows.tolist(), pennies.columns.tolist()) == (0.5, [0.5, 0.5], [0.5, 0.5])
    rock = solve(np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]))
    assert rock.value == pytest.approx(0.5)
    assert np.allclose(rock.rows, 1 / 3)


@pytest.mark.parametrize("digits", [1, 16])  # rounded ones have ties
def test_the_value_is_that_of_the_linear_programme_and_nobody_gains_by_changing(digits):
    luck = np.random.default_rng(digits)
    for _ in range(150):
        entries = np.round(luck.random(luck.integers(1, 9, 2)), digits)
        found = solve(entries)
        assert found.value == pytest.approx(by_programme(entries), abs=1e-9)
        assert (entries @ found.columns).max() <= found.value + 1e-9
        assert (entries.T @ found.rows).min() >= found.value - 1e-9


def test_whoever_is_never_chosen_moves_no_digit():
    luck = np.random.default_rng(3)
    for _ in range(100):
        entries = 0.4 + 0.2 * luck.random((3, 3))
        more = np.zeros((5, 5))
        more[:3, :3] = entries
        more[3:, :3], more[:3, 3:], more[3:, 3:] = 0.2 * luck.random((2, 3)), 0.8 + 0.2 * luck.random((3, 2)), 0.5
        for order in (np.arange(5), luck.permutation(5)):
            found = solve(more[np.ix_(order, order)])
            assert found.value == pytest.approx(solve(entries).value, abs=1e-15)
        assert solve(more).value == solve(entries).value


def test_many_at_once_find_the_same_saddle_points():
    games = np.random.default_rng(4).random((200, 3, 3))
    there, row, column = saddles(games)
    for entries, is_there, r, c in zip(games, there, row, column, strict=True):
        found = solve(entries)
        assert is_there == (found.weights.max() == 1)
        assert not is_there or found.value == entries[r, c]


def test_contenders_are_all_but_the_clearly_dominated():
    entries = np.array([[0.5, 0.7, 0.9], [0.48, 0.68, 0.9], [0.1, 0.3, 0.5]])
    assert contenders(entries, np.full((3, 3), 0.02**2)) == ([0, 1], [0])  # the first two rows are too close to call; the columns are not
    assert contenders(entries, np.full((3, 3), 0.2**2)) == ([0, 1, 2], [0, 1, 2])  # too little is known
    assert contenders(entries, np.zeros((3, 3))) == ([0], [0])


def test_nobody_in_the_mix_is_dominated():
    luck = np.random.default_rng(5)
    for _ in range(100):
        entries = luck.random((4, 4))
        found = solve(entries)
        rows, columns = contenders(entries, np.zeros((4, 4)))
        assert set(np.flatnonzero(found.rows > 1e-9)) <= set(rows)
        assert set(np.flatnonzero(found.columns > 1e-9)) <= set(columns)
