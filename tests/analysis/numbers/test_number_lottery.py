"""The number lottery: lots that depend on seed and block alone, planted effects that are found, intervals that hold, blanks that show nothing."""

from types import SimpleNamespace

import numpy as np
import pytest

from terrors.analysis.numbers.beside import StudyBeside
from terrors.analysis.numbers.gauges import Gauges
from terrors.analysis.numbers.movers import movers
from terrors.analysis.numbers.number_effects import Effects, effects_of, least_squares
from terrors.analysis.numbers.number_lottery import Blocks, NumberLottery, families, rounds_for
from terrors.analysis.numbers.played_versions import Versions, settled
from terrors.analysis.numbers.store import Kept, keep_blocks, kept_blocks, key_of
from terrors.analysis.numbers.study import chosen, study_numbers
from terrors.simulator.cards.card_numbers import numbers_of
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.storage import open_folder
from terrors.simulator.terms.errors import AnalysisError
from tests.support.places import FROZEN


@pytest.fixture(scope="module")
def job() -> Job:
    return settled(Job.of(Plan(cards=str(FROZEN), strategies=("tuned",), pairing="mirror", overlords=("Fenris", "Lilith", "Azazael"), seed=5), ""))


@pytest.fixture(scope="module")
def numbers(job):
    return numbers_of(job.cards, job.plan.ruleset())


def test_outcomes_by_hand(job):
    """Three overlords: two rivals each. The first named won both legs of one match-up, lost both of another, and the first seat won the third's."""
    gauges = Gauges(Versions(job, [], "by hand").schedule)
    assert gauges.names == [
        "Azazael",
        "Fenris",
        "Lilith",
        "Azazael against Fenris",
        "Azazael against Lilith",
        "Fenris against Lilith",
        "going first",
        "turns",
    ]
    points = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # of the first player, by match-up and leg
    found = gauges.of(points, np.full((3, 2), 17.0))
    assert found.tolist() == pytest.approx([50, 25, 75, 100, 0, 50, 100 * 4 / 6, 17])


def test_lots_depend_on_seed_and_block_alone_and_keep_their_bounds(job, numbers):
    lottery = NumberLottery(Versions(job, numbers, "numbers"))
    again = NumberLottery(Versions(job, numbers, "numbers", jobs=3), rounds=2)
    lots = np.array([lottery.lots(block) for block in range(400)])
    assert (lots == np.array([again.lots(block) for block in range(400)])).all()
    assert (lots[3] != lots[4]).any()
    for place, number in enumerate(numbers):
        assert set(np.unique(lots[..., place])) <= set(number.levels)
        if len(number.levels) == 3:
            assert (lots[:, 0, place] == -lots[:, 1, place]).all()
    costs = [place for place, number in enumerate(numbers) if number.column == "cost"]
    assert np.abs(lots[:, 0][:, costs]).mean() == pytest.approx(0.5, abs=0.02)
    for family in families(numbers, job.cards).values():  # of these one at a time, in a block and its mirror together
        assert np.abs(lots[..., family]).max(1).sum(1).max() == 1


def planted(numbers, gauges, truth: np.ndarray, bend: np.ndarray, noise: float, blocks: int, luck: np.random.Generator) -> Blocks:
    """Blocks of a world in which effects are known: linear, with what bends, and noise that a block and its mirror share in part."""
    found = Blocks()
    low, high = (np.array([end(number.levels) for number in numbers]) for end in (min, max))
    for _ in range(blocks):
        drawn = luck.choice([-1, 0, 0, 1], len(numbers))
        moves = np.clip(np.array([drawn, -drawn]), low, high)
        shared = luck.normal(0, noise / 2, len(gauges))
        results = moves @ truth + np.abs(moves) @ bend + shared + luck.normal(0, noise, (2, len(gauges)))
        found.moves.append(moves)
        found.results.append(np.vstack([results, np.full(len(gauges), 1e9)]))  # all spread is luck: nothing is stretched
    return found


def test_planted_effects_are_found_and_intervals_hold(job, numbers):
    """A quarter of the numbers do something, the others nothing. Of the intervals for each alone 95 of 100 hold; for all together nothing blank shows."""
    mine, luck, held, families_right = numbers[:60], np.random.default_rng(8), [], []
    gauges = Gauges(Versions(job, [], "planted").schedule).all
    for _ in range(12):
        truth = np.where(np.arange(60)[:, None] % 4 == 0, luck.normal(0, 2, (60, len(gauges))), 0.0)
        bend = np.where(np.array([len(number.levels) == 3 for number in mine])[:, None], luck.normal(0, 0.5, (60, 1)), 0.0) * np.ones(len(gauges))
        found = effects_of(mine, gauges, planted(mine, gauges, truth, bend, 5.0, 400, luck), 100)
        held.append(np.abs(found.effect - truth) < 1.96 * found.se)
        families_right.append((np.abs(found.effect - truth) < found.bound(together=True) * found.se).all())
        both = np.isfinite(found.bend[:, 0])
        assert both.sum() == sum(len(number.levels) == 3 for number in mine)
        assert np.mean(np.abs(found.bend - bend)[both] < 1.96 * found.bend_se[both]) > 0.9
    assert 0.93 < np.mean(held) < 0.975
    assert sum(families_right) >= 10


