"""What takes long to compile, made before the tests, two processes beside each other; whoever runs the tests, one process or several, finds it there."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.support.places import ROOT

# Everything that ships, in the project's own cache.
ALL = """
from terrors.simulator.engine import entry_points
from terrors.strategies import all_names, find
entry_points.play_games.prepare()
entry_points.drive.prepare()
for name in all_names():
    find(name).compiled
"""
# Hits an overlord of 30 Health with 3 Power and prints the Health that is left.
ATTACK = """
from terrors.simulator.play.box import make_box
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.story.position import lay_table
game, _ = lay_table(make_box(load_cards()), {"you": {"pool": {"power": 3}}, "opponent": {"overlord": "Fenris", "health": 30}})
game.apply("attack")
print(game.record.player[1].health)
"""


def command(code: str) -> list[str]:
    """A piece of Python in a process of its own; warnings are errors there too."""
    return [sys.executable, "-W", "error", "-c", code]


class Builds:
    """What came of the processes that compile, by their names; whoever asks for one that is not done waits.

    `"all"` has compiled all that ships. The others work in a copy of the project, with bounds checks and a cache of their own: `"compiled"` has compiled it
    and played the games of test_engine.py, `"again"` is the next one with that cache, `"edited"` the one with an edited rule, `"restored"` the one with
    the rule as it was. Each leaves a file in the folder, which is all that the processes of the tests have in common.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def wait_for(self, step: str) -> subprocess.CompletedProcess[str]:
        file = self.folder / f"{step}.json"
        while not file.exists():
            time.sleep(0.1)
        return subprocess.CompletedProcess(**json.loads(file.read_text(encoding="utf-8")))

    def __getitem__(self, step: str) -> subprocess.CompletedProcess[str]:
        done = self.wait_for(step)
        assert done.returncode == 0, done.stderr
        return done


class Builder(Builds):
    """The one that starts these processes, and ends them."""

    def __init__(self, folder: Path, checked: bool = True):
        """`checked`: whether the build with bounds checks is wanted."""
        super().__init__(folder)
        self.root = folder / "copy"
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = threading.Event()
        for name in ("terrors", "simulator", "strategies", "tests"):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "cards.csv", self.root)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._build_all, *([self._build_copy] if checked else []))]
        for thread in self._threads:
            thread.start()

    def _build_all(self) -> None:
        self._run("all", ALL, ROOT)

    def _build_copy(self) -> None:
        rules = self.root / "simulator" / "rules" / "resources.py"
        text = rules.read_text(encoding="utf-8")
        self._run("compiled", "from tests.simulator.rules.test_engine import play_checked; play_checked()")
        self._run("again", ATTACK)
        rules.write_text(text.replace("    p.health -= amount\n", "    p.health -= 2 * amount\n"), encoding="utf-8")
        self._run("edited", ATTACK)
        rules.write_text(text, encoding="utf-8")
        self._run("restored", ATTACK)

    def _run(self, step: str, code: str, root: Path | None = None) -> None:
        if self._stopped.is_set():
            return
        environment = os.environ | ({} if root else {"TERRORS_BOUNDSCHECK": "1", "TERRORS_CACHE": str(self.folder / "cache")})
        process = subprocess.Popen(command(code), cwd=root or self.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._running.add(process)
        out, error = process.communicate()
        self._running.remove(process)
        unfinished = self.folder / f"{step}.unfinished"
        unfinished.write_text(json.dumps({"args": code, "returncode": process.returncode, "stdout": out, "stderr": error}), encoding="utf-8")
        unfinished.rename(self.folder / f"{step}.json")

    def stop(self) -> None:
        """End them, and remove what they made."""
        self._stopped.set()
        for process in list(self._running):
            process.kill()
        for thread in self._threads:
            thread.join()
        shutil.rmtree(self.folder, ignore_errors=True)
