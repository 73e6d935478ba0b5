"""What is asked of a set: how far each gauge may be from where it should be. The one place where numbers, sweeps and suggestions ask the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from terrors.analysis.contract.findings_schema import FAIR, UNDECIDED
from terrors.analysis.contract.margins import Margins
from terrors.analysis.numbers.gauges import FIRST, MATCHUP, OVERLORD, Gauge
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.verdicts.judge import judge
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import did_you_mean

__all__ = ["FAIR", "UNDECIDED", "Asked"]


@dataclass(frozen=True)
class Asked:
    """The value that each gauge should have, and how far off it may be; the length of games is not asked for."""

    gauges: Sequence[Gauge]
    margins: Margins
    wanted: Mapping[str, float] = field(default_factory=dict)  # by name: what is to be other than even
    kinds: Sequence[str] = (OVERLORD, MATCHUP, FIRST)  # what is asked for

    @property
    def centre(self) -> np.ndarray:
        """The value that each gauge should have."""
        return np.array([self.wanted.get(gauge.name, 50.0) for gauge in self.gauges])

    @property
    def margin(self) -> np.ndarray:
        """The points by which each gauge may miss it."""
        of = {OVERLORD: self.margins.overlord, MATCHUP: self.margins.matchup, FIRST: self.margins.first}
        return np.array([of[gauge.kind] if gauge.kind in self.kinds else np.inf for gauge in self.gauges])

    def states(self, means: np.ndarray, ses: np.ndarray, looks: Looks | None = None) -> list[str]:
        """Return the verdict on each gauge, those of a family judged together; what is not asked for is fair."""
        found = [FAIR] * len(self.gauges)
        for kind in (OVERLORD, MATCHUP, FIRST):
            mine = [place for place, gauge in enumerate(self.gauges) if gauge.kind == kind and np.isfinite(self.margin[place])]
            if mine:
                gaps = (means - self.centre)[mine]
                for place, verdict in zip(mine, judge(gaps, ses[mine], float(self.margin[mine[0]]), looks), strict=True):
                    found[place] = verdict.state
        return found


def read_targets(texts: Sequence[str], gauges: Sequence[Gauge]) -> dict[str, float]:
    """Return what is wanted, from texts such as `Azazael against Lilith = 55` or `going first = 52`, by the names that the gauges have."""
    names = {gauge.name.casefold(): gauge for gauge in gauges if gauge.kind in (OVERLORD, MATCHUP, FIRST)}
    found: dict[str, float] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        try:
            wanted = float(value.removesuffix("%"))
        except ValueError:
            wanted = -1.0
        if not equals or not 0 < wanted < 100:
            raise AnalysisError(f"target {text!r}: write it as 'Azazael against Lilith = 55', with games won of 100.")
        one, against, other = name.partition(" against ")
        turned = f"{other} against {one}".casefold()
        if name.casefold() in names:
            found[names[name.casefold()].name] = wanted
        elif against and turned in names:
            found[names[turned].name] = 100 - wanted
        else:
            known = [gauge.name for gauge in names.values()] + [f"{gauge.rival} against {gauge.overlord}" for gauge in names.values() if gauge.kind == MATCHUP]
            raise AnalysisError(f"target {text!r}: there is no {name!r}{did_you_mean(name, known) or '; name an overlord, a match-up or going first.'}")
    for gauge in gauges:  # who wants a counter wants what it does to the overlords
        if gauge.kind == OVERLORD and gauge.name not in found:
            mine = [other for other in gauges if other.kind == MATCHUP and gauge.overlord in (other.overlord, other.rival)]
            off = [(found.get(other.name, 50.0) - 50) * (1 if other.overlord == gauge.overlord else -1) for other in mine]
            if any(off):
                found[gauge.name] = 50 + sum(off) / len(off)
    return found
