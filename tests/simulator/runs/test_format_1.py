"""A run that an earlier version wrote (format 1: the table of decisions was named events, and run.json has no summaries) stays readable."""

import json
import shutil
from pathlib import Path

import pytest

from terrors.simulator.runs.run import Run
from tests.support.commands import refused, terrors, worked
from tests.support.places import TESTS


@pytest.fixture
def old(tmp_path) -> Path:
    return Path(shutil.copytree(TESTS / "data" / "run_format_1", tmp_path / "run"))


def test_its_tables_are_read(old):
    run = Run.open(old)
    assert run.games.collect().height == 12
    assert run.decisions.collect()["game"].unique().to_list() == [0]
    assert run.summaries == {"greedy": "", "random": ""}
    assert run.setup.schedule.strategies == ["greedy", "random"]


def test_it_can_be_analysed_reported_and_compared(old):
    data = json.loads(worked("analyze", old, "--json"))
    assert data["stands_on"]["strategies"] == {"greedy": "", "random": ""}
    assert {lamp["family"] for lamp in data["lamps"]} == {"overlords", "matchups", "first", "cards", "feel"}
    result = terrors("report", old)
    assert result.exit_code == 0
    assert result.stderr.startswith("The games cannot be played again here: ")
    assert (old / "report" / "index.html").exists()
    assert "nothing in the cards or the rules" in worked("compare", old, old)


def test_it_is_verified_as_far_as_that_goes(old):
    """Its games were played by another version of the rules."""
    result = terrors("verify", old)
    assert result.exit_code == 1
    first, last = result.stdout.splitlines()
    assert first.startswith("The games cannot be played again here: ")
    assert last.startswith("5 parts and 12 games checked, 0 games played again")
    assert "parts.0.files is missing or not what a run writes" in refused("verify", _without_a_file(old))


def _without_a_file(old: Path) -> Path:
    info = json.loads((old / "run.json").read_text(encoding="utf-8"))
    del info["parts"][0]["files"]["events"]
    (old / "run.json").write_text(json.dumps(info), encoding="utf-8")
    return old
