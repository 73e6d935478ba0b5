"""Suggestions: a model that learns, a search that finds what was planted, and the whole way on a set that was put off balance."""

import numpy as np
import pytest

import terrors.analysis.numbers.suggest as module
from terrors.analysis.contract.findings_schema import FAIR, FINE, OFF, STRONG, UNDECIDED, WEAK
from terrors.analysis.contract.margins import Margins
from terrors.analysis.numbers.card_patches import Access, access_of, mend_costs
from terrors.analysis.numbers.fairness import Asked
from terrors.analysis.numbers.gauges import FIRST, LENGTH, MATCHUP, OVERLORD, Gauge
from terrors.analysis.numbers.number_effects import Effects
from terrors.analysis.numbers.patch_feel import feel_metrics, worse
from terrors.analysis.numbers.patches import PatchModel, Seen, find_patches, moves_of, new_twins, odds, rates, towards_nothing
from terrors.analysis.numbers.suggest import Advice, Suggestion, suggest
from terrors.analysis.numbers.wishes import Wanted, beyond_limits, changeable, why_kept
from terrors.analysis.stats.intervals import Looks
from terrors.cli.commands.what_if.suggest import advice_words
from terrors.simulator.cards.card_numbers import Number, numbers_of
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.storage import open_folder
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.ruleset import Rules
from tests.support.places import FROZEN

CARDS = load_cards(FROZEN)
NUMBERS = numbers_of(CARDS, Rules())
PAIRS = (("A", "B"), ("A", "C"), ("B", "C"))
GAUGES = [*(Gauge(OVERLORD, name) for name in "ABC"), *(Gauge(MATCHUP, *pair) for pair in PAIRS), Gauge(FIRST), Gauge(LENGTH)]
ASKED = Asked(GAUGES, Margins(), kinds=(OVERLORD, MATCHUP))
BASE = np.array([60.0, 47.5, 42.5, 55.0, 65.0, 50.0, 55.0, 18.0])


def world(luck: np.random.Generator, numbers: int) -> tuple[list[Number], np.ndarray]:
    """Numbers with known effects in log odds on three match-ups and going first."""
    return [Number(f"card {i}", "cost", 5, 0, 99, 1) for i in range(numbers)], luck.normal(0, 0.08, (numbers, 4))


def measured(truth: np.ndarray, error: float, luck: np.random.Generator, numbers: list[Number]) -> Effects:
    """What a lottery would say of them, in points."""
    channels = BASE[[3, 4, 5, 6]]
    points = truth * channels * (100 - channels) / 100
    effect, se = np.zeros((len(truth), 8)), np.full((len(truth), 8), error)
    effect[:, 3:7] = points + luck.normal(0, error, points.shape)
    return Effects(numbers, GAUGES, effect, se, np.full_like(effect, np.nan), np.full_like(effect, np.nan), np.full(len(truth), 500.0), 1000)


def after(truth: np.ndarray, patch) -> np.ndarray:
    """The true gauges after a patch."""
    change = sum(k * truth[place] for place, k in patch)
    found = BASE.copy()
    found[3:7] = rates(odds(BASE[3:7]) + change)
    a, b, c = found[3:6]
    found[:3] = (a + b) / 2, (100 - a + c) / 2, (200 - b - c) / 2
    return found


def test_the_search_finds_a_patch_that_is_truly_fair():
    """Of fourteen numbers with random effects three steps or so bring three overlords within 3 points; the model knows effects to half a point."""
    luck, fair = np.random.default_rng(4), 0
    for _ in range(10):
        numbers, truth = world(luck, 14)
        model = PatchModel.of(measured(truth, 0.5, luck, numbers), ASKED, BASE, np.zeros(8))
        best = find_patches(model, moves_of(numbers), 3, 1)[0]
        assert len(best) == 3 == len({place for place, _ in best})
        fair += bool((np.abs(after(truth, best) - 50)[:3] < 3).all())
    assert fair >= 9


