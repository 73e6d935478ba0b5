"""Drawing, in a process of its own: while one core draws, the other plays games again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from terrors.reports.charts.all_charts import all_charts
from terrors.reports.charts.render import drawn
from terrors.reports.inputs import Material
from terrors.reports.theme import use_factions


@dataclass(frozen=True)
class Drawn:
    """A chart in all its forms."""

    chart: dict[str, str]  # as the page takes it
    png: bytes


Figures = dict[str, Drawn]


def draw(material: Material, done: Collection[str] = ()) -> Figures:
    """Draw all charts of a material but those that are done."""
    use_factions(material.factions)  # this may be a process of its own
    return {name: Drawn(*drawn(chart)) for name, chart in all_charts(material).items() if name not in done}


class DrawingProcess:
    """The process that draws; used in a `with` block. It takes a second until Matplotlib is there, so whoever knows early calls `set_up`."""

    def __init__(self) -> None:
        """Begin without a process; it is started when it is needed."""
        self._executor: Any = None

    def set_up(self) -> None:
        """Start it, without waiting for it."""
        self._submit(_load)

    def draw(self, material: Material, done: Collection[str] = ()) -> Callable[[], Figures]:
        """Begin to draw all charts but those that are done, and return a function that waits for the figures."""
        return self._submit(draw, material, done).result

    def _submit(self, task: Callable[..., Any], *arguments: Any) -> Any:
        if self._executor is None:
            from joblib.externals.loky import ProcessPoolExecutor  # one of our own: the reusable one belongs to those who play, and cannot be shared

            self._executor = ProcessPoolExecutor(max_workers=1)
        from terrors.simulator.runs.workers import held_interrupts  # here: the process that draws does without those who play

        with held_interrupts():
            return self._executor.submit(task, *arguments)

    def __enter__(self) -> DrawingProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, kill_workers=True)


def _load() -> None:
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401

    gc.freeze()  # what was loaded is never garbage: to look through it again and again takes a twelfth of the time of drawing
