"""Sums in lanes: each compiled function does what the plain function of that name says, bit for bit."""

import numba
import numpy as np

from terrors.simulator.kernel import vectors, work_layout
from terrors.simulator.kernel.jit import INTERPRETED
from terrors.simulator.kernel.records import record
from terrors.simulator.kernel.work_layout import TABLE_FACTS, WIDTH

INPUTS = 3 * WIDTH + TABLE_FACTS


def filled(seed):
    luck = np.random.default_rng(seed)
    value = record(work_layout.VALUE)
    for name in ("going", "rest", "street", "input", "kept", "hidden", "inner", "side_fact", "acolyte"):
        value[name] = luck.normal(size=value[name].shape) * luck.choice((1e-4, 1, 300), value[name].shape)
    np.asarray(value.card)[:400] = luck.normal(size=(400, WIDTH))
    value.added[:] = luck.integers(0, 400, len(value.added))
    return value


def each_once(add_products, add_rows, add_scaled, put_positive, put_sum):
    def calls(value, share, amount):
        add_rows(value.going, 1, value.card, value.added, 30)
        add_rows(value.street, 0, value.card, value.added, 0)
        add_scaled(value.rest, 1, amount, value.side_fact, 7)
        add_scaled(value.street, 0, -1.0, value.acolyte, 0)
        put_positive(value.input, 2 * WIDTH, value.street)
        put_sum(value.input, WIDTH, value.rest, 1, share, value.going, amount, value.side_fact, 6)
        add_products(value.hidden, value.kept, value.input, value.inner, 5, INPUTS)

    return calls


def test_lanes_are_rounded_like_single_numbers():
    names = ("add_products", "add_rows", "add_scaled", "put_positive", "put_sum")
    compiled = each_once(*(getattr(vectors, name) for name in names))
    if not INTERPRETED:
        compiled = numba.njit(compiled)
    plain = each_once(*(vectors.PLAIN[name] for name in names))
    for seed in range(20):
        one, other, luck = filled(seed), filled(seed), np.random.default_rng(seed).normal(size=2)
        compiled(one, *luck)
        plain(other, *luck)
        for name in ("going", "rest", "street", "input", "hidden"):
            assert np.array_equal(one[name], other[name]), name
        assert not np.array_equal(one.hidden, one.kept)
