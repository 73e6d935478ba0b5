"""Which earlier run a new one is to be compared with: the project's baseline, else the run before, if they played the same game about as often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from terrors.cli.project import project
from terrors.simulator.terms.errors import WordedError

if TYPE_CHECKING:
    from terrors.simulator.runs.run import Run

SAME = ("overlords", "strategies", "pairing", "mirrors", "influences", "deny_lottery", "seed")  # entries of a plan; cards and rules are what one changes
SIMILAR = 3.0  # times as many games, at the most


def earlier_run(run: Run, latest: Path | None) -> str:
    """Return the folder of the run that a new one should be compared with; empty if there is none."""
    here = Path(run.folder.address).resolve()
    for folder in _candidates(latest):
        if folder.resolve() != here and (info := _info(folder)) is not None and comparable(info, run.info):
            return str(folder)
    return ""


def _candidates(latest: Path | None) -> Iterator[Path]:
    """Yield the runs that come into question, the best first: the baseline, the run before, then all others in runs/, the newest first."""
    if baseline := project().baseline:
        yield Path(baseline)
    if latest is not None:
        yield latest
    with suppress(OSError):
        found = [folder for folder in Path("runs").iterdir() if folder.is_dir() and not folder.is_symlink()]
        yield from sorted(found, key=lambda folder: -folder.stat().st_mtime)


def _info(folder: Path) -> dict[str, Any] | None:
    """Return what a finished run says about itself; None if there is no such run."""
    from terrors.simulator.runs.run import Run

    try:
        run = Run.open(str(folder))
    except (WordedError, OSError):
        return None
    return run.info if run.finished else None


def comparable(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two runs played the same game about as often, and something is different."""
    a, b = one["identity"], other["identity"]
    small, large = sorted((int(one["tallies"]["games"]), int(other["tallies"]["games"])))
    if not small or large > SIMILAR * small or a == b:
        return False
    return all(a["plan"].get(name) == b["plan"].get(name) for name in SAME)