def test_the_model_learns_from_what_was_played_and_its_intervals_hold():
    """Effects known badly; patches that were played pull them to the truth, for the patch itself and for others that share its edits."""
    luck, held, before_off, after_off = np.random.default_rng(9), [], [], []
    for _ in range(20):
        numbers, truth = world(luck, 12)
        model = PatchModel.of(measured(truth, 1.5, luck, numbers), ASKED, BASE, np.zeros(8))
        patches = [((i, 1),) for i in range(6)]
        unseen = ((0, 1), (3, 1))
        before_off.append(np.abs(model.predict([unseen])[0][0] - after(truth, unseen))[:3].max())
        noise = 0.01
        model.learn(Seen(patch, truth[patch[0][0]] + luck.normal(0, noise, 4), np.full(4, noise**2), luck.normal(size=(50, 4))) for patch in patches)
        mean, error = model.predict([unseen, ((7, 2),)])
        after_off.append(np.abs(mean[0] - after(truth, unseen))[:3].max())
        held += (np.abs(mean - np.array([after(truth, unseen), after(truth, ((7, 2),))])) < 1.96 * np.maximum(error, 1e-9))[:, :6].ravel().tolist()
    assert np.mean(after_off) < np.mean(before_off) / 2
    assert np.mean(held) > 0.93


def test_luck_that_all_patches_have_in_common_is_not_counted_as_many_times():
    """Thirty patches on the same deals, most of whose luck is the same: the model must not take thirty times the same luck for thirty proofs."""
    luck, held = np.random.default_rng(11), []
    for _ in range(25):
        numbers, truth = world(luck, 30)
        model = PatchModel.of(measured(truth, 1.0, luck, numbers), ASKED, BASE, np.full(8, 0.3))
        patches = [(), *(((i, 1),) for i in range(30))]
        rounds = 0.8**0.5 * luck.normal(size=(1, 100, 4)) + 0.2**0.5 * luck.normal(size=(31, 100, 4))  # a round: one unit of log odds of luck
        found = [sum((truth[place] for place, _ in patch), np.zeros(4)) + rounds[i].mean(0) for i, patch in enumerate(patches)]
        model.learn(Seen(patch, found[i], np.full(4, 1 / 100), rounds[i]) for i, patch in enumerate(patches))
        mean, error = model.predict(patches[1:])
        held += (np.abs(mean - np.array([after(truth, patch) for patch in patches[1:]])) < 1.96 * error)[:, :6].ravel().tolist()
    assert np.mean(held) > 0.93


def test_a_large_step_ends_where_the_lottery_saw_it_end():
    """A step down from 90 to 50 and up to 95, as the lottery has them in points, is that in the model too, although log odds per point differ by far."""
    base = np.array([90.0, 30.0, 30.0, 90.0, 90.0, 50.0, 55.0, 18.0])
    effect, bend = np.zeros((1, 8)), np.zeros((1, 8))
    effect[0, [3, 4]], bend[0, [3, 4]] = 22.5, -17.5
    effects = Effects([Number("A", "abilities", 2, 1, 9, 1)], GAUGES, effect, np.full((1, 8), 0.1), bend, np.full((1, 8), 0.1), np.array([500.0]), 1000)
    mean, error = PatchModel.of(effects, ASKED, base, np.zeros(8)).predict([((0, -1),), ((0, 1),)])
    assert mean[0, [0, 3, 4]] == pytest.approx(50, abs=1)
    assert mean[1, [0, 3, 4]] == pytest.approx(95, abs=1)
    assert (error[0, [3, 4]] > 3).all()  # what bends so much may bend more


def test_what_lies_beyond_the_limits():
    """Printed facts and rules, but nothing that was named to be kept and nothing outside of what was asked for."""
    beyond = {number.name for number in beyond_limits(CARDS, NUMBERS, Wanted())}
    assert {"Methuselah.health", "Methuselah.abilities[DRAW 1]", "rule first_hand"} <= beyond
    assert not beyond & {number.name for number in changeable(CARDS, NUMBERS, Wanted())}
    named = {number.name for number in beyond_limits(CARDS, NUMBERS, Wanted(only=("health", "cost"), keep=("Methuselah",)))}
    assert "Fenris.health" in named
    assert not any(name.startswith(("Methuselah", "rule ")) for name in named)
    assert why_kept(next(number for number in NUMBERS if not number.card)) == "a number of the rules"


