"""One word, one meaning: names of classes and modules, what docstrings and pages say, the public names, and folders that read as a table of contents."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

import terrors
from tests.support.documents import blocks
from tests.support.places import ROOMS, ROOT

FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
MOST_FILES = 17  # in a folder: what one can take in at a glance
GLOSSARY = (ROOT / "docs" / "GLOSSARY.md").read_text(encoding="utf-8")


def test_no_class_name_stands_twice():
    homes = defaultdict(list)
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(homes) > 100
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_no_module_name_means_two_things():
    """Commands are named after what they command, charts after what they draw; every other name stands once."""
    named_after_others = ("terrors/cli/commands", "terrors/cli/commands/what_if", "terrors/cli/commands/pilots", "reports/charts")
    homes = defaultdict(list)
    for path in FILES:
        if path.stem not in ("__init__", "__main__") and path.parent.relative_to(ROOT).as_posix() not in named_after_others:
            homes[path.stem].append(path.relative_to(ROOT).as_posix())
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_a_listing_reads_as_a_table_of_contents():
    folders = {path.parent for path in FILES} | {path.parent for path in (ROOT / "tests").rglob("*.py")}
    sizes = {folder.relative_to(ROOT).as_posix(): len([path for path in folder.iterdir() if path.is_file()]) for folder in folders}
    assert {name: size for name, size in sizes.items() if size > MOST_FILES} == {}


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_each_folder_says_what_it_is_for(folder: Path):
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert f"`{folder.name}" in (ROOT / "docs" / "HOUSE.md").read_text(encoding="utf-8") or folder.parent != ROOT


def test_the_folder_of_strategies_has_nothing_but_strategies():
    from terrors.strategies import all_names

    folders = (ROOT / "strategies", ROOT / "strategies" / "siblings")
    assert {path.stem for folder in folders for path in folder.iterdir() if path.is_file()} == {*all_names(), "__init__"}


def test_the_glossary_explains_each_word_once():
    words = [word.strip() for row in re.findall(r"^\| (.+?) \|", GLOSSARY, re.MULTILINE) for word in row.split(",") if row not in ("word", "---")]
    assert {"deal", "pair", "leg", "cell", "group", "kind", "instance", "told", "look", "lamp", "event"} <= set(words)
    assert len(words) == len(set(words))


def test_classes_that_the_glossary_names_are_there():
    names = {node.name for path in FILES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ClassDef)}
    named = set(re.findall(r"`([A-Z][A-Za-z]+)[`:]", GLOSSARY))
    assert {"CardType", "Event", "Mark"} <= named
    assert named - names == set()


# What docstrings, comments and pages say

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SCRIPTS = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs").glob("*.py")])
RULE_NUMBER = re.compile(r"^([A-Z]\d+(, | to | and )?)+(, and interventions)?: ")
RIDDLES = (
    "And", "As", "At", "Because", "But", "By", "For", "From", "How", "If", "In", "Into", "It", "Its", "Like", "No", "Nobody", "Not", "Nothing", "Nowhere",
    "Of", "Off", "On", "Or", "Out", "Since", "So", "Somebody", "That", "Them", "Then", "There", "These", "They", "This", "Those", "Through", "To",
    "Under", "Until", "Upon", "What", "When", "Where", "Which", "While", "Who", "Whoever", "Whom", "Whose", "Why", "With", "Without",
)  # fmt: skip
NAMED_FILE = re.compile(r"(?<![\w/.*\-])((?:[\w\-]+/)*[\w\-]+\.py)\b")
USERS_FILES = {"mine.py", "my.py", "drawer.py", "peeker.py", "analysis.py"}  # of a user, in examples
LONGEST_LINE = 300


def documented(path: Path) -> list[tuple[str, str]]:
    """Functions and classes of a file with their docstrings."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [(node.name, words) for node in nodes if (words := ast.get_docstring(node))]


def test_a_docstring_begins_with_what_is_returned_or_changed():
    found, docstrings = [], 0
    for path in [*FILES, *SCRIPTS]:
        home = path.relative_to(ROOT).as_posix()
        for name, words in documented(path):
            first = RULE_NUMBER.sub("", words.split("\n")[0])
            docstrings += 1
            if first.split()[0] in RIDDLES or len(first.split()) < 3:
                found.append(f"{home}, {name}: {first}")
    assert docstrings > 1_500
    assert found == []


def remarks(path: Path) -> str:
    """The comments and docstrings of a file."""
    text = path.read_text(encoding="utf-8")
    comments = [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT]
    tree = ast.parse(text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)]
    return "\n".join([*comments, *(ast.get_docstring(node) or "" for node in nodes)])


def is_there(name: str) -> bool:
    """Whether a file of the project is meant: a bare name is one of the rooms', one with folders may be any."""
    if "/" in name:
        return any(path.as_posix().endswith(f"/{name}") for path in [*FILES, *SCRIPTS, *(ROOT / "tests").rglob("*.py")])
    return name in {path.name for path in FILES}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page):
    named = set(NAMED_FILE.findall(page.read_text(encoding="utf-8"))) - USERS_FILES
    assert sorted(name for name in named if not is_there(name)) == []


def test_files_that_comments_and_docstrings_name_are_there():
    named = {(path.relative_to(ROOT).as_posix(), name) for path in [*FILES, *SCRIPTS] for name in NAMED_FILE.findall(remarks(path)) if name not in USERS_FILES}
    assert len(named) > 50
    assert sorted((home, name) for home, name in named if not is_there(name)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_of_a_page_are_not_too_long_to_compare(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line[:60] for line in lines if len(line) > LONGEST_LINE and not line.startswith("|")] == []


# The public names


def test_every_public_name_is_there_and_in_its_page():
    page = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.+?) \|", page, re.MULTILINE))))
    assert listed == set(terrors.__all__)
    assert all(getattr(terrors, name).__doc__ for name in terrors.__all__)
    assert set(terrors.__all__) <= set(dir(terrors))


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(AttributeError, match=r"no attribute 'simulat'; docs/PYTHON.md lists what there is: Analysis, .*simulate"):
        terrors.simulat  # noqa: B018


@pytest.mark.slow
def test_the_code_of_the_page_about_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    for code in blocks(ROOT / "docs" / "PYTHON.md"):
        exec(compile(code, "PYTHON.md", "exec"), space)
    said = capsys.readouterr().out
    assert "2400 games" in said
    assert "Thames Drowner" in said
    assert Path(space["page"].page).is_file()


def test_a_users_own_files_do_not_get_in_the_way(tmp_path):
    """Whatever lies beside a script: `terrors` is the only name that is taken."""
    import os
    import subprocess
    import sys

    for room in ROOMS[:-1]:
        (tmp_path / f"{room}.py").write_text("raise RuntimeError('a file of the user')\n", encoding="utf-8")
    (tmp_path / "script.py").write_text("import terrors\nprint(len(terrors.load_cards()), terrors.Plan(games=2).games)\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "2"
