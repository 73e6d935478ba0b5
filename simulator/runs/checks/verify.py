"""Whether a run is what it says: every part by its checksum, every game there once, and a sample of games played again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from terrors.simulator.kernel.rng import key_of
from terrors.simulator.runs.checks.referee import Facts, Referee
from terrors.simulator.runs.chunks import ChunkPlayer, pair_sums
from terrors.simulator.runs.job import NotTrustedError, job_of, part_name, stages_in
from terrors.simulator.runs.manifest import all_parts, damaged, differences, strays
from terrors.simulator.runs.parquet_tables import SORTED_BY
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.stages import where, whole_stage
from terrors.simulator.terms.errors import RunError


@dataclass
class Verdict:
    """The result of a check: what was checked, and what was found."""

    problems: list[str] = field(default_factory=list)
    parts: int = 0
    games: int = 0
    replayed: int = 0
    not_replayed: str = ""  # why no game was played again although nothing is wrong, in a sentence
    referee: Referee | None = None  # if one was asked for


def verify_run(address: str, games: int, trusted: bool = False, with_referee: bool = False) -> Verdict:
    """Check a run, and play that many of its games again, if its strategies are known here or `trusted`; with a referee, follow its decisions too."""
    run, verdict = Run.open(address), Verdict()
    if with_referee:
        run.decisions  # noqa: B018  a run without them is refused before anything else is done
    if not run.finished:
        verdict.problems.append(f"The run is not finished ({run.info['status']}): the command that began it goes on with it.")
    bad = set()
    for name, file in all_parts(run.info):
        verdict.parts += 1
        if damaged(run.folder, name, file):
            bad.add(name)
            there = run.folder.read(name) is not None
            verdict.problems.append(f"{name}: " + ("its content has changed since it was written." if there else "it is missing."))
    if run.finished:
        verdict.problems += [f"{name}: it is no part of this run; the command that made the run takes it away." for name in strays(run.folder, run.info)]
    if bad or not run.info["parts"]:
        return verdict
    _check_rows(run, verdict)
    if not verdict.problems or not run.finished:
        _play_again(run, verdict, games, trusted)
    if with_referee:
        verdict.referee = refereed(run)
        verdict.problems += [str(violation) for violation in verdict.referee.violations]
    return verdict


def refereed(run: Run) -> Referee:
    """Return a referee who has followed every decision that the run tells of."""
    setup = run.setup
    interventions = setup.plan.interventions()
    cards = setup.cards.replace(interventions.override) if interventions.override else setup.cards
    referee = Referee(Facts(cards, setup.plan.ruleset(), interventions.remove, interventions.grant))
    cut = bool(run.info["tallies"].get("decisions_cut"))
    for part in run.info["parts"]:  # one at a time: a part has as many rows as memory holds easily
        if "decisions" in part["files"]:
            games = {game["game"]: game for game in run.scan([part_name("games", part["start"])]).collect().to_dicts()}
            told = run.scan([part_name("decisions", part["start"])]).collect()
            for rows in told.partition_by("game", maintain_order=True):
                referee.follow(games[rows["game"][0]], rows.to_dicts(), cut)
    return referee


def _check_rows(run: Run, verdict: Verdict) -> None:
    """Check that every game is there once, with as many rows as the records say."""
    tallies = dict.fromkeys(("turns", "decisions", "draws", "turn_limit", "action_limit"), 0)
    sums = np.zeros((len(run.info.get("pairs", [])) or 1, 3), np.int64)
    stages = stages_in(run.info) or (whole_stage(len(sums), 1),)
    if not run.finished:  # its sums are not added up yet
        sums = np.zeros((1 + max(cell for stage in stages for cell in stage.cells), 3), np.int64)
    for part in run.info["parts"]:  # one at a time: a long run has many
        games = run.scan([part_name("games", part["start"])]).collect()
        verdict.games += len(games)
        if not np.array_equal(games["game"].to_numpy(), np.arange(part["start"], part["stop"])):
            verdict.problems.append(f"{part_name('games', part['start'])}: it does not have each game from {part['start']} to {part['stop'] - 1} once.")
        result = {"winner": games["winner"].to_physical().to_numpy(), "swapped": games["leg"].to_numpy()}
        sums += pair_sums(where(stages, games["pair"].to_numpy())[0], result, len(sums))
        tallies["turns"] += int(games["turns"].sum())
        tallies["decisions"] += int(games["decisions"].sum())
        tallies["draws"] += int((games["winner"] == "draw").sum())
        tallies["turn_limit"] += int((games["end"] == "turn limit").sum())
        tallies["action_limit"] += int((games["limits"] > 0).sum())
    for table in ("games", "turns", "purchases", "decisions"):
        said = sum(part["files"][table]["rows"] for part in run.info["parts"] if table in part["files"])
        if said and (found := run.table(table).select(pl.len()).collect().item()) != said:
            verdict.problems.append(f"The {table} table has {found:,} rows, and run.json says {said:,}.")
    with_turns = [part["files"]["turns"]["rows"] for part in run.info["parts"] if "turns" in part["files"]]
    if with_turns and sum(with_turns) != tallies["turns"]:
        verdict.problems.append("The turns table does not have a row for each turn of the games.")
    if run.finished and sums.tolist() != run.info["pairs"]:
        verdict.problems.append("run.json: the sums of its pairs are not those of the games.")
    for name, found in tallies.items():
        if run.finished and (told := run.info["tallies"][name]) != found:
            verdict.problems.append(f"run.json: it tells of {told:,} {name.replace('_', ' ')}, and the games have {found:,}.")


def _play_again(run: Run, verdict: Verdict, games: int, trusted: bool) -> None:
    """Play some pairs of games again, and compare every row."""
    try:
        job = job_of(run, trusted)
    except NotTrustedError as error:
        verdict.not_replayed = f"No game was played again: {error}"
        return
    except RunError as error:
        verdict.problems.append(str(error))
        return
    if changed := differences(run.info["identity"], job.identity()):
        verdict.problems.append(f"The games cannot be played again here: {'; '.join(changed)}.")
        return
    pairs = np.unique(np.concatenate([np.arange(part["start"], part["stop"]) for part in run.info["parts"]]) // 2)
    luck = np.random.default_rng(key_of("verify", 0))
    chosen = np.sort(luck.choice(pairs, min(len(pairs), (games + 1) // 2), replace=False)).tolist()
    numbers = [game for pair in chosen for game in (2 * pair, 2 * pair + 1)]
    bench = ChunkPlayer(job.schedule, job.ready)
    again: dict[str, list[pl.DataFrame]] = {}
    for pair in chosen:
        for table, frame in bench.play(2 * pair, 2 * pair + 2).tables.items():
            again.setdefault(table, []).append(frame)
    for table in [name for name in SORTED_BY if name in again and any(name in part["files"] for part in run.info["parts"])]:
        written = run.rows_of(table, numbers).sort(SORTED_BY[table], maintain_order=True).collect()
        played = pl.concat(again[table])
        if not written.equals(played):
            first = next((g for g in numbers if not written.filter(pl.col("game") == g).equals(played.filter(pl.col("game") == g))), numbers[0])
            verdict.problems.append(f"Game {first} of the {table} table is not what comes out when it is played again.")
    verdict.replayed = len(numbers)
