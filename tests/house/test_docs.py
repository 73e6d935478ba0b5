"""Code in README and docs runs, and what they list is there."""

from __future__ import annotations

import re
import tomllib

import pytest

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import pairs_of_games, play_rows
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.parquet_tables import TABLES
from terrors.simulator.runs.plan import ENTRIES, Plan
from terrors.strategies import all_names, find
from terrors.strategies.checks.contract import check_strategy
from tests.support.documents import blocks
from tests.support.places import ROOT


def test_python_in_the_readme_plays_a_game(capsys):
    (code,) = blocks(ROOT / "README.md")
    space: dict = {}
    exec(compile(code, "README.md", "exec"), space)
    assert space["game"].winner in ("first", "second", "draw")
    assert "Over after turn" in capsys.readouterr().out


def test_strategy_in_the_docs_keeps_the_contract_and_plays(tmp_path):
    (code,) = [block for block in blocks(ROOT / "docs" / "STRATEGIES.md") if "@strategy" in block]
    path = tmp_path / "dearest.py"
    path.write_text(code, encoding="utf-8")
    plan, box = find(str(path)), make_box(load_cards())
    assert check_strategy(plan, box, games=2).problems == []
    kinds = [box.kind(c.name) for c in box.cards.overlords[:2]]
    rows = play_rows(box, pairs_of_games(box, [(kinds[0], kinds[1])], 100, seed=3), plan, find("random"))
    assert (rows["winner"][: len(rows)] == 0).mean() > 0.6  # in the first seat, against random


def test_every_command_is_in_the_readme():
    from terrors.cli.main import main

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in main.commands:
        assert f"`terrors {name}" in text


def test_python_in_the_page_about_runs_works(tmp_path, monkeypatch):
    (code,) = blocks(ROOT / "docs" / "RUNS.md")
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    exec(compile(code, "RUNS.md", "exec"), space)
    assert space["run"].info["tallies"]["games"] == 2_000


def test_every_column_of_a_run_is_in_its_page():
    text = (ROOT / "docs" / "RUNS.md").read_text(encoding="utf-8")
    for columns in TABLES.values():
        for column, words in columns.items():
            assert f"| `{column}` | {words} |" in text


def test_the_plan_in_the_page_about_runs_has_every_entry_and_can_be_played():
    (text,) = blocks(ROOT / "docs" / "RUNS.md", "toml")
    entries = tomllib.loads(text)
    assert set(entries) == set(ENTRIES)
    Job.of(Plan.from_data(entries | {"cards": ""}))  # every name in it is that of something


def test_every_table_column_and_option_of_an_analysis_is_in_its_page():
    from terrors.analysis.contract.columns import ANSWERS
    from terrors.cli.commands.analyze import analyze

    text = (ROOT / "docs" / "ANALYSIS.md").read_text(encoding="utf-8")
    for table, columns in ANSWERS.items():
        assert f"### `{table}`" in text
        for column, words in columns.items():
            assert f"| `{column}` | {words} |" in text, (table, column)
    for option in analyze.params:
        if option.opts[0].startswith("--") and option.name not in ("as_json", "out"):
            assert any(name in text for name in (*option.opts, *option.secondary_opts)), option.name


@pytest.mark.parametrize("name", all_names())
def test_every_strategy_says_its_plan_in_one_sentence(name):
    summary = find(name).summary
    assert summary.endswith(".")
    assert 20 < len(summary) < 160


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
