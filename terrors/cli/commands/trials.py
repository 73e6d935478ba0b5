"""`terrors card`, `terrors handicap` and `terrors rulings`: questions that are answered by playing the same deals in several ways."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.commands.runs import GameCount
from terrors.cli.progress import tell_step
from terrors.cli.project import cards_of, given_rules, margins_of, rules_of
from terrors.cli.shared_options import SEEDS, cards_option, json_option, names_option, print_json, rule_option, trust_option

if TYPE_CHECKING:
    from terrors.analysis.trials.handicap import Handicap
    from terrors.analysis.trials.one_card import CardPage, ForkValue
    from terrors.analysis.trials.one_overlord import OverlordPage
    from terrors.analysis.trials.rulings import Rulings
    from terrors.simulator.runs.job import Job

MOST = 10_000_000  # deals or games: they are in memory
DEFAULT_STRATEGY = "tuned"  # able hands: what a card is worth to somebody who cannot play says little


def _who_plays(command: Any) -> Any:
    """Add the options that say what is played to a command."""
    options: list[Any] = [
        click.option("--run", "run_folder", metavar="RUN", help="Play as that run did: its cards, rules, overlords and strategies."),
        click.option(
            "--strategies", multiple=True, callback=names_option, metavar="A,B", help=f"Who plays, each against itself.  [default: {DEFAULT_STRATEGY}]"
        ),
        click.option("--overlords", multiple=True, callback=names_option, metavar="A,B", help="Which overlords.  [default: all]"),
        cards_option,
        rule_option,
        click.option("--seed", type=SEEDS, default=1, show_default=True, help="Which bank of fresh deals."),
        click.option("--jobs", type=click.IntRange(1, 4096), default=os.cpu_count() or 1, help="How many to play at a time.  [default: the number of cores]"),
        trust_option,
        json_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _job(
    run_folder: str | None,
    strategies: tuple[str, ...] | None,
    overlords: tuple[str, ...] | None,
    cards_file: Path | None,
    rules: tuple[str, ...],
    seed: int,
    trusted: bool,
) -> Job:
    """Return the job that the options mean."""
    from terrors.simulator.runs.job import Job, in_best_hands, job_of
    from terrors.simulator.runs.plan import Plan

    if run_folder is not None:
        from terrors.simulator.runs.run import Run

        for name, given in (("--strategies", strategies), ("--overlords", overlords), ("--cards", cards_file)):
            if given:
                raise click.UsageError(f"{name} and --run: a run says already who plays what; leave one of them out.")
        job = in_best_hands(job_of(Run.open(run_folder), trusted))
        return replace(job, plan=job.plan.but(rules={**job.plan.rules, **given_rules(rules)}))
    changed, cards = rules_of(rules), str(cards_of(cards_file) or "")
    plan = Plan(strategies=strategies or (DEFAULT_STRATEGY,), pairing="mirror", overlords=overlords or (), cards=cards, rules=changed, seed=seed)
    return Job.of(plan, "")


def _expect_size(option: str, value: int, least: int) -> None:
    """Refuse what nobody can play in one piece."""
    if not least <= value <= MOST:
        raise click.UsageError(f"{option} {value}: give a number from {least} to {MOST:,}")


def _expect_points(option: str, value: float, example: float) -> None:
    """Refuse what is no number of points of win rate."""
    if not 0 < value < 50:
        raise click.UsageError(f"{option} {value:g}: give points of win rate between 0 and 50, for instance {example:g}")


@click.command(short_help="One card, closely: what access and a purchase are worth, and with whom.")
@click.argument("name", metavar="CARD")
@_who_plays
@click.option("--margin", type=float, metavar="POINTS", help="How much access may be worth and still be fair.  [default: of terrors.toml, by its copies]")
@click.option("--to", "width", type=float, default=0.0, metavar="POINTS", help="Go on until access is known to ± so many points.")
@click.option("--deals", type=GameCount(), default=40_000, show_default=True, help="At most so many deals.")
@click.option("--fork-deals", type=GameCount(), default=8_000, show_default=True, help="Deals in which to look for decisions; 0 leaves forks out.")
@click.pass_context
def card(ctx: click.Context, /, name: str, margin: float | None, width: float, deals: int, fork_deals: int, jobs: int, as_json: bool, **given: Any) -> None:
    """Measure what one card is worth: access (the same deals with the card denied to one player or the other, until it is decided), and a purchase (at
    real decisions, the card bought or the next best thing taken, with the same luck), by turn, by overlord, by seat.
    """  # noqa: D205
    from terrors.analysis.trials.one_card import card_page
    from terrors.simulator.cards.printing import card_sentences, card_text

    _expect_points("--margin", 3.0 if margin is None else margin, 3)
    _expect_points("--to", width or 0.5, 0.5)
    _expect_size("--deals", deals, 1)
    _expect_size("--fork-deals", fork_deals, 0)
    job = _job(**given)
    page = card_page(job, name, margin if margin is not None else usual_margin(job, name), deals, fork_deals, width, jobs, tell_step)
    shown = job.box.cards.by_name(name)
    if as_json:
        print_json(page.as_data() | {"text": card_sentences(shown)})
    else:
        click.echo(f"{card_text(shown)}\n\n{card_words(page)}")


def usual_margin(job: Job, name: str) -> float:
    """Return the margin of a card's access value, as a report has it: in proportion to its copies."""
    from terrors.analysis.verdicts.judge import access_margin
    from terrors.simulator.terms.enums import Pile

    cards = job.box.cards
    return access_margin(margins_of(None, ()).card, cards.by_name(name).copies, [card.copies for card in cards.cards if card.pile == Pile.MARKET])


