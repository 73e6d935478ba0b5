"""`terrors play`: a person against a strategy, in the terminal."""

from __future__ import annotations

import secrets
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from terrors.cli.failures import INTERRUPTED
from terrors.cli.project import tell_cards
from terrors.cli.shared_options import DEFAULT_STRATEGY, SEEDS, cards_option, chooser_of, read_box, rule_option

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet


@click.command()
@click.option("--as", "mine", default=None, metavar="OVERLORD", help="Your overlord; without it the first of the set.")
@click.option("--against", default=DEFAULT_STRATEGY, show_default=True, metavar="STRATEGY", help="Who plays against you (see `terrors strategies`).")
@click.option("--rival-overlord", default=None, metavar="OVERLORD", help="The rival's overlord; without it the seed chooses.")
@click.option("--seed", type=SEEDS, default=None, help="The luck of the game; without it a new one, which is told.")
@click.option("--second", "is_second", is_flag=True, help="Let the rival begin.")
@cards_option
@rule_option
@click.pass_context
def play(
    ctx: click.Context,
    mine: str | None,
    against: str,
    rival_overlord: str | None,
    seed: int | None,
    is_second: bool,
    cards_file: Path | None,
    rules: tuple[str, ...],
) -> None:
    """Play a game yourself.

    What you may do is numbered: type a number, or the action in the notation of scenarios (`play Ghoul`, `attack 3`), or as much of it as is
    clear (`pl gh`). `help` tells the rest: `help CARD`, `show`, `log`, `undo`, `quit`.
    """
    from terrors.simulator.play.game import Game
    from terrors.strategies import find
    from terrors.table.session import Session

    box = read_box(cards_file, rules)
    seed = secrets.randbelow(10**6) if seed is None else seed
    mine = box.cards.by_name(mine).name if mine else box.cards.overlords[0].name
    rival = rival_overlord or _rival(box.cards, mine, seed, box.rules.mirror)
    overlords = (rival, mine) if is_second else (mine, rival)
    game = Game(box, *overlords, seed)
    session = Session(game, int(is_second), chooser_of(find(against), box), read_line)
    again = _again(mine, against, rival, seed, is_second, cards_file, rules)
    tell_cards()
    click.echo(f"Seed {seed}: {again}")
    try:
        session.run()
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted in turn {session.game.turn}; this begins the same game again: {again}", err=True)
        ctx.exit(INTERRUPTED)


def _rival(cards: CardSet, mine: str, seed: int, mirror: bool) -> str:
    """Return one of the overlords that may meet mine (S3); the seed says which, so that the same seed is the same game."""
    faction = cards.by_name(mine).faction
    others = [card.name for card in cards.overlords if card.name != mine and (mirror or not faction or card.faction != faction)]
    return others[seed % len(others)] if others else mine


def _again(mine: str, against: str, rival: str, seed: int, is_second: bool, cards_file: Path | None, rules: tuple[str, ...]) -> str:
    """Return the command that begins the same game again."""
    words = ["terrors", "play", "--as", mine, "--against", against, "--rival-overlord", rival, "--seed", str(seed)] + ["--second"] * is_second
    words += ["--cards", str(cards_file)] if cards_file else []
    return shlex.join(words + [word for rule in rules for word in ("--rule", rule)])


def read_line(prompt: str) -> str:
    """Return a line of the player's; EOFError when there are no more. Lines that come out of a pipe are shown, so that the output reads as a session."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401 - the arrow keys edit the line and bring back earlier ones
        return input(prompt)
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    click.echo(line.rstrip("\n"))
    if not line:
        raise EOFError
    return line
