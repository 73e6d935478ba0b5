"""The records that a game is made of: the page that a strategy's author reads.

    game.player[me].hand.card[i]      the i-th card of my hand (a card *instance*)
    game.player[me].deck.card[n - 1]  the top of my deck (last is top; hidden from strategies, G7)
    game.player[1 - me].play[s]       a slot of my rival's play area: card, marks, horde neighbours
    box.kind_of[instance]             which row of the card table an instance is
    box.card[kind]                    that row: cost, faction, armor, program, features
    options.at[i].action, .card, …    what may be chosen now (i < options.n)

Everything is a nested NumPy record, since that was the fastest of the layouts measured, is copied by one assignment (`work.game = game`) and reads
as the table does. Records have no bounds checks: every capacity below is one that the rules cannot exceed, and the arithmetic stands beside it.
"""

import numpy as np

from terrors.simulator.kernel.decision_columns import COLUMNS_OF_DECISIONS, DECISION_CARDS
from terrors.simulator.kernel.records import record as record

# A player owns at most OWNED cards in a game (E2), so each pile of a player holds whatever may come.
OWNED = 128
# Market cards in one game (E2), Street places (Rules.street_size is at most 12), Acolytes in one game.
MARKET = 256
STREET = 12
ACOLYTES = 64
# Slots of a play area: all owned cards. Slots keep their place during an Action Phase; when the last one is taken, empty ones are used again.
SLOTS = OWNED
# Pending programs, triggers and events. Deeper nesting than this ends the Action Phase as E1 says.
AGENDA = 64
# Cards that left play in one Action Phase with something used up (H4, H5, R1): each owned card once.
LEAVERS = OWNED
EVENTS = 25  # those of enums.Event, and of the factions that only some sets have
FORCED = 16  # the last ones are forgotten when there are more
# Options: hand (128 kinds at the most), Street twice, Acolyte, attack, heal, 6 conversions, overlord, pass, relics and haunts (128); hordes: what fits.
OPTIONS = 1024

THEN = 32  # steps of a plan

# The card table: rows of a card file, rows of all programs, instances in the box.
KINDS = 4096
ROWS = 32768
INSTANCES = 16384
TRIGGERS = 4  # on one card
INFLUENCES = 16  # of one overlord
STARTERS = 64  # cards in one starting deck without Influence cards
GRANTS = 16  # cards granted to a seat by an intervention
LINK_CODES = 32  # what a Horde indicator may show: faction and indicator in one number (H1)


def pile(capacity: int) -> np.dtype:
    """Return the layout of a pile of card instances: the bottom first, the top last."""
    return np.dtype([("n", "i4"), ("card", "u2", (capacity,))], align=True)


SLOT = np.dtype(
    [
        ("card", "i2"),  # instance, -1 = empty
        ("left", "i2"),  # slot of the left neighbour in the horde, -1 = none
        ("right", "i2"),
        ("link_left", "i1"),  # what the card shows to its left, as in CARD: looked at all the time
        ("link_right", "i1"),
        ("marks", "i4"),  # enums.Mark
    ],
    align=True,
)

PLAYER = np.dtype(
    [
        ("health", "i4"),
        ("start_health", "i4"),
        ("coin", "i4"),
        ("power", "i4"),
        ("regeneration", "i4"),
        ("armor", "i4"),  # A2: sum over the cards in play
        ("tokens", "i4"),  # MUSTER tokens
        ("overlord", "i4"),  # kind
        ("faction", "i4"),  # the overlord's
        ("overlord_ready", "i4"),  # O1: how often its ability may still be used this turn
        ("overlord_marks", "i4"),  # triggers of the overlord that have fired (P5, since_in_play)
        ("attacked", "i4"),  # A2: Power spent on attacks this turn
        ("struck", "i4"),  # A2: Health that the rival lost to them
        ("claims", "i4"),  # B3: "next monster bought gains CLAIM", how many
        ("converts", "i4"),  # G1: bit 3 * from + to
        ("relics", "i4"),  # how many in the Relic area
        ("relics_ready", "i4"),  # of these, not used and with something to activate (R1)
        ("haunts_ready", "i4"),  # monsters that a HAUNT Action may activate (N1)
        ("free_left", "i4"),  # H1, as bits of link codes: what free monsters show to their left,
        ("free_right", "i4"),  # … to their right,
        ("end_left", "i4"),  # what the left ends of hordes show to their left,
        ("end_right", "i4"),  # and the right ends to their right
        ("ears", "i4"),  # bit per Event that some card in play may listen to
        ("owned", "i4"),  # E2: cards ever owned
        ("shuffles", "i4"),  # how many shuffles this player has made
        ("known", "i4"),  # top cards of the deck that its owner has seen (G7)
        ("influences", "i4"),  # bits of the overlord's Influence cards that were taken (S3)
        ("chances", "i4"),  # draws from the strategy's own stream of luck
        ("slots", "i4"),  # slots in use, empty ones included
        ("hand", pile(OWNED)),
        ("deck", pile(OWNED)),
        ("discard", pile(OWNED)),
        ("removed", pile(OWNED)),
        ("play", SLOT, (SLOTS,)),
    ],
    align=True,
)

