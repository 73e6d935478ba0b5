"""`terrors`: the commands, one module per family. Nothing heavy is imported before a command needs it, so that `terrors --help` is there at once."""

from __future__ import annotations

import os

import click

from terrors.cli.commands.analyze import analyze
from terrors.cli.commands.balance import balance
from terrors.cli.commands.cards import cards, check
from terrors.cli.commands.doctor import doctor
from terrors.cli.commands.games import replay
from terrors.cli.commands.lab import lab
from terrors.cli.commands.new import new
from terrors.cli.commands.pilots.ladder import ladder
from terrors.cli.commands.pilots.strategies import strategies
from terrors.cli.commands.pilots.train import train
from terrors.cli.commands.play import play
from terrors.cli.commands.report import report
from terrors.cli.commands.runs import simulate, verify
from terrors.cli.commands.selftest import selftest
from terrors.cli.commands.trials import card, handicap, overlord, rulings
from terrors.cli.commands.what_if.compare import compare
from terrors.cli.commands.what_if.numbers import numbers
from terrors.cli.commands.what_if.suggest import suggest
from terrors.cli.commands.what_if.sweep import sweep
from terrors.cli.completion import add_completion
from terrors.cli.failures import WordedGroup

HELP = """Balance analysis for the deck-building game Terrors of London.

\b
terrors new my-game            a folder with a card set to edit
terrors balance                play, analyse, report: the main job
terrors simulate --games 1M    very many games, into a folder of tables
terrors analyze runs/base      who is too strong, what cards are worth, how sure that is
terrors card "Thames Drowner"  one card, closely
terrors overlord Lilith        one overlord, closely
terrors handicap               the fair opening hand
terrors numbers                what every number of the set does
terrors sweep Lilith.health=45..52   a number at several values
terrors suggest                what to change: the fewest small edits that make it fair
terrors rulings                how much hangs on a reading of the rules
terrors report runs/base       the page of a run: verdicts, charts, games
terrors lab                    edit a card in the browser, games answer in seconds
terrors cards                  the card set, as sentences
terrors check tests/scenarios  the rules, as scenarios
terrors replay --seed 7        a game to read
terrors play --as Lilith       a game to play
terrors strategies             who can play
terrors doctor                 is everything there that is needed
terrors selftest --planted 40  do verdicts find what was planted

Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted.
"""


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


def print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the versions, of the engine and the cards too, since what was measured depends on them."""
    if wanted and not ctx.resilient_parsing:
        from terrors.cli.versions import version_words

        click.echo(version_words())
        ctx.exit()


@click.group("terrors", cls=WordedGroup, help=HELP, invoke_without_command=True, context_settings=SETTINGS)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Show the versions of everything, and exit.")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Print which commands there are if none is given."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


COMMANDS = (
    new, balance, lab, simulate, analyze, report, compare,
    numbers, sweep, suggest, card, overlord, handicap, rulings, verify, cards, check, replay, play, strategies, train, ladder, doctor, selftest,
)  # fmt: skip
for command in COMMANDS:
    main.add_command(command)
add_completion(main)