def test_what_may_be_changed():
    """Printed facts and rules are kept unless they are named; what is kept is kept."""
    every = {number.name for number in changeable(CARDS, NUMBERS, Wanted())}
    printed = {card.name for card in CARDS if card.source == "rulebook"}
    assert not any(name.partition(".")[0] in printed or name.startswith("rule ") for name in every)
    free = {number.name for number in changeable(CARDS, NUMBERS, Wanted(only=("health", "cost"), free=("Fenris.health",), keep=("Werewolf", "Lilith.health")))}
    assert "Fenris.health" in free
    assert not {"Lilith.health", "Werewolf.cost", "Methuselah.health"} & free
    assert all(name.endswith((".health", ".cost")) for name in free)
    assert "rule first_hand" in {number.name for number in changeable(CARDS, NUMBERS, Wanted(only=("rules",)))}
    with pytest.raises(AnalysisError, match="nothing may be changed"):
        changeable(CARDS, NUMBERS, Wanted(only=("Lilith.health",), keep=("Lilith.health",)))
    with pytest.raises(AnalysisError, match="did you mean Lilith"):
        changeable(CARDS, NUMBERS, Wanted(keep=("Lilith.helth",)))


def test_what_is_to_be_fair():
    """Overlords and match-ups, and going first where a rule may be moved for it or where somebody says how often it should win."""
    cards_only = changeable(CARDS, NUMBERS, Wanted())
    assert Wanted().kinds(cards_only) == (OVERLORD, MATCHUP)
    assert Wanted().kinds(changeable(CARDS, NUMBERS, Wanted(free=("rules",)))) == (OVERLORD, MATCHUP, FIRST)
    assert Wanted(targets=("Going first = 52",)).kinds(cards_only) == (OVERLORD, MATCHUP, FIRST)
    assert Wanted(fair=("first", "cards")).kinds(cards_only) == (FIRST,)
    with pytest.raises(AnalysisError, match="did you mean overlords"):
        Wanted(fair=("overlord",)).kinds(cards_only)


def test_what_may_be_luck_is_moved_towards_nothing():
    """Of 200 numbers 190 do nothing and ten much: the best of the idle ones shrinks, the large ones stay, and intervals hold."""
    luck = np.random.default_rng(3)
    numbers = [Number(f"card {i}", "cost", 5, 0, 99, 1) for i in range(200)]
    truth = np.zeros((200, 7))
    truth[:10] = luck.normal(0, 4, (10, 7))
    seen, se = truth + luck.normal(0, 0.5, truth.shape), np.full(truth.shape, 0.5)
    mean, error = towards_nothing(seen, se, numbers)
    assert np.abs(mean[10:]).max() < 0.6 * np.abs(seen[10:]).max()
    assert np.abs(mean[:10] - seen[:10]).max() < 0.5
    assert (np.abs(mean - truth) < 1.96 * error)[:10].mean() > 0.88
    assert np.sqrt(((mean - truth) ** 2).mean()) < 0.5 * np.sqrt(((seen - truth) ** 2).mean())


def test_costs_are_moved_until_cards_are_within_their_margins(job):
    """A world in which access falls by so much a Coin: cards beyond their margins end within, others stay, what may not be changed is left."""
    usual = {"Ghoul": 6.0, "Werewolf": 3.0, "Banshee": -5.0, "Night Hag": 9.0, "Skeletal": 8.0}
    costs = {n.card: n for n in NUMBERS if n.column == "cost" and n.card in usual and n.card != "Skeletal"}

    def measure(cards, purpose):
        moved = {name: cards.by_name(name).cost - CARDS.by_name(name).cost for name in usual}
        values = {name: value - {"Ghoul": 2.5, "Night Hag": 1.2}.get(name, 1.5) * moved[name] for name, value in usual.items()}
        return {name: Access(name, value, value - 1, value + 1, 4.0, STRONG if value > 5 else WEAK if value < -4 else FINE) for name, value in values.items()}

    edits, before = mend_costs(job, costs, measure, lambda _: None)
    assert {card for card, access in before.items() if access.beyond} == {"Ghoul", "Banshee", "Night Hag", "Skeletal"}
    changed = {number.card: value - number.value for number, value in edits}
    assert changed == {"Ghoul": 1, "Banshee": -1, "Night Hag": 3}
    assert before["Banshee"].words == "Banshee −5.0 (margin ±4, weak)"


