"""A user's strategy from before the rooms moved below `terrors`: one sentence says what to write now, wherever the command is given."""

import sys
from pathlib import Path

import pytest

from terrors.strategies import StrategyError, find
from terrors.strategies.formats.old_names import RENAMED
from tests.support.places import ROOT

PLAY = "\n@strategy\ndef choose(game, box, options, work, me):\n    return 0\n"
PAGE = "(docs/STRATEGIES.md)."


@pytest.fixture(params=["in a checkout", "elsewhere"])
def place(request, monkeypatch, tmp_path):
    """In a checkout the bare names can be imported; elsewhere there is no such module."""
    rooms = [str(ROOT)] if request.param == "in a checkout" else []
    monkeypatch.setattr(sys, "path", rooms + [entry for entry in sys.path if not (Path(entry) / "terrors" / "__init__.py").is_file()])
    sys.path_importer_cache.clear()
    return tmp_path


def refusal(place: Path, head: str) -> str:
    file = place / "mine.py"
    file.write_text(f'"""Plays the first."""\n{head}{PLAY}', encoding="utf-8")
    with pytest.raises(StrategyError) as caught:
        find(str(file))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{file}: ")


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("from strategies import strategy", "'strategies' is now found below terrors: write in line 2 'from terrors import strategy'"),
        ("import simulator.enums as e", "'simulator' is now found below terrors: write in line 2 'import terrors.simulator.terms.enums as e'"),
        ("from simulator.enums import Action, Question", "'simulator' is now found below terrors: write in line 2 "
         "'from terrors.simulator.terms.enums import Action, Question'"),
        ("from simulator import rng", "'simulator' is now found below terrors: write in line 2 'from terrors.simulator.kernel import rng'"),
        ("from strategies.common import last_thing", "'strategies' is now found below terrors: write in line 2 "
         "'from terrors.strategies.kit.simple import last_thing'"),
        ("def f():\n    import analysis", "'analysis' is now found below terrors: write in line 3 'import terrors.analysis'"),
        ("from simulator.enums import Question\nfrom strategies import all_names, strategy", "'simulator' and 'strategies' are now found below terrors: write "
         "in line 2 'from terrors.simulator.terms.enums import Question'; in line 3 'from terrors.strategies import all_names'; "
         "in line 3 'from terrors import strategy'"),
    ],
)  # fmt: skip
def test_an_old_name_is_refused_with_the_new_one(place, old, words):
    assert refusal(place, old) == f"{words} {PAGE}"
    assert not {"simulator", "strategies", "analysis"} & set(sys.modules)  # no second copy was made


def test_renamed_modules_are_there():
    for old, new in RENAMED.items():
        assert (ROOT / new.removeprefix("terrors.").replace(".", "/")).with_suffix(".py").is_file(), old


def test_a_module_of_the_users_own_is_theirs(tmp_path, monkeypatch):
    (tmp_path / "analysis.py").write_text("ANSWER = 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "own.py"
    file.write_text(f'"""Plays the first."""\nfrom analysis import ANSWER\nfrom terrors import strategy\n{PLAY}', encoding="utf-8")
    assert find(str(file)).summary == "Plays the first."
    monkeypatch.delitem(sys.modules, "analysis")


def test_a_file_that_is_no_python_is_told_as_before(place):
    assert refusal(place, "from strategies import import").startswith("it cannot be imported: SyntaxError: ")