def card_words(page: CardPage) -> str:
    """Return the page as text."""
    from terrors.analysis.contract.findings_schema import FAIR, TOO_STRONG, TOO_WEAK, UNDECIDED
    from terrors.analysis.contract.sentences import interval, missing
    from terrors.analysis.verdicts.judge import sized

    low, high = page.access.interval
    value = interval(100 * page.access.mean, 100 * low, 100 * high, sign=True)
    verdict = {FAIR: f"fair within your ±{page.margin:g}", UNDECIDED: f"undecided at your ±{page.margin:g}; {missing(None)}",
               **{state: f"{state}, beyond your ±{page.margin:g}" for state in (TOO_STRONG, TOO_WEAK)}}[page.state]  # fmt: skip
    to_whom = [(f"to the player who goes {value.level}", value) for value in page.by_seat] + [(f"to {value.level}", value) for value in page.by_overlord]
    lines = [
        f"{page.card}, played by {', '.join(page.strategies)} ({page.games:,} games on "
        f"{page.access.deals:,} deals of its own; a deal: how Market and decks are shuffled).", "",
        f"Access: being allowed to buy it is worth {value} points of win rate, {sized(100 * page.access.mean, 'difference')}: {verdict}.",
        *_level_lines(to_whom),
    ]  # fmt: skip
    if page.forks:
        whole = page.forks[0]
        lines += ["", f"Purchase: buying it instead of the next best thing is worth {interval(whole.value, whole.low, whole.high, sign=True)} points "
                  f"({whole.forks:,} decisions; the strategy wanted it in {page.wanted:.0f} of 100)."]  # fmt: skip
        titles = {"turn": "{} in the game", "overlord": "for {}", "wanted": "where the strategy wanted it: {}"}
        named = [(title.format(value.level), value) for by, title in titles.items() for value in page.forks if value.by == by]
        lines += _level_lines([(name.replace("middle in the game", "in the middle of the game"), value) for name, value in named])
    elif page.sought:
        lines += ["", "Nobody was ever in a position to buy it."]
    return "\n".join(lines)


def _level_lines(named: list[tuple[str, ForkValue]]) -> list[str]:
    from terrors.analysis.contract.sentences import interval

    width = max((len(name) for name, _ in named), default=0)
    return [f"  {name:<{width}}  {interval(value.value, value.low, value.high, sign=True)}" for name, value in named]


