"""A strategy of one's own, tried out in a process of its own: it may loop for ever, end the process, or write where nothing is.

The process (checks/alone.py) imports the file, lets it form its opinions, compiles it with bounds checks and plays the games of the contract, and says before
each step what it is about to do. Whoever started it waits here for the next word only so long, and tells in a sentence how it ended: with a report, too late,
or dead. A file that has kept to the contract is noted by its content (known.py), and from then on compiled without bounds checks.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from terrors.simulator.terms.errors import WordedError
from terrors.strategies.formats.known import has_passed, note_passed

# How long each step may take, in seconds: far longer than it should on any machine.
SECONDS = {"importing": 60.0, "compiling": 600.0, "preparing": 60.0, "answering": 20.0, "answering slowly": 300.0}
GAMES = 2  # that are enough before a run; `terrors strategies check` plays more
REMEDY = "mend that, and see what `terrors strategies check` says"
SIGNALS: dict[int, str] = {
    signal.SIGSEGV: "ended the process with a segmentation fault, as an index out of range does in a helper",
    signal.SIGKILL: "was killed, perhaps because memory ran out",
}
_tried: set[bytes] = set()  # what has been tried out by this process


def memory_limit() -> int:
    """Return the bytes that a strategy may take while it is tried out: half of what the machine has, so that others can go on."""
    return max(2 << 30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


class StrategyError(WordedError):
    """Raised for a strategy that cannot be used, in one sentence (and where, for the compiler's complaints)."""


def try_out(path: Path) -> None:
    """Let a file play two games by itself, unless its content is known to keep to the contract. StrategyError if it cannot be let into this process."""
    with suppress(OSError):  # whoever imports it will say so
        data = path.read_bytes()
        if data not in _tried and not has_passed(data):
            if not Watch(path).report({"path": str(path), "games": GAMES})["found"]:
                note_passed(data)
            _tried.add(data)


class Watch:
    """The one who starts the process and waits for it."""

    def __init__(self, path: Path) -> None:
        """Take the file; nothing is started yet."""
        self.path = path
        self.place = "while it was imported"  # the last thing that was told
        self.limit = SECONDS["importing"]

    def report(self, order: dict[str, Any]) -> dict[str, Any]:
        """Return the report, as data (contract.Report); StrategyError if there is none."""
        # -P: nothing that lies in the current folder is taken for a module.
        command = [sys.executable, "-P", "-c", "from terrors.strategies.checks.alone import main; main()"]
        beside = os.pathsep.join(filter(None, (str(Path(str(sys.modules["terrors"].__file__)).parents[1]), os.environ.get("PYTHONPATH"))))
        process = subprocess.Popen(
            command, env=os.environ | {"PYTHONPATH": beside}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(order | {"memory": memory_limit()}).encode())
                process.stdin.close()
            return self._listen(process, process.stdout.fileno())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and whatever it has started
            process.wait()
            with suppress(BrokenPipeError):
                process.stdin.close()
            process.stdout.close()

    def _listen(self, process: subprocess.Popen[bytes], pipe: int) -> dict[str, Any]:
        rest = b""
        while True:
            ready, _, _ = select.select([pipe], [], [], self.limit)
            if not ready:
                raise self._error(f"it did not come to an end within {self.limit:g} s; look for a loop that does not end")
            if not (data := os.read(pipe, 1 << 16)):
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if (report := self._hear(line)) is not None:
                    return report
        code = process.wait()
        what = SIGNALS.get(-code, f"ended the process (exit code {code})")
        raise self._error(f"it {what}; {REMEDY}")

    def _hear(self, line: bytes) -> dict[str, Any] | None:
        """Take in a line; return the report if that is what it is."""
        try:
            word = json.loads(line)
        except ValueError:
            word = None
        if not isinstance(word, dict) or not word.keys() & {"refused", "report", "step"}:
            raise self._error(f"it wrote into a file that it had not opened; {REMEDY}")
        if "refused" in word:
            raise StrategyError(word["refused"])
        if "report" in word:
            return dict(word["report"])
        self.place, self.limit = word["place"], SECONDS[word["step"]]
        return None

    def _error(self, what: str) -> StrategyError:
        return StrategyError(f"{self.path}: {self.place}, {what}.")