def test_access_comes_from_games_of_its_own(job):
    found = access_of(job.plan, CARDS, "test", Margins(), 1, 2_400)
    assert found["Thames Drowner"].low < found["Thames Drowner"].value < found["Thames Drowner"].high
    assert found["Thames Drowner"].margin == 2 * found["Night Hag"].margin


def test_twins_are_seen():
    row = {"type": "Monster", "faction": "Beast", "abilities": "2 Power", "left": "Undead", "right": "Mortal"}
    cards = CARDS.with_cards([{"name": "Cur", "cost": 2, **row}, {"name": "Hound", "cost": 3, **row}])
    assert new_twins(cards, cards.replace("Hound.cost=2"))
    assert not new_twins(cards, cards.replace("Hound.cost=4"))


def patch(edits: int, first: float, state: str = FAIR) -> Suggestion:
    """A patch that brings the first overlord to some rate; all else is at 50."""
    rates, none = np.full(len(GAUGES), 50.0), np.zeros(len(GAUGES))
    rates[0] = first
    return Suggestion([(None, 1)] * edits, [gauge.name for gauge in GAUGES], rates, none, rates, none + 0.2, [state] * len(GAUGES), 1, Looks())


@pytest.mark.parametrize(
    ("rate", "state", "off", "leaning"),
    [(53.4, UNDECIDED, [], [0]), (46.6, UNDECIDED, [], [0]), (52.9, UNDECIDED, [], []), (52.9, FAIR, [], []), (55.0, OFF[0], list(range(8)), [])],
)
def test_what_lies_beyond_its_margin_after_the_last_look_is_mended_though_it_is_not_certain(rate, state, off, leaning):
    found = Advice(patch(0, rate, state), [], 1, "tuned", ASKED)
    assert (found.off, found.leaning, found.needed) == (off, leaning, bool(off or leaning))
    said = advice_words(found)
    assert ("Nothing needs to change" in said) == (not found.needed)
    assert ("Beyond your margins, though not for certain: A 5" in said or "Beyond your margins, though not for certain: A 4" in said) == bool(leaning)


def test_the_one_to_take_is_fair_with_room_to_spare():
    """An overlord may be off by 3: with one edit it stands at 52.5, which other deals may find to be 52.6 and undecided; with two at 51."""

    def advice(*patches: Suggestion) -> Advice:
        return Advice(patch(0, 56.0, UNDECIDED), list(patches), 1, "tuned", ASKED)

    found = advice(patch(1, 52.5), patch(2, 51.0), patch(3, 50.0))
    assert (found.smallest, found.best) == (found.suggestions[0], found.suggestions[1])
    tight = advice(patch(1, 54.0, UNDECIDED), patch(2, 52.6), patch(3, 52.4))
    assert tight.smallest is tight.best is tight.suggestions[1]
    assert advice(patch(1, 54.0, UNDECIDED)).best is None


@pytest.fixture(scope="module")
def job() -> Job:
    """Two overlords, one of which has got far too much Health."""
    changed = ("Fenris.health=53",)
    return Job.of(Plan(cards=str(FROZEN), strategies=("tuned",), pairing="mirror", overlords=("Fenris", "Lilith"), seed=5, set=changed), "")


