"""Actions and answers as text, and back: what scenarios contain, replays print and `terrors play` reads (docs/SCENARIOS.md)."""

from __future__ import annotations

import re
from typing import Any

from terrors.simulator.play.box import Box
from terrors.simulator.play.names import name_of, slot_name
from terrors.simulator.terms.enums import Action, Cost, Effect, Place, Question, Resource
from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.text import closest

RESOURCES = [r.name.capitalize() for r in Resource]
SIMPLE = {
    Action.ATTACK: "attack", Action.HEAL: "heal", Action.OVERLORD: "overlord", Action.PASS: "pass", Action.BUY_ACOLYTE: "buy acolyte",
    Action.YES: "choose yes", Action.HEALTH: "choose health",
}  # fmt: skip


class NotationError(WordedError):
    """Raised for a line that is no legal action or answer now, in one sentence."""


def _card_text(box: Box, game: Any, options: Any, i: int) -> str:
    """Return `choose …` for an option that is a card."""
    me = game.player[game.active]
    slot, place, name = int(options.at[i].slot), options.at[i].place, box.names[options.at[i].card]
    question = game.question
    if place == Place.PLAY:
        return f"choose {slot_name(box, me, slot)}"
    if place == Place.RIVAL_PLAY:
        return f"choose opponent {slot_name(box, game.player[1 - game.active], slot)}"
    if question == Question.DESTROY:
        return f"choose Street {name}"
    if question == Question.CURSE or (question == Question.DISCARD and _row(box, game).effect == Effect.CURSE):
        return f"choose discard {name}"
    if question == Question.SACRIFICE:
        return f"choose {'hand' if place == Place.HAND else 'discard'} {name}"
    return f"choose {name} to deck" if question == Question.BUY_WITH and options.at[i].other else f"choose {name}"


def _row(box: Box, game: Any) -> Any:
    return box.record.effect[game.agenda[game.agenda_n - 1].pc]


def _trigger_text(box: Box, game: Any, options: Any, i: int) -> str:
    """Return `choose Ghoul 2` for a waiting trigger: the second one of that card comes next."""
    me = game.player[game.active]
    slot, card = int(options.at[i].slot), int(options.at[i].other)
    if card < 0:
        name = "overlord"
    else:
        name = slot_name(box, me, slot) if me.play[slot].card == card else name_of(box, card)
    return f"choose {name}" + (f" {options.at[i].amount + 1}" if options.at[i].amount else "")


def _mix_text(coin: int, power: int, regeneration: int) -> str:
    parts = [f"{n} {name}" for n, name in zip((coin, power, regeneration), RESOURCES, strict=True) if n]
    return "choose " + (" and ".join(parts) or "nothing")


def option_text(box: Box, game: Any, options: Any, i: int) -> str:
    """Return one option as text."""
    action = Action(int(options.at[i].action))
    me = game.player[game.active]
    slot, other, amount = int(options.at[i].slot), int(options.at[i].other), int(options.at[i].amount)
    card = int(options.at[i].card)
    if action == Action.CARD:
        return _card_text(box, game, options, i)
    if action == Action.DECLINE:
        if game.question == Question.HORDE_ABILITY:
            return "activate none"
        return "choose no" if game.question in (Question.COST, Question.DISCARD_COST) else "choose none"
    if action in SIMPLE:
        return SIMPLE[action]
    if action == Action.PLAY:
        return f"play {box.names[card]}"
    if action == Action.BUY:
        return f"buy {box.names[card]}" + (" to deck" if other else "")
    if action == Action.CONVERT:
        return f"convert {RESOURCES[slot]} to {RESOURCES[other]}"
    if action == Action.HORDE:
        return f"horde {slot_name(box, me, slot)} + {slot_name(box, me, other)}"
    if action == Action.HORDE_LEFT:
        return f"horde {slot_name(box, me, slot)} + {slot_name(box, me, other)}…"
    if action == Action.HORDE_RIGHT:
        return f"horde …{slot_name(box, me, other)} + {slot_name(box, me, slot)}"
    if action in (Action.RELIC, Action.HAUNT):
        return f"{action.name.lower()} {slot_name(box, me, slot)}"
    if action == Action.ABILITY:
        return f"activate {slot_name(box, me, slot)}" + (" 2" if amount else "")
    if action == Action.ALTERNATIVE:
        return f"choose {box.alternatives[int(game.agenda[game.agenda_n - 1].pc)][amount]}"
    if action == Action.TRIGGER:
        return _trigger_text(box, game, options, i)
    return _mix_text(slot, other, amount)


def option_texts(box: Box, game: Any, options: Any) -> list[str]:
    """Return everything that is offered now as text, in the order of the options."""
    return [option_text(box, game, options, i) for i in range(options.n)]


