"""A person's game: asking, answering, taking back, telling."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from terrors.simulator.cards.printing import card_text, in_words
from terrors.simulator.cards.vocabulary import WORDS
from terrors.simulator.play.names import SEATS
from terrors.simulator.play.notation import NotationError, without_comment
from terrors.simulator.story.story_text import Teller
from terrors.simulator.story.transcript import Answer, Chooser, Driver, Turn, look_at, player_names, take_step
from terrors.simulator.terms.enums import Action, Resource
from terrors.simulator.terms.text import did_you_mean, listed
from terrors.table.input import find_answer
from terrors.table.saved import SavedGame, SavedGameError
from terrors.table.screen import action_lines, changed_lines, names_on_the_table, question_lines, say, table_lines, width

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import Card
    from terrors.simulator.play.game import Game

HELP = """Type the number of what you want to do; or write it as it is listed (`play Ghoul`, `buy Ghoul to deck`, `attack 3`, `horde Skeletal + Poltergeist`);
or as much of it as is clear (`pl gh`, `att 3`, `pass`). In the middle of an action `choose` may be left out.
Several at once have a semicolon between them: `play Cultist; play Ghoul; attack`.

  help CARD   what a card says, as sentences; `help CURSE`: what a keyword means
  show        the table, with both discard piles
  log         what has happened so far
  undo        take back your last decision of this turn
  hint        what a strategy would do, and why
  save [FILE] write the game down; `terrors play --resume FILE` goes on with it
  quit        leave the game"""
THROWN_AWAY = (Resource.POWER, Resource.COIN)  # at the end of the turn, if they are not spent (T3)


class Quit(Exception):  # noqa: N818 - not an error
    """Raised when the player leaves."""


class Session:
    """One game between a person and a chooser."""

    def __init__(
        self,
        game: Game,
        seat: int,
        rival: Chooser,
        read_line: Callable[[str], str],
        saved: SavedGame | None = None,
        ask_pilot: Callable[[Game, int], str] | None = None,
    ) -> None:
        """Begin a session. `read_line(prompt)` gives what the person types, and raises EOFError when there is no more.

        `saved`: how the game was begun, if it is to be written down; decisions that it has already are taken first. `ask_pilot`: who gives hints.
        """
        self.game = game
        self.seat = seat
        self.driver = Driver([rival, rival])
        self.read_line = read_line
        self.teller = Teller(player_names(game), viewer=seat)
        # The person's decisions of this turn: the game before each, how long the log and the list of decisions were, and what was decided.
        self.past: list[tuple[Game, int, int, str]] = []
        self.saved, self.ask_pilot = saved, ask_pilot
        self.answers: list[Answer] = []
        self.known: set[str] | None = None  # cards whose texts are on the screen; None: the whole table is to be shown
        self.warned = False  # whether the person knows what a Pass would throw away
        self.log: list[str] = []
        self.announced = 0  # the last turn that was announced
        self.ahead: list[str] = []  # what was typed but is not done yet
        self.shown = False  # whether the person has seen the question that is asked now

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        for answer in self.saved.answers if self.saved else ():
            self.announce()
            self.take(answer)
        try:
            while not self.game.over:
                self.announce()
                if int(self.game.record.asked) == self.seat:
                    self.driver.forget()
                    self.decide()
                else:
                    self.take(self.driver.answer(self.game))
        except (Quit, EOFError):
            say(f"You leave in turn {self.game.turn}. {self.score()}")
            return
        self.tell("")
        self.tell(self.teller.ending(self.game.result, look_at(self.game)))
        won = self.game.winner == SEATS[self.seat]
        say("You win." if won else "Nobody wins." if self.game.winner == "draw" else "You lose.")

    def score(self) -> str:
        """Return both players' Health."""
        return ", ".join(f"{self.teller.names[seat]}: Health {self.game.record.player[seat].health}" for seat in (self.seat, 1 - self.seat)) + "."

    # Telling

    def tell(self, line: str) -> None:
        """Print something that belongs to the log."""
        self.log.append(line)
        say(line)

    def announce(self) -> None:
        """Print the heading of a new turn, and how it begins; in the person's own turn the table says that, so it only goes into the log."""
        if not self.game.turn or self.announced == self.game.turn:
            return
        self.announced = self.game.turn
        self.known, self.warned = None, False
        turn = Turn(self.game.turn, int(self.game.record.active), look_at(self.game))
        self.tell("")
        self.log.append(self.teller.heading(turn))
        click.echo(click.style(self.log[-1], bold=True))
        if turn.seat == self.seat:
            self.log += self.teller.position(turn)
        else:
            for line in self.teller.position(turn):
                self.tell(line)

    # Deciding

    def decide(self) -> None:
        """Ask the person until there is an answer, and carry it out; or take back an earlier one."""
        self.shown = False
        while True:
            word, _, rest = (line := self.next_line()).partition(" ")
            command = COMMANDS.get(word.casefold())
            if command and (not rest or command in (Session.help, Session.save)):
                if command(self, rest):
                    return
                continue
            try:
                answer = find_answer(self.game, line)
            except NotationError as error:
                say(str(error))
                self.ahead.clear()  # what stands behind it on the line was meant for another table
                continue
            if self.throws_away(answer[0]):
                continue
            self.take(answer)
            return

    def throws_away(self, index: int) -> bool:
        """Whether a Pass would throw something away that could be spent, and the person has not been told so yet; now they are."""
        offered = {int(self.game.options.at[i].action) for i in range(int(self.game.options.n))}
        if self.warned or self.game.options.at[index].action != Action.PASS or not offered & {Action.ATTACK, Action.BUY, Action.BUY_ACOLYTE}:
            return False
        pool = self.game.record.player[self.seat]
        left = [f"{amount} {resource.name.capitalize()}" for resource in THROWN_AWAY if (amount := int(getattr(pool, resource.name.lower())))]
        if left:
            self.warned = True
            self.ahead.clear()
            say(f"A Pass throws away {listed(left)}, which could still be spent; type pass again if you mean it.")
        return bool(left)

    def next_line(self) -> str:
        """Return what the person wants next: the rest of the last line, where several things stood on it with `;` between them, or a new line."""
        while not self.ahead:
            if not self.shown:
                self.ask()
            self.ahead = [part.strip() for part in without_comment(self.read_line("> ")).split(";") if part.strip()]
        return self.ahead.pop(0)

    def ask(self) -> None:
        """Show what there is to decide: the table and the actions, or a question in the middle of one."""
        self.shown = True
        if self.game.is_action and self.known is None:
            self.show_table()
        elif self.game.is_action and self.known is not None:
            for line in changed_lines(self.game, self.seat, self.known):
                click.echo(line)
            self.known |= names_on_the_table(self.game, self.seat)
        self.show_options()

    def show_table(self) -> None:
        """Print the table, apart from what was told before."""
        say()
        for line in table_lines(self.game, self.seat):
            click.echo(line)
        self.known = names_on_the_table(self.game, self.seat)

    def show_options(self) -> None:
        """Print what may be done or answered."""
        for line in action_lines(self.game) if self.game.is_action else question_lines(self.game):
            click.echo(line)

    def take(self, answer: Answer) -> None:
        """Carry out a decision of either player, and tell it."""
        mine = int(self.game.record.asked) == self.seat
        my_turn = not self.game.turn or int(self.game.record.active) == self.seat
        before = self.game.copy() if mine and my_turn else None
        log_length = len(self.log)
        step = take_step(self.game, *answer)
        if before is not None:
            self.past.append((before, log_length, len(self.answers), step.text))
        self.answers.append(answer)
        self.warned = False
        if self.game.turn != step.turn or not (mine or (my_turn and step.turn)):
            self.past.clear()  # the turn is over, or the rival has decided something of their own
        for line in self.teller.lines(step):
            self.tell(line)

    # Commands; each says whether the question has to be asked anew

    def undo(self, _: str) -> bool:
        """Go back to the last decision of the person in this turn."""
        if not self.past:
            say("There is nothing to undo: only your own decisions of this turn can be taken back.")
            return False
        self.game, log_length, decided, text = self.past.pop()
        del self.log[log_length:], self.answers[decided:]
        self.known = None
        say(f"Taken back: {text}")
        return True

    def help(self, name: str) -> bool:
        """Print what can be typed; what a card says; what a keyword means."""
        if not name:
            say(HELP)
            return False
        keywords = [word for word in WORDS if word.examples[0].split()[0].casefold() == name.casefold()]
        cards = self.cards_named(name)
        if keywords and [card.name.casefold() for card in cards] != [name.casefold()]:
            for word in keywords:
                say(f"{word.examples[0]}: {in_words(word.meaning)}")
        elif len(cards) == 1:
            click.echo(card_text(cards[0], width()))
        elif cards:
            say(f"'{name}' may be {', '.join(card.name for card in cards)}; write more of it.")
        else:
            hint = did_you_mean(name, (card.name for card in self.game.box.cards)) or "; type help for what else there is."
            say(f"No card is named '{name}'{hint}")
        return False

    def cards_named(self, name: str) -> list[Card]:
        """Return the card of that name; else those that begin so; else those that have it in their name."""
        wanted = name.casefold()
        for fits in (wanted.__eq__, lambda card: card.startswith(wanted), lambda card: wanted in card):
            found = [card for card in self.game.box.cards if fits(card.name.casefold())]
            if found:
                return found
        return []

    def show(self, _: str) -> bool:
        """Print the table, and what the compact form leaves out: the discard piles, which are open (G7)."""
        self.show_table()
        table = look_at(self.game)
        for seat in (1 - self.seat, self.seat):
            say(f"  {self.teller.names[seat]}'s discard pile · {', '.join(sorted(table.sides[seat].discard)) or 'empty'}")
        self.show_options()
        return False

    def print_log(self, _: str) -> bool:
        """Print the story so far."""
        say("\n".join(self.log))
        return False

    def hint(self, _: str) -> bool:
        """Print what a strategy would do, and why."""
        say(self.ask_pilot(self.game, self.seat) if self.ask_pilot else "There is nobody to ask.")
        return False

    def save(self, name: str) -> bool:
        """Write the game down, so that it can be gone on with later."""
        if self.saved is None:
            say("This game cannot be saved.")
            return False
        path = Path(name or f"game-{self.saved.seed}.json")
        try:
            replace(self.saved, answers=self.answers).write(path)
        except SavedGameError as error:
            say(str(error))
        else:
            say(f"Saved. This goes on with it: {shlex.join(['terrors', 'play', '--resume', str(path)])}")
        return False

    def quit(self, _: str) -> bool:
        """Leave the game."""
        raise Quit


COMMANDS: dict[str, Callable[[Session, str], bool]] = {
    "help": Session.help,
    "h": Session.help,
    "?": Session.help,
    "show": Session.show,
    "table": Session.show,
    "log": Session.print_log,
    "hint": Session.hint,
    "save": Session.save,
    "undo": Session.undo,
    "u": Session.undo,
    "quit": Session.quit,
    "q": Session.quit,
    "exit": Session.quit,
}
