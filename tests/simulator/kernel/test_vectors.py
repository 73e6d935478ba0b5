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
    for name in ("going", "rest", "street", "input", "hidden", "inner", "inner_bias", "out", "side_fact", "acolyte"):
        value[name] = luck.normal(size=value[name].shape) * luck.choice((1e-4, 1, 300), value[name].shape)
    np.asarray(value.card)[:400] = luck.normal(size=(400, WIDTH))
    value.added[:] = luck.integers(0, 400, len(value.added))
    value.fact[:], value.amount[:] = luck.permutation(len(value.fact)), luck.normal(size=len(value.amount))
    return value


NAMES = (
    "add_amounts", "add_products", "add_products_of_some", "add_row", "add_rows", "put_positive", "put_sum", "put_totals", "take_row",
)  # fmt: skip


def each_once(add_amounts, add_products, add_products_of_some, add_row, add_rows, put_positive, put_sum, put_totals, take_row):
    def calls(value, share, amount):
        add_rows(value.going, 1, value.card, value.added, 30)
        add_rows(value.street, 0, value.card, value.added, 0)
        add_row(value.rest, 0, value.card, 7)
        take_row(value.street, 0, value.acolyte, 0)
        add_amounts(value.rest, 1, value.amount, value.side_fact, value.fact, 9)
        put_positive(value.input, 2 * WIDTH, value.street)
        put_sum(value.input, WIDTH, value.rest, 1, share, value.going, amount, value.side_fact, 6)
        add_products(value.hidden, 3, value.inner_bias, value.input, value.inner, 5, INPUTS)
        add_products_of_some(value.hidden, 0, 3, value.input, value.inner, WIDTH, 2 * WIDTH)
        put_totals(value.log_odds, value.hidden, 1, value.out, value.out_bias)
        add_products_of_some(value.hidden, 1, 3, value.input, value.inner, 0, WIDTH)
        put_totals(value.log_odds, value.hidden, 11, value.out, amount)

    return calls


def test_lanes_are_rounded_like_single_numbers():
    compiled = each_once(*(getattr(vectors, name) for name in NAMES))
    if not INTERPRETED:
        compiled = numba.njit(compiled)
    plain = each_once(*(vectors.PLAIN[name] for name in NAMES))
    for seed in range(20):
        one, other, luck = filled(seed), filled(seed), np.random.default_rng(seed).normal(size=2)
        compiled(one, *luck)
        plain(other, *luck)
        for name in ("going", "rest", "street", "input"):
            assert np.array_equal(one[name], other[name]), name
        assert np.array_equal(one.hidden[:11], other.hidden[:11])
        assert np.array_equal(one.log_odds[:11], other.log_odds[:11])
        assert len(set(one.log_odds[:11])) == 11


def test_what_is_0_may_be_left_out():
    for seed in range(20):
        value = filled(seed)
        value.input[np.random.default_rng(seed).random(INPUTS) < 0.6] = 0
        for size in (16, 32, 48, 64):
            vectors.PLAIN["add_products"](value.hidden, 0, value.hidden[2], value.input, value.inner, 3, 3 + size)
            vectors.PLAIN["add_products_of_some"](value.hidden, 1, 2, value.input, value.inner, 3, 3 + size)
            assert np.array_equal(value.hidden[0], value.hidden[1])
