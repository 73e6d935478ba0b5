"""What a person means who types a number, a line of the notation, or only the beginning of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terrors.simulator.play.notation import NotationError, find_option, option_texts, plain
from terrors.simulator.terms.enums import Action

if TYPE_CHECKING:
    from terrors.simulator.play.game import Game
    from terrors.simulator.story.transcript import Answer

SPENDS = (Action.ATTACK, Action.HEAL, Action.CONVERT)


def find_answer(game: Game, line: str) -> Answer:
    """Return the option that is meant, and how much to spend (0 = all). NotationError says why there is none."""
    words = plain(line)
    if words.isdecimal():
        return _by_number(game, int(words)), 0
    try:
        return find_option(game.box, game.record, game.options, line)
    except NotationError as error:
        complaint = error
    texts = option_texts(game.box, game.record, game.options)
    found = _best_fits(words.split(), texts)
    spend = 0
    if not found:
        found, spend = _with_amount(game, words.split(), texts)
    meant = list(dict.fromkeys(texts[i] for i in found))
    if len(meant) > 1:
        raise NotationError(f"'{line}' may mean {' or '.join(meant)}; write more of it.")
    if not meant:
        raise complaint
    return found[0], spend


def _by_number(game: Game, number: int) -> int:
    offered = int(game.options.n)
    if not 1 <= number <= offered:
        raise NotationError(f"{number}: the options go from 1 to {offered}.")
    return number - 1


def _with_amount(game: Game, words: list[str], texts: list[str]) -> tuple[list[int], int]:
    """Return the options that spend, and how much, for words like `att 3`."""
    numbers = [word for word in words if word.isdecimal()]
    if len(numbers) != 1:
        return [], 0
    spend = int(numbers[0])
    rest = [word for word in words if not word.isdecimal()]
    found = [i for i in _best_fits(rest, texts) if game.options.at[i].action in SPENDS] if rest else []
    for i in found:
        most = int(game.options.at[i].amount)
        if not 1 <= spend <= most:
            raise NotationError(f"'{texts[i]} {spend}': the amount goes from 1 to {most}.")
    return found, spend


def _best_fits(words: list[str], texts: list[str]) -> list[int]:
    """Return the options that the words abbreviate. One whose words are all there goes before one that says more (`buy Ghoul` before `buy Ghoul to deck`)."""
    words = [word for word in words if word != "+"]
    fits = [(i, plain(text).replace("…", " ").replace(" + ", " ").split()) for i, text in enumerate(texts)]
    fits = [(i, full) for i, full in fits if words and _abbreviates(words, full)]
    whole = [i for i, full in fits if len(full) == len(words)]
    begun = [i for i, full in fits if full[0].startswith(words[0])]
    return whole or begun or [i for i, _ in fits]


def _abbreviates(words: list[str], full: list[str]) -> bool:
    """Whether each word begins one of the full words, in the same order."""
    rest = iter(full)
    return all(any(whole.startswith(word) for whole in rest) for word in words)
