"""What several commands share: options that mean the same everywhere, and how a game is set up from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.project import cards_of, rules_of

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet
    from terrors.simulator.play.box import Box
    from terrors.simulator.story.transcript import Chooser
    from terrors.strategies import Strategy

DEFAULT_STRATEGY = "greedy"
# Who plays in `balance` and `simulate`: learners and club players of several styles, and the best fast hands that we have, three times over: trained alike with
# other luck, they show what hangs on who plays.
PANEL = ("greedy", "aggro", "control", "tuned", "expert", "expert_b", "expert_c")
LOTTERY = 0.1  # the denial lottery of both
SEEDS = click.IntRange(0, 2**64 - 1)
SEEDS.name = "whole number"

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
CARDS_HELP = "The card set; without it that of this folder, or else the one that ships."
cards_option: Decorator = click.option("--cards", "cards_file", type=click.Path(path_type=Path), metavar="FILE", help=CARDS_HELP)
rule_option: Decorator = click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a rule (docs/RULES.md, section 12), for instance first_hand=5. May be given several times.",
)
trust_option: Decorator = click.option(
    "--trust", "trusted", is_flag=True, help="Let Python strategies play that came with the run, although they were never used here (docs/SECURITY.md)."
)
json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def names_option(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names of an option: `a,b` and repeated options are the same."""
    return tuple(name.strip() for text in value for name in text.split(",") if name.strip()) or None


def print_json(data: Any) -> None:
    """Print JSON as all commands do: names in their own script."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=1))


def read_cards(file: Path | None) -> CardSet:
    """Return the card set that `--cards` names, or that of the folder."""
    from terrors.simulator.cards.card_set import load_cards

    return load_cards(cards_of(file))


def say_warnings(cards: CardSet) -> None:
    """Print on stderr how the file was read, where that is worth a note, and what can be played and was perhaps not meant."""
    for note in cards.notes:
        click.echo(f"Note: {note}.", err=True)
    for warning in cards.warnings:
        click.echo(f"Warning: {warning}.", err=True)


def read_box(cards_file: Path | None, rules: tuple[str, ...]) -> Box:
    """Return cards and rules, ready to be played."""
    from terrors.simulator.play.box import make_box
    from terrors.simulator.terms.ruleset import Rules

    return make_box(read_cards(cards_file), Rules().but(rules_of(rules)))


def overlord_and_plan(text: str, cards: CardSet) -> tuple[str, str]:
    """Return `Fenris:greedy` as an overlord and a strategy; without a strategy it is the usual one. A name may have a colon in it."""
    if any(card.name.casefold() == text.strip().casefold() for card in cards.overlords):
        return text.strip(), DEFAULT_STRATEGY
    overlord, _, strategy = text.partition(":")
    return overlord.strip(), strategy.strip() or DEFAULT_STRATEGY


def chooser_of(plan: Strategy, box: Box) -> Chooser:
    """Return a strategy as somebody who decides at a table."""
    from terrors.simulator.story.transcript import strategy_chooser

    return strategy_chooser(plan.compiled, plan.work(box))
