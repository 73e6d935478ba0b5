"""Watching a strategy at full speed: how often each card and each sort of action was on offer in its games, and how often it was taken.

The counts stand in a record of their own in the strategy's work area (work_layout.USAGE).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from terrors.simulator.kernel import jit
from terrors.simulator.kernel.jit import GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.play.box import Box
from terrors.simulator.terms.enums import Action, Question
from terrors.strategies.formats.registry import Strategy

# Not healing: Pass does it by itself (G5). Not Pass: that is mostly the only thing left, and then not asked.
ACTIONS = {
    Action.PLAY: "play", Action.BUY: "buy", Action.BUY_ACOLYTE: "buy an Acolyte", Action.ATTACK: "attack", Action.CONVERT: "convert",
    Action.HORDE: "form a horde", Action.HORDE_LEFT: "expand a horde", Action.HORDE_RIGHT: "expand a horde", Action.RELIC: "use a relic",
    Action.OVERLORD: "use the overlord", Action.HAUNT: "HAUNT Action",
}  # fmt: skip


@rule
def note(game: GameRecord, options: OptionsRecord, work: WorkRecord, chosen: int) -> None:
    """Count what is on offer at one decision, and what is taken."""
    if game.question == Question.ACTION:
        for i in range(options.n):
            action = options.at[i].action
            work.usage.action[action].offered += 1
            if action == Action.BUY:
                work.usage.card[options.at[i].card].offered += 1
        if 0 <= chosen < options.n:
            work.usage.action[options.at[chosen].action].taken += 1
            if options.at[chosen].action == Action.BUY:
                work.usage.card[options.at[chosen].card].taken += 1
        for i in range(options.then_n):  # what it is going to do without being asked
            step = options.then[i]
            work.usage.action[step.action].taken += 1
            if step.action == Action.BUY:
                work.usage.card[step.card].taken += 1
    elif game.question == Question.BUY_WITH:
        for i in range(options.n):
            if options.at[i].action == Action.CARD:
                work.usage.card[options.at[i].card].offered += 1
        if 0 <= chosen < options.n and options.at[chosen].action == Action.CARD:
            work.usage.card[options.at[chosen].card].taken += 1


class Watched:
    """A strategy that plays as it does, watched: one work area for all its games, to be looked into afterwards."""

    def __init__(self, strategy: Strategy, box: Box) -> None:
        """Compile the watcher around it: a second, or two."""
        self.strategy, self.box, self.name = strategy, box, strategy.name
        self.area = strategy.work(box)
        decide = strategy.compiled

        def choose(game, box, options, work, me):
            chosen = decide(game, box, options, work, me)
            note(game, options, work, chosen)
            return chosen

        self.compiled = choose if jit.INTERPRETED else njit(jit.STRATEGY_SIGNATURE, **jit.SOON)(choose)

    def work(self, box: Box) -> Any:
        """Return the area that is kept."""
        return self.area

    @property
    def never_bought(self) -> list[tuple[str, int]]:
        """The cards that it could have bought and never did, with how often it could, the most often first."""
        counts = [(name, *_counts(self.area.usage.card[kind])) for kind, name in enumerate(self.box.names)]
        return _never(counts)

    @property
    def never_used(self) -> list[tuple[str, int]]:
        """The sorts of action that it could have taken and never did. Choices with a single answer are not asked, and not counted."""
        sums: dict[str, np.ndarray] = {}
        for action, name in ACTIONS.items():
            sums[name] = sums.get(name, np.zeros(2, int)) + np.array(_counts(self.area.usage.action[action]))
        return _never([(name, int(offered), int(taken)) for name, (offered, taken) in sums.items()])


def _counts(uses: Any) -> tuple[int, int]:
    return int(uses.offered), int(uses.taken)


def _never(counts: list[tuple[str, int, int]]) -> list[tuple[str, int]]:
    return [(name, offered) for name, offered, taken in sorted(counts, key=lambda item: (-item[1], item[0])) if offered and not taken]
