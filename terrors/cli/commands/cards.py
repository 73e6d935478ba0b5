"""`terrors cards` and `terrors check`: is the set well written, do the rules hold."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.shared_options import cards_option, json_option, print_json, read_cards, say_warnings

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet
    from terrors.simulator.story.scenario import Outcome

WORDS = "words"  # the FILE that means the language instead of a set


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@json_option
def cards(file: Path | None, as_json: bool) -> None:
    """Check a card set and print it, or print the ability language.

    FILE is a card file (docs/CARDS.md); without it the reference set. Every problem of a broken file is listed, and the exit code is 2.
    What can be played and was perhaps not meant is a warning on stderr.

    `terrors cards words` prints the ability language with an example for each word (a file of that name is given with its folder).
    """
    from terrors.simulator.cards.printing import print_set, print_words

    language = file == Path(WORDS)
    if language:
        print_json(_language_data()) if as_json else click.echo(print_words(_width()), nl=False)
        return
    found = read_cards(file)
    if as_json:
        print_json(_set_data(found))
    else:
        click.echo(print_set(found, _width()), nl=False)
    say_warnings(found)


def _width() -> int:
    """Return how wide text may be: the terminal, within reason."""
    import shutil

    return max(60, min(120, shutil.get_terminal_size((100, 40)).columns))


def _set_data(found: CardSet) -> dict[str, Any]:
    from terrors.simulator.cards.card import cells_of
    from terrors.simulator.cards.printing import card_sentences

    rows = [
        {**cells_of(card), "cost": card.cost, "copies": card.copies, "health": card.health, "sentences": card_sentences(card), "own": dict(card.own)}
        for card in found
    ]
    return {
        "path": str(found.path),
        "sha256": found.sha256,
        "warnings": list(found.warnings),
        "notes": list(found.notes),
        "factions": list(found.dialect.names),
        "keywords": dict(found.dialect.keywords),
        "cards": rows,
    }


def _language_data() -> dict[str, Any]:
    from terrors.simulator.cards.vocabulary import COUNTS, EVENTS, LIMITS, WORDS

    return {
        "abilities": [{"examples": list(word.examples), "meaning": word.meaning} for word in WORDS],
        "limits": [{"examples": list(examples), "meaning": meaning} for examples, meaning in LIMITS],
        "counts": [{"examples": list(count.examples), "meaning": count.meaning} for count in COUNTS],
        "events": [{"examples": [event.text], "meaning": event.meaning} for event in EVENTS],
    }


@click.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE_OR_FOLDER...")
@cards_option
@json_option
@click.pass_context
def check(ctx: click.Context, places: tuple[Path, ...], cards_file: Path | None, as_json: bool) -> None:
    """Run scenario files (docs/SCENARIOS.md).

    Exit code 0 when all scenarios hold; 1 when some do not, each failed step with what was found; 2 when a file cannot be read.
    """
    from terrors.simulator.story.scenario import find_files, run_files

    outcomes = list(run_files(find_files(list(places)), read_cards(cards_file)))
    failed = [outcome for outcome in outcomes if outcome.failures]
    if as_json:
        print_json([_outcome_data(outcome) for outcome in outcomes])
    else:
        for path, group in groupby(outcomes, key=lambda outcome: outcome.scenario.path):
            _print_file(path, list(group))
        if len({outcome.scenario.path for outcome in outcomes}) > 1:
            click.echo(_count(len(outcomes), len(failed)))
    if failed:
        ctx.exit(1)


def _print_file(path: Path, outcomes: list[Outcome]) -> None:
    """Print one line for the file, and below it what does not hold."""
    failed = [outcome for outcome in outcomes if outcome.failures]
    click.echo(f"{path}: {_count(len(outcomes), len(failed))}")
    for outcome in failed:
        scenario = outcome.scenario
        click.echo(f"  {path}, scenario {scenario.number}, {scenario.rule}: {scenario.title}")
        for failure in outcome.failures:
            click.echo(f"    {failure}")


def _count(all_of_them: int, failed: int) -> str:
    """Return a count in words: `35 scenarios hold`, `33 of 35 scenarios hold, 2 do not`."""
    if failed:
        return f"{all_of_them - failed} of {all_of_them} scenarios hold, {failed} {'does' if failed == 1 else 'do'} not."
    return "1 scenario holds." if all_of_them == 1 else f"{all_of_them} scenarios hold."


def _outcome_data(outcome: Outcome) -> dict[str, Any]:
    scenario = outcome.scenario
    return {
        "file": str(scenario.path),
        "scenario": scenario.number,
        "rule": scenario.rule,
        "title": scenario.title,
        "holds": not outcome.failures,
        "failures": outcome.failures,
    }
