"""The value of a position as it is learnt: the sums of kit/prospects.py for many positions at once, and how they change with the numbers (the gradient).

It is plain NumPy. All positions of a batch are of one card set. What a card adds is worked out from its description within each batch, so that the encoder
learns from all cards of all sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from terrors.analysis.players.positions import FACTS, Positions
from terrors.simulator.kernel.layout import LINK_CODES
from terrors.simulator.kernel.work_layout import PLACES, SIDE_FACTS, TABLE_FACTS, WIDTH
from terrors.simulator.play.box import Box
from terrors.simulator.terms.enums import CardType
from terrors.strategies.formats.value import SHAPES, Weights, describe
from terrors.strategies.kit.prospects import CYCLE, HAND, OVERLORD, RELIC, STAYING, STREET

HEALTH, START, ARMOR, TOKENS, IN_HAND, IN_DECK, WHO, ROUND, STAY, RELICS = range(len(FACTS))


class SetOfCards:
    """The facts about a card set that are needed to read its positions."""

    def __init__(self, box: Box) -> None:
        """Look at the cards once."""
        record, self.n = box.record, int(box.record.kinds)
        card = np.asarray(record.card)[: self.n]
        self.described = describe(record)
        self.faction, self.monster = card["faction"], card["type"] == CardType.MONSTER
        self.left, self.right = (np.eye(LINK_CODES, dtype=np.float32)[card[name]] for name in ("link_left", "link_right"))
        self.left[:, 0] = self.right[:, 0] = 0


@dataclass
class Inputs:
    """A batch as the sums begin with it."""

    cards: np.ndarray  # by 2 * position + side: how much each card counts in the places of a side, four blocks of columns
    facts: np.ndarray
    street: np.ndarray  # by position: how many of each card lie there
    table: np.ndarray


def inputs_of(batch: Positions, cards: SetOfCards) -> Inputs:
    """Return the inputs of some positions of one card set."""
    n, k = len(batch), cards.n
    facts = batch.facts.reshape(2 * n, len(FACTS)).astype(np.float32)
    kinds = batch.cards.reshape(2 * n, -1)
    at = np.arange(kinds.shape[1])
    ends = np.cumsum(facts[:, [ROUND, STAY, RELICS]], 1)
    counts = np.zeros((2 * n, 4, k), np.float32)
    begin = np.zeros(2 * n, np.float32)
    for place in range(3):
        row, column = np.nonzero((at >= begin[:, None]) & (at < ends[:, place, None]))
        counts[:, place] = np.bincount(row * k + kinds[row, column], minlength=2 * n * k).reshape(2 * n, k)
        begin[:] = ends[:, place]
    cycle, size = counts[:, 0].copy(), np.maximum(1, facts[:, ROUND])
    who = facts[:, WHO].astype(int)
    counts[:, 0] *= (HAND / size)[:, None]
    counts[np.arange(2 * n), 3, who] = 1
    same = (cycle * ((cards.faction == cards.faction[who][:, None]) & cards.monster)).sum(1)
    links = ((cycle @ cards.left) * (cycle @ cards.right)).sum(1)
    health = np.maximum(0, facts[:, HEALTH])
    side = np.zeros((2 * n, SIDE_FACTS), np.float32)
    columns = (
        0.05 * health, np.log(health + 3), 0.25 * facts[:, ARMOR], facts[:, TOKENS], facts[:, IN_HAND] / HAND, 0.1 * facts[:, IN_DECK], 0.1 * size,
        HAND * same / size, HAND * HAND * links / size**2, 0.05 * (facts[:, START] - health), facts[:, RELICS], np.maximum(0, 1 - 0.1 * health),
    )  # fmt: skip
    for i, column_ in enumerate(columns):
        side[:, i] = column_
    row, column = np.nonzero(batch.street != np.iinfo(batch.street.dtype).max)
    street = np.bincount(row * k + batch.street[row, column], minlength=n * k).reshape(n, k).astype(np.float32)
    turn = batch.turn.astype(np.float32)
    table = np.stack([0.05 * turn, 0.125 * np.minimum(turn, 8), 0.05 * np.maximum(0, turn - 25), 0.025 * health.reshape(n, 2).min(1)], 1)
    assert table.shape[1] == TABLE_FACTS
    return Inputs(counts.reshape(2 * n, 4 * k), side, street, table.astype(np.float32))


SIDE_PLACES = [CYCLE, STAYING, RELIC, OVERLORD]


def begin_weights(luck: np.random.Generator) -> Weights:
    """Return numbers to begin with: small and random."""
    weights = {}
    for name, shape in SHAPES.items():
        spread = {"encode": 0.3, "place": 0.06, "side_fact": 0.15, "inner": 0.12, "out": 0.15}.get(name, 0.0)
        weights[name] = (spread * luck.standard_normal(shape)).astype(np.float32)
    return weights


def forward(weights: Weights, inputs: Inputs, described: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the logarithms of the odds of whoever is to move, and what `gradient` needs of the way there."""
    coded = np.maximum(0, described @ weights["encode"] + weights["encode_bias"])
    encoded = np.concatenate([described, coded], 1)
    rows = np.stack([encoded @ weights["place"][place] for place in range(PLACES)])
    table = rows[SIDE_PLACES].reshape(-1, WIDTH)
    sides = inputs.cards @ table + inputs.facts @ weights["side_fact"] + weights["side_bias"]
    street = inputs.street @ rows[STREET] + weights["street_bias"]
    x = np.concatenate([np.maximum(0, sides).reshape(len(street), 2 * WIDTH), np.maximum(0, street), inputs.table], 1)
    hidden = np.maximum(0, x @ weights["inner"] + weights["inner_bias"])
    return hidden @ weights["out"] + weights["out_bias"], {"encoded": encoded, "sides": sides, "street": street, "x": x, "hidden": hidden}


