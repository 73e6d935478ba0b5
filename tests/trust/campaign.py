"""Random worlds until something breaks: random card sets × random rules × random interventions.

    python -m tests.trust.campaign 0.5          half an hour on all cores, with a seed made from the time, which is printed
    python -m tests.trust.campaign 0.5 1234     the same worlds again

A share of the worlds is played through the compiled engine and the naive implementation, compared after every decision (differential.py); the others, with
interventions, which the naive one does not know, through whole runs, whose decisions the referee follows and whose games are played again. A difference is
shrunk to the smallest card set, the fewest changed rules and the shortest game that show it, and the way to repeat it is printed; then it ends with 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.plan import Plan as RunPlan
from terrors.simulator.runs.run import simulate
from terrors.simulator.terms.enums import Pile
from terrors.simulator.terms.errors import WordedError
from tests.support.cardsets import random_cards, random_rules
from tests.trust.differential import GAMES_PER_SET, Plan, card_set, entry_point, plan_of, play_both

ROOT = Path(__file__).parents[2]
BATCH = 50 * GAMES_PER_SET  # games against the naive implementation
WORLDS, WORLD_GAMES = 2, 6  # runs with interventions, and games in each
SHORTER = 60  # other games of the smallest set that are tried


@dataclass
class Found:
    """What a batch has played, and what it found."""

    games: int = 0
    decisions: int = 0
    comparisons: int = 0
    told: list[str] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.told = self.told or []


def batch(seed: int, number: int) -> Found:
    """Play one batch of a campaign; everything follows from the two numbers."""
    found = Found()
    start = (seed * 1_000_003 + number) % 2**40 * BATCH
    for game in range(start, start + BATCH):
        report = play_both(plan := plan_of("random", game))
        found.games += 1
        found.decisions += report.decisions
        if report.failures:
            found.told.append(story(shrunk(plan, differs)))
            return found
    for world in range(WORLDS):
        games, compared, problems = play_world(f"{seed} {number} {world}")
        found.games += games
        found.comparisons += compared
        if problems:
            found.told.append(
                "\n    ".join([f"world {seed} {number} {world}: repeat it: python -m tests.trust.campaign world {seed} {number} {world}", *problems])
            )
            return found
    return found


def quick_batch(seed: int, number: int) -> Found:
    """Play one batch in a process that does nothing else: what was imported is not looked through for garbage again and again, an eighth of the time."""
    if not gc.get_freeze_count():  # once: what is garbage by the next batch would be kept for ever
        gc.freeze()
    return batch(seed, number)


def play_world(name: str) -> tuple[int, int, list[str]]:
    """Play a run with interventions; return its games, the referee's comparisons, and what was not as it should be."""
    luck = random.Random(f"world {name}")
    with tempfile.TemporaryDirectory() as folder:
        cards = Path(folder) / "cards.csv"
        cards.write_text(random_cards(luck.getrandbits(40)), encoding="utf-8")
        market = [card.name for card in card_set(cards.read_text(encoding="utf-8")).cards if card.pile is Pile.MARKET]
        changes: dict[str, Any] = {"rules": {"max_turns": 20, "mirror": True} | random_rules(luck)}
        for entry in ("remove", "deny", "grant"):
            if luck.random() < 0.5:
                seats = ("",) if entry == "remove" else ("", ":first", ":second")
                changes[entry] = tuple(card + luck.choice(seats) for card in luck.sample(market, min(2, max(0, len(market) - 2))))
        if luck.random() < 0.5:
            changes["deny_lottery"] = 0.3
        plan = RunPlan(games=WORLD_GAMES, cards=str(cards), strategies=("random",), decisions="all", seed=luck.getrandbits(30), **changes)
        try:
            simulate(plan, f"{folder}/run", jobs=1)
        except WordedError as error:  # such as an intervention that takes the last card away: said in words, and no world
            return 0, 0, [] if str(error).endswith((".", "?")) else [f"this is no sentence: {error}"]
        verdict = verify_run(f"{folder}/run", 4, with_referee=True)
        compared = verdict.referee.compared.total() if verdict.referee else 0
        told = [f"plan: {plan}", *verdict.problems[:5]] if verdict.problems else []
        return WORLD_GAMES, compared, told


# Shrinking


