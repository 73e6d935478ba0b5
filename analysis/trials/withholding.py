"""Games of a run played again with a card withheld from its buyer: what access to it, and one copy, are worth in the hands that judge.

Each is the same game up to the purchase (luck is keyed), so the result of the game as it was played is the other branch: a fork for the price of one game, at
a purchase that the pilot really made. Which games are taken is decided by their luck, and how many of which card by how often it is bought: by nothing that
they could show.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import joblib
import numpy as np
import polars as pl

from terrors.analysis.questions.lottery import comes_early
from terrors.analysis.source.source import categories
from terrors.analysis.source.withheld import ALL, Replays, Withheld, read_withheld
from terrors.analysis.verdicts.judge import access_margin
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import mixed
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import Match, MatchRecords, points
from terrors.simulator.runs.job import Job, key_of_identity, part_name
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.stages import DECIDE, WHOLE, deciding
from terrors.simulator.terms.enums import Pile

EACH = 200  # games of a card at least: what a copy is worth is known to ±6 points or so
USUAL_SD = 0.47  # of what a game gains by a card: only for how many games to take
FINE_ENOUGH = 3.0  # access is to be known to the margin divided by this
SEATS = ("first", "second")


@dataclass
class Base:
    """The games of a run that may be played again: the last ones without a lottery, in the hands that judge."""

    rows: np.ndarray  # as they were dealt
    points: np.ndarray  # of the first player
    group: np.ndarray  # who plays whom
    copies: dict[str, tuple[np.ndarray, np.ndarray]]  # by card: by game, the copies of the first player and of the second


def base_of(run: Run, job: Job) -> Base | None:
    """Return the games of a run that may be played again; None if there are none yet."""
    schedule = job.schedule
    found_at = [at for at, stage in enumerate(schedule.stages) if stage.name in (WHOLE, DECIDE)]
    if not found_at:
        return None
    stage, start = schedule.stages[found_at[0]], schedule.starts[found_at[0]]
    stop = min(start + 2 * stage.pairs, run.info["tallies"]["games"])
    number = np.arange(start, stop)
    cell, _ = schedule.where(number // 2)
    wanted = number[np.isin(cell, deciding(stage))]
    if not len(wanted):
        return None
    games = run.games.filter(pl.col("game").is_between(start, stop - 1)).select("game", pl.col("winner").cast(pl.String)).collect().sort("game")
    wanted = wanted[np.isin(wanted, games["game"].to_numpy())]
    winner = games["winner"].to_numpy()[np.searchsorted(games["game"].to_numpy(), wanted)]
    numbers = {group: at for at, group in enumerate(schedule.groups)}
    group = np.array([numbers[one.a_strategy, one.b_strategy] for one in schedule.cells])[cell[wanted - start]]
    found = Base(schedule.rows(start, stop)[wanted - start], points(np.select([winner == name for name in SEATS], [0, 1], 2)), group, {})
    parts = [part_name("purchases", record["start"]) for record in run.info["parts"] if record["start"] < stop and record["stop"] > start]
    bought = run.scan(parts).filter(pl.col("game").is_between(start, stop - 1)).select("game", "seat", "card").collect()
    place = np.full(stop - start, -1)
    place[wanted - start] = np.arange(len(wanted))
    at = place[bought["game"].to_numpy() - start]
    whose = 2 * bought["card"].to_physical().to_numpy().astype(np.uint16) + bought["seat"].to_physical().to_numpy()
    order = np.argsort(whose, kind="stable")
    order = order[at[order] >= 0]
    names = categories(bought["card"])
    ends = np.searchsorted(whose[order], np.arange(2 * len(names) + 1))
    mine = [at[order[begin:end]] for begin, end in pairwise(ends.tolist())]
    for kind in np.unique(whose[order] // 2).tolist():
        first, second = (np.bincount(mine[2 * kind + side], minlength=len(wanted)).astype(np.int32) for side in range(2))
        found.copies[names[kind]] = first, second
    return found


def play_withheld(run: Run, job: Job, games: int, margin: float, jobs: int = 1) -> Withheld:
    """Play at most so many games again, over all cards; keep what they show in the run's folder. `margin`: of a card's access value, in points."""
    key = key_of_identity(run.info["identity"])
    kept = read_withheld([(run.folder, key)])
    if kept.asked == (games, run.info["tallies"]["games"]):
        return kept
    base = base_of(run, job)
    if base is None:
        return Withheld()
    market = [card for card in job.cards.cards if card.pile == Pile.MARKET]
    shares = np.array([sum(float((copies > 0).mean()) for copies in base.copies.get(card.name, ())) / 2 for card in market])
    bounds = np.array([access_margin(margin, card.copies, [one.copies for one in market]) for card in market])
    sizes = shared_out(shares, bounds, games)
    work = [(job, base, card.name, int(size)) for card, size in zip(market, sizes, strict=True)]
    parts = [work[at::jobs] for at in range(jobs)]
    done = joblib.Parallel(n_jobs=jobs, backend="threading")(joblib.delayed(_play_cards)(part) for part in parts)
    found = Withheld({name: levels for part in done for name, levels in part}, (games, run.info["tallies"]["games"]))
    found.write(run.folder, key)
    return found


def shared_out(shares: np.ndarray, margins: np.ndarray, games: int) -> np.ndarray:
    """Return how many games of each card to play again. `shares`: how often a player buys it, of 1."""
    wished = np.maximum(EACH, (1.96 * shares * 100 * USUAL_SD * FINE_ENOUGH / margins) ** 2)
    each = min(EACH, games // max(1, len(shares)))
    more = wished - each
    return np.floor(each + more * min(1.0, max(0.0, games - each * len(shares)) / max(1.0, more.sum()))).astype(np.int64)


def _play_cards(work: list[tuple[Job, Base, str, int]]) -> list[tuple[str, dict[tuple[str, str], Replays]]]:
    """Play the games of some cards; one thread."""
    if not work:
        return []
    job, base = work[0][:2]
    bench = _Bench(job, base)
    return [(name, bench.card(name, size)) for _, _, name, size in work]


class _Bench:
    """The records of one thread: a box of its own, in which one card at a time is denied."""

    def __init__(self, job: Job, base: Base) -> None:
        self.job, self.base = job, base
        plain = job.schedule.plain_box
        self.box = Box(plain.cards, plain.rules, plain.interventions, plain.record.copy(), plain.names, plain.copies, plain.alternatives)
        self.desk = MatchRecords()
        self.matches: dict[int, Match] = {}
        overlords = np.stack([base.rows["first"], base.rows["second"]], 1)
        self.levels = [(ALL, np.ones(overlords.shape, bool))]  # by game and seat, which belong to each; but for those that depend on the card
        self.levels += [(("overlord", plain.names[int(kind)]), overlords == kind) for kind in np.unique(overlords)]
        self.levels += [(("seat", SEATS[side]), np.broadcast_to(np.arange(2) == side, overlords.shape)) for side in range(2)]

    def match(self, group: int) -> Match:
        if group not in self.matches:
            one, two = (self.job.ready[number] for number in self.job.schedule.groups[group])
            self.matches[group] = Match(self.box, one, two, self.desk)
        return self.matches[group]

    def card(self, name: str, size: int) -> dict[tuple[str, str], Replays]:
        """Return what withholding a card shows, in at most so many games."""
        base = self.base
        copies = base.copies.get(name, (np.zeros(len(base.rows), np.int32),) * 2)
        game, seat = (np.concatenate(parts) for parts in zip(*((np.flatnonzero(own), np.full((own > 0).sum(), side)) for side, own in enumerate(copies)),
                                                             strict=True))  # fmt: skip
        of_game = (2 * base.rows["swapped"][game].astype(np.int64) + seat).astype(np.uint64)  # those of one deal are not taken one after the other
        luck = mixed(mixed(base.rows["seed"][game] ^ np.uint64(key_of(f"withheld: {name}", 0))) + of_game)
        order = np.lexsort((seat, game, luck))[:size]
        taken_game, taken_seat = game[order], seat[order]
        played = np.zeros(len(order)), np.zeros((len(order), 2), np.int32)
        for side in range(2):
            mine = np.flatnonzero(taken_seat == side)
            played[0][mine], played[1][mine] = self.without(name, side, taken_game[mine])
        sign = np.where(taken_seat == 0, 1.0, -1.0)
        gain = sign * (base.points[taken_game] - played[0])
        held = np.stack([own[taken_game] for own in copies], 1)
        moved = sign * ((held[:, 0] - held[:, 1]) - (played[1][:, 0] - played[1][:, 1]))
        keys = [key_of(name, copy) for copy in range(1, 1 + self.box.cards.by_name(name).copies)]
        early = np.broadcast_to(comes_early(base.rows["seed"], [keys]), (len(base.rows), 2))
        found, bought = {}, np.stack(copies, 1) > 0
        for level, there in (*self.levels, (("market", "early"), early), (("market", "late"), ~early)):
            found[level] = replays = Replays(int(np.count_nonzero(there)), int(np.count_nonzero(there & bought)))
            mine = there[taken_game, taken_seat]
            replays.add(base.rows["seed"][taken_game[mine]], gain[mine], moved[mine])
        return found

    def without(self, name: str, seat: int, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return points and copies of the first player and of the second, in games with a card denied to a seat."""
        record, kind, log = self.box.record, self.box.kind(name), self.desk.log
        deny, denials = int(record.deny[kind]), int(record.denials)
        record.deny[kind], record.denials = deny | 1 << seat, 1
        made, held = np.zeros(len(games)), np.zeros((len(games), 2), np.int32)
        for group in np.unique(self.base.group[games]):
            mine = np.flatnonzero(self.base.group[games] == group)
            rows = self.base.rows[games[mine]]
            rows["cell"] = 0
            match, done = self.match(int(group)), 0
            log.keep_turns, log.keep_purchases, log.keep_counts = 0, 1, 0
            while done < len(rows):
                self.desk.clear_log()
                log.row = 0
                n = match.play(rows[done:])
                bought = log.purchases
                there = np.asarray(bought["kind"][: int(log.purchases_n)]) == kind
                at, side = (np.asarray(bought[column][: int(log.purchases_n)])[there] for column in ("row", "seat"))
                np.add.at(held, (mine[done + at], side), 1)
                done += n
            made[mine] = points(rows["winner"])
        self.desk.clear_log()
        record.deny[kind], record.denials = deny, denials
        return made, held
