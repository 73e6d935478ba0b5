"""The table as a player sees it in the terminal: compact, with what the cards say beside them."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from terrors.simulator.cards.card import cells_of
from terrors.simulator.cards.vocabulary import text_of_all, trigger_text
from terrors.simulator.play.names import name_of, pool_words
from terrors.simulator.play.notation import question_words
from terrors.simulator.story.story_text import play_text
from terrors.simulator.story.transcript import Side, answer_text, look_at
from terrors.simulator.terms.enums import Action, CardType, Question
from terrors.simulator.terms.text import counted
from terrors.table.colours import coloured

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import Card
    from terrors.simulator.play.game import Game

NAME_COLUMN, LINK_COLUMN = 27, 11
NARROWEST = 30  # letters that a text beside a heading needs
COLOURS = (None, "magenta", "red", "yellow", "cyan", "green", "blue", None, None)  # by faction, on a terminal


def width() -> int:
    """Return how wide the screen is, within reason; 100 where it is not a screen."""
    return max(60, min(140, shutil.get_terminal_size((100, 40)).columns))


def short_text(card: Card) -> str:
    """Return what a card says, as its file says it, in one line."""
    cells = cells_of(card)
    parts = [cells["abilities"], cells["triggers"], f"horde {cells['horde']}" if cells["horde"] else ""]
    return " · ".join(part for part in parts if part)


def links_text(card: Card) -> str:
    """H1: return `S<Undead>B`, by first letters what may stand to the left of a monster, its faction, and what may stand to the right; else the type."""
    if card.type is not CardType.MONSTER:
        return card.type.name.capitalize()
    left, right = (side.label[:1] for side in (card.left, card.right))
    return f"{left}<{card.faction.label}>{right}" if card.faction else ""


def card_lines(card: Card, before: str = "") -> list[str]:
    """Return a card with its text, which goes on below where the line is too short."""
    return _beside(f"    {before}{card.name}".ljust(NAME_COLUMN + 4) + f" {links_text(card).ljust(LINK_COLUMN)}", short_text(card), colour_of(card))


def colour_of(card: Card) -> str | None:
    """Return the colour of a card's faction on a terminal."""
    return COLOURS[card.faction] if card.faction < len(COLOURS) else None


def wrapped(text: str, room: int) -> list[str]:
    """Return a text in lines that are no wider than there is room; no word is broken."""
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]


def fitted(line: str) -> list[str]:
    """Return a line of a story as a terminal shows it: what goes on does so below, further in."""
    if not sys.stdout.isatty() or len(line) <= width():
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, width(), initial_indent=indent, subsequent_indent=indent + "    ", break_long_words=False, break_on_hyphens=False)


def say(text: str = "", err: bool = False) -> None:
    """Print what is said to the person, line by line; on a terminal no word is broken at its edge."""
    for line in text.split("\n"):
        for part in fitted(line):
            click.echo(part, err=err)


def _beside(head: str, text: str, colour: str | None = None) -> list[str]:
    """Return a text to the right of its heading, wrapped at the edge of the screen; below it, where there is too little room beside it."""
    room = width() - len(head) - 1
    if room < NARROWEST and len(text) > room:
        return [coloured(head.rstrip(), colour), *(" " * 8 + line for line in wrapped(text, width() - 8))]
    first, *more = wrapped(text, room)
    return [f"{coloured(head if first else head.rstrip(), colour)} {first}".rstrip(), *(" " * (len(head) + 1) + line for line in more)]


def table_lines(game: Game, seat: int) -> Iterator[str]:
    """Return everything that the player in a seat may see (G7): the rival, the Street, their own side, the pool."""
    table = look_at(game)
    cards = game.box.cards
    yield _head(table.sides[1 - seat], hidden=True)
    yield from _in_play(game, table.sides[1 - seat])
    yield f"  Street · Market {table.market}"
    for name, cost in table.street:
        yield from card_lines(cards.by_name(name), f"{'-' if cost is None else cost} ")
    if table.acolytes:
        yield f"    {game.box.record.rules.acolyte_cost} acolyte".ljust(NAME_COLUMN + LINK_COLUMN + 6) + f"unseen, {table.acolytes} left"
    yield _head(table.sides[seat], hidden=False)
    overlord = cards.by_name(table.sides[seat].overlord)
    if short_text(overlord):
        yield from _beside("    overlord ", short_text(overlord))
    yield from _in_play(game, table.sides[seat])
    if table.sides[seat].hand:
        yield "    hand"
    hand = table.sides[seat].hand
    for name in dict.fromkeys(hand):
        yield from card_lines(cards.by_name(name), f"{hand.count(name)} × " if hand.count(name) > 1 else "")
    yield f"  {pool_line(game, seat)}"


