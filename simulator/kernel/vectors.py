"""Sums of rows of numbers, sixteen numbers at a time.

The processor can do that, but the compiler does not find it out: for all that it knows, the row that is added to may lie among those that are added. So these
few functions say it in the compiler's own language (LLVM's). Every number is rounded as it would be one by one: the results are the same, bit for bit, as those
of the plain functions beside them, which are what they mean, and what is called where nothing is compiled.

Rows are 4-byte numbers, as long as the last dimension of the array, which is a multiple of 16. A sum with an amount is done in 8-byte numbers and then rounded.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from terrors.simulator.kernel.jit import INTERPRETED

LANES = 16
AT_ONCE = 8  # sums of numbers one after the other: each waits for its last addition, so that eight take no longer than one
NUMBER, NUMBERS = ir.FloatType(), ir.VectorType(ir.FloatType(), LANES)
EXACT, EXACTS = ir.DoubleType(), ir.VectorType(ir.DoubleType(), LANES)


def _data(context: Any, builder: Any, kind: Any, array: Any, number: Any = NUMBER) -> Any:
    return builder.bitcast(context.make_array(kind)(context, builder, array).data, number.as_pointer())


class Row:
    """A row of an array, in sixteens."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any, row: Any = None, begin: Any = None, width: int = 0) -> None:
        """Take the array and the number of the row; or where a row of that width begins; neither if it is all there is."""
        self.builder, self.width = builder, width or kind.shape[-1]
        assert self.width % LANES == 0
        self.data = _data(context, builder, kind, array)
        if row is not None:
            begin = builder.mul(row, row.type(self.width))
        if begin is not None:
            self.data = builder.gep(self.data, [begin])

    def _at(self, first: int) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [ir.IntType(64)(first)]), NUMBERS.as_pointer())

    def load(self) -> list[Any]:
        """Return its numbers."""
        return [self.builder.load(self._at(first), align=4) for first in range(0, self.width, LANES)]

    def store(self, numbers: list[Any]) -> None:
        """Write its numbers."""
        for first, lanes in zip(range(0, self.width, LANES), numbers, strict=True):
            self.builder.store(lanes, self._at(first), align=4)


def _all(builder: Any, number: Any, lanes: Any) -> Any:
    """Return a number sixteen times."""
    one = builder.insert_element(lanes(ir.Undefined), number, ir.IntType(32)(0))
    return builder.shuffle_vector(one, lanes(ir.Undefined), ir.VectorType(ir.IntType(32), LANES)([0] * LANES))


def _add_up(context: Any, builder: Any, begin: Any, end: Any, sums: list[Any], added: Callable[[Any], list[Any]]) -> list[Any]:
    """Return the sums with what is added for each number from `begin` to `end`, in that order. They stay in the processor meanwhile."""
    kept = [cgutils.alloca_once_value(builder, lanes) for lanes in sums]
    with cgutils.for_range_slice(builder, begin, end, ir.IntType(64)(1)) as (i, _):
        for place, lanes in zip(kept, added(i), strict=True):
            builder.store(builder.fadd(builder.load(place), lanes), place)
    return [builder.load(place) for place in kept]


PLAIN: dict[str, Callable[..., None]] = {}  # what each function means, by its name


