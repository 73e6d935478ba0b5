"""Resources, Health and tokens (T3, T4, A, G4, G5, N2, K6), and the agenda of what is still to be done."""

from __future__ import annotations

from terrors.simulator.kernel.jit import GameRecord, PlayerRecord, rule
from terrors.simulator.kernel.layout import AGENDA
from terrors.simulator.terms.enums import End, Mark, Resource, Status, Task

TOKEN = int(Mark.HAUNT_SIDE | Mark.DISMISS_SIDE)


@rule(inline=True)
def push(game: GameRecord, task: int, slot: int, card: int, pc: int, end: int, lit: int) -> None:
    """Put something on the agenda, to be done next. One too deep ends the Action Phase (E1)."""
    while game.agenda_n > 0:  # programs that are through make room first, so that a chain of triggers does not pile them up
        top = game.agenda[game.agenda_n - 1]
        if top.task != Task.RUN or top.pc < top.end:
            break
        game.agenda_n -= 1
    if game.agenda_n == AGENDA:
        game.halted = 1
        return
    frame = game.agenda[game.agenda_n]
    game.agenda_n += 1
    frame.task = task
    frame.slot = slot
    frame.card = card
    frame.group = 0
    frame.pc = pc
    frame.end = end
    frame.count = 0
    frame.lit = lit


@rule(rare=True)
def finish(game: GameRecord, winner: int, end: int) -> None:
    """T4: end the game, whatever is under way."""
    game.winner = winner
    game.end = end
    game.status = Status.OVER
    game.agenda_n = 0


@rule(inline=True)
def gain(game: GameRecord, who: int, resource: int, amount: int) -> None:
    """T3: put a resource into the pool."""
    p = game.player[who]
    if resource == Resource.COIN:
        p.coin += amount
        game.tally.coin += amount
    elif resource == Resource.POWER:
        p.power += amount
        game.tally.power += amount
    else:
        p.regeneration += amount
        game.tally.regeneration += amount


@rule(inline=True)
def pool(p: PlayerRecord, resource: int) -> int:
    """T3: return how much of a resource is in the pool."""
    if resource == Resource.COIN:
        return p.coin
    if resource == Resource.POWER:
        return p.power
    return p.regeneration


@rule(inline=True)
def take(p: PlayerRecord, resource: int, amount: int) -> None:
    """T3: take a resource out of the pool."""
    if resource == Resource.COIN:
        p.coin -= amount
    elif resource == Resource.POWER:
        p.power -= amount
    else:
        p.regeneration -= amount


@rule
def spend(game: GameRecord, who: int, resource: int, amount: int) -> None:
    """T3: take a resource out of the pool, for something: the turn's tally counts the Coin."""
    take(game.player[who], resource, amount)
    if resource == Resource.COIN:
        game.tally.coin_spent += amount


@rule
def lose_health(game: GameRecord, who: int, amount: int) -> None:
    """G4, T4: take Health from a player; at 0 the game is over."""
    p = game.player[who]
    p.health -= amount
    if p.health <= 0:
        p.health = 0
        finish(game, 1 - who, End.HEALTH)


@rule
def gain_health(game: GameRecord, who: int, amount: int) -> None:
    """G4: give Health to a player, never above the start."""
    p = game.player[who]
    healed = min(amount, p.start_health - p.health)
    p.health += healed
    game.tally.healed += healed


@rule(rare=True)
def heal(game: GameRecord, who: int, amount: int) -> None:
    """G5: turn Regeneration into Health, one for one."""
    game.player[who].regeneration -= amount
    gain_health(game, who, amount)


@rule(inline=True)
def damage_of(game: GameRecord, who: int, power: int) -> int:
    """A2: return the Health that an attack with so much Power takes now. What Armor has stopped this turn (attacked − struck) stays stopped."""
    p = game.player[who]
    stops = max(0, game.player[1 - who].armor - (p.attacked - p.struck))
    return max(0, power - stops)


@rule
def attack(game: GameRecord, who: int, power: int) -> None:
    """A1, A2: strike the rival; Armor stops as much of the turn's damage as it says, less what it has stopped already."""
    p = game.player[who]
    rival = game.player[1 - who]
    loss = damage_of(game, who, power)
    p.power -= power
    p.attacked += power
    p.struck += loss
    game.tally.armor_absorbed = p.attacked - p.struck
    if loss > 0:
        game.tally.damage += min(loss, rival.health)
        lose_health(game, 1 - who, loss)


@rule(rare=True)
def give_haunt(game: GameRecord, who: int, s: int) -> None:
    """N2: give a monster a token, HAUNT side up, if there is one and the monster has none."""
    slot = game.player[who].play[s]
    if not slot.marks & TOKEN and game.haunt_tokens > 0:
        slot.marks |= Mark.HAUNT_SIDE
        game.haunt_tokens -= 1


@rule(rare=True)
def muster(game: GameRecord, who: int) -> None:
    """K6: take a MUSTER token, if there is one."""
    if game.muster_tokens > 0:
        game.muster_tokens -= 1
        game.player[who].tokens += 1