@click.command(short_help="One overlord, closely: how often it wins, against whom, from which seat.")
@click.argument("name", metavar="OVERLORD")
@_who_plays
@click.option("--margin", type=float, metavar="POINTS", help="How far off even is still fair.  [default: 3, or what terrors.toml says]")
@click.option("--to", "width", type=float, default=0.0, metavar="POINTS", help="Go on until its win rate is known to ± so many points.")
@click.option("--deals", type=GameCount(), default=40_000, show_default=True, help="At most so many deals.")
@click.pass_context
def overlord(ctx: click.Context, /, name: str, margin: float | None, width: float, deals: int, jobs: int, as_json: bool, **given: Any) -> None:
    """Measure how strong one overlord is: fresh deals against every rival, both seats with the same luck, until it is decided; by rival, seat and strategy."""
    from terrors.analysis.trials.one_overlord import overlord_page
    from terrors.simulator.cards.printing import card_sentences, card_text

    margin = margins_of(None, ()).overlord if margin is None else margin
    _expect_points("--margin", margin, 3)
    _expect_points("--to", width or 0.5, 0.5)
    _expect_size("--deals", deals, 1)
    job = _job(**given)
    page = overlord_page(job, name, margin, deals, width, jobs, tell_step)
    shown = [job.box.cards.by_name(name), *job.box.cards.influences_of(name)]
    if as_json:
        print_json(page.as_data() | {"text": {card.name: card_sentences(card) for card in shown}})
    else:
        click.echo("\n".join([*(card_text(card) for card in shown), "", overlord_words(page)]))


def overlord_words(page: OverlordPage) -> str:
    """Return the page as text."""
    from terrors.analysis.contract.findings_schema import FAIR, TOO_STRONG, TOO_WEAK, UNDECIDED
    from terrors.analysis.contract.sentences import interval, missing
    from terrors.analysis.verdicts.judge import sized

    whole = page.whole
    verdict = {FAIR: f"fair within your ±{page.margin:g}", UNDECIDED: f"undecided at your ±{page.margin:g}; {missing(None)}",
               **{state: f"{state}, beyond your ±{page.margin:g}" for state in (TOO_STRONG, TOO_WEAK)}}[page.state]  # fmt: skip
    titles = {"rival": "against {}", "seat": "when it goes {}", "strategy": "in the hands of {}"}
    named = [(titles[part.by].format(part.level), part) for part in page.parts]
    column = max(len(title) for title, _ in named)
    return "\n".join([
        f"{page.overlord}, played by {', '.join(page.strategies)} ({page.games:,} fresh games; on average {page.turns:.0f} turns, both players' counted).", "",
        f"It wins {interval(whole.rate, whole.low, whole.high)} of 100 games, {sized(whole.rate - 50, 'gap')}: {verdict}.",
        *(f"  {title:<{column}}  {interval(part.rate, part.low, part.high)}" for title, part in named),
    ])  # fmt: skip


@click.command(short_help="The fair opening hand: how many cards make going first neither pay nor cost.")
@_who_plays
@click.option("--hand", type=click.Choice(["first", "second"]), default="first", show_default=True, help="Whose opening hand to change.")
@click.option("--sizes", default="3,4,5", show_default=True, metavar="A,B,…", help="Which sizes to try.")
@click.option("--games", type=GameCount(), default=40_000, show_default=True, help="Games with each size.")
@click.pass_context
def handicap(ctx: click.Context, /, hand: str, sizes: str, games: int, jobs: int, as_json: bool, **given: Any) -> None:
    """Play opening hands of several sizes on the same deals, and say at which size going first would be even, with its interval."""
    from terrors.analysis.trials.handicap import handicap as find

    try:
        numbers = [int(text) for text in sizes.split(",")]
    except ValueError:
        raise click.UsageError(f"--sizes {sizes!r}: give whole numbers with commas between them, for instance 3,4,5") from None
    _expect_size("--games", games, 1)
    found = find(_job(**given), f"{hand}_hand", numbers, games, jobs, tell_step)
    if as_json:
        print_json(found.as_data())
    else:
        click.echo(handicap_words(found))


