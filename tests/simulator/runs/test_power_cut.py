"""The power is cut while a run is written: what counts as done is on the disk.

The disk of these tests forgets all that was not flushed, which is the worst that a file system may do: a file has the content that it had when it was last
flushed, and a folder the names that it had when it was last flushed.
"""

import os
import shutil
from pathlib import Path

import pytest

from terrors.simulator.runs import storage
from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.manifest import damaged_parts, read_info, read_records
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.storage import Folder
from tests.support.places import FROZEN
from tests.support.whole_run import content

PLAN = Plan(games=120, cards=str(FROZEN), overlords=("Fenris", "Lilith"), decisions=10)


class ForgetfulDisk:
    """Knows what of a folder would be there if the power were cut now."""

    def __init__(self, root: Path, monkeypatch) -> None:
        self.root = root
        self.content: dict[int, bytes] = {}  # of files, by inode, when they were flushed
        self.names: dict[int, dict[str, int]] = {}  # of folders, by inode: the inodes of what is in them
        self.folders: set[int] = set()
        self.cuts = 0
        self.at_cut = lambda: None
        self._fsync = os.fsync
        monkeypatch.setattr(storage.os, "fsync", self.fsync)

    def fsync(self, handle: int) -> None:
        """Keep what is flushed, as a disk does; and then the power may be cut."""
        self._fsync(handle)
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if path.is_dir():
            self.names[path.stat().st_ino] = {entry.name: entry.inode() for entry in os.scandir(path)}
            self.folders |= {entry.inode() for entry in os.scandir(path) if entry.is_dir()}
        else:
            self.content[os.fstat(handle).st_ino] = path.read_bytes()
        self.cuts += 1
        self.at_cut()

    def left(self, to: Path) -> Path:
        """What is there after the cut, in another folder."""
        self._copy(self.names.get(self.root.parent.stat().st_ino, {}).get(self.root.name), to)
        return to

    def _copy(self, inode: int | None, to: Path) -> None:
        to.mkdir()
        for name, inner in self.names.get(inode or 0, {}).items():
            if inner in self.folders:
                self._copy(inner, to / name)
            else:
                (to / name).write_bytes(self.content.get(inner, b""))


def what_counts_is_there(folder: Path) -> bool:
    """Whether every record, and run.json, vouches for files that are there and whole."""
    place = Folder(folder)
    info = read_info(place)
    if info is None:
        return True
    records = info["parts"] if info["status"] == "done" else read_records(place, info["identity"])
    return not any(damaged_parts(place, record) for record in records)


def test_what_counts_as_done_is_there_after_a_power_cut(tmp_path, monkeypatch):
    whole = content(simulate(PLAN, tmp_path / "whole", jobs=1, chunk=40))
    disk = ForgetfulDisk(tmp_path / "run", monkeypatch)
    left: list[Path] = []

    def cut() -> None:
        left.append(disk.left(tmp_path / f"cut {disk.cuts}"))
        assert what_counts_is_there(left[-1]), disk.cuts

    disk.at_cut = cut
    simulate(PLAN, tmp_path / "run", jobs=1, chunk=40)
    assert disk.cuts > 30
    disk.at_cut = lambda: None
    done = [len(list((folder / "games").glob("*.parquet"))) if (folder / "games").exists() else 0 for folder in left]
    assert done[-1] == 3
    for folder in (left[len(left) // 3], left[2 * len(left) // 3], left[-1]):  # the same command goes on with what is left
        assert content(simulate(PLAN, folder, jobs=1)) == whole
        assert verify_run(str(folder), 2).problems == []
    for folder in left:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("forgotten", ["files", "folders"])
def test_the_forgetful_disk_finds_out_who_does_not_flush(tmp_path, monkeypatch, forgotten):
    """A control: without either kind of flush there are cuts after which something counts that is not there."""
    disk = ForgetfulDisk(tmp_path / "run", monkeypatch)
    noted = disk.fsync

    def fsync(handle: int) -> None:
        is_folder = Path(os.readlink(f"/proc/self/fd/{handle}")).is_dir()
        if is_folder == (forgotten == "files") or (is_folder and Path(os.readlink(f"/proc/self/fd/{handle}")).name in ("run", "chunks", tmp_path.name)):
            noted(handle)

    monkeypatch.setattr(storage.os, "fsync", fsync)
    found: list[bool] = []

    def cut() -> None:
        folder = disk.left(tmp_path / f"cut {disk.cuts}")
        if forgotten == "files":
            found.append(any(not path.stat().st_size for path in folder.rglob("part-*.parquet")))
        else:
            found.append(len(list((tmp_path / "run" / "chunks").glob("*.json"))) > len(list(folder.rglob("games/*.parquet"))))
        shutil.rmtree(folder)

    disk.at_cut = cut
    simulate(PLAN.but(games=40), tmp_path / "run", jobs=1, chunk=20)
    assert any(found)