FRAME = np.dtype(
    [
        ("task", "i2"),  # enums.Task
        ("slot", "i2"),  # slot of the card that it comes from, -1 = an overlord
        ("card", "i2"),  # that card's instance, -1 = an overlord
        ("group", "i2"),  # triggers of one cause share a number (P4)
        ("pc", "i4"),  # next row of the program
        ("end", "i4"),  # row behind its last
        ("count", "i4"),  # steps already taken in the row at pc; for a trigger, its number on the card
        ("lit", "i4"),  # P6
    ],
    align=True,
)

OFFER = np.dtype(
    [
        ("card", "u2"),  # instance
        ("kind", "u2"),
        ("cost", "i2"),  # NOT_FOR_SALE if it has none
        ("denied", "i2"),  # seats (bits) to whom it is denied by an intervention
        ("again", "i2"),  # 1 if the same kind lies in the Street before it: copies are offered once
        ("coin", "i2"),  # for the log: the most Coin that there was for it, before the Street last changed, in the turn
        ("turn", "u2"),  # with this number
    ],
    align=True,
)
NOT_FOR_SALE = 30_000
GONE = np.dtype([("kind", "u2"), ("affordable", "i2")], align=True)  # 1 if the active player could have bought it

# What happened in the running turn, for the log: field names as in the turns table.
TALLY_FIELDS = (
    "coin", "coin_spent", "power", "damage", "armor_absorbed", "regeneration", "healed", "cards_played", "cards_drawn", "bought", "hordes",
    "horde_activations", "longest_horde", "relics_used", "overlord_used", "haunts", "curses", "sacrificed", "destroyed",
)  # fmt: skip
TALLY = np.dtype([(name, "i4") for name in TALLY_FIELDS], align=True)

# A purchase since the last answer, for the log. A player owns at most OWNED cards, so there is room for all.
DEAL = np.dtype([("kind", "u2"), ("paid", "i2"), ("source", "i1"), ("to", "i1")], align=True)  # paid in Coin; enums.Source, enums.To

