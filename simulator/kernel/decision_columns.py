"""The columns of a decision in the log: the table as it was, and what was chosen. The game's end is a row too, without a choice.

Cards are logged as instances; `runs/parquet_tables.py` makes them into names and copy numbers.
"""

import numpy as np

DECISION_ROWS = 65_536
DECISION_CARDS = 4_194_304  # in all lists of these rows
PLAY_LISTS = ("first_play", "second_play")  # these have a horde number and marks for each card
DECISION_LISTS = (  # a row says how long each is; piles from the bottom to the top
    "first_hand", "second_hand", *PLAY_LISTS, "street", "first_deck_cards", "second_deck_cards", "first_discard_cards", "second_discard_cards",
    "first_removed", "second_removed", "street_removed",
)  # fmt: skip
# Numbers that a table has as they are: those of earlier versions, and the others. All are from before the decision.
DECISION_NUMBERS = (
    "coin", "power", "regeneration", "first_health", "second_health", "first_deck", "second_deck", "first_discard", "second_discard", "market",
)  # fmt: skip
FURTHER_NUMBERS = (
    "pay_coin", "pay_power", "pay_regeneration", "pay_health", "looked", "revealed", "acolytes", "haunt_tokens", "muster_tokens", "first_muster",
    "second_muster", "first_known", "second_known", "claims", "actions", "limits",
)  # fmt: skip
DECISION_COLUMNS = (
    ("row", "i4"),
    ("turn", "u2"),
    ("active", "i1"),
    ("seat", "i1"),  # who decided
    ("question", "i1"),
    ("action", "i1"),  # -1 = the end
    ("card", "i2"),  # kind, -1 = none
    ("other", "i2"),  # kind of the monster that a horde is made with, -1 = none
    ("amount", "i2"),
    ("offered", "i2"),
    ("instance", "i2"),  # the very card that was chosen, -1 = none
    ("other_instance", "i2"),
    ("cause", "i2"),  # kind of the card or overlord whose ability asks, -1 = none
    ("cause_instance", "i2"),  # -1 for an overlord
    ("place", "i1"),  # enums.Place of the chosen card, 0 = none
    ("to", "i1"),  # enums.To of a purchase, -1 = none
    *((name, "i2") for name in (*DECISION_NUMBERS, *FURTHER_NUMBERS)),
    *((name, "i2") for name in DECISION_LISTS),
)
COLUMNS_OF_DECISIONS = np.dtype([(name, code, (DECISION_ROWS,)) for name, code in DECISION_COLUMNS], align=True)
