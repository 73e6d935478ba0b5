"""`terrors suggest`: the smallest patch that makes a set fair.

1. Is anything off? The set as it is, on deals of its own, until everything is decided or many games are played.
2. What does every number do? The number lottery, over the numbers that may be changed.
3. Which few edits would mend it? A search over the model of patches (patches.py), one edit, two, three.
4. They race on the same deals, the worse half dropped early; the model learns from what it sees and names new candidates (race.py).
5. The best of each size is judged on a sealed bank of deals, which nothing has seen.
6. If none is fair, what was kept out of caution (printed facts, rules) may be changed too, and the smallest patch with it is offered as what it is.

Everything depends on the seed alone, and all that was played is kept: the same command goes on, or gives the same answer at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from terrors.analysis.contract.findings_schema import OFF
from terrors.analysis.numbers.fairness import FAIR, UNDECIDED, Asked, read_targets
from terrors.analysis.numbers.gauges import FIRST, LENGTH, Gauges
from terrors.analysis.numbers.number_effects import Effects, effects_of
from terrors.analysis.numbers.number_lottery import Blocks, NumberLottery, rounds_for
from terrors.analysis.numbers.patch_feel import feel_metrics, worse
from terrors.analysis.numbers.patches import MOST, Patch, PatchModel, Seen, find_patches, moves_of, new_twins
from terrors.analysis.numbers.played_versions import Versions, settled
from terrors.analysis.numbers.race import UNPATCHED, PlayedPatches, race
from terrors.analysis.numbers.store import Kept, keep_blocks, kept_blocks, key_of
from terrors.analysis.numbers.study import SAVE_EVERY
from terrors.analysis.numbers.wishes import Wanted, beyond_limits, changeable, why_kept
from terrors.analysis.stats.intervals import Looks
from terrors.simulator.cards.card_numbers import Number, numbers_of
from terrors.simulator.cards.card_set import CardFileError
from terrors.simulator.play.movable import settings
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.stopping import Z_95, mixture
from terrors.simulator.runs.storage import Folder
from terrors.simulator.terms.errors import AnalysisError

LOTTERY_GAMES = 240_000  # races correct what it leaves unsure
CHECKS = (1_000, 2_500, 6_000, 15_000)  # rounds of the set as it is, up to which there is a look, while anything is undecided
FIRST_RACE = ((120, 8), (400, 4), (1_200, 2))  # rounds to play up to, patches of each size that go on
NEXT_RACE = ((120, 6), (400, 4), (1_200, 2))
ENTRANTS, MOST_ENTRANTS, RACES = 8, 24, 4  # patches of each size in a race: so many for each edit, at most; races
ROOM = 0.75  # of a margin: a patch that leaves no more off has room to spare
GOOD_ENOUGH = 0.7  # of a margin: no further race
HOPELESS, NEARER = 3.0, 0.85  # margins; and what must be left of a distance after a race: no further race where that far away nothing comes nearer
SEALED = (2_000, 5_000, 12_000)  # rounds on the sealed bank, between looks
ATTEMPTS = 2  # patches of each size that are judged, each on seeds of its own
LONGEST = 0.2  # share by which games may become longer or shorter
BEYOND_GAMES = 120_000  # of the lottery over what lies beyond the limits: printed facts and rules
BEYOND_PRICE = 0.15  # of a margin, for each number beyond the limits: the fewer the better


@dataclass
class Suggestion:
    """One patch: its edits, what was predicted of it, and what the sealed deals say."""

    edits: list[tuple[Number, int]]  # a number and its new value
    gauges: list[str]
    predicted: np.ndarray
    predicted_error: np.ndarray
    measured: np.ndarray
    measured_error: np.ndarray
    states: list[str]
    rounds: int
    looks: Looks
    worse: list[str] = field(default_factory=list)  # metrics of feel that it moves out of their bounds
    cards: list[str] = field(default_factory=list)  # cards that it leaves beyond their margins, where that was asked for
    beyond: list[Number] = field(default_factory=list)  # numbers that it changes although they lie beyond the limits: printed facts, rules

    @property
    def fair(self) -> bool:
        """Whether everything that was asked for is fair for certain, and no game feels worse for it."""
        return all(state == FAIR for state in self.states) and not self.worse and not self.cards

    @property
    def open(self) -> list[str]:
        """The gauges that it leaves open, and what would feel worse."""
        return [name for name, state in zip(self.gauges, self.states, strict=True) if state != FAIR] + self.worse + self.cards

    def settings(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return the edits as a plan has them: overrides of cards, and rules."""
        return settings([number for number, _ in self.edits], [value for _, value in self.edits])

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        z, rows = self.looks.z(), []
        for i, name in enumerate(self.gauges):
            guess, guess_error, mean, error = (float(array[i]) for array in (self.predicted, self.predicted_error, self.measured, self.measured_error))
            told = {"predicted": guess, "predicted_low": guess - Z_95 * guess_error, "predicted_high": guess + Z_95 * guess_error}
            rows.append({"of": name, **told, "measured": mean, "low": mean - z * error, "high": mean + z * error, "verdict": self.states[i]})
        edits = [
            {"where": number.name, "from": number.value, "to": value, "words": number.said(value), "kept": why_kept(number) if number in self.beyond else None}
            for number, value in self.edits
        ]
        return {"edits": edits, "within_limits": not self.beyond, "fair": self.fair, "open": self.open, "gauges": rows, "rounds": self.rounds}


