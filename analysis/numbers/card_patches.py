"""Cards too: costs that bring what access to each card is worth within its margin, before the rest of a patch is looked for.

What a card's cost does to the worth of access to it is mostly that card's own affair. So all cards that are beyond their margins are moved at once, by a Coin
each, and measured again on other deals by the denial lottery; after that a line through what was seen says how far. What becomes of overlords and match-ups
by it is mended afterwards, by other cells. In the end all cards are measured on sealed deals.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.findings_schema import FINE, UNDECIDED
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.analysis.numbers.store import key_of
from terrors.analysis.numbers.suggest import Advice, PatchSearch, suggest
from terrors.analysis.numbers.wishes import Wanted, changeable
from terrors.analysis.questions.card_tables import cards_table
from terrors.analysis.questions.headline import headline_of
from terrors.analysis.questions.lottery import denials
from terrors.analysis.questions.matchups import Groups
from terrors.analysis.source.source import Source
from terrors.analysis.source.withheld import Withheld
from terrors.analysis.trials.trials import bank
from terrors.simulator.cards.card_numbers import Number, numbers_of
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.play.movable import settings
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.stages import LOTTERY, WHOLE
from terrors.simulator.runs.storage import Folder

GAMES = 120_000  # with the denial lottery, each time that cards are measured
DENIED = 0.1
TRIES = 4  # times that costs are moved
AIM = 0.5  # of a margin: where a card is meant to be after its move
FARTHEST = 3  # Coin that a cost is moved by at most

Edits = list[tuple[Number, int]]


@dataclass(frozen=True)
class Access:
    """The worth of access to a card, how far off it may be, and the class that the report gives it."""

    card: str
    value: float
    low: float
    high: float
    margin: float
    kind: str

    @property
    def beyond(self) -> bool:
        """Whether it is off for certain, or beyond its margin as far as one can tell."""
        return self.kind not in (FINE, UNDECIDED) or (self.kind == UNDECIDED and abs(self.value) > self.margin)

    @property
    def words(self) -> str:
        """The card in words: `Thames Drowner +5.6 (margin ±4, strong)`."""
        return f"{self.card} {self.value:+.1f} (margin ±{self.margin:g}, {self.kind})".replace("-", "−")


def access_of(plan: Plan, cards: CardSet, purpose: str, margins: Margins, jobs: int, games: int = GAMES) -> dict[str, Access]:
    """Return what access to every card of a set is worth, from games of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        file, folder = Path(temporary) / "cards.csv", Path(temporary) / "run"
        file.write_text(cards.to_csv(), encoding="utf-8")
        simulate(plan.but(cards=str(file), set=(), games=games, until="", deny_lottery=DENIED, seed=bank(purpose, plan.seed)), folder, jobs=jobs)
        rows = [row for row in _cards_table(folder, margins).to_dicts() if row["group"] in HEADLINES and row["value"] is not None]
    return {row["card"]: Access(row["card"], row["value"], row["low"], row["high"], row["margin"], row["class"]) for row in rows}


def _cards_table(folder: Path, margins: Margins) -> pl.DataFrame:
    """Return the table of cards of a run with a lottery, as its analysis has it."""
    source = Source.open([folder])
    headline = headline_of(source, margins)
    drawn = source.only(WHOLE, LOTTERY).with_cells(headline.in_mix)
    return cards_table(drawn, denials(drawn), Groups(drawn, margins.casual, headline.hands), margins, source.looks(), Withheld())


def next_cost(number: Number, seen: Sequence[tuple[int, float]], margin: float) -> int:
    """Return the cost to try next, after values at some costs: one Coin the first time, later along the line through the two that are nearest to the aim."""
    cost, value = seen[-1]
    step = 1 if value > 0 else -1
    if len(seen) > 1:
        (one, first), (two, second) = sorted(seen, key=lambda pair: abs(pair[1]))[:2]
        slope = (second - first) / (two - one) if two != one else 0.0
        if slope < 0:
            step = round((AIM * margin * np.sign(value) - value) / slope) or step
    low, high = max(number.low, number.value - FARTHEST), min(number.high, number.value + FARTHEST)
    return int(np.clip(cost + step, low, high))


