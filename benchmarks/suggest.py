"""The exam of `terrors suggest`: sets with one to three planted edits in a fair set, and fair sets; all of it can be run again, and failures are printed.

python benchmarks/suggest.py                    # 20 planted sets and 20 fair ones
python benchmarks/suggest.py --planted 3 --fair 2 --first 5      # some of them

A planted set: the fair set below, with one to three numbers that are not printed facts moved by lot (costs, Health, copies, amounts; by up to three steps,
Health up to four) such that an overlord or a match-up is off for certain. Passed if the suggestion with the fewest edits that claims to be fair has at most
three, and every overlord and match-up is fair on seeds that the search has not seen. A fair set: the same with one move so small that all stays within the
margins. Passed if nothing needs to change.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from terrors.analysis.contract.findings_schema import FAIR, OFF
from terrors.analysis.contract.margins import Margins
from terrors.analysis.numbers.fairness import Asked
from terrors.analysis.numbers.gauges import LENGTH, Gauges
from terrors.analysis.numbers.played_versions import PILOT, Versions, settled
from terrors.analysis.numbers.race import UNPATCHED, PlayedPatches
from terrors.analysis.numbers.suggest import LOTTERY_GAMES, Advice, Wanted, changeable, suggest
from terrors.simulator.cards.card_numbers import numbers_of
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan

# With these the reference set is fair in the hands of `tuned`: found by `terrors suggest --free health`.
FAIR_SET = ("Methuselah.health=36", "Fenris.health=43", "Azazael.health=54")
SEED = 20261118
CHECK_ROUNDS = 8_000
STEPS = {"health": 4, "cost": 3, "copies": 1}


def job_of(changes: tuple[str, ...], seed: int, pilot: str) -> Job:
    """Return the set with some changes, and who plays it."""
    return settled(Job.of(Plan(strategies=(pilot,), pairing="mirror", set=changes, seed=seed), ""))


def gauged(changes: tuple[str, ...], seed: int, pilot: str, jobs: int, rounds: int = CHECK_ROUNDS) -> tuple[list[str], np.ndarray, list[str]]:
    """Return names, values and verdicts of all gauges, on deals that no search sees."""
    job = job_of(changes, seed, pilot)
    played = PlayedPatches(job, [], "exam", jobs)
    played.play({UNPATCHED: rounds})
    mean, error = played.mean(UNPATCHED)
    gauges = Gauges(Versions(job, [], "exam").schedule).all
    return [gauge.name for gauge in gauges], mean, Asked(gauges, Margins(), first=False).states(mean, error)


def planted(number: int, pilot: str, jobs: int, off: bool) -> tuple[str, ...]:
    """Return the edits of one set of the exam: drawn until an overlord or match-up is off for certain, or until all of them are fair for certain."""
    luck = np.random.default_rng([SEED, number, int(off)])
    cards = job_of(FAIR_SET, 1, pilot).cards
    numbers = changeable(cards, numbers_of(cards, Plan().ruleset()), Wanted())
    while True:
        edits = []
        for place in luck.choice(len(numbers), int(luck.integers(1, 4)) if off else 1, replace=False):
            one = numbers[place]
            steps = [k for k in range(-STEPS.get(one.column, 1), STEPS.get(one.column, 1) + 1) if k and one.low <= one.value + k * one.step <= one.high]
            edits.append(one.to(one.value + int(luck.choice(steps)) * one.step))
        _, _, states = gauged((*FAIR_SET, *edits), SEED, pilot, jobs)
        if any(state in OFF for state in states) if off else all(state == FAIR for state in states):
            return tuple(edits)


def examine(number: int, off: bool, given: argparse.Namespace) -> tuple[bool, int, int, Advice]:
    """Return whether one set was passed, how many predicted changes held and of how many, and the advice; print what came of it."""
    edits = planted(number, given.pilot, given.jobs, off)
    began, cpu = time.monotonic(), time.process_time()
    advice = suggest(job_of((*FAIR_SET, *edits), SEED + number, given.pilot), Wanted(), given.games, given.jobs)
    wall, cpu = time.monotonic() - began, time.process_time() - cpu
    print(f"\n{'planted' if off else 'fair'} {number}: {', '.join(edits)}   ({wall:.0f} s, {cpu:.0f} s of processors, {advice.games:,} games)")
    print("  as it is:", _gaps(advice.asked.gauges, advice.base.measured))
    held = known = 0
    for one in advice.suggestions:
        error = np.hypot(one.predicted_error, one.measured_error)
        counted = [i for i, gauge in enumerate(advice.asked.gauges) if gauge.kind != LENGTH and abs(one.predicted[i] - advice.base.measured[i]) > 1e-9]
        held += int(sum(abs(one.predicted[i] - one.measured[i]) <= 1.96 * error[i] for i in counted))
        known += len(counted)
        print(f"  {len(one.edits)}: {'; '.join(n.said(v) for n, v in one.edits)}: {'fair' if one.fair else 'open: ' + ', '.join(one.open)}")
        print("     " + _gaps(advice.asked.gauges, one.measured))
    if not off:
        return not advice.needed, held, known, advice
    best = advice.best or (advice.base if not advice.needed else None)
    if best is None:
        print("  FAILED: no patch")
        return False, held, known, advice
    changes = best.settings()[0] if best.edits else ()
    names, mean, states = gauged((*FAIR_SET, *edits, *changes), SEED + 1, given.pilot, given.jobs)
    wrong = [f"{name} {value:.1f} {state}" for name, value, state in zip(names, mean, states, strict=True) if state != FAIR]
    print("  FAILED on fresh seeds: " + ", ".join(wrong) if wrong else f"  passed with {len(best.edits)} edits")
    return not wrong, held, known, advice


def _gaps(gauges: list, means: np.ndarray) -> str:  # type: ignore[type-arg]
    return ", ".join(f"{gauge.name} {mean:.1f}" for gauge, mean in zip(gauges, means, strict=True) if gauge.kind == "overlord")


def main() -> None:
    """Hold the exam and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--fair", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first set")
    parser.add_argument("--games", type=int, default=LOTTERY_GAMES, help="of the lottery")
    parser.add_argument("--pilot", default=PILOT)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    passed = {True: 0, False: 0}
    held = known = 0
    began = time.monotonic()
    for off, count in ((True, given.planted), (False, given.fair)):
        for number in range(given.first, given.first + count):
            good, right, of, _ = examine(number, off, given)
            passed[off] += good
            held, known = held + right, known + of
    print(f"\nplanted sets that end fair: {passed[True]} of {given.planted}; fair sets left alone: {passed[False]} of {given.fair}; predicted changes", end=" ")
    print(f"within their intervals: {held} of {known}; {time.monotonic() - began:.0f} s, played by {given.pilot}.")


if __name__ == "__main__":
    main()
