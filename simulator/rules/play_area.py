"""Cards in play (P, H, R): coming, leaving, standing in hordes, being activated."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, PlayerRecord, rule
from terrors.simulator.kernel.layout import SLOTS
from terrors.simulator.rules.resources import TOKEN, push
from terrors.simulator.terms.enums import CardType, Look, Mark, Task

# What a card keeps should it leave play and come back in the same Action Phase (H4, H5, R1).
KEPT = int(Mark.ABILITY_1_USED | Mark.ABILITY_2_USED | Mark.WAS_IN_HORDE | Mark.HORDE | Mark.RELIC_USED)


@rule
def may_pair(p: PlayerRecord, a: int, b: int) -> bool:
    """H5, H7: whether two monsters that are in no horde may form one: new ones; or what is left of a horde with one that was in it or in none."""
    one = p.play[a].marks
    two = p.play[b].marks
    if (one | two) & Mark.HORDE == 0:
        return True
    one_alone = one & Mark.HORDE != 0 and one & Mark.WAS_IN_HORDE == 0
    two_alone = two & Mark.HORDE != 0 and two & Mark.WAS_IN_HORDE == 0
    one_horde = one & Mark.HORDE == 0 or two & Mark.HORDE == 0 or one & Mark.HORDE == two & Mark.HORDE
    return (one_alone or two_alone) and one_horde


@rule
def count_links(p: PlayerRecord) -> None:
    """H1, H2: count what the monsters in no horde and the ends of hordes show to either side. Code 0, no indicator, is not kept: it links to nothing.

    This only says whether it is worth looking closer: whether a monster may join (H5) is for `may_pair` and the list of hordes to say.
    """
    free_left = free_right = end_left = end_right = 0
    for s in range(p.slots):
        slot = p.play[s]
        if slot.card < 0:
            continue
        if slot.marks & Mark.IN_HORDE:
            if slot.left < 0:
                end_left |= 1 << int(slot.link_left)
            if slot.right < 0:
                end_right |= 1 << int(slot.link_right)
        else:
            free_left |= 1 << int(slot.link_left)
            free_right |= 1 << int(slot.link_right)
    p.free_left = free_left & ~1
    p.free_right = free_right & ~1
    p.end_left = end_left & ~1
    p.end_right = end_right & ~1


@rule(rare=True)
def close_up(p: PlayerRecord) -> None:
    """Move the cards in play together, in their order, when the slots are used up. Only between two actions, when nothing under way remembers a slot."""
    kept = 0
    for s in range(p.slots):
        slot = p.play[s]
        if slot.card < 0:
            continue
        if slot.left >= 0:
            p.play[slot.left].right = kept
        if slot.right >= 0:
            p.play[slot.right].left = kept
        place = p.play[kept]
        place.card = slot.card
        place.left = slot.left
        place.right = slot.right
        place.link_left = slot.link_left
        place.link_right = slot.link_right
        place.marks = slot.marks
        kept += 1
    p.slots = kept


@rule
def enter_play(game: GameRecord, box: BoxRecord, who: int, card: int) -> int:
    """P1, P7: put a card into play; return its slot."""
    p = game.player[who]
    if p.slots == SLOTS:  # each owned card has a slot, so there are empty ones
        close_up(p)
    s = p.slots
    p.slots += 1
    slot = p.play[s]
    slot.card = card
    slot.left = -1
    slot.right = -1
    marks = 0
    for i in range(game.leavers_n):
        if game.leaver[i] == card:
            marks |= game.leaver_marks[i]
    slot.marks = marks
    c = box.card[box.kind_of[card]]
    slot.link_left = c.link_left
    slot.link_right = c.link_right
    p.armor += c.armor
    p.ears |= c.ears
    if c.type == CardType.RELIC:
        p.relics += 1
        if c.active and not marks & Mark.RELIC_USED:
            p.relics_ready += 1
    else:
        p.free_left |= (1 << int(c.link_left)) & ~1
        p.free_right |= (1 << int(c.link_right)) & ~1
    return s


@rule(rare=True)
def leave_alone(p: PlayerRecord, s: int) -> None:
    """H7: take a monster without neighbours out of its horde, since a horde is two or more. The number of its horde stays with it (H5)."""
    slot = p.play[s]
    if slot.left < 0 and slot.right < 0:
        slot.marks &= ~Mark.IN_HORDE


@rule(rare=True)
def leave_play(game: GameRecord, box: BoxRecord, who: int, s: int) -> int:
    """Take a card out of play in the Action Phase (K2, K3, P8): its token goes back, its horde closes up (H7). Return the card."""
    p = game.player[who]
    slot = p.play[s]
    card = slot.card
    marks = slot.marks
    c = box.card[box.kind_of[card]]
    p.armor -= c.armor
    if marks & TOKEN:
        game.haunt_tokens += 1
        if marks & Mark.BEGAN and not marks & Mark.HAUNTED:
            p.haunts_ready -= 1
    if c.type == CardType.RELIC:
        p.relics -= 1
        if c.active and not marks & Mark.RELIC_USED:
            p.relics_ready -= 1
    if marks & Mark.IN_HORDE:
        if slot.left >= 0:
            p.play[slot.left].right = slot.right
            leave_alone(p, slot.left)
        if slot.right >= 0:
            p.play[slot.right].left = slot.left
            leave_alone(p, slot.right)
    if marks & Mark.HORDE:
        marks = (marks & ~Mark.IN_HORDE) | Mark.WAS_IN_HORDE
    slot.card = -1
    slot.marks = 0
    game.news |= Look.PLAY
    count_links(p)
    if marks & KEPT and who == game.active:
        at = 0
        while at < game.leavers_n and game.leaver[at] != card:
            at += 1
        if at == game.leavers_n:
            game.leaver[at] = card
            game.leaver_marks[at] = 0
            game.leavers_n += 1
        game.leaver_marks[at] |= marks & KEPT
    return card


@rule
def faction_in_play(game: GameRecord, box: BoxRecord, who: int, faction: int) -> int:
    """Return the number of monsters of that faction that a player has in play."""
    p = game.player[who]
    n = 0
    for s in range(p.slots):
        card = p.play[s].card
        if card >= 0:
            c = box.card[box.kind_of[card]]
            if c.faction == faction and c.type == CardType.MONSTER:
                n += 1
    return n


@rule
def horde_length(p: PlayerRecord, s: int) -> int:
    """H1: return the number of monsters in the horde of this slot; 0 if it is in none."""
    if not p.play[s].marks & Mark.IN_HORDE:
        return 0
    while p.play[s].left >= 0:
        s = p.play[s].left
    n = 1
    while p.play[s].right >= 0:
        s = p.play[s].right
        n += 1
    return n


@rule
def activate(game: GameRecord, box: BoxRecord, who: int, kind: int, slot: int, card: int, lit: int) -> None:
    """P2: carry out resource abilities at once, and put the others onto the agenda."""
    c = box.card[kind]
    p = game.player[who]
    p.coin += c.coin
    p.power += c.power
    p.regeneration += c.regeneration
    game.tally.coin += c.coin
    game.tally.power += c.power
    game.tally.regeneration += c.regeneration
    if c.program.end > c.program.pc:
        push(game, Task.RUN, slot, card, c.program.pc, c.program.end, lit)
