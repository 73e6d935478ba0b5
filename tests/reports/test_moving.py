"""The section of the page about the number lottery: what it shows of effects that are known, and that it is silent about what is not certain."""

import numpy as np
import polars as pl
import pytest

from terrors.analysis.numbers.gauges import FIRST, LENGTH, MATCHUP, OVERLORD, Gauge
from terrors.analysis.numbers.number_effects import Effects
from terrors.analysis.numbers.study import NumberStudy
from terrors.reports.charts.render import png, svg
from terrors.reports.charts.tornado import tornadoes
from terrors.reports.inputs import Material
from terrors.reports.page.moving import moving, number_grid
from terrors.reports.page.page import environment
from terrors.simulator.cards.card_numbers import Number

NUMBERS = [Number("Lilith", "health", 45, 1, 999, 2), Number("<b>Hag", "cost", 3, 0, 99, 1), Number("", "first_hand", 4, 0, 30, 1)]
GAUGES = [Gauge(OVERLORD, "Azazael"), Gauge(OVERLORD, "Lilith"), Gauge(MATCHUP, "Azazael", "Lilith"), Gauge(FIRST), Gauge(LENGTH)]


@pytest.fixture
def material() -> Material:
    """Health is worth 2.7 to its owner and takes 1.4 from another, a card moves nothing for certain, a rule moves going first."""
    effect = np.array([[-1.4, 2.7, -2.7, 0.0, 0.3], [0.1, 0.2, -0.1, 0.1, 0.0], [0.0, 0.1, 0.1, 5.0, -0.2]])
    se, bend = np.full((3, 5), 0.1), np.zeros((3, 5))
    bend[0, 1] = 1.0
    table = NumberStudy(Effects(NUMBERS, GAUGES, effect, se, bend, se, np.full(len(NUMBERS), 200.0), 60_000), "tuned", True).table()
    overlords = pl.DataFrame({"overlord": ["Azazael", "Lilith"], "rate": [45.0, 55.0]})
    return Material("run", {"findings": [], "runs": [], "margins": {}, "stands_on": {}}, {"numbers": table, "overlords": overlords})


def test_what_would_move_it_in_words(material):
    found = moving(material)
    assert [one["of"] for one in found["of"]] == ["Azazael", "Lilith", "going first"]
    (line,) = found["of"][1]["lines"]
    assert line["move"] == "Lilith: Health 45 → 47"
    assert line["effect"].startswith("+2.7 (+2.4 to +3.0); a step down −1.7")  # 1.0 of bend minus 2.7
    assert line["also"] == "−1.4 for Azazael"
    assert [one["of"] for one in found["matchups"]] == ["Azazael against Lilith"]
    assert found["of"][2]["lines"][0]["move"] == "rule first hand 4 → 5"
    assert [row[0].text for row in number_grid(material).rows] == ["rule first hand 4 → 5", "Lilith: Health 45 → 47"]


def test_charts_are_drawn_and_names_are_text(material):
    charts = tornadoes(material)
    assert [chart.name for chart in charts] == ["movers-1", "movers-2", "movers-3"]
    assert "Lilith: Health 45 → 47" in charts[1].alt
    assert png(charts[1]).startswith(b"\x89PNG")
    for wide in (True, False):
        assert "<script" not in svg(charts[1], wide)
    names = {chart.name: {"name": chart.name, "title": chart.title, "caption": "", "alt": "", "wide": "", "narrow": ""} for chart in charts}
    said = environment().get_template("moving.html").render(moving=moving(material), charts=names, grids={"numbers": number_grid(material)})
    assert "<b>Hag" not in said
    assert "What would move Lilith" in said
    assert "Azazael against Lilith" in said


def test_without_a_lottery_the_page_says_how_to_get_one():
    nothing = Material("run", {"findings": [], "runs": [], "margins": {}, "stands_on": {}})
    assert moving(nothing) == {"there": False}
    assert tornadoes(nothing) == []
    assert "terrors numbers" in environment().get_template("moving.html").render(moving=moving(nothing), charts={}, grids={"numbers": number_grid(nothing)})
