"""The record that a strategy keeps beside the game: its opinions of the cards, the numbers that it plays by, and room to try things out.

    work.of[kind].early               what it thinks of a card; `prepare` fills this once before the first game
    work.weight[i]                    numbers of the author's own; no helper of strategies/ reads or writes them
    work.wants.power                  what a style plays by (strategies/kit/taste.py)

It is not part of the game: nothing that must be remembered from one question to the next belongs here. Each helper has a record of its own, so that none
can step on another's place.
"""

import numpy as np

from terrors.simulator.kernel.layout import GAME, KINDS, LINK_CODES, OPTIONS_RECORD, OWNED, STARTERS, STREET, THEN

WEIGHTS = 64  # numbers that an author may use
TABLES = 8  # of opinions, by overlord

# What a strategy thinks of a kind of card, worked out once before the first game (its `prepare`).
OPINION = np.dtype([(name, "f4") for name in ("play", "early", "late", "keep", "bend", "look_again", "moment", "deck_early", "deck_late")], align=True)

# A line of play that a strategy tries out (formats/lookahead.py): the option that it begins with, how much is spent on it (0 = all), and how it goes on
# (0 = as the base policy has it, else the number of a variant of that); whether it is still tried out, how often it was, and sums over these tries: of what it
# led to above the first line with the same luck, and of the squares of that.
LINES = 64
LINE = np.dtype([(name, "i4") for name in ("option", "spend", "variant", "alive", "tries")] + [("gain", "f8"), ("square", "f8")], align=True)

# What a style wants, in points (kit/taste.py says what each is).
WANT_FIELDS = (
    "power", "health", "average", "horizon", "acolyte", "loyal", "link", "stay", "keep", "deny", "curse", "sacrifice", "chain", "wait",
)  # fmt: skip
WANTS = np.dtype([(name, "f8") for name in WANT_FIELDS], align=True)

# How many of the own cards show each Horde indicator, by link code (kit/valuation.py).
LINKS = np.dtype([("left", "i4", (LINK_CODES,)), ("right", "i4", (LINK_CODES,))], align=True)

# What each purchase would add to the rest of the game, in points (kit/valuation.py).
BARGAIN = np.dtype([("gain", "f8"), ("cost", "i4"), ("at", "i4")], align=True)
PRICE = np.dtype(
    [
        ("turns", "f8"),  # that one expects to have yet,
        ("early", "f8"),  # how much of the game is early by that,
        ("plays", "f8"),  # how often a card bought now will be drawn yet,
        ("average", "f8"),  # how good a card must be to be better than what is drawn instead of it,
        ("heard", "f8"),  # and what it is worth that something in play hears of a purchase
        ("gain", "f8", (STREET + 1,)),  # by place in the Street, and behind them for an Acolyte
        ("n", "i4"),  # purchases that add anything,
        ("bargain", BARGAIN, (STREET + 2,)),  # and these: room for one more, since it is written first and counted then
    ],
    align=True,
)

# What those who look ahead go by (formats/lookahead.py); the second half is what a position is worth: the logarithm of the odds to win, as a sum over what one
# side has more than the other.
LOOKAHEAD = np.dtype(
    [
        ("deals", "i4"),  # in the first round
        ("rounds", "i4"),  # of dropping the worse half, each with twice the deals of the one before
        ("turns", "i4"),  # that are played out after the present one
        ("variants", "i4"),  # of the base that are tried as lines of their own
        ("setup_deals", "i4"),  # in the first round when Influence cards are chosen,
        ("setup_turns", "i4"),  # and turns that are played out then
        ("learnt", "i4"),  # 1: positions have the learnt value (kit/prospects.py); 0: that of the numbers below, which was all there was before November 2026
        ("buys", "i4"),  # 1: lines are played on with purchases by what the learnt value says at their beginning (kit/buying.py)
        ("commit", "i4"),  # 1: when the base's line was best, the plays that it names in advance are not thought about again
        ("deviation", "f8"),  # how often a variant differs from the base, of 1
        ("doubt", "f8"),  # a line replaces the base's when it is better by this many standard errors
        ("health", "f8"),  # a point of Health,
        ("log_health", "f8"),  # and the logarithm of Health: the last points are worth more
        ("deck", "f8"),  # the average card of the deck (by its points, thinker.py), for a hand of five
        ("relic", "f8"),  # a relic, by its points
        ("armor", "f8"),  # a point of Armor that lies in play
        ("staying", "f8"),  # a monster that stays in play, by its points
        ("hand", "f8"),  # a card in hand
        ("to_move", "f8"),  # being the next to play
    ],
    align=True,
)

