"""`terrors replay`: games to read."""

from __future__ import annotations

from pathlib import Path

import click

from reports.errors import fail
from reports.options import SEEDS, cards_option, chooser_of, json_option, overlord_and_plan, print_json, read_box, rule_option


@click.command(short_help="Print a game between two strategies, turn by turn.")
@click.option("--seed", type=SEEDS, default=0, show_default=True, help="The luck of the game: the same seed is the same game.")
@click.option("--first", "first_text", default="Fenris:greedy", show_default=True, metavar="OVERLORD:STRATEGY", help="The first player.")
@click.option("--second", "second_text", default="Azazael:greedy", show_default=True, metavar="OVERLORD:STRATEGY", help="The second player.")
@click.option("--turn", type=click.IntRange(1), default=None, help="Start with this turn, both players' turns counted.")
@cards_option
@rule_option
@json_option
@click.pass_context
def replay(
    ctx: click.Context, seed: int, first_text: str, second_text: str, turn: int | None, cards_file: Path | None, rules: tuple[str, ...], as_json: bool
) -> None:
    """Play a game between two strategies and print it as a transcript.

    Each turn begins with the hand and the table; each line is a decision in the notation of scenarios (docs/SCENARIOS.md), behind the arrow
    is what came of it, in square brackets the Resource Pool. The lines of a turn can be pasted into a scenario as they are.

    A strategy is a name (see `terrors strategies`) or the path of a .py or .toml file.
    """
    from simulator.game import Game
    from simulator.telling import Teller
    from simulator.transcript import play_and_tell
    from strategies import find

    box = read_box(cards_file, rules)
    (first, first_plan), (second, second_plan) = (overlord_and_plan(text, box.cards) for text in (first_text, second_text))
    choosers = [chooser_of(find(name), box) for name in (first_plan, second_plan)]
    story = play_and_tell(Game(box, first, second, seed), choosers)
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
