"""How fast the engine plays, in one run on one core: `make bench`.

Prints games, turns, decisions and actions a second for random, greedy and tuned, each against itself, without logging; the same engine interpreted; cold
and warm start-up; the bytes of a state and what a snapshot costs; and pyminion (a Dominion simulator in Python) on the same core in the same run, where it
is installed. A turn is one player's turn; a decision is a choice of a strategy, whether it was asked or had planned it; an action is something done in an
Action Phase, or a trigger.

The machine is shared and noisy: each figure is the mean of the fastest tenth of many short chunks, and what counts are the ratios.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

CHUNK = 240


def fastest_tenth(seconds: list[float]) -> float:
    seconds = sorted(seconds)
    return float(np.mean(seconds[: max(1, len(seconds) // 10)]))


def engine_rates(first: str, second: str, games: int) -> dict[str, float]:
    """Rates of one pairing of strategies over all match-ups, in chunks."""
    from terrors import load_cards
    from terrors.simulator.play.box import make_box
    from terrors.simulator.play.match import Match, pairs_of_games
    from terrors.strategies import find

    box = make_box(load_cards())
    kinds = [box.kind(c.name) for c in box.cards.overlords]
    match_ups = [(a, b) for i, a in enumerate(kinds) for b in kinds[i + 1 :]]
    rows = pairs_of_games(box, match_ups, games // (2 * len(match_ups)), seed=1)
    rows = rows[np.random.default_rng(1).permutation(len(rows))]
    match = Match(box, find(first), find(second))
    seconds = []
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        began = time.perf_counter()
        match.play(chunk)
        seconds.append((time.perf_counter() - began) / len(chunk))
    rate = 1 / fastest_tenth(seconds)
    return {
        "games": rate,
        "turns": rate * rows["turns"].mean(),
        "decisions": rate * rows["decisions"].mean(),
        "actions": rate * rows["actions"].mean(),
        "turns a game": rows["turns"].mean(),
    }


def show(name: str, rates: dict[str, float]) -> None:
    print(
        f"{name:<28}{rates['games']:>10,.0f} games/s {rates['turns']:>12,.0f} turns/s {rates['decisions']:>12,.0f} decisions/s "
        f"{rates['actions']:>12,.0f} actions/s   ({rates['turns a game']:.1f} turns a game)"
    )


INTERPRETED = """
import sys, time; sys.path.insert(0, {root!r}); sys.path.insert(0, {here!r})
import engine; engine.CHUNK = 2
for pairing in (("random", "random"), ("greedy", "greedy")):
    engine.show(f"{{pairing[0]}}, interpreted", engine.engine_rates(*pairing, 24))
"""


def interpreted() -> None:
    code = INTERPRETED.format(root=str(ROOT), here=str(ROOT / "benchmarks"))
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)


def seconds_of(command: list[str], **environment: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def start_up() -> None:
    terrors = [sys.executable, "-c", "from terrors.cli.process import start; start()"]
    replay = [*terrors, "replay", "--seed", "7", "--first", "Fenris:greedy", "--second", "Azazael:random"]
    with tempfile.TemporaryDirectory() as empty:
        cold = seconds_of(replay, TERRORS_CACHE=empty, PYTHONPATH=str(ROOT))
        warm = min(seconds_of(replay, TERRORS_CACHE=empty, PYTHONPATH=str(ROOT)) for _ in range(3))
    helping = min(seconds_of([*terrors, "--help"], PYTHONPATH=str(ROOT)) for _ in range(3))
    print(f"start-up: terrors replay cold (compiles) {cold:.1f} s, warm {warm:.2f} s; terrors --help {helping:.2f} s")


def snapshots() -> None:
    """The size of a state, and the time of copying one in compiled code (work.game = game)."""
    import numba

    from terrors.simulator.kernel import jit, layout, work_layout
    from terrors.simulator.kernel.layout import record

    signature = numba.types.int64(jit._NUMBA_TYPES["WorkRecord"], jit._NUMBA_TYPES["GameRecord"], numba.types.int64)

    @numba.njit([signature])
    def copy_often(work, game, times):
        total = 0
        for i in range(times):
            work.game = game
            work.game.turn += i  # so that no copy can be left out
            total += work.game.turn
        return total

    work, game = record(work_layout.WORK), record(layout.GAME)
    copy_often(work, game, 10)
    best = 1e9
    for _ in range(20):
        began = time.perf_counter()
        copy_often(work, game, 20_000)
        best = min(best, (time.perf_counter() - began) / 20_000)
    print(f"state: {layout.GAME.itemsize:,} bytes, {best * 1e9:.0f} ns a snapshot")


def pyminion_rates(seconds: float = 6.0) -> dict[str, float] | None:
    """The big-money bots of pyminion against each other on the same core."""
    try:
        from pyminion.bots.examples import BigMoney
        from pyminion.expansions.base import base_set
        from pyminion.game import Game
    except ImportError:
        return None
    import logging

    logging.disable(logging.CRITICAL)
    games = turns = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        bots = [BigMoney(player_id="a"), BigMoney(player_id="b")]
        game = Game(players=bots, expansions=[base_set], log_stdout=False, log_file=False)
        game.play()
        games += 1
        turns += sum(p.turns for p in bots)
    logging.disable(logging.NOTSET)
    spent = time.perf_counter() - began
    return {"games": games / spent, "turns": turns / spent}


def main() -> None:
    print(__doc__.splitlines()[0])
    engine_rates("greedy", "greedy", 240)  # load or compile before timing
    engine_rates("random", "random", 240)
    show("random against random", engine_rates("random", "random", 12_000))
    greedy = engine_rates("greedy", "greedy", 60_000)
    show("greedy against greedy", greedy)
    engine_rates("tuned", "tuned", 240)
    show("tuned against tuned", engine_rates("tuned", "tuned", 24_000))
    interpreted()
    start_up()
    snapshots()
    peer = pyminion_rates()
    if peer is None:
        print("pyminion is not installed (make bench installs it): no comparison")
    else:
        times = greedy["turns"] / peer["turns"]
        print(f"pyminion, big money: {peer['games']:,.0f} games/s, {peer['turns']:,.0f} turns/s: greedy plays {times:,.0f} times as many turns")


if __name__ == "__main__":
    main()