GAME = np.dtype(
    [
        ("seed", "u8"),  # hidden from strategies: it holds all luck to come
        ("chance_seed", "u8"),  # for the strategies' own streams of luck
        ("turn", "i4"),  # from 1, both players counted
        ("active", "i4"),  # seat whose turn it is
        ("asked", "i4"),  # seat that has to answer
        ("question", "i4"),  # enums.Question
        ("status", "i4"),  # enums.Status
        ("winner", "i4"),  # 0, 1, or 2 for a draw; -1 while it goes on
        ("end", "i4"),  # enums.End
        ("limits", "i4"),  # Action Phases ended by max_actions (E1)
        ("actions", "i4"),  # in this Action Phase, for E1
        ("total_actions", "i4"),
        ("halted", "i4"),  # E1: this Action Phase is to be ended
        ("setup", "i4"),  # Influence cards still to be chosen, both players (S3)
        ("groups", "i4"),  # last trigger group number
        ("hordes", "i4"),  # hordes formed in this Action Phase: the last number given (H5)
        ("before_overlord", "i4"),  # what lay on the table before the last Overlord Action, as one number (actions.sum_of_table)
        ("buying", "i4"),  # the Street place of a purchase whose payment is being asked
        ("buying_to", "i4"),
        ("haunt_tokens", "i4"),  # left in the reserve
        ("muster_tokens", "i4"),
        ("street_n", "i4"),
        ("cheapest", "i4"),  # the least Coin that buys anything
        ("street", OFFER, (STREET,)),
        ("most_coin", "i4"),  # the most Coin when an action was due in this turn, since the Street last changed; -1 if none was,
        ("last_coin", "i4"),  # and that of the turn before, for the log
        ("gone_n", "i4"),  # cards that left the Street in this turn, for the log
        ("gone", GONE, (MARKET,)),
        ("seen", "i4", (EVENTS,)),  # events of this Action Phase (P5)
        ("agenda_n", "i4"),
        ("leavers_n", "i4"),
        ("leaver", "i2", (LEAVERS,)),
        ("leaver_marks", "i4", (LEAVERS,)),
        ("forced_n", "i4"),  # choices with one answer that were taken by themselves since the last answer, for people who watch
        ("forced_action", "i2", (FORCED,)),
        ("forced_card", "i2", (FORCED,)),
        ("revealed", "i4"),  # G2: cards revealed since the last decision, for the log
        ("news", "i4"),  # what came to light since an action was last asked for (enums.Look), for plans
        ("tally", TALLY),
        ("last", TALLY),  # that of the turn before
        ("deals_n", "i4"),
        ("deal", DEAL, (OWNED,)),
        ("player", PLAYER, (2,)),
        ("agenda", FRAME, (AGENDA + 1,)),  # and one to move others around
        ("acolytes", pile(ACOLYTES)),
        ("market", pile(MARKET)),
        ("removed", pile(MARKET + STREET)),  # Street cards that left the game (K2)
    ],
    align=True,
)

EFFECT = np.dtype(
    [
        ("effect", "i2"),  # enums.Effect
        ("amount", "i2"),
        ("a", "i2"),
        ("b", "i2"),
        ("per", "i2"),  # enums.Per
        ("of", "i2"),  # Faction that `per` counts
        ("skip", "i2"),
    ],
    align=True,
)

TRIGGER = np.dtype([("event", "i2"), ("first", "i2"), ("pc", "i4"), ("end", "i4")], align=True)
SPAN = np.dtype([("pc", "i4"), ("end", "i4")], align=True)

# What a card has, counted over its abilities, triggers and Horde abilities: for strategies that want to tell cards apart without reading programs.
FEATURE_FIELDS = (
    "coin", "power", "regeneration", "armor", "health", "drain", "draw", "curse", "destroy", "command", "muster", "rage", "haunt", "sacrifice",
    "claim", "discard", "costs", "reveal", "other", "horde_coin", "horde_power", "horde_other", "triggered",
)  # fmt: skip
FEATURES = np.dtype([(name, "f4") for name in FEATURE_FIELDS], align=True)

CARD = np.dtype(
    [
        ("type", "i2"),  # enums.CardType
        ("pile", "i2"),  # enums.Pile
        ("faction", "i2"),  # enums.Faction
        ("cost", "i2"),  # -1 = not for sale
        ("health", "i2"),  # overlords
        ("armor", "i2"),
        ("claim", "i2"),
        ("left", "i2"),  # Horde indicators (Faction, 0 = none)
        ("right", "i2"),
        ("link_left", "i2"),  # H1 as numbers: a can stand to the left of b if a.link_right == b.link_left; 0 = no indicator
        ("link_right", "i2"),
        ("coin", "i2"),  # resource abilities: activated first, without a program (P2)
        ("power", "i2"),
        ("regeneration", "i2"),
        ("program", SPAN),  # keyword and unique abilities
        ("active", "i2"),  # 1 if there is anything to activate
        ("uses", "i4"),  # O1: how often an overlord's ability may be used in a turn
        ("hordes", "i2"),  # Horde abilities: 0, 1 or 2
        ("horde", SPAN, (2,)),
        ("triggers", "i2"),
        ("ears", "i4"),  # bit per Event
        ("trigger", TRIGGER, (TRIGGERS,)),
    ],
    align=True,
)

OWN_INFLUENCES = np.dtype([("n", "i4"), ("kind", "u2", (INFLUENCES,))], align=True)

RULES = np.dtype(
    [
        (name, "i4")
        for name in (
            "first_hand", "second_hand", "hand_size", "street_size", "relic_limit", "acolyte_cost", "influences", "curse_health", "curse_discard",
            "command_max_cost", "sacrifice_resource", "sacrifice_amount", "haunt_tokens", "muster_tokens", "since_in_play", "horde_must", "optional_keywords",
            "max_turns", "max_actions",
        )
    ]
    + [("rage", SPAN)],
    align=True,
)  # fmt: skip

