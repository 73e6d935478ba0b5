"""Positions in which serious players have gone wrong (positions.toml): who gets them right, and who is known to fail."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.story.position import lay_table, scenario_box
from terrors.simulator.story.transcript import Driver, strategy_chooser
from terrors.strategies import find
from tests.support.places import ROOT

pytestmark = pytest.mark.slow

SERIOUS = ("tuned", "expert", "planner", "sage")
FILE = Path(__file__).with_name("positions.toml")
POSITIONS = tomllib.loads(FILE.read_text(encoding="utf-8"))["position"]
TABLE = ("you", "opponent", "table", "seed")
DOCS = ROOT / "docs" / "STRATEGIES.md"


def verdict(cards: Any, position: dict[str, Any], name: str) -> str:
    """The first answer of a player that is named in the position, as `right: …` or `wrong: …`; the player goes on with the turn until then."""
    strategy = find(name)
    box = scenario_box(cards, position.get("card", []), position.get("rules", {}))
    game, you = lay_table(box, {key: position[key] for key in TABLE if key in position})
    driver, said = Driver([strategy_chooser(strategy.compiled, strategy.work(box)) for _ in range(2)]), []
    while not game.over and game.record.active == you:
        offered = game.legal_actions()
        index, spend = driver.answer(game)
        for sort in ("right", "wrong"):
            if game.record.asked == you and offered[index] in position[sort]:
                return f"{sort}: {offered[index]}"
        said.append(offered[index])
        game.apply_index(index, spend)
    raise AssertionError(f"{position['name']}: {name} has given none of the answers; it said {'; '.join(said)}")


@pytest.mark.parametrize("name", SERIOUS)
@pytest.mark.parametrize("position", POSITIONS, ids=[position["name"] for position in POSITIONS])
def test_each_position_is_got_right_or_the_failure_is_known(position, name):
    found = verdict(load_cards(ROOT / "tests" / "data" / "cards.csv"), position, name)
    known = name in position["fails"]
    advice = f"take {name} off `fails`" if known else f"{name} does this now; if that is accepted, put it on `fails`"
    assert found.startswith("wrong" if known else "right"), f"{position['name']}: {found}: {advice} in {FILE.name}"


@pytest.mark.parametrize("position", POSITIONS, ids=[position["name"] for position in POSITIONS])
def test_a_position_is_complete(position):
    assert set(position) <= {"name", "why", "right", "wrong", "fails", "card", "rules", *TABLE}
    assert position["why"].endswith(".")
    assert position["right"]
    assert position["wrong"]
    assert not set(position["right"]) & set(position["wrong"])
    assert set(position["fails"]) <= set(SERIOUS)


def test_the_table_in_the_docs_is_current():
    """`python -m tests.strategies.test_positions` prints it."""
    assert docs_table() in DOCS.read_text(encoding="utf-8"), f"{DOCS.name} is out of date; it should say:\n{docs_table()}"


def docs_table() -> str:
    """Position by position: why one answer is right, and who fails."""
    rows = [f"| {p['name']} | {p['why']} | {', '.join(f'`{name}`' for name in SERIOUS if name in p['fails']) or 'nobody'} |" for p in POSITIONS]
    return "\n".join(["| position | why | who fails |", "|---|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    print(docs_table())