# The learnt value of a position (kit/prospects.py says how these are used, formats/value.py where they come from). A card means something else in each place.
PLACES = 5  # prospects.CYCLE and so on
WIDTH = 48  # of one side of the table
INNER = 32  # of both together
SIDE_FACTS = 12  # of one side: Health and the like
TABLE_FACTS = 4  # of neither
POSITIONS = 16  # that are weighed at a time: a multiple of eight, and enough for what lies in the Street
WAY = np.dtype([("option", "i4"), ("bonus", "f8")], align=True)  # to buy (kit/buying.py): the option that it begins with, and what speaks for it besides
VALUE = np.dtype(
    [
        ("buys", "i4"),  # how purchases are chosen by it: buying.BY_POSITION, BY_PRICES, or 0 for not at all
        ("card", "f4", (KINDS * PLACES, WIDTH)),  # what a card adds to its side, by PLACES * kind + place; worked out once for a set of cards
        ("acolyte", "f4", (WIDTH,)),  # the mean of that over all Acolytes, going round,
        ("fresh", "f4", (WIDTH,)),  # and over the market, in the Street: a card that nobody knows yet
        ("side_fact", "f4", (SIDE_FACTS, WIDTH)),
        ("side_bias", "f4", (WIDTH,)),
        ("street_bias", "f4", (WIDTH,)),
        ("inner", "f4", (3 * WIDTH + TABLE_FACTS, INNER)),  # the side to move, the other side, the Street, and the facts of neither
        ("inner_bias", "f4", (INNER,)),
        ("out", "f4", (INNER,)),
        ("out_bias", "f4"),
        # Room to add up in.
        ("going", "f4", (2, WIDTH)),  # over the cards that go round,
        ("rest", "f4", (2, WIDTH)),  # and everything else of a side
        ("street", "f4", (WIDTH,)),
        ("input", "f4", (3 * WIDTH + TABLE_FACTS,)),
        ("hidden", "f4", (POSITIONS + 2, INNER)),  # what comes of that in each of some positions; and of what these have in common, as it grows
        ("log_odds", "f8", (POSITIONS,)),  # the logarithm of the odds in each position,
        ("way", WAY, (POSITIONS,)),  # what leads to it,
        ("ways", "i4"),  # and how many are noted;
        ("best", "i4"),  # the option that the best way begins with,
        ("most", "f8"),  # and what that way is worth
        ("price", "f4", (2, KINDS + 1)),  # kit/buying.py: what each card would add to a side, by kind + 1; first an Acolyte
        ("denied", "f8", (STREET + 1,)),  # kit/buying.py: what it is worth that the rival does not find a Street card; 0 behind them, for an Acolyte
        ("health", "f4", (2,)),
        ("fact", "i4", (SIDE_FACTS,)),  # facts of a side that are to be added,
        ("amount", "f8", (SIDE_FACTS,)),  # and how much of each
        ("facts_n", "i4"),
        ("added", "i4", (OWNED + STARTERS,)),  # rows of `card` that are to be added: those of the cards that go round, or lie in the Street
        ("n", "i4", (2,)),  # cards that go round,
        ("same", "i4", (2,)),  # of these, monsters of the overlord's faction
        ("links", LINKS),
    ],
    align=True,
)