BOX = np.dtype(
    [
        ("rules", RULES),
        ("kinds", "i4"),
        ("card", CARD, (KINDS,)),
        ("has", FEATURES, (KINDS,)),  # apart from the card table, which is read all the time and must stay small
        ("own", OWN_INFLUENCES, (KINDS,)),  # by overlord
        ("luck", "u8", (KINDS,)),  # of a kind, for the denial lottery
        ("effect", EFFECT, (ROWS,)),
        ("instances", "i4"),
        ("kind_of", "u2", (INSTANCES,)),
        ("key", "u8", (INSTANCES,)),  # luck of the instance: from its name and copy number
        ("market_n", "i4"),
        ("market", "u2", (INSTANCES,)),
        ("acolytes_n", "i4"),
        ("acolyte", "u2", (INSTANCES,)),
        ("starters_n", "i4", (2,)),
        ("starter", "u2", (2, STARTERS)),  # a seat's starting deck, Influence cards aside
        ("influence", "u2", (2, KINDS)),  # the instance that a seat gets of an Influence kind
        ("deny", "i2", (KINDS,)),  # seats (bits) to whom a kind is denied
        ("denials", "i4"),  # 1 if anything is denied, or may be
        ("lottery", "u8"),  # denial lottery: a kind is denied to one seat when its luck is below this
        ("grants_n", "i4", (2,)),
        ("grant", "u2", (2, GRANTS)),
    ],
    align=True,
)

OPTION = np.dtype(
    [
        ("action", "i2"),  # enums.Action
        ("card", "i2"),  # kind of the card in question, -1 = none
        ("slot", "i2"),  # its place: index in hand, discard pile or Street, or slot in play
        ("other", "i2"),  # second slot (hordes); 1 = to the deck (buying)
        ("amount", "i4"),  # cost, Power, number of an ability …
        ("place", "i2"),  # enums.Place of the card
    ],
    align=True,
)

# An action that a strategy is going to take after the next one (docs/ENGINE.md, "A plan").
STEP = np.dtype(
    [
        ("action", "i2"),  # enums.Action
        ("card", "i2"),  # kind, -1 = none
        ("slot", "i2"),  # slot in play, for relics, haunted monsters, hordes; resource to convert
        ("other", "i2"),  # second slot (hordes); 1 = to the deck (buying); resource to get
        ("amount", "i4"),  # how much is spent, 0 = all; number of a Horde ability
        ("unless", "i4"),  # enums.Look: when to ask again instead
    ],
    align=True,
)

OPTIONS_RECORD = np.dtype(
    [
        ("n", "i4"),
        ("spend", "i4"),  # set by the one who answers: how much, for attack, heal and convert; 0 = all
        ("then_n", "i4"),  # set by the one who answers with an action: how many steps of a plan follow it, to be taken without being asked,
        ("then", STEP, (THEN,)),  # and these
        ("then_at", "i4"),  # how many of them have been taken
        ("every", "i4"),  # 1 if every choice is wanted: those with a single answer are asked too, and the steps of a plan one by one
        ("planned", "i4"),  # steps of plans taken in this game without being asked
        ("watched", "i4"),  # whether somebody wants to see one thing after the other: `advance` stops after each (entry_points.NEXT)
        # The actions of an Action Phase stand on the list by their sort, in this order; where the next sort begins (and so where this one ends):
        ("hordes_from", "i4"),  # behind the plays
        ("ready_from", "i4"),  # relics and haunted monsters
        ("overlord_from", "i4"),
        ("buys_from", "i4"),
        ("others_from", "i4"),  # convert, attack, heal, pass
        ("at", OPTION, (OPTIONS + 2,)),  # two more, since lists are written first and counted then
        ("scratch", "u8", (INSTANCES,)),  # for shuffles
        ("spare", "u8", (INSTANCES,)),
        ("bucket", "i4", (66,)),
    ],
    align=True,
)

