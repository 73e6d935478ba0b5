"""One judge: every place that shows a verdict shows the same one: findings, tables, lamps, bands, comparison, the tables and charts of the page."""

import pytest

from terrors.analysis.analyze import analyze
from terrors.analysis.compare import compare, open_pair
from terrors.analysis.contract.findings_schema import FAIR, OFF, OFF_BALANCE
from terrors.analysis.verdicts.findings import CARD_STATE
from terrors.reports.charts.rates import matchups, overlords
from terrors.reports.inputs import Material, read_material
from terrors.reports.page import grids
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.storage import open_folder
from tests.support.places import FROZEN


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> tuple[Material, object]:
    folder = tmp_path_factory.mktemp("judged") / "run"
    plan = Plan(games=4_000, cards=str(FROZEN), strategies=("random", "greedy"), pairing="panel", deny_lottery=0.25, turns=False)
    simulate(plan, folder, jobs=2)
    analyze([folder], feel=False).write(open_folder(folder / "analysis"))
    material = read_material(open_folder(folder))
    cards = material.tables["cards"]
    return material, compare(*open_pair(folder, folder), (cards, cards))


def test_there_is_something_to_compare(shown):
    states = {found["state"] for found in shown[0].findings["findings"]}
    assert states & set(OFF)
    assert len(states) > 1


def test_every_place_shows_the_same_verdict(shown):
    material, comparison = shown
    differences = {(row["family"], row["overlord"], row["rival"]): row for row in comparison.table.to_dicts() if row["group"] == "best hands"}
    experts = {(row["family"], row["overlord"], row["rival"]): row for row in material.rows("hands") if row["band"] == "experts" and not row["pilot"]}
    lamps = {lamp["family"]: lamp for lamp in material.findings["lamps"]}
    cells = {row[0].text: [cell.text for cell in row if cell.kind == "state"] for grid in (grids.overlord_grid(material), grids.matchup_grid(material),
             grids.card_grid(material)) for row in grid.rows}  # fmt: skip
    for found in material.findings["findings"]:
        state, subject = found["state"], found["subject"]
        if found["family"] == "cards":
            (row,) = (row for row in material.rows("cards") if row["card"] == subject["card"])
            assert CARD_STATE[row["class"]] == state
            assert cells[subject["card"]][0] == row["class"] == found["class"]
            (compared,) = comparison.cards.filter(card=subject["card"]).to_dicts()
            assert compared["class_before"] == compared["class_after"] == row["class"]
        else:
            overlord, rival = subject.get("overlord", ""), subject.get("rival", "")
            table = {"first": "seats"}.get(found["family"], found["family"])
            rows = [r for r in material.rows(table) if (r["overlord"], r.get("rival", "")) == (overlord, rival) and r.get("seat", "both") == "both"]
            assert [row["verdict"] for row in rows] == [state]
            key = next(k for k in ((found["family"], overlord, rival), (found["family"], rival, overlord)) if k in differences)
            assert differences[key]["verdict_before"].split(", ")[0] == differences[key]["verdict_after"].split(", ")[0] == state
            assert experts[key]["verdict"] == state
            if found["family"] != "first":
                assert cells[f"{overlord} – {rival}" if rival else overlord][0] == state
        lamp = lamps[found["family"]]
        if state in OFF:
            assert lamp["state"] in (*OFF, OFF_BALANCE)
            assert found["id"] in lamp["findings"]
        if state == FAIR:
            assert found["id"] not in lamp["findings"] or lamp["state"] == FAIR
        if state not in OFF and abs(found["size"]) > found["margin"]:
            assert found["id"] in lamp["findings"]  # leaning, and never missing
            assert found["lean"] in ("leans strong", "leans weak")


def test_titles_count_what_lamps_count(shown):
    material = shown[0]
    for chart, family in ((overlords(material), "overlords"), (matchups(material), "matchups")):
        off = [found for found in material.findings["findings"] if found["family"] == family and found["state"] in OFF]
        if not off:
            assert "off balance" not in chart.title or "clearly" in chart.title
        elif family == "matchups" and len(off) > 1:
            assert f"; {len(off)} match-ups are off balance" in chart.title
        else:
            assert all(found["subject"]["overlord"] in chart.title for found in off[:3])
