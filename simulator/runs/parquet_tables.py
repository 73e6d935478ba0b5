"""The tables of a run: their columns, and how the log of a chunk becomes them. No loop over rows.

`TABLES` is the one place that names a column; docs/RUNS.md and the tests are made from it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
import polars as pl
import pyarrow as pa

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.decision_columns import DECISION_LISTS, DECISION_NUMBERS, FURTHER_NUMBERS, PLAY_LISTS
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.terms.enums import DRAW, Action, BoughtFrom, End, Pile, Place, Question, To

LEVEL = 1  # of zstd: higher ones cost time and save next to nothing with columns this small
SEAT = pl.Enum(["first", "second"])
WINNER = pl.Enum(["first", "second", "draw"])
END = pl.Enum([end.name.lower().replace("_", " ") for end in End if end])
SOURCE = pl.Enum([source.name.lower() for source in BoughtFrom])
QUESTION = pl.Enum([question.name.lower().replace("_", " ") for question in Question])
ACTION = pl.Enum([action.name.lower().replace("_", " ") for action in Action])
TO = pl.Enum([to.name.lower() for to in To])
PLACE = pl.Enum([place.name.lower().replace("_", " ") for place in Place])

# Columns by table: what each one says. Order and names are what users script against: add, but don't rename.
TABLES: dict[str, dict[str, str]] = {
    "games": {
        "game": "number of the game in the run, from 0",
        "pair": "two games with the same luck and exchanged seats have the same pair",
        "leg": "0 or 1: which of the two",
        "seed": "the luck of the game: `terrors replay` plays it again",
        "first_overlord": "overlord of the player who goes first",
        "second_overlord": "overlord of the other player",
        "first_strategy": "who plays for the first player",
        "second_strategy": "who plays for the second player",
        "first_influences": "the first player's Influence cards (S3), with + between them",
        "second_influences": "the second player's",
        "winner": "first, second or draw",
        "winner_overlord": "the winner's overlord; empty for a draw",
        "end": "how it ended: health, or turn limit (E1)",
        "limits": "Action Phases that the action limit cut short (E1)",
        "turns": "turns played, both players' counted",
        "actions": "actions and triggers carried out",
        "decisions": "choices: questions with more than one answer, and what a strategy did by plan",
        "first_health": "the first player's Health at the end",
        "second_health": "the second player's",
        "denied_first": "market cards that the first player was not allowed to get (deny, deny lottery)",
        "denied_second": "market cards that the second player was not allowed to get",
    },
    "turns": {
        "game": "the game",
        "turn": "number of the turn, both players' counted, from 1",
        "seat": "whose turn it is: first or second",
        "overlord": "that player's overlord",
        "health": "that player's Health after the turn",
        "rival_health": "the other player's Health after the turn",
        "coin": "Coin that came into the pool",
        "coin_spent": "Coin that was spent",
        "power": "Power that came into the pool",
        "damage": "Health that the rival lost to attacks",
        "armor_absorbed": "Power that Armor took (A2)",
        "regeneration": "Regeneration that came into the pool",
        "healed": "Health gained",
        "cards_played": "cards played from hand",
        "cards_drawn": "cards drawn, the new hand of the Draw Phase included",
        "bought": "cards bought",
        "hordes": "hordes formed",
        "horde_activations": "Horde abilities activated",
        "longest_horde": "monsters in the longest horde",
        "relics_used": "relics activated",
        "overlord_used": "times that the overlord's ability was used",
        "haunts": "HAUNT Actions",
        "curses": "CURSEs that the rival answered",
        "sacrificed": "cards removed by SACRIFICE",
        "destroyed": "cards hit by DESTROY",
        "deck": "cards in the deck after the turn",
        "discard": "cards in the discard pile after the turn",
        "hand": "cards in hand after the turn",
    },
    "purchases": {
        "game": "the game",
        "turn": "the turn",
        "seat": "who got the card: first or second",
        "overlord": "that player's overlord",
        "card": "the card",
        "cost": "its cost",
        "paid": "Coin paid for it",
        "source": "street, acolyte, or free (taken from the Street without a price)",
        "to": "where it went: discard, deck or relics",
    },
    "cards": {
        "first_overlord": "the match-up: overlord of the player who goes first",
        "second_overlord": "overlord of the other",
        "first_strategy": "who plays for the first player",
        "second_strategy": "who plays for the second player",
        "seat": "whose dealings with the card these are",
        "card": "the card",
        "games": "games of this match-up, strategies and seats",
        "games_seen": "games in which the card lay in the Street in a turn of this player",
        "games_affordable": "games in which this player could have bought it",
        "games_bought": "games in which this player got it",
        "turns_seen": "turns of this player in which it lay in the Street",
        "turns_affordable": "turns in which this player could have bought it",
        "bought": "copies that this player got",
        "first_bought_turns": "sum of the turns in which a game's first copy was got: divide by games_bought",
        "points_when_bought": "2 for each game with it that was won, 1 for a draw. An association: mostly it says who was winning anyway",
    },
}
TABLES["decisions"] = {
    "game": "the game; only the first ones of a run are told (`--decisions`)",
    "step": "number of the row in the game, from 0; the last row is the end of the game",
    "turn": "the turn; 0 is the choice of Influence cards (S3)",
    "active": "whose turn it is",
    "seat": "who decided; the rival answers to a CURSE",
    "question": "what was asked",
    "action": "what was chosen; empty at the end of the game",
    "card": "the card that was chosen, if it was one",
    "other": "the monster that it made a horde with",
    "amount": "cost, Power, number of the ability or alternative …",
    "offered": "how many options there were",
    "coin": "Coin in the active player's pool, before the decision as all that follows",
    "power": "Power in that pool",
    "regeneration": "Regeneration in that pool",
    "first_health": "the first player's Health",
    "second_health": "the second player's",
    "first_deck": "cards in the first player's deck",
    "second_deck": "in the second player's",
    "first_discard": "cards in the first player's discard pile",
    "second_discard": "in the second player's",
    "market": "cards left in the Market",
    "first_hand": "the first player's hand",
    "second_hand": "the second player's hand",
    "first_play": "the first player's cards in play: hordes first, each from left to right, then the others, relics included",
    "second_play": "the second player's cards in play",
    "street": "the Street",
    "first_hordes": "for each card of first_play the number of its horde, 0 = none",
    "second_hordes": "the same for second_play",
    "forced": "true if there was a single answer, which nobody was asked for",
    "copy": "which copy the chosen card is",
    "other_copy": "which copy the other monster is",
    "place": "where the chosen card lay: play, hand, discard, street, deck or rival play; play without a card is a cost that is the SACRIFICE of its cause",
    "to": "where a purchase goes: discard, deck (CLAIM) or relics",
    "cause": "the card or overlord whose ability asks",
    "cause_copy": "which copy that is; empty for an overlord",
    "pay_coin": "Coin paid with this choice; for a relic beyond the limit when the choice of P8 is made",
    "pay_power": "Power paid, in an attack too",
    "pay_regeneration": "Regeneration paid, for healing too",
    "pay_health": "Health paid as a cost (G6)",
    "looked": "cards of the deck that are looked at now (G2): its last ones",
    "revealed": "cards that were revealed since the row before (G2)",
    "acolytes": "Acolytes left",
    "haunt_tokens": "HAUNT tokens in the reserve; 32,767 without a limit",
    "muster_tokens": "MUSTER tokens in the reserve",
    "first_muster": "MUSTER tokens of the first player",
    "second_muster": "MUSTER tokens of the second player",
    "first_known": "cards on top of the first player's deck that this player has seen",
    "second_known": "the same for the second player",
    "claims": "monsters that the active player may still put on the deck by an ability (B3)",
    "actions": "actions and triggers of this Action Phase so far (E1)",
    "limits": "Action Phases that the action limit has cut so far (E1)",
    "first_deck_cards": "the first player's deck from the bottom to the top",
    "second_deck_cards": "the second player's deck",
    "first_discard_cards": "the first player's discard pile, the top last",
    "second_discard_cards": "the second player's discard pile",
    "first_removed": "cards of the first player that have left the game",
    "second_removed": "cards of the second player that have left the game",
    "street_removed": "cards that have left the game out of the Street",
    **{f"{name}_copies": f"for each card of {name} which copy it is" for name in DECISION_LISTS},
    "first_marks": "for each card of first_play what is true of it, as a sum of `Mark` (terms/enums.py): tokens, abilities used, …",
    "second_marks": "the same for second_play",
}
SORTED_BY = {"games": ["game"], "turns": ["game", "turn"], "purchases": ["game", "turn"], "decisions": ["game", "step"]}


@dataclass
class Names:
    """The names behind the numbers in a run's columns."""

    cards: pl.Enum
    strategies: pl.Enum
    influences: pl.Enum
    influence_code: dict[int, np.ndarray]  # by overlord, then by bits
    costs: np.ndarray  # by kind; what is paid for an Acolyte is a rule

    @classmethod
    def of(cls, schedule: Schedule) -> Names:
        """Return the names of a run."""
        box = schedule.box
        overlords = sorted({kind for cell in schedule.cells for kind in (cell.a, cell.b)})
        texts: dict[str, int] = {"": 0}
        code = {}
        for kind in overlords:
            own = [box.names[int(k)] for k in box.record.own[kind].kind[: int(box.record.own[kind].n)]]
            code[kind] = np.zeros(1 << len(own), np.uint32)
            for chosen in combinations(range(len(own)), min(len(own), box.rules.influences)):
                code[kind][sum(1 << i for i in chosen)] = texts.setdefault(" + ".join(own[i] for i in chosen), len(texts))
        costs = np.maximum(np.asarray(box.record.card["cost"])[: int(box.record.kinds)], 0)
        return cls(pl.Enum(box.names), pl.Enum(schedule.strategies), pl.Enum(list(texts)), code, costs.astype(np.int16))

    def influence(self, name: str, overlords: np.ndarray, bits: np.ndarray) -> pl.Series:
        """Return a column of the Influence cards that were taken."""
        codes = np.zeros(len(bits), np.uint32)
        for kind in np.unique(overlords):
            own = overlords == kind
            codes[own] = self.influence_code[int(kind)][bits[own]]
        return named(name, codes, self.influences)


