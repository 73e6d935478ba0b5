"""`terrors ladder`: how strong the strategies are."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.progress import ProgressPrinter
from terrors.cli.shared_options import SEEDS, cards_option, json_option, print_json, read_box, rule_option

if TYPE_CHECKING:
    from terrors.analysis.players.ladder import Ladder
    from terrors.analysis.stats.intervals import Estimate
    from terrors.simulator.play.box import Box
    from terrors.simulator.play.match import Playable


@click.command(short_help="Let all strategies meet, and rate them.")
@click.option("--strategies", "names", multiple=True, metavar="A,B", help="Who takes part.  [default: all that ship]")
@click.option("--games", type=click.IntRange(4), default=480, show_default=True, help="Games of each two, at the least.")
@click.option("--slow-games", type=click.IntRange(4), default=48, show_default=True, help="Games of each two of which one is slow.")
@click.option("--differ", type=click.IntRange(0), default=4, show_default=True, help="Games in which neighbours' decisions are compared; 0 leaves it out.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where the picture and the tables go.")
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck of the games.")
@click.option("--jobs", type=click.IntRange(1, 4096), help="Encounters at a time.  [default: the number of cores]")
@cards_option
@rule_option
@json_option
def ladder(
    names: tuple[str, ...], games: int, slow_games: int, differ: int, out: Path | None, seed: int, jobs: int | None, cards_file: Path | None,
    rules: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Let all strategies play against each other in all match-ups, in groups of games with the same luck, and rate them.

    Ratings are Bradley and Terry's, in Elo points above greedy, with 95 % intervals. The matrix says how many of 100 games the strategy of the row wins against
    that of the column. Regret is by how many points the best pilot of an overlord does better with it: a strategy with a large regret for one overlord would
    make it look weak.
    """
    import joblib

    from terrors.analysis.players.ladder import climb, differing
    from terrors.strategies import all_names, find

    box = read_box(cards_file, rules)
    chosen = [find(name.strip()) for text in (names or (",".join(all_names()),)) for name in text.split(",") if name.strip()]
    slow = {strategy.name for strategy in chosen if strategy.slow}
    printer = ProgressPrinter()

    def games_of(a: Playable, b: Playable) -> int:
        return slow_games if {a.name, b.name} & slow else games

    def show(done: int, total: int) -> None:
        printer.tell(lambda: f"{done} of {total} encounters")

    found = climb(box, chosen, games_of, seed, jobs=jobs or joblib.cpu_count(), on_progress=show)
    printer.close()
    order = [rung.name for rung in found.rungs()]
    by_name = {strategy.name: strategy for strategy in chosen}
    compared = {(a, b): differing(box, by_name[a], by_name[b], differ, seed) for a, b in itertools.pairwise(order)} if differ else {}
    data = ladder_data(found, box, compared)
    if out is not None:
        from terrors.reports.charts.ladder import draw

        out.mkdir(parents=True, exist_ok=True)
        (out / "ladder.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        draw(data, out / "ladder.png")
    if as_json:
        print_json(data)
    else:
        click.echo("\n".join(ladder_lines(data)))
        if out is not None:
            click.echo(f"\nPicture and numbers are in {out}.")


def ladder_data(ladder: Ladder, box: Box, compared: dict[tuple[str, str], Estimate]) -> dict[str, Any]:
    """Return everything that was found out, as JSON knows it."""
    rungs = ladder.rungs()
    order = [rung.name for rung in rungs]
    steps = []
    for upper, lower in itertools.pairwise(order):
        gap, half = ladder.step(upper, lower)
        steps.append({"upper": upper, "lower": lower, "gap": gap, "half_width": half, "clear": gap > half})
    regret = {name: ladder.regret(box.kind(name)) for name in ladder.overlords}
    return {
        "zero": ladder.zero,
        "rungs": [{"name": r.name, "rating": r.rating, "half_width": r.half_width, "expected": r.expected} for r in rungs],
        "steps": steps,
        "matrix": {a: {b: ladder.share(a, b).as_data() for b in order if b != a} for a in order},
        "overlords": {o: {n: ladder.with_overlord(n, box.kind(o)).as_data() for n in order} for o in ladder.overlords},
        "regret": {o: {n: regret[o][n] for n in order} for o in ladder.overlords},
        "differ": [{"strong": a, "weak": b, **e.as_data()} for (a, b), e in compared.items()],
        "games": {f"{ladder.names[i]} – {ladder.names[j]}": record.games for (i, j), record in ladder.records.items()},
    }


def ladder_lines(data: dict[str, Any]) -> list[str]:
    """Return the ladder as text."""
    rungs, zero = data["rungs"], data["zero"]
    column = max(len(rung["name"]) for rung in rungs) + 2
    lines = [f"{'':<{column}}{'rating':>8}{'±':>7}   wins of 100 against {zero}"]
    for rung in rungs:
        lines.append(f"{rung['name']:<{column}}{rung['rating']:>8.0f}{rung['half_width']:>7.0f}   {100 * rung['expected']:.0f}")
    blurred = [f"{step['upper']} and {step['lower']}" for step in data["steps"] if not step["clear"]]
    if blurred:
        lines += ["", "Too close to call with these games: " + ", ".join(blurred) + "."]
    order = [rung["name"] for rung in rungs]
    lines += ["", "Wins of 100, the row against the column:", f"{'':<{column}}" + "".join(f"{name[:7]:>8}" for name in order)]
    for a in order:
        lines.append(f"{a:<{column}}" + "".join(f"{'–' if a == b else format(100 * data['matrix'][a][b]['share'], '.0f'):>8}" for b in order))
    overlords = list(data["regret"])
    lines += ["", "Regret with each overlord, in points:", f"{'':<{column}}" + "".join(f"{name[:11]:>13}" for name in overlords)]
    for name in order:
        lines.append(f"{name:<{column}}" + "".join(f"{data['regret'][overlord][name]:>13.0f}" for overlord in overlords))
    if data["differ"]:
        lines += ["", "Decisions that the lower of two neighbours would have made otherwise:"]
        lines += [f"  {d['weak']} instead of {d['strong']}: {100 * d['share']:.0f} of 100" for d in data["differ"]]
    return lines
