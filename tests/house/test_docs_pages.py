"""The pages in docs/ are true: their commands and code are run (with fewer games), what they show has the shape of what is printed, and lists are complete.

A block ```console is run, line by line; ```diff FILE is a change that the reader makes, ```csv a row more, ```toml a file that the text before it names,
```python is run. ```text is only shown.
"""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from terrors.simulator.cards.card_set import load_cards
from tests.support.commands import run
from tests.support.places import ROOT

pytestmark = [pytest.mark.usefixtures("compiled_engine"), pytest.mark.slow]

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
# What is added to a command, so that it takes a second: the reader's command has its own sizes.
SMALL = {
    "balance": ["--games", "2400", "--strategies", "greedy", "--jobs", "2"],
    "card": ["--deals", "60", "--fork-deals", "12", "--jobs", "2"],
    "suggest": ["--games", "2000", "--pilot", "greedy", "--overlords", "Fenris,Methuselah", "--max-edits", "1", "--jobs", "2"],
}
# What both the page and the command have to say.
LANDMARKS = {
    "new": [r"^my-game is made: cards\.csv, terrors\.toml, README\.md\. Next: cd my-game, then terrors balance\.$"],
    "balance": [r"^[\d,]+ games, (played|all) ", r"^overlords  ", r"^matchups   ", r"^first      ", r"^cards      ", r"^feel       ", r"^The page: runs/"],
    "card": [r"^Thames Drowner, played by \w+", r"^Access: being allowed to buy it is worth ", r"^  to Fenris ", r"^  to the player who goes first "],
    "suggest": [r"^[\d,]+ games, played by "],
    "compare": [r"^Changed:\n  Thames Drowner, cost: 3 → 5\.$", r"^\d+ of 100 deals are the same", r"^The page: runs/after/compare\.html$"],
}


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[tuple[str, str, str]]:
    """Each block of a page: what it is, the file that it names, and what is in it."""
    return [(kind, file, body) for kind, file, body in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", text_of(name), re.DOTALL | re.MULTILINE)]


def change(file: Path, diff: str) -> None:
    """Make the change that a block shows: its lines with − are replaced by those with +; lines without a sign say where."""
    before = "".join(line[1:] + "\n" for line in diff.splitlines() if line[0] in " -")
    after = "".join(line[1:] + "\n" for line in diff.splitlines() if line[0] in " +")
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{file.name}: the lines of the page are there {text.count(before)} times"
    file.write_text(text.replace(before, after), encoding="utf-8")


def commands(block: str) -> list[tuple[list[str], str]]:
    """The commands of a block, each with the output that is shown."""
    return [(shlex.split(line), output) for line, output in re.findall(r"^\$ terrors (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)]


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Path:
    """The folder that the reader is in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def follow(command: list[str], shown: str = "") -> str:
    """Run a command of a page; what it prints has the landmarks of what is shown."""
    small = SMALL.get(command[0], [])
    if command[0] == "card" and "--run" not in command:
        small = [*small, "--strategies", "greedy"]
    result = run(*command, *small)
    assert result.exit_code in ((0, 1) if "--fail-on" in command else (0,)), result.output
    for landmark in LANDMARKS.get(command[0], []) if shown else []:
        assert re.search(landmark, shown, re.MULTILINE), f"the page no longer shows {landmark}"
        assert re.search(landmark, result.stdout, re.MULTILINE), f"{command[0]} no longer prints {landmark}"
    return result.stdout


@pytest.fixture
def no_page(monkeypatch):
    """A way to leave out the drawing of pages, which takes longer than all the rest."""

    def leave_out() -> None:
        monkeypatch.setattr(
            "terrors.reports.page.build.make_report", lambda folder, **_: type("Done", (), {"page": f"{folder}/report/index.html", "missing": ""})
        )

    return leave_out


def test_the_tutorial_can_be_followed(desk, no_page, monkeypatch):
    """From the first command to the comparison; the page is drawn for the first run only."""
    followed = []
    for name, rounds in (("CHECKS", (60,)), ("SEALED", (60,)), ("FIRST_RACE", ((20, 1),)), ("RACES", 1)):
        monkeypatch.setattr(f"terrors.analysis.numbers.suggest.{name}", rounds)
    for kind, file, body in blocks("TUTORIAL.md"):
        if kind == "diff":
            change(desk / file, body)
        elif kind == "console":
            for command, shown in commands(body):
                follow(command, shown)
                followed.append(command[0])
                if command[0] != "new":
                    no_page()
            for folder in re.findall(r"^\$ cd (.*)$", body, re.MULTILINE):
                desk = desk / folder
                monkeypatch.chdir(desk)
    assert (desk / "runs" / "before" / "report" / "index.html").is_file()
    assert followed == ["new", "balance", "card", "suggest", "balance", "compare"]


def test_the_pictures_are_there_and_small():
    pictures = sorted((DOCS / "pictures").iterdir())
    assert pictures
    named = "".join(page.read_text(encoding="utf-8") for page in [*PAGES, ROOT / "README.md"])
    for picture in pictures:
        assert picture.stat().st_size < 300_000, picture.name
        assert f"pictures/{picture.name})" in named, picture.name


def test_the_how_tos_about_cards_and_gates_work(desk, no_page):
    no_page()
    rows = [body for kind, _, body in blocks("HOWTO.md") if kind == "csv"]
    (desk / "mine.csv").write_text(load_cards(ROOT / "cards.csv").to_csv() + rows[0], encoding="utf-8")
    (desk / "margins.toml").write_text(next(body for kind, _, body in blocks("HOWTO.md") if kind == "toml" and "[margins]" in body), encoding="utf-8")
    wanted = [command for kind, _, body in blocks("HOWTO.md") if kind == "console" for command, _ in commands(body)]
    assert [command[0] for command in wanted] == ["cards", "card", "balance", "check", "balance", "balance", "compare"]
    cards, card, balance, _, gate, trial, compare = wanted
    assert "Fog Piper" in follow(cards)
    assert "Fog Piper, played by greedy" in follow(card)
    follow(balance)
    assert "--fail-on" in gate
    follow(gate)
    before = (desk / "runs" / "latest").readlink()
    follow(trial)
    after = (desk / "runs" / "latest").readlink()
    names = {"BEFORE": f"runs/{before}", "AFTER": f"runs/{after}"}
    assert "Changed:" in follow([names.get(word, word) for word in compare])


def test_the_how_to_about_a_word_works(tmp_path):
    """In a copy of the project, interpreted: compiling it would take longer than all other pages together."""
    for name in ("terrors", "simulator", "strategies", "analysis", "reports"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "cards.csv", tmp_path)
    changes = [(file, body) for kind, file, body in blocks("HOWTO.md") if kind == "diff"]
    assert len(changes) == 5
    for file, body in changes:
        change(tmp_path / file, body)
    scenario = next(body for kind, _, body in blocks("HOWTO.md") if kind == "toml" and "[[scenario]]" in body)
    (tmp_path / "siphon.toml").write_text(scenario, encoding="utf-8")
    ((command, shown),) = [found for kind, _, body in blocks("HOWTO.md") if kind == "console" for found in commands(body) if found[0][0] == "check"]
    code = [sys.executable, "-m", "terrors", *command]
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1", "PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run(code, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == shown, done.stderr


def test_the_page_of_commands_is_up_to_date():
    made = runpy.run_path(str(DOCS / "make_commands.py"))["page"]()
    assert text_of("COMMANDS.md") == made, "docs/COMMANDS.md is out of date: python docs/make_commands.py"


def test_the_types_of_the_records_are_those_of_their_layout():
    made = runpy.run_path(str(DOCS / "make_record_types.py"))
    assert made["FILE"].read_text(encoding="utf-8") == made["text"](), f"{made['FILE']} is out of date: python docs/make_record_types.py"
    assert "    coin_spent: int\n" in made["text"]()
    assert "    tokens: int  # MUSTER tokens\n" in made["text"]()


def test_every_page_is_in_the_index():
    for page in PAGES:
        assert page.name == "README.md" or f"]({page.name})" in text_of("README.md"), page.name


def anchor(title: str) -> str:
    """What a heading is called in an address."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda page: page.name)
def test_links_into_pages_lead_to_a_heading(page):
    text = page.read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text):
        other = (page.parent / target if target else page).read_text(encoding="utf-8")
        assert heading in [anchor(title) for title in re.findall(r"^#+ (.*)$", other, re.MULTILINE)], f"{page.name}: {target}#{heading}"
