"""What is installed: the wheel has every file that the commands read, and they work where there is no checkout around them."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pathspec
import pytest

from terrors.reports.page.page import TEMPLATES
from tests.support.places import ROOMS, ROOT

pytestmark = pytest.mark.slow

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


def files_of_the_wheel() -> dict[str, Path]:
    """Where each file of the wheel comes from, by the rules of hatchling: all that lies in the folders and that .gitignore does not leave out."""
    ignored = pathspec.PathSpec.from_lines("gitignore", (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines())
    there = [path for name in WHEEL["only-include"] for path in (ROOT / name).rglob("*") if path.is_file()]
    files = {path.relative_to(ROOT).as_posix(): path for path in there}
    moved = re.compile("^(" + "|".join(map(re.escape, WHEEL["sources"])) + r")(?=/|$)")
    found = {moved.sub(lambda found: WHEEL["sources"][found[1]], name): path for name, path in files.items() if not ignored.match_file(name)}
    return found | {at: ROOT / source for source, at in WHEEL["force-include"].items()}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The wheel's files as an installation has them: the packages alone, nothing beside them."""
    site = tmp_path_factory.mktemp("site")
    for name, source in files_of_the_wheel().items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, site / name)
    return site


def installed(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import terrors.cli.main; terrors.cli.main.main(prog_name='terrors')"
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_the_wheel_has_what_the_commands_read():
    files = files_of_the_wheel()
    assert set(WHEEL["only-include"]) == set(ROOMS)
    assert {name.partition("/")[0] for name in files} == {"terrors"}  # nothing generic, which others have too
    read = {
        *TEMPLATES.iterdir(),
        *(ROOT / "strategies").glob("*.toml"),
        *(ROOT / "strategies").rglob("*.json"),
        ROOT / "cards.csv",
        *(ROOT / "examples").iterdir(),
    }
    assert {path.suffix for path in read} == {".html", ".css", ".js", ".toml", ".json", ".csv"}
    assert {path for path in read if path.is_file()} <= set(files.values())
    assert all(path.is_file() for path in files.values())
    assert not [name for name in files if "__pycache__" in name or name.endswith(".pyc")]


def test_the_reference_cards_go_where_they_are_looked_for(site, tmp_path):
    at = installed(site, tmp_path, "cards", "--json").stdout
    assert f'"path": "{site}/terrors/cards.csv"' in at
    installed(site, tmp_path, "new", "mine", "--from", "first-draft")
    assert (tmp_path / "mine" / "cards.csv").read_bytes() == (ROOT / "examples" / "first_draft.csv").read_bytes()


def test_the_installed_commands_know_their_strategies_and_templates(site, tmp_path):
    assert "tuned" in installed(site, tmp_path, "strategies", "--no-speed").stdout
    code = "from terrors.reports.page.page import TEMPLATES; print(TEMPLATES, len(list(TEMPLATES.glob('*.html'))))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"{site}/terrors/reports/templates", str(len(list(TEMPLATES.glob("*.html"))))]


def test_the_version_names_engine_cards_and_libraries(site, tmp_path):
    from terrors.simulator.cards.card_set import load_cards
    from terrors.simulator.kernel.jit import SOURCE_HASH

    lines = installed(site, tmp_path, "--version").stdout.splitlines()
    assert re.fullmatch(r"terrors \d+\.\d+\.\d+\S*", lines[0])
    assert lines[1] == f"engine  {SOURCE_HASH[:12]}"  # the same sources play the same games, wherever they lie
    assert lines[2] == f"cards   {load_cards().sha256[:12]}, the reference set"
    assert re.fullmatch(r"python  3\.\d+\.\d+\S*; numba \S+, numpy \S+, polars \S+, matplotlib \S+, jinja2 \S+", lines[3])


def test_versions_are_told_of_a_broken_installation_too(monkeypatch):
    from terrors.cli import versions

    monkeypatch.setitem(sys.modules, "terrors.simulator.kernel.jit", None)
    monkeypatch.setattr("terrors.simulator.cards.card_set.reference_path", lambda: ROOT / "nowhere.csv")
    monkeypatch.setattr(versions, "LIBRARIES", ("numpy", "no-such-thing"))
    told = versions.version_words()
    assert "engine  cannot be loaded" in told
    assert "cards   cannot be read" in told
    assert "no-such-thing missing" in told


def test_each_python_that_is_allowed_is_named():
    """Classifiers and bounds say the same."""
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["project"]["requires-python"])
    named = [int(text.rsplit(".", 1)[1]) for text in PROJECT["project"]["classifiers"] if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", text)]
    assert named == list(range(int(bounds[1]), int(bounds[2])))


def test_constraints_are_names_and_versions_only():
    """Where packages come from is the business of whoever installs them."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.+!-]+", line) for line in lines)
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    asked = PROJECT["project"]["dependencies"] + [text for extra in PROJECT["project"]["optional-dependencies"].values() for text in extra]
    names = {re.split(r"[\[<>=]", text)[0] for text in asked} - {"terrors"}
    assert names <= pinned


def test_each_commit_is_held_to_what_make_lint_runs():
    """By the project's own tools; nothing is fetched from anywhere."""
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    tools = [line.removeprefix("\t").removeprefix("$(BIN)/").removeprefix("VENV=$(VENV) ").removesuffix(" .") for line in lint[1].splitlines()]
    assert tools == ["ruff check", "ruff format --check", ".ci/types"]
    assert [text.removesuffix(" --force-exclude") for text in re.findall(r"entry: (?:\.venv/bin/)?(.*)", config)] == tools
    assert re.findall(r"repo: (.*)", config) == ["local"]


@pytest.mark.parametrize("file", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")), ids=lambda file: file.stem)
def test_issue_templates_have_a_name_and_say_what_they_are_for(file):
    head = re.match(r"---\nname: .+\nabout: .+\nlabels: \w+\n---\n", file.read_text(encoding="utf-8"))
    assert head
