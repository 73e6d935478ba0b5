"""A player who notes the positions of its games (kit/notes.py) and now and then does anything at all: whoever learns from games must see what goes wrong too.

It plays by a file of numbers as formats/numbers.py does; `terrors train --value` learns from what it notes. It is no strategy that anybody would choose.
"""

from __future__ import annotations

from terrors.strategies.formats.numbers import think_as
from terrors.strategies.formats.registry import HELPERS, Strategy
from terrors.strategies.kit.notes import note_position, on_a_whim
from terrors.strategies.kit.turn import play_well


def note_and_play(game, box, options, work, me):
    """Return the answer of the numbers, or on a whim any other; note the position first."""
    note_position(game, box, work)
    think_as(box, work, game.player[me].overlord)
    return on_a_whim(game, options, work, me, play_well(game, box, options, work, me))


noter = Strategy(note_and_play, helpers=(*HELPERS, "kit/notes", "formats/numbers"))
