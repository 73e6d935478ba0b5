"""The referee's checks of a whole game: how it begins, and how it ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

from terrors.simulator.runs.referee import PLAYERS, SEATS, DecisionRow, Referee, starting_kinds


def setup(referee: Referee, sheets: list[DecisionRow], game: dict[str, Any]) -> None:
    """S1, S4, S5, S6, S7: Health, decks, hands, Street and piles as the game begins."""
    first = next((sheet for sheet in sheets if sheet.turn == 1), None)
    if first is None:
        return
    referee.at = first
    facts, rules = referee.facts, referee.facts.rules
    for seat, size in enumerate((rules.first_hand, rules.second_hand)):
        side, name = first.sides[seat], SEATS[seat]
        influences = [text for text in game[f"{name}_influences"].split(" + ") if text]
        wanted, mine = starting_kinds(facts, seat, influences), Counter(card for card, _ in side.hand + side.deck)
        referee.expect("S4", mine == wanted, "the deck of {} does not begin as it should", PLAYERS[seat])
        hand = min(size, sum(wanted.values()))
        referee.expect("S7", len(side.hand) == hand, "{} begins with {} cards instead of {}", PLAYERS[seat], len(side.hand), hand)
        referee.expect("S1", side.health == facts.of(game[f"{name}_overlord"]).health, "{} does not begin with full Health", PLAYERS[seat])
    referee.expect("S5", first.row["acolytes"] == min(64, facts.acolytes), "the game begins with {} Acolytes", first.row["acolytes"])
    market = min(256, facts.market)
    right = len(first.street) == min(rules.street_size, market) and len(first.street) + first.row["market"] == market
    referee.expect("S6", right, "the Street begins with {} cards and the Market with {}", len(first.street), first.row["market"])


def game_end(referee: Referee, sheets: list[DecisionRow], game: dict[str, Any]) -> None:
    """T4, E1: the game ends when somebody has no Health, and the other has won; or after the last turn, and nobody has."""
    last = referee.at = sheets[-1]
    healths = [side.health for side in last.sides]
    referee.expect("T4", last.action is None, "the game has no end")
    if game["end"] == "turn limit":
        referee.expect("E1", last.turn == referee.facts.rules.max_turns and game["winner"] == "draw", "the turn limit ended turn {}", last.turn)
        return
    referee.expect("T4", min(healths) == 0 < max(healths), "the game ended with {} and {} Health", *healths)
    referee.expect("T4", game["winner"] == SEATS[healths.index(max(healths))], "{} is said to have won with {} and {} Health", game["winner"], *healths)
    referee.expect("T4", [game[f"{seat}_health"] for seat in SEATS] == healths, "the games table has another Health at the end")