def test_a_set_that_was_put_off_balance_is_mended_the_same_for_any_number_of_jobs(job, tmp_path, monkeypatch):
    for name, rounds in (("CHECKS", (400,)), ("SEALED", (600,)), ("FIRST_RACE", ((80, 4), (200, 2))), ("NEXT_RACE", ((80, 3), (200, 2))), ("RACES", 2)):
        monkeypatch.setattr(module, name, rounds)
    monkeypatch.setattr(module, "feel_metrics", lambda *_: {})
    wanted = Wanted(only=("health",), free=("Fenris.health",), max_edits=1, margins=Margins(overlord=7.0, matchup=7.0))
    advice = suggest(job, wanted, 4_000, jobs=2, folder=open_folder(tmp_path))
    assert advice.needed
    assert advice.best is not None
    ((edit, value),) = advice.best.edits
    assert (edit.name, value < 53) == ("Fenris.health", True) or (edit.name, value > 45) == ("Lilith.health", True)
    again = suggest(job, wanted, 4_000, jobs=1)
    assert [one.as_data() for one in again.suggestions] == [one.as_data() for one in advice.suggestions]
    kept = suggest(job, wanted, 4_000, jobs=1, folder=open_folder(tmp_path))  # all of it was kept: no game is played
    assert (kept.games, [one.as_data() for one in kept.suggestions]) == (advice.games, [one.as_data() for one in advice.suggestions])
    change, rules = advice.best.settings()
    assert rules == {}
    fair = suggest(Job.of(job.plan.but(set=(*job.plan.set, *change), seed=6), ""), wanted, 4_000, jobs=2)
    assert not fair.needed
    assert fair.suggestions == []


def test_where_nothing_within_the_limits_does_it_the_printed_fact_is_offered_as_such(job, tmp_path, monkeypatch):
    """Fenris has too much Health, which is printed, and else nothing may change but a cost that does little. An interrupt in a race changes nothing."""
    for name, rounds in (("CHECKS", (400,)), ("SEALED", (600,)), ("FIRST_RACE", ((80, 4), (200, 2))), ("NEXT_RACE", ((80, 3), (200, 2))), ("RACES", 2)):
        monkeypatch.setattr(module, name, rounds)
    monkeypatch.setattr(module, "feel_metrics", lambda *_: {})
    wanted = Wanted(only=("health", "Cursed Diamond.cost"), keep=("Lilith.health",), max_edits=1, margins=Margins(overlord=7.0, matchup=7.0))

    def interrupt(text: str) -> None:
        if text.startswith("race"):
            raise KeyboardInterrupt

    stopped = suggest(job, wanted, 4_000, jobs=2, folder=open_folder(tmp_path), tell=interrupt)
    assert stopped.interrupted
    advice = suggest(job, wanted, 4_000, jobs=1, folder=open_folder(tmp_path))
    within, beyond = advice.suggestions
    assert not within.fair
    assert not within.beyond
    assert advice.nearest is within
    assert advice.best is beyond
    assert [number.name for number in beyond.beyond] == ["Fenris.health"]
    data = beyond.as_data()
    assert not data["within_limits"]
    assert data["edits"][0]["kept"] == "printed: its source says rulebook"
    assert [one.as_data() for one in suggest(job, wanted, 4_000, jobs=2).suggestions] == [one.as_data() for one in advice.suggestions]


def test_feel_is_taken_from_games_of_its_own():
    plan = Plan(strategies=("greedy",), pairing="mirror", overlords=("Fenris", "Lilith"), seed=3)
    found = feel_metrics(plan, CARDS, 1, 400)
    assert found["dead_turns"][1] <= found["dead_turns"][0] <= found["dead_turns"][2]


def test_what_feels_worse():
    """Out of bounds for certain and farther than before; what was outside already and stays as it was is not the patch's fault."""
    bounds = Margins(feel={"dead_turns": (0.0, 10.0), "comebacks": (8.0, 25.0)})
    usual = {"dead_turns": (8.0, 7.5, 8.5), "comebacks": (20.0, 18.0, 22.0)}
    assert worse(usual, usual | {"dead_turns": (14.0, 13.0, 15.0)}, bounds) == ["dead turns 14 (bounds 0 to 10)"]
    assert worse(usual, usual | {"dead_turns": (10.4, 9.8, 11.0)}, bounds) == []
    outside = usual | {"comebacks": (6.0, 5.0, 7.0)}
    assert worse(outside, usual | {"comebacks": (5.5, 4.5, 6.5)}, bounds) == []
    assert worse(outside, usual | {"comebacks": (2.0, 1.0, 3.0)}, bounds) == ["comebacks 2 (bounds 8 to 25)"]
