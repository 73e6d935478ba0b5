"""The learnt numbers by which positions are valued (kit/prospects.py): their file, and what they make of the cards of a set.

A card is described by what it has (`describe`): its abilities, triggers, Horde indicators, cost and type, never by its name. One encoder, the same for all
cards, makes a row of numbers of that for each place where a card may lie. So a card that nobody has seen before is valued by what it can do.
`terrors train --value` makes the file of those who play quickly, `terrors train --foresight` that of those who look ahead;
analysis/players/value_training.py and foresight.py say how.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from terrors.simulator.kernel.layout import FEATURE_FIELDS
from terrors.simulator.kernel.work_layout import INNER, PLACES, SIDE_FACTS, TABLE_FACTS, WIDTH
from terrors.simulator.terms.enums import CardType, Effect, Event, Faction, Per
from terrors.simulator.terms.limited_file import read_limited
from terrors.strategies.formats.known import PLANS
from terrors.strategies.formats.registry import StrategyError
from terrors.strategies.kit.prospects import CYCLE, FINE, STREET
from terrors.strategies.kit.taste import PLAYED

BASE = PLANS / "tuned.json"  # how turns are played on where no value is asked
FILE = PLANS / "expert.json"  # the one that ships, for those who play quickly,
FORESIGHT = PLANS / "formats" / "foresight.json"  # and for those who look ahead
ENCODED = 32  # numbers that the encoder makes of a card beside its description
DEEDS: tuple[Effect, ...] = (
    Effect.DISCARD, Effect.LOSE_HEALTH, Effect.HAUNT, Effect.HAUNT_ANOTHER, Effect.BUY_WITH, Effect.CLAIM_NEXT, Effect.LOOK, Effect.ACTIVATE, Effect.CONVERT,
    Effect.TAKE, Effect.SHUFFLE,
)  # fmt: skip
DESCRIBED = (
    *FEATURE_FIELDS, "monster", "relic", "influence", "overlord", "cost", "for sale", "health", "faction", *(f.label.lower() for f in Faction.PRINTED),
    "left", "right", *(f"does {e.name.lower()}" for e in DEEDS), *(f"on {e.name.lower()}" for e in Event), "on a faction played",
    *(f"per {p.name.lower()}" for p in Per if p), "conditional",
)  # fmt: skip
Weights = dict[str, np.ndarray]
SHAPES: dict[str, tuple[int, ...]] = {
    "encode": (len(DESCRIBED), ENCODED), "encode_bias": (ENCODED,), "place": (PLACES, len(DESCRIBED) + ENCODED, WIDTH), "side_fact": (SIDE_FACTS, WIDTH),
    "side_bias": (WIDTH,), "street_bias": (WIDTH,), "inner": (3 * WIDTH + TABLE_FACTS, INNER), "inner_bias": (INNER,), "out": (INNER,), "out_bias": (),
}  # fmt: skip


def describe(box: Any) -> np.ndarray:
    """Return a row of numbers for each card of a box (its record), all of them about 1 where they are not 0."""
    n = int(box.kinds)
    rows = np.zeros((n, len(DESCRIBED)), np.float32)
    column = {name: rows[:, at] for at, name in enumerate(DESCRIBED)}
    cards, has = np.asarray(box.card)[:n], np.asarray(box.has)[:n]
    for name in FEATURE_FIELDS:
        column[name][:] = np.minimum(has[name], 12) / 2
    for sort in (CardType.MONSTER, CardType.RELIC, CardType.INFLUENCE, CardType.OVERLORD):
        column[sort.name.lower()][:] = cards["type"] == sort
    column["for sale"][:] = cards["cost"] >= 0
    column["cost"][:] = np.maximum(0, cards["cost"]) / 4
    column["health"][:] = cards["health"] / 50
    column["faction"][:] = cards["faction"] > 0
    for number, faction in enumerate(Faction.PRINTED, 1):  # those of a set's own are known by nothing else
        column[faction.label.lower()][:] = cards["faction"] == number
    column["left"][:], column["right"][:] = cards["link_left"] > 0, cards["link_right"] > 0
    describe_programs(box, cards, column)
    describe_triggers(cards, column)
    return rows


def describe_programs(box: Any, cards: np.ndarray, column: dict[str, np.ndarray]) -> None:
    """Write what the abilities of cards do."""
    spans = [(cards["program"], np.full(len(cards), True))]
    spans += [(cards["horde"][:, number], cards["hordes"] > number) for number in range(cards["horde"].shape[1])]
    spans += [(cards["trigger"][:, number], cards["triggers"] > number) for number in range(cards["trigger"].shape[1])]
    kind = np.concatenate([np.flatnonzero(there) for _, there in spans])
    begin, end = (np.concatenate([span[name][there] for span, there in spans]).astype(np.int64) for name in ("pc", "end"))
    length = end - begin
    owner = np.repeat(kind, length)
    program = np.asarray(box.effect)[np.arange(len(owner)) + np.repeat(begin - (np.cumsum(length) - length), length)]
    for deed in DEEDS:
        mine = program["effect"] == deed
        np.add.at(column[f"does {deed.name.lower()}"], owner[mine], np.clip(program["amount"][mine], 1, 6) / 2)
    np.add.at(column["conditional"], owner[program["effect"] == Effect.IF], 1)
    for per in filter(None, Per):
        np.add.at(column[f"per {per.name.lower()}"], owner[program["per"] == per], 0.5)


def describe_triggers(cards: np.ndarray, column: dict[str, np.ndarray]) -> None:
    """Write what cards listen to; what they hear only once in a turn counts half."""
    for number in range(cards["trigger"].shape[1]):
        trigger = cards["trigger"][:, number]
        often = np.where(cards["triggers"] > number, np.where(trigger["first"] != 0, 0.5, 1.0), 0.0)
        for event in Event:
            column[f"on {event.name.lower()}"][:] += often * (trigger["event"] == event)
        column["on a faction played"][:] += often * np.isin(trigger["event"], list(PLAYED))


def encode(weights: Weights, described: np.ndarray) -> np.ndarray:
    """Return the description of each card and what the encoder makes of it."""
    return np.concatenate([described, np.maximum(0, described @ weights["encode"] + weights["encode_bias"])], 1)


def rows_of_cards(weights: Weights, described: np.ndarray) -> np.ndarray:
    """Return what each card adds in each place: by kind, place and number. Whole multiples of 1 / FINE: sums are the same in any order."""
    rows = np.einsum("ke,pew->kpw", encode(weights, described), weights["place"])
    return np.asarray(np.clip(np.round(rows * FINE), -8 * FINE, 8 * FINE) / FINE, np.float32)


def fill_value(weights: Weights, box: Any, work: Any) -> None:
    """Write the numbers into a work area, and what they make of the cards of a box (its record)."""
    value = work.value
    n = int(box.kinds)
    rows = rows_of_cards(weights, describe(box))
    np.asarray(value.card)[: n * PLACES] = rows.reshape(n * PLACES, WIDTH)
    kind_of = np.asarray(box.kind_of)
    for mean, pile, size, place in (("acolyte", box.acolyte, box.acolytes_n, CYCLE), ("fresh", box.market, box.market_n, STREET)):
        if size:
            value[mean] = np.round(FINE * rows[kind_of[np.asarray(pile)[:size]], place].mean(0)) / FINE
    for name in ("side_fact", "side_bias", "street_bias", "inner", "inner_bias", "out", "out_bias"):
        value[name] = weights[name]


@dataclass(frozen=True)
class LearntValue:
    """The content of a file."""

    plan: str
    weights: Weights
    training: dict[str, Any] = field(default_factory=dict)  # what it comes from


def _remedy(path: Path) -> str:
    """Return how to make a file that is missing or does not fit."""
    return f"make it with terrors train --{'foresight' if path == FORESIGHT else 'value'}"


@cache
def _read(path: Path, changed: int) -> LearntValue:
    """Return the content of a file; it is read again when it has changed."""
    remedy = _remedy(path)
    try:
        data = json.loads(read_limited(path).decode())
    except (OSError, ValueError, RecursionError) as error:
        raise StrategyError(f"{path}: this is no JSON file ({error}); {remedy}.") from None
    if not isinstance(data, dict) or not isinstance(data.get("plan"), str) or not isinstance(data.get("weights"), dict):
        raise StrategyError(f"{path}: a file of values has a plan in words and weights; {remedy}.")
    if data.get("described") != list(DESCRIBED):
        raise StrategyError(f"{path}: this value was learnt from other descriptions of cards than this version makes; {remedy}.")
    weights: Weights = {}
    for name, shape in SHAPES.items():
        try:
            weights[name] = np.array(data["weights"][name], np.float32)
        except (KeyError, TypeError, ValueError):
            raise StrategyError(f"{path}, {name}: there are no such numbers; {remedy}.") from None
        if weights[name].shape != shape or not np.isfinite(weights[name]).all():
            raise StrategyError(f"{path}, {name}: these numbers do not fit (expected {shape}, found {weights[name].shape}); {remedy}.")
    return LearntValue(data["plan"], weights, data.get("training") or {})


def read_value(path: Path = FILE) -> LearntValue:
    """Return the content of a file of values, or raise a StrategyError that names what is wrong with it: nobody plays on without it."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise StrategyError(f"{path}: the learnt value of positions cannot be read ({error.strerror}); {_remedy(path)}.") from None


def content_of(value: LearntValue) -> bytes:
    """Return the content of a file of values; the numbers with as many digits as matter."""
    weights = {name: np.round(array.astype(float), 5).tolist() for name, array in value.weights.items()}
    data = {"plan": value.plan, "training": value.training, "described": list(DESCRIBED), "weights": weights}
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("],[", "],\n[") + "\n").encode()
