"""The course of a game: what is on the agenda, asking, answering.

    set_up(…)                    a new table (setup.py)
    advance(…)                   resolve what is going on, up to the next question
    answer(…, i)                 the asked player takes option i; then advance again

They are put together in entry_points.py, and nowhere else: each function that contains the whole engine costs seconds to compile.
Between two questions everything that is going on stands in the record (the agenda), so a game can be copied at any question and played on.
"""

from __future__ import annotations

from terrors.simulator.engine.plans import answer_by_plan, take_step
from terrors.simulator.kernel.jit import BoxRecord, FrameRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.layout import AGENDA, FORCED, OWNED
from terrors.simulator.kernel.piles import put
from terrors.simulator.rules.actions import act, buy, play_card
from terrors.simulator.rules.asking import do_or_ask
from terrors.simulator.rules.legal import list_actions
from terrors.simulator.rules.options import ask, forget_plan, offer, offer_abilities, offer_relics
from terrors.simulator.rules.outcomes import answer_effect, use_ability
from terrors.simulator.rules.play_area import leave_play
from terrors.simulator.rules.setup import ask_influence
from terrors.simulator.rules.triggers import happen, new_group, played
from terrors.simulator.rules.turn_end import end_turn
from terrors.simulator.terms.enums import Action, Look, Question, Status, Task

AGENDA_SPARE = AGENDA  # one place behind the agenda, to move entries around


