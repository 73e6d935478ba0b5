"""A story as text, for a person who knows the game.

    Turn 6 · Fenris (first) · Health 38 : 41 (Azazael)
      hand: 2 Cultist, Fanatic, Ghoul, Blood Moon
      play Ghoul → +1 Power, draws Cultist [3 Coin, 2 Power]
      opponent: choose discard Cultist

What stands before the arrow is the notation of docs/SCENARIOS.md; a scenario takes the whole line, since it leaves out what is behind the arrow. In
square brackets is the Resource Pool. A line that begins with the arrow says how the active player's card goes on after the opponent has answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terrors.simulator.play.names import SEATS, area_text, pool_text
from terrors.simulator.story.diff import NOBODY, Change
from terrors.simulator.story.transcript import Side, Step, Story, Table, Turn
from terrors.simulator.terms.text import counted, listed

# How a move is told, by where the cards come from and go to.
MOVES = {
    ("hand", "play"): "plays {}",
    ("deck", "hand"): "takes {}",
    ("discard", "hand"): "takes back {}",
    ("hand", "discard"): "discards {}",
    ("deck", "discard"): "discards {} from the deck",
    ("play", "discard"): "{} to the discard pile",
    ("street", "discard"): "gets {}",
    ("street", "deck"): "gets {} on top of the deck",
    ("street", "play"): "gets {}",
    ("acolytes", "discard"): "gets {}",
    ("street", "removed"): "{} leaves the game",
    ("play", "removed"): "{} leaves the game",
    ("hand", "removed"): "{} leaves the game",
    ("discard", "removed"): "{} leaves the game",
    ("market", "street"): "Street: {}",
}
# The same for the one card that an answer has named already; what an action names needs no words at all.
NAMED = {
    ("hand", "discard"): "discarded",
    ("deck", "discard"): "discarded",
    ("play", "discard"): "to the discard pile",
    ("street", "discard"): "to the discard pile",
    ("discard", "hand"): "to hand",
}

# How everything else is told, by kind of change.
WORDS = {
    "armor": "Armor stops {amount}",
    "muster": "+{amount} MUSTER",
    "draw": "draws {cards}",
    "reshuffle": "shuffles the discard pile",
    "look": "looks at {cards}",
    "reveal": "reveals {cards}",
    "haunt": "{cards} gains HAUNT",
    "dismiss": "the token of {cards} turns to Dismiss",
    "horde": "horde of {amount}: {chain}",
    "lit": "faction in play",
    "claim": "the next monster bought gains CLAIM",
    "convert": "may convert {source} to {target}",
    "keep": "keeps {cards}",
    "hand": "new hand of {amount}",
    "cut": "the Action Phase is cut off, at the limit of actions",
    "nothing": "nothing happens",
}
HIDDEN = ("draw", "look", "keep")  # changes whose cards only their owner sees (G7)


def play_text(side: Side) -> str:
    """The play area without relics: hordes as chains, tokens behind the names."""
    return area_text(([(card.name, card.token) for card in horde] for horde in side.hordes), ((card.name, card.token) for card in side.others))


def street_text(table: Table) -> str:
    """The Street with its costs."""
    return ", ".join(name if cost is None else f"{name} ({cost})" for name, cost in table.street) or "empty"


class Teller:
    """Tells a game to somebody: to one who may see everything, or to the player in a seat, from whom the rival's hidden cards stay hidden (G7)."""

    def __init__(self, names: tuple[str, str], viewer: int | None = None) -> None:
        """Names by seat; `viewer` is the seat of the player to whom it is told, None for all-seeing."""
        self.names = names
        self.viewer = viewer

    def hides(self, seat: int) -> bool:
        """Whether the hand and the drawn cards of a seat are not for this viewer."""
        return self.viewer is not None and self.viewer != seat

    def story(self, story: Story, from_turn: int = 0) -> Iterator[str]:
        """The whole game, or what is left of it from a turn on."""
        yield f"{self.names[0]} (first) against {self.names[1]} (second) · seed {story.seed}"
        if from_turn <= 1:
            yield from (self.setup_line(step) for step in story.setup)
        for turn in story.turns:
            if turn.number >= from_turn:
                yield ""
                yield from self.turn(turn)
        yield ""
        yield self.ending(story.result, story.table)

    def ending(self, result: str, table: Table) -> str:
        """Return how the game ended, in words."""
        first, second = table.sides
        return f"{result[0].upper()}{result[1:]} · Health {self.names[0]} {first.health}, {self.names[1]} {second.health}"

    def setup_line(self, step: Step) -> str:
        """S3: the choice of an Influence card."""
        return f"  {self.names[step.seat]}: {step.text}"

    def turn(self, turn: Turn) -> Iterator[str]:
        """A turn with all its steps."""
        yield self.heading(turn)
        yield from self.position(turn)
        for step in turn.steps:
            yield from self.lines(step)

    def heading(self, turn: Turn) -> str:
        """The active player's Health first."""
        mine, theirs = turn.table.sides[turn.seat], turn.table.sides[1 - turn.seat]
        you = ", you" if self.viewer == turn.seat else ""
        return f"Turn {turn.number} · {mine.overlord} ({SEATS[turn.seat]}{you}) · Health {mine.health} : {theirs.health} ({theirs.overlord})"

    def position(self, turn: Turn) -> Iterator[str]:
        """Return what lies on the table as a turn begins; what is empty is not mentioned."""
        mine, theirs = turn.table.sides[turn.seat], turn.table.sides[1 - turn.seat]
        yield f"  hand: {f'{len(mine.hand)} cards' if self.hides(turn.seat) else counted(list(mine.hand)) or 'empty'}"
        if mine.hordes or mine.others:
            yield f"  in play: {play_text(mine)}"
        if mine.relics:
            yield f"  relics: {', '.join(mine.relics)}"
        rival = [play_text(theirs)] * bool(theirs.hordes or theirs.others) + list(theirs.relics) + [f"Armor {theirs.armor}"] * bool(theirs.armor)
        if rival:
            yield f"  {self.names[1 - turn.seat]} has {', '.join(rival)}"
        yield f"  Street: {street_text(turn.table)}"

    def lines(self, step: Step) -> Iterator[str]:
        """A decision with what came of it.

        What the active player's card goes on to do after the rival has answered stands on a line of its own: it is not the rival's doing.
        """
        if not step.turn:
            yield self.setup_line(step)
            return
        whose = ""
        if step.seat != step.active:
            whose = "you: " if self.viewer == step.seat else "opponent: "
        answered, goes_on = self.parts(step)
        yield f"  {whose}{step.text}{self.behind(step, answered)}"
        if goes_on:
            yield f" {self.behind(step, goes_on)}"

    def parts(self, step: Step) -> tuple[Sequence[Change], Sequence[Change]]:
        """The changes by the one who decided, and those that follow from the active player's card after the rival has answered."""
        at = len(step.changes)
        if step.seat != step.active:
            at = next((i for i, change in enumerate(step.changes) if change.seat != step.seat), at)
        return step.changes[:at], step.changes[at:]

    def behind(self, step: Step, changes: Sequence[Change]) -> str:
        """The arrow and changes in words, with the pool if it is another one now; what the step's own text says already is left out."""
        named_first = sorted(changes, key=lambda change: not change.implied)
        told = ", ".join(word for word in (self.words(change, step) for change in named_first) if word)
        pool = f" [{pool_text(step.pool) or 'empty'}]" if any(change.what == "resource" for change in changes) else ""
        return f" → {told}{pool}" if told else f" →{pool}" if pool else ""

    def words(self, change: Change, step: Step) -> str:
        """One change in words, or nothing if the step's text says it."""
        whose = "" if change.seat in (step.active, NOBODY) else f"{self.names[change.seat]} "
        cards = counted(list(change.cards))
        if self.hides(change.seat) and change.what in HIDDEN:
            cards = "a card" if len(change.cards) == 1 else f"{len(change.cards)} cards"
        if change.implied:
            named = change.what == "move" and step.question not in ("ACTION", "CURSE")
            return NAMED.get((change.source, change.target), "leaves the game") if named else ""
        if change.what == "resource":
            told_by_text = step.text.startswith("convert") or step.question == "PAYMENT" or (change.amount < 0 and step.question == "ACTION")
            return "" if told_by_text else f"{change.amount:+} {change.source}".replace("-", "−")
        if change.what == "health":
            return f"{self.names[change.seat]} {change.after - change.amount} → {change.after}"
        if change.what == "move":
            return whose + MOVES.get((change.source, change.target), f"{{}} from {change.source} to {change.target}").format(cards)
        if change.what == "stay":
            return f"{listed(change.cards)} stay{'s' * (len(change.cards) == 1)} in play"
        return whose + WORDS[change.what].format(cards=cards, amount=change.amount, chain=" + ".join(change.cards), source=change.source, target=change.target)
