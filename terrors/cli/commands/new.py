"""`terrors new`: a folder to work in."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from terrors.cli.project import FILE, ProjectError
from terrors.cli.shared_options import cards_option

EXAMPLES = ("first-draft",)
SETTINGS = """# What the commands use in this folder when their options do not say. Every entry may be left out.
cards = "{cards}"
strategies = {strategies}  # who plays in `terrors balance`: names, or files of your own
games = {games:_}  # how many it plays
protected = []  # cards and cells that nothing may propose to change: ["Ghoul", "Lilith.health"]
baseline = ""  # the run that others are compared with: "runs/base"

[rules]  # what differs from the printed game, for instance
# first_hand = 5

[margins]  # how far off even is still fair, in points of win rate
overlord = {margins.overlord:g}
matchup = {margins.matchup:g}
first = {margins.first:g}  # going first
card = {margins.card:g}  # being allowed to buy it
"""
README = """# {name}

A card set of *Terrors of London*, and a place to balance it.

1. `terrors balance` plays {games:,} games and writes a page: open `runs/latest/report/index.html`.
2. Change a card in `{cards}` with a spreadsheet; `terrors cards` checks it and prints it as sentences.
3. `terrors balance` again. At its end it names the `terrors compare` that shows what the change did.

`{file}` has the rules, margins and strategies of this folder. `terrors card NAME` looks closely at one card, `terrors play` lets you play yourself, and
`terrors --help` lists the rest.
"""


@click.command(short_help="Make a folder with a card set to edit.")
@click.argument("folder", type=click.Path(path_type=Path))
@cards_option
@click.option("--from", "example", type=click.Choice(EXAMPLES), help="Begin with an example: first-draft is the set as we first wrote it, out of balance.")
def new(folder: Path, cards_file: Path | None, example: str | None) -> None:
    """Make a folder to work in: a card set to edit, terrors.toml with the rules, margins and strategies, and a short README.

    In it every command uses that set. It begins as a copy of the set that ships, or of the file that --cards names, or of an example (--from).
    """
    from terrors.analysis.contract.margins import Margins
    from terrors.cli.commands.balance import GAMES
    from terrors.cli.shared_options import PANEL
    from terrors.simulator.cards.card_set import example_path, load_cards, reference_path

    if cards_file and example:
        raise click.UsageError("--cards and --from: both say what to begin with; leave one of them out")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ProjectError(f"{folder}: there is something already; give the name of a folder that is not there yet.")
    source = example_path(example) if example else cards_file or reference_path()
    load_cards(source)  # a broken file is told here, and not by the first command in the folder
    folder.mkdir(parents=True, exist_ok=True)
    cards = f"cards{source.suffix.lower() or '.csv'}"
    shutil.copyfile(source, folder / cards)
    strategies = "[" + ", ".join(f'"{name}"' for name in PANEL) + "]"
    (folder / FILE).write_text(SETTINGS.format(cards=cards, strategies=strategies, games=GAMES, margins=Margins()), encoding="utf-8")
    (folder / "README.md").write_text(README.format(name=folder.resolve().name, cards=cards, games=GAMES, file=FILE), encoding="utf-8")
    click.echo(f"{folder} is made: {cards}, {FILE}, README.md. Next: cd {folder}, then terrors balance.")
