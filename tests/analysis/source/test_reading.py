"""Runs as blocks of deals: however a run was cut, unfinished runs, several runs together, runs that stopped by what they saw."""

import json

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from terrors.analysis.analyze import Analysis, analyze, stands_on
from terrors.analysis.compare import compare
from terrors.analysis.source import source
from terrors.analysis.source.source import Source, _unfinished
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.runs.stopping import Stopper
from terrors.simulator.runs.storage import sealed
from terrors.simulator.terms.errors import AnalysisError
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow

# Two strategies in all pairings, mirrors too: deals of one, two, three and four cells.
PLAN = Plan(games=3_000, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), strategies=("greedy", "random"), mirrors=True, deny_lottery=0.3,
            turns=False)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _each_part_alone():
    """Deals are torn at the ends of parts, so that here every part is read alone, however small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "AT_ONCE", 0)
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("reading")


@pytest.fixture(scope="module")
def runs(place) -> dict[int, Run]:
    return {chunk: simulate(PLAN, place / f"chunk {chunk}", jobs=1, chunk=chunk) for chunk in (38, 3_000)}


@pytest.fixture(scope="module")
def analyses(runs) -> dict[int, Analysis]:
    return {chunk: analyze([run.folder.address], feel=False) for chunk, run in runs.items()}


@pytest.mark.parametrize(
    ("seeds", "whole"),
    [
        ([1, 1, 2, 2], 2),
        ([1, 1, 2, 2, 2, 2], 2),
        ([5, 5], 0),
        ([1, 1, 7, 8], 2),  # a mirror: a deal for each leg
        ([1, 1, 7, 8, 7, 8], 2),
        ([1, 1, 7, 8, 7, 7], 2),  # its strategies differ, and both legs have the luck of the first
        ([7, 8, 7, 7, 7, 8, 3, 3], 6),
    ],
)
def test_the_last_deal_waits_for_the_next_part(seeds, whole):
    assert _unfinished(np.array(seeds)).tolist() == [False] * whole + [True] * (len(seeds) - whole)


def test_a_deal_that_is_over_does_not_wait_for_those_between_its_games():
    seeds = np.repeat([1, 2, 1, 3, 2, 3, 2, 4], 2)  # pairs in turn from two lists: 1 and 3 of two pairs each, 2 of three, and 4 has only begun
    assert np.unique(seeds[_unfinished(seeds, 2)]).tolist() == [2, 4]
    assert np.unique(seeds[~_unfinished(seeds, 2)]).tolist() == [1, 3]


def test_tables_of_a_panel_do_not_depend_on_how_it_was_cut(place):
    """Match-ups of a panel take turns, each with deals of its own length, so that deals lie between the games of others."""
    plan = PLAN.but(games=1_200, strategies=("greedy", "aggro", "random"), mirrors=False, pairing="panel", deny_lottery=0.1)
    found = []
    for chunk in (38, 3_000):
        run = simulate(plan, place / f"panel {chunk}", jobs=1, chunk=chunk)
        judging, seen = Source([run]).only("narrow", "decide"), []
        for block in judging.blocks():
            seen += block.deal_seed.tolist()
        assert len(seen) == len(set(seen)), "a deal is torn"
        found.append(analyze([run.folder.address], feel=False).tables)
    for name in ("overlords", "matchups", "seats", "strategies", "hands", "cards"):
        assert_frame_equal(found[0][name], found[1][name], abs_tol=1e-9)


def test_deals_are_not_broken_over_parts(runs):
    for run in runs.values():
        source, seen, games = Source([run]), [], 0
        for block in source.blocks():
            assert (block.game[::2] + 1 == block.game[1::2]).all()
            assert (block.game % 2 == block.leg).all()
            seen.append(block.deal_seed)
            games += len(block.game)
        found = np.concatenate(seen)
        assert len(np.unique(found)) == len(found)
        assert games == 3_000
    assert len(list(Source([runs[38]]).blocks())) > 50


def test_small_parts_are_read_together(runs, monkeypatch):
    """The same games and deals, in fewer blocks, none of which is larger than asked for but for the deal that it waited for."""
    found = {}
    for most in (0, 400, 8_000):
        monkeypatch.setattr(source, "AT_ONCE", most)
        blocks = list(Source([runs[38]]).blocks(denied=True, bought=True))
        arrays = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("game", "seed", "cell", "points", "turns"))
        bought = sum(block.bought_at for block in blocks)
        found[most] = len(blocks), max(len(block.game) for block in blocks), [*arrays, bought]
    assert [number for number, _, _ in found.values()] == [3_000 // 38 + 1, 8, 1]
    assert found[400][1] <= 400 + 38
    for most in (400, 8_000):
        for one, other in zip(found[0][2], found[most][2], strict=True):
            assert np.array_equal(one, other)


def test_tables_do_not_depend_on_how_the_run_was_cut(analyses):
    one, other = (analyses[chunk].tables for chunk in (38, 3_000))
    assert one.keys() == other.keys()
    assert one["cards"]["value"].null_count() < one["cards"].height
    for name in one:
        assert_frame_equal(one[name], other[name], rel_tol=1e-6, abs_tol=1e-9)
    assert [vars(f) | {"size": 0, "low": 0, "high": 0, "p": 0} for f in analyses[38].findings] == [
        vars(f) | {"size": 0, "low": 0, "high": 0, "p": 0} for f in analyses[3_000].findings
    ]


def test_blocks_have_what_the_games_table_has(runs):
    games = runs[3_000].games.collect()
    source = Source([runs[3_000]])
    (block,) = source.blocks(denied=True, bought=True)
    names = [source.cells[c] for c in block.cell]
    assert [cell.a if leg == 0 else cell.b for cell, leg in zip(names, block.leg, strict=True)] == games["first_overlord"].to_list()
    assert [cell.b_strategy if leg == 0 else cell.a_strategy for cell, leg in zip(names, block.leg, strict=True)] == games["second_strategy"].to_list()
    assert block.points.tolist() == games["winner"].replace_strict({"first": 1.0, "second": 0.0, "draw": 0.5}, return_dtype=pl.Float64).to_list()
    for number in (0, 1_001, 2_999):
        for seat, column in enumerate(("denied_first", "denied_second")):
            assert {source.market[c] for c in np.flatnonzero(block.denied[seat][block.deal[number]])} == set(games[column][number])
    bought = runs[3_000].purchases.filter(pl.col("card").cast(pl.String).is_in(source.market)).collect()
    sign = 1 - 2 * bought["seat"].to_physical().to_numpy().astype(int)
    assert block.bought.sum() == block.bought_at.sum() == sign.sum()
    game = bought["game"][0]
    mine = (bought["game"] == game).to_numpy()
    card = bought["card"][0]
    same = block.deal == block.deal[game]
    group = source.group_of[block.cell]
    at = np.isin(bought["game"].to_numpy(), np.flatnonzero(same & (group == group[game]))) & (bought["card"].cast(pl.String) == str(card)).to_numpy()
    assert mine.any()
    assert block.bought[block.deal[game], group[game], source.market.index(str(card))] == sign[at].sum()


def test_a_run_that_was_killed_says_what_its_games_say(place):
    """Its records are there, but nobody has added them up."""
    done = 0

    def die(progress):
        nonlocal done
        done = progress.done
        if done >= 1_000:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        simulate(PLAN, place / "killed", jobs=1, chunk=200, on_progress=die)
    path = place / "killed" / "run.json"
    info = json.loads(path.read_text(encoding="utf-8"))
    info |= {"status": "running", "tallies": dict.fromkeys(info["tallies"], 0)}
    path.write_text(json.dumps(sealed(info)), encoding="utf-8")
    source = Source.open([place / "killed"])
    assert source.taken()["games"] == sum(len(block.game) for block in source.blocks()) >= 1_000
    found = analyze([place / "killed"], feel=False).as_data()
    assert found["stands_on"]["games"] == found["runs"][0]["games"] == sum(group["games"] for group in found["groups"])
    # A worker may have written one more chunk since `source` looked.
    assert any("not finished" in warning and f"{found['stands_on']['games']:,} games" in warning for warning in found["stands_on"]["warnings"])


def test_a_run_without_games_is_refused(place):
    with pytest.raises(RuntimeError, match="at once"):
        simulate(PLAN.but(games=4_000), place / "empty", jobs=1, chunk=2_000, on_progress=lambda progress: (_ for _ in ()).throw(RuntimeError("at once")))
    for file in (place / "empty" / "chunks").iterdir():
        file.unlink()
    with pytest.raises(AnalysisError, match="nothing has been played yet"):
        Source.open([place / "empty"])


# Several runs


@pytest.fixture(scope="module")
def others(place) -> dict[str, Run]:
    small = PLAN.but(games=600)
    return {
        "fresh": simulate(small.but(seed=2), place / "fresh", jobs=1),
        "rules": simulate(small.but(seed=3, rules={"first_hand": 5}), place / "rules", jobs=1),
        "again": simulate(small, place / "again", jobs=1),
    }


def test_runs_that_differ_in_luck_alone_are_added_up(runs, others):
    source = Source([runs[3_000], others["fresh"]])
    assert source.differences == []
    assert source.taken()["games"] == 3_600 == sum(len(block.game) for block in source.blocks())
    assert stands_on(source, [])["pooled"] == []


def test_runs_that_differ_are_not_pooled_unless_asked(runs, others):
    with pytest.raises(AnalysisError) as error:
        Source([runs[3_000], others["fresh"], others["rules"]])
    said = str(error.value)
    assert said.startswith(f"{others['rules'].folder.address} cannot be added to {runs[3_000].folder.address}: they differ in the plan (rules); ")
    assert said.count("\n") == 0
    pooled = Source([runs[3_000], others["rules"]], pooled=True)
    found = stands_on(pooled, [])
    assert found["pooled"] == ["the plan (rules)"]
    assert any("plan (rules) were taken together because that was asked for" in warning for warning in found["warnings"])


def test_the_same_luck_twice_is_refused_even_if_pooled(runs, others):
    for pooled in (False, True):
        with pytest.raises(AnalysisError, match=r"have the same seed \(1\), so the same luck, and cannot be added up"):
            Source([runs[3_000], others["again"]], pooled=pooled)


# Runs that stopped by what they saw


def test_a_run_that_looked_again_and_again_gets_wider_intervals(place):
    plan = Plan(games=4_000, cards=str(FROZEN), overlords=("Fenris", "Lilith"), until="±6", turns=False)
    looked = simulate(plan, place / "until", jobs=1)
    games = looked.info["tallies"]["games"]
    fixed = simulate(plan.but(until="", games=games), place / "fixed", jobs=1)
    one, other = (analyze([run.folder.address], feel=False) for run in (looked, fixed))
    looks = one.source.looks()
    assert one.source.sequential
    assert not other.source.sequential
    assert (looks.rounds, looks.rho) == (games // 2, Stopper(plan, 1).rho)
    for name in ("overlords", "matchups", "seats", "ratings"):
        wide, narrow = (analysis.tables[name] for analysis in (one, other))
        assert_frame_equal(wide.select(pl.first("group")), narrow.select(pl.first("group")))
        assert ((wide["high"] - wide["low"]) > 1.2 * (narrow["high"] - narrow["low"])).all()
    half = one.tables["matchups"].filter(group="best hands", seat="both", overlord="Fenris").select((pl.col("high") - pl.col("low")) / 2).item()
    assert half == pytest.approx(100 * float(Stopper(plan, 1).widths(np.array(looked.info["pairs"]))[0]), rel=0.03)  # what the run stopped by
    wide, narrow = (compare(analysis.source, other.source).table for analysis in (one, other))  # the same games, so no difference: how well is that known?
    assert ((wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"])).to_numpy() == pytest.approx(looks.z() / 1.959964)


def test_an_interrupted_run_with_looks_has_the_same_mixture(place):
    plan = Plan(games=40_000, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), until="decided", turns=False)

    def die(progress):
        if progress.done >= 600:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        simulate(plan, place / "half", jobs=1, chunk=200, on_progress=die)
    looks = Source.open([place / "half"]).looks()
    assert looks.rho == Stopper(plan, 3).rho
    assert looks.rounds == 100
