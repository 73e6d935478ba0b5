"""A person's game as a file: how it was begun, and every decision since. It is played again from the start when it is taken up, so that nothing is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.shape import count, misfit

if TYPE_CHECKING:
    from terrors.simulator.play.box import Box
    from terrors.simulator.play.game import Game
    from terrors.simulator.story.transcript import Answer

FORMAT = 1


def _answer(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(count, value))


SHAPE = {
    "format": lambda value: value == FORMAT, "cards": str, "cards_sha256": str, "engine": str, "rules": dict, "overlords": [str], "seed": count,
    "seat": lambda value: value in (0, 1), "against": str, "answers": [_answer],
}  # fmt: skip


class SavedGameError(WordedError):
    """Raised for a saved game that cannot be gone on with, in one sentence."""


@dataclass
class SavedGame:
    """The beginning of a game, and what was decided in it."""

    cards: str  # the card file, as a whole path; empty for the set that ships
    cards_sha256: str
    engine: str
    rules: dict[str, Any]
    overlords: tuple[str, str]
    seed: int
    seat: int  # of the person
    against: str
    answers: list[Answer] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write it down."""
        try:
            path.write_text(json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise SavedGameError(f"{path}: {error.strerror or error}; give another file.") from None

    @classmethod
    def read(cls, path: Path) -> SavedGame:
        """Return the game of a file."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise SavedGameError(f"{path}: {error.strerror or error}; give the file of a saved game.") from None
        except (ValueError, RecursionError):
            raise SavedGameError(f"{path}: this is no saved game; `save` in `terrors play` writes one.") from None
        if wrong := misfit(data, SHAPE):
            raise SavedGameError(f"{path}: {wrong} is not what a saved game has; `save` in `terrors play` writes one.")
        del data["format"]
        return cls(**data | {"overlords": tuple(data["overlords"]), "answers": [tuple(answer) for answer in data["answers"]]})

    def expect_same(self, path: Path, box: Box, engine: str) -> None:
        """Raise a SavedGameError if the cards or the rules engine are others than those that it was begun with: it would be another game."""
        for what, then, now in (("the cards have", self.cards_sha256, box.cards.sha256), ("the rules engine has", self.engine, engine)):
            if then != now:
                raise SavedGameError(f"{path}: {what} changed since, so that this game cannot be gone on with; begin a new one.")

    def begin(self, box: Box) -> Game:
        """Return the game at its beginning."""
        from terrors.simulator.play.game import Game

        return Game(box, *self.overlords, self.seed)

    def answers_again(self) -> Callable[[Game], Answer]:
        """Return the decisions one by one, whoever made them."""
        rest = iter(self.answers)
        return lambda game: next(rest)