def named(name: str, codes: np.ndarray, names: pl.Enum) -> pl.Series:
    """Return a column of names from a column of numbers."""
    return pl.Series(name, _small(codes, names)).cat.to(names)


def _small(codes: np.ndarray, names: pl.Enum) -> np.ndarray:
    """Return numbers of names in the type that Polars keeps them in."""
    size = len(names.categories)
    return codes.astype(np.uint8 if size < 2**8 else np.uint16 if size < 2**16 else np.uint32, copy=False)


def game_type(schedule: Schedule) -> type:
    """Return the smallest type that holds the number of every game."""
    return np.uint32 if schedule.games < 2**32 else np.uint64


def strategies_of(schedule: Schedule, cells: np.ndarray, legs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the first and the second player's strategies."""
    a, b = schedule.column["a_strategy"][cells], schedule.column["b_strategy"][cells]
    return np.where(legs == 0, a, b), np.where(legs == 0, b, a)


def games_table(schedule: Schedule, names: Names, start: int, rows: np.ndarray, denials: np.ndarray) -> pl.DataFrame:
    """Return the table of games, a row each."""
    game: np.ndarray = np.arange(start, start + len(rows), dtype=game_type(schedule))
    pair, leg = game // 2, (game % 2).astype(np.uint8)
    first_strategy, second_strategy = strategies_of(schedule, schedule.where(pair)[0], leg)
    drawn = rows["winner"] == DRAW
    winner = named("winner_overlord", np.where(rows["winner"] == 1, rows["second"], rows["first"]), names.cards)
    denied = _lists(denials, np.stack([rows["first_denied"], rows["second_denied"]], 1), names.cards)
    return pl.DataFrame(
        [
            pl.Series("game", game),
            pl.Series("pair", pair),
            pl.Series("leg", leg),
            pl.Series("seed", rows["seed"]),
            named("first_overlord", rows["first"], names.cards),
            named("second_overlord", rows["second"], names.cards),
            named("first_strategy", first_strategy, names.strategies),
            named("second_strategy", second_strategy, names.strategies),
            names.influence("first_influences", rows["first"], rows["first_influences"]),
            names.influence("second_influences", rows["second"], rows["second_influences"]),
            named("winner", rows["winner"], WINNER),
            winner.zip_with(pl.Series(~drawn), pl.Series([None], dtype=names.cards)) if drawn.any() else winner,
            named("end", rows["end"] - 1, END),
            pl.Series("limits", rows["limits"]),
            pl.Series("turns", rows["turns"].astype(np.uint16)),
            pl.Series("actions", rows["actions"].astype(np.uint32)),
            pl.Series("decisions", rows["decisions"].astype(np.uint32)),
            pl.Series("first_health", np.minimum(rows["first_health"], 32_767).astype(np.int16)),
            pl.Series("second_health", np.minimum(rows["second_health"], 32_767).astype(np.int16)),
            denied[0].rename("denied_first"),
            denied[1].rename("denied_second"),
        ]
    )


def _lists(values: np.ndarray, lengths: np.ndarray, names: pl.Enum | None = None) -> list[pl.Series]:
    """Return columns of lists from all their values, row by row and in a row column by column; `lengths` by row and column. `names`: what they stand for."""
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    lists = pl.Series(pa.LargeListArray.from_arrays(_arrow(ends), _arrow(values if names is None else _small(values, names))))
    if names is not None:
        lists = lists.list.eval(pl.element().cat.to(names))
    return [lists.gather_every(lengths.shape[1], column) for column in range(lengths.shape[1])]


def _arrow(numbers: np.ndarray) -> pa.Array:
    """Return a column as Arrow has it, in the same memory. `pa.array` would load pandas for it, to ask whether the column is one of its own."""
    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])