def test_least_squares_as_numpy_and_with_few_blocks():
    luck = np.random.default_rng(3)
    x, truth = luck.choice([-1.0, 0.0, 1.0], (300, 5)), np.array([[1.0], [0.0], [-2.0], [0.5], [3.0]])
    y = x @ truth + luck.normal(0, 1, (300, 1))
    effect, se, freedom = least_squares(x, y)
    assert effect == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0])
    classical = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * ((y - x @ effect) ** 2).sum() / 295)
    assert se[:, 0] == pytest.approx(classical, rel=0.15)
    assert freedom == pytest.approx(200, rel=0.1)  # two of three blocks move a number
    never = np.hstack([x[:8], np.zeros((8, 1))])
    few, errors, _ = least_squares(never, y[:8])  # fewer blocks than twice the numbers: each alone, and what was never moved is not known
    assert few[0, 0] == pytest.approx(float(x[:8, 0] @ y[:8, 0] / (x[:8, 0] ** 2).sum()))
    assert np.isnan(few[5, 0])
    assert np.isinf(errors[5, 0])


def test_a_number_that_was_moved_in_few_blocks_has_an_honest_interval():
    """Six of 300 blocks move it, beside forty other numbers: the normal bound holds the truth too seldom, Student's does not."""
    luck, held, normal = np.random.default_rng(5), [], []
    gauges = [SimpleNamespace(kind="first")] * 40
    for _ in range(60):
        x = luck.choice([-1.0, 0.0, 1.0], (300, 41))
        x[:, 0] = 0
        x[luck.choice(300, 6, replace=False), 0] = luck.choice([-1.0, 1.0], 6)
        effect, se, freedom = least_squares(x, luck.normal(size=(300, 40)))
        bound = Effects([], gauges, effect, se, effect, se, freedom, 1).bound(together=False)
        held += (np.abs(effect[0]) < bound[0] * se[0]).tolist()
        normal += (np.abs(effect[0]) < 1.96 * se[0]).tolist()
    assert np.mean(normal) < 0.925
    assert 0.935 < np.mean(held) < 0.975


def test_a_real_lottery_is_the_same_for_any_number_of_jobs_and_goes_on(job, numbers, tmp_path):
    """Health is worth something to its owner; half of it played, kept and gone on with is the whole."""
    mine = chosen(numbers, ["health"])
    folder = open_folder(tmp_path)
    whole = study_numbers(job, 8_000, jobs=2, only=["health"])
    study_numbers(job, 8_000, jobs=1, only=["health"], folder=folder)
    kept = Kept(folder, key_of(job, mine))
    blocks = kept_blocks(kept, rounds_for(8_000, len(mine), 6))
    keep_blocks(kept, Blocks(blocks.moves[:-9], blocks.results[:-9], blocks.rounds))
    again = study_numbers(job, 8_000, jobs=1, only=["health"], folder=folder)
    assert whole.rows() == again.rows()
    with StudyBeside(job, 8_000, 2, ["health"]) as beside:  # by processes
        assert beside.result().rows() == whole.rows()
    assert kept_blocks(Kept(folder, "another"), blocks.rounds).results == []
    rows = {(row["where"], row["of"]): row for row in whole.rows()}
    assert rows["Fenris.health", "Fenris"]["effect"] > 1 > -0.5 > rows["Fenris.health", "Lilith"]["effect"]
    blank = rows["Methuselah.health", "Fenris"]  # who does not play
    assert blank["low"] < 0 < blank["high"]
    certain = [row["where"] for row in movers(whole.rows(), "Fenris")]
    assert set(certain) <= {"Fenris.health", "Lilith.health", "Azazael.health"}


def test_what_is_not_there_is_named(numbers):
    with pytest.raises(AnalysisError, match="did you mean health"):
        chosen(numbers, ["helth"])
    with pytest.raises(AnalysisError, match="3 blocks say nothing"):
        effects_of(numbers, [SimpleNamespace(kind="first")], Blocks([np.zeros((2, 1))] * 3, [np.zeros((3, 1))] * 3), 100)
