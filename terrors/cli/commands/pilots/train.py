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
    from terrors.analysis.players.value_training import ValueProgress
    from terrors.simulator.play.box import Box
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
@click.option("--value", "learn", is_flag=True, help="Learn the value of positions instead: the file is a pilot like `expert` then.")
@click.option("--adapt", is_flag=True, help="Go on from the value that ships, with this set: about a minute; says how much stronger that made the pilot.")
@click.option("--foresight", is_flag=True, help="Go on from the value that ships with games of planner itself: the file is what planner thinks by.")
@click.option("--games", type=click.IntRange(100, 100_000_000), help="With --value, --adapt or --foresight: of a round.  [default: 120,000; 20,000; 15,360]")
@click.option("--sets", type=click.IntRange(0, 1000), help="With --value or --foresight: edits of the set, for half of the games.  [default: 40]")
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck of the training.")
@click.option("--jobs", type=click.IntRange(1, 4096), help="How many overlords to train at a time.  [default: the number of cores]")
@cards_option
@rule_option
@json_option
@click.pass_context
def train(
    ctx: click.Context, /, out: Path, field: tuple[str, ...], cards_file: Path | None, rules: tuple[str, ...], as_json: bool, learn: bool, adapt: bool,
    foresight: bool, games: int | None, sets: int | None, **given: Any,
) -> None:  # fmt: skip
    """Find out what cards and abilities are worth with each overlord, by playing, and write it into a file that is a strategy.

    The search tries numbers out against a mixed field of strategies (docs/STRATEGIES.md). It shows how far it is, keeps its state beside the file, and the same
    command goes on where it was. At the end the result is judged on games that it was not fitted to, beside the strategies of the field: how much it wins
    with each overlord, and by how much the best of them all wins more with that overlord (regret).

    With --value it learns what positions are worth, from games of tuned and of its own earlier self, with this set and with edits of it. That file is a pilot
    like `expert`. With --adapt it begins with the value that ships, and learns this set alone. With --foresight it begins with that value too, and learns from
    games of planner, with this set and with edits of it; a planner by that file is choose = Thinker(__name__, value=FILE, ...) (docs/STRATEGIES.md).
    """
    import joblib

    if learn + adapt + foresight > 1:
        raise click.UsageError("--value, --adapt and --foresight are three ways to learn; give one of them.")
    if learn or adapt or foresight:
        way = "adapt" if adapt else "foresight" if foresight else "value"
        _train_value(ctx, out, read_box(cards_file, rules), way, games, sets, given, as_json)
        return
    if games is not None or sets is not None:
        raise click.UsageError("--games and --sets are for --value, --adapt and --foresight; without these, --generations and --pairs say how much is played.")
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


def _train_value(
    ctx: click.Context, out: Path, box: Box, way: str, games: int | None, sets: int | None, given: dict[str, Any], as_json: bool
) -> None:  # fmt: skip
    """Learn the value of positions: from nothing, or from the one that ships with this set alone or with games of those who look ahead."""
    import hashlib

    import joblib

    from terrors.analysis.players.adapting import GAMES, adapt, gain_of
    from terrors.analysis.players.foresight import MATCH, foresight_settings, thinker_by, train_foresight
    from terrors.analysis.players.value_training import ValueSettings, train_value
    from terrors.simulator.runs.workers import Stop
    from terrors.strategies.formats.expert import Expert
    from terrors.strategies.formats.value import BASE, FILE

    show, jobs, seed = _ShowValue(), given["jobs"] or joblib.cpu_count(), given["seed"]
    asked = {name: number for name, number in (("games", games), ("sets", sets)) if number is not None}
    with Stop() as stop:
        try:
            if way == "adapt":
                gain = adapt(box, out, seed, games=games or GAMES, show=show.part, stopped=lambda: stop.asked)
            elif way == "foresight":
                train_foresight(box, out, foresight_settings(box, seed=seed, **asked), jobs=jobs, show=show.part, stopped=lambda: stop.asked)
                gain = gain_of(box, thinker_by(out), thinker_by(FILE), MATCH, seed)
            else:
                base = hashlib.sha256(BASE.read_bytes()).hexdigest()
                settings = ValueSettings(box.cards.sha256, base, box.rules.changed(), seed=seed, **asked)
                train_value(box, out, settings, jobs, show.part, lambda: stop.asked)
                gain = gain_of(box, Expert(out), Expert(FILE), 4000, seed)
        except KeyboardInterrupt:
            show.close()
            click.echo(f"Interrupted. What was played is kept; the same command goes on with it: {shlex.join(['terrors', *sys.argv[1:]])}", err=True)
            ctx.exit(INTERRUPTED)
    show.close()
    if as_json:
        print_json({"file": str(out), "gain": {"elo": gain.elo, "half_width": gain.half_width, "games": gain.games, "clear": gain.clear}})
        return
    needed = "the pilots had not learnt this set" if gain.clear else "nothing to speak of was to be learnt"
    words = f": {needed}" if way == "adapt" else ""
    rival = "Planner by it against planner by the value of expert" if way == "foresight" else "Against the expert that ships"
    click.echo(f"{out} is written; it is a strategy: terrors strategies check {out}")
    click.echo(f"{rival}, on this set: {gain.elo:+.0f} Elo (±{gain.half_width:.0f}, {gain.games:,} games){words}.")


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


class _ShowValue(ProgressPrinter):
    """A printer that shows how far the learning of a value is."""

    def part(self, progress: ValueProgress) -> None:
        """Show what is being done."""
        self.tell(lambda: f"{progress.what}: {progress.done} of {progress.total}")


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
