"""`terrors balance`: the main job. Play with a denial lottery, analyse, report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.commands.analyze import FAILING, analysis_folder, analysis_of, margin_options
from terrors.cli.commands.analyze import summary as analysis_summary
from terrors.cli.commands.runs import GameCount, play_plan
from terrors.cli.comparable import earlier_run
from terrors.cli.failures import CHECK_FAILED
from terrors.cli.progress import ProgressPrinter, clear_line, span, tell_step
from terrors.cli.project import cards_of, margins_of, project, rules_of, strategies_of
from terrors.cli.shared_options import LOTTERY, PANEL, SEEDS, cards_option, json_option, names_option, print_json, rule_option

if TYPE_CHECKING:
    from terrors.analysis.numbers.beside import StudyBeside
    from terrors.simulator.play.box import Box
    from terrors.simulator.runs.job import Job
    from terrors.simulator.runs.plan import Plan

GAMES = 48_000  # after the screen of the pilots; some 20 seconds on two cores, with analysis and page
QUICK = 8_000  # some seven seconds
QUICK_REPLAYS = 6  # playing games again for the viewer is the largest part of making the page
THOROUGH = 1_000_000  # at most; it stops when every match-up is decided
SLOW, SLOW_GAMES = "planner", 96  # the strongest slow pilot, and its sample: it would see that an overlord is 20 points off, in some seconds,
THOROUGH_SLOW_GAMES = 2_400  # or know every overlord to ±3
THOROUGH_PAIRS = 5  # of cards that seem to help or counter each other: played on purpose in a thorough report
WITHHELD, QUICK_WITHHELD, THOROUGH_WITHHELD = 12_000, 3_000, 60_000  # games played again with a card withheld from its buyer
NUMBER_GAMES, THOROUGH_NUMBERS = 80_000, 1_000_000  # of the number lottery; fewer than 60,000 would say too little
NUMBERS = ("cost", "health", "copies", "overlord", "influence", "rules")  # whose effects a page shows; `terrors numbers` has all


@click.command(short_help="Play, analyse, report: which overlords, match-ups, seats and cards are out of balance.")
@cards_option
@click.option("--strategies", multiple=True, callback=names_option, metavar="A,B", help=f"The pilots.  [default: {', '.join(PANEL)}]")
@click.option("--overlords", multiple=True, callback=names_option, metavar="A,B", help="Which overlords.  [default: all]")
@click.option("--games", type=GameCount(), help=f"How many, after a screen of the pilots.  [default: {GAMES:,}]")
@click.option("--quick", is_flag=True, help=f"Only {QUICK:,} games: a first impression in some ten seconds.")
@click.option("--thorough", is_flag=True, help=f"Until every match-up is decided, at most {THOROUGH:,} games.")
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck. The same seed before and after a change shows what the change did.")
@rule_option
@click.option("--set", "changes", multiple=True, metavar="CARD.COLUMN=VALUE", help='Change a card, for instance "Ghoul.cost=3".')
@click.option("--out", metavar="FOLDER", help="The run's folder.  [default: runs/ and a name made from the plan]")
@click.option("--overwrite", is_flag=True, help="Start again, whatever run is in the folder.")
@click.option("--adapt", is_flag=True, help="Let the pilots who play by a learnt value learn this set first (about a minute), and judge by them.")
@click.option("--rulings", is_flag=True, help="Also play every other reading of the rulebooks, and show what each would move (some minutes).")
@margin_options
@click.option("--fail-on", multiple=True, type=click.Choice(FAILING), help="Exit with 1 if any verdict is so.")
@click.option("--jobs", type=click.IntRange(1, 4096), help="How many to play at a time.  [default: the number of cores]")
@json_option
@click.pass_context
def balance(
    ctx: click.Context, cards_file: Path | None, strategies: tuple[str, ...] | None, overlords: tuple[str, ...] | None, games: int | None, quick: bool,
    thorough: bool, seed: int, rules: tuple[str, ...], changes: tuple[str, ...], out: str | None, overwrite: bool, adapt: bool, rulings: bool,
    margins_file: Path | None, margin_texts: tuple[str, ...], fail_on: tuple[str, ...], jobs: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Play the card set with a panel of pilots, find out whose play counts, deny cards by lot to see what they are worth in those hands, and write a page
    that says what is out of balance.

    The same command goes on where it was interrupted, and is quick when all is there.
    """  # noqa: D205
    from terrors.reports.charts.process import DrawingProcess

    if sum((quick, thorough, games is not None)) > 1:
        raise click.UsageError("--quick, --thorough and --games: give only one of them")
    began = time.monotonic()
    with DrawingProcess() as drawing:
        drawing.set_up()  # while one core gets ready to play, the other gets ready to draw
        from terrors.analysis.numbers.beside import StudyBeside
        from terrors.analysis.source.ahead import beside
        from terrors.analysis.trials.second_opinion import ask_opinion
        from terrors.reports.page.build import MOST_GAMES, make_report
        from terrors.simulator.engine import entry_points
        from terrors.simulator.runs.plan import Plan

        margins = margins_of(margins_file, margin_texts)
        size: dict[str, Any] = {"games": QUICK if quick else THOROUGH if thorough else games if games is not None else project().games or GAMES}
        if thorough:
            size |= {"until": "decided", "margin": margins.matchup}
        plan = Plan(
            strategies=strategies_of(strategies, PANEL), pairing="panel", overlords=overlords or (), cards=str(cards_of(cards_file) or ""), seed=seed,
            rules=rules_of(rules), set=changes,
            deny_lottery=LOTTERY, **size,
        )  # fmt: skip
        entry_points.drive.prepare()  # for the games that the page shows: whoever waits for a compiler waits once, and at the beginning
        plan, told = with_pilots_who_know(plan, adapt)
        run = play_plan(ctx, plan, out, jobs=jobs, backend="auto", overwrite=overwrite)
        told()
        played = time.monotonic()
        able = able_job(plan, run.folder.address)
        number_games = 0 if quick or plan.games < GAMES else THOROUGH_NUMBERS if thorough else NUMBER_GAMES
        cores = jobs or os.cpu_count() or 1
        others = max(1, cores - 1)  # one core analyses and draws; a process more would only take its second to start
        slow_games = 0 if quick or plan.games < GAMES else THOROUGH_SLOW_GAMES if thorough else SLOW_GAMES
        opinion = beside(ask_opinion, slow_job(plan, run.folder.address), slow_games, cores) if slow_games else None
        with StudyBeside(able, number_games, others, NUMBERS) if number_games else nullcontext() as study:
            found = analysis_of(
                [run.folder.address], margins, rulings_of=able if rulings else None, hands_of=None if quick else able, jobs=jobs, trusted=True,
                confirm=THOROUGH_PAIRS if thorough else 0, opinion=opinion,
                withhold=QUICK_WITHHELD if quick else THOROUGH_WITHHELD if thorough else min(WITHHELD, plan.games),
            )  # fmt: skip
            analysed = time.monotonic()
            later = partial(add_numbers, study, run.folder.address) if study else None
            made = make_report(run.folder.address, games=QUICK_REPLAYS if quick else MOST_GAMES, drawing=drawing, later=later)
    done = time.monotonic()
    if as_json:
        print_json(found.as_data() | {"page": str(made.page)})
    else:
        click.echo(analysis_summary(found))
        click.echo(f"\nThe page: {made.page}\n(games {span(played - began)}, analysis {span(analysed - played)}, page {span(done - analysed)})")
        if before := earlier_run(run, latest()):
            click.echo(
                f"What changed since {'the baseline' if before == project().baseline else 'the run before'}: terrors compare {before} {run.folder.address}"
            )
    if made.missing:
        click.echo(made.missing, err=True)
    point_to(run.folder.address)
    if failed := found.failed(fail_on):
        if not as_json:
            click.echo(f"{len(failed)} of {len(found.findings)} verdicts are {' or '.join(fail_on)} (--fail-on).", err=True)
        ctx.exit(CHECK_FAILED)


