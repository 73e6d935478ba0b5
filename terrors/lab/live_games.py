"""Games that are played while somebody waits: the sides of a question, and the threads that play them.

A *side* is a card set in the hands of one pilot, with the games that it has played so far, round by round (a round is a pair of games of every match-up). Its
games are those of a run with the same plan, so the n-th round of two sides has the same deals. Sides are kept: the set as opened plays its games once for all
edits, and an edit that is taken back has its answer at once. A *question* is two sides whose games are wanted now; when nobody listens it is closed, and its
games stop.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terrors.analysis.source.source import Block, NamedCell, Source
from terrors.analysis.stats.intervals import Looks
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.kernel import layout
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import Match, MatchRecords, Ready, points
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.runs.stopping import Stopper
from terrors.simulator.terms.enums import Pile
from terrors.simulator.terms.errors import WordedError
from terrors.strategies import Strategy

BATCH = 20  # rounds that a thread plays at a time: with four overlords 240 games, a hundredth of a second
SEED = 1  # as all commands, so that their runs have the same deals
# Somebody who watches looks at every moment. These intervals hold for all looks together; they are those of runs that are told so, narrowest after some
# 30,000 games.
UNTIL = "±2"
MOST_SIDES = 40  # kept, the last ones asked for; each has a few megabytes
SEARCHED = 600  # games in which a card is looked for
MOST_MATCHES = 6  # that a thread keeps ready
BOUGHT = layout.COUNT_FIELDS.index("bought")


@dataclass(frozen=True)
class PlayedBatch:
    """Some rounds in a row, played."""

    seed: np.ndarray  # by game
    points: np.ndarray  # of the first player, doubled: half a million games of a side are some megabytes
    turns: np.ndarray
    bought: np.ndarray  # by kind: copies that both players bought in all these games


class LiveSide:
    """A card set in the hands of one pilot, and its games so far."""

    def __init__(self, cards: CardSet, rules: Mapping[str, Any], pilot: Strategy) -> None:
        """Make the set ready to be played: some hundredths of a second."""
        self.cards = cards
        self.plan = Plan(games=10**9, seed=SEED, strategies=(pilot.name,), pairing="mirror", rules=rules, until=UNTIL)
        self.box = make_box(cards, self.plan.ruleset())
        self.schedule = Schedule(self.plan, self.box, [pilot.name])
        self.ready = Ready(pilot, self.box)
        self.cells = len(self.schedule.cells)
        self.size = 1 if pilot.slow else BATCH
        self.named = [NamedCell(self.box.names[cell.a], self.box.names[cell.b], pilot.name, pilot.name) for cell in self.schedule.cells]
        self.rho = Stopper(self.plan, self.cells).rho
        self.claimed = 0  # batches that somebody plays or has played
        self._played: dict[int, PlayedBatch] = {}
        self._whole = 0  # batches from the first on, without a gap

    @property
    def rounds(self) -> int:
        """The rounds that have been played, without a gap."""
        return self._whole * self.size

    @property
    def games(self) -> int:
        """The games of these rounds."""
        return 2 * self.cells * self.rounds

    def put(self, number: int, batch: PlayedBatch) -> None:
        """Keep a batch that was played."""
        self._played[number] = batch
        while self._whole in self._played:
            self._whole += 1

    def batches(self, rounds: int) -> list[PlayedBatch]:
        """Return the batches of the first so many rounds."""
        return [self._played[number] for number in range(rounds // self.size)]

    def play(self, number: int, match: Match) -> PlayedBatch:
        """Play a batch."""
        size = 2 * self.cells * self.size
        rows = self.schedule.rows(number * size, (number + 1) * size)
        rows["cell"] = 0
        log = match.desk.log
        log.keep_turns, log.keep_purchases, log.keep_counts, log.row = 0, 0, 1, 0
        match.desk.clear_log()
        match.counts.fill(0)
        match.play_all(rows)
        made, turns = (2 * points(rows["winner"])).astype(np.int8), rows["turns"].astype(np.int16)
        return PlayedBatch(rows["seed"].copy(), made, turns, match.counts[0, :, :, BOUGHT].sum(0))


class LiveSource(Source):
    """The first rounds of a side, as the functions that analyse runs read them."""

    def __init__(self, side: LiveSide, rounds: int) -> None:
        """Take the rounds."""
        self.side, self.rounds = side, rounds
        self.runs, self.boxes = [], [side.box]
        self.cells, self.groups = side.named, list(dict.fromkeys(cell.group for cell in side.named))
        self.group_of = np.zeros(len(side.named), np.int64)
        self.market = sorted(card.name for card in side.cards.pile(Pile.MARKET))

    def only(self, *stages: str) -> Source:
        """Return these games: they have no stages."""
        return self

    def looks(self) -> Looks:
        """Return the looks that intervals must allow for: any number of them."""
        return Looks(self.rounds, self.side.rho)

    def blocks(self, influences: bool = False, denied: bool = False, bought: bool = False) -> Iterator[Block]:
        """Yield all games as one block."""
        batches = self.side.batches(self.rounds)
        seed, made, turns = (np.concatenate([getattr(batch, name) for batch in batches]) for name in ("seed", "points", "turns"))
        game, made = np.arange(len(seed)), made / 2
        deal_seed, deal = np.unique(seed, return_inverse=True)
        none = np.zeros(len(seed), bool)
        yield Block(
            game, seed, game // 2 % self.side.cells, game % 2, made, made == 0.5, none, none, turns, deal, len(deal_seed), deal_seed=deal_seed
        )  # fmt: skip


@dataclass(eq=False)
class LiveQuestion:
    """Two sides whose games somebody waits for. `changed` is called by any thread, whenever there are more."""

    before: LiveSide
    after: LiveSide
    changed: Callable[[], None]
    most: int = 10**9  # rounds; enough is enough
    failed: str = ""  # in one sentence, if it cannot be played

    @property
    def sides(self) -> tuple[LiveSide, ...]:
        """The sides, once if they are the same."""
        return (self.before,) if self.before is self.after else (self.before, self.after)

    @property
    def rounds(self) -> int:
        """The rounds that both sides have played."""
        return min(min(side.rounds for side in self.sides), self.most)

    def wanted(self) -> LiveSide | None:
        """Return the side that is behind; None if both have played enough."""
        side = min(self.sides, key=lambda side: side.claimed)
        return side if side.claimed * side.size < self.most and not self.failed else None


@dataclass
class ThreadBench:
    """The records of one thread, and the matches that it has ready."""

    desk: MatchRecords = field(default_factory=MatchRecords)
    matches: OrderedDict[LiveSide, Match] = field(default_factory=OrderedDict)

    def match(self, side: LiveSide) -> Match:
        """Return a match of a side, made ready if it is not there."""
        if side not in self.matches:
            self.matches[side] = Match(side.box, side.ready, side.ready, self.desk)
            while len(self.matches) > MOST_MATCHES:
                self.matches.popitem(last=False)
        self.matches.move_to_end(side)
        return self.matches[side]


class LiveGames:
    """Plays what is asked, in threads: the engine lets go of Python's lock. Questions take turns."""

    def __init__(self, jobs: int) -> None:
        """Begin with nothing to play."""
        self._jobs = jobs
        self._changed = threading.Condition()
        self._questions: list[LiveQuestion] = []
        self._sides: OrderedDict[tuple[str, ...], LiveSide] = OrderedDict()
        self._threads: list[threading.Thread] = []
        self.played = 0  # games, since the beginning

    def side(self, cards: CardSet, rules: Mapping[str, Any], pilot: Strategy) -> LiveSide:
        """Return the side of a set and a pilot, with the games that it has played already."""
        key = cards.sha256, repr(sorted(rules.items())), pilot.name, pilot.sha256
        with self._changed:
            if key in self._sides:
                self._sides.move_to_end(key)
                return self._sides[key]
        made = LiveSide(cards, rules, pilot)
        with self._changed:
            found = self._sides.setdefault(key, made)
            while len(self._sides) > MOST_SIDES:
                self._sides.popitem(last=False)
        return found

    def open(self, question: LiveQuestion) -> None:
        """Let a question be played from now on."""
        with self._changed:
            self._questions.append(question)
            while len(self._threads) < self._jobs:
                self._threads.append(threading.Thread(target=self._work, daemon=True, name=f"games {len(self._threads)}"))
                self._threads[-1].start()
            self._changed.notify_all()

    def close(self, question: LiveQuestion) -> None:
        """Play no more for it."""
        with self._changed:
            if question in self._questions:
                self._questions.remove(question)

    @property
    def busy(self) -> bool:
        """Whether anything is being played for anybody."""
        return bool(self._questions)

    def _next(self) -> tuple[LiveQuestion, LiveSide, int]:
        """Return what to play next, waiting for it; the question goes to the end of the line."""
        with self._changed:
            while True:
                for question in self._questions:
                    if (side := question.wanted()) is not None:
                        self._questions.remove(question)
                        self._questions.append(question)
                        side.claimed += 1
                        return question, side, side.claimed - 1
                self._changed.wait()

    def _work(self) -> None:
        bench = ThreadBench()
        while True:
            question, side, number = self._next()
            try:
                batch = side.play(number, bench.match(side))
            except WordedError as error:
                question.failed = str(error)
            else:
                with self._changed:
                    side.put(number, batch)
                    self.played += len(batch.seed)
            for one in list(self._questions):
                if side in one.sides:
                    one.changed()


def games_with(job: Job, kind: int, most: int) -> list[int]:
    """Return the first games of a job in which somebody buys a card of that kind: their numbers. Only some hundred games are looked at."""
    ready, desk = Ready(job.players[0], job.box), MatchRecords()
    match, found = Match(job.box, ready, ready, desk), []
    log = desk.log
    log.keep_turns, log.keep_purchases, log.keep_counts = 0, 0, 1
    for number in range(SEARCHED):
        rows = job.schedule.rows(number, number + 1)
        rows["cell"] = 0
        desk.clear_log()
        match.counts.fill(0)
        match.play_all(rows)
        if match.counts[0, :, kind, BOUGHT].any():
            found.append(number)
            if len(found) == most:
                break
    return found
