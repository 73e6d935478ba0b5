"""What every strategy must keep to, tried out on real games: the contract, and that it does not peek (G7).

A strategy is asked at the decisions of some games. Each time it must return an option that is there, leave the game as it is (its own stream of luck
aside), answer the same when asked again, and answer the same when everything that a player at the table cannot see is dealt anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.play.box import Box
from terrors.simulator.play.game import Game
from terrors.strategies.formats.registry import Strategy, find

REDEALS = 3
MOST_DECISIONS = 50_000  # of a dozen games there are some thousands; those of absurd sets have no end
Answer = tuple[int, int, list[Any]]  # the number of an option, how much is spent, the steps of a plan
LISTED = [
    name for name in layout.OPTIONS_RECORD.names or () if name not in ("at", "scratch", "spare", "bucket")
]  # the engine's own room is no part of a question


@dataclass
class Report:
    """The findings of a check; no problems if the strategy keeps to the contract."""

    strategy: str
    games: int = 0
    decisions: int = 0
    redeals: int = 0
    found: dict[str, str] = field(default_factory=dict)  # by kind of problem

    @property
    def problems(self) -> list[str]:
        """The problems, in words."""
        return list(self.found.values())


def redeal(box: Box, game: Any, me: int, luck: np.random.Generator) -> None:
    """Deal anew what `me` cannot see: the rival's hand and deck, the own deck below what is known, the Market, the Acolytes, and all luck to come."""
    table = np.asarray(game)  # fields by name and not as attributes: that is much faster, and this is most of the work
    own, rival = table["player"][me], table["player"][1 - me]
    hidden = own["deck"]["n"] - own["known"]
    own["deck"]["card"][:hidden] = luck.permutation(own["deck"]["card"][:hidden])
    hand, deck = int(rival["hand"]["n"]), int(rival["deck"]["n"])
    cards = luck.permutation(np.concatenate([rival["hand"]["card"][:hand], rival["deck"]["card"][:deck]]))
    rival["hand"]["card"][:hand] = cards[:hand]
    rival["deck"]["card"][:deck] = cards[hand:]
    rival["known"] = 0
    for name in ("market", "acolytes"):
        pile = table[name]
        pile["card"][: pile["n"]] = luck.permutation(pile["card"][: pile["n"]])
    table["seed"] = luck.integers(0, 2**63, dtype=np.uint64)


class _Asker:
    """Asks a strategy on copies, so that the game that is watched stays untouched."""

    def __init__(self, plan: Strategy, box: Box) -> None:
        self.plan, self.box = plan, box
        self.work = plan.work(box)
        self.game = record(layout.GAME)
        self.options = record(layout.OPTIONS_RECORD)

    def ask(self, game: Any, options: Any, me: int, deal: np.random.Generator | None = None) -> Answer:
        """Return the answer: option, how much to spend, what to do next. With `deal`, after dealing anew."""
        np.asarray(self.game)[...] = np.asarray(game)
        mine, given = np.asarray(self.options), np.asarray(options)
        for name in LISTED:
            mine[name] = given[name]
        mine["at"][: given["n"]] = given["at"][: given["n"]]  # there is room for thousands
        if deal is not None:
            redeal(self.box, self.game, me, deal)
        with np.errstate(over="ignore"):
            index = self.plan.compiled(self.game, self.box.record, self.options, self.work, me)
        return int(index), int(mine["spend"]), mine["then"][: mine["then_n"]].tolist()  # the steps of a plan

    def touched(self, game: Any, options: Any, me: int) -> list[str]:
        """Return the fields of the game and the options that the last answer changed, the own stream of luck and the parts of the answer aside."""
        before, after = np.asarray(game), np.asarray(self.game)
        changed = [name for name in layout.GAME.names or () if name != "player" and before[name].tobytes() != after[name].tobytes()]
        listed, now = np.asarray(options), np.asarray(self.options)
        n = int(listed["n"])
        changed += [f"options.{name}" for name, same in (("n", n == now["n"]), ("at", listed["at"][:n].tobytes() == now["at"][:n].tobytes())) if not same]
        for seat in range(2):
            for name in layout.PLAYER.names or ():
                if (name, seat) != ("chances", me) and before["player"][seat][name].tobytes() != after["player"][seat][name].tobytes():
                    changed.append(f"player[{seat}].{name}")
        return changed


def check_strategy(
    plan: Strategy, box: Box, games: int = 12, seed: int = 1, tell: Callable[[str], None] = lambda text: None, most: int = MOST_DECISIONS
) -> Report:
    """Watch a strategy play against itself and against random; every kind of problem is told once.

    `tell` is told before each question where the game is. After `most` decisions that is enough, also if a game is not over.
    """
    report = Report(plan.name)
    asker = _Asker(plan, box)
    other = _Asker(find("random"), box)
    luck = np.random.default_rng(seed)
    overlords = [c.name for c in box.cards.overlords]
    pairs = [(a, b) for a in overlords for b in overlords if a != b and box.cards.by_name(a).faction != box.cards.by_name(b).faction]
    for number in range(games):
        game = Game(box, *pairs[number % len(pairs)], seed=seed * 1_000_003 + number)
        report.games += 1
        while not game.over and report.decisions < most:
            me = int(game.record.asked)
            index, spend = 0, 0
            if game.options.n > 1:
                watched = me == 0 or number % 2 == 0
                tell(f"in game {report.games}, turn {game.turn}")
                try:
                    answer = (asker if watched else other).ask(game.record, game.options, me)
                except Exception as error:  # whatever a strategy may raise, it is named with its place
                    _once(report, "raised", f"{_where(report, game)}: it raised {type(error).__name__}: {str(error).rstrip('.')}.")
                    return report
                index, spend, _ = answer
                if watched and not _examine(report, asker, game, me, answer, luck):
                    return report
            game.apply_index(index, spend)
    return report


def _examine(report: Report, asker: _Asker, game: Game, me: int, answer: Answer, luck: np.random.Generator) -> bool:
    """Look closely at one answer; False ends the check, since the game cannot go on."""
    report.decisions += 1
    where = _where(report, game)
    if not 0 <= answer[0] < game.options.n:
        _once(report, "answer", f"{where}: it answered {answer[0]}; there are options 0 to {game.options.n - 1}.")
        return False
    changed = asker.touched(game.record, game.options, me)
    if changed:
        _once(report, "wrote", f"{where}: it wrote into the game ({', '.join(changed[:5])}); a strategy may only read it.")
    if asker.ask(game.record, game.options, me) != answer:
        _once(report, "twice", f"{where}: asked the same twice, it gave two answers; chance must come from rng.chance, and memory does not belong in work.")
    for _ in range(REDEALS):
        report.redeals += 1
        if asker.ask(game.record, game.options, me, luck) != answer:
            _once(report, "peeks", f"{where}: it peeks: with other hidden cards it answered otherwise than '{game.legal_actions()[answer[0]]}' (rule G7).")
            break
    return True


def _where(report: Report, game: Game) -> str:
    return f"game {report.games}, turn {game.turn}, question '{game.question}'"


def _once(report: Report, kind: str, text: str) -> None:
    """Note a problem unless one of its kind is there: the first is enough, since it names the place to look at."""
    report.found.setdefault(kind, text)