@dataclass
class Advice:
    """The answer: nothing to change, some patches, or none within the limits, the nearest one, and what would do beyond them."""

    base: Suggestion  # the set as it is: no edits
    suggestions: list[Suggestion]  # by number of edits; at the end one beyond the limits, if none within them is fair
    games: int
    pilot: str
    asked: Asked
    interrupted: str = ""  # where it was stopped, if it was
    cards: list[str] = field(default_factory=list)  # cards that are beyond their margins, where that was asked for
    scout: str = ""  # who played the lottery, if not the pilot

    @property
    def off(self) -> list[int]:
        """The gauges (by place) of the set as it is that are off for certain."""
        return [place for place, state in enumerate(self.base.states) if state in OFF]

    @property
    def leaning(self) -> list[int]:
        """The gauges that lie beyond their margins after the last look, though not for certain."""
        beyond = np.abs(self.base.measured - self.asked.centre) > self.asked.margin
        return [place for place, state in enumerate(self.base.states) if state == UNDECIDED and beyond[place]]

    @property
    def needed(self) -> bool:
        """Whether anything is off, or leans to it."""
        return bool(self.cards or self.off or self.leaning)

    @property
    def smallest(self) -> Suggestion | None:
        """The suggestion with the fewest edits that is fair; None if there is none."""
        return next((one for one in self.suggestions if one.fair), None)

    @property
    def best(self) -> Suggestion | None:
        """The one to take: the smallest that is fair with room to spare, since other deals may say a little more; if there is none, the smallest."""
        return next((one for one in self.suggestions if one.fair and self.distance(one) <= ROOM), self.smallest)

    @property
    def nearest(self) -> Suggestion | None:
        """The suggestion within the limits that is nearest to what was asked, if none is fair."""
        return min((one for one in self.suggestions if not one.beyond), key=self.distance, default=None)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each suggestion and gauge; suggestion 0 is the set as it is."""
        found = []
        for number, one in enumerate([self.base, *self.suggestions]):
            data = one.as_data()
            told = {"suggestion": number, "edits": "; ".join(edit["words"] for edit in data["edits"]), "within_limits": data["within_limits"], "fair": one.fair}
            found += [{**told, **row} for row in data["gauges"]]
        return found

    def distance(self, one: Suggestion) -> float:
        """Return how far a patch is from what was asked, in margins."""
        return float((np.abs(one.measured - self.asked.centre) / self.asked.margin).max())


class PatchSearch:
    """One search for a patch: what is played, what is known."""

    def __init__(self, job: Job, wanted: Wanted, games: int, jobs: int, folder: Folder | None, tell: Callable[[str], None]) -> None:
        """Take what is asked for."""
        self.job, self.wanted, self.jobs, self.tell = settled(job), wanted, jobs, tell
        everything = numbers_of(self.job.cards, self.job.plan.ruleset())
        self.within, self.beyond = (find(self.job.cards, everything, wanted) for find in (changeable, beyond_limits))
        self.numbers = [*self.within, *self.beyond]
        self.kept = Kept(folder, key_of(self.job, self.numbers)) if folder else None
        self.lottery_games = games
        gauges = Gauges(Versions(self.job, [], "suggest").schedule).all
        self.asked = Asked(gauges, wanted.margins, read_targets(wanted.targets, gauges), wanted.kinds(self.within))
        self.raced = self.bank("race")
        self.feel: dict[str, tuple[float, float, float]] | None = None  # of the set as it is, once it is needed
        self.as_played: list[tuple[float, float]] = []  # gauges and errors of the set as it is
        self.games = 0  # but those of the races

    def bank(self, name: str) -> PlayedPatches:
        """Return the deals of one purpose."""
        return PlayedPatches(self.job, self.numbers, f"suggest {name}", self.jobs, self.kept)

    def judged(self, name: str, patch: Patch, looks_at: Sequence[int], words: str) -> tuple[np.ndarray, np.ndarray, list[str], int, Looks]:
        """Return gauges, errors and verdicts of one patch on a bank of its own, played until all is decided; the looks in between are allowed for."""
        played = self.bank(name)
        rho = mixture(looks_at[-1] / 4, 0.05)
        for rounds in looks_at:
            played.play({patch: rounds}, lambda games: self.tell(f"{words}: {games:,} games"))
            mean, error = played.mean(patch, rounds)
            looks = Looks(rounds, rho)
            states = self.asked.states(mean, error, looks)
            if all(state == FAIR for state in states) or (patch and any(state in OFF for state in states)):
                break
        self.games += played.games
        return mean, error, states, rounds, looks

    def as_it_is(self) -> Advice:
        """Return the verdict on the set as it is, and no suggestion yet."""
        mean, error, states, rounds, looks = self.judged("base", UNPATCHED, CHECKS, "the set as it is")
        self.as_played = list(zip(mean.tolist(), error.tolist(), strict=True))
        base = Suggestion([], [gauge.name for gauge in self.asked.gauges], mean, np.zeros_like(mean), mean, error, states, rounds, looks)
        return Advice(base, [], self.games, ", ".join(self.job.strategies), self.asked, scout=self.wanted.scout)

    def lottery(self, numbers: list[Number], games: int, purpose: str) -> Effects:
        """Return the effects of some numbers."""
        job, kept = self.job, self.kept
        if self.wanted.scout:
            job = replace(Job.of(self.job.plan.but(strategies=(self.wanted.scout,), cards=""), ""), cards=self.job.cards)
        versions = Versions(job, numbers, purpose, self.jobs)
        lottery = NumberLottery(versions, rounds_for(games, len(numbers), versions.games_a_round))
        kept = Kept(kept.folder, key_of(job, numbers)) if kept else None
        blocks = kept_blocks(kept, lottery.rounds) if kept else Blocks(rounds=lottery.rounds)
        wanted = max(40, round(games / lottery.games_a_block))
        before, saved = len(blocks), time.monotonic()

        def told(done: Blocks) -> None:
            nonlocal saved
            if kept and time.monotonic() - saved > SAVE_EVERY:
                keep_blocks(kept, done)
                saved = time.monotonic()
            self.tell(f"what {len(numbers)} numbers do: {len(done) * lottery.games_a_block:,} of {wanted * lottery.games_a_block:,} games")

        blocks = lottery.play(wanted, blocks, told)
        if kept and len(blocks) > before:
            keep_blocks(kept, blocks)
        self.games += len(blocks) * lottery.games_a_block
        if len(blocks) < wanted:
            raise KeyboardInterrupt
        return effects_of(numbers, lottery.gauges.all, blocks, lottery.games_a_block)

    def possible(self, patches: Iterable[Patch]) -> list[Patch]:
        """Return the patches that give a set that can be used, in which no card is another's twin."""
        found = []
        for patch in patches:
            try:
                after = self.job.cards.replace(settings(*self.edited(patch))[0])
            except CardFileError:
                continue
            if not new_twins(self.job.cards, after):
                found.append(patch)
        return found

    def edited(self, patch: Patch) -> tuple[list[Number], list[int]]:
        """Return the numbers of a patch and their new values."""
        return [self.numbers[place] for place, _ in patch], [self.numbers[place].value + k * self.numbers[place].step for place, k in patch]

    def candidates(self, model: PatchModel, size: int, tried: set[Patch], beyond: bool) -> list[Patch]:
        """Return patches of one size to enter a race. `beyond`: with at least one number beyond the limits, otherwise without any."""
        most = min(MOST_ENTRANTS, ENTRANTS * size)
        moves = moves_of(self.numbers if beyond else self.within)
        least = len(self.within) if beyond else 0
        return self.possible(find_patches(model, moves, size, most + 4, tried, least))[:most]

    def races(self, model: PatchModel, sizes: Iterable[int], beyond: bool = False) -> dict[int, list[Patch]]:
        """Return the best patches of each size after some races; the model has learnt from all of them."""
        played, tried, sizes = self.raced, set[Patch](), list(sizes)
        best: dict[int, list[Patch]] = {}
        score = np.inf
        for number in range(RACES):
            entered = {size: list(dict.fromkeys([*best.get(size, []), *self.candidates(model, size, tried, beyond)])) for size in sizes}
            tried |= {patch for patches in entered.values() for patch in patches}
            words = f"race {number + 1}, {sum(map(len, entered.values()))} patches"
            best = race(played, model, entered, NEXT_RACE if number else FIRST_RACE, lambda games, words=words: self.tell(f"{words}: {games:,} games"))  # type: ignore[misc]
            best = {size: self.steady(played, patches) for size, patches in best.items()}
            last = [patches for patches in best.values() if patches][-1:]
            before, score = score, float(model.score(last[0]).min()) if last else np.inf
            if score < GOOD_ENOUGH or (score > HOPELESS and score > NEARER * before):
                break
        return best

    def steady(self, played: PlayedPatches, patches: Sequence[Patch]) -> list[Patch]:
        """Return the patches with which games do not become much longer or shorter."""
        place = next(i for i, gauge in enumerate(self.asked.gauges) if gauge.kind == LENGTH)
        usual = played.mean(UNPATCHED)[0][place]
        return [patch for patch in patches if abs(played.mean(patch)[0][place] / usual - 1) <= LONGEST] or list(patches[:1])

    def judged_best(self, patches: Sequence[Patch], model: PatchModel) -> Suggestion | None:
        """Return the best of some patches of one size, judged; if it fails and another one does not, that one."""
        first = None
        for attempt, patch in enumerate(patches[:ATTEMPTS]):
            found = self.suggestion(patch, model, attempt)
            if found.fair:
                return found
            first = first or found
        return first

    def search(self, advice: Advice) -> None:
        """Find suggestions within the limits, and add them."""
        base = advice.base
        effects = self.lottery(self.within, self.lottery_games, "suggest lottery")
        model = PatchModel.of(effects, self.asked, base.measured, base.measured_error, bool(self.wanted.scout))
        for _, patches in sorted(self.races(model, range(1, min(self.wanted.max_edits, len(self.within)) + 1)).items()):
            if (found := self.judged_best(patches, model)) is not None:
                advice.suggestions.append(found)
        if advice.best is None and self.beyond:
            self.search_beyond(advice, effects, model.seen)

    def search_beyond(self, advice: Advice, effects: Effects, seen: list[Seen]) -> None:
        """Find the smallest patch with numbers beyond the limits, and add it if it is fair, or at least nearer than what lies within them."""
        base = advice.base
        effects = effects.and_of(self.lottery(self.beyond, min(BEYOND_GAMES, self.lottery_games), "suggest lottery beyond"))
        model = PatchModel.of(effects, self.asked, base.measured, base.measured_error, bool(self.wanted.scout))
        model.price = np.repeat([0.0, BEYOND_PRICE], [len(self.within), len(self.beyond)])
        model.learn(seen)
        tried = []
        for size in range(1, min(self.wanted.max_edits, len(self.numbers)) + 1):
            found = self.judged_best(self.races(model, [size], beyond=True)[size], model)
            if found is not None:
                tried.append(found)
                if found.fair:
                    break
        best = next((one for one in tried if one.fair), min(tried, key=advice.distance, default=None))
        if best is not None and (best.fair or advice.nearest is None or advice.distance(best) < advice.distance(advice.nearest)):
            advice.suggestions.append(best)

    def suggestion(self, patch: Patch, model: PatchModel, attempt: int) -> Suggestion:
        """Return a patch judged on a sealed bank."""
        beyond = [self.numbers[place] for place, _ in patch if place >= len(self.within)]
        predicted, error = model.predict([patch])
        words = f"judging {len(patch)} edit{'s' if len(patch) > 1 else ''} on sealed deals"
        mean, measured, states, rounds, looks = self.judged(f"sealed {len(patch)} {attempt}" + " beyond" * bool(beyond), patch, SEALED, words)
        names = [gauge.name for gauge in self.asked.gauges]
        found = Suggestion(list(zip(*self.edited(patch), strict=True)), names, predicted[0], error[0], mean, measured, states, rounds, looks, beyond=beyond)
        if found.fair:
            found.worse = self.first_is_worse(found) + self.feels_worse(found)
        return found

    def first_is_worse(self, found: Suggestion) -> list[str]:
        """Return going first in words, if it was not asked for and a patch takes it out of its margin, and farther by as much again, for certain."""
        place, margin = next(i for i, gauge in enumerate(self.asked.gauges) if gauge.kind == FIRST), self.wanted.margins.first
        if np.isfinite(self.asked.margin[place]):
            return []
        (was, was_error), (now, error) = self.as_played[place], (float(found.measured[place]), float(found.measured_error[place]))
        farther = abs(now - 50) - abs(was - 50) - Z_95 * np.hypot(error, was_error)
        if abs(now - 50) - Z_95 * error <= margin or farther <= margin:  # where games are even the seat decides more of them: that alone is no fault
            return []
        return [f"going first {now:.0f} (was {was:.0f}, margin ±{margin:g})"]

    def feels_worse(self, found: Suggestion) -> list[str]:
        """Return what a patch would make worse about the feel of games."""
        self.tell("how games feel with it")
        overrides, rules = found.settings()
        plan = self.job.plan.but(rules={**self.job.plan.rules, **rules})
        if self.feel is None:
            self.feel = feel_metrics(self.job.plan, self.job.cards, self.jobs)
        return worse(self.feel, feel_metrics(plan, self.job.cards.replace(overrides), self.jobs), self.wanted.margins)


def suggest(
    job: Job, wanted: Wanted, games: int = LOTTERY_GAMES, jobs: int = 1, folder: Folder | None = None, tell: Callable[[str], None] | None = None
) -> Advice:
    """Return what to change so that everything that is asked for is fair."""
    if not 1 <= wanted.max_edits <= MOST:
        raise AnalysisError(f"max-edits {wanted.max_edits}: give a number from 1 to {MOST}.")
    search = PatchSearch(job, wanted, games, jobs, folder, tell or (lambda _: None))
    advice = search.as_it_is()
    if not advice.needed:
        return advice
    try:
        search.search(advice)
    except KeyboardInterrupt:
        advice.interrupted = "the same command goes on"
    advice.games = search.games + search.raced.games
    return advice
