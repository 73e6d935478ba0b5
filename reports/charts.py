"""All charts of a page, by name. One that has nothing to show is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports import charts_cards, charts_feel, charts_rates

if TYPE_CHECKING:
    from reports.drawing import Chart
    from reports.material import Material

DRAWN = (
    charts_rates.overlords,
    charts_rates.matchups,
    charts_rates.seats,
    charts_cards.cost_curve,
    charts_cards.naive,
    charts_feel.length,
    charts_feel.river,
    charts_rates.panel,
    charts_rates.strategies,
    charts_feel.calibration,
)


def all_charts(material: Material) -> dict[str, Chart]:
    """The charts that this analysis has something for."""
    found = (make(material) for make in DRAWN)
    return {chart.name: chart for chart in found if chart is not None}