def pool_line(game: Game, seat: int) -> str:
    """Return what a player has to spend."""
    return click.style(f"Pool · {pool_words(game.record.player[seat]) or 'empty'}", bold=True)


def names_on_the_table(game: Game, seat: int) -> set[str]:
    """Return the cards whose text the table shows to a player."""
    table = look_at(game)
    standing = [card.name for side in table.sides for horde in (*side.hordes, side.others) for card in horde]
    return {name.split(" #")[0] for name in (*standing, *table.sides[seat].hand, *(name for name, _ in table.street))}


def changed_lines(game: Game, seat: int, known: set[str]) -> Iterator[str]:
    """Return what an action has changed for the next one: the hand, the pool, and the cards that were not there before, with their texts."""
    table = look_at(game)
    for where, names in (("Street", [name for name, _ in table.street]), ("hand", list(table.sides[seat].hand))):
        for name in dict.fromkeys(names):
            if name not in known:
                card = game.box.cards.by_name(name)
                cost = f"{card.cost} " if where == "Street" and card.cost is not None else ""
                yield f"  new in the {where}" if where == "Street" else "  new in your hand"
                yield from card_lines(card, cost)
    yield f"  hand · {counted(list(table.sides[seat].hand)) or 'empty'}   {pool_line(game, seat)}"


def _head(side: Side, hidden: bool) -> str:
    facts = [f"  {side.overlord} · Health {side.health} of {side.start_health}"]
    facts += [f"hand {len(side.hand)}"] * hidden + [f"deck {side.deck}", f"discard {len(side.discard)}"]
    facts += [f"Armor {side.armor}"] * bool(side.armor) + [f"MUSTER {side.tokens}"] * bool(side.tokens)
    return click.style(" · ".join(facts), bold=True)


def _in_play(game: Game, side: Side) -> Iterator[str]:
    if side.hordes or side.others:
        yield f"    in play   {play_text(side)}"
        for name in dict.fromkeys(card.name.split(" #")[0] for horde in (*side.hordes, side.others) for card in horde):
            card = game.box.cards.by_name(name)
            if short_text(card):
                yield from _beside(f"      {name}".ljust(NAME_COLUMN + 4) + f" {links_text(card).ljust(LINK_COLUMN)}", short_text(card), colour_of(card))
    for name in side.relics:
        yield from _beside(f"    relic     {name}:", short_text(game.box.cards.by_name(name.split(" #")[0])))


# What is asked


def action_lines(game: Game) -> list[str]:
    """Return the actions, numbered, as many on a line as there is room for."""
    items = [f"{i + 1} {answer_text(game, i)}" for i in range(int(game.options.n))]
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + 3 > width():
            lines.append(line)
            line = ""
        line = f"{line}   {item}" if line else f"  {item}"
    return [*lines, line]


def question_lines(game: Game) -> Iterator[str]:
    """Return a question in the middle of an action: whose it is, and the answers, numbered, with what the cards say."""
    source = asking_card(game)
    text = f"{f'{source.name} ({short_text(source)}): ' if source else ''}{question_words(game.box, game.record)}"
    yield from (click.style(line, bold=True) for line in wrapped(text, width()))
    for i in range(int(game.options.n)):
        yield from _beside(f"  {i + 1} {answer_text(game, i)}".ljust(NAME_COLUMN + 6), option_says(game, i))


def asking_card(game: Game) -> Card | None:
    """Return the card whose ability asks; none where the rules ask."""
    now = game.record
    if now.question in (Question.ACTION, Question.INFLUENCE, Question.RELIC_LIMIT, Question.TRIGGER, Question.HORDE_ABILITY) or not now.agenda_n:
        return None
    instance = int(now.agenda[now.agenda_n - 1].card)
    return game.box.cards.by_name(name_of(game.box, instance) if instance >= 0 else game.overlord(now.active))


def option_says(game: Game, index: int) -> str:
    """Return the text that an answer is about: the card's, the Horde ability's, the trigger's."""
    option = game.options.at[index]
    if option.card < 0:
        return ""
    card = game.box.cards.cards[int(option.card)]
    if option.action == Action.ABILITY:
        return text_of_all(card.horde[int(option.amount)])
    if option.action == Action.TRIGGER:
        return trigger_text(card.triggers[int(option.amount)])
    return short_text(card)
