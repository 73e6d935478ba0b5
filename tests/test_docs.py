"""Code in README and docs runs, and what they list is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.box import make_box
from simulator.cards import load_cards
from simulator.matches import pairs_of_games, play_rows
from strategies import all_names, find
from strategies.checks import check_strategy

ROOT = Path(__file__).resolve().parent.parent


def blocks(path: Path, sort: str = "python") -> list[str]:
    return re.findall(rf"```{sort}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_python_in_the_readme_plays_a_game(capsys):
    (code,) = blocks(ROOT / "README.md")
    space: dict = {}
    exec(compile(code, "README.md", "exec"), space)
    assert space["game"].winner in ("first", "second", "draw")
    assert "Over after turn" in capsys.readouterr().out


def test_strategy_in_the_docs_keeps_the_contract_and_plays(tmp_path):
    (code,) = blocks(ROOT / "docs" / "ENGINE.md")
    path = tmp_path / "dearest.py"
    path.write_text(code, encoding="utf-8")
    plan, box = find(str(path)), make_box(load_cards())
    assert check_strategy(plan, box, games=2).problems == []
    kinds = [box.kind(c.name) for c in box.cards.overlords[:2]]
    rows = play_rows(box, pairs_of_games(box, [(kinds[0], kinds[1])], 100, seed=3), plan, find("random"))
    assert (rows["winner"][: len(rows)] == 0).mean() > 0.6  # in the first seat, against random


def test_every_command_is_in_the_readme():
    from reports.cli import main

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in main.commands:
        assert f"`terrors {name}" in text


@pytest.mark.parametrize("name", all_names())
def test_every_strategy_says_its_plan_in_one_sentence(name):
    summary = find(name).summary
    assert summary.endswith(".")
    assert 20 < len(summary) < 160


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
