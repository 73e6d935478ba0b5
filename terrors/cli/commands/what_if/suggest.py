"""`terrors suggest`: the smallest patch that makes a set fair."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.analysis.contract.findings_schema import FAIR, OFF
from terrors.cli.commands.analyze import margin_options
from terrors.cli.commands.runs import GameCount
from terrors.cli.commands.what_if.numbers import job_of_options, kept_folder, set_options, write_table
from terrors.cli.failures import INTERRUPTED
from terrors.cli.progress import ProgressPrinter
from terrors.cli.project import cards_of, margins_of, project
from terrors.cli.shared_options import names_option, print_json

if TYPE_CHECKING:
    from terrors.analysis.numbers.suggest import Advice, Suggestion
    from terrors.simulator.cards.card_set import CardSet
    from terrors.simulator.runs.job import Job

GAMES = 240_000
COMPARED = 24_000  # games of each set for the page that compares them


@click.command(short_help="What to change: the fewest small edits that make everything fair.")
@partial(set_options, pilot="expert says what is fair, tuned finds out what numbers do")
@margin_options
@click.option("--only", multiple=True, callback=names_option, metavar="cost,health,…", help="Change only such numbers: sorts, cards or single numbers.")
@click.option("--keep", multiple=True, metavar="NAME", help='Leave this as it is, for instance "Methuselah.health" or a card. May be given several times.')
@click.option("--free", multiple=True, metavar="NAME", help="May be changed although its source says rulebook; what is named as --only does.")
@click.option(
    "--max-edits",
    type=int,
    default=3,
    show_default=True,
    help="Cells that may be changed at most; costs of cards (--fair cards) come on top.",
)
@click.option("--target", "targets", multiple=True, metavar="TEXT", help='What is not to be even, for instance "Azazael against Lilith = 55".')
@click.option(
    "--fair",
    multiple=True,
    callback=names_option,
    metavar="overlords,matchups,first,cards",
    help="What is to be fair: going first moves by numbers of the rules (--free rules), cards by their costs.  "
    "[default: overlords,matchups; going first too where rules may be changed]",
)
@click.option("--also-first", is_flag=True, hidden=True, help="The older word for --fair overlords,matchups,first.")
@click.option("--games", type=GameCount(), default=GAMES, show_default=True, help="Games to find out what every number does.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv", help="Write all suggestions there too, a row for each gauge.")
@click.option("--apply", "apply_", type=int, metavar="N", help="Write the card set of suggestion N beside the old one, and the page that compares the two.")
@click.pass_context
def suggest(
    ctx: click.Context, /, margins_file: Path | None, margin_texts: tuple[str, ...], only: tuple[str, ...] | None, keep: tuple[str, ...], free: tuple[str, ...],
    max_edits: int, targets: tuple[str, ...], fair: tuple[str, ...] | None, also_first: bool, games: int, out: Path | None, apply_: int | None, jobs: int,
    as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """Find the fewest small edits of cells that bring every overlord and match-up within your margins: candidates from what every number does, raced on the
    same deals, the winners judged on deals that nothing has seen. Cells whose source says rulebook are kept, and the rules; if nothing else will do, it says
    what would do with them. The same command goes on where it was interrupted, and answers at once when all is played.
    """  # noqa: D205
    from terrors.analysis.numbers.card_patches import suggest_with_cards
    from terrors.analysis.numbers.played_versions import JUDGE, PILOT
    from terrors.analysis.numbers.store import key_of
    from terrors.analysis.numbers.suggest import suggest as find
    from terrors.analysis.numbers.wishes import Wanted

    if apply_ is not None and not 1 <= apply_ <= max_edits + 1:
        raise click.UsageError(f"--apply {apply_}: there are never more than {max_edits + 1} suggestions; give the number of one of them")
    asked = ("overlords", "matchups", "first") if also_first and not fair else fair or ()
    wanted = Wanted(margins_of(margins_file, margin_texts), targets, only or (), (*keep, *project().protected), free, max_edits, asked)
    if not given["pilot"]:  # what numbers do, a faster one finds out; what is fair, the best hands say
        given["pilot"], wanted.scout = JUDGE, PILOT
    job, progress = job_of_options(**given), ProgressPrinter()
    folder = kept_folder("suggest", key_of(job, [], only, keep, free))
    advice = (suggest_with_cards if "cards" in asked else find)(job, wanted, games, jobs, folder, lambda text: progress.tell(lambda: text))
    progress.close()
    if out is not None:
        import polars as pl

        write_table(pl.DataFrame(advice.rows(), infer_schema_length=None), out)
    if as_json:
        data = {"needed": advice.needed, "games": advice.games, "played_by": advice.pilot, "as_it_is": advice.base.as_data(), "cards": advice.cards}
        print_json(data | {"suggestions": [one.as_data() for one in advice.suggestions], "interrupted": bool(advice.interrupted)})
    else:
        click.echo(advice_words(advice))
    if advice.interrupted:
        ctx.exit(INTERRUPTED)
    if apply_ is not None:
        if not 1 <= apply_ <= len(advice.suggestions):
            raise click.UsageError(f"--apply {apply_}: there are {len(advice.suggestions)} suggestions; give the number of one of them")
        apply(job, advice.suggestions[apply_ - 1], given.get("cards_file"), jobs)


def advice_words(advice: Advice) -> str:
    """Return the answer as text."""
    lines = [f"{advice.games:,} games, played by {advice.pilot}" + (f"; what numbers do was found out by {advice.scout}." if advice.scout else "."), ""]
    if not advice.needed:
        unsure = advice.base.open
        lines.append("Nothing needs to change: all that was asked for " + ("lies" if unsure else "is, for certain,") + " within your margins.")
        return "\n".join([*lines, f"Not certain yet: {', '.join(unsure)}."] if unsure else lines)
    off, leaning = ([_gauge(advice.base, i) for i in places] for places in (advice.off, advice.leaning))
    lines += ["Off as it is: " + ", ".join(off + advice.cards) + "."] if off or advice.cards else []
    lines += ["Beyond your margins, though not for certain: " + ", ".join(leaning) + "."] if leaning else []
    within = [one for one in advice.suggestions if not one.beyond]
    for number, one in enumerate(within, 1):
        lines += _suggestion_words(advice, one, number, told=one.fair or one is advice.nearest)
    if advice.interrupted:
        return "\n".join([*lines, "", "Interrupted; the same command goes on."])
    return "\n".join([*lines, "", *_conclusion(advice, within)])


def _suggestion_words(advice: Advice, one: Suggestion, number: int, told: bool) -> list[str]:
    """Return a suggestion as lines; `told`: with what becomes of every gauge that is off before or after it."""
    from terrors.analysis.numbers.wishes import why_kept

    lines = ["", f"{number}. " + "; ".join(edit.said(value) for edit, value in one.edits) + ("" if one.fair else "   (not enough)")]
    lines += [f"   Beyond your limits: {edit.said(value)} ({why_kept(edit)})." for edit, value in one.edits if edit in one.beyond]
    asked = [i for i, margin in enumerate(advice.asked.margin) if margin < 50] if told else []
    lines += [f"   {_change(advice, one, i)}" for i in asked if advice.base.states[i] != FAIR or one.states[i] != FAIR]
    return [*lines, "   Everything that was asked for is fair, for certain." if one.fair else f"   Leaves open: {', '.join(one.open)}."]


def _conclusion(advice: Advice, within: list[Suggestion]) -> list[str]:
    """Return which suggestion to take; where none within the limits will do, what would beyond them."""
    best, beyond = advice.best, next((one for one in advice.suggestions if one.beyond), None)
    if best is not None and best is not beyond:
        number, smallest = (advice.suggestions.index(one) + 1 for one in (best, advice.smallest or best))
        which = f"The smallest that does it is number {number}"
        if number != smallest:
            which = f"The smallest that does it is number {smallest}, but only just; number {number} does it with room to spare"
        return [f"{which}: the same command with --apply {number} writes it as a card set beside yours."]
    nearest = f"; the nearest is number {within.index(advice.nearest) + 1}" if advice.nearest is not None else ""
    lines = [f"No patch within your limits makes all of it fair{nearest}."]
    if beyond is None:
        return [*lines, "Nor was one found beyond them, among the printed facts and rules that --only and --keep leave. More edits (--max-edits) may do."]
    number, names = len(within) + 1, sorted({edit.card or "rules" for edit in beyond.beyond})
    what = " and ".join(dict.fromkeys("what is printed" if edit.card else "the rules" for edit in beyond.beyond))
    lines += [f"If {what} may change, this {'does it' if beyond.fair else 'comes nearer'}:", *_suggestion_words(advice, beyond, number, told=True), ""]
    keep, (cards, rules) = " ".join(f'--keep "{name}"' for name in names), beyond.settings()
    how = f"The same command with --apply {number} {'writes it beside yours' if cards else 'compares both'}"
    how += f"; {_rule_options(rules)} plays by that rule" if rules else ""
    return [*lines, f"{how}; with {keep} it is left out of the search."]


def _gauge(one: Suggestion, i: int) -> str:
    from terrors.analysis.contract.sentences import interval

    half = one.looks.z() * float(one.measured_error[i])
    return f"{one.gauges[i]} {interval(float(one.measured[i]), float(one.measured[i]) - half, float(one.measured[i]) + half)}"


def _change(advice: Advice, one: Suggestion, i: int) -> str:
    """Return what becomes of one gauge: before, after, and what was predicted."""
    word = {"fair": "fair", **dict.fromkeys(OFF, "still off")}.get(one.states[i], "not certain")
    centre = float(advice.asked.centre[i])
    predicted = f"{one.predicted[i]:.1f}" + (f", wanted {centre:.1f}".removesuffix(".0") if centre != 50 else "")
    return f"{_gauge(advice.base, i)} → {_gauge(one, i).removeprefix(one.gauges[i] + ' ')} {word} (predicted {predicted})"


def apply(job: Job, chosen: Suggestion, cards_file: Path | None, jobs: int) -> None:
    """Write the changed card set beside the old one, say what is different, and make the page that compares the two."""
    from terrors.analysis.compare import compare, open_pair
    from terrors.reports.page.comparison import make_comparison
    from terrors.simulator.cards.card_set import reference_path
    from terrors.simulator.cards.csv_patch import patched_csv, place_beside
    from terrors.simulator.runs.run import simulate

    old = Path(cards_of(cards_file) or reference_path())
    overrides, rules = chosen.settings()
    target = place_beside(old, here=cards_of(cards_file) is None)
    if overrides:
        target.write_bytes(patched_csv(old, job.cards, (*job.plan.set, *overrides, *_notes(job.cards, chosen))))
        click.echo(f"\nWritten: {target} ({old} is as it was). The difference:")
    else:
        click.echo("\nThe cards stay as they are. The difference:")
    for number, value in chosen.edits:
        click.echo(f"  {number.said(value)}" + ("   (beyond your limits)" if number in chosen.beyond else ""))
    if not chosen.fair:
        click.echo(f"It is not enough, and leaves open: {', '.join(chosen.open)}.")
    if rules:
        click.echo(f"Play it with {_rule_options(rules)}, or write it under [rules] of terrors.toml.")
    plan = job.plan.but(games=COMPARED, until="", deny_lottery=0.0)
    folders = [Path("runs") / f"{target.stem}-{name}" for name in ("before", "after")]
    for folder, changed in zip(folders, ({}, {"set": (*plan.set, *overrides), "rules": {**plan.rules, **rules}}), strict=True):
        simulate(plan.but(**changed), folder, jobs=jobs, overwrite=True)
    written = make_comparison(compare(*open_pair(str(folders[0]), str(folders[1])), (None, None)), folders[1] / "compare.html")
    click.echo(f"Before and after, game by game: {written.page}")


def _rule_options(rules: dict[str, Any]) -> str:
    return " ".join(f"--rule {name}={value}" for name, value in rules.items())


def _notes(cards: CardSet, chosen: Suggestion) -> list[str]:
    """Return changes of notes: a card whose source says rulebook says of itself what is no longer so."""
    said: dict[str, list[str]] = {}
    for number, value in chosen.edits:
        if number.card and number in chosen.beyond:
            said.setdefault(number.card, []).append(number.said(value).removeprefix(f"{number.card}: "))
    return [
        f"{card}.note={'. '.join(filter(None, [cards.by_name(card).note, 'Changed against the rulebook: ' + '; '.join(texts)]))}"
        for card, texts in said.items()
    ]
