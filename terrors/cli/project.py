"""A project is a folder: which cards, rules, margins and strategies a command uses when its options do not say.

In a folder with a terrors.toml, or with a cards.csv (or .xlsx, .ods), every command plays that set and says so; in any other folder the set that ships, and
says so too. This is the only place that finds that out. Options win over the file, entry by entry: `--rule` changes one rule of the project's.

    cards = "cards.csv"                   # beside this file
    strategies = ["greedy", "tuned"]      # who plays in `terrors balance`; names, or files beside this one
    games = 180_000                       # how many it plays
    protected = ["Ghoul", "Lilith.health"]  # cards and cells that nothing may propose to change
    baseline = "runs/base"                # the run that others are compared with

    [rules]                               # docs/RULES.md, section 12
    [margins]                             # and [panel], [feel]: as in a margins.toml (docs/ANALYSIS.md)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.text import did_you_mean
from terrors.simulator.terms.toml_file import read_toml

if TYPE_CHECKING:
    from terrors.analysis.contract.margins import Margins

FILE = "terrors.toml"
CARD_FILES = ("cards.csv", "cards.xlsx", "cards.ods")  # the first that is there is the set of a folder without a terrors.toml
UNTOLD = "terrors.cards"  # where the root context keeps the line that is still to be told
MARGIN_SECTIONS = ("margins", "panel", "feel")
TEXTS = ("strategies", "protected")
ENTRIES = ("cards", "strategies", "games", "protected", "baseline", "rules", *MARGIN_SECTIONS)


class ProjectError(WordedError):
    """Raised for a terrors.toml that cannot be used, in one sentence."""


@dataclass(frozen=True)
class Project:
    """The entries of a folder, checked as far as that needs no cards."""

    cards: Path | None = None  # None: the set that ships
    file: Path | None = None  # the terrors.toml, if there is one
    rules: Mapping[str, Any] = field(default_factory=dict)
    strategies: tuple[str, ...] = ()
    games: int | None = None
    protected: tuple[str, ...] = ()
    baseline: str = ""
    sections: Mapping[str, Any] = field(default_factory=dict)  # of margins

    def cards_words(self) -> str:
        """Return the line that says which set is played, and by which changed rules."""
        if self.cards is None:
            return "Cards: the reference set that ships with terrors, since this folder has no cards.csv (terrors new my-game makes a folder with one)."
        rules = ", ".join(f"{name}={value}" for name, value in self.rules.items())
        return f"Cards: {self.cards}, of this folder{f'; rules of {self.file}: {rules}' if rules else ''}."


def project() -> Project:
    """Return the project of the folder that we are in."""
    file = Path(FILE)
    found = next((Path(name) for name in CARD_FILES if Path(name).is_file()), None)
    return _read(file, found) if file.is_file() else Project(cards=found)


def _read(file: Path, found: Path | None) -> Project:
    data = read_toml(file, ProjectError, "the project")
    for name in data:
        if name not in ENTRIES:
            raise ProjectError(f"{file}: there is no entry {name!r}{did_you_mean(name, ENTRIES) or '; the entries are ' + ', '.join(ENTRIES) + '.'}")
    cards, games, baseline = data.get("cards", ""), data.get("games"), data.get("baseline", "")
    for name, text in (("cards", cards), ("baseline", baseline)):
        if not isinstance(text, str):
            raise ProjectError(f"{file}: {name} is not possible; give a path in quotation marks.")
    if cards and not Path(cards).is_file():
        raise ProjectError(f"{file}: cards names {cards}, and there is no such file; mend the name, or leave the entry out.")
    if games is not None and (isinstance(games, bool) or not isinstance(games, int) or games < 1):
        raise ProjectError(f"{file}: games is not possible; give a whole number, for instance 180_000.")
    lists = {name: data.get(name, []) for name in TEXTS}
    for name, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(text, str) and text.strip() for text in value):
            raise ProjectError(f"{file}: {name} is not possible; give a list of texts in quotation marks.")
    sections = {name: data[name] for name in MARGIN_SECTIONS if name in data}
    rules = _rules(file, data.get("rules", {}))
    return Project(Path(cards) if cards else found, file, rules, games=games, baseline=baseline, sections=sections, **{k: tuple(v) for k, v in lists.items()})


def _rules(file: Path, rules: Any) -> dict[str, Any]:
    """Return the rules of the file, refused here and by name if they are none."""
    from terrors.simulator.terms.ruleset import Rules, RulesError

    if not isinstance(rules, dict):
        raise ProjectError(f"{file}: rules is not possible; write it as a table, [rules].")
    try:
        Rules().but(rules)
    except RulesError as error:
        raise ProjectError(f"{file}: {error}") from None
    return dict(rules)


def cards_of(given: Path | str | None) -> Path | None:
    """Return the card file that a command plays: the one that is given, or that of the folder; None is the set that ships. What was not given is told."""
    if given:
        return Path(given)
    here = project()
    if context := click.get_current_context(silent=True):
        context.find_root().meta[UNTOLD] = here.cards_words()
    return here.cards


def tell_cards() -> None:
    """Print on stderr which set is played, once, if nobody gave it: when a long job begins, at the latest when a command is done.

    Not before, so that a command that is refused says one sentence.
    """
    context = click.get_current_context(silent=True)
    if context and (words := context.find_root().meta.pop(UNTOLD, None)):
        click.echo(words, err=True)


def strategies_of(given: tuple[str, ...] | None, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return who plays: those that are given, else those of the project. Code that only a file names is executed if it has been used here before."""
    from terrors.strategies.formats.known import DATA, is_known

    here = project()
    for name in here.strategies if not given else ():
        file = Path(name)
        if file.is_file() and file.suffix not in DATA and not is_known(file.read_bytes()):
            raise ProjectError(
                f"{here.file} names {name}, code that has never been used on this machine; read it, then `terrors strategies check {name}` once."
            )
    return given or here.strategies or usual


def given_rules(texts: Iterable[str]) -> dict[str, Any]:
    """Return the rules that `--rule NAME=VALUE` changes, checked."""
    from terrors.simulator.terms.ruleset import Rules

    texts = tuple(texts)
    rules = Rules.read(texts)
    return {name: getattr(rules, name) for name in (text.partition("=")[0].strip() for text in texts)}


def rules_of(texts: Iterable[str]) -> dict[str, Any]:
    """Return the rules that a command changes: those of the project, and over them what `--rule` gives."""
    return {**project().rules, **given_rules(texts)}


def margins_of(file: Path | None, texts: tuple[str, ...]) -> Margins:
    """Return the margins that a command judges by: those of a file, else of the project, and over them `--margin NAME=POINTS`."""
    from terrors.analysis.contract.margins import Margins, margins_of_data, read_margins
    from terrors.analysis.feel.metrics import METRICS

    metrics = [metric.name for metric in METRICS]
    if file is not None:
        return read_margins(file, metrics).but(texts)
    here = project()
    return (margins_of_data(here.sections, str(here.file), metrics) if here.sections else Margins()).but(texts)