def overlords_of(names: Names, rows: np.ndarray, row: np.ndarray, seat: np.ndarray) -> np.ndarray:
    """Return the overlord (kind) of a seat of a game."""
    by_seat = np.stack([_small(rows["first"], names.cards), _small(rows["second"], names.cards)], 1).ravel()
    return by_seat.take(2 * row + seat)


def turns_table(schedule: Schedule, names: Names, start: int, rows: np.ndarray, columns: dict[str, np.ndarray]) -> pl.DataFrame:
    """Return the table of turns, a row for each turn of a player."""
    row, seat = columns["row"], columns["seat"]
    return pl.DataFrame(
        [
            pl.Series("game", (row + start).astype(game_type(schedule))),
            pl.Series("turn", columns["turn"]),
            named("seat", seat, SEAT),
            named("overlord", overlords_of(names, rows, row, seat), names.cards),
            *(pl.Series(name, columns[name]) for name, _ in layout.TURN_COLUMNS[3:]),
        ]
    )


def purchases_table(schedule: Schedule, names: Names, start: int, rows: np.ndarray, columns: dict[str, np.ndarray]) -> pl.DataFrame:
    """Return the table of purchases, a row each."""
    row, seat, kind = columns["row"], columns["seat"], columns["kind"]
    acolyte = columns["source"] == BoughtFrom.ACOLYTE
    return pl.DataFrame(
        [
            pl.Series("game", (row + start).astype(game_type(schedule))),
            pl.Series("turn", columns["turn"]),
            named("seat", seat, SEAT),
            named("overlord", overlords_of(names, rows, row, seat), names.cards),
            named("card", kind, names.cards),
            pl.Series("cost", np.where(acolyte, columns["paid"], names.costs[kind])),
            pl.Series("paid", columns["paid"]),
            named("source", columns["source"], SOURCE),
            named("to", columns["to"], TO),
        ]
    )


