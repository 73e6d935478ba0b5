"""Looking for good numbers by trying them out: a separable CMA-ES, as a thing that can be put away and taken up again.

After Ros and Hansen, "A simple modification in CMA-ES achieving linear time and space complexity" (2008).

    search = Search(start, spread)
    while not done:
        candidates = search.ask(luck)         # a row a candidate
        search.tell(candidates, losses)       # the lower the better
    search.mean                               # the best guess: noise makes the best single candidate a lucky one

The covariance is kept diagonal: with a hundred numbers and noisy losses there are never enough games to learn more.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np


class Search:
    """The state of a search."""

    def __init__(self, start: np.ndarray, spread: float, population: int | None = None) -> None:
        """Begin at `start`, with steps of about `spread`."""
        self.mean = np.array(start, float)
        n = len(self.mean)
        self.sigma = float(spread)
        self.population = population or 4 + int(3 * log(n))
        self.variances = np.ones(n)
        self.path_sigma, self.path_c = np.zeros(n), np.zeros(n)
        self.generation = 0
        half = self.population // 2
        weights = log(half + 0.5) - np.log(np.arange(1, half + 1))
        self.weights = weights / weights.sum()
        self.mu = 1 / (self.weights**2).sum()
        self.c_sigma = (self.mu + 2) / (n + self.mu + 5)
        self.d_sigma = 1 + 2 * max(0.0, sqrt((self.mu - 1) / (n + 1)) - 1) + self.c_sigma
        self.c_c = (4 + self.mu / n) / (n + 4 + 2 * self.mu / n)
        faster = (n + 2) / 3  # what a diagonal matrix allows
        self.c_1 = min(1.0, faster * 2 / ((n + 1.3) ** 2 + self.mu))
        self.c_mu = min(1 - self.c_1, faster * 2 * (self.mu - 2 + 1 / self.mu) / ((n + 2) ** 2 + self.mu))
        self.expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # the length of a normal vector

    def ask(self, luck: np.random.Generator) -> np.ndarray:
        """Return candidates to try out."""
        return self.mean + self.sigma * np.sqrt(self.variances) * luck.standard_normal((self.population, len(self.mean)))

    def tell(self, candidates: np.ndarray, losses: np.ndarray) -> None:
        """Move towards the better half of the candidates, and learn how far to step."""
        self.generation += 1
        best = candidates[np.argsort(losses, kind="stable")[: len(self.weights)]]
        steps = (best - self.mean) / self.sigma
        step = self.weights @ steps
        self.mean = self.mean + self.sigma * step
        self.path_sigma = (1 - self.c_sigma) * self.path_sigma + sqrt(self.c_sigma * (2 - self.c_sigma) * self.mu) * step / np.sqrt(self.variances)
        length = float(np.linalg.norm(self.path_sigma))
        stalled = length / sqrt(1 - (1 - self.c_sigma) ** (2 * self.generation)) > (1.4 + 2 / (len(self.mean) + 1)) * self.expected
        self.path_c = (1 - self.c_c) * self.path_c + (0.0 if stalled else sqrt(self.c_c * (2 - self.c_c) * self.mu)) * step
        keep = 1 - self.c_1 - self.c_mu + (self.c_1 * self.c_c * (2 - self.c_c) if stalled else 0.0)
        self.variances = keep * self.variances + self.c_1 * self.path_c**2 + self.c_mu * (self.weights @ steps**2)
        self.sigma *= float(np.exp(self.c_sigma / self.d_sigma * (length / self.expected - 1)))

    def state(self) -> dict[str, Any]:
        """Return what must be kept to go on later."""
        kept = {name: getattr(self, name).tolist() for name in ("mean", "variances", "path_sigma", "path_c")}
        return kept | {"sigma": self.sigma, "generation": self.generation, "population": self.population}

    @classmethod
    def of(cls, state: dict[str, Any]) -> Search:
        """Return a search that goes on where it was put away."""
        search = cls(np.array(state["mean"]), state["sigma"], state["population"])
        for name in ("mean", "variances", "path_sigma", "path_c"):
            setattr(search, name, np.array(state[name], float))
        search.generation = state["generation"]
        return search