def differs(plan: Plan) -> int | None:
    """Return after how many decisions a game comes out differently; None if it does not, or cannot be played."""
    try:
        report = play_both(plan)
    except Exception:  # no valid set, or no two overlords that may meet
        return None
    return report.decisions if report.failures else None


def shrunk(plan: Plan, fails: Callable[[Plan], int | None]) -> Plan:
    """Return the smallest world that still fails: rows of the card file, rules, and of some games the shortest."""
    head, *rows = plan.cards.splitlines(keepends=True)
    size = max(1, len(rows) // 2)
    while size:
        for start in range(0, len(rows), size):
            fewer = rows[:start] + rows[start + size :]
            if _playable(smaller := replace(plan, cards="".join([head, *fewer]))) and any(fails(one) is not None for one in _games(smaller, 6)):
                plan, rows = next(one for one in _games(smaller, 6) if fails(one) is not None), fewer
                break
        else:
            size //= 2
    for name in list(plan.rules):
        without = replace(plan, rules={rule: value for rule, value in plan.rules.items() if rule != name})
        if fails(without) is not None:
            plan = without
    lengths = [(found, one.number, one) for one in _games(plan, SHORTER) if (found := fails(one)) is not None]
    return min(lengths, key=lambda item: item[:2])[2] if lengths else plan


def _games(plan: Plan, count: int) -> Iterator[Plan]:
    """Yield this game, and some others on the same cards with other luck."""
    yield plan
    for number in range(count):
        yield replace(plan, number=number)


def _playable(plan: Plan) -> bool:
    try:
        card_set(plan.cards)
    except WordedError:
        return False
    return True


def story(plan: Plan) -> str:
    """Return everything that is needed to repeat a game."""
    report = play_both(plan)
    code = "from tests.trust.campaign import *; print(*play_both(Plan(**eval(open('difference.txt').read()))).failures)"
    fields = {"kind": plan.kind, "number": plan.number, "cards": plan.cards, "rules": plan.rules, "first": plan.first, "second": plan.second}
    return "\n".join([f"{plan.first} against {plan.second}, rules {plan.rules}, seed {plan.number}, cards:", plan.cards, *report.failures,
                      f"repeat it: write the next line into difference.txt, and python -c \"{code}\"", repr(fields)])  # fmt: skip


def commit() -> str:
    """Return the commit that is being tried."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main() -> None:
    """Play for so many hours, or one world again."""
    if sys.argv[1:2] == ["world"]:
        print(*play_world(" ".join(sys.argv[2:])), sep="\n")
        return
    parser = argparse.ArgumentParser(prog="python -m tests.trust.campaign", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hours", type=float)
    parser.add_argument("seed", type=int, nargs="?", default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time; all cores unless told")
    parser.add_argument("--first", type=int, default=0, help="the batch to begin with: a campaign that was stopped goes on")
    asked = parser.parse_args()
    again = f"python -m tests.trust.campaign {asked.hours:g} {asked.seed}"
    print(f"campaign: seed {asked.seed}, commit {commit()}; repeat it: {again}", flush=True)
    entry_point()
    total, began, number, said = Found(), time.monotonic(), asked.first, 0.0
    with Parallel(n_jobs=asked.jobs) as parallel:
        while number == asked.first or time.monotonic() - began < 3600 * asked.hours:
            for found in parallel(delayed(quick_batch)(asked.seed, one) for one in range(number, number + asked.jobs)):
                total = Found(total.games + found.games, total.decisions + found.decisions, total.comparisons + found.comparisons, total.told + found.told)
            number += asked.jobs
            if total.told or time.monotonic() - said > 60:
                said = time.monotonic()
                print(f"{total.games:,} games, {total.decisions:,} decisions compared, {total.comparisons:,} comparisons of the referee, "
                      f"{said - began:.0f} s; go on: {again} --first {number}", flush=True)  # fmt: skip
            if total.told:
                print(*total.told, sep="\n\n")
                sys.exit(1)
    if not total.decisions:
        sys.exit("campaign: nothing was compared.")
    took = time.monotonic() - began
    print(f"No difference in {total.games:,} games: {total.decisions:,} decisions compared with the naive implementation, ", end="")
    print(
        f"{total.comparisons:,} comparisons of the referee, in {took:.0f} s with {asked.jobs} at a time, {processor_seconds():.0f} s of processor time. ",
        end="",
    )
    print(f"A million games would take {took / total.games * 1e6 / 3600:.1f} hours.")


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
