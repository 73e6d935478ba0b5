"""The page of a single game: what the viewer of a report shows, alone in one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from terrors.reports.page.page import as_json, environment, policy, script, style
from terrors.reports.page.replays import GamePacker
from terrors.reports.theme import use_factions
from terrors.simulator.runs.storage import open_folder

if TYPE_CHECKING:
    from terrors.simulator.play.game import Game
    from terrors.simulator.story.transcript import Answer

CONTENTS = ({"anchor": "games", "title": "The game"},)


def make_game_page(game: Game, answer: Callable[[Game], Answer], players: Sequence[str], out: Path, number: int = 0, lead: str = "") -> str:
    """Play a game to its end, as `answer` decides, and write its page; return the page's path. `players`: who decides, by seat."""
    use_factions(game.box.cards.dialect.factions)
    packer = GamePacker(game.box.cards)
    packed = packer.play(game, answer, number, players)
    code = script()
    context = {
        "policy": policy(code),
        "style": style(),
        "script": code,
        "contents": CONTENTS,
        "title": f"{packed['names'][0]} against {packed['names'][1]}",
        "lead": lead or f"{packed['names'][0]} is played by {players[0]}, {packed['names'][1]} by {players[1]}. {packed['end']}",
        "replays": as_json(packer.data([packed])),
    }
    open_folder(out.parent).write(out.name, environment().get_template("game.html").render(context).encode())
    return str(out)