def in_lanes(generate: Callable[..., None], arguments: str) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Return a decorator that puts compiled code in the place of a plain function. `arguments`: a for an array, i for a whole number, x for any number."""
    fixed = {"i": types.intp, "x": types.float64}

    def typed(*given: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            generate(context, builder, signature.args, values)
            return context.get_dummy_value()

        return types.void(*(fixed.get(sort, kind) for sort, kind in zip(arguments, given[1:], strict=True))), codegen

    def decorate(plain: Callable[..., None]) -> Callable[..., Any]:
        PLAIN[plain.__name__] = plain
        if INTERPRETED:
            return plain
        taken = inspect.signature(plain).parameters.values()  # Numba goes by these, behind its own
        functools.update_wrapper(typed, plain)
        typed.__signature__ = inspect.Signature([inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD), *taken])  # type: ignore[attr-defined]
        return intrinsic(typed)

    return decorate


def _add_products(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, at, start, factor, rows, begin, end = values
    factors = _data(context, builder, kinds[3], factor)

    def added(i: Any) -> list[Any]:
        times = _all(builder, builder.load(builder.gep(factors, [i])), NUMBERS)
        return [builder.fmul(times, lanes) for lanes in Row(context, builder, kinds[4], rows, i).load()]

    sums = _add_up(context, builder, begin, end, Row(context, builder, kinds[2], start).load(), added)
    Row(context, builder, kinds[0], to, at).store(sums)


@in_lanes(_add_products, "aiaaaii")
def add_products(to: Any, at: int, start: Any, factor: Any, rows: Any, begin: int, end: int) -> None:
    """Write `start` plus the sum of factor[i] * rows[i] to to[at], for i from `begin` to `end`, one after the other."""
    total = start.copy()
    for i in range(begin, end):
        total = total + factor[i] * rows[i]
    to[at][:] = total


def _add_products_of_some(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, at, start, factor, rows, begin, end = values
    factors = _data(context, builder, kinds[3], factor)
    long = ir.IntType(64)
    others = cgutils.alloca_once_value(builder, long(0))  # a bit for each that is not 0
    with cgutils.for_range_slice(builder, begin, end, long(LANES)) as (first, _):
        lanes = builder.load(builder.bitcast(builder.gep(factors, [first]), NUMBERS.as_pointer()), align=4)
        bits = builder.zext(builder.bitcast(builder.fcmp_unordered("!=", lanes, lanes.type([0.0] * LANES)), ir.IntType(LANES)), long)
        builder.store(builder.or_(builder.load(others), builder.shl(bits, builder.sub(first, begin))), others)
    sums = [cgutils.alloca_once_value(builder, lanes) for lanes in Row(context, builder, kinds[0], to, start).load()]
    head, body, done = (builder.append_basic_block(name) for name in ("some", "some.product", "some.done"))
    builder.branch(head)
    builder.position_at_end(head)
    left = builder.load(others)
    builder.cbranch(builder.icmp_unsigned("!=", left, long(0)), body, done)
    builder.position_at_end(body)
    i = builder.add(begin, builder.cttz(left, ir.IntType(1)(1)))
    builder.store(builder.and_(left, builder.sub(left, long(1))), others)
    times = _all(builder, builder.load(builder.gep(factors, [i])), NUMBERS)
    for place, lanes in zip(sums, Row(context, builder, kinds[4], rows, i).load(), strict=True):
        builder.store(builder.fadd(builder.load(place), builder.fmul(times, lanes)), place)
    builder.branch(head)
    builder.position_at_end(done)
    Row(context, builder, kinds[0], to, at).store([builder.load(place) for place in sums])


@in_lanes(_add_products_of_some, "aiiaaii")
def add_products_of_some(to: Any, at: int, start: int, factor: Any, rows: Any, begin: int, end: int) -> None:
    """Write to[start] plus the sum of factor[i] * rows[i] to to[at], as `add_products` does, but pass over the factors that are 0.

    These are half of them, where what was below 0 counts as 0. For 16, 32, 48 or 64 factors.
    """
    assert (end - begin) % LANES == 0
    assert end - begin <= 64
    total = to[start].copy()
    for i in range(begin, end):
        if factor[i] != 0:
            total = total + factor[i] * rows[i]
    to[at][:] = total


def _add_rows(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, at, rows, which, n = values
    target = Row(context, builder, kinds[0], to, at)
    numbers = _data(context, builder, kinds[3], which, ir.IntType(32))

    def added(k: Any) -> list[Any]:
        row = builder.sext(builder.load(builder.gep(numbers, [k])), ir.IntType(64))
        return Row(context, builder, kinds[2], rows, row).load()

    target.store(_add_up(context, builder, n.type(0), n, target.load(), added))


@in_lanes(_add_rows, "aiaai")
def add_rows(to: Any, at: int, rows: Any, which: Any, n: int) -> None:
    """Add rows[which[k]] to to[at], for k from 0 to n - 1."""
    target = to[at] if to.ndim > 1 else to
    for k in range(n):
        target += rows[which[k]]


def _add_row(context: Any, builder: Any, kinds: Any, values: Any, step: str = "fadd") -> None:
    to, at, rows, row = values
    target, other = Row(context, builder, kinds[0], to, at), Row(context, builder, kinds[2], rows, row)
    target.store([getattr(builder, step)(one, lanes) for one, lanes in zip(target.load(), other.load(), strict=True)])


@in_lanes(_add_row, "aiai")
def add_row(to: Any, at: int, rows: Any, row: int) -> None:
    """Add rows[row] to to[at]."""
    target = to[at] if to.ndim > 1 else to
    target += rows[row] if rows.ndim > 1 else rows


@in_lanes(functools.partial(_add_row, step="fsub"), "aiai")
def take_row(to: Any, at: int, rows: Any, row: int) -> None:
    """Take rows[row] from to[at]."""
    target = to[at] if to.ndim > 1 else to
    target -= rows[row] if rows.ndim > 1 else rows


def _add_amounts(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, at, amount, rows, which, n = values
    target = Row(context, builder, kinds[0], to, at)
    amounts, numbers = _data(context, builder, kinds[2], amount, EXACT), _data(context, builder, kinds[4], which, ir.IntType(32))
    sums = [cgutils.alloca_once_value(builder, builder.fpext(lanes, EXACTS)) for lanes in target.load()]
    with cgutils.for_range_slice(builder, n.type(0), n, ir.IntType(64)(1)) as (k, _):
        row = builder.sext(builder.load(builder.gep(numbers, [k])), ir.IntType(64))
        times = _all(builder, builder.load(builder.gep(amounts, [k])), EXACTS)
        for place, lanes in zip(sums, Row(context, builder, kinds[3], rows, row).load(), strict=True):
            total = builder.fadd(builder.load(place), builder.fmul(times, builder.fpext(lanes, EXACTS)))
            builder.store(builder.fpext(builder.fptrunc(total, NUMBERS), EXACTS), place)
    target.store([builder.fptrunc(builder.load(place), NUMBERS) for place in sums])


@in_lanes(_add_amounts, "aiaaai")
def add_amounts(to: Any, at: int, amount: Any, rows: Any, which: Any, n: int) -> None:
    """Add amount[k] * rows[which[k]] to to[at], for k from 0 to n - 1, one after the other."""
    target = to[at] if to.ndim > 1 else to
    for k in range(n):
        target[:] = target.astype(np.float64) + np.float64(amount[k]) * rows[which[k]].astype(np.float64)


def _copy_first(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, given, n = values
    target, source = (context.make_array(kind)(context, builder, array) for kind, array in zip(kinds[:2], (to, given), strict=True))
    cgutils.raw_memcpy(builder, target.data, source.data, n, target.itemsize)


@in_lanes(_copy_first, "aai")
def copy_first(to: Any, given: Any, n: int) -> None:
    """Write the first n elements of an array over those of another one like it, in one piece and not field by field."""
    to[:n] = given[:n]


def _positive(builder: Any, lanes: Any) -> Any:
    """Return the numbers, 0 for those below it."""
    nothing = lanes.type([0.0] * LANES)
    return builder.select(builder.fcmp_ordered(">", lanes, nothing), lanes, nothing)


def _put_positive(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, at, row = values
    source = Row(context, builder, kinds[2], row)
    Row(context, builder, kinds[0], to, None, at, source.width).store([_positive(builder, lanes) for lanes in source.load()])


@in_lanes(_put_positive, "aia")
def put_positive(to: Any, at: int, row: Any) -> None:
    """Write a row to to[at], to[at + 1] …, what is below 0 as 0."""
    to[at : at + len(row)] = np.maximum(row, np.float32(0))


def _put_sum(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, at, one, which, share, two, amount, rows, row = values
    first, second = Row(context, builder, kinds[2], one, which), Row(context, builder, kinds[5], two, which)
    third = Row(context, builder, kinds[7], rows, row)
    shares, amounts = _all(builder, share, EXACTS), _all(builder, amount, EXACTS)
    sums = []
    for lanes in zip(first.load(), second.load(), third.load(), strict=True):
        a, b, c = (builder.fpext(number, EXACTS) for number in lanes)
        total = builder.fadd(builder.fadd(a, builder.fmul(shares, b)), builder.fmul(amounts, c))
        sums.append(builder.fptrunc(_positive(builder, total), NUMBERS))
    Row(context, builder, kinds[0], to, None, at, first.width).store(sums)


@in_lanes(_put_sum, "aiaixaxai")
def put_sum(to: Any, at: int, one: Any, which: int, share: float, two: Any, amount: float, rows: Any, row: int) -> None:
    """Write one[which] + share * two[which] + amount * rows[row] to to[at], to[at + 1] …, what is below 0 as 0."""
    exact = [array.astype(np.float64) for array in (one[which], two[which], rows[row])]
    to[at : at + len(exact[0])] = np.maximum(exact[0] + np.float64(share) * exact[1] + np.float64(amount) * exact[2], 0)


def _put_totals(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    to, rows, n, weight, start = values
    long, width = ir.IntType(64), kinds[1].shape[-1]
    start = builder.fptrunc(start, NUMBER)
    totals, numbers = _data(context, builder, kinds[0], to, EXACT), _data(context, builder, kinds[1], rows)
    weights = Row(context, builder, kinds[3], weight).load()
    with cgutils.for_range_slice(builder, long(0), n, long(1)) as (k, _):
        row = Row(context, builder, kinds[1], rows, k)
        row.store([builder.fmul(_positive(builder, lanes), weight) for lanes, weight in zip(row.load(), weights, strict=True)])

    def add(first: Any, many: int) -> None:
        sums = [cgutils.alloca_once(builder, NUMBER) for _ in range(many)]
        for place in sums:
            builder.store(start, place)
        with cgutils.for_range_slice(builder, long(0), long(width), long(1)) as (j, _):
            for number, place in enumerate(sums):
                product = builder.load(builder.gep(numbers, [builder.add(builder.mul(builder.add(first, long(number)), long(width)), j)]))
                builder.store(builder.fadd(builder.load(place), product), place)
        for number, place in enumerate(sums):
            builder.store(builder.fpext(builder.load(place), EXACT), builder.gep(totals, [builder.add(first, long(number))]))

    with builder.if_else(builder.icmp_signed("==", n, long(1))) as (single, several):
        with single:
            add(long(0), 1)
        with several, cgutils.for_range_slice(builder, long(0), n, long(AT_ONCE)) as (first, _):
            add(first, AT_ONCE)


@in_lanes(_put_totals, "aaiax")
def put_totals(to: Any, rows: Any, n: int, weight: Any, start: float) -> None:
    """Write `start` plus the sum of rows[k] * weight to to[k], for k from 0 to n - 1, what is below 0 in the rows as 0, one number after the other.

    The rows are not as they were afterwards. Some rows are added up at once, so there must be room for a multiple of eight.
    """
    for k in range(n):
        rows[k][:] = np.maximum(rows[k], np.float32(0)) * weight
        total = np.float32(start)
        for product in rows[k]:
            total += product
        to[k] = total
