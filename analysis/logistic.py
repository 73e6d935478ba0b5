"""Logistic regression: Newton's method with a small ridge, in blocks, so that nothing of the size of the data is made a second time."""

from __future__ import annotations

import numpy as np

BLOCK = 65_536  # rows at a time
STEPS = 60


def chance(logit: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-logit)), without an overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logit))


def fit(x: np.ndarray, y: np.ndarray, ridge: float = 1.0) -> tuple[float, np.ndarray]:
    """The intercept and the coefficients that make the results `y` (from 0 to 1) most likely, given the columns of `x`.

    `ridge` / 2 · Σ (coefficient · standard deviation of its column)² is taken off the log-likelihood: columns that always go together share what they say, one
    that never changes says nothing, and a clean separation of wins and losses does not run off to infinity. The intercept is free.
    """
    y = np.asarray(y, float)
    mean, scale = x.mean(axis=0, dtype=float), x.std(axis=0, dtype=float)
    scale[scale < 1e-9] = 1.0
    k = x.shape[1]
    penalty = np.diag(np.r_[0.0, np.full(k, ridge)])
    found = np.zeros(k + 1)
    best, gradient, information = _climb(x, y, mean, scale, penalty, found)
    for _ in range(STEPS):
        step = np.linalg.solve(information + 1e-9 * np.eye(k + 1), gradient)
        size = 1.0
        while True:  # half as far if that was too far
            at, new_gradient, new_information = _climb(x, y, mean, scale, penalty, found + size * step)
            if at >= best - 1e-9 * abs(best) or size < 1e-6:
                break
            size /= 2
        found = found + size * step
        best, gradient, information = at, new_gradient, new_information
        if np.abs(size * step).max() < 1e-7:
            break
    return float(found[0] - (found[1:] * mean / scale).sum()), found[1:] / scale


def _climb(x: np.ndarray, y: np.ndarray, mean: np.ndarray, scale: np.ndarray, penalty: np.ndarray, at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The penalised log-likelihood, its gradient and its information there."""
    total, gradient, information = -0.5 * float(at @ penalty @ at), -penalty @ at, penalty.copy()
    for begin in range(0, len(x), BLOCK):
        rows = slice(begin, begin + BLOCK)
        z = np.empty((len(x[rows]), len(at)))
        z[:, 0] = 1.0
        np.divide(x[rows] - mean, scale, out=z[:, 1:])
        logit = z @ at
        p = chance(logit)
        total += float((y[rows] * logit - np.logaddexp(0, logit)).sum())
        gradient += z.T @ (y[rows] - p)
        z_weighted = z * np.sqrt(p * (1 - p))[:, None]
        information += z_weighted.T @ z_weighted
    return total, gradient, information
