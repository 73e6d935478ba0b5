"""A game against a pilot in the page. The page keeps the seed and what the person answered so far; here the game is played again up to the next question.

So the server keeps nothing, a game outlives it, and undo is one answer less. The person sees what a player may see (G7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from terrors.lab.sheet import EditError
from terrors.reports.page.replays import GamePacker
from terrors.reports.theme import faction_of
from terrors.simulator.play.game import Game
from terrors.simulator.play.names import SEATS, Snapshot, reading
from terrors.simulator.play.notation import question_words
from terrors.simulator.runs.job import Job
from terrors.simulator.story.story_text import Teller
from terrors.simulator.story.transcript import Answer, Driver, Turn, answer_text, follow, look_at, player_names, strategy_chooser
from terrors.simulator.terms.enums import Action
from terrors.table.hint import hint
from terrors.table.screen import asking_card, option_says, short_text

MOST_ANSWERS = 5_000
SPENDS = (Action.ATTACK, Action.HEAL, Action.CONVERT)


@dataclass(frozen=True)
class GameSetup:
    """The setup of a game: who plays whom, who begins, and the luck."""

    mine: str
    rival: str
    second: bool
    seed: int

    @property
    def seat(self) -> int:
        """The person's seat."""
        return int(self.second)


def setup_of(asked: dict[str, Any]) -> GameSetup:
    """Return the setup in a request."""
    mine, rival, second, seed = (asked.get(name) for name in ("mine", "rival", "second", "seed"))
    if not isinstance(mine, str) or not isinstance(rival, str) or not isinstance(second, bool) or type(seed) is not int or not 0 <= seed < 2**53:
        raise EditError("a game needs `mine` and `rival`, two overlords, `second`, true or false, and `seed`, a whole number.")
    return GameSetup(mine, rival, second, seed)


def answers_of(data: Any) -> list[Answer]:
    """Return the person's answers in a request: a list of [option, amount], amount 0 for all."""
    sound = isinstance(data, list) and len(data) <= MOST_ANSWERS
    if not sound or not all(isinstance(one, list) and len(one) == 2 and all(type(n) is int and 0 <= n < 10**6 for n in one) for one in data):
        raise EditError("answers: give a list of [option, amount].")
    return [(one[0], one[1]) for one in data]


@dataclass
class _Course:
    """A game as far as it has been played, and the story of it."""

    game: Game
    now: Snapshot
    lines: list[str] = field(default_factory=list)
    pool: tuple[int, ...] = (0, 0, 0)
    turn: int = 0


def play_on(job: Job, setup: GameSetup, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the table after these answers: what the person sees, and what is asked."""
    course, teller, taken = _played(job, setup, answers)
    return _view(job, setup, course, taken, teller)


def hint_for(job: Job, setup: GameSetup, answers: Sequence[Answer]) -> str:
    """Return what the pilot would do in the person's place, and why."""
    course, _, _ = _played(job, setup, answers)
    player = job.players[0]
    return hint(course.game, setup.seat, player.name, strategy_chooser(player.compiled, player.work(job.box))) if not course.game.over else "The game is over."


def _played(job: Job, setup: GameSetup, answers: Sequence[Answer]) -> tuple[_Course, Teller, int]:
    """Return a game as far as these answers lead, who tells it, and how many of them were taken."""
    overlords = (setup.rival, setup.mine) if setup.second else (setup.mine, setup.rival)
    game = Game(job.box, *overlords, setup.seed)
    player = job.players[0]
    rival = strategy_chooser(player.compiled, player.work(job.box))
    driver, teller, coming = Driver([rival, rival]), Teller(player_names(game), viewer=setup.seat), list(answers)
    course = _Course(game, reading(game.record))
    while not game.over:
        _announce(course, teller, setup.seat)
        if int(game.record.asked) != setup.seat:
            answer = driver.answer(game)
        elif int(game.options.n) == 1 and not game.is_action:
            answer = 0, 0
        elif coming:
            answer = coming.pop(0)
            driver.forget()
            if answer[0] >= int(game.options.n):
                raise EditError("this answer is not on the list; take it back.")
        else:
            break
        step, course.now = follow(game, *answer, course.now)
        course.pool = step.pool
        course.lines += [line.strip() for line in teller.lines(step)]
    if game.over:
        course.lines.append(teller.ending(game.result, look_at(game)))
    return course, teller, len(answers) - len(coming)


def _announce(course: _Course, teller: Teller, seat: int) -> None:
    """Note the heading of a new turn."""
    if course.game.turn and course.turn != course.game.turn:
        course.turn = course.game.turn
        course.pool = (0, 0, 0)
        course.lines.append(teller.heading(Turn(course.game.turn, int(course.game.record.active), look_at(course.game))))


def _view(job: Job, setup: GameSetup, course: _Course, taken: int, teller: Teller) -> dict[str, Any]:
    game, packer, rival = course.game, GamePacker(job.cards), 1 - setup.seat
    table = look_at(game)
    factions = [faction_of(game.box.cards.by_name(side.overlord).faction.label) for side in table.sides]
    state = packer.state(game.box, course.now) | {"pool": list(course.pool)}
    hidden = len(state.pop(f"hand{rival}"))
    view: dict[str, Any] = {
        "cards": packer.cards(), "state": state, "hidden": hidden, "seat": setup.seat, "turn": game.turn, "active": int(game.record.active), "taken": taken,
        "lines": course.lines, "names": list(teller.names), "factions": factions,
        "start": [side.start_health for side in table.sides], "strategies": [job.players[0].name if seat == rival else "you" for seat in range(2)],
    }  # fmt: skip
    if game.over:
        won = game.winner == SEATS[setup.seat]
        return view | {"over": True, "end": "You win." if won else "Nobody wins." if game.winner == "draw" else "You lose."}
    return view | {"over": False, "question": _question(game), "options": [_option(game, i) for i in range(int(game.options.n))]}


def _question(game: Game) -> str:
    source = asking_card(game)
    return f"{f'{source.name} ({short_text(source)}): ' if source else ''}{question_words(game.box, game.record)}"


def _option(game: Game, index: int) -> dict[str, Any]:
    option = game.options.at[index]
    most = int(option.amount) if option.action in SPENDS else 0
    return {"text": answer_text(game, index), "says": option_says(game, index), "most": most}
