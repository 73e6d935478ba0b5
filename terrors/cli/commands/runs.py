"""`terrors simulate` and `terrors verify`: runs, and whether they can be trusted."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.failures import CHECK_FAILED, INTERRUPTED
from terrors.cli.progress import ProgressPrinter, span
from terrors.cli.project import cards_of, given_rules, rules_of
from terrors.cli.shared_options import CARDS_HELP, LOTTERY, PANEL, SEEDS, json_option, names_option, print_json, say_warnings, trust_option

if TYPE_CHECKING:
    from terrors.simulator.runs.checks.referee import Referee
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import Run
    from terrors.simulator.runs.schedule import Cell, Schedule

SUFFIXES = {"k": 10**3, "m": 10**6, "g": 10**9}


class GameCount(click.ParamType[int]):
    """A number of games: 1000000, 1_000_000, 1,000,000, 1e6 and 1M are the same."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a text means."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d[\d_,]*(?:\.\d+)?(?:[eE]\d{1,2})?)\s*([kKmMgG]?)", value.strip())
        number = float(match[1].replace("_", "").replace(",", "")) * SUFFIXES.get(match[2].lower(), 1) if match else 0.5
        if not number.is_integer():  # infinity, from hundreds of digits, is none either
            self.fail(f"{value!r} is no whole number; write it as 1000000, 1_000_000 or 1M", param, ctx)
        return int(number)


def _told_games(ctx: click.Context, param: click.Parameter, value: str | None) -> int | str | None:
    return value if value in (None, "all") else GameCount().convert(value, param, ctx)


