"""`terrors numbers`: what every number of a card set does, from one lottery. And what `sweep` and `suggest` share with it: who plays what."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.commands.runs import GameCount
from terrors.cli.progress import ProgressPrinter
from terrors.cli.project import cards_of, given_rules, rules_of
from terrors.cli.shared_options import SEEDS, cards_option, json_option, names_option, print_json, rule_option, trust_option

if TYPE_CHECKING:
    from terrors.analysis.numbers.study import NumberStudy
    from terrors.simulator.runs.job import Job
    from terrors.simulator.runs.storage import Folder

GAMES = 400_000
SHOWN = 5  # numbers for each gauge on the terminal


def set_options(command: Any, pilot: str = "the strongest fast strategy") -> Any:
    """Add the options to a command that say which set is played, by which rules and by whom. `pilot`: who plays if nobody is named."""
    options: list[Any] = [
        cards_option,
        click.option("--set", "changes", multiple=True, metavar="CARD.COLUMN=VALUE", help='Change a card first, for instance "Ghoul.cost=3".'),
        rule_option,
        click.option("--overlords", multiple=True, callback=names_option, metavar="A,B", help="Which overlords.  [default: all]"),
        click.option("--pilot", metavar="STRATEGY", help=f"Who plays, against itself.  [default: {pilot}]"),
        click.option("--seed", type=SEEDS, default=1, show_default=True, help="Which bank of fresh deals."),
        click.option("--jobs", type=click.IntRange(1, 4096), default=os.cpu_count() or 1, help="How many to play at a time.  [default: the number of cores]"),
        json_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def job_of_options(
    cards_file: Path | None, changes: tuple[str, ...], rules: tuple[str, ...], overlords: tuple[str, ...] | None, pilot: str | None, seed: int,
    run: str | None = None, trusted: bool = False,
) -> Job:  # fmt: skip
    """Return the job that the options mean: one strategy against itself."""
    from dataclasses import replace

    from terrors.analysis.numbers.played_versions import PILOT
    from terrors.simulator.runs.job import Job, job_of
    from terrors.simulator.runs.plan import Plan

    pilots = tuple(name.strip() for name in (pilot or PILOT).split(",") if name.strip())
    if run is None:
        cards = str(cards_of(cards_file) or "")
        plan = Plan(strategies=pilots, pairing="mirror", overlords=overlords or (), cards=cards, rules=rules_of(rules), set=changes, seed=seed)
        return Job.of(plan, "")
    for name, given in (("--cards", cards_file), ("--overlords", overlords)):
        if given:
            raise click.UsageError(f"{name} and a run: a run says already what is played; leave one of them out")
    from terrors.simulator.runs.run import Run

    played = job_of(Run.open(run), trusted)
    plan = played.plan.but(
        strategies=pilots, pairing="mirror", rules={**played.plan.rules, **given_rules(rules)}, set=(*played.plan.set, *changes), seed=seed, deny_lottery=0.0,
        until="", cards="",
    )  # fmt: skip
    return replace(Job.of(plan, ""), cards=played.cards)


def kept_folder(name: str, key: str) -> Folder:
    """Return the folder in which games of one purpose are kept, so that the same command goes on with them."""
    from terrors.simulator.runs.storage import open_folder

    return open_folder(Path("runs") / f"{name}-{key}")


def write_table(table: Any, out: Path | None) -> None:
    """Write a table to a file, if one is asked for."""
    if out is None:
        return
    from terrors.analysis.contract.csv_text import csv_bytes

    try:
        out.write_bytes(csv_bytes(table))
    except OSError as error:
        raise click.UsageError(f"--out {out}: {error.strerror or error}; give another file") from None


@click.command(short_help="What every number does: all of them moved by lot at once.")
@click.argument("run", metavar="[RUN]", required=False)
@set_options
@click.option("--only", multiple=True, callback=names_option, metavar="cost,health,…", help="Only such numbers, or those of a card.  [default: all]")
@click.option("--games", type=GameCount(), default=GAMES, show_default=True, help="How many; four times as many know everything twice as well.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv", help="Write the table of all effects there too.")
@trust_option
def numbers(run: str | None, only: tuple[str, ...] | None, games: int, out: Path | None, trusted: bool, jobs: int, as_json: bool, **given: Any) -> None:
    """Move every number of the set by lot (costs, Health, copies, amounts in abilities, numbers of the rules), play, and say what each does to each overlord,
    match-up, going first and the length of games. Of a run, or of a card set. The same command goes on where it was interrupted.
    """  # noqa: D205
    from terrors.analysis.numbers.store import key_of
    from terrors.analysis.numbers.study import study_numbers

    job = job_of_options(**given, run=run, trusted=trusted)
    progress = ProgressPrinter()
    found = study_numbers(job, games, jobs, only or (), kept_folder("numbers", key_of(job, [], only)), lambda text: progress.tell(lambda: text))
    progress.close()
    write_table(found.table(), out)
    if as_json:
        print_json({"games": found.effects.games, "whole": found.whole, "played_by": found.pilot, "numbers": found.rows()})
    else:
        click.echo(numbers_words(found))


def numbers_words(found: NumberStudy) -> str:
    """Return the numbers that move each overlord, and going first, most."""
    from terrors.analysis.contract.sentences import interval
    from terrors.analysis.numbers.gauges import FIRST, OVERLORD
    from terrors.analysis.numbers.movers import movers, side_effects

    rows, effects = found.rows(), found.effects
    lines = [
        f"{effects.games:,} games, {len(effects.numbers)} numbers moved by lot, played by {found.pilot}."
        + ("" if found.whole else " Interrupted: the same command goes on."),
        f"What one step does, in points of win rate (95 % intervals, for all {effects.effect.size:,} effects together):",
    ]
    overlords = [gauge.name for gauge in effects.gauges if gauge.kind == OVERLORD]
    for gauge in effects.gauges:
        if gauge.kind not in (OVERLORD, FIRST):
            continue
        lines += ["", f"What would move {gauge.name}:"]
        most = movers(rows, gauge.name, SHOWN)
        width = max((len(row["move"]) for row in most), default=0)
        for row in most:
            also = ", ".join(f"{other['effect']:+.1f} {other['of']}" for other in side_effects(rows, row["where"], gauge.name, overlords)[:2])
            line = f"  {row['move']:<{width}}  {interval(row['effect'], row['low'], row['high'], sign=True)}"
            lines.append(line + (f"   and {also}".replace("-", "−") if also else ""))
        if not most:
            lines.append("  nothing that these games could show; play more (--games)")
    return "\n".join(lines)
