"""A strategy as a file of numbers: what each ability is worth early, in the middle and late in a game, with each overlord. `terrors train` finds them.

It plays its turns as the styles do (turn.py). Where a style has one taste, this has one for each overlord, and within that one for each third of the game. A
numbers file is JSON; `tuned.json` is the one that ships. An overlord that the file does not know plays by the numbers of `any`.

To search for numbers, they are written as a vector: how far each one is from a sensible player's (`Taste`), on a scale where 1 is a large step.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Mapping
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from terrors.simulator.kernel.jit import BoxRecord, WorkRecord, rule
from terrors.simulator.kernel.records import record, with_attributes
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.vectors import copy_first
from terrors.simulator.kernel.work_layout import OPINION, TABLES, WANTS, WORK
from terrors.simulator.terms.limited_file import read_limited
from terrors.simulator.terms.text import shown
from terrors.strategies.formats.known import PLANS
from terrors.strategies.formats.registry import HELPERS, Strategy, StrategyError, reads, strategy
from terrors.strategies.kit.taste import Cards, Taste, set_wants
from terrors.strategies.kit.turn import play_well

PHASES = ("early", "middle", "late")
# Numbers that change in the course of a game; those of `Taste` that do not; and what both are to begin with. Power is the unit and stays 1.
PHASED = (
    "coin", "health", "draw", "curse", "destroy", "command", "muster", "rage", "haunt", "haunt_another", "sacrifice", "discard", "armor", "reveal", "other",
    "horde", "relic",
)  # fmt: skip
ALWAYS = ("opening", "average", "horizon", "acolyte", "loyal", "link", "chain", "stay", "keep", "wait", "deny")
SIZE = len(PHASES) * len(PHASED) + len(ALWAYS)
SENSIBLE = Taste()
COIN = {"early": SENSIBLE.coin, "middle": (SENSIBLE.coin + SENSIBLE.coin_late) / 2, "late": SENSIBLE.coin_late}
STEP = 0.5  # how much the logarithm of a number changes by 1 in the vector
FLAT_STEP = 0.3  # the same for those that begin at 0: the number itself
Numbers = dict[str, dict[str, float]]  # by phase and `always`, by name

LARGEST = 1e6  # of a number in a file; sensible ones are below 100
MOST_VERSIONS = 1 << 14  # of cards, whose opinions are kept: some megabytes
ANY, NOBODY = TABLES - 1, -2  # the table of overlords without one of their own; the owner of an empty table


def sensible(part: str, name: str) -> float:
    """Return a number to begin with."""
    return COIN[part] if name == "coin" else getattr(SENSIBLE, name)


def names() -> list[tuple[str, str]]:
    """Return the name of each entry of the vector: phase or `always`, and name."""
    return [(phase, name) for phase in PHASES for name in PHASED] + [("always", name) for name in ALWAYS]


def numbers_of(vector: np.ndarray) -> Numbers:
    """Return the numbers that a vector means."""
    found: Numbers = {part: {} for part in (*PHASES, "always")}
    for (part, name), x in zip(names(), vector, strict=True):
        base = sensible(part, name)
        found[part][name] = round(float(base * np.exp(STEP * x) if base > 0 else max(0.0, FLAT_STEP * x)), 4)
    return found


def vector_of(numbers: Numbers) -> np.ndarray:
    """Return the vector of some numbers."""
    found = []
    for part, name in names():
        base, value = sensible(part, name), numbers[part][name]
        found.append(np.log(max(value, 1e-3) / base) / STEP if base > 0 else value / FLAT_STEP)
    return np.array(found)


def taste_of(numbers: Numbers, phase: str) -> Taste:
    """Return the taste of one third of a game."""
    return dataclasses.replace(SENSIBLE, **numbers[phase], **numbers["always"], coin_late=numbers[phase]["coin"])


def opinions_of(numbers: Numbers, cards: Cards) -> np.ndarray:
    """Return what these numbers mean for each card."""
    tastes = {phase: taste_of(numbers, phase) for phase in PHASES}
    worths = {phase: np.where(cards.relic, taste.relic, 1.0) * cards.worth(taste, taste.coin) for phase, taste in tastes.items()}
    of = np.zeros(len(cards.order), OPINION)
    of["early"], of["late"] = worths["early"], worths["late"]
    straight = (worths["early"] + worths["late"]) / 2
    of["bend"] = 2 * (worths["middle"] - straight)  # half of it counts in the middle (valuation.card_worth)
    of["keep"] = np.where(cards.influence, cards.worth(tastes["early"], tastes["early"].opening), straight)
    of["play"], of["moment"] = cards.order, cards.moment
    of["look_again"] = cards.has["draw"] + cards.has["command"] + cards.has["reveal"]
    return of


def fill_table(numbers: Numbers, cards: Cards, work: Any, table: int, overlord: int) -> None:
    """Write down what these numbers mean for each card, as the opinions of one overlord (a kind; -1 = any)."""
    np.asarray(work.others)[table][: len(cards.order)] = opinions_of(numbers, cards)
    set_wants(taste_of(numbers, "middle"), work.wants_of[table])
    work.table_of[table] = overlord
    work.loaded = -1


def fill(by_overlord: Mapping[str, Numbers], box: Any, work: Any) -> None:
    """Fill a work area with the numbers of every overlord of a box (its record): they are known by name, whatever else is in the set."""
    last: Opinions | None = getattr(_formed, "last", None)
    if last is None or last.numbers is not by_overlord or last.names != names_in(box):
        last = _formed.last = Opinions(by_overlord, box)
    last.write(box, work)


def names_in(box: Any) -> bytes:
    """Return the names of the cards in a box, as their luck."""
    return np.asarray(box.luck)[: int(box.kinds)].tobytes()


def content_of(box: Any) -> list[bytes]:
    """Return for each card all that opinions of it depend on: its row, what it has, and its program."""
    n = int(box.kinds)
    spans = [(int(pc), int(end)) for pc, end in np.asarray(box.card)["program"][:n].tolist()]
    programs = np.asarray(box.effect)[: max((end for _, end in spans), default=0)]
    cards, has, rows = (array.tobytes() for array in (np.asarray(box.card)[:n], np.asarray(box.has)[:n], programs))
    a, b, c = box.card.itemsize, box.has.itemsize, box.effect.itemsize
    return [cards[a * kind : a * kind + a] + has[b * kind : b * kind + b] + rows[c * pc : c * end] for kind, (pc, end) in enumerate(spans)]


class Opinions:
    """The meaning of some numbers for the cards of a set, and of versions of it, ready to be written into work areas.

    Most matches have two sides that think alike, and a version has few cards that are not as they were. Each version of a card is thought about once.
    """

    def __init__(self, numbers: Mapping[str, Numbers], box: Any) -> None:
        """Find the overlords that have numbers of their own."""
        self.numbers, self.names = numbers, names_in(box)
        keys = {key_of(name, 0): mine for name, mine in numbers.items() if name != "any"}
        known = [(kind, keys[int(luck)]) for kind, luck in enumerate(box.luck[: int(box.kinds)]) if int(luck) in keys]
        self._tables = {ANY: numbers["any"]} | {table: mine for table, (_, mine) in enumerate(known[:ANY])}
        self._owners = np.full(TABLES, NOBODY)
        self._owners[[ANY, *range(len(known[:ANY]))]] = [-1, *(kind for kind, _ in known[:ANY])]
        self._wants = np.zeros(TABLES, with_attributes(WANTS))
        for table, mine in self._tables.items():
            set_wants(taste_of(mine, "middle"), self._wants[table])
        self._places: dict[bytes, int] = {}  # of versions of cards among those that were thought about
        self._formed = np.zeros((TABLES, 0), OPINION)
        self._last: tuple[list[bytes], np.ndarray] = [], self._formed

    def write(self, box: Any, work: Any) -> None:
        """Write them into a work area, for the cards as they are in this box."""
        content = content_of(box)
        if content != self._last[0]:
            self._think(box, content)
            self._last = content, self._formed.take([self._places[card] for card in content], 1)
        np.asarray(work.others)[:, : len(content)] = self._last[1]
        np.asarray(work.wants_of)[:] = self._wants
        np.asarray(work.table_of)[:] = self._owners
        work.loaded = -1

    def _think(self, box: Any, content: list[bytes]) -> None:
        """Think about the cards that are new."""
        if len(self._places) > MOST_VERSIONS:
            self._places, self._formed = {}, self._formed[:, :0]
        new = {card: kind for kind, card in enumerate(content) if card not in self._places}
        if new:
            cards, formed = Cards(box), np.zeros((TABLES, len(content)), OPINION)
            for table, mine in self._tables.items():
                formed[table] = opinions_of(mine, cards)
            self._places |= {card: place for place, card in enumerate(new, len(self._places))}
            self._formed = np.concatenate([self._formed, formed[:, list(new.values())]], 1)


_formed = threading.local()


@rule
def think_as(box: BoxRecord, work: WorkRecord, overlord: int) -> None:
    """Bring the opinions of an overlord to where the styles look for them."""
    if work.loaded == overlord:
        return
    table = ANY
    for i in range(ANY):
        if work.table_of[i] == overlord:
            table = i
    copy_first(work.of, work.others[table], box.kinds)
    work.wants = work.wants_of[table]
    work.loaded = overlord


@strategy
def choose(game, box, options, work, me):
    """Return an answer by the numbers of the own overlord."""
    think_as(box, work, game.player[me].overlord)
    return play_well(game, box, options, work, me)


class NumberStrategy(Strategy):
    """A strategy that plays by a file of numbers."""

    def __init__(self, path: Path) -> None:
        """Read the file; StrategyError says what is wrong with it."""
        data = read_numbers(path)
        self.numbers: dict[str, Numbers] = data["overlords"]
        self.function, self.path, self.name, self.words = choose.function, path, path.stem, data["plan"]

    @cached_property
    def sha256(self) -> str:
        """The hash of the file and of everything that plays by it."""
        helpers = [PLANS / f"{name}.py" for name in ("formats/numbers", *HELPERS)]
        return hashlib.sha256(b"".join(path.read_bytes() for path in (self.path, *helpers))).hexdigest()

    @property
    def compiled(self) -> Any:
        """The one function that plays by all files of numbers."""
        return choose.compiled

    def work(self, box: Any) -> Any:
        """Return a work area with what the numbers mean for the cards of this box."""
        area = record(WORK)
        self.think_again(box, area)
        return area

    def think_again(self, box: Any, area: Any) -> None:
        """Fill a work area of this strategy with what the numbers mean for the cards of another box."""
        fill(self.numbers, box.record, area)


@reads(".json")
def read_strategy(path: Path) -> Strategy:
    """Return the strategy of a JSON file: it plays by numbers, or by the learnt value of positions (expert.py)."""
    try:
        learnt = b'"weights"' in read_limited(path)
    except (OSError, ValueError):
        learnt = False
    if not learnt:
        return NumberStrategy(path)
    from terrors.strategies.formats.expert import Expert  # when it is needed: the rules are compiled into it

    return Expert(path)


def read_numbers(path: Path) -> dict[str, Any]:
    """Return the content of a file of numbers, or raise a StrategyError that names what is wrong with it."""
    try:
        data = json.loads(read_limited(path).decode())
    except (OSError, ValueError, RecursionError) as error:
        raise StrategyError(f"{path}: this is no JSON file: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("plan"), str) or not isinstance(data.get("overlords"), dict) or "any" not in data["overlords"]:
        raise StrategyError(f"{path}: a file of numbers has a plan in words and the numbers of its overlords, `any` among them; make one with terrors train.")
    wanted = names()
    for overlord, numbers in data["overlords"].items():
        parts = numbers if isinstance(numbers, dict) else {}
        for part, name in wanted:
            value = parts[part].get(name) if isinstance(parts.get(part), dict) else None
            if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and isnan(value)):
                raise StrategyError(f"{path}, {shown(overlord)}, {part}, {name}: there is no number; make the file with terrors train.")
            if not -LARGEST <= value <= LARGEST:
                raise StrategyError(f"{path}, {shown(overlord)}, {part}, {name}: {shown(str(value))} is too large; make the file with terrors train.")
        for part, inner in parts.items():
            for name in inner if isinstance(inner, dict) else ("",):
                if (part, name) not in wanted:
                    raise StrategyError(f"{path}, {shown(overlord)}, {shown(part)}, {shown(name)}: nothing goes by that name; leave it out.")
    return data
