"""What is said in the same words everywhere: lists, suggestions, and what is wrong with a TOML file."""

import re

import pytest

from terrors.analysis.contract.margins import read_margins
from terrors.simulator.runs.plan import Plan
from terrors.simulator.story.scenario import read_scenarios
from terrors.simulator.terms.text import counted, did_you_mean, listed, quoted, some
from terrors.strategies.formats.lists.reading import read_list

SCENARIO = '[[scenario]]\nrule = "A1"\ntitle = "x"\n[scenario.script]\nlines = "pass"\n'
READERS = {
    "the plan": (Plan.read, "games = 24\n"),
    "the margins": (lambda path: read_margins(path, ()), "[margins]\noverlord = 4\n"),
    "the scenarios": (read_scenarios, SCENARIO),
    "the list": (read_list, 'plan = "Buys."\n[[buy]]\ntype = "Relic"\n'),
}


@pytest.mark.parametrize("what", READERS)
def test_every_toml_file_is_read_alike(tmp_path, what):
    read, good = READERS[what]
    file = tmp_path / "mine.toml"
    name = re.escape(str(file))
    file.write_bytes(b"\xef\xbb\xbf" + good.encode())  # as some editors write it
    assert read(file)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(tmp_path))}: {what} cannot be read \(Is a directory\); give the path of a TOML file\.$"):
        read(tmp_path)
    with pytest.raises(ValueError, match=rf"^{name}x: {what} cannot be read \(No such file or directory\); give the path of a TOML file\.$"):
        read(file.with_name("mine.tomlx"))
    for content, said in ((b"a = \n", r"Invalid value \(at line 1, column 5\)"), (b"a = '\xff'", r"byte 6 is no UTF-8 text")):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=rf"^{name}: this is not a TOML file: {said}\.$"):
            read(file)


def test_pieces_of_sentences():
    assert [listed(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert counted(["Cultist", "Ghoul", "Cultist"]) == "2 Cultist, Ghoul"
    assert (some(1, "card", "cards"), some(3000, "card", "cards")) == ("1 card", "3,000 cards")
    assert did_you_mean("GHOOL", ["Fanatic", "Ghoul"]) == "; did you mean Ghoul?"
    assert did_you_mean("x", ["Fanatic"]) == ""
    assert quoted("a\nb") == "'a?b'"
