"""The contract between analysis and reports: what is written fits what is read, and a misfit is named by its place."""

import json
import re
from pathlib import Path

import pytest

from terrors.analysis.contract.findings_schema import CLASSES, FAMILIES, FINDINGS, FORMAT, NOT_MEASURED, OFF_BALANCE, PRESSING, PRICES, STATES
from terrors.reports.theme import VERDICTS
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.terms.shape import NUMBER, count, misfit
from tests.support.commands import refused, worked
from tests.support.damage import damaged
from tests.support.places import FROZEN, ROOT


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("contract") / "run"
    simulate(Plan(games=80, cards=str(FROZEN), strategies=("greedy", "random"), pairing="mirror", deny_lottery=0.1), out, jobs=1)
    worked("analyze", out)
    return out


def test_what_an_analysis_writes_fits_the_schema(run):
    data = json.loads((run / "analysis" / "findings.json").read_text(encoding="utf-8"))
    assert data["format"] == FORMAT
    assert misfit(data, FINDINGS) is None
    assert {lamp["family"] for lamp in data["lamps"]} == set(FAMILIES)
    assert {finding["class"] for finding in data["findings"] if finding.get("class")} <= {*CLASSES, *STATES}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("findings", 0, "state"), "fairish"),
        (("findings", 0, "family"), "feelings"),
        (("lamps", 1, "sentence"), "gone"),
        (("stands_on", "games"), True),
        (("margins", "overlord"), "three"),
        (("look_first",), {}),
    ],
)
def test_damaged_findings_are_refused_by_their_place(run, path, value):
    file = run / "analysis" / "findings.json"
    text = file.read_text(encoding="utf-8")
    (run / "analysis" / "checksums.json").unlink(missing_ok=True)
    file.write_text(damaged(text, path, value), encoding="utf-8")
    try:
        assert f"findings.json: {'.'.join(map(str, path))} is missing or not what an analysis writes; `terrors analyze" in refused("report", run)
    finally:
        file.write_text(text, encoding="utf-8")


def test_every_state_and_class_has_its_look_and_its_place():
    assert set(VERDICTS) == {*STATES, OFF_BALANCE, NOT_MEASURED, *CLASSES, *PRICES}
    assert set(PRESSING) < set(STATES)


def test_states_are_written_out_in_one_place():
    """Whoever compares a state takes its name from the contract, so that a new one cannot be forgotten somewhere."""
    spelt = re.compile(r"""(==|!=|\bin) \(?["'](lopsided|depends on play|notable|undecided|fair)["']""")
    files = [path for room in ("analysis", "reports", "terrors") for path in (ROOT / room).rglob("*.py")]
    assert [str(path) for path in files if spelt.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("data", "shape", "where"),
    [
        ({"a": 1}, {"a": int}, None),
        ({"a": True}, {"a": int}, "a"),
        ({"a": True}, {"a": bool}, None),
        ({"a": 1.5}, {"a": NUMBER}, None),
        ({"a": -1}, {"a": count}, "a"),
        ({}, {"a?": int}, None),
        ({}, {"a": int}, "a"),
        ([], {"a": int}, "its content"),
        ([1, "x"], [int], "1"),
        ({"a": [{"b": "c"}, {"b": []}]}, {"a": [{"b": frozenset("c")}]}, "a.1.b"),
        ({"x": {"y": 1}, "z": 2}, {"*": {"y": int}}, "z"),
    ],
)
def test_a_misfit_is_named_by_its_place(data, shape, where):
    assert misfit(data, shape) == where