def mend_costs(
    job: Job, costs: Mapping[str, Number], measure: Callable[[CardSet, str], dict[str, Access]], tell: Callable[[str], None]
) -> tuple[Edits, dict[str, Access]]:
    """Return new costs that bring cards within their margins, and what they are worth as they are. `costs`: of the cards whose cost may be changed."""
    now = before = measure(job.cards, "cards as they are")
    seen = {card: [(number.value, before[card].value)] for card, number in costs.items() if card in before}
    tried: dict[str, int] = {}
    for attempt in range(TRIES):
        moved = {card: next_cost(costs[card], seen[card], now[card].margin) for card in seen if card in now and now[card].beyond}
        if not any(cost != seen[card][-1][0] for card, cost in moved.items()):
            break
        tried |= moved
        tell(f"costs of {len(moved)} cards, try {attempt + 1}")
        now = measure(job.cards.replace(tuple(costs[card].to(cost) for card, cost in tried.items())), f"cards, try {attempt + 1}")
        for card in seen:
            if card in now:
                seen[card].append((tried.get(card, costs[card].value), now[card].value))
    return [(costs[card], cost) for card, cost in tried.items() if cost != costs[card].value], before


def suggest_with_cards(
    job: Job, wanted: Wanted, games: int, jobs: int, folder: Folder | None, tell: Callable[[str], None], lottery_games: int = GAMES
) -> Advice:
    """Return what to change so that cards too are within their margins: costs of cards first, then the rest on top of them."""
    cards = job.box.cards
    job = replace(job, cards=cards, plan=job.plan.but(set=()))
    free = {number.card: number for number in changeable(cards, numbers_of(cards, job.plan.ruleset()), wanted) if number.column == "cost"}

    def measure(changed: CardSet, purpose: str, rules: Mapping[str, Any] | None = None) -> dict[str, Access]:
        plan = job.plan.but(rules={**job.plan.rules, **(rules or {})})
        kept = f"access-{key_of(replace(job, cards=changed, plan=plan), [], purpose, lottery_games, wanted.margins.card)}.json"
        if folder and (data := folder.read(kept)):
            return {card: Access(**access) for card, access in json.loads(data).items()}
        tell(f"what access to cards is worth: {purpose}")
        found = access_of(plan, changed, f"suggest {purpose}", wanted.margins, jobs, lottery_games)
        if folder:
            folder.write(kept, json.dumps({card: vars(access) for card, access in found.items()}).encode())
        return found

    others = replace(wanted, fair=tuple(word for word in wanted.fair if word != "cards") or ("overlords", "matchups"))
    as_it_is = PatchSearch(job, others, games, jobs, folder, tell).as_it_is()
    edits, before = mend_costs(job, free, measure, tell)
    as_it_is.cards = [access.words for access in before.values() if access.beyond]
    overrides, _ = settings([number for number, _ in edits], [value for _, value in edits])
    kept = replace(others, keep=(*wanted.keep, *(number.name for number, _ in edits)))
    after = suggest(replace(job, cards=cards.replace(overrides)), kept, games, jobs, folder, tell)
    found = after.suggestions if after.needed else [after.base] if edits else []
    suggestions = []
    for number, one in enumerate(found):
        whole = replace(one, edits=[*edits, *one.edits])
        overrides, rules = whole.settings()
        sealed = measure(cards.replace(overrides), f"sealed cards {number + 1}", rules)
        whole.cards = [access.words for access in sealed.values() if access.beyond]  # those that it leaves beyond their margins
        suggestions.append(whole)
    return replace(as_it_is, suggestions=suggestions, games=as_it_is.games + after.games, interrupted=after.interrupted)
