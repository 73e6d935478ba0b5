"""Takes any of the legal options, each as likely as the others.

The weakest player that plays by the rules: what any plan must beat. It draws from its own stream of luck, and when it attacks, heals or converts it now
and then spends only a part.
"""

from terrors.simulator.kernel.rng import chance_below
from terrors.simulator.terms.enums import Action
from terrors.strategies.formats.registry import strategy


@strategy
def choose(game, box, options, work, me):
    i = chance_below(game, me, options.n)
    action = options.at[i].action
    if (action == Action.ATTACK or action == Action.HEAL or action == Action.CONVERT) and chance_below(game, me, 4) == 0:
        options.spend = 1 + chance_below(game, me, options.at[i].amount)
    return i
