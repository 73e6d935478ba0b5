"""Sweeps: where a gauge crosses even, with intervals that hold; targets and what they mean for overlords."""

import numpy as np
import pytest

from terrors.analysis.contract.findings_schema import TOO_STRONG
from terrors.analysis.contract.margins import Margins
from terrors.analysis.numbers.fairness import FAIR, Asked, read_targets
from terrors.analysis.numbers.gauges import FIRST, LENGTH, MATCHUP, OVERLORD, Gauge
from terrors.analysis.numbers.sweep import _crossing
from terrors.simulator.terms.errors import AnalysisError

GAUGES = [
    *(Gauge(OVERLORD, name) for name in ("Azazael", "Fenris", "Lilith")),
    *(Gauge(MATCHUP, *pair) for pair in (("Azazael", "Fenris"), ("Azazael", "Lilith"), ("Fenris", "Lilith"))),
    Gauge(FIRST),
    Gauge(LENGTH),
]  # fmt: skip


def test_crossings_are_where_they_were_planted():
    """Rates rise by 1.4 points a step from 2 below even: even at 1.43 steps. Neighbours share most of their luck."""
    values, held, luck = np.arange(40.0, 48.0, 2.0), 0, np.random.default_rng(2)
    truth = 40 + 2 * 2 / 1.4
    for _ in range(40):
        shared, own = luck.normal(0, 0.25, (1, 3600)), luck.normal(0, 0.15, (4, 3600))
        found = _crossing(values, (np.arange(4) * 1.4 - 2)[:, None] / 100 + shared + own, luck)
        assert found is not None
        held += found[1] <= truth <= found[2]
    assert held >= 35
    assert _crossing(values, np.full((4, 3600), 0.2) + luck.normal(0, 0.1, (4, 3600)), luck) is None


def test_a_wanted_counter_moves_what_is_wanted_of_both_overlords():
    """55 against one of two rivals: 52.5 for the one, 47.5 for the other; written from either side."""
    wanted = read_targets(["azazael against lilith = 55"], GAUGES)
    assert wanted == {"Azazael against Lilith": 55, "Azazael": 52.5, "Lilith": 47.5}
    assert read_targets(["Lilith against Azazael = 45%"], GAUGES) == wanted
    for text, said in (("Azazael against Lilit = 55", "did you mean"), ("Azazael = much", "games won of 100"), ("Azazael", "games won of 100")):
        with pytest.raises(AnalysisError, match=said):
            read_targets([text], GAUGES)


def test_what_is_asked_is_judged_by_family_and_the_rest_is_fair():
    asked = Asked(GAUGES, Margins(), {"Azazael against Lilith": 55.0})
    means = np.array([50.0, 50.5, 60.0, 50.0, 55.0, 50.0, 57.0, 18.0])
    states = asked.states(means, np.full(8, 0.2))
    assert states == [FAIR, FAIR, TOO_STRONG, FAIR, FAIR, FAIR, TOO_STRONG, FAIR]
    assert Asked(GAUGES, Margins(), kinds=(OVERLORD, MATCHUP)).states(means, np.full(8, 0.2))[6] == FAIR