def decisions_table(schedule: Schedule, names: Names, start: int, columns: dict[str, np.ndarray], cards: dict[str, np.ndarray]) -> pl.DataFrame:
    """Return the table of decisions, a row each, with the table as it was. `cards`: of all lists, each with its horde and marks."""
    row = columns["row"]
    first = np.concatenate([[True], row[1:] != row[:-1]])[: len(row)]
    step = np.arange(len(row)) - np.maximum.accumulate(np.where(first, np.arange(len(row)), 0))
    lengths = np.stack([columns[name] for name in DECISION_LISTS], 1)
    kind_of, copy_of = np.asarray(schedule.box.record.kind_of), np.array(schedule.box.copies, np.uint16)
    listed = dict(zip(DECISION_LISTS, _lists(kind_of[cards["card"]], lengths, names.cards), strict=True))
    copies = _lists(copy_of[cards["card"]], lengths)
    in_play = np.isin(np.arange(len(DECISION_LISTS)), [DECISION_LISTS.index(name) for name in PLAY_LISTS])
    of_play = np.repeat(np.tile(in_play, len(row)), lengths.ravel().astype(np.int64))
    hordes, marks = (_lists(cards[name][of_play], lengths[:, in_play]) for name in ("horde", "marks"))
    return pl.DataFrame(
        [
            pl.Series("game", (row + start).astype(game_type(schedule))),
            pl.Series("step", step.astype(np.uint32)),
            pl.Series("turn", columns["turn"]),
            named("active", columns["active"], SEAT),
            named("seat", columns["seat"], SEAT),
            named("question", columns["question"], QUESTION),
            _named_or_none("action", columns["action"], ACTION),
            _named_or_none("card", columns["card"], names.cards),
            _named_or_none("other", columns["other"], names.cards),
            pl.Series("amount", columns["amount"]),
            pl.Series("offered", columns["offered"]),
            *(pl.Series(name, columns[name]) for name in DECISION_NUMBERS),
            *(listed[name].rename(name) for name in DECISION_LISTS[:5]),
            *(series.rename(name) for name, series in zip(("first_hordes", "second_hordes"), hordes, strict=True)),
            pl.Series("forced", columns["offered"] == 1),
            _copies("copy", columns["instance"], copy_of),
            _copies("other_copy", columns["other_instance"], copy_of),
            _named_or_none("place", np.log2(np.maximum(columns["place"], 0.5)).astype(np.int16), PLACE),
            _named_or_none("to", columns["to"], TO),
            _named_or_none("cause", columns["cause"], names.cards),
            _copies("cause_copy", columns["cause_instance"], copy_of),
            *(pl.Series(name, columns[name]) for name in FURTHER_NUMBERS),
            *(listed[name].rename(name) for name in DECISION_LISTS[5:]),
            *(series.rename(f"{name}_copies") for name, series in zip(DECISION_LISTS, copies, strict=True)),
            *(series.rename(name) for name, series in zip(("first_marks", "second_marks"), marks, strict=True)),
        ]
    )