@rule
def ask_horde_ability(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """H3: offer any unused Horde ability of the horde, from left to right, or none; with `horde_expand = must` (`lit`) none only if there is none."""
    me = game.active
    p = game.player[me]
    s = frame.slot
    while p.play[s].left >= 0:
        s = p.play[s].left
    while s >= 0:
        offer_abilities(game, box, options, me, s)
        s = p.play[s].right
    if options.n == 0 or not frame.lit:
        offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
    ask(game, options, Question.HORDE_ABILITY, me)


@rule
def same_trigger(game: GameRecord, box: BoxRecord, i: int, j: int) -> bool:
    """P4: whether two waiting triggers are the same one of the same kind of card: their order is no choice."""
    a = game.agenda[i]
    b = game.agenda[j]
    if a.count != b.count:
        return False
    if a.card < 0 or b.card < 0:
        return a.card == b.card
    return box.kind_of[a.card] == box.kind_of[b.card]


@rule
def start_trigger(game: GameRecord, box: BoxRecord) -> None:
    """P4: begin to resolve the top trigger."""
    game.actions += 1
    game.total_actions += 1
    game.agenda[game.agenda_n - 1].task = Task.RUN
    game.agenda[game.agenda_n - 1].count = 0


@rule
def next_trigger(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """P4, E1: start the next trigger of one cause, or ask their owner which comes next. Each counts as an action."""
    if game.actions >= box.rules.max_actions:
        game.halted = 1
        return
    top = game.agenda_n - 1
    group = game.agenda[top].group
    differ = False
    i = top
    while i >= 0 and game.agenda[i].task == Task.TRIGGER and game.agenda[i].group == group:
        frame = game.agenda[i]
        listed = False
        for k in range(options.n):
            listed = listed or (options.at[k].slot == frame.slot and options.at[k].other == frame.card and options.at[k].amount == frame.count)
        if not listed:
            kind = box.kind_of[frame.card] if frame.card >= 0 else game.player[game.active].overlord
            offer(options, Action.TRIGGER, kind, frame.slot, frame.card, frame.count, i)
        differ = differ or not same_trigger(game, box, i, top)
        i -= 1
    if differ:
        ask(game, options, Question.TRIGGER, game.active)
    else:
        options.n = 0
        start_trigger(game, box)


@rule(inline=True)
def copy_frame(source: FrameRecord, target: FrameRecord) -> None:
    """Copy one entry of the agenda onto another."""
    target.task = source.task
    target.slot = source.slot
    target.card = source.card
    target.group = source.group
    target.pc = source.pc
    target.end = source.end
    target.count = source.count
    target.lit = source.lit


@rule(rare=True)
def answer_trigger(game: GameRecord, box: BoxRecord, at: int) -> None:
    """P4: bring the chosen trigger to the top, and resolve it."""
    top = game.agenda_n - 1
    spare = game.agenda[AGENDA_SPARE]
    copy_frame(game.agenda[at], spare)
    for i in range(at, top):
        copy_frame(game.agenda[i + 1], game.agenda[i])
    copy_frame(spare, game.agenda[top])
    start_trigger(game, box)


@rule(rare=True)
def answer_relic_limit(game: GameRecord, box: BoxRecord, at: int) -> None:
    """P8: remove the chosen relic from the game; then the new one comes."""
    me = game.active
    frame = game.agenda[game.agenda_n - 1]
    task = frame.task
    pc = frame.pc
    game.agenda_n -= 1
    put(game.player[me].removed, leave_play(game, box, me, at))
    if task == Task.PLAY_RELIC:
        play_card(game, box, pc)
    else:
        buy(game, box, pc, 0)


@rule
def step(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """Do the next thing on the agenda, or ask what it needs to know."""
    frame = game.agenda[game.agenda_n - 1]
    task = frame.task
    if task == Task.RUN:
        depth = game.agenda_n
        while frame.pc < frame.end:  # row after row, as long as nothing comes between
            do_or_ask(game, box, options, frame)
            if game.question != Question.NONE or game.agenda_n != depth or frame.task != Task.RUN or game.halted or options.watched:
                return  # a question, or something else is on top now (in the very place of this frame, if it was through), or somebody wants to see this
        game.agenda_n -= 1
    elif task == Task.TRIGGER:
        next_trigger(game, box, options)
    elif task == Task.PLAYED:
        game.agenda_n -= 1
        played(game, box, frame.slot, frame.card)
    elif task == Task.EVENT:
        game.agenda_n -= 1
        happen(game, box, frame.pc, new_group(game), -1)
    elif task == Task.HORDE_ABILITY:
        if options.then_at >= options.then_n or options.every or not answer_by_plan(game, box, options, frame):
            ask_horde_ability(game, box, options, frame)
    else:
        offer_relics(game, box, options, game.active)
        ask(game, options, Question.RELIC_LIMIT, game.active)


@rule
def answer(game: GameRecord, box: BoxRecord, options: OptionsRecord, choice: int) -> None:
    """Carry on with the chosen option of whatever was asked."""
    question = game.question
    option = options.at[choice]
    if game.asked != game.active:
        game.news |= Look.RIVAL
    if question == Question.ACTION:
        if options.then_at == 0:  # else it was planned
            game.news = 0
        act(game, box, options, choice)
    elif question == Question.INFLUENCE:
        p = game.player[game.asked]
        p.influences |= 1 << option.slot
        put(p.deck, box.influence[game.asked][option.card])
    elif question == Question.TRIGGER:
        answer_trigger(game, box, option.place)
    elif question == Question.HORDE_ABILITY:
        game.agenda_n -= 1
        if option.action == Action.ABILITY:
            use_ability(game, box, option.slot, option.amount)
    elif question == Question.RELIC_LIMIT:
        answer_relic_limit(game, box, option.slot)
    else:
        answer_effect(game, box, options, game.agenda[game.agenda_n - 1], choice)


@rule(inline=True)
def note_coin(game: GameRecord) -> None:
    """Note for the log how much Coin there is when an action is due."""
    p = game.player[game.active]
    if p.coin > game.most_coin and p.owned < OWNED:
        game.most_coin = p.coin


@rule
def advance(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """Resolve what is under way until somebody has to decide. A choice with a single answer is taken by itself, unless `options.every`; an action never is.

    For somebody who watches (`options.watched`) one thing is done at a time: it is called again and again until there is a question or the game is over.
    """
    while game.status == Status.PLAYING:
        options.n = 0
        options.spend = 0
        game.question = Question.NONE
        if game.halted:
            game.limits += 1
            game.agenda_n = 0
            end_turn(game, box, options)
        elif game.agenda_n > 0:
            step(game, box, options)
        elif game.setup:
            ask_influence(game, box, options)
        elif game.actions >= box.rules.max_actions:
            game.halted = 1
        elif options.then_at < options.then_n and not options.every:
            note_coin(game)
            take_step(game, box, options)
        else:
            note_coin(game)
            if not options.every:
                forget_plan(options)
            list_actions(game, box, options)
            ask(game, options, Question.ACTION, game.active)
            return
        if game.question != Question.NONE:
            if options.n > 1 or options.every:
                return
            if game.forced_n < FORCED:
                game.forced_action[game.forced_n] = options.at[0].action
                game.forced_card[game.forced_n] = options.at[0].card
                game.forced_n += 1
            answer(game, box, options, 0)
        if options.watched:
            break
    options.n = 0
    game.question = Question.NONE
