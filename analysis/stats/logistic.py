"""Logistic regression: Newton's method with a small ridge, in blocks, so that nothing of the size of the data is made a second time."""

from __future__ import annotations

import numpy as np

BLOCK = 16_384  # rows at a time
SMALL = 1 << 20  # numbers that may be there twice
STEPS = 60
MANY = 80_000  # rows from which on every eighth is asked first: that is nearly the answer, and costs an eighth


def chance(logit: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-logit)), without an overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logit))


def fit(x: np.ndarray, y: np.ndarray, ridge: float = 1.0) -> tuple[float, np.ndarray]:
    """Return the intercept and the coefficients that make the results `y` (from 0 to 1) most likely, given the columns of `x`.

    `ridge` / 2 · Σ (coefficient · standard deviation of its column)² is taken off the log-likelihood: columns that always go together share what they say, one
    that never changes says nothing, and a clean separation of wins and losses does not run off to infinity. The intercept is free.
    """
    scale = deviations(x)
    scale[scale < 1e-6] = 1.0
    penalty = np.r_[0.0, ridge * scale**2]
    found = np.zeros(x.shape[1] + 1)
    if len(x) > MANY:
        found = _newton(np.ascontiguousarray(x[::8]), y[::8], penalty, found, np.r_[1.0, scale])
    found = _newton(x, y, penalty, found, np.r_[1.0, scale])
    return float(found[0]), found[1:]


def deviations(x: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each column, in double precision. NumPy's own would make a copy of `x` of twice its size."""
    if x.size <= SMALL:
        return np.asarray(x.std(axis=0, dtype=np.float64))
    room, middle = np.empty((BLOCK + 1, x.shape[1])), np.zeros(x.shape[1])
    for squared in (False, True):
        total = np.zeros(x.shape[1])
        for begin in range(0, len(x), BLOCK):
            rows = x[begin : begin + BLOCK]
            some = room[: len(rows) + 1]
            some[0] = total  # so that rows are added one after the other, as NumPy adds all of them: the same to the last digit
            np.subtract(rows, middle, out=some[1:])
            if squared:
                np.multiply(some[1:], some[1:], out=some[1:])
            total = some.sum(axis=0)
        middle = total / len(x)
    return np.sqrt(middle)


def _newton(x: np.ndarray, y: np.ndarray, penalty: np.ndarray, found: np.ndarray, scale: np.ndarray) -> np.ndarray:
    best, gradient, information = _climb(x, y, penalty, found)
    for _ in range(STEPS):
        matrix = information / np.outer(scale, scale) + 1e-9 * np.eye(len(found))  # columns of one size are solved more exactly
        step, size = np.linalg.solve(matrix, gradient / scale) / scale, 1.0
        while True:  # half as far if that was too far
            at, new_gradient, new_information = _climb(x, y, penalty, found + size * step)
            if at >= best - 1e-9 * abs(best) or size < 1e-6:
                break
            size /= 2
        found, gained = found + size * step, at - best
        best, gradient, information = at, new_gradient, new_information
        if np.abs(size * step * scale).max() < 1e-7 or (x.dtype == np.float32 and gained < 1e-7 * abs(best)):  # small numbers cannot say more
            break
    return found


def _climb(x: np.ndarray, y: np.ndarray, penalty: np.ndarray, at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the penalised log-likelihood, its gradient and its information there; the intercept first."""
    total, gradient, information = -0.5 * float(penalty @ at**2), -penalty * at, np.diag(penalty)
    weights, room = at[1:].astype(x.dtype), np.empty((min(BLOCK, len(x)), x.shape[1]), x.dtype)  # anew for each block, room takes longer than sums
    for begin in range(0, len(x), BLOCK):
        rows = x[begin : begin + BLOCK]
        result = np.asarray(y[begin : begin + BLOCK], float)
        logit = (rows @ weights).astype(float) + at[0]
        p = chance(logit)
        spread = p * (1 - p)
        total += float((result * logit - np.maximum(logit, 0) - np.log1p(np.exp(-np.abs(logit)))).sum())
        gradient[0] += (result - p).sum()
        gradient[1:] += rows.T @ (result - p).astype(x.dtype)
        weighted = np.multiply(rows, np.sqrt(spread).astype(x.dtype)[:, None], out=room[: len(rows)])
        information[0, 0] += spread.sum()
        information[0, 1:] += spread.astype(x.dtype) @ rows
        information[1:, 1:] += weighted.T @ weighted
    information[1:, 0] = information[0, 1:]
    return total, gradient, information