def gradient(weights: Weights, inputs: Inputs, described: np.ndarray, way: dict[str, np.ndarray], slope: np.ndarray) -> Weights:
    """Return how the loss changes with each number; `slope`: with each logarithm of odds."""
    n = len(slope)
    hidden, x = way["hidden"], way["x"]
    d_hidden = slope[:, None] * weights["out"] * (hidden > 0)
    d_x = d_hidden @ weights["inner"].T
    d_sides = d_x[:, : 2 * WIDTH].reshape(2 * n, WIDTH) * (way["sides"] > 0)
    d_street = d_x[:, 2 * WIDTH : 3 * WIDTH] * (way["street"] > 0)
    kinds, encoded = len(described), way["encoded"]
    d_rows = np.zeros((PLACES, kinds, WIDTH), np.float32)
    d_rows[SIDE_PLACES] = (inputs.cards.T @ d_sides).reshape(len(SIDE_PLACES), kinds, WIDTH)
    d_rows[STREET] = inputs.street.T @ d_street
    d_encoded = sum(d_rows[place] @ weights["place"][place].T for place in range(PLACES))
    f = described.shape[1]
    d_coded = d_encoded[:, f:] * (encoded[:, f:] > 0)
    return {
        "encode": described.T @ d_coded,
        "encode_bias": d_coded.sum(0),
        "place": np.stack([encoded.T @ d_rows[place] for place in range(PLACES)]),
        "side_fact": inputs.facts.T @ d_sides,
        "side_bias": d_sides.sum(0),
        "street_bias": d_street.sum(0),
        "inner": x.T @ d_hidden,
        "inner_bias": d_hidden.sum(0),
        "out": hidden.T @ slope,
        "out_bias": slope.sum(),
    }


def chances(odds: np.ndarray) -> np.ndarray:
    """Return the chances to win that logarithms of odds mean."""
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


class Adam:
    """Steps down a slope, with a mean and a spread of each number's gradient (Kingma and Ba 2015), and numbers that shrink a little if nothing holds them."""

    def __init__(self, weights: Weights) -> None:
        """Begin with no memory."""
        self.mean = {name: np.zeros_like(w) for name, w in weights.items()}
        self.square = {name: np.zeros_like(w) for name, w in weights.items()}
        self.steps = 0

    def step(self, weights: Weights, slope: Weights, rate: float, shrink: float = 1e-3) -> None:
        """Change the numbers by one step."""
        self.steps += 1
        first, second = 0.9, 0.999
        for name, g in slope.items():
            self.mean[name] = first * self.mean[name] + (1 - first) * g
            self.square[name] = second * self.square[name] + (1 - second) * g * g
            mean, square = self.mean[name] / (1 - first**self.steps), self.square[name] / (1 - second**self.steps)
            weights[name] = (weights[name] - rate * (mean / (np.sqrt(square) + 1e-8) + shrink * weights[name])).astype(np.float32)
