"""How a long job tells how far it is: one line that is renewed on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from terrors.cli.project import tell_cards

if TYPE_CHECKING:
    from terrors.simulator.runs.run import RunProgress

ON_A_TERMINAL = 0.2  # seconds between two renewals
ELSEWHERE = 10.0  # and between two lines in a log
SOON = 500  # games, or one of a hundred: before that, what compiling took would count as playing, and hours seem to be left


def span(seconds: float) -> str:
    """Return a length of time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 100 * 3600 else f"{seconds / 86400:,.0f} days"


def progress_line(progress: RunProgress) -> str:
    """Return games done, games a second, time left, and how well the least known match-up is known."""
    parts = [f"{progress.done:,} of {progress.games:,} games", f"{progress.rate:,.0f} games/s"]
    left = progress.seconds_left
    if left is not None and min(SOON, progress.games / 100) <= progress.done < progress.games:
        parts.append(f"{'at most ' if progress.may_stop else ''}{span(left)} left")
    if progress.stage == "screen":
        parts.append("finding out who plays best")
    else:
        parts.append(f"every match-up to ±{100 * progress.half_width:.1f} points or better")
    for games, words in zip(progress.limits, ("at the turn limit", "with an Action Phase cut short"), strict=True):
        if games:
            parts.append(f"{games:,} {words}")
    return " · ".join(parts)


_shown: list[ProgressPrinter] = []  # the line that is on the terminal now, if there is one


def clear_line() -> None:
    """Clear the line of progress, so that something else can be printed there."""
    while _shown:
        _shown.pop().close()


class ProgressPrinter:
    """Prints progress to stderr, so that what a command prints stays clean."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Choose the stream: stderr without one."""
        self.stream = stream or sys.stderr
        self.terminal = self.stream.isatty()
        self.last = 0.0 if self.terminal else time.monotonic()
        self.width = 0

    def __call__(self, progress: RunProgress) -> None:
        """Show how far a run is, if it is time."""
        self.tell(lambda: progress_line(progress))

    def tell(self, words: Callable[[], str]) -> None:
        """Show a line, if it is time; only then it is worded."""
        tell_cards()
        now = time.monotonic()
        if now - self.last < (ON_A_TERMINAL if self.terminal else ELSEWHERE):
            return
        self.last = now
        line = words()
        self.show(line)

    def show(self, line: str) -> None:
        """Show a line now; on a terminal in the place of the one before, and no longer than it is wide."""
        if self.terminal:
            line = line[: shutil.get_terminal_size((200, 40)).columns - 1]
            if _shown[-1:] != [self]:
                clear_line()
                _shown.append(self)
            print(f"\r{line:<{self.width}}", end="", file=self.stream, flush=True)
            self.width = len(line)
        else:
            print(line, file=self.stream, flush=True)

    def close(self) -> None:
        """Clear the line of progress."""
        if self.terminal and self.width:
            print(f"\r{'':<{self.width}}\r", end="", file=self.stream, flush=True)
            self.width = 0


def tell_step(text: str) -> None:
    """Say on a terminal what is being done now, in the same line as all progress; a log does without."""
    tell_cards()
    if sys.stderr.isatty():
        ProgressPrinter().show(text if text.endswith("…") else f"{text} …")