_SPEND = re.compile(r"^(attack|heal) (\d+)$|^convert (\d+) (\w+) to (\w+)$|^convert (\w+) to (\w+) (\d+)$")


_COMMENT = re.compile(r"(?:#(?!\d)|(?:^|\s)(?:→|->)).*$")


def without_comment(line: str) -> str:
    """Return a line up to its `#` (unless that is part of `#2`), or up to the arrow behind which a transcript says what came of it."""
    return _COMMENT.sub("", line).strip()


def plain(text: str) -> str:
    """Return a line as it is compared: case, spare spaces, three dots and a blank before # do not matter."""
    text = " ".join(text.replace("...", "…").split()).casefold()
    text = re.sub(r"\s*…\s*", "…", text).replace("…", "… ").replace("horde … ", "horde …").strip()
    text = re.sub(r"\s*#\s*(\d+)", r" #\1", text)
    return re.sub(r" #1(?!\d)", "", text)


def _forms(text: str) -> list[str]:
    """Return other ways to say the same, if nothing else is meant by them."""
    words = plain(text)
    forms = [words]
    for prefix in ("choose street ", "choose opponent ", "choose hand ", "choose discard "):
        if words.startswith(prefix):
            forms.append("choose " + words.removeprefix(prefix))
    if words in ("choose no", "choose none"):
        forms += ["choose no", "choose none"]
    resource = re.match(r"^choose \d+ (coin|power|regeneration)$", words)
    if resource:
        forms.append(f"choose {resource[1]}")
    return forms


def find_option(box: Box, game: Any, options: Any, text: str) -> tuple[int, int]:
    """Return the option that a line means, and how much to spend (0 = all). NotationError if it is not legal now."""
    wanted, spend = plain(text), 0
    match = _SPEND.match(wanted)
    if match:
        spend = int(match[2] or match[3] or match[8])
        wanted = match[1] or f"convert {match[4] or match[6]} to {match[5] or match[7]}"
    texts = option_texts(box, game, options)
    forms = [_forms(t) for t in texts]
    found = [i for i, f in enumerate(forms) if f[0] == wanted] or [i for i, f in enumerate(forms) if wanted in f[1:]]
    if found and match and not 1 <= spend <= options.at[found[0]].amount:
        raise NotationError(f"'{text}': the amount goes from 1 to {options.at[found[0]].amount}.")
    if len({texts[i] for i in found}) > 1:
        raise NotationError(f"'{text}' may mean {' or '.join(sorted({texts[i] for i in found}))}; write which.")
    if not found:
        said = {plain(text): text for text in reversed(texts)}
        near = closest(wanted, said, 0.75)
        hint = f"; did you mean '{said[near]}'?" if near else f"; legal are: {', '.join(texts[:20])}."
        raise NotationError(f"'{text}' is not legal now{hint}")
    return found[0], spend


def question_words(box: Box, game: Any) -> str:
    """Return the question that is being asked, worded for a person."""
    words = {
        Question.ACTION: "What do you do?",
        Question.INFLUENCE: "Which Influence card do you take?",
        Question.RELIC_LIMIT: "Your Relic area is full: which relic leaves the game?",
        Question.TRIGGER: "Several abilities are triggered: whose comes next?",
        Question.HORDE_ABILITY: "Which Horde ability do you activate?",
        Question.CURSE: "You are cursed: what do you give up?",
        Question.DESTROY: "DESTROY which card?",
        Question.SACRIFICE: "SACRIFICE which card?",
        Question.COMMAND: "COMMAND: which monster comes back to your hand?",
        Question.CHOOSE: "Choose one:",
        Question.HAUNT_ANOTHER: "Which monster gains HAUNT?",
        Question.DISCARD: "Which card do you discard?",
        Question.LOOK: "Which of these cards of your deck do you discard?",
        Question.COST: "Do you pay for it?",
        Question.DISCARD_COST: "Which card do you discard for it?",
        Question.BUY_WITH: "Which monster do you buy?",
        Question.PAYMENT: "How do you pay?",
        Question.TAKE: "Which Street monster do you take?",
        Question.ACTIVATE: "Which Horde ability do you activate?",
    }
    text = words[Question(int(game.question))]
    if game.question == Question.COST:
        row = _row(box, game)
        what = "SACRIFICE it" if row.a == Cost.SACRIFICE_THIS else f"pay {row.amount} {('Coin', 'Power', 'Regeneration', 'Health')[row.a]}"
        source = int(game.agenda[game.agenda_n - 1].card)
        name = name_of(box, source) if source >= 0 else box.names[game.player[game.active].overlord]
        return f"{name}: do you {what}?"
    return text
