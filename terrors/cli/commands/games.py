"""`terrors replay`: games to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from terrors.cli.failures import fail
from terrors.cli.shared_options import SEEDS, cards_option, chooser_of, json_option, overlord_and_plan, print_json, read_box, rule_option, trust_option

if TYPE_CHECKING:
    from terrors.simulator.play.game import Game
    from terrors.strategies import Strategy


@click.command(short_help="Print a game between two strategies, turn by turn.")
@click.argument("run_folder", required=False, metavar="[RUN]")
@click.argument("number", required=False, type=click.IntRange(0), metavar="[GAME]")
@click.option("--seed", type=SEEDS, default=0, show_default=True, help="The luck of the game: the same seed is the same game.")
@click.option("--first", "first_text", default="Fenris:greedy", show_default=True, metavar="OVERLORD:STRATEGY", help="The first player.")
@click.option("--second", "second_text", default="Azazael:greedy", show_default=True, metavar="OVERLORD:STRATEGY", help="The second player.")
@click.option("--turn", type=click.IntRange(1), default=None, help="Start with this turn, both players' turns counted.")
@cards_option
@rule_option
@trust_option
@json_option
@click.pass_context
def replay(
    ctx: click.Context,
    run_folder: str | None,
    number: int | None,
    seed: int,
    first_text: str,
    second_text: str,
    turn: int | None,
    cards_file: Path | None,
    rules: tuple[str, ...],
    trusted: bool,
    as_json: bool,
) -> None:
    """Play a game between two strategies and print it as a transcript; or a game of a run, by its folder and number.

    Each turn begins with the hand and the table; each line is a decision in the notation of scenarios (docs/SCENARIOS.md), behind the arrow
    is what came of it, in square brackets the Resource Pool. The lines of a turn can be pasted into a scenario as they are.

    A strategy is a name (see `terrors strategies`) or the path of a .py or .toml file.
    """
    from terrors.simulator.story.story_text import Teller
    from terrors.simulator.story.transcript import play_and_tell

    if run_folder is not None:
        given = [name for name in ("seed", "first_text", "second_text", "cards_file", "rules") if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT]
        if number is None or given:
            fail(ctx, "terrors replay RUN GAME: give the number of a game, and no other option than --turn, --trust and --json; the run says the rest.")
        game, players = game_of_run(run_folder, number, trusted)
    else:
        game, players = game_of_options(cards_file, rules, seed, first_text, second_text)
    box, (first_plan, second_plan) = game.box, (player.name for player in players)
    story = play_and_tell(game, [chooser_of(player, box) for player in players])
    if turn and turn > len(story.turns):
        fail(ctx, f"--turn {turn}: this game ends in turn {len(story.turns)}; give that or an earlier one.")
    if as_json:
        data = story.as_data()
        data |= {"strategies": [first_plan, second_plan], "rules": box.rules.changed(), "cards": box.cards.sha256}
        data["turns"] = [item for item in data["turns"] if item["number"] >= (turn or 1)]
        print_json(data)
        return
    for line in Teller(story.names).story(story, turn or 0):
        click.echo(line)


def game_of_options(cards_file: Path | None, rules: tuple[str, ...], seed: int, first_text: str, second_text: str) -> tuple[Game, list[Strategy]]:
    """Return the game that the options describe, and who plays."""
    from terrors.simulator.play.game import Game
    from terrors.strategies import find

    box = read_box(cards_file, rules)
    (first, first_plan), (second, second_plan) = (overlord_and_plan(text, box.cards) for text in (first_text, second_text))
    return Game(box, first, second, seed), [find(name) for name in (first_plan, second_plan)]


def game_of_run(run_folder: str, number: int, trusted: bool = False) -> tuple[Game, list[Strategy]]:
    """Return a game of a run as it was dealt, with its interventions, and who plays."""
    from terrors.simulator.runs.job import job_of
    from terrors.simulator.runs.run import Run
    from terrors.simulator.terms.errors import RunError

    run = Run.open(run_folder)
    job = job_of(run, trusted)
    if not any(part["start"] <= number < part["stop"] for part in run.info["parts"]):
        games = sum(part["stop"] - part["start"] for part in run.info["parts"])
        there = f"this run has the games 0 to {games - 1}" if run.finished else f"of this run, {games:,} games have been played so far"
        raise RunError(f"{run_folder}: there is no game {number}; {there}.")
    return job.schedule.table(number), [job.players[s] for s in job.schedule.strategies_of(number)]
