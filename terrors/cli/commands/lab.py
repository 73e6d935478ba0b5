"""`terrors lab`: edit a card in the browser, see the game move."""

from __future__ import annotations

import importlib.util
import os
from contextlib import suppress
from pathlib import Path

import click

from terrors.cli.commands.analyze import margin_options
from terrors.cli.project import cards_of, margins_of, project, rules_of, tell_cards
from terrors.cli.shared_options import cards_option, rule_option
from terrors.simulator.terms.errors import WordedError

NEEDED = ("starlette", "uvicorn")


class LabMissingError(WordedError):
    """Raised where what the lab needs is not installed, in one sentence."""


@click.command(short_help="A page in the browser: edit a card, and games on the same deals answer in seconds.")
@cards_option
@click.option("--pilot", metavar="STRATEGY", help="Who plays, unless the page says otherwise.  [default: the strongest fast strategy]")
@rule_option
@click.option("--port", type=click.IntRange(1, 65535), help="Where the page is served.  [default: 8417, or another one if that is taken]")
@click.option("--open/--no-open", "opens", default=True, help="Open the page in the browser, or only print its address.  [default: open]")
@click.option("--jobs", type=click.IntRange(1, 64), default=os.cpu_count() or 1, help="How many games to play at a time.  [default: the number of cores]")
@margin_options
def lab(
    cards_file: Path | None, pilot: str | None, rules: tuple[str, ...], port: int | None, opens: bool, jobs: int, margins_file: Path | None,
    margin_texts: tuple[str, ...],
) -> None:  # fmt: skip
    """Open the card set as a sheet in the browser. Every edit is answered by games of the edited set and of the set as opened, on the same deals, with
    intervals that shrink while games come in. The file is written by Save and by nothing else.

    The page is served from this machine to this machine only, and needs `pip install "terrors[lab]"`. Ctrl+C ends it.
    """  # noqa: D205
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise LabMissingError(f'the lab needs {" and ".join(missing)}; `pip install "terrors[lab]"` brings what is missing (in a checkout: `make lab`).')
    from terrors.analysis.numbers.played_versions import PILOT
    from terrors.lab.guard import kept_token
    from terrors.lab.lab_state import Lab
    from terrors.lab.server import serve
    from terrors.lab.sheet import OpenedSet
    from terrors.simulator.cards.card_set import reference_path
    from terrors.simulator.kernel.jit import CACHE_ROOT
    from terrors.strategies import find

    margins, changed, file = margins_of(margins_file, margin_texts), rules_of(rules), cards_of(cards_file)
    opened = OpenedSet.read((file or reference_path()).resolve(), shipped=file is None)
    pilot = pilot or PILOT
    find(pilot)  # refused here if there is none
    tell_cards()

    def ready(address: str) -> None:
        click.echo(f"The lab: {address}\nCtrl+C ends it. Edits live in the address of the page; the file is written by Save only.")
        if opens:
            click.launch(address)

    with suppress(KeyboardInterrupt):  # the way to end it
        serve(Lab(opened, changed, margins, pilot, jobs, project().protected), kept_token(CACHE_ROOT), port, ready)
    click.echo("The lab is closed.")
