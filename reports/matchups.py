"""`make report`, until the page exists: some thousand games of the greedy strategy, and who wins each match-up, with how sure that is."""

from __future__ import annotations

import numpy as np

from analysis.stats import Estimate, pair_estimate
from simulator.box import Box, make_box
from simulator.cards import load_cards
from simulator.enums import DRAW
from simulator.matches import pairs_of_games, play_rows
from strategies import find

PAIRS = 1000


def match_up_table(box: Box, rows: np.ndarray, names: list[str]) -> str:
    """Win rates of the row overlord against the column overlord, in per cent with their 95 % intervals."""
    width = max(len(n) for n in names) + 2
    lines = [" " * width + "".join(f"{n:>16}" for n in names)]
    for a in names:
        cells = []
        for b in names:
            if a == b:
                cells.append(f"{'–':>16}")
                continue
            e = against(box, rows, a, b)
            cells.append(f"{100 * e.share:.0f} ({100 * e.low:.0f}–{100 * e.high:.0f})".rjust(16))
        lines.append(f"{a:<{width}}" + "".join(cells))
    return "\n".join(lines)


def against(box: Box, rows: np.ndarray, a: str, b: str) -> Estimate:
    """How overlord a fares against b, from the pairs that they played."""
    legs = rows.reshape(-1, 2)
    kind_a, kind_b = box.kind(a), box.kind(b)
    scores = []
    for leg in range(2):
        mine = (legs["first"][:, 0] == kind_a) & (legs["second"][:, 0] == kind_b)
        theirs = (legs["first"][:, 0] == kind_b) & (legs["second"][:, 0] == kind_a)
        won_first = np.where(legs["winner"][:, leg] == DRAW, 0.5, legs["winner"][:, leg] == 0)
        in_first_seat = np.where(mine, leg == 0, leg == 1)
        scores.append(np.where(in_first_seat, won_first, 1 - won_first)[mine | theirs])
    return pair_estimate(scores[0], scores[1])


def main() -> None:
    """Play and print."""
    box = make_box(load_cards())
    greedy = find("greedy")
    names = [c.name for c in box.cards.overlords]
    match_ups = [(box.kind(a), box.kind(b)) for i, a in enumerate(names) for b in names[i + 1 :]]
    rows = play_rows(box, pairs_of_games(box, match_ups, PAIRS, seed=1), greedy, greedy)
    legs = rows.reshape(-1, 2)
    first = pair_estimate(*(np.where(legs["winner"][:, leg] == DRAW, 0.5, legs["winner"][:, leg] == 0) for leg in range(2)))
    turns = np.percentile(rows["turns"] / 2, [5, 50, 95])
    print(f"{len(rows):,} games, greedy against greedy, both seats of every match-up with the same luck.\n")
    print("Won by the overlord on the left, in per cent (95 % interval):\n")
    print(match_up_table(box, rows, names))
    print(f"\nGoing first wins {100 * first.share:.0f} of 100 games ({100 * first.low:.0f}–{100 * first.high:.0f}).")
    print(f"A game takes {turns[1]:.0f} turns a player; 90 of 100 games take {turns[0]:.0f} to {turns[2]:.0f}.")
    print(f"Games that ran into the turn limit: {(rows['winner'] == DRAW).sum()}; with an Action Phase cut short: {(rows['limits'] > 0).sum()}.")
    print("\nThe card set is a reference set, mostly invented; the strategy is a simple script, not a person.")


if __name__ == "__main__":
    main()
