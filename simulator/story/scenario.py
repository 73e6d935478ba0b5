"""Scenario files: a table, a script, and what must be true (docs/SCENARIOS.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from terrors.simulator.cards.card_set import CardFileError, CardSet
from terrors.simulator.play.box import Box
from terrors.simulator.play.game import Game
from terrors.simulator.play.names import pile_names, relic_names, slot_name, slots_in_play, street_names
from terrors.simulator.play.notation import NotationError, find_option, plain, without_comment
from terrors.simulator.story.position import PositionError, lay_table, scenario_box
from terrors.simulator.terms.enums import Action
from terrors.simulator.terms.errors import PlanError, WordedError
from terrors.simulator.terms.ruleset import RulesError
from terrors.simulator.terms.toml_file import read_toml

_PREFIX = re.compile(r"^(opponent|you)\s*:\s*", re.IGNORECASE)
_EXPECT = re.compile(r"^([a-z]+(?:\.[a-z]+)?)\s*(<=|>=|!=|=|<|>|contains\b)\s*(.*)$", re.IGNORECASE)
_TOP_KEYS = {"rule", "title", "rules", "seed", "card", "you", "opponent", "table", "script"}


class ScenarioError(WordedError):
    """A scenario file that cannot be read, in one sentence."""


class StepError(ValueError):
    """A step that does not hold: what was found."""


@dataclass
class Scenario:
    """One scenario of a file."""

    path: Path
    number: int
    rule: str
    title: str
    data: dict[str, Any]
    shared: list[dict[str, Any]] = field(default_factory=list)  # the file's own cards

    @property
    def lines(self) -> list[str]:
        """The steps, without comments and blank lines."""
        text = self.data.get("script", {}).get("lines", "")
        return [line for line in map(without_comment, text.splitlines()) if line]


@dataclass
class Outcome:
    """The result of a scenario: the failed steps, none if it holds."""

    scenario: Scenario
    failures: list[str]


def read_scenarios(path: Path) -> list[Scenario]:
    """The scenarios of a file."""
    data = read_toml(path, ScenarioError, "the scenarios")
    items = data.get("scenario")
    if not isinstance(items, list) or not items:
        raise ScenarioError(f"{path}: there is no [[scenario]] in it.")
    shared = data.get("card", [])
    return [_scenario(path, number, item, shared) for number, item in enumerate(items, 1)]


def _scenario(path: Path, number: int, item: dict[str, Any], shared: list[dict[str, Any]]) -> Scenario:
    where = f"{path}, scenario {number}"
    for key in ("rule", "title"):
        if not isinstance(item.get(key), str):
            raise ScenarioError(f"{where}: it has no {key}.")
    unknown = set(item) - _TOP_KEYS
    if unknown:
        raise ScenarioError(f"{where}: unknown entry {', '.join(sorted(unknown))}; a scenario has {', '.join(sorted(_TOP_KEYS))}.")
    scenario = Scenario(path, number, item["rule"], item["title"], item, shared)
    if not isinstance(item.get("script", {}).get("lines"), str) or not scenario.lines:
        raise ScenarioError(f"{where}, {scenario.title}: there is nothing in script.lines.")
    return scenario


def find_files(places: list[Path]) -> list[Path]:
    """The scenario files that the given files and folders mean."""
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            found = sorted(place.rglob("*.toml"))
            if not found:
                raise ScenarioError(f"{place}: there are no .toml files in this folder.")
            files += found
        elif place.is_file():
            files.append(place)
        else:
            raise ScenarioError(f"{place}: there is no such file or folder.")
    return files


def run_scenario(scenario: Scenario, cards: CardSet) -> Outcome:
    """Play a scenario; each step that fails is told with what was found. An action that cannot be done ends it."""
    where = f"{scenario.path}, scenario {scenario.number}, {scenario.title}"
    try:
        box = scenario_box(cards, [*scenario.shared, *scenario.data.get("card", [])], scenario.data.get("rules", {}))
        game, you = lay_table(box, scenario.data)
    except (PositionError, PlanError, RulesError, CardFileError, LookupError) as error:
        raise ScenarioError(f"{where}: {error}") from None
    failures = []
    for line in scenario.lines:
        try:
            ScriptLine(game, you, line).run()
        except StepError as error:
            failures.append(f"{line}: {error}")
        except NotationError as error:
            failures.append(str(error))
            break
    return Outcome(scenario, failures)


def run_files(files: list[Path], cards: CardSet) -> Iterator[Outcome]:
    """Play all scenarios of some files; all of them are read first, so that a broken file stops the run before it starts."""
    for scenario in [s for path in files for s in read_scenarios(path)]:
        yield run_scenario(scenario, cards)


class ScriptLine:
    """One line of a script."""

    def __init__(self, game: Game, you: int, line: str) -> None:
        """Take the line apart: who acts, and what."""
        self.game, self.you = game, you
        self.who = you
        prefix = _PREFIX.match(line)
        if prefix:
            line = line[prefix.end() :]
            self.who = you if prefix[1].lower() == "you" else 1 - you
        self.named = prefix is not None
        self.verb, _, self.rest = line.partition(" ")
        self.line = line

    def run(self) -> None:
        """Do the step, or check what it says."""
        if self.verb == "expect":
            self.expect()
        elif self.verb in ("legal", "illegal"):
            self.check_legal(self.verb == "legal")
        else:
            self.act()

    def check_legal(self, wanted: bool) -> None:
        """`legal …`, `illegal …`."""
        try:
            if self.game.over:
                raise NotationError("the game is over")
            if self.named and self.game.record.asked != self.who:
                raise NotationError("it is the other player's decision")
            find_option(self.game.box, self.game.record, self.game.options, self.rest)
            legal = True
        except NotationError:
            legal = False
        if legal != wanted:
            raise StepError(f"it is {'legal' if legal else 'not legal'}; legal are: {', '.join(self.game.legal_actions()) or 'nothing, the game is over'}")

    def act(self) -> None:
        """An action or an answer."""
        if self.was_forced():
            return
        if self.game.over:
            raise NotationError(f"'{self.line}': the game is over.")
        if self.game.record.asked != self.who:
            asked = "yours" if self.game.record.asked == self.you else "the opponent's"
            raise NotationError(f"'{self.line}': the decision is {asked} ({', '.join(self.game.legal_actions()[:12])}).")
        self.game.apply(self.line)

    def was_forced(self) -> bool:
        """Whether this answer was the only one, and so has been given already."""
        if self.verb not in ("choose", "activate"):
            return False
        record, box = self.game.record, self.game.box
        words = plain(self.rest)
        for prefix in ("street ", "opponent ", "hand ", "discard "):
            words = words.removeprefix(prefix)
        taken = set()
        for i in range(record.forced_n):
            action, card = record.forced_action[i], record.forced_card[i]
            taken |= {Action.HEALTH: {"health"}, Action.DECLINE: {"no", "none"}, Action.YES: {"yes"}}.get(action, set())
            taken |= {plain(box.names[card])} if card >= 0 else set()
        if words in taken:
            try:  # the same words may also answer what is asked now
                find_option(box, record, self.game.options, self.line)
            except NotationError:
                return True
        return False

    def expect(self) -> None:
        """`expect you.health = 28`."""
        match = _EXPECT.match(self.rest)
        if not match:
            raise StepError("this is not understood; write for instance expect you.health = 28.")
        found = self.value(match[1].lower())
        operator, wanted = match[2].lower(), match[3].strip()
        if not holds(found, operator, wanted, match[1].lower().endswith((".deck", ".market", ".acolytes"))):
            shown = f"[{', '.join(found)}]" if isinstance(found, list) else found
            raise StepError(f"found {shown}")

    def value(self, path: str) -> Any:
        """Return what stands at `you.health`: a number, a word or a list of names."""
        game, box = self.game.record, self.game.box
        if path == "turn":
            return int(game.turn)
        if path == "winner":
            return {None: "none", "draw": "draw"}.get(self.game.winner) or ("you" if game.winner == self.you else "opponent")
        owner, _, what = path.partition(".")
        if owner == "table":
            piles = {"street": street_names(box, game), "market": pile_names(box, game.market, True), "acolytes": pile_names(box, game.acolytes, True)}
            piles["removed"] = pile_names(box, game.removed)
            if what in piles:
                return piles[what]
        if owner in ("you", "opponent"):
            p = game.player[self.you if owner == "you" else 1 - self.you]
            if what in ("health", "coin", "power", "regeneration", "armor", "tokens"):
                return int(getattr(p, what))
            if what in ("hand", "deck", "discard", "removed"):
                return pile_names(box, getattr(p, what), top_first=what == "deck")
            if what == "relics":
                return [re.sub(r" #\d+$", "", name) for name in relic_names(box, p)]
            if what == "play":
                relics = relic_names(box, p)
                return [re.sub(r" #\d+$", "", n) for n in (slot_name(box, p, s) for s in slots_in_play(p)) if n not in relics]
        raise StepError(f"there is no {path}")


def holds(found: Any, operator: str, wanted: str, ordered: bool) -> bool:
    """Compare what was found with what was wanted."""
    if operator == "contains":
        if not isinstance(found, list):
            raise StepError("contains is for piles")
        names = [plain(name) for name in found]
        return all(names.count(plain(w)) >= _names(wanted).count(w) for w in _names(wanted))
    if wanted.startswith("["):
        if not isinstance(found, list) or operator not in ("=", "!="):
            raise StepError("a list is compared with a pile, by = or !=")
        left, right = [plain(name) for name in found], [plain(name) for name in _names(wanted)]
        same = left == right if ordered else sorted(left) == sorted(right)
        return same == (operator == "=")
    if re.fullmatch(r"-?\d+", wanted):
        number, size = int(wanted), len(found) if isinstance(found, list) else found
        if not isinstance(size, int):
            raise StepError("this is compared with a word, not with a number")
        return {"=": size == number, "!=": size != number, "<": size < number, "<=": size <= number, ">": size > number, ">=": size >= number}[operator]
    if isinstance(found, str) and operator in ("=", "!="):
        return (found == wanted.lower()) == (operator == "=")
    raise StepError(f"'{wanted}' cannot be compared with it")


def _names(text: str) -> list[str]:
    """`[Ghoul, Cultist]` as names."""
    return [name.strip().strip("\"'") for name in text.strip().removeprefix("[").removesuffix("]").split(",") if name.strip()]


__all__ = ["Box", "Outcome", "Scenario", "ScenarioError", "find_files", "read_scenarios", "run_files", "run_scenario"]
