"""`terrors doctor`, and the completion of the shell."""

import json
import os
import subprocess
import sys

import pytest

from terrors.cli.commands import doctor
from terrors.cli.main import main
from tests.support.commands import COMMAND, run


def state(what: str) -> tuple[int, dict]:
    """The exit code, and what was found out about one thing."""
    result = run("doctor", "--json")
    (found,) = [check for check in json.loads(result.output) if check["what"] == what]
    return result.exit_code, found


def test_here_all_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("doctor")
    assert result.exit_code == 0, result.output
    assert result.output.endswith("All is there that is needed.\n")
    lines = result.output.splitlines()[:-2]
    assert [line.split()[0] for line in lines][:7] == ["Python", "libraries", "cards", "cache", "engine", "runs", "cores"]
    assert all(f" {word} " in line for line in lines for word in [line.split()[1]])
    assert {line.split()[1] for line in lines} <= {"ok", "missing"}  # a browser, for instance, may be missing
    assert list(tmp_path.iterdir()) == []


def test_libraries_are_held_to_the_bounds_of_the_project(monkeypatch):
    given = {"numba": "0.1", "joblib": None}
    monkeypatch.setattr(doctor, "installed", lambda name: given.get(name, "8.2"))
    monkeypatch.setattr(doctor, "project", lambda: (">=3.11,<3.14", ["click>=8.1,<9", "numba>=0.68,<0.69", "joblib>=1.4"], {"cluster": ["dask>=9"]}))
    code, numba = state("numba")
    assert code == 1
    assert numba["words"] == "Version 0.1 is installed; it should be <0.69,>=0.68."
    assert state("joblib")[1] == {
        "what": "joblib",
        "state": "missing",
        "words": "It is not installed.",
        "remedy": "Install again: pip install --upgrade .",
        "needed": True,
    }
    assert state("libraries")[1]["words"] == "click 8.2."
    assert state("dask")[1]["state"] == "problem"
    assert "2 things are broken" in run("doctor").output


def test_another_python(monkeypatch):
    monkeypatch.setattr("platform.python_version", lambda: "3.9.1")
    code, found = state("Python")
    assert (code, found["state"]) == (1, "problem")


def test_the_bounds_of_an_installed_wheel_are_those_of_the_project(monkeypatch, tmp_path):
    here = doctor.project()
    monkeypatch.setattr(doctor, "HERE", tmp_path / "terrors")
    asked = [*here[1], *(f"{text}; extra == '{extra}'" for extra, texts in here[2].items() for text in texts)]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: asked)
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: {"Requires-Python": here[0]})
    assert doctor.project() == here


def test_an_engine_that_cannot_be_loaded(monkeypatch):
    monkeypatch.setitem(sys.modules, "terrors.simulator.kernel.jit", None)
    monkeypatch.delattr("terrors.simulator.kernel.jit", raising=False)
    code, found = state("engine")
    assert (code, found["state"]) == (1, "problem")
    assert "cannot be loaded" in found["words"]


def test_an_engine_that_is_not_compiled_yet(monkeypatch, tmp_path):
    monkeypatch.setattr("terrors.simulator.kernel.jit.ENGINE_CACHE", tmp_path / "none")
    assert "not compiled yet" in state("engine")[1]["words"]
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "play_games.ready").touch()
    assert state("engine")[1]["words"].endswith(", compiled.")


def test_a_cache_that_had_to_go_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("TERRORS_CACHE", str(tmp_path / "wanted"))
    monkeypatch.setattr("terrors.simulator.kernel.jit.CACHE_ROOT", tmp_path / "fallback")
    code, found = state("cache")
    assert (code, found["state"]) == (0, "problem")
    assert "Set TERRORS_CACHE" in found["remedy"]


def test_a_folder_where_nothing_can_be_written(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").write_text("a file in its place")
    code, found = state("runs")
    assert (code, found["state"]) == (1, "problem")
    assert "--out" in found["remedy"]


def test_a_full_disk_and_little_memory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "NEEDED_DISK", 1e12)
    monkeypatch.setattr(doctor, "NEEDED_MEMORY", 1e12)
    code, found = state("runs")
    assert (code, found["state"]) == (1, "problem")
    assert state("memory")[1]["state"] == "problem"


def test_no_browser(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = state("browser")[1]
    assert found["state"] == "missing"
    assert not found["needed"]
    assert "Not needed for anything else." in run("doctor").output


@pytest.mark.parametrize(
    ("typed", "offered"), [("ba", ["balance"]), ("", [*main.commands]), ("strategies ch", ["check"]), ("balance --fail-on lo", ["lopsided"])]
)
def test_the_shell_completes_commands(typed, offered):
    words = ["terrors", *typed.split(" ")]
    environment = {"_TERRORS_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(COMMAND, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert sorted(line.partition(",")[2] for line in done.stdout.splitlines()) == sorted(offered)


def test_the_shell_is_told_how():
    done = subprocess.run(COMMAND, env=os.environ | {"_TERRORS_COMPLETE": "bash_source"}, capture_output=True, text=True, check=False)
    assert "_TERRORS_COMPLETE=bash_complete" in done.stdout
