"""Games played again with a card withheld from its buyer: sums by hand, on a small run, and what an analysis makes of them."""

import json

import numpy as np
import pytest

from terrors.analysis.analyze import analyze
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.source.withheld import ALL, FILE, Replays, Withheld, read_withheld, weighed
from terrors.analysis.trials.withholding import SEATS, _Bench, base_of, play_withheld, shared_out
from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.job import job_of, key_of_identity
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.terms.enums import Pile
from tests.support.places import FROZEN


def test_values_by_hand():
    """Of 1,000 player-games 200 had the card; 40 of these are played again without it: 10 of them are lost, and each moves two copies."""
    replays = Replays(1_000, 200)
    replays.add(np.arange(40), np.array([1.0] * 10 + [0.0] * 30), np.full(40, 2.0))
    access, error = replays.access()
    assert access == pytest.approx(0.2 * 0.25)
    by_hand = 0.201**2 * (40 * 0.25 * 0.75 + 0.25) * 40 / 39 / 40**2 + 0.25**2 * 2 * 0.201 * 0.799 / 1_000
    assert error == pytest.approx(by_hand**0.5)
    assert replays.copy() == pytest.approx((0.125, ((40 * 0.25 * 0.75 + 0.25) * 40 / 39) ** 0.5 / 80))


def test_replays_of_one_deal_are_one_observation():
    alone, twice = Replays(1_000, 200), Replays(1_000, 200)
    gain = np.tile([1.0, 0.0, 0.0, 0.0], 10)
    alone.add(np.arange(40), gain, np.ones(40))
    twice.add(np.tile(np.arange(40), 2), np.tile(gain, 2), np.ones(80))
    assert twice.access() == pytest.approx(alone.access(), rel=0.02)
    assert alone.plus(alone).access()[1] < 0.8 * alone.access()[1]


def test_a_card_that_nobody_buys_is_known_to_be_worth_nothing_and_a_few_games_say_nothing():
    nobody = Replays(20_000, 0)
    assert nobody.known
    assert nobody.access()[0] == 0 < nobody.access()[1] < 0.001
    assert nobody.copy() is None
    assert not Replays(200, 0).known
    few = Replays(20_000, 5_000)
    few.add(np.arange(10), np.ones(10), np.ones(10))
    assert not few.known


def test_games_go_to_what_is_bought_often_and_no_card_is_forgotten():
    sizes = shared_out(np.array([0.0, 0.1, 0.4]), np.full(3, 3.0), 1_000)
    assert sizes[0] == sizes[1] == 200 < sizes[2]
    assert sizes.sum() <= 1_000
    assert shared_out(np.array([0.1, 0.4]), np.full(2, 3.0), 10**6).max() < 1_500
    assert shared_out(np.full(50, 0.3), np.full(50, 3.0), 1_000).tolist() == [20] * 50


def test_what_is_certain_weighs_more():
    value, se = weighed((np.array([1.0, 5.0, 0.0]), np.array([1.0, np.inf, np.inf])), (np.array([3.0, 2.0, 0.0]), np.array([1.0, 2.0, np.inf])))
    assert value[:2].tolist() == [2.0, 2.0]
    assert se.tolist() == [pytest.approx(0.5**0.5), 2.0, np.inf]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    plan = Plan(games=1_600, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), strategies=("random", "greedy"), pairing="panel", deny_lottery=0.2)
    return simulate(plan, tmp_path_factory.mktemp("withheld") / "run", jobs=1)


def test_who_does_not_buy_a_card_plays_the_same_game_without_it(run):
    """What the method stands on. Where the buyer has to do without, games do differ."""
    job = job_of(run)
    base = base_of(run, job)
    bench = _Bench(job, base)
    changed = {True: 0, False: 0}
    for name, copies in [item for item in sorted(base.copies.items()) if job.cards.by_name(item[0]).pile == Pile.MARKET][:8]:
        for seat in range(2):
            for bought in (True, False):
                games = np.flatnonzero((copies[seat] > 0) == bought)[:60]
                points, held = bench.without(name, seat, games)
                changed[bought] += int((points != base.points[games]).sum())
                assert not held[:, seat].any()  # it is denied indeed
                assert bought or (held[:, 1 - seat] == copies[1 - seat][games]).mean() > 0.95
    assert changed[False] <= 3 < 50 < changed[True]


def test_an_analysis_takes_them_in_and_every_place_has_the_same(run):
    before = analyze([run.folder.address], feel=False)
    found = play_withheld(run, job_of(run), 900, 3.0)
    assert 0 < found.replayed <= 900
    for name, levels in found.cards.items():
        for by in ("overlord", "seat"):
            parts = [replays for level, replays in levels.items() if level[0] == by]
            assert sum(part.total[0] for part in parts) == levels[ALL].total[0], name
            assert sum(part.games for part in parts) == levels[ALL].games
    kept = read_withheld([(run.folder, key_of_identity(run.info["identity"]))])
    assert kept.replayed == found.replayed
    assert play_withheld(Run.open(run.folder.address), job_of(run), 900, 3.0, jobs=2).as_numbers() == found.as_numbers()  # it is there already
    after = analyze([run.folder.address], feel=False)
    assert 0 < after.as_data()["stands_on"]["withheld"] <= found.replayed  # of a card with a handful of them nothing is said
    table = after.tables["cards"]
    told = [row["card"] for row in table.filter(table["group"].is_in(HEADLINES)).to_dicts() if row["withheld"]]
    assert all("played again" in one.reason for one in after.findings if one.subject.get("card") in told)
    widths = [sum(one.high - one.low for one in analysis.findings if one.family == "cards") for analysis in (before, after)]
    assert not widths[0] or widths[1] < widths[0]
    assert not verify_run(run.folder.address, 10).problems


def test_who_plays_and_how_many_at_a_time_change_nothing(run, tmp_path):
    job, again = job_of(run), {}
    for jobs in (1, 2):
        run.folder.remove(FILE)
        again[jobs] = play_withheld(run, job, 300, 3.0, jobs=jobs).as_numbers()
    assert again[1] == again[2]
    assert any(f"{seat}" in json.dumps(again[1]) for seat in SEATS)


def test_what_was_altered_or_belongs_to_another_run_is_left(run):
    key = key_of_identity(run.info["identity"])
    Withheld({"Ghoul": {ALL: Replays(100, 50)}}, (1, 2)).write(run.folder, key)
    assert read_withheld([(run.folder, key)]).cards
    assert not read_withheld([(run.folder, "another")]).cards
    text = run.folder.read(FILE)
    run.folder.write(FILE, text.replace(b"50", b"51"))
    assert not read_withheld([(run.folder, key)]).cards
    run.folder.write(FILE, b"{")
    assert not read_withheld([(run.folder, key)]).cards
    run.folder.remove(FILE)
