"""Events and the triggers that listen to them (P3 to P5)."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, rule
from terrors.simulator.rules.resources import push
from terrors.simulator.terms.enums import FIRST_OWN_FACTION, OWN_FACTION_PLAYED, CardType, Event, Look, Mark, Task

FACTION_PLAYED = int(Event.UNDEAD_PLAYED) - 1  # + Faction


@rule(inline=True)
def faction_played(faction: int) -> int:
    """P3: return the event that a monster of this faction is played."""
    return FACTION_PLAYED + faction if faction < FIRST_OWN_FACTION else OWN_FACTION_PLAYED + faction


@rule
def set_off_card(game: GameRecord, box: BoxRecord, kind: int, s: int, card: int, event: int, group: int, marks: int) -> int:
    """P3, P5: put the triggers of one card that hear this event onto the agenda; return the marks of those that fired."""
    c = box.card[kind]
    fired = 0
    for t in range(c.triggers - 1, -1, -1):
        trigger = c.trigger[t]
        if trigger.event != event:
            continue
        if trigger.first:
            if box.rules.since_in_play:
                if marks & (Mark.FIRED_1 << t):
                    continue
                fired |= Mark.FIRED_1 << t
            elif game.seen[event] != 1:
                continue
        push(game, Task.TRIGGER, s, card, trigger.pc, trigger.end, 0)
        game.news |= Look.TRIGGER
        if not game.halted:
            frame = game.agenda[game.agenda_n - 1]
            frame.group = group
            frame.count = t
    return fired


@rule
def happen(game: GameRecord, box: BoxRecord, event: int, group: int, but_slot: int) -> None:
    """P4: put the triggers of an event of the active player onto the agenda as one group. `but_slot` does not hear it (P5)."""
    game.seen[event] += 1
    p = game.player[game.active]
    if not p.ears >> event & 1:
        return
    if box.card[p.overlord].ears >> event & 1:
        p.overlord_marks |= set_off_card(game, box, p.overlord, -1, -1, event, group, p.overlord_marks)
    for s in range(p.slots - 1, -1, -1):
        slot = p.play[s]
        if slot.card < 0 or s == but_slot:
            continue
        kind = box.kind_of[slot.card]
        c = box.card[kind]
        if not c.ears >> event & 1 or (c.type == CardType.INFLUENCE and not slot.marks & Mark.LIT):
            continue
        slot.marks |= set_off_card(game, box, kind, s, slot.card, event, group, slot.marks)


@rule(inline=True)
def new_group(game: GameRecord) -> int:
    """P4: return a number for the triggers of one cause."""
    game.groups += 1
    return game.groups


@rule(inline=True)
def happen_now(game: GameRecord, box: BoxRecord, event: int) -> None:
    """P4: let an event happen whose cause has been resolved."""
    if game.player[game.active].ears >> event & 1:
        happen(game, box, event, new_group(game), -1)
    else:
        game.seen[event] += 1


@rule(inline=True)
def happen_after(game: GameRecord, box: BoxRecord, event: int) -> None:
    """P4: let an event happen when its cause, which is going to be put on the agenda, is done."""
    if game.player[game.active].ears >> event & 1:
        push(game, Task.EVENT, -1, -1, event, 0, 0)
    else:
        game.seen[event] += 1


@rule
def played(game: GameRecord, box: BoxRecord, s: int, card: int) -> None:
    """P4: let the events of having played a card happen."""
    c = box.card[box.kind_of[card]]
    p = game.player[game.active]
    but = s if p.play[s].card == card else -1
    group = new_group(game)
    if c.type == CardType.MONSTER:
        if c.faction:
            happen(game, box, faction_played(c.faction), group, but)
        happen(game, box, Event.MONSTER_PLAYED, group, but)
    elif c.type == CardType.INFLUENCE:
        happen(game, box, Event.INFLUENCE_PLAYED, group, but)
    else:
        happen(game, box, Event.RELIC_PLAYED, group, but)
