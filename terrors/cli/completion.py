"""What the shell completes besides commands and options: cards, overlords, strategies and runs. A completion never fails: it offers nothing instead.

What an argument or an option takes is told by its name, which is the same in all commands; so every command is completed, also one that is new.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet

FILES = CompletionItem("", type="file")  # lets the shell offer files as well


def _fitting(names: Iterable[str], incomplete: str, before: str = "") -> list[CompletionItem]:
    return [CompletionItem(before + name) for name in names if name.casefold().startswith(incomplete.casefold())]


def _cards(ctx: click.Context) -> CardSet | None:
    """Return the set that the command would play."""
    from terrors.cli.project import project
    from terrors.simulator.cards.card_set import load_cards

    with suppress(Exception):  # whatever is wrong with it, the command itself will say
        return load_cards(ctx.params.get("cards_file") or project().cards)
    return None


def complete_cards(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the market cards that begin so."""
    cards = _cards(ctx)
    return _fitting((card.name for card in cards.market), incomplete) if cards else []


def complete_overlords(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the overlords that begin so; in a list, behind the last comma."""
    cards, (before, last) = _cards(ctx), _last(incomplete)
    return _fitting((card.name for card in cards.overlords), last, before) if cards else []


def complete_strategies(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the strategies that begin so, in a list behind the last comma; a file is one too."""
    from terrors.strategies import all_names

    before, last = _last(incomplete)
    return [*_fitting(all_names(), last, before), *([FILES] if not before else [])]


def complete_runs(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the runs of this folder that begin so."""
    with suppress(OSError):
        return [*_fitting((str(folder.parent) for folder in sorted(Path("runs").glob("*/run.json"))), incomplete), CompletionItem("", type="dir")]
    return []


def _last(incomplete: str) -> tuple[str, str]:
    """Return what stands before the last name of a list, and the beginning of that name."""
    before, comma, last = incomplete.rpartition(",")
    return before + comma, last


def add_completion(command: click.Command) -> None:
    """Let the shell complete what the arguments and options of a command take, and of those within it."""
    for param in command.params:
        by = BY_NAME.get(str(param.metavar)) or BY_NAME.get(str(param.name))
        if by is not None:
            param.shell_complete = by  # type: ignore[method-assign]
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        add_completion(inner)


BY_NAME = {
    "CARD": complete_cards,
    "OVERLORD": complete_overlords,
    "overlords": complete_overlords,
    "STRATEGY": complete_strategies,
    "FILE_OR_NAME": complete_strategies,
    "strategies": complete_strategies,
    "names": complete_strategies,
    "field": complete_strategies,
    "run_folder": complete_runs,
    "run": complete_runs,
    "runs": complete_runs,
    "before": complete_runs,
    "after": complete_runs,
}
