"""A panel in stages: which game is which, the same games however a run is cut, and that copies and weak pilots leave the findings as they are."""

import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from terrors.analysis.analyze import analyze
from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.job import in_best_hands, job_of
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.runs.stages import DECIDE, LEAST_SCREEN, LOTTERY, MIRRORS, NARROW, SCREEN, Stage, where, whole_stage
from terrors.strategies import find
from tests.support.places import FROZEN

PANEL = Plan(games=2_400, cards=str(FROZEN), overlords=("Fenris", "Lilith", "Azazael"), strategies=("random", "greedy"), pairing="panel", deny_lottery=0.2)
CLUMSY = '"""Takes the last option."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    return options.n - 1\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    return simulate(PANEL, tmp_path_factory.mktemp("panel") / "run", jobs=1)


def test_a_whole_stage_goes_round_all_cells():
    cell, round_ = whole_stage(3, 10).where(np.arange(7))
    assert cell.tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert round_.tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_slots_by_hand():
    """Two match-ups in turn; the first has a cell in both rounds of a cycle and one in the first round only."""
    stage = Stage(DECIDE, 12, 100, 2, (((4, 0), (5, 0), (4, 1)), ((7, 0), (7, 1))))
    cell, round_ = stage.where(np.arange(12))
    assert cell.tolist() == [4, 7, 5, 7, 4, 7, 4, 7, 5, 7, 4, 7]
    assert round_.tolist() == [100, 100, 100, 101, 101, 102, 102, 103, 102, 104, 103, 105]
    assert (stage.rounds, stage.window) == (6, 6)
    assert Stage.from_data(json.loads(json.dumps(stage.as_data()))) == stage
    assert [part.tolist() for part in where([whole_stage(2, 3), stage], np.array([2, 3, 4]))] == [[0, 4, 7], [1, 100, 100]]


def test_stages_follow_one_another_and_have_deals_of_their_own(run):
    stages = run.setup.schedule.stages
    assert [stage.name for stage in stages] == [SCREEN, NARROW, DECIDE, LOTTERY]
    assert sum(2 * stage.pairs for stage in stages[1:]) == 2_400
    games = run.games.select("game", "seed", "first_strategy", "second_strategy", "denied_first", "denied_second").collect()
    starts = run.setup.schedule.starts
    seeds = [set(games["seed"].slice(a, b - a)) for a, b in pairwise(starts)]
    assert all(not one & other for i, one in enumerate(seeds) for other in seeds[:i])
    denied = games.select(n=pl.col("denied_first").list.len() + pl.col("denied_second").list.len())["n"]
    assert denied.slice(0, starts[3]).sum() == 0 < denied.slice(starts[3], None).sum()
    assert set(games["first_strategy"].slice(starts[3], None)) == {"greedy"}  # who wins 9 of 10 against random is who plays best


def test_the_screen_has_every_cell_and_mirrors_more_often(run):
    screen = run.setup.schedule.stages[0]
    played = run.games.filter(pl.col("game") < 2 * screen.pairs, leg=0).collect()
    counts = played.group_by("first_overlord", "second_overlord", "first_strategy", "second_strategy").len()
    assert len(counts) == 3 * 4
    for row in counts.iter_rows(named=True):
        assert row["len"] == LEAST_SCREEN * (MIRRORS if row["first_strategy"] == row["second_strategy"] else 1)


def test_the_same_games_however_the_run_is_cut_and_interrupted(run, tmp_path):
    from terrors.simulator.runs.workers import Stop

    stop, seen = Stop(), []

    def interrupt(progress) -> None:
        seen.append(progress.stage)
        if progress.stage == DECIDE and not stop.asked:
            stop.ask()

    with pytest.raises(KeyboardInterrupt):
        simulate(PANEL, tmp_path / "other", jobs=2, chunk=98, stop=stop, on_progress=interrupt)
    half = Run.open(tmp_path / "other")
    assert [stage["name"] for stage in half.info["stages"]][:3] == [SCREEN, NARROW, DECIDE]
    assert analyze([tmp_path / "other"], feel=False).findings  # what there is can be read
    other = simulate(PANEL, tmp_path / "other", jobs=1, chunk=98)
    assert other.games.collect().equals(run.games.collect())
    assert other.info["stages"] == run.info["stages"]
    assert not verify_run(str(tmp_path / "other"), 40).problems


def test_damage_in_any_stage_is_played_again(run, tmp_path):
    again = simulate(PANEL, tmp_path / "run", jobs=1)
    for part in (again.info["parts"][0], again.info["parts"][-1]):
        (tmp_path / "run" / "games" / f"part-{part['start']:09d}.parquet").write_bytes(b"")
    mended = simulate(PANEL, tmp_path / "run", jobs=1)
    assert mended.games.collect().equals(run.games.collect())


def test_trials_on_a_panel_are_played_in_the_best_hands(run):
    job = in_best_hands(job_of(run))
    assert (job.strategies, job.plan.pairing, len(job.schedule.cells)) == (("greedy",), "mirror", 3)


def bare(data: dict) -> str:
    """findings.json without what names the run and the pilots."""
    data = {name: value for name, value in data.items() if name not in ("runs", "groups", "pilots", "played")}
    data["stands_on"] = {name: value for name, value in data["stands_on"].items() if name != "strategies"}
    return json.dumps(data, indent=1)


def test_a_copy_and_a_weak_pilot_leave_the_findings_as_they_are_to_the_byte(run, tmp_path):
    plain = bare(analyze([run.folder.address]).as_data())
    copy, clumsy = tmp_path / "copy.py", tmp_path / "clumsy.py"
    clumsy.write_text(CLUMSY, encoding="utf-8")
    copy.write_text(find("greedy").path.read_text(encoding="utf-8"), encoding="utf-8")
    for more in (copy, clumsy):
        other = simulate(PANEL.but(strategies=(*PANEL.strategies, str(more))), tmp_path / f"with {more.stem}", jobs=2)
        assert bare(analyze([other.folder.address]).as_data()) == plain