def _old_name(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Take --events for --decisions, which it was called before, and say so."""
    if value is not None:
        click.echo("--events is the old name; write --decisions.", err=True)
        ctx.params["decisions"] = _told_games(ctx, param, value)


@click.command(short_help="Play very many games into a folder of Parquet tables.")
@click.argument("plan_file", required=False, type=click.Path(path_type=Path), metavar="[PLAN.toml]")
@click.option("--games", type=GameCount(), help="How many; with --until at most so many; of a panel, those after the screen of its pilots.  [default: 100,000]")
@click.option("--out", metavar="FOLDER", help="The run's folder, or an address such as s3://bucket/run.  [default: runs/ and a name made from the plan]")
@click.option("--seed", type=SEEDS, help="The luck of the run: the same seed is the same games.  [default: 1]")
@click.option("--overlords", multiple=True, callback=names_option, metavar="A,B", help="Who plays.  [default: all overlords of the set]")
@click.option("--strategies", multiple=True, callback=names_option, metavar="A,B", help=f"Names or files.  [default: {', '.join(PANEL)}, with --pairing panel]")
@click.option(
    "--pairing",
    metavar="HOW",
    help="Which strategies meet: panel (in stages: who plays best is found out first), all, mirror (each itself) or vs:NAME (each that one).  [default: all]",
)
@click.option("--mirrors/--no-mirrors", default=None, help="Whether an overlord also plays against itself.  [default: no]")
@click.option("--influences", type=click.Choice(["choose", "beginner", "all"]), help="Who gets which Influence cards.  [default: choose, by the strategy]")
@click.option("--cards", metavar="FILE", help=CARDS_HELP)
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Change a rule (docs/RULES.md, section 12), for instance first_hand=5.")
@click.option("--set", "set_", multiple=True, metavar="CARD.COLUMN=VALUE", help='Change a card, for instance "Ghoul.cost=3".')
@click.option("--remove", multiple=True, metavar="CARD", help="Leave a card out of the market.")
@click.option("--deny", multiple=True, metavar="CARD[:SEAT]", help="Deny a market card to first, second or both players.")
@click.option("--grant", multiple=True, metavar="CARD[:SEAT]", help="Put a card into the starting deck of first, second or both players.")
@click.option("--deny-lottery", type=float, metavar="SHARE", help="In each game deny each market card, with this probability, to one player: 0.1 is usual.")
@click.option("--events", hidden=True, expose_value=False, callback=_old_name, help="The old name of --decisions.")
@click.option("--decisions", callback=_told_games, metavar="N|all", help="Tell the first N games decision by decision.  [default: 0]")
@click.option("--turns/--no-turns", default=None, help="Whether to write a row for each turn.  [default: yes]")
@click.option("--until", metavar="±POINTS|decided", help="Stop when every match-up is known that well, or known to be fair or not.")
@click.option("--margin", type=float, metavar="POINTS", help="How far off even a fair match-up may be, for --until decided.  [default: 8]")
@click.option("--jobs", type=click.IntRange(1, 4096), help="How many to play at a time.  [default: the number of cores]")
@click.option("--backend", type=click.Choice(["auto", "threads", "processes", "dask"]), default="auto", show_default=True, help="Who plays.")
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="A Dask scheduler; without it --backend dask starts a cluster on this machine.")
@click.option("--chunk", type=GameCount(), help="Games in a part; any number gives the same rows.")
@click.option("--overwrite", is_flag=True, help="Start again, whatever run is in the folder.")
@json_option
@click.pass_context
def simulate(ctx: click.Context, /, plan_file: Path | None, as_json: bool, **given: Any) -> None:
    """Play very many games, and write them into a folder of Parquet tables (docs/RUNS.md).

    Every match-up is played in pairs of games with the same luck and exchanged seats. The same plan gives the same rows, whatever the number of jobs and
    however often it is interrupted: the same command goes on where it was. A plan can also be a TOML file; options change its entries. Without a plan and
    without --strategies it is the panel of `terrors balance`, with its denial lottery.
    """
    from terrors.simulator.runs.plan import Plan

    how = {name: given.pop(name) for name in ("out", "jobs", "backend", "scheduler", "chunk", "overwrite")}
    given["set"] = given.pop("set_")
    rules = given.pop("rules")
    entries = {name: value for name, value in given.items() if value not in (None, ())}
    base = Plan.read(plan_file) if plan_file else Plan(rules=rules_of(()))
    if not plan_file and "strategies" not in entries:
        entries = {"strategies": PANEL, **({"pairing": "panel", "deny_lottery": LOTTERY} if "pairing" not in entries else {})} | entries
    entries["rules"] = {**base.rules, **given_rules(rules)}
    entries["cards"] = str(entries.get("cards") or base.cards or cards_of(None) or "")
    run = play_plan(ctx, base.but(**entries), **how)
    if as_json:
        print_json({name: value for name, value in run.info.items() if name != "parts"} | {"folder": run.folder.address})
    else:
        click.echo(summary(run))


def play_plan(ctx: click.Context, plan: Plan, out: str | None, **how: Any) -> Run:
    """Play a plan with progress on stderr; an interrupt leaves with the words that resume it."""
    from terrors.simulator.cards.card_set import load_cards
    from terrors.simulator.runs.run import simulate as play
    from terrors.simulator.runs.workers import Stop

    say_warnings(load_cards(plan.cards or None).replace(plan.set))
    printer = ProgressPrinter()

    def say_interrupted() -> None:
        printer.close()
        click.echo(f"Interrupted. What was played is kept; the same command goes on with it: {shlex.join(['terrors', *sys.argv[1:]])}", err=True)

    def leave_at_once() -> None:
        say_interrupted()
        os._exit(INTERRUPTED)

    try:
        return play(plan, out, on_progress=printer, stop=Stop(leave_at_once), **how)
    except KeyboardInterrupt:
        say_interrupted()
        ctx.exit(INTERRUPTED)
    finally:
        printer.close()


MOST_LINES = 12  # match-ups that a summary lists one by one


def summary(run: Run) -> str:
    """Return in a few lines what there is now; whose play it is first."""
    info, tallies = run.info, run.info["tallies"]
    size = sum(file["bytes"] for record in info["parts"] for file in record["files"].values())
    names = run.setup.schedule.strategies
    whose = f" of {names[0]} against itself" if len(names) == 1 else ""
    lines = [f"{tallies['games']:,} games{whose} in {run.folder.address} ({size / 1e6:,.0f} MB), played in {span(info['seconds'])}."]
    if tallies["turn_limit"] or tallies["action_limit"]:
        lines.append(f"{tallies['turn_limit']:,} games ended at the turn limit; in {tallies['action_limit']:,} an Action Phase was cut short.")
    return "\n".join([*lines, *(_panel_lines(run) if run.plan.pairing == "panel" else _cell_lines(run))])


def _panel_lines(run: Run) -> list[str]:
    """Return what a panel has found: the stages, and each match-up in the best hands, as the games without a lottery say."""
    import numpy as np

    from terrors.simulator.runs.stages import LOTTERY as LAST
    from terrors.simulator.runs.stages import PilotTables

    schedule = run.setup.schedule
    lines = ["Stages: " + ", ".join(f"{stage.name} {2 * stage.pairs:,} games" for stage in schedule.stages) + "."]
    tables = PilotTables(schedule.cells, np.array(run.info["pairs"]), len(schedule.strategies))
    names, played = schedule.box.names, [schedule.cells[number] for number in schedule.stages[-1].cells]
    if schedule.stages[-1].name == LAST:
        pilots = sorted({schedule.strategies[s] for cell in played for s in (cell.a_strategy, cell.b_strategy)})
        lines.append(f"The best hands are those of {', '.join(pilots)}. `terrors analyze {run.folder.address}` judges; in all games of these hands:")
    if len(tables.match_ups) <= MOST_LINES:
        values = [tables.solved(number, tables.choices())[0] for number in range(len(tables.match_ups))]
        lines += [f"  {names[a]} – {names[b]}  {100 * value:.1f}" for (a, b), value in zip(tables.match_ups, values, strict=True)]
    return lines


def _cell_lines(run: Run) -> list[str]:
    """Return every match-up of a run without a panel, with its interval; of many only how well they are known."""
    import numpy as np

    from terrors.simulator.runs.stopping import Stopper, means

    sums = np.array(run.info["pairs"])
    stopper = Stopper(run.plan, len(sums))
    rates, widths = 100 * means(sums), 100 * stopper.widths(sums)
    lines = []
    if len(sums) <= MOST_LINES:
        schedule = run.setup.schedule
        hold = "95 % intervals that hold although the run stopped by what it saw" if run.plan.until else "95 % interval"
        lines.append(f"Won by the first named, of 100 games, both seats together ({hold}):")
        names, digits = [cell_words(schedule, cell) for cell in schedule.cells], max(0, int(np.ceil(-np.log10(widths.max() / 3))))  # no more than ± supports
        column = max(map(len, names)) + 2
        lines += [f"  {name:<{column}}{rate:.{digits}f} ±{width:.{digits}f}" for name, rate, width in zip(names, rates, widths, strict=True)]
        if run.plan.until and (still := [name for name, open_ in zip(names, stopper.open_cells(sums), strict=True) if open_]):
            lines.append(f"Not known well enough yet: {', '.join(still)}. More games may settle it.")
    else:
        stronger = np.maximum(rates, 100 - rates)
        lines.append(f"{len(sums):,} match-ups, each known to ±{widths.max():.1f} points or better.")
        lines.append(f"The stronger side wins {stronger.min():.0f} to {stronger.max():.0f} of 100 games.")
    return lines


def cell_words(schedule: Schedule, cell: Cell) -> str:
    """Return the words for who plays whom; strategies are named where they differ."""
    a, b = schedule.box.names[cell.a], schedule.box.names[cell.b]
    if len(schedule.strategies) > 1:
        a, b = f"{a} ({schedule.strategies[cell.a_strategy]})", f"{b} ({schedule.strategies[cell.b_strategy]})"
    return f"{a} – {b}"


MOST_PROBLEMS = 100  # that are listed one by one


def referee_words(found: Referee) -> str:
    """Return in words what the referee has compared, by rule."""
    lines = [f"The referee followed {found.rows:,} decisions of {found.games:,} games and compared, by rule:"]
    wrong = Counter(violation.rule for violation in found.violations)
    for rule, n in sorted(found.compared.items()):
        lines.append(f"  {rule:<3} {n:>12,}" + (f"   {wrong[rule]:,} not kept" if wrong[rule] else ""))
    if found.cut:
        lines.append(f"{found.cut:,} games were too long to be told to their end.")
    return "\n".join([*lines, f"In all {found.compared.total():,} comparisons, {len(found.violations):,} violations."])


@click.command(short_help="Check a run: every part, and some games played again.")
@click.argument("run_folder", metavar="RUN")
@click.option("--games", type=GameCount(), default=200, show_default=True, help="How many games to play again.")
@click.option("--referee", is_flag=True, help="Follow every decision with a referee who knows the rules and not the engine; the run needs --decisions.")
@trust_option
@json_option
@click.pass_context
def verify(ctx: click.Context, run_folder: str, games: int, referee: bool, trusted: bool, as_json: bool) -> None:
    """Check that a run is what it says: the checksum of every part, the number of rows, every game there once, and a sample of games played again.

    With --referee, every decision that the run tells of is checked against the rules by somebody who does not know the engine. Exit code 1 if anything is
    not as it should be; `terrors simulate` with the same plan makes damaged parts again.
    """
    from terrors.simulator.runs.checks.verify import verify_run

    report = verify_run(run_folder, games, trusted, referee)
    if as_json:
        data: dict[str, Any] = {name: getattr(report, name) for name in ("problems", "parts", "games", "replayed", "not_replayed")}
        if report.referee:
            found = report.referee
            data["referee"] = {"games": found.games, "rows": found.rows, "not_told_to_the_end": found.cut, "compared": dict(sorted(found.compared.items())),
                               "violations": [vars(violation) for violation in found.violations]}  # fmt: skip
        print_json(data)
    else:
        for problem in report.problems[:MOST_PROBLEMS]:
            click.echo(problem)
        if len(report.problems) > MOST_PROBLEMS:
            click.echo(f"… and {len(report.problems) - MOST_PROBLEMS:,} more (--json has all).")
        if report.referee:
            click.echo(referee_words(report.referee))
        click.echo(
            f"{report.parts:,} parts and {report.games:,} games checked, {report.replayed:,} games played again: "
            + (f"{len(report.problems)} problems." if report.problems else "all as it should be.")
        )
    if report.not_replayed:
        click.echo(report.not_replayed, err=True)
    if report.problems:
        ctx.exit(CHECK_FAILED)
