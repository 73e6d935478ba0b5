"""A second opinion: games of the strongest slow pilot against itself, and whether it sees what the best fast hands see."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from terrors.analysis.contract.findings_schema import OFF
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.questions.hands_tables import contradict
from terrors.analysis.questions.matchups import table
from terrors.analysis.stats.intervals import NORMAL, holm
from terrors.analysis.trials.trials import Arm, Difference, Trial, bank, by_deal
from terrors.analysis.verdicts.judge import LEVEL, judge, worded
from terrors.simulator.runs.job import Job

if TYPE_CHECKING:
    from terrors.analysis.analyze import Analysis
    from terrors.analysis.contract.margins import Margins

Z = 1.959963984540054


@dataclass
class Opinion:
    """The answers of a slow pilot from its own games: by question family, overlord, and shares by deal."""

    pilot: str
    games: int
    answers: list[tuple[str, str, np.ndarray]]


def ask_opinion(job: Job, games: int, jobs: int = 1) -> Opinion:
    """Play a sample in the hands of the pilot of `job`."""
    name = job.sources[0].name
    plan = job.plan.but(seed=bank(f"second opinion {name}", job.plan.seed), pairing="mirror", deny_lottery=0.0, until="", games=10**9)
    trial = Trial(job, [Arm(plan)], jobs)
    played = trial.play(0, max(2, games // (2 * trial.cells)))
    rows, points, names = played.rows[0], played.points(0), trial.schedule[0].box.names
    answers = [("first", "", by_deal(played.deal, points))]
    for kind in np.unique(rows["first"]):
        mine = (rows["first"] == kind) ^ (rows["second"] == kind)
        own = np.where(rows["first"] == kind, points, 1 - points)[mine]
        answers.append(("overlords", names[int(kind)], by_deal(np.unique(played.deal[mine], return_inverse=True)[1], own)))
    return Opinion(name, len(rows), answers)


def add_opinion(found: Analysis, opinion: Opinion) -> None:
    """Add the table `second_opinion` to an analysis. What the pilot contradicts is undecided from then on: the best hands may be those of the slow one."""
    table = opinion_table(opinion.pilot, opinion.games, opinion.answers, _headlines(found), found.margins)
    found.tables["second_opinion"] = table
    contradict(found.tables, table)
    found.judge()


def _headlines(found: Analysis) -> dict[str, dict[str, Any]]:
    """Return the headline rows by overlord; of going first under the empty name."""
    overlords, seats = found.tables["overlords"], found.tables["seats"]
    rows = {row["overlord"]: row for row in overlords.filter(overlords["group"].is_in(HEADLINES)).to_dicts()}
    first = seats.filter(seats["group"].is_in(HEADLINES), overlord="", rival="").to_dicts()
    return rows | ({"": first[0]} if first else {})


def opinion_table(
    pilot: str, games: int, answers: list[tuple[str, str, np.ndarray]], headlines: dict[str, dict[str, Any]], margins: Margins
) -> pl.DataFrame:  # fmt: skip
    """Return what the pilot won beside the headline, and whether the two agree: no more apart than luck and who plays explain, all questions together."""
    rows, p, ses = [], [], []
    for family, overlord, by_deals in answers:
        if (headline := headlines.get(overlord)) is None:
            continue
        difference = Difference()
        difference.add(by_deals - 0.5)
        rate, half = 50 + 100 * difference.mean, 100 * Z * difference.se
        own = hypot(half, (headline["high"] - headline["low"]) / 2) / Z
        p.append(2 * NORMAL.cdf(-abs(rate - headline["rate"]) / own))
        ses.append(100 * difference.se)
        rows.append({"pilot": pilot, "family": family, "overlord": overlord, "rate": rate, "low": rate - half, "high": rate + half, "games": games,
                     "headline": headline["rate"], "headline_low": headline["low"], "headline_high": headline["high"]})  # fmt: skip
    for row, corrected in zip(rows, holm(np.array(p)), strict=True):
        row |= {"p": float(corrected), "agrees": bool(corrected > LEVEL)}
    for family, margin in (("overlords", margins.overlord), ("first", margins.first)):
        mine = [place for place, row in enumerate(rows) if row["family"] == family]
        for place, verdict in zip(mine, judge(np.array([rows[i]["rate"] - 50 for i in mine]), np.array([ses[i] for i in mine]), margin), strict=True):
            row = rows[place]
            before = headlines[row["overlord"]]
            same_side = before["verdict"] in OFF and (before["rate"] > 50) == (row["rate"] > 50)
            beyond = abs(row["rate"] - 50) > margin  # that it is not the headline's is certain; that is enough not to call the headline's fair
            row |= {"verdict": worded(verdict, family), "contradicts": not row["agrees"] and beyond and not same_side}
    return table("second_opinion", rows)