def handicap_words(found: Handicap) -> str:
    """Return the results as text."""
    from terrors.analysis.contract.sentences import interval

    whose = "first" if found.rule == "first_hand" else "second"
    lines = [f"{found.games:,} games, the same deals (how Market and decks are shuffled) with each size. Games that the player won who goes first, of 100:", ""]
    for size, rate in zip(found.sizes, found.rates, strict=True):
        lines.append(f"  {whose} hand of {size}:  {interval(100 * rate.share, 100 * rate.low, 100 * rate.high)}")
    lines.append("")
    if found.fair is None or found.low is None or found.high is None:
        pays, costs = all(rate.low > 0.5 for rate in found.rates), all(rate.high < 0.5 for rate in found.rates)
        others = "other" if whose == "second" else "smaller" if pays else "larger"
        if pays or costs:
            lines.append(f"Going first {'pays' if pays else 'costs'} with every size that was tried; try {others} ones (--sizes).")
        else:
            lines.append("At which size going first is even cannot be told from these games; play more (--games), or try other sizes (--sizes).")
    else:
        lines.append(f"Going first is even with a {whose} hand of {found.fair:.1f} cards ({found.low:.1f}–{found.high:.1f}).")
        if not found.sizes[0] <= found.fair <= found.sizes[-1]:
            lines.append("That lies beyond the sizes that were tried: the last line was prolonged.")
        best = min(zip(found.sizes, found.rates, strict=True), key=lambda pair: abs(pair[1].gap))
        lines.append(f"The nearest whole hand is {best[0]}: the first player then wins {interval(100 * best[1].share, 100 * best[1].low, 100 * best[1].high)}.")
    return "\n".join(lines)


@click.command(short_help="How much hangs on a ruling: every other reading, played on the same deals.")
@_who_plays
@click.option("--ruling", "wanted", multiple=True, metavar="NAME=VALUE", help="Only this reading; may be given several times.  [default: all]")
@click.option("--games", type=GameCount(), default=20_000, show_default=True, help="Games with each reading.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv", help="Write the table of all effects there too.")
@click.pass_context
def rulings(ctx: click.Context, /, wanted: tuple[str, ...], games: int, out: Path | None, jobs: int, as_json: bool, **given: Any) -> None:
    """Play every reading of the rulebooks that could be another one, and every icon that nobody could read, both ways on the same deals: what each moves,
    the largest first, and which icon to look up first in the printed game.
    """  # noqa: D205
    from terrors.analysis.trials.rulings import play_rulings

    _expect_size("--games", games, 1)
    found = play_rulings(_job(**given), wanted, games, jobs, tell_step)
    if out is not None:
        import polars as pl

        from terrors.analysis.contract.csv_text import csv_bytes

        try:
            out.write_bytes(csv_bytes(pl.DataFrame(found.rows())))
        except OSError as error:
            raise click.UsageError(f"--out {out}: {error.strerror or error}; give another file") from None
    if as_json:
        print_json({"games": found.games, "deals": found.deals, "comparisons": found.comparisons, "strategies": found.strategies, "rulings": found.rows()})
    else:
        click.echo(rulings_words(found))


def rulings_words(found: Rulings) -> str:
    """Return as text what hangs on each reading."""
    from terrors.analysis.contract.sentences import interval

    lines = [
        f"{found.games:,} games of each reading, the same {found.deals:,} deals (how Market and decks are shuffled), played by {', '.join(found.strategies)}.",
        f"What each changes, in points of win rate (95 % intervals, for all {found.comparisons} comparisons together):",
    ]
    for ruling in found.rulings:
        lines += ["", f"{ruling.words}  [{ruling.rule}={ruling.value}]"]
        if not ruling.changed:
            lines.append("  not one game goes otherwise")
            continue
        width = max(len(effect.of) for effect in ruling.effects)
        for effect in ruling.effects:
            lines.append(f"  {effect.of:<{width}}  {interval(effect.value, effect.low, effect.high, sign=True)}" + ("" if effect.certain else "  not certain"))
    if any(ruling.icon for ruling in found.rulings):
        first = found.look_up()
        lines += ["", f"Look up first in the printed game: the icon of {first.icon}. Read as {first.value}, it moves {first.largest.of} by "
                  f"{interval(first.largest.value, first.largest.low, first.largest.high, sign=True)} points." if first else
                  "On no unread icon does anything hang that these games could show; play more (--games)."]  # fmt: skip
    return "\n".join(lines)