def _copies(name: str, instances: np.ndarray, copy_of: np.ndarray) -> pl.Series:
    """Return a column of copy numbers from instances of which -1 is none."""
    return pl.Series(name, copy_of[np.maximum(instances, 0)]).zip_with(pl.Series(instances >= 0), pl.Series([None], dtype=pl.UInt16)).rename(name)


def _named_or_none(name: str, codes: np.ndarray, names: pl.Enum) -> pl.Series:
    """Return a column of names from numbers of which -1 is none."""
    return named(name, np.maximum(codes, 0), names).zip_with(pl.Series(codes >= 0), pl.Series([None], dtype=names)).rename(name)


def cards_table(schedule: Schedule, names: Names, counts: dict[tuple[int, int], np.ndarray], pairs: np.ndarray) -> pl.DataFrame:
    """Return the table of cards: a row for each match-up, strategies, seat and card, of what adds up. `counts` by cell and leg, `pairs` by cell."""
    keys = sorted(counts)
    kinds = np.array([k for k, card in enumerate(schedule.box.cards.cards) if card.pile in (Pile.MARKET, Pile.ACOLYTE)], np.int64)
    cell, leg = (np.repeat([key[i] for key in keys], 2 * len(kinds)).astype(np.int64) for i in range(2))
    first_strategy, second_strategy = strategies_of(schedule, cell, leg)
    a, b = schedule.column["a"][cell], schedule.column["b"][cell]
    columns = [
        named("first_overlord", np.where(leg == 0, a, b), names.cards),
        named("second_overlord", np.where(leg == 0, b, a), names.cards),
        named("first_strategy", first_strategy, names.strategies),
        named("second_strategy", second_strategy, names.strategies),
        named("seat", np.tile(np.repeat([0, 1], len(kinds)), len(keys)), SEAT),
        named("card", np.tile(kinds, 2 * len(keys)), names.cards),
        pl.Series("games", np.repeat([pairs[key[0]] for key in keys], 2 * len(kinds)).astype(np.int64)),
    ]
    stacked = np.concatenate([counts[key][:, kinds, :].reshape(-1, len(layout.COUNT_FIELDS)) for key in keys]) if keys else np.zeros((0, 8), np.int64)
    return pl.DataFrame([*columns, *(pl.Series(name, stacked[:, i]) for i, name in enumerate(layout.COUNT_FIELDS))])


def added_up(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return several cards tables as one."""
    keys, waiting = list(TABLES["cards"])[:6], iter(parts)
    total: list[pl.DataFrame] = []
    while some := list(islice(waiting, 100)):  # a long run has many: not all at once
        total = [pl.concat([*total, *some]).group_by(keys).agg(pl.all().sum())]
    return pl.concat(total).sort(keys).select(list(TABLES["cards"]))


def parquet(frame: pl.DataFrame, about: dict[str, str] | None = None, statistics: bool = True) -> bytes:
    """Return a table as a file of one row group. `about`: what its footer says; `statistics`: whether also the least and the most of each column."""
    buffer = io.BytesIO()
    size = max(1, len(frame))
    frame.write_parquet(buffer, compression="zstd", compression_level=LEVEL, row_group_size=size, metadata=about, statistics=statistics)
    return buffer.getvalue()
