"""All charts of a page, by name. One that has nothing to show is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terrors.reports.charts import cards, feel, rates
from terrors.reports.charts.tornado import tornadoes

if TYPE_CHECKING:
    from terrors.reports.charts.render import Chart
    from terrors.reports.inputs import Material

DRAWN = (
    rates.overlords,
    rates.matchups,
    rates.seats,
    cards.cost_curve,
    cards.naive,
    feel.length,
    feel.river,
    rates.panel,
    rates.strategies,
    feel.calibration,
)


def all_charts(material: Material) -> dict[str, Chart]:
    """Return the charts that this analysis has something for."""
    found = (*(make(material) for make in DRAWN), *tornadoes(material))
    return {chart.name: chart for chart in found if chart is not None}
