"""A lottery without games: cells, deals and lots as a run has them, and results that were made up, so that the truth is known."""

from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from terrors.analysis.questions.lottery import Lottery, Second
from terrors.analysis.source.source import Block, NamedCell


def source_of(cells: list[NamedCell], cards: int) -> SimpleNamespace:
    """What of a Source the sums ask for."""
    names = [f"card {c}" for c in range(cards)]
    groups = list(dict.fromkeys(cell.group for cell in cells))
    box = SimpleNamespace(cards=SimpleNamespace(cards=[SimpleNamespace(name=name, copies=1 + c % 2) for c, name in enumerate(names)]))
    return SimpleNamespace(cells=cells, groups=groups, group_of=np.array([groups.index(cell.group) for cell in cells]), market=names, boxes=[box])


@dataclass
class Effects:
    """The truth: by how much a denial to oneself lowers the chance to win."""

    value: np.ndarray
    overlord: dict[tuple[int, str], float] = field(default_factory=dict)  # card, overlord: so much more
    seat: dict[int, float] = field(default_factory=dict)  # card: so much more for the first player, less for the second
    synergy: dict[tuple[int, int], float] = field(default_factory=dict)
    counter: dict[tuple[int, int], float] = field(default_factory=dict)  # the first card against a rival with the second
    shared: float = 0.25  # of a result that is the luck of the deal, the same in all its games


@dataclass
class Games:
    """Made-up games, game by game: a column each, as a library takes them."""

    cell: np.ndarray
    leg: np.ndarray
    deal: np.ndarray
    x: np.ndarray
    points: np.ndarray
    bought: np.ndarray
    blocks: list[Block]
    source: SimpleNamespace

    @property
    def place(self) -> np.ndarray:
        return 2 * self.cell + self.leg

    def fitted(self, pairs: bool = False) -> Second:
        """Both passes."""
        lottery = Lottery(self.source)
        for block in self.blocks:
            lottery.add(block)
        lottery.solve()
        second = Second(lottery, pairs)
        for block in self.blocks:
            second.add(block)
        return second


def play(cells: list[NamedCell], effects: Effects, rounds: int, seed: int = 1, q: float = 0.2, blocks: int = 2) -> Games:
    """So many rounds: a pair of games of every cell; the cells of a match-up share their deal. A mirror of overlord and strategy has a deal for each leg."""
    luck = np.random.default_rng(seed)
    cards, source = len(effects.value), source_of(cells, len(effects.value))
    match_ups = list(dict.fromkeys((cell.a, cell.b) for cell in cells))
    of_cell = np.array([match_ups.index((cell.a, cell.b)) for cell in cells])
    own_luck = np.array([(cell.a, cell.a_strategy) == (cell.b, cell.b_strategy) for cell in cells])
    game = np.arange(2 * len(cells) * rounds)
    cell, leg = game // 2 % len(cells), game % 2
    deal = (game // 2 // len(cells) * len(match_ups) + of_cell[cell]) * 2 + (leg & own_luck[cell])
    names, deal = np.unique(deal, return_inverse=True)
    drawn, to = luck.random((len(names), cards)) < q, luck.random((len(names), cards)) < 0.5
    first, second = drawn & to, drawn & ~to
    x = second.astype(float) - first
    chance = np.full(len(game), 0.5) + 0.03 * (cell % 3)
    owners = np.array([[(c.a, c.b)[s] for c in cells for s in (0, 1)], [(c.b, c.a)[s] for c in cells for s in (0, 1)]])[:, 2 * cell + leg]  # by seat and game
    for seat, (denied, sign) in enumerate(((first, -1), (second, 1))):
        flags = denied[deal]
        chance += sign * flags @ effects.value
        for (c, name), more in effects.overlord.items():
            chance += sign * more * flags[:, c] * (owners[seat] == name)
        for c, more in effects.seat.items():
            chance += sign * (more if seat == 0 else -more) * flags[:, c]
        for (i, j), more in effects.synergy.items():  # worth more together, so that the second one denied costs less
            chance -= sign * more * flags[:, i] * flags[:, j]
        rival = (second, first)[seat][deal]
        for (i, j), more in effects.counter.items():  # the card is worth more against a rival who may have the other
            chance -= sign * more * flags[:, i] * rival[:, j]
    shared = luck.random(len(names))[deal]
    uniform = np.where(luck.random(len(game)) < effects.shared, shared, luck.random(len(game)))
    points = np.where(uniform < chance, 1.0, 0.0)
    points[luck.random(len(game)) < 0.02] = 0.5
    bought = luck.poisson(0.8, (len(game), cards)) * ~first[deal] - luck.poisson(0.8, (len(game), cards)) * ~second[deal] * 1.0
    found = Games(cell, leg, deal, x[deal], points, bought, [], source)
    edges = np.linspace(0, rounds, blocks + 1).astype(int) * 2 * len(cells)
    found.blocks = [_block(found, slice(a, b), first, second) for a, b in pairwise(edges)]
    return found


def _block(games: Games, part: slice, first: np.ndarray, second: np.ndarray) -> Block:
    source, cell, leg, bought = games.source, games.cell[part], games.leg[part], games.bought[part]
    known, deal = np.unique(games.deal[part], return_inverse=True)
    none = np.zeros(len(cell), bool)
    by_group = np.zeros((len(known), len(source.groups), bought.shape[1]))
    np.add.at(by_group, (deal, source.group_of[cell]), bought)
    by_place = np.zeros((2 * len(source.cells), bought.shape[1]))
    np.add.at(by_place, 2 * cell + leg, bought)
    seeds = known.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return Block(
        np.arange(len(games.cell))[part], seeds[deal], cell, leg, games.points[part], games.points[part] == 0.5, none, none, none, deal, len(known),
        denied=(first[known], second[known]), bought=by_group, bought_at=by_place, deal_seed=seeds,
    )  # fmt: skip
