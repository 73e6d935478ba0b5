"""`terrors strategies`: who can play, and how good a plan of one's own is."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.shared_options import SEEDS, cards_option, json_option, print_json, read_box, rule_option

if TYPE_CHECKING:
    from terrors.analysis.players.head_to_head import Scores
    from terrors.analysis.stats.intervals import Estimate
    from terrors.simulator.play.box import Box
    from terrors.strategies import Strategy
    from terrors.strategies.checks.contract import Report
    from terrors.strategies.checks.usage import Watched

SPEED_GAMES = 400
CONTRACT_GAMES = 12  # one for each two overlords in each order: a few seconds
LONGEST = 12  # cards in a list of what was never bought; the rest is counted
WIDTH = 110


@click.group(invoke_without_command=True, short_help="List the strategies, or check one of your own.")
@click.option("--speed/--no-speed", default=True, help="Measure games per second, each strategy against itself (a moment each), or not.")
@cards_option
@rule_option
@json_option
@click.pass_context
def strategies(ctx: click.Context, speed: bool, cards_file: Path | None, rules: tuple[str, ...], as_json: bool) -> None:
    """List the strategies that can play, with their plans in a line each and how fast they are.

    Wherever a command takes a strategy, it is one of these names, or the path of a file of your own: Python (.py) or a priority list (.toml).
    docs/STRATEGIES.md says how to write one, `terrors strategies check FILE` how good it is.
    """
    if ctx.invoked_subcommand is not None:
        if as_json or rules or cards_file or not speed:  # they would be ignored, in silence
            raise click.UsageError(f"options of {ctx.invoked_subcommand} stand behind it", ctx)
        return
    from terrors.strategies import all_names, find

    plans = [find(name) for name in all_names()]
    rates = [None] * len(plans) if not speed else _rates(plans, read_box(cards_file, rules))
    if as_json:
        print_json([_plan_data(plan) | ({"games_per_second": rate} if speed else {}) for plan, rate in zip(plans, rates, strict=True)])
        return
    column = max(len(plan.name) for plan in plans) + 2
    if speed:
        click.echo(f"{'':<{column}}{'games/s':>7}")
    for plan, rate in zip(plans, rates, strict=True):
        click.echo(f"{plan.name:<{column}}" + (f"{rate:>7,}  " if rate is not None else "") + plan.summary)


def _rates(plans: list[Strategy], box: Box) -> list[Any]:
    from terrors.analysis.players.head_to_head import games_per_second

    rates = [games_per_second(box, plan, SPEED_GAMES) for plan in plans]
    return [round(rate) if rate >= 10 else round(rate, 1) for rate in rates]


def _plan_data(plan: Strategy) -> dict[str, Any]:
    return {"name": plan.name, "plan": plan.words, "path": str(plan.path), "sha256": plan.sha256}


@strategies.command(short_help="Check a strategy and play it against the others.")
@click.argument("strategy", metavar="FILE_OR_NAME")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Games against each of the others, at least. With fewer the contract is tried out on fewer, too.",
)
@click.option(
    "--against",
    multiple=True,
    metavar="STRATEGY",
    help="Play against this one only. May be given several times; without it, against all quick ones that ship.",
)
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck of the games: the same seed is the same games.")
@cards_option
@rule_option
@json_option
@click.pass_context
def check(
    ctx: click.Context, strategy: str, games: int, against: tuple[str, ...], seed: int, cards_file: Path | None, rules: tuple[str, ...], as_json: bool
) -> None:
    """Check a strategy and see how good it is.

    First the contract: does it answer with an option that is there, leave the game alone, and not peek at hidden cards? Then it plays against each strategy
    that ships, in every match-up with either overlord and in both seats with the same luck. Last, what it never did in these games.

    Exit code 0 when it keeps to the contract, 1 when it does not (then no games are played), 2 when the file cannot be read.
    """
    from terrors.analysis.players.head_to_head import match_ups
    from terrors.strategies import all_names, find
    from terrors.strategies.checks.alone import check_alone
    from terrors.strategies.checks.contract import check_strategy

    box = read_box(cards_file, rules)
    match_ups(box)  # before anything is played: can they meet at all?
    contract_games = max(2, min(CONTRACT_GAMES, games // 80))
    own = Path(strategy) if strategy.endswith(".py") and strategy not in all_names() and Path(strategy).is_file() else None
    report = check_alone(own.resolve(), box, contract_games) if own else None  # in a process of its own, before it is let into this one
    plan = find(strategy, watched=own is None)
    rivals = [find(name) for name in against or all_names()]
    rivals = [rival for rival in rivals if against or not (rival.path == plan.path or rival.slow)]
    report = report or check_strategy(plan, box, games=1 if plan.slow else contract_games)
    found = None if report.problems else _play(plan, rivals, box, games, seed)
    if as_json:
        run = {"seed": seed, "rules": box.rules.changed(), "cards": box.cards.sha256}
        print_json({"strategy": _plan_data(plan), "contract": _contract_data(report)} | run | (found.as_data() if found else {}))
    else:
        click.echo("\n".join([*_head(plan, report), *(found.lines() if found else [])]))
    if report.problems:
        ctx.exit(1)


def _contract_data(report: Report) -> dict[str, Any]:
    return {"games": report.games, "decisions": report.decisions, "redeals": report.redeals, "problems": report.problems}


def _head(plan: Strategy, report: Report) -> list[str]:
    """Return the plan in words, and whether it keeps to the contract."""
    lines = [f"{plan.name}: {plan.summary}", ""]
    if report.problems:
        return [*lines, "It breaks the contract; no games are played before that is mended:", *(f"  {problem}" for problem in report.problems)]
    deals = report.redeals // max(1, report.decisions)
    asked = f"{report.decisions:,} decisions in {report.games} games, each asked again with {deals} other deals of what is hidden"
    return [*lines, f"It keeps to the contract and does not peek ({asked})."]


@dataclass
class Findings:
    """The results of the games of a check."""

    box: Box
    watched: Watched
    records: list[tuple[str, Scores]]  # rivals by name
    games_per_second: float

    def overlords(self) -> list[tuple[str, int]]:
        """Return names and kinds of the overlords that played."""
        return [(card.name, self.box.kind(card.name)) for card in self.box.cards.overlords]

    def rows(self) -> list[tuple[str, Scores]]:
        """Return the rivals, and all of them together if there are several."""
        from terrors.analysis.players.head_to_head import together

        return [*self.records, *([("all of them", together([record for _, record in self.records]))] if len(self.records) > 1 else [])]

    def idle_rules(self) -> list[tuple[int, str]]:
        """Return the buy rules of a list that never bought anything: number and text."""
        from terrors.strategies.formats.lists import ListStrategy

        plan = self.watched.strategy
        if not isinstance(plan, ListStrategy):
            return []
        return [(i + 1, plan.list.buy[i].text) for i, n in enumerate(plan.fired(self.watched.area)) if n == 0]

    def lines(self) -> list[str]:
        """Return the findings as text."""
        rows, overlords = self.rows(), self.overlords()
        games = self.records[0][1].games
        column = max(len(name) for name, _ in rows) + 2
        widths = [max(len(name), 13) + 2 for name, _ in overlords]
        lines = [f"It plays {self.games_per_second:,.0f} games a second against itself.", ""]
        lines += [f"Games won, in per cent (95 % interval), of {games:,} against each; all, and by its own overlord:", ""]
        lines.append("  " + " " * column + f"{'all':>13}" + "".join(f"{name:>{width}}" for (name, _), width in zip(overlords, widths, strict=True)))
        for name, record in rows:
            cells = [f"{_cell(record.with_overlord(kind)):>{width}}" for (_, kind), width in zip(overlords, widths, strict=True)]
            lines.append(f"  {name:<{column}}{_cell(record.overall):>13}" + "".join(cells))
        draws, cut = (sum(getattr(record, name) for _, record in self.records) for name in ("draws", "cut"))
        if draws or cut:
            lines += ["", f"Games that ran into the turn limit: {draws:,}; with an Action Phase cut short: {cut:,}."]
        return [*lines, "", *self.never()]

    def never(self) -> list[str]:
        """Return in words what it never did."""
        lines = [f"  buy {number} never bought anything: {text or 'whatever there is'}" for number, text in self.idle_rules()]
        for words, items in (("never bought", self.watched.never_bought), ("never used", self.watched.never_used)):
            if items:
                shown = [f"{name} ({n:,})" for name, n in items[:LONGEST]] + ([f"and {len(items) - LONGEST} more"] if len(items) > LONGEST else [])
                text = f"{words}, and how often it could have been: {', '.join(shown)}"
                lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        return ["Never in these games:", *lines] if lines else ["Every card that it could buy was bought at some time, and every sort of action used."]

    def as_data(self) -> dict[str, Any]:
        """Return the findings as JSON knows them."""
        against = [_record_data(name, record, self.overlords()) for name, record in self.records]
        return {
            "games_per_second": round(self.games_per_second),
            "against": against,
            "all": _record_data("all", self.rows()[-1][1], self.overlords()),
            "never": {
                "rules": [{"rule": number, "text": text} for number, text in self.idle_rules()],
                "bought": [{"card": name, "could": n} for name, n in self.watched.never_bought],
                "used": [{"action": name, "could": n} for name, n in self.watched.never_used],
            },
        }


def _play(plan: Strategy, rivals: list[Strategy], box: Box, games: int, seed: int) -> Findings:
    """Play against each rival; other luck against each, so that their results may be added up."""
    from terrors.analysis.players.head_to_head import games_per_second, play_against
    from terrors.strategies.checks.usage import Watched

    watched = Watched(plan, box)
    records = [(rival.name, play_against(box, watched, rival, games, seed + number)) for number, rival in enumerate(rivals)]
    return Findings(box, watched, records, games_per_second(box, plan, SPEED_GAMES))


def _cell(estimate: Estimate) -> str:
    """Return a share as text: `57 (54–60)`."""
    return f"{100 * estimate.share:.0f} ({100 * estimate.low:.0f}–{100 * estimate.high:.0f})"


def _estimate_data(estimate: Estimate) -> dict[str, float]:
    return {name: round(value, 5) for name, value in estimate.as_data().items()}


def _record_data(name: str, record: Scores, overlords: list[tuple[str, int]]) -> dict[str, Any]:
    by_overlord = {overlord: _estimate_data(record.with_overlord(kind)) for overlord, kind in overlords}
    return {"name": name, "games": record.games, "draws": record.draws, "cut": record.cut, **_estimate_data(record.overall), "overlords": by_overlord}
