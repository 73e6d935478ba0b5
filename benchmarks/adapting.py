"""An exam of `--adapt`: pilots who learnt a set in a minute must see what a planted combination is worth as pilots do who were trained on it from nothing.

    python benchmarks/adapting.py [SETS]                  # 10 sets; some three minutes of processor time each

Into each set two cards are planted that nobody has seen: one does next to nothing, the other nothing at all unless the first is there, and then very much.
The worth of the combination is what a side wins more than 50 of 100 when the rival may buy neither, with the same pilot on both sides. It is asked of the
pilot as it ships, of the adapted one, and of one that was trained on this set alone. Passed: adapted and trained within 1 point of each other, in 8 of 10 sets.
Sets that fail are printed.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from terrors.analysis.players.adapting import adapt, fits, gain_of
from terrors.analysis.players.head_to_head import match_ups
from terrors.analysis.players.value_training import ValueSettings, train_value
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import Box, Interventions, make_box
from terrors.simulator.play.match import Ready, pairs_of_games, play_rows, points
from terrors.simulator.runs.stopping import Z_95
from terrors.strategies.formats.expert import Expert
from terrors.strategies.formats.value import FILE

SEED = 71_000  # of the luck that worth is measured by; the set's number is added
GAMES = 24_000  # for each worth: ± 0.6 points
TRAINED_ON = 60_000  # games of each of two rounds of the full training
PASS = 1.0  # point
FACTIONS = ("Undead", "Beast", "Mortal", "Spirit")
NAMES = ("Lamp Wick", "Oil Flask")


def planted_rows(number: int) -> list[str]:
    """Return the two cards of a set: which factions, what they cost, and what the second is worth differ from set to set."""
    luck = np.random.default_rng([SEED, number])
    first, second = luck.choice(FACTIONS, 2, replace=False)
    power, draw, cheap, dear = luck.integers(5, 9), luck.integers(0, 2), luck.integers(1, 3), luck.integers(2, 4)
    worth = f"{power} Power" + ((" and DRAW 1" if number % 2 else "; DRAW 1") if draw else "")
    event = f"each {first} played: {worth}" if number % 2 else ""
    ability = "" if number % 2 else f"if {first} in play: {worth}"
    return [
        f"{NAMES[0]},market,Monster,{first},,{cheap},4,,1 Coin,,,,,,planted,",
        f'{NAMES[1]},market,Monster,{second},,{dear},4,,"{ability}","{event}",,,,,planted,',
    ]


def worth_of(cards_file: Path, pilot: Expert, seed: int) -> tuple[float, float]:
    """Return how many points more than 50 a side wins when the rival may buy neither card, and the ± of it."""
    shares = []
    for denied in (0, 1):
        box = make_box(load_cards(cards_file), interventions=Interventions(deny=tuple((name, denied) for name in NAMES)))
        pairs = max(1, GAMES // 4 // len(match_ups(box)))
        rows = play_rows(box, pairs_of_games(box, match_ups(box), pairs, seed), Ready(pilot, box), Ready(pilot, box))
        shares.append(points(rows["winner"], 1 - denied))
    by_game = (shares[0] + shares[1]) / 2  # the same luck, each seat denied once
    by_pair = by_game.reshape(-1, 2).mean(1)
    return 100 * float(by_pair.mean()) - 50, 100 * Z_95 * float(by_pair.std(ddof=1)) / len(by_pair) ** 0.5


def trained_on(box: Box, file: Path) -> Expert:
    """Return a pilot that was trained from nothing on this set alone."""
    train_value(box, file, ValueSettings(box.cards.sha256, "", {}, games=TRAINED_ON, sets=0))
    return Expert(file)


def try_set(number: int, place: Path) -> bool:
    """Try one set, print what it gave, and return whether it passed."""
    file = place / f"set-{number}.csv"
    file.write_text("\n".join([load_cards(None).to_csv().rstrip("\n"), *planted_rows(number)]) + "\n", encoding="utf-8")
    box = make_box(load_cards(file))
    gain = adapt(box, place / f"adapted-{number}.json", seed=number)
    pilots = {"ships": Expert(FILE), "adapted": Expert(place / f"adapted-{number}.json"), "trained": trained_on(box, place / f"trained-{number}.json")}
    seen = {name: worth_of(file, pilot, SEED + number) for name, pilot in pilots.items()}
    full = gain_of(box, pilots["trained"], pilots["adapted"], 4_000, SEED + number)
    gap = abs(seen["adapted"][0] - seen["trained"][0])
    told = ", ".join(f"{name} {worth:+.1f} ± {half:.1f}" for name, (worth, half) in seen.items())
    print(f"set {number}: {'passed' if gap <= PASS else 'FAILED'}; worth: {told}; adapting gained {gain.elo:+.0f} ± {gain.half_width:.0f} Elo, "
          f"training {full.elo:+.0f} ± {full.half_width:.0f} on that; quick test {fits(box).bias:.1f}", flush=True)  # fmt: skip
    if gap > PASS:
        print("\n".join(f"    {row}" for row in planted_rows(number)), flush=True)
    return gap <= PASS


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        passed = [try_set(number, Path(folder)) for number in range(sets)]
    print(f"{sum(passed)} of {sets} passed")
    sys.exit(sum(passed) < 0.8 * sets)


if __name__ == "__main__":
    main()