# Positions that a strategy notes while it plays, to be learnt from (kit/notes.py).
NOTES = 2048
NOTED_CARDS = 72  # of a side; a position with more is not noted
NOTED_SIDE = np.dtype(
    [(name, "i2") for name in ("health", "start_health", "armor", "tokens", "hand", "deck", "overlord", "cycle", "staying", "relics")]
    + [("card", "u2", (NOTED_CARDS,))],
    align=True,
)
NOTE = np.dtype([("seed", "u8"), ("turn", "i4"), ("active", "i2"), ("street_n", "i2"), ("street", "u2", (STREET,)), ("side", NOTED_SIDE, (2,))], align=True)
NOTEBOOK = np.dtype([("on", "i4"), ("n", "i4"), ("seed", "u8"), ("turn", "i4"), ("whim", "f8"), ("note", NOTE, (NOTES,))], align=True)

# A priority list, as formats/lists/filling.py writes it and formats/lists/playing.py plays by it.
LIST_RULES = 48  # buy rules
LIST_STEPS = 512  # of all conditions
LIST_DEPTH = 16  # numbers that a condition may be working with at once
LIST_INFLUENCES = 64
STEPS = np.dtype([("begin", "i4"), ("end", "i4")], align=True)  # a condition: from which step, to which
LIST_STEP = np.dtype([("instruction", "i4"), ("argument", "i4")], align=True)  # playing.Instruction
LIST_RULE = np.dtype(
    [
        ("when", STEPS),
        ("until", "i4"),  # 0 = without end
        ("pick", "i4"),  # playing.Pick
        ("acolyte", "i4"),  # 1 if it buys Acolytes, and nothing else
        ("against", "i4"),  # a set of overlords, -1 = all
        ("fired", "i8"),  # how often it has bought: for the check's report, never read in play
    ],
    align=True,
)
LIST = np.dtype(
    [
        ("rules_n", "i4"),
        ("rule", LIST_RULE, (LIST_RULES,)),
        ("curse", "i4"),  # playing.Curse
        ("keep", "i4"),  # a set, -1 = none
        ("build", STEPS),
        ("overlord", STEPS),
        ("influences_n", "i4"),
        ("influence", "i4", (LIST_INFLUENCES,)),  # kinds
        ("step", LIST_STEP, (LIST_STEPS,)),
        ("stack", "f8", (LIST_DEPTH,)),
        # A set of cards is a bit, and each kind of card has a word of them: here whoever plays,
        ("sets", "u8", (KINDS,)),
        ("own_sets", "u8", (KINDS,)),  # and here the sets that have it as a card of the player's own faction
    ],
    align=True,
)

# How often something was on offer and how often it was taken (checks/usage.py).
USES = np.dtype([("offered", "i8"), ("taken", "i8")], align=True)
ACTION_CODES = 32  # more than enums.Action has
USAGE = np.dtype([("card", USES, (KINDS,)), ("action", USES, (ACTION_CODES,))], align=True)

WORK = np.dtype(
    [
        ("of", OPINION, (KINDS,)),
        ("weight", "f8", (WEIGHTS,)),  # the author's own
        ("wants", WANTS),
        ("order", "f8", (2, THEN)),  # kit: the place in the order of play of each card in hand, while Influence cards are not lit and when they are
        ("lit", "i4"),  # and whether they are lit now
        ("averaged", "i4"),  # kit/valuation.py: 1 if this number is that of the present question:
        ("mean_worth", "f8"),  # the average worth of the own cards now;
        ("priced", "i4"),  # and 1 if these are: what purchases would add,
        ("price", PRICE),
        ("links", LINKS),
        ("loaded", "i4"),  # formats/numbers.py: the overlord (a kind) whose opinions are in `of` and whose wants in `wants`,
        ("table_of", "i4", (TABLES,)),  # the overlord of each table, -1 = any, -2 = nobody's
        ("others", OPINION, (TABLES, KINDS)),  # and the tables, for a strategy that thinks differently with each overlord
        ("wants_of", WANTS, (TABLES,)),
        ("lookahead", LOOKAHEAD),
        ("value", VALUE),
        ("notes", NOTEBOOK),
        ("list", LIST),
        ("usage", USAGE),
        ("deal", GAME),  # formats/lookahead.py: as the cards may lie,
        ("game", GAME),  # and to play on from there
        ("options", OPTIONS_RECORD),
        ("lines_n", "i4"),
        ("line", LINE, (LINES,)),
    ],
    align=True,
)
