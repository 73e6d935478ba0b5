"""Noting positions while one plays, at the beginning of each turn, so that somebody may learn from them what positions are worth."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, PileRecord, WorkRecord, rule
from terrors.simulator.kernel.rng import chance_below
from terrors.simulator.kernel.work_layout import NOTED_CARDS, NOTES
from terrors.simulator.rules.resources import TOKEN
from terrors.simulator.terms.enums import CardType, Question

WHIMS = 4096
BUYS = 3.0  # purchases are tried out this many times as often as other things


@rule
def on_a_whim(game: GameRecord, options: OptionsRecord, work: WorkRecord, me: int, choice: int) -> int:
    """Return the choice, or now and then anything else: whoever learns from games must see what goes wrong too."""
    if game.setup:
        return chance_below(game, me, options.n) if chance_below(game, me, 2) else choice
    action = game.question == Question.ACTION
    buys = action and options.buys_from <= choice < options.others_from
    if chance_below(game, me, WHIMS) >= work.notes.whim * WHIMS * (BUYS if buys else 1.0):
        return choice
    if action and options.others_from == 0:
        return choice
    options.then_n = 0
    options.spend = 0
    if buys:
        return options.buys_from + chance_below(game, me, options.others_from - options.buys_from)
    return chance_below(game, me, options.others_from if action else options.n)


@rule
def note_pile(box: BoxRecord, work: WorkRecord, who: int, n: int, pile: PileRecord) -> int:
    """Note the cards of a pile; return how many cards are noted now."""
    side = work.notes.note[work.notes.n].side[who]
    for i in range(pile.n):
        if n < NOTED_CARDS:
            side.card[n] = box.kind_of[pile.card[i]]
        n += 1
    return n


@rule
def note_side(game: GameRecord, box: BoxRecord, work: WorkRecord, who: int) -> int:
    """Note one side: what goes round first, then what stays in play, then relics. Return the number of cards."""
    p = game.player[who]
    side = work.notes.note[work.notes.n].side[who]
    side.health = p.health
    side.start_health = p.start_health
    side.armor = p.armor
    side.tokens = p.tokens
    side.hand = p.hand.n
    side.deck = p.deck.n
    side.overlord = p.overlord
    n = note_pile(box, work, who, 0, p.hand)
    n = note_pile(box, work, who, n, p.deck)
    n = note_pile(box, work, who, n, p.discard)
    for sort in range(3):
        if sort == 1:
            side.cycle = n
        elif sort == 2:
            side.staying = n - side.cycle
        for s in range(p.slots):
            if p.play[s].card < 0:
                continue
            kind = box.kind_of[p.play[s].card]
            relic = box.card[kind].type == CardType.RELIC
            if (sort == 2) == relic and (sort != 1 or p.play[s].marks & TOKEN):
                if n < NOTED_CARDS:
                    side.card[n] = kind
                n += 1
    side.relics = n - side.cycle - side.staying
    return n


@rule
def note_position(game: GameRecord, box: BoxRecord, work: WorkRecord) -> None:
    """Note the position if a turn begins and there is room."""
    notes = work.notes
    if game.setup or game.question != Question.ACTION or notes.n >= NOTES or (notes.seed == game.chance_seed and notes.turn == game.turn):
        return
    notes.seed = game.chance_seed
    notes.turn = game.turn
    note = notes.note[notes.n]
    note.seed = game.seed
    note.turn = game.turn
    note.active = game.active
    note.street_n = game.street_n
    for at in range(game.street_n):
        note.street[at] = game.street[at].kind
    if note_side(game, box, work, 0) <= NOTED_CARDS and note_side(game, box, work, 1) <= NOTED_CARDS:
        notes.n += 1
