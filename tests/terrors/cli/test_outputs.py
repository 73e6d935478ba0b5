"""What leaves the toolkit does nothing but tell: no formula in a spreadsheet, no command to a terminal, nothing that others can write to."""

import os
import stat
from pathlib import Path

import polars as pl
import pytest

from terrors.analysis.contract.csv_text import csv_bytes
from terrors.cli.failures import ShownText
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.kernel import caches
from terrors.simulator.runs import storage
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.storage import FolderError, open_folder
from tests.support.commands import CARDS, terrors, worked
from tests.support.places import FROZEN

SLY = '=HYPERLINK("http://example.org","Ghoul")'


def test_cells_that_a_spreadsheet_would_run():
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "Ghoul", "a=b", "\t=1", "", None]
    frame = pl.DataFrame({"name": names, "size": [-1.5] * len(names), "=title": [1] * len(names)})
    lines = csv_bytes(frame.with_columns(kind=pl.col("name").cast(pl.Categorical))).decode().splitlines()
    assert lines[0] == "name,size,'=title,kind"
    assert lines[1:6] == ["'=1+1,-1.5,1,'=1+1", "'+1,-1.5,1,'+1", "'-1,-1.5,1,'-1", "'@SUM(A1),-1.5,1,'@SUM(A1)", "Ghoul,-1.5,1,Ghoul"]
    assert [line.split(",")[0] for line in lines[6:8]] == ["a=b", "'\t=1"]


def test_a_card_with_the_name_of_a_formula(tmp_path):
    text = FROZEN.read_text(encoding="utf-8").replace("\nGhoul,", '\n"' + SLY.replace('"', '""') + '",')
    (tmp_path / "cards.csv").write_text(text, encoding="utf-8")
    assert any(card.name == SLY for card in load_cards(tmp_path / "cards.csv").cards)
    simulate(Plan(games=48, cards=str(tmp_path / "cards.csv"), overlords=("Fenris", "Lilith")), tmp_path / "run", jobs=1)
    worked("analyze", tmp_path / "run", "--no-feel")
    worked("report", tmp_path / "run", "--games", 0)
    written = [path for folder in ("analysis", "report") for path in (tmp_path / "run" / folder).rglob("*.csv")]
    assert any("'=HYPERLINK" in path.read_text(encoding="utf-8") for path in written)
    for path in written:
        assert not [cell for row in pl.read_csv(path, infer_schema_length=0).rows() for cell in row if cell and cell[0] in "=+@"], path


def test_nothing_commands_the_terminal(tmp_path):
    title = "\x1b]0;yours\x07\x1b[2J\x9b31m\u202e"
    (tmp_path / "plan.toml").write_text('strategies = ["\\u001b]0;yours\\u0007.py"]\n', encoding="utf-8")
    said = "\\u001b]0;yours\\u0007\\u001b[2J\\u009b31m\\u202e"  # as TOML and Python spell it
    (tmp_path / "list.toml").write_text(f'plan = "{said}"\n', encoding="utf-8")
    (tmp_path / "mine.py").write_text(f'"""Raises."""\nraise ValueError("{said}")\n', encoding="utf-8")
    commands = [
        ("simulate", tmp_path / "plan.toml", "--cards", CARDS),
        ("simulate", "--cards", tmp_path / f"{title}.csv"),
        ("analyze", tmp_path / title),
        ("strategies", "check", tmp_path / "list.toml"),
        ("strategies", "check", tmp_path / "mine.py"),
    ]
    for command in commands:
        result = terrors(*command)
        said = result.stdout + result.stderr
        assert said
        assert not set(said) & set("\x1b\x07\x9b\u202e"), command


def test_bold_stays_bold_and_lines_stay_lines(capsys):
    import sys

    ShownText(sys.stdout).write("\x1b[1mTurn 3\x1b[0m\tGhoul\r\n\x1b[31mred\x1b[8m")
    assert capsys.readouterr().out == "\x1b[1mTurn 3\x1b[0m\tGhoul\r\n?[31mred?[8m"


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_strangers_cannot_write_into_a_run(tmp_path, no_umask):
    simulate(Plan(games=8, cards=str(FROZEN), overlords=("Fenris", "Lilith")), tmp_path / "run", jobs=1)
    for path in (tmp_path / "run", *(tmp_path / "run").rglob("*")):
        if path.name != ".lock":
            assert not path.stat().st_mode & stat.S_IWOTH, path


def test_a_link_where_the_temporary_file_would_be_is_not_written_through(tmp_path, monkeypatch):
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    monkeypatch.setattr(storage, "temporary_name", lambda name: ".tmp-foreseen")
    (tmp_path / ".tmp-foreseen").symlink_to(tmp_path / "mine")
    with pytest.raises(FolderError):
        open_folder(tmp_path).write("table", b"data")
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "mine"
    monkeypatch.undo()
    assert len({storage.temporary_name("a") for _ in range(100)}) == 100
    assert len(storage.temporary_name("")) > 32


def test_a_cache_is_only_used_if_it_is_the_users_own(tmp_path, monkeypatch, capsys):
    mine = tmp_path / "mine"
    monkeypatch.setenv("TERRORS_CACHE", str(mine))
    assert caches.cache_root() == mine
    assert stat.S_IMODE(mine.stat().st_mode) == 0o700
    mine.chmod(0o777)  # by an earlier version, with a umask of nothing; all in it is the user's
    (mine / "engine").mkdir()
    assert caches.cache_root() == mine
    assert stat.S_IMODE(mine.stat().st_mode) == 0o700
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(caches.os, "getuid", lambda: 4_242_424)
    monkeypatch.setattr(caches.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(caches.tempfile, "mkdtemp", lambda prefix: str(tmp_path / "fresh"))
    (tmp_path / "fresh").mkdir()
    assert caches.cache_root() == tmp_path / "fresh"  # neither theirs nor the one in the temporary folder that they made beforehand
    assert os.environ["TERRORS_CACHE"] == str(tmp_path / "fresh")
    assert f"{mine}: this cache is not used, since others can write to it or have; delete it" in capsys.readouterr().err


def test_a_folder_that_others_could_write_to_and_did(tmp_path, monkeypatch):
    theirs = tmp_path / "index.nbi"
    theirs.touch()
    tmp_path.chmod(0o777)
    owner = Path.lstat
    monkeypatch.setattr(Path, "lstat", lambda self: os.stat_result((0o644, 0, 0, 1, 4_242_424, 0, 0, 0, 0, 0)) if self == theirs else owner(self))
    assert not caches.made_own(tmp_path)
