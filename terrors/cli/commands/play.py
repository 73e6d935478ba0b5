"""`terrors play`: a person against a strategy, in the terminal."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from terrors.cli.failures import INTERRUPTED
from terrors.cli.project import tell_cards
from terrors.cli.shared_options import DEFAULT_STRATEGY, SEEDS, cards_option, chooser_of, read_box, rule_option

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet
    from terrors.simulator.play.box import Box
    from terrors.simulator.play.game import Game
    from terrors.strategies import Strategy
    from terrors.table.saved import SavedGame
    from terrors.table.session import Session

HINTS_FROM = "tuned"  # able, and quick enough to be asked in the middle of a game
DEFAULT_PAGE = "[default: game-SEED.html, if a person plays]"


@click.command()
@click.option("--as", "mine", default=None, metavar="OVERLORD", help="Your overlord; without it the first of the set.")
@click.option("--against", default=DEFAULT_STRATEGY, show_default=True, metavar="STRATEGY", help="Who plays against you (see `terrors strategies`).")
@click.option("--rival-overlord", default=None, metavar="OVERLORD", help="The rival's overlord; without it the seed chooses.")
@click.option("--seed", type=SEEDS, default=None, help="The luck of the game; without it a new one, which is told.")
@click.option("--second", "is_second", is_flag=True, help="Let the rival begin.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a game that was saved; it says the rest.")
@click.option(
    "--replay", "page", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.html", help=f"Where the game goes to look at it again.  {DEFAULT_PAGE}"
)
@cards_option
@rule_option
@click.pass_context
def play(ctx: click.Context, /, resume: Path | None, page: Path | None, **given: Any) -> None:
    """Play a game yourself.

    What you may do is numbered: type a number, or the action in the notation of scenarios (`play Ghoul`, `attack 3`), or as much of it as is
    clear (`pl gh`). `help` tells the rest: `help CARD`, `hint`, `show`, `log`, `undo`, `save`, `quit`.
    When it is over, the game is written as a page on which it can be stepped through.
    """
    from terrors.table.saved import SavedGame
    from terrors.table.screen import say
    from terrors.table.session import Session

    if resume is not None:
        if others := [name for name in given if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]:
            raise click.UsageError(f"--resume and {_option(ctx, others[0])}: the saved game says that already; leave one of them out")
        saved = SavedGame.read(resume)
        box = make_box_of(saved, resume)
    else:
        saved, box = _new_game(**given)
    pilot = find_pilot(HINTS_FROM, box)
    session = Session(saved.begin(box), saved.seat, chooser_of(find_strategy(saved.against), box), read_line, saved, pilot)
    again = _again(saved, given["cards_file"], given["rules"]) if resume is None else shlex.join(["terrors", "play", "--resume", str(resume)])
    tell_cards()
    say(f"Seed {saved.seed}: {again}")
    try:
        session.run()
    except KeyboardInterrupt:
        say(f"\nInterrupted in turn {session.game.turn}; {_kept(session) or f'this begins the same game again: {again}'}", err=True)
        ctx.exit(INTERRUPTED)
    if session.game.over and (page or sys.stdin.isatty()):
        say(f"To look at it again: {_write_page(session, saved, page)}")
    elif kept := _kept(session):
        say(kept[0].upper() + kept[1:])


def _option(ctx: click.Context, name: str) -> str:
    return next(option.opts[0] for option in ctx.command.params if option.name == name)


def _new_game(
    mine: str | None, against: str, rival_overlord: str | None, seed: int | None, is_second: bool, cards_file: Path | None, rules: tuple[str, ...]
) -> tuple[SavedGame, Box]:
    """Return the game that the options describe, before its first decision."""
    from terrors.simulator.kernel.jit import SOURCE_HASH
    from terrors.table.saved import SavedGame

    box = read_box(cards_file, rules)
    seed = secrets.randbelow(10**6) if seed is None else seed
    mine = box.cards.by_name(mine).name if mine else box.cards.overlords[0].name
    rival = rival_overlord or _rival(box.cards, mine, seed, box.rules.mirror)
    overlords = (rival, mine) if is_second else (mine, rival)
    file = "" if box.cards.path is None else str(box.cards.path.resolve())
    return SavedGame(file, box.cards.sha256, SOURCE_HASH, box.rules.changed(), overlords, seed, int(is_second), against), box


def make_box_of(saved: SavedGame, path: Path) -> Box:
    """Return cards and rules of a saved game; it cannot be gone on with if they are others now."""
    from terrors.simulator.cards.card_set import load_cards
    from terrors.simulator.kernel.jit import SOURCE_HASH
    from terrors.simulator.play.box import make_box
    from terrors.simulator.terms.ruleset import Rules

    box = make_box(load_cards(saved.cards or None), Rules().but(saved.rules))
    saved.expect_same(path, box, SOURCE_HASH)
    return box


def find_strategy(name: str) -> Strategy:
    """Return the strategy of that name."""
    from terrors.strategies import find

    return find(name)


def find_pilot(name: str, box: Box) -> Callable[[Game, int], str]:
    """Return who gives hints."""

    def ask(game: Game, seat: int) -> str:
        from terrors.table.hint import hint

        return hint(game, seat, name, chooser_of(find_strategy(name), box))

    return ask


def _kept(session: Session) -> str:
    """Write down a game that a person leaves at a terminal, and return in words how to go on with it; empty if there is nothing to keep."""
    from terrors.table.saved import SavedGameError

    if not sys.stdin.isatty() or not session.answers or session.saved is None:
        return ""
    path = Path(f"game-{session.saved.seed}.json")
    try:
        replace(session.saved, answers=session.answers).write(path)
    except SavedGameError as error:
        return str(error)
    return f"the game is kept; this goes on with it: terrors play --resume {path}"


def _write_page(session: Session, saved: SavedGame, page: Path | None) -> str:
    """Write the page of a game that is over; return its path."""
    from terrors.reports.page.game_page import make_game_page

    done = replace(saved, answers=session.answers)
    players = ("you", saved.against) if saved.seat == 0 else (saved.against, "you")
    return make_game_page(done.begin(session.game.box), done.answers_again(), players, page or Path(f"game-{saved.seed}.html"))


def _rival(cards: CardSet, mine: str, seed: int, mirror: bool) -> str:
    """Return one of the overlords that may meet mine (S3); the seed says which, so that the same seed is the same game."""
    faction = cards.by_name(mine).faction
    others = [card.name for card in cards.overlords if card.name != mine and (mirror or not faction or card.faction != faction)]
    return others[seed % len(others)] if others else mine


def _again(saved: SavedGame, cards_file: Path | None, rules: tuple[str, ...]) -> str:
    """Return the command that begins the same game again."""
    mine, rival = saved.overlords[saved.seat], saved.overlords[1 - saved.seat]
    words = ["terrors", "play", "--as", mine, "--against", saved.against, "--rival-overlord", rival, "--seed", str(saved.seed)] + ["--second"] * saved.seat
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