# A game to be played and what came of it: the first eight fields are given, the others are filled in.
RESULT = np.dtype(
    [
        ("seed", "u8"),
        ("first", "i2"),  # overlords (kinds)
        ("second", "i2"),
        ("first_influences", "i4"),  # bits of the overlord's Influence cards, 0 = the strategy chooses
        ("second_influences", "i4"),
        ("swapped", "i2"),  # 1 if the second of the two strategies sits in the first seat
        ("told", "i2"),  # 1 if every decision is logged
        ("cell", "i4"),  # which part of the counts this game goes to
        ("winner", "i2"),  # 0, 1, 2 = draw
        ("end", "i2"),  # enums.End
        ("status", "i2"),  # enums.Status
        ("limits", "i2"),  # Action Phases cut by max_actions (E1)
        ("turns", "i4"),
        ("actions", "i4"),
        ("decisions", "i4"),  # questions with more than one answer, and steps of plans
        ("first_health", "i4"),
        ("second_health", "i4"),
        ("first_denied", "i4"),  # kinds denied to the first player: so many of the log's list of denials
        ("second_denied", "i4"),
        # forks.py: whether and how the game forks (enums.Fork), for whom, on which card, from which turn on; 1 if the strategy wanted the card; when it did
        *((name, "i2") for name in ("fork", "fork_seat", "fork_kind", "fork_wanted")),
        *((name, "i4") for name in ("fork_from", "forked")),
    ],
    align=True,
)

# The log of a batch: columns, filled row by row, read by NumPy without a loop. Numbers of a turn beyond 32,767 are written as that.
TURN_ROWS = 131_072  # at least twice what one game may need (Rules.max_turns is at most 65,535)
PURCHASE_ROWS = 131_072
DENIAL_ROWS = 131_072
TURN_COLUMNS = (
    ("row", "i4"),  # of the results
    ("turn", "u2"),
    ("seat", "i1"),
    ("health", "i2"),
    ("rival_health", "i2"),
    *((name, "i2") for name in TALLY_FIELDS),
    ("deck", "i2"),
    ("discard", "i2"),
    ("hand", "i2"),
)
PURCHASE_COLUMNS = (("row", "i4"), ("turn", "u2"), ("seat", "i1"), ("kind", "u2"), ("paid", "i2"), ("source", "i1"), ("to", "i1"))
COLUMNS_OF_TURNS = np.dtype([(name, code, (TURN_ROWS,)) for name, code in TURN_COLUMNS], align=True)
COLUMNS_OF_PURCHASES = np.dtype([(name, code, (PURCHASE_ROWS,)) for name, code in PURCHASE_COLUMNS], align=True)

# What a player's dealings with each kind of card add up to, by cell and seat (the cards table).
COUNT_FIELDS = (
    "games_seen", "games_affordable", "games_bought", "turns_seen", "turns_affordable", "bought", "first_bought_turns", "points_when_bought",
)  # fmt: skip

# When a seat last saw, could buy and bought a kind, as numbers of turns counted through the whole batch: nothing to clear between games.
LAST_TIME = np.dtype([("seen", "i4"), ("affordable", "i4"), ("bought", "i4")], align=True)

LOG = np.dtype(
    [
        ("keep_turns", "i4"),  # whether there shall be rows of turns,
        ("keep_purchases", "i4"),  # of purchases,
        ("keep_counts", "i4"),  # and counts
        ("row", "i4"),  # the row being played, counted from the first of the whole chunk
        ("now", "i4"),  # the turn that is being played, and the first of its game, both counted through the whole batch
        ("game_began", "i4"),
        ("turns_n", "i4"),
        ("purchases_n", "i4"),
        ("denials_n", "i4"),
        ("last", LAST_TIME, (2, KINDS)),
        ("turns", COLUMNS_OF_TURNS),
        ("purchases", COLUMNS_OF_PURCHASES),
        ("decisions_n", "i4"),
        ("decision_cards_n", "i4"),
        ("decisions_cut", "i4"),  # decisions that did not fit
        ("decisions", COLUMNS_OF_DECISIONS),
        ("decision_card", "u2", (DECISION_CARDS,)),  # instances
        ("decision_horde", "i1", (DECISION_CARDS,)),  # number of the horde that a card in play belongs to, 0 = none
        ("decision_marks", "u2", (DECISION_CARDS,)),  # enums.Mark of a card in play
        ("denials", "u2", (DENIAL_ROWS,)),  # kinds: those denied to the first player of a game, then those to the second
    ],
    align=True,
)