def with_pilots_who_know(plan: Plan, adapt: bool) -> tuple[Plan, Callable[[], None]]:
    """Return the plan with pilots who have learnt its cards if that is asked for; else find out beside the games whether the cards are news to them.

    With the plan a function that waits until that has been told.
    """
    from terrors.analysis.players.adapting import adapted_panel
    from terrors.analysis.players.value_training import ValueProgress
    from terrors.analysis.source.ahead import beside
    from terrors.simulator.engine import entry_points
    from terrors.simulator.runs.job import Job

    job = Job.of(plan, "")
    if adapt:
        printer = ProgressPrinter()

        def show(progress: ValueProgress) -> None:
            printer.tell(lambda: f"The pilots learn this set: {progress.what}, {progress.done} of {progress.total}")

        names = adapted_panel(job.box, plan.strategies, Path("runs/adapted") / job.cards.sha256[:8], show)
        printer.close()
        return plan.but(strategies=tuple(names)), lambda: None
    entry_points.play_games.prepare()
    for player in job.players:
        player.compiled  # noqa: B018  before there are two threads that would do so
    return plan, beside(tell_news, job.box, plan.strategies)


def tell_news(box: Box, names: Sequence[str]) -> None:
    """Say so if the cards are news to the pilots."""
    from terrors.analysis.players.adapting import is_news

    if is_news(box, names):
        clear_line()
        click.echo("This set is news to the pilots: the chances to win that they see are off. --adapt lets them learn it first.", err=True)


def add_numbers(study: StudyBeside, address: str) -> list[str]:
    """Add to the analysis of a run what every number does, as soon as that is known; return the names of the tables that were added."""
    from terrors.analysis.analyze import write_table
    from terrors.simulator.runs.storage import open_folder

    tell_step("What every number does …")
    write_table(open_folder(analysis_folder(address)), "numbers", study.result().table())
    return ["numbers"]


def able_job(plan: Plan, folder: str) -> Job:
    """Return the job of the same set and rules for the strongest fast strategy of the panel: what other readings and numbers move is asked of able hands."""
    from terrors.simulator.runs.job import Job

    able = "tuned" if "tuned" in plan.strategies else plan.strategies[-1]
    return Job.of(plan.but(strategies=(able,), pairing="mirror", deny_lottery=0.0, until=""), folder)


def slow_job(plan: Plan, folder: str) -> Job:
    """Return the job of the same set and rules for the strongest slow pilot, which no panel has the time for."""
    from terrors.simulator.runs.job import Job

    return Job.of(plan.but(strategies=(SLOW,), pairing="mirror", deny_lottery=0.0, until=""), folder)


LATEST = Path("runs/latest")


def latest() -> Path | None:
    """Return the folder of the run before this one, if it is still there."""
    try:
        return LATEST.parent / LATEST.readlink() if LATEST.is_symlink() and LATEST.exists() else None
    except OSError:
        return None


def point_to(address: str) -> None:
    """Let runs/latest mean this run, so that one page can stay open in a browser. Where links cannot be made, there is none."""
    run = Path(address)
    if run.parent.resolve() != LATEST.parent.resolve():
        return
    with suppress(OSError):
        if LATEST.is_symlink():
            LATEST.unlink()
        LATEST.symlink_to(run.name)
