"""`terrors train`: finding the numbers of a strategy by playing."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.failures import INTERRUPTED
from terrors.cli.progress import ProgressPrinter, span
from terrors.cli.shared_options import SEEDS, cards_option, json_option, print_json, read_box, rule_option

if TYPE_CHECKING:
    from terrors.analysis.players.training import Judged, TrainingProgress
    from terrors.strategies import Strategy

FAST = ("aggro", "bigmoney", "control", "economy", "flow", "greedy", "horde", "loyal", "relics", "thin")  # the usual field: all that play quickly and sensibly


@click.command(short_help="Find the numbers of a strategy by playing very many games.")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.json", help="The file of numbers to make; it is a strategy then.")
@click.option("--field", multiple=True, metavar="A,B", help=f"The rivals.  [default: {', '.join(FAST)}]")
@click.option("--generations", type=click.IntRange(1, 100_000), default=120, show_default=True, help="Of candidates, for each overlord and round.")
@click.option("--rounds", type=click.IntRange(1, 20), default=2, show_default=True, help="From the second on, the result so far is a rival too.")
@click.option("--population", type=click.IntRange(4, 1000), default=20, show_default=True, help="Candidates in a generation.")
@click.option("--pairs", type=click.IntRange(1, 10_000), default=8, show_default=True, help="Pairs of games of a candidate against a rival's overlord.")
@click.option("--confirm", type=click.IntRange(1, 1_000_000), default=200, show_default=True, help="Pairs of games to judge by, for each rival and overlord.")
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck of the training.")
@click.option("--jobs", type=click.IntRange(1, 4096), help="How many overlords to train at a time.  [default: the number of cores]")
@cards_option
@rule_option
@json_option
@click.pass_context
def train(ctx: click.Context, /, out: Path, field: tuple[str, ...], cards_file: Path | None, rules: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Find out what cards and abilities are worth with each overlord, by playing, and write it into a file that is a strategy.

    The search tries numbers out against a mixed field of strategies (docs/STRATEGIES.md). It shows how far it is, keeps its state beside the file, and the same
    command goes on where it was. At the end the result is judged on games that it was not fitted to, beside the strategies of the field: how much it wins
    with each overlord, and by how much the best of them all wins more with that overlord (regret).
    """
    import joblib

    from terrors.analysis.players.training import Settings, judge, train
    from terrors.simulator.runs.workers import Stop
    from terrors.strategies import find

    confirm, jobs = given.pop("confirm"), given.pop("jobs") or joblib.cpu_count()
    box = read_box(cards_file, rules)
    rivals: list[Strategy] = [find(name) for name in (name.strip() for text in field or FAST for name in text.split(",")) if name]
    for rival in rivals:
        rival.compiled  # noqa: B018  now, and not in every thread
    settings = Settings(tuple(rival.sha256 for rival in rivals), box.cards.sha256, box.rules.changed(), **given)
    show = _Show(len(box.cards.overlords) * settings.generations * settings.rounds)
    with Stop() as stop:
        try:
            train(box, rivals, out, settings, jobs, show.generation, lambda: stop.asked)
        except KeyboardInterrupt:
            show.close()
            click.echo(f"Interrupted. What was learned is kept; the same command goes on with it: {shlex.join(['terrors', *sys.argv[1:]])}", err=True)
            ctx.exit(INTERRUPTED)
    show.close()
    made = find(str(out))
    judged = [judge(box, [made, *rivals], rivals, confirm, settings.seed, box.kind(card.name)) for card in box.cards.overlords]
    if as_json:
        print_json({"file": str(out), "judged": [judged_data(entry, made.name) for entry in judged]})
    else:
        click.echo("\n".join([f"{out} is written; it is a strategy: terrors strategies check {out}", "", *judged_lines(judged, made.name)]))


def judged_data(judged: Judged, name: str) -> dict[str, Any]:
    """Return how an overlord is played, as JSON knows it."""
    shares = {player: estimate.as_data() for player, estimate in judged.by_player.items()}
    return {"overlord": judged.overlord, "regret": judged.regret(name), "players": shares}


def judged_lines(judged: list[Judged], name: str) -> list[str]:
    """Return in lines how the new strategy does with each overlord, and who would do better."""
    lines = ["Won against the field, of 100 games that nothing was fitted to (95 % interval):"]
    column = max(len(entry.overlord) for entry in judged) + 2
    for entry in judged:
        mine = entry.by_player[name]
        best = max((player for player in entry.by_player if player != name), key=lambda player: entry.by_player[player].share)
        other, regret = entry.by_player[best], entry.regret(name)
        words = f"regret {regret:.0f} points" if regret >= 0.5 else "nobody does better"
        interval = f"{100 * mine.share:.0f} ({100 * mine.low:.0f}–{100 * mine.high:.0f})"
        lines.append(f"  {entry.overlord:<{column}}{interval}   {words}; next is {best} with {100 * other.share:.0f}")
    return lines


class _Show(ProgressPrinter):
    """A printer that shows how far a training is."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self.total, self.done, self.began = total, 0, time.monotonic()

    def generation(self, progress: TrainingProgress) -> None:
        """Count one more generation as done, and show it."""
        self.done += 1
        left = (self.total - self.done) * (time.monotonic() - self.began) / self.done
        self.tell(
            lambda: (
                f"{progress.overlord}, round {progress.round}, generation {progress.generation} of {progress.generations}: "
                f"candidates win {100 * progress.share:.0f} of 100 · {span(left)} left"
            )
        )
