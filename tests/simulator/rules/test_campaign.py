"""Campaigns and mutants look for trouble: that they find it, and shrink it, is tested here on small ones."""

import ast
import json
import subprocess
import sys
from dataclasses import asdict

from tests.support.places import TESTS
from tests.trust.campaign import batch, play_world, shrunk
from tests.trust.differential import Plan, plan_of
from tests.trust.mutants import ROOMS, Outcome, all_mutants, changes, drawn, equal, table


def test_a_difference_is_shrunk_to_what_shows_it():
    """Here every game differs in which one card is in the set and one rule is changed, the longer the higher its number."""
    plan = plan_of("random", 24)
    _, *rows = plan.cards.splitlines()
    culprit = next(row for row in rows if ",Market" in row or ",market" in row).split(",")[0]

    def fails(one: Plan) -> int | None:
        return 10 + one.number if f"\n{culprit}," in one.cards and "max_turns" in one.rules else None

    small = shrunk(plan, fails)
    assert f"\n{culprit}," in small.cards
    assert len(small.cards.splitlines()) < len(rows) / 2
    assert list(small.rules) == ["max_turns"]
    assert small.number == 0


def test_a_world_follows_from_its_name(monkeypatch):
    assert play_world("1 2 3") == play_world("1 2 3")
    monkeypatch.setattr("tests.trust.campaign.BATCH", 8)
    monkeypatch.setattr("tests.trust.campaign.WORLDS", 0)
    found = batch(5, 1)
    assert (found.games, found.told) == (8, [])
    assert found.decisions > 100


def test_there_are_mutants_of_every_file_and_a_draw_is_always_the_same():
    assert [file for room in ROOMS.values() for file in room.files if len(all_mutants(file)) < 5] == []
    assert drawn(50, "", 1) == drawn(50, "", 1)
    assert len(set(map(str, drawn(600, "", 1)))) == 600
    assert all((TESTS.parent / test).exists() for room in ROOMS.values() for test in room.tests)
    assert table({drawn(1, "", 1)[0]: Outcome("killed", "a test", 2.0)})[-1] == "| **all** | 1 | 1 | 0 | 0 | 0 | 2 |"


def test_what_a_mutant_changes_is_what_the_function_does():
    """Not its defaults, annotations or errors; and calls whose arguments have no order are left alone."""
    source = "def f(a: int | None, b=1):\n    'words'\n    if a < 2:\n        raise ValueError(f'{3}')\n    return max(a, b)"
    (function,) = ast.parse(source).body
    assert [what for _, what, _ in changes(function)] == ["the line is dropped", "the condition is turned round", "Lt becomes LtE", "2 becomes 3"]


def test_a_mutant_keeps_its_name_when_another_line_changes(monkeypatch):
    """So it keeps its lot and its explanation too."""

    def names(*lines: str) -> set[str]:
        text = "\n    ".join(["def f(a):", *lines])
        monkeypatch.setattr("tests.trust.mutants.text_of", lambda _: text)
        monkeypatch.setattr("tests.trust.mutants.tree_of", lambda _: ast.parse(text))
        return set(map(str, all_mutants("f.py")))

    before, after = names("a += 1", "a += 1", "return a < 2  # why"), names("a -= 3", "a += 1", "", "return a < 2  # another reason")
    assert before - after == {f"f.py f: {what} in `a += 1`, 2" for what in ("Add becomes Sub", "1 becomes 2")}
    assert after - before == {f"f.py f: {what} in `a -= 3`" for what in ("Sub becomes Add", "3 becomes 4")}


def test_explained_survivors_are_mutants_that_there_are():
    known = {str(mutant) for room in ROOMS.values() for file in room.files for mutant in all_mutants(file)}
    assert sorted(set(equal()) - known) == []
    assert all(len(reason) > 20 for reason in equal().values())


def test_a_mutant_is_tried_and_killed_by_the_test_that_executes_its_line(tmp_path):
    """One real trial, from the first line to the table: the chance of a normal number, with its line dropped."""
    mutant = next(one for one in all_mutants("analysis/stats/intervals.py") if one.function == "one_sided")
    code = f"import sys; from tests.trust import mutants as m, trying as t; from pathlib import Path; m.CACHE = t.CACHE = Path({str(tmp_path)!r}); "
    code += "m.ROOMS['estimators'] = t.ROOMS['estimators'] = m.Room(('analysis/stats/intervals.py',), ('tests/analysis/stats/test_stats_by_hand.py',), False); "
    code += "sys.argv = ['trying', 'estimators', '1']; t.main()"
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps([asdict(mutant)]), capture_output=True, text=True, cwd=TESTS.parent, check=False)
    assert "1 of 1 killed" in done.stdout, done.stdout + done.stderr
    assert Outcome(**{k: v for k, v in json.loads((tmp_path / "outcomes.jsonl").read_text()).items() if k != "mutant"}).verdict == "killed"
