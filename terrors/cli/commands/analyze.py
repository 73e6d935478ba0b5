"""`terrors analyze`: what the games of a run say."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.analysis.contract.findings_schema import COSTS, FAIR, PAYS, STATES
from terrors.cli.commands.runs import GameCount
from terrors.cli.failures import CHECK_FAILED
from terrors.cli.progress import tell_step
from terrors.cli.project import margins_of
from terrors.cli.shared_options import json_option, print_json, trust_option
from terrors.simulator.terms.text import listed
from terrors.table.colours import state_word

if TYPE_CHECKING:
    from terrors.analysis.analyze import Analysis
    from terrors.analysis.trials.second_opinion import Opinion
    from terrors.simulator.runs.job import Job

FAILING = tuple(state for state in STATES if state != FAIR)  # what --fail-on may name; lopsided is whatever is off balance
MOST_LINES = 12


def margin_options(command: Any) -> Any:
    """Add --margin and --margins to a command, as all commands that judge have them."""
    command = click.option(
        "--margin", "margin_texts", multiple=True, metavar="NAME=POINTS", help="How far off is still fair: overlord=3, matchup=8, first=2, card=3, bomb=10."
    )(command)
    return click.option(
        "--margins", "margins_file", type=click.Path(path_type=Path), metavar="FILE", help="A margins.toml with all of them (docs/ANALYSIS.md)."
    )(command)


@click.command(short_help="What the games of a run say: tables, verdicts, findings.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--out", metavar="FOLDER", help="Where to write.  [default: RUN/analysis]")
@margin_options
@click.option("--pool", is_flag=True, help="Take runs together that differ in cards, rules, engine or strategies; it will say so.")
@click.option("--feel/--no-feel", default=True, help="Whether to read the turns too.  [default: yes]")
@click.option(
    "--confirm", type=click.IntRange(0, 400), default=0, metavar="N", help="Play fresh games for the N clearest pairs of cards, to see whether they hold."
)
@click.option(
    "--withhold", type=GameCount(), default=0, metavar="N",
    help="Play N games of the first run again, each with a card withheld from who bought it: what cards are worth is known far better.",
)  # fmt: skip
@click.option("--fail-on", multiple=True, type=click.Choice(FAILING), help="Exit with 1 if any verdict is so: a gate for a designer's CI.")
@trust_option
@json_option
@click.pass_context
def analyze(
    ctx: click.Context, runs: tuple[str, ...], out: str | None, margins_file: Path | None, margin_texts: tuple[str, ...], pool: bool, feel: bool, confirm: int,
    withhold: int, fail_on: tuple[str, ...], trusted: bool, as_json: bool,
) -> None:  # fmt: skip
    """Say who is too strong, which match-ups are lopsided, whether going first pays, what cards are worth and how games feel (docs/ANALYSIS.md).

    Writes a table for each question (Parquet and CSV) and findings.json. Several runs of the same thing with other seeds are taken together.
    Only --confirm and --withhold play games; all else executes nothing that came with a run.
    """
    out = out or analysis_folder(runs[0])
    found = analysis_of(runs, margins_of(margins_file, margin_texts), out, pool, feel, confirm, trusted, withhold=withhold)
    if as_json:
        print_json(found.as_data())
    else:
        click.echo(summary(found))
        click.echo(f"\nTables and findings are in {out}.")
    if failed := found.failed(fail_on):
        if not as_json:
            click.echo(f"{len(failed)} of {len(found.findings)} verdicts are {' or '.join(fail_on)} (--fail-on).", err=True)
        ctx.exit(CHECK_FAILED)


def analysis_folder(run: str) -> str:
    """Return where the analysis of a run lies."""
    return f"{run.rstrip('/')}/analysis"


RULING_GAMES = 12_000  # with each reading: ±2 points, all readings together


def analysis_of(
    runs: Sequence[str], margins: Any, out: str | None = None, pool: bool = False, feel: bool = True, confirm: int = 0, trusted: bool = False,
    rulings_of: Job | None = None, hands_of: Job | None = None, jobs: int | None = None, withhold: int = 0, opinion: Callable[[], Opinion] | None = None,
) -> Analysis:  # fmt: skip
    """Analyse and write, with progress on a terminal. `rulings_of`: what to play with every other reading of the rulebooks.

    `hands_of`: what to play with other opening hands if going first is off; `withhold`: how many games to play again with a card withheld from its buyer;
    `opinion`: waits for what a slow pilot thinks, who was asked already.
    """
    from terrors.analysis.analyze import analyze as ask
    from terrors.analysis.source.ahead import beside
    from terrors.analysis.trials.confirm_pairs import confirm_pairs
    from terrors.simulator.runs.job import in_best_hands, job_of
    from terrors.simulator.runs.run import Run
    from terrors.simulator.runs.storage import open_folder

    played = job_of(Run.open(runs[0]), trusted) if confirm or withhold else None  # first of all: it may be refused
    job = in_best_hands(played) if confirm and played else None
    again = None
    if withhold and played:
        from terrors.analysis.trials.withholding import play_withheld

        again = beside(play_withheld, Run.open(runs[0]), played, withhold, margins.card, jobs or os.cpu_count() or 1)
    found = ask(runs, margins, pool, feel, tell_step, again)
    if job is not None:
        confirm_pairs(found, job, confirm, tell_step)
    if rulings_of is not None:
        from terrors.analysis.trials.rulings import play_rulings

        found.tables["rulings"] = play_rulings(rulings_of, (), RULING_GAMES, jobs or os.cpu_count() or 1, tell_step).table()
    off = next((finding.state for finding in found.findings if finding.family == "first" and finding.state in (PAYS, COSTS)), None)
    if hands_of is not None and off is not None:
        from terrors.analysis.trials.fair_hand import fair_hand

        found.tables["fair_hand"] = fair_hand(hands_of, off == PAYS, jobs or os.cpu_count() or 1, tell_step)
    if opinion is not None:
        from terrors.analysis.trials.second_opinion import add_opinion

        tell_step("What the strongest slow pilot thinks of it …")
        add_opinion(found, opinion())
    found.write(open_folder(out or analysis_folder(runs[0])))
    return found


def summary(found: Analysis) -> str:
    """Return in a screenful what a designer wants to know first."""
    from terrors.analysis.trials.confirm_pairs import pair_words

    data = found.as_data()
    stands = data["stands_on"]
    by_id = {finding["id"]: finding for finding in data["findings"]}
    pilots, beside = data["pilots"], data["pilots"]["hands"]
    whose = f"all of {pilots['best'][0]} against itself" if len(pilots["list"]) == 1 else f"played by {listed([one['pilot'] for one in pilots['list']])}"
    lines = [f"{sum(run['games'] for run in data['runs']):,} games, {whose}. Win rates are of 100 games, with 95 % intervals."]
    lines += [*pilots["words"][:1], *pilots.get("gained", []), *([pilots["opinion"]] if pilots.get("opinion") else []), ""]
    width = max(len(lamp["family"]) for lamp in data["lamps"]) + 2
    for lamp in data["lamps"]:
        lines.append(f"{lamp['family']:<{width}}{state_word(lamp['state'], 16)}{lamp['sentence']}")
    if data["look_first"]:
        lines += ["", "Look at these first:"]
        for n, name in enumerate(data["look_first"], 1):
            lines += [f"  {n}. {by_id[name]['sentence']}", *([f"     {beside[name]}"] if name in beside else [])]
    if "fair_hand" in found.tables:
        from terrors.analysis.trials.fair_hand import fair_hand_words

        lines += ["", fair_hand_words(found.tables["fair_hand"].to_dicts()).replace("`", "")]
    if told := pair_words(found.tables["card_pairs"].to_dicts()) if "card_pairs" in found.tables else []:
        lines += ["", "Pairs of cards, in fresh games:", *(f"  {sentence}" for sentence in told)]
    if warnings := [*stands["warnings"], *data["played"]["warnings"]]:
        lines += ["", *warnings]
    if stands["reference"]:
        lines += ["", "The card set is a reference set, mostly invented. Strategies are scripts and not people."]
    return "\n".join(lines)
