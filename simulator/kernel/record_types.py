"""The records of layout.py and work_layout.py as types, for editors and type checks. Made by `python docs/make_record_types.py`; not to be edited."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

import numpy as np

U64 = np.uint64  # luck, and words of bits
Item = TypeVar("Item")


class Array(Generic[Item]):
    """An array within a record. What is written into it is converted to what it holds."""

    shape: tuple[int, ...]

    def __getitem__(self, at: Any) -> Item:
        raise NotImplementedError

    def __setitem__(self, at: Any, value: Any) -> None:
        raise NotImplementedError


class Plane(Generic[Item]):
    """An array of two dimensions within a record."""

    @overload
    def __getitem__(self, at: int) -> Array[Item]: ...

    @overload
    def __getitem__(self, at: tuple[int, int]) -> Item: ...

    def __getitem__(self, at: Any) -> Any:
        raise NotImplementedError

    def __setitem__(self, at: Any, value: Any) -> None:
        raise NotImplementedError


class PileRecord:
    """The record of layout.pile."""

    n: int
    card: Array[int]


class DecisionColumns:
    """The record of layout.COLUMNS_OF_DECISIONS."""

    row: Array[int]
    turn: Array[int]
    active: Array[int]
    seat: Array[int]
    question: Array[int]
    action: Array[int]
    card: Array[int]
    other: Array[int]
    amount: Array[int]
    offered: Array[int]
    instance: Array[int]
    other_instance: Array[int]
    cause: Array[int]
    cause_instance: Array[int]
    place: Array[int]
    to: Array[int]
    coin: Array[int]
    power: Array[int]
    regeneration: Array[int]
    first_health: Array[int]
    second_health: Array[int]
    first_deck: Array[int]
    second_deck: Array[int]
    first_discard: Array[int]
    second_discard: Array[int]
    market: Array[int]
    pay_coin: Array[int]
    pay_power: Array[int]
    pay_regeneration: Array[int]
    pay_health: Array[int]
    looked: Array[int]
    revealed: Array[int]
    acolytes: Array[int]
    haunt_tokens: Array[int]
    muster_tokens: Array[int]
    first_muster: Array[int]
    second_muster: Array[int]
    first_known: Array[int]
    second_known: Array[int]
    claims: Array[int]
    actions: Array[int]
    limits: Array[int]
    first_hand: Array[int]
    second_hand: Array[int]
    first_play: Array[int]
    second_play: Array[int]
    street: Array[int]
    first_deck_cards: Array[int]
    second_deck_cards: Array[int]
    first_discard_cards: Array[int]
    second_discard_cards: Array[int]
    first_removed: Array[int]
    second_removed: Array[int]
    street_removed: Array[int]


class SlotRecord:
    """The record of layout.SLOT."""

    card: int  # instance, -1 = empty
    left: int  # slot of the left neighbour in the horde, -1 = none
    right: int
    link_left: int  # what the card shows to its left, as in CARD: looked at all the time
    link_right: int
    marks: int  # enums.Mark


class PlayerRecord:
    """The record of layout.PLAYER."""

    health: int
    start_health: int
    coin: int
    power: int
    regeneration: int
    armor: int  # A2: sum over the cards in play
    tokens: int  # MUSTER tokens
    overlord: int  # kind
    faction: int  # the overlord's
    overlord_ready: int  # O1: how often its ability may still be used this turn
    overlord_marks: int  # triggers of the overlord that have fired (P5, since_in_play)
    attacked: int  # A2: Power spent on attacks this turn
    struck: int  # A2: Health that the rival lost to them
    claims: int  # B3: "next monster bought gains CLAIM", how many
    converts: int  # G1: bit 3 * from + to
    relics: int  # how many in the Relic area
    relics_ready: int  # of these, not used and with something to activate (R1)
    haunts_ready: int  # monsters that a HAUNT Action may activate (N1)
    free_left: int  # H1, as bits of link codes: what free monsters show to their left,
    free_right: int  # … to their right,
    end_left: int  # what the left ends of hordes show to their left,
    end_right: int  # and the right ends to their right
    ears: int  # bit per Event that some card in play may listen to
    owned: int  # E2: cards ever owned
    shuffles: int  # how many shuffles this player has made
    known: int  # top cards of the deck that its owner has seen (G7)
    influences: int  # bits of the overlord's Influence cards that were taken (S3)
    chances: int  # draws from the strategy's own stream of luck
    slots: int  # slots in use, empty ones included
    hand: PileRecord
    deck: PileRecord
    discard: PileRecord
    removed: PileRecord
    play: Array[SlotRecord]


class FrameRecord:
    """The record of layout.FRAME."""

    task: int  # enums.Task
    slot: int  # slot of the card that it comes from, -1 = an overlord
    card: int  # that card's instance, -1 = an overlord
    group: int  # triggers of one cause share a number (P4)
    pc: int  # next row of the program
    end: int  # row behind its last
    count: int  # steps already taken in the row at pc; for a trigger, its number on the card
    lit: int  # P6


class OfferRecord:
    """The record of layout.OFFER."""

    card: int  # instance
    kind: int
    cost: int  # NOT_FOR_SALE if it has none
    denied: int  # seats (bits) to whom it is denied by an intervention
    again: int  # 1 if the same kind lies in the Street before it: copies are offered once
    coin: int  # for the log: the most Coin that there was for it, before the Street last changed, in the turn
    turn: int  # with this number


class GoneRecord:
    """The record of layout.GONE."""

    kind: int
    affordable: int


class TallyRecord:
    """The record of layout.TALLY."""

    coin: int
    coin_spent: int
    power: int
    damage: int
    armor_absorbed: int
    regeneration: int
    healed: int
    cards_played: int
    cards_drawn: int
    bought: int
    hordes: int  # hordes formed in this Action Phase: the last number given (H5)
    horde_activations: int
    longest_horde: int
    relics_used: int
    overlord_used: int
    haunts: int
    curses: int
    sacrificed: int
    destroyed: int


class DealRecord:
    """The record of layout.DEAL."""

    kind: int
    paid: int
    source: int
    to: int


class GameRecord:
    """The record of layout.GAME."""

    seed: U64  # hidden from strategies: it holds all luck to come
    chance_seed: U64  # for the strategies' own streams of luck
    turn: int  # from 1, both players counted
    active: int  # seat whose turn it is
    asked: int  # seat that has to answer
    question: int  # enums.Question
    status: int  # enums.Status
    winner: int  # 0, 1, or 2 for a draw; -1 while it goes on
    end: int  # enums.End
    limits: int  # Action Phases ended by max_actions (E1)
    actions: int  # in this Action Phase, for E1
    total_actions: int
    halted: int  # E1: this Action Phase is to be ended
    setup: int  # Influence cards still to be chosen, both players (S3)
    groups: int  # last trigger group number
    hordes: int  # hordes formed in this Action Phase: the last number given (H5)
    before_overlord: int  # what lay on the table before the last Overlord Action, as one number (actions.sum_of_table)
    buying: int  # the Street place of a purchase whose payment is being asked
    buying_to: int
    haunt_tokens: int  # left in the reserve
    muster_tokens: int
    street_n: int
    cheapest: int  # the least Coin that buys anything
    street: Array[OfferRecord]
    most_coin: int  # the most Coin when an action was due in this turn, since the Street last changed; -1 if none was,
    last_coin: int  # and that of the turn before, for the log
    gone_n: int  # cards that left the Street in this turn, for the log
    gone: Array[GoneRecord]
    seen: Array[int]  # events of this Action Phase (P5)
    agenda_n: int
    leavers_n: int
    leaver: Array[int]
    leaver_marks: Array[int]
    forced_n: int  # choices with one answer that were taken by themselves since the last answer, for people who watch
    forced_action: Array[int]
    forced_card: Array[int]
    revealed: int  # G2: cards revealed since the last decision, for the log
    news: int  # what came to light since an action was last asked for (enums.Look), for plans
    tally: TallyRecord
    last: TallyRecord  # that of the turn before
    deals_n: int
    deal: Array[DealRecord]
    player: Array[PlayerRecord]
    agenda: Array[FrameRecord]  # and one to move others around
    acolytes: PileRecord
    market: PileRecord
    removed: PileRecord  # Street cards that left the game (K2)


class EffectRecord:
    """The record of layout.EFFECT."""

    effect: int  # enums.Effect
    amount: int
    a: int
    b: int
    per: int  # enums.Per
    of: int  # Faction that `per` counts
    skip: int


class TriggerRecord:
    """The record of layout.TRIGGER."""

    event: int
    first: int
    pc: int
    end: int


class SpanRecord:
    """The record of layout.SPAN."""

    pc: int
    end: int


class FeaturesRecord:
    """The record of layout.FEATURES."""

    coin: float  # resource abilities: activated first, without a program (P2)
    power: float
    regeneration: float
    armor: float
    health: float  # overlords
    drain: float
    draw: float
    curse: float
    destroy: float
    command: float
    muster: float
    rage: float
    haunt: float
    sacrifice: float
    claim: float
    discard: float
    costs: float
    reveal: float
    other: float
    horde_coin: float
    horde_power: float
    horde_other: float
    triggered: float


class CardRecord:
    """The record of layout.CARD."""

    type: int  # enums.CardType
    pile: int  # enums.Pile
    faction: int  # enums.Faction
    cost: int  # -1 = not for sale
    health: int  # overlords
    armor: int
    claim: int
    left: int  # Horde indicators (Faction, 0 = none)
    right: int
    link_left: int  # H1 as numbers: a can stand to the left of b if a.link_right == b.link_left; 0 = no indicator
    link_right: int
    coin: int  # resource abilities: activated first, without a program (P2)
    power: int
    regeneration: int
    program: SpanRecord  # keyword and unique abilities
    active: int  # 1 if there is anything to activate
    uses: int  # O1: how often an overlord's ability may be used in a turn
    hordes: int  # Horde abilities: 0, 1 or 2
    horde: Array[SpanRecord]
    triggers: int
    ears: int  # bit per Event
    trigger: Array[TriggerRecord]


class OwnInfluencesRecord:
    """The record of layout.OWN_INFLUENCES."""

    n: int
    kind: Array[int]


class RulesRecord:
    """The record of layout.RULES."""

    first_hand: int
    second_hand: int
    hand_size: int
    street_size: int
    relic_limit: int
    acolyte_cost: int
    influences: int
    curse_health: int
    curse_discard: int
    command_max_cost: int
    sacrifice_resource: int
    sacrifice_amount: int
    haunt_tokens: int
    muster_tokens: int
    since_in_play: int
    horde_must: int
    optional_keywords: int
    max_turns: int
    max_actions: int
    rage: SpanRecord


class BoxRecord:
    """The record of layout.BOX."""

    rules: RulesRecord
    kinds: int
    card: Array[CardRecord]
    has: Array[FeaturesRecord]  # apart from the card table, which is read all the time and must stay small
    own: Array[OwnInfluencesRecord]  # by overlord
    luck: Array[U64]  # of a kind, for the denial lottery
    effect: Array[EffectRecord]
    instances: int
    kind_of: Array[int]
    key: Array[U64]  # luck of the instance: from its name and copy number
    market_n: int
    market: Array[int]
    acolytes_n: int
    acolyte: Array[int]
    starters_n: Array[int]
    starter: Plane[int]  # a seat's starting deck, Influence cards aside
    influence: Plane[int]  # the instance that a seat gets of an Influence kind
    deny: Array[int]  # seats (bits) to whom a kind is denied
    denials: int  # 1 if anything is denied, or may be
    lottery: U64  # denial lottery: a kind is denied to one seat when its luck is below this
    grants_n: Array[int]
    grant: Plane[int]


class OptionRecord:
    """The record of layout.OPTION."""

    action: int  # enums.Action
    card: int  # kind of the card in question, -1 = none
    slot: int  # its place: index in hand, discard pile or Street, or slot in play
    other: int  # second slot (hordes); 1 = to the deck (buying)
    amount: int  # cost, Power, number of an ability …
    place: int  # enums.Place of the card


class StepRecord:
    """The record of layout.STEP."""

    action: int  # enums.Action
    card: int  # kind, -1 = none
    slot: int  # slot in play, for relics, haunted monsters, hordes; resource to convert
    other: int  # second slot (hordes); 1 = to the deck (buying); resource to get
    amount: int  # how much is spent, 0 = all; number of a Horde ability
    unless: int  # enums.Look: when to ask again instead


class OptionsRecord:
    """The record of layout.OPTIONS_RECORD."""

    n: int
    spend: int  # set by the one who answers: how much, for attack, heal and convert; 0 = all
    then_n: int  # set by the one who answers with an action: how many steps of a plan follow it, to be taken without being asked,
    then: Array[StepRecord]  # and these
    then_at: int  # how many of them have been taken
    every: int  # 1 if every choice is wanted: those with a single answer are asked too, and the steps of a plan one by one
    planned: int  # steps of plans taken in this game without being asked
    watched: int  # whether somebody wants to see one thing after the other: `advance` stops after each (entry_points.NEXT)
    hordes_from: int  # behind the plays
    ready_from: int  # relics and haunted monsters
    overlord_from: int
    buys_from: int
    others_from: int  # convert, attack, heal, pass
    at: Array[OptionRecord]  # two more, since lists are written first and counted then
    scratch: Array[U64]  # for shuffles
    spare: Array[U64]
    bucket: Array[int]


class ResultRecord:
    """The record of layout.RESULT."""

    seed: U64
    first: int  # overlords (kinds)
    second: int
    first_influences: int  # bits of the overlord's Influence cards, 0 = the strategy chooses
    second_influences: int
    swapped: int  # 1 if the second of the two strategies sits in the first seat
    told: int  # 1 if every decision is logged
    cell: int  # which part of the counts this game goes to
    winner: int  # 0, 1, 2 = draw
    end: int  # enums.End
    status: int  # enums.Status
    limits: int  # Action Phases cut by max_actions (E1)
    turns: int
    actions: int
    decisions: int  # questions with more than one answer, and steps of plans
    first_health: int
    second_health: int
    first_denied: int  # kinds denied to the first player: so many of the log's list of denials
    second_denied: int
    fork: int
    fork_seat: int
    fork_kind: int
    fork_wanted: int
    fork_from: int
    forked: int


class TurnColumns:
    """The record of layout.COLUMNS_OF_TURNS."""

    row: Array[int]
    turn: Array[int]
    seat: Array[int]
    health: Array[int]
    rival_health: Array[int]
    coin: Array[int]
    coin_spent: Array[int]
    power: Array[int]
    damage: Array[int]
    armor_absorbed: Array[int]
    regeneration: Array[int]
    healed: Array[int]
    cards_played: Array[int]
    cards_drawn: Array[int]
    bought: Array[int]
    hordes: Array[int]
    horde_activations: Array[int]
    longest_horde: Array[int]
    relics_used: Array[int]
    overlord_used: Array[int]
    haunts: Array[int]
    curses: Array[int]
    sacrificed: Array[int]
    destroyed: Array[int]
    deck: Array[int]
    discard: Array[int]
    hand: Array[int]


class PurchaseColumns:
    """The record of layout.COLUMNS_OF_PURCHASES."""

    row: Array[int]
    turn: Array[int]
    seat: Array[int]
    kind: Array[int]
    paid: Array[int]
    source: Array[int]
    to: Array[int]


class LastTimeRecord:
    """The record of layout.LAST_TIME."""

    seen: int
    affordable: int
    bought: int


class LogRecord:
    """The record of layout.LOG."""

    keep_turns: int  # whether there shall be rows of turns,
    keep_purchases: int  # of purchases,
    keep_counts: int  # and counts
    row: int  # the row being played, counted from the first of the whole chunk
    now: int  # the turn that is being played, and the first of its game, both counted through the whole batch
    game_began: int
    turns_n: int
    purchases_n: int
    denials_n: int
    last: Plane[LastTimeRecord]
    turns: TurnColumns
    purchases: PurchaseColumns
    decisions_n: int
    decision_cards_n: int
    decisions_cut: int  # decisions that did not fit
    decisions: DecisionColumns
    decision_card: Array[int]  # instances
    decision_horde: Array[int]  # number of the horde that a card in play belongs to, 0 = none
    decision_marks: Array[int]  # enums.Mark of a card in play
    denials: Array[int]  # kinds: those denied to the first player of a game, then those to the second


class OpinionRecord:
    """The record of work_layout.OPINION."""

    play: float
    early: float
    late: float
    keep: float
    bend: float
    look_again: float
    moment: float
    deck_early: float
    deck_late: float


class LineRecord:
    """The record of work_layout.LINE."""

    option: int
    spend: int
    variant: int
    alive: int
    tries: int
    gain: float
    square: float


class WantsRecord:
    """The record of work_layout.WANTS."""

    power: float
    health: float
    average: float  # how good a card must be to be better than what is drawn instead of it,
    horizon: float
    acolyte: float
    loyal: float
    link: float
    stay: float
    keep: float
    deny: float
    curse: float
    sacrifice: float
    chain: float
    wait: float


class LinksRecord:
    """The record of work_layout.LINKS."""

    left: Array[int]
    right: Array[int]


class BargainRecord:
    """The record of work_layout.BARGAIN."""

    gain: float  # by place in the Street, and behind them for an Acolyte
    cost: int
    at: int


class PriceRecord:
    """The record of work_layout.PRICE."""

    turns: float  # that one expects to have yet,
    early: float  # how much of the game is early by that,
    plays: float  # how often a card bought now will be drawn yet,
    average: float  # how good a card must be to be better than what is drawn instead of it,
    heard: float  # and what it is worth that something in play hears of a purchase
    gain: Array[float]  # by place in the Street, and behind them for an Acolyte
    n: int  # purchases that add anything,
    bargain: Array[BargainRecord]  # and these: room for one more, since it is written first and counted then


class LookaheadRecord:
    """The record of work_layout.LOOKAHEAD."""

    deals: int  # in the first round
    rounds: int  # of dropping the worse half, each with twice the deals of the one before
    turns: int  # that are played out after the present one
    variants: int  # of the base that are tried as lines of their own
    setup_deals: int  # in the first round when Influence cards are chosen,
    setup_turns: int  # and turns that are played out then
    learnt: int  # 1: positions have the learnt value (kit/prospects.py); 0: that of the numbers below, which was all there was before November 2026
    buys: int  # 1: lines are played on with purchases by what the learnt value says at their beginning (kit/buying.py)
    commit: int  # 1: when the base's line was best, the plays that it names in advance are not thought about again
    deviation: float  # how often a variant differs from the base, of 1
    doubt: float  # a line replaces the base's when it is better by this many standard errors
    health: float  # a point of Health,
    log_health: float  # and the logarithm of Health: the last points are worth more
    deck: float  # the average card of the deck (by its points, thinker.py), for a hand of five
    relic: float  # a relic, by its points
    armor: float  # a point of Armor that lies in play
    staying: float  # a monster that stays in play, by its points
    hand: float  # a card in hand
    to_move: float  # being the next to play


class WayRecord:
    """The record of work_layout.WAY."""

    option: int
    bonus: float


class ValueRecord:
    """The record of work_layout.VALUE."""

    buys: int  # how purchases are chosen by it: buying.BY_POSITION, BY_PRICES, or 0 for not at all
    card: Plane[float]  # what a card adds to its side, by PLACES * kind + place; worked out once for a set of cards
    acolyte: Array[float]  # the mean of that over all Acolytes, going round,
    fresh: Array[float]  # and over the market, in the Street: a card that nobody knows yet
    side_fact: Plane[float]
    side_bias: Array[float]
    street_bias: Array[float]
    inner: Plane[float]  # the side to move, the other side, the Street, and the facts of neither
    inner_bias: Array[float]
    out: Array[float]
    out_bias: float
    going: Plane[float]  # over the cards that go round,
    rest: Plane[float]  # and everything else of a side
    street: Array[float]
    input: Array[float]
    hidden: Plane[float]  # what comes of that in each of some positions; and of what these have in common, as it grows
    log_odds: Array[float]  # the logarithm of the odds in each position,
    way: Array[WayRecord]  # what leads to it,
    ways: int  # and how many are noted;
    best: int  # the option that the best way begins with,
    most: float  # and what that way is worth
    price: Plane[float]  # kit/buying.py: what each card would add to a side, by kind + 1; first an Acolyte
    denied: Array[float]  # kit/buying.py: what it is worth that the rival does not find a Street card; 0 behind them, for an Acolyte
    health: Array[float]
    fact: Array[int]  # facts of a side that are to be added,
    amount: Array[float]  # and how much of each
    facts_n: int
    added: Array[int]  # rows of `card` that are to be added: those of the cards that go round, or lie in the Street
    n: Array[int]  # cards that go round,
    same: Array[int]  # of these, monsters of the overlord's faction
    links: LinksRecord


class NotedSideRecord:
    """The record of work_layout.NOTED_SIDE."""

    health: int
    start_health: int
    armor: int
    tokens: int
    hand: int
    deck: int
    overlord: int
    cycle: int
    staying: int
    relics: int
    card: Array[int]


class NoteRecord:
    """The record of work_layout.NOTE."""

    seed: U64
    turn: int
    active: int
    street_n: int
    street: Array[int]
    side: Array[NotedSideRecord]


class NotebookRecord:
    """The record of work_layout.NOTEBOOK."""

    on: int
    n: int
    seed: U64
    turn: int
    whim: float
    note: Array[NoteRecord]


class StepsRecord:
    """The record of work_layout.STEPS."""

    begin: int
    end: int


class ListStepRecord:
    """The record of work_layout.LIST_STEP."""

    instruction: int
    argument: int


class ListRuleRecord:
    """The record of work_layout.LIST_RULE."""

    when: StepsRecord
    until: int  # 0 = without end
    pick: int  # playing.Pick
    acolyte: int  # 1 if it buys Acolytes, and nothing else
    against: int  # a set of overlords, -1 = all
    fired: int  # how often it has bought: for the check's report, never read in play


class ListRecord:
    """The record of work_layout.LIST."""

    rules_n: int
    rule: Array[ListRuleRecord]
    curse: int  # playing.Curse
    keep: int  # a set, -1 = none
    build: StepsRecord
    overlord: StepsRecord
    influences_n: int
    influence: Array[int]  # kinds
    step: Array[ListStepRecord]
    stack: Array[float]
    sets: Array[U64]
    own_sets: Array[U64]  # and here the sets that have it as a card of the player's own faction


class UsesRecord:
    """The record of work_layout.USES."""

    offered: int
    taken: int


class UsageRecord:
    """The record of work_layout.USAGE."""

    card: Array[UsesRecord]
    action: Array[UsesRecord]


class WorkRecord:
    """The record of work_layout.WORK."""

    of: Array[OpinionRecord]
    weight: Array[float]  # the author's own
    wants: WantsRecord
    order: Plane[float]  # kit: the place in the order of play of each card in hand, while Influence cards are not lit and when they are
    lit: int  # and whether they are lit now
    averaged: int  # kit/valuation.py: 1 if this number is that of the present question:
    mean_worth: float  # the average worth of the own cards now;
    priced: int  # and 1 if these are: what purchases would add,
    price: PriceRecord
    links: LinksRecord
    loaded: int  # formats/numbers.py: the overlord (a kind) whose opinions are in `of` and whose wants in `wants`,
    table_of: Array[int]  # the overlord of each table, -1 = any, -2 = nobody's
    others: Plane[OpinionRecord]  # and the tables, for a strategy that thinks differently with each overlord
    wants_of: Array[WantsRecord]
    lookahead: LookaheadRecord
    value: ValueRecord
    notes: NotebookRecord
    list: ListRecord
    usage: UsageRecord
    deal: GameRecord  # formats/lookahead.py: as the cards may lie,
    game: GameRecord  # and to play on from there
    options: OptionsRecord
    lines_n: int
    line: Array[LineRecord]
