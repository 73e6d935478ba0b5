"""A byte that changes in a run's folder is found out by whoever reads it, once, and not at the price of reading everything twice."""

import json
import random
import shutil
from pathlib import Path

import pytest

from terrors.analysis.analyze import analyze
from terrors.simulator.kernel import jit
from terrors.simulator.runs import storage
from terrors.simulator.runs.checked_parts import NOTES
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, RunError, simulate
from terrors.simulator.runs.storage import Folder
from tests.support.commands import refused, worked
from tests.support.places import FROZEN

PLAN = Plan(games=160, cards=str(FROZEN), overlords=("Fenris", "Lilith"), deny_lottery=0.1)
TABLES = ("games", "turns", "purchases", "cards")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    return simulate(PLAN, tmp_path_factory.mktemp("made") / "run", jobs=1, chunk=40).folder.path


@pytest.fixture
def out(made, tmp_path, monkeypatch) -> Path:
    """A run to be spoiled, in the eyes of somebody who looks at it the day after."""
    monkeypatch.setattr(storage, "FRESH_SECONDS", -1e9)
    monkeypatch.setattr(jit, "CACHE_ROOT", tmp_path / "cache")
    return Path(shutil.copytree(made, tmp_path / "run"))


def flip(path: Path, at: int) -> None:
    """Change one bit, and let the file look as it did: size and time are the same."""
    data, times = bytearray(path.read_bytes()), path.stat()
    data[at % len(data)] ^= 1 << at % 8
    path.write_bytes(bytes(data))
    import os

    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def read_all(run: Run) -> None:
    for table in TABLES:
        getattr(run, table).collect()


def test_no_flipped_bit_is_read(out):
    """Without the check, about every third of them was read, and some gave other numbers."""
    luck = random.Random(19)
    parts = sorted(out.rglob("*.parquet"))
    for _ in range(80):
        part = luck.choice(parts)
        whole = part.read_bytes()
        flip(part, luck.randrange(8 * len(whole)))
        with pytest.raises(RunError, match=f"{part.name}: this part is damaged \\(its content has changed since it was written\\); the command that made"):
            read_all(Run.open(out))
        part.write_bytes(whole)
    read_all(Run.open(out))


@pytest.mark.parametrize("command", ["analyze", "compare", "report"])
def test_commands_that_read_refuse_it_in_a_sentence(out, command):
    worked("analyze", out)
    for part in (out / "games").iterdir():
        flip(part, 800)
    arguments = {"analyze": (out,), "compare": (out, out), "report": (out,)}[command]
    assert "games/part-000000000.parquet: this part is damaged (its content has changed" in refused(command, *arguments)


def reads(monkeypatch) -> list[str]:
    """The names of the files that are read from now on."""
    seen: list[str] = []
    read = Folder.read
    monkeypatch.setattr(Folder, "read", lambda self, name: seen.append(name) or read(self, name))
    return seen


def test_the_second_command_is_free(out, monkeypatch, tmp_path):
    before = {path.name for path in out.rglob("*")}
    read_all(Run.open(out))
    assert {path.name for path in out.rglob("*")} == before  # a stranger's folder, or one that cannot be written, is left alone
    seen = reads(monkeypatch)
    read_all(Run.open(out))
    assert [name for name in seen if name.endswith(".parquet")] == []
    flip(out / "turns" / "part-000000040.parquet", 5_000)
    with pytest.raises(RunError, match=r"turns/part-000000040\.parquet: this part is damaged"):
        read_all(Run.open(out))
    assert [name for name in seen if name.endswith(".parquet")] == ["turns/part-000000040.parquet"]
    copy = shutil.copytree(out, tmp_path / "copy")  # what is known of one folder says nothing of another
    with pytest.raises(RunError, match="this part is damaged"):
        read_all(Run.open(copy))


def test_notes_that_make_no_sense_are_none(out):
    read_all(Run.open(out))
    (notes,) = (jit.CACHE_ROOT / NOTES).iterdir()
    assert notes.stat().st_mode & 0o077 == 0
    notes.write_bytes(b'nonsense\n{}\n[1]\n["games/part-000000000.parquet", null, null]\n\xff\n' + notes.read_bytes()[:-20])
    read_all(Run.open(out))
    flip(out / "cards.parquet", 99)
    with pytest.raises(RunError, match=r"cards\.parquet: this part is damaged"):
        read_all(Run.open(out))


def test_a_part_that_was_just_written_is_not_noted(out, monkeypatch):
    """It may be written again in the same tick of the clock; nor is one whose time lies in the future, when the clock has jumped."""
    monkeypatch.setattr(storage, "FRESH_SECONDS", 3600.0)
    read_all(Run.open(out))
    assert not (jit.CACHE_ROOT / NOTES).exists()


def test_an_analysis_says_from_which_parts_it_comes(out):
    run = Run.open(out)
    found = analyze([out]).as_data()["runs"][0]["checked"]
    assert 0 < found["parts"] <= sum(len(part["files"]) for part in run.info["parts"]) + 1
    assert analyze([out]).as_data()["runs"][0]["checked"] == found
    worked("analyze", out)
    worked("report", out, "--games", 0)
    assert f"{found['parts']} (SHA-256 over all: {found['sha256'][:16]}…)" in (out / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", ["tallies", "pairs"])
def test_a_digit_of_run_json_that_has_changed(out, number):
    """It has sums in it that reports tell as they are."""
    info = json.loads((out / "run.json").read_text(encoding="utf-8"))
    if number == "tallies":
        info["tallies"]["draws"] += 1
    else:
        info["pairs"][0][1] -= 1
    (out / "run.json").write_text(json.dumps(info), encoding="utf-8")
    assert refused("analyze", out).endswith("run.json: its content has changed since it was written; put back what was there, or start again with --overwrite.")
