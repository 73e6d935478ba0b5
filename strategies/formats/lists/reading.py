"""A list file as data: what stands in it, with every mistake that can be seen without the cards named in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from terrors.simulator.kernel.layout import FEATURE_FIELDS
from terrors.simulator.kernel.work_layout import LIST_RULES
from terrors.simulator.terms.enums import CardType
from terrors.simulator.terms.text import did_you_mean, quoted, shown
from terrors.simulator.terms.toml_file import read_toml
from terrors.strategies.formats.lists.conditions import Code, ConditionError, parse
from terrors.strategies.formats.lists.playing import Curse, Pick
from terrors.strategies.formats.registry import StrategyError

OWN = "own"  # as a faction: that of the own overlord
ACOLYTE = "Acolyte"
TYPES = [CardType.MONSTER.name.capitalize(), CardType.RELIC.name.capitalize(), ACOLYTE]
# What a card may have, as a designer says it, and the features (layout.FEATURES) that mean it.
HAS = {
    "Coin": ("coin",), "Power": ("power",), "Regeneration": ("regeneration",), "Armor": ("armor",), "Health": ("health",), "DRAW": ("draw",),
    "CURSE": ("curse",), "DESTROY": ("destroy",), "COMMAND": ("command",), "MUSTER": ("muster",), "RAGE": ("rage",), "HAUNT": ("haunt",),
    "SACRIFICE": ("sacrifice",), "CLAIM": ("claim",), "Horde": ("horde_coin", "horde_power", "horde_other"), "trigger": ("triggered",),
}  # fmt: skip
PICKS = {pick.name.lower(): pick for pick in Pick}
CURSES = {curse.name.replace("_", " ").lower(): curse for curse in Curse}
BUILD = "turn < 14"
MOST = 999

TOP_KEYS = ("plan", "buy", "play")
BUY_KEYS = ("card", "faction", "type", "has", "min_cost", "max_cost", "until", "when", "pick", "overlord", "against")
PLAY_KEYS = ("first", "last", "keep", "junk", "build", "overlord", "curse", "influences")
assert {name for names in HAS.values() for name in names} <= set(FEATURE_FIELDS)


@dataclass
class BuyRule:
    """One [[buy]] of a list. Empty means whatever."""

    card: list[str] = field(default_factory=list)
    faction: list[str] = field(default_factory=list)
    type: str = ""
    has: list[tuple[int, str]] = field(default_factory=list)  # at least so much of a word of HAS
    min_cost: int = 0
    max_cost: int = MOST
    until: int = 0
    when: Code = field(default_factory=list)
    pick: Pick = Pick.BEST
    overlord: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    text: str = ""  # the rule in a line, for reports


@dataclass
class PriorityList:
    """A list file."""

    path: Path
    plan: str = ""
    buy: list[BuyRule] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    influences: list[str] = field(default_factory=list)
    build: Code = field(default_factory=lambda: parse(BUILD))
    overlord: Code = field(default_factory=list)
    curse: Curse = Curse.DISCARD_JUNK


def read_list(path: Path) -> PriorityList:
    """Read a list; StrategyError has a sentence for each mistake."""
    data = read_toml(path, StrategyError, "the list")
    reader = _Reader(path)
    found = reader.whole(data)
    if reader.problems:
        raise StrategyError("\n".join(reader.problems))
    return found


def one_of(text: str, words: Iterable[str]) -> str | None:
    """Return the word that is meant, whatever its case."""
    return next((word for word in words if word.casefold() == text.strip().casefold()), None)


def amount_and_word(text: str) -> tuple[int, str | None]:
    """Return `3 Power` as 3 and Power, `DRAW 2` as 2 and DRAW, `CURSE` as 1 and CURSE; None if it is nothing that a card can have."""
    numbers = [word for word in text.split() if word.isdecimal()]
    rest = " ".join(word for word in text.split() if not word.isdecimal())
    return int(numbers[0][:4]) if numbers else 1, one_of(rest, HAS) if len(numbers) <= 1 else None


class _Reader:
    """Reads the tables of a file, noting what is wrong with each entry."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []

    def problem(self, where: str, text: str) -> None:
        sentence = f"{self.path}{where}: {text}"
        self.problems.append(sentence if sentence.endswith("?") else f"{sentence}.")

    def whole(self, data: dict[str, Any]) -> PriorityList:
        if "name" in data:
            self.problem(", name", "a strategy is named after its file; leave this out")
        self.keys("", {key: value for key, value in data.items() if key != "name"}, TOP_KEYS)
        found = PriorityList(self.path, plan=self.text("", data, "plan"))
        if not found.plan.strip() and isinstance(data.get("plan", ""), str):
            self.problem(", plan", 'say in a sentence how this strategy plays, as in plan = "Buys Relics."')
        rules = data.get("buy", [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            self.problem(", buy", "each rule is a table of its own; write [[buy]] above it, with two brackets")
        elif not rules:
            self.problem(", buy", "there is no [[buy]] in it, so it would never buy anything; write at least one")
        elif len(rules) > LIST_RULES:
            self.problem(", buy", f"there are {len(rules)} rules; {LIST_RULES} are possible")
        else:
            found.buy = [self.buy(f", buy {number}", rule) for number, rule in enumerate(rules, 1)]
        play = data.get("play", {})
        if isinstance(play, dict):
            self.play(", play", play, found)
        else:
            self.problem(", play", "it is one table; write [play] above its entries, with single brackets")
        return found

    def buy(self, where: str, data: dict[str, Any]) -> BuyRule:
        self.keys(where, data, BUY_KEYS)
        rule = BuyRule(card=self.texts(where, data, "card"), text=", ".join(f"{key} = {_shown(value)}" for key, value in data.items()))
        rule.faction = [text.strip() for text in self.texts(where, data, "faction")]  # which factions there are depends on the set
        if "type" in data:
            rule.type = self.word(f"{where}, type", self.text(where, data, "type"), TYPES, "a type")
        for text in self.texts(where, data, "has"):
            amount, word = amount_and_word(text)
            rule.has.append((amount, word or self.word(f"{where}, has", text.strip("0123456789 ") or text, HAS, "something that a card has")))
        rule.min_cost, rule.max_cost = self.number(where, data, "min_cost", 0), self.number(where, data, "max_cost", MOST)
        if rule.min_cost > rule.max_cost:
            self.problem(f"{where}, max_cost", f"no card costs at least {rule.min_cost} and at most {rule.max_cost}")
        rule.until = self.number(where, data, "until", 0)
        if "until" in data and data["until"] == 0:
            self.problem(f"{where}, until", "0 would be a rule that never buys; give 1 or more, or leave the rule out")
        rule.when = self.condition(where, data, "when", [])
        if "pick" in data:
            rule.pick = PICKS.get(self.word(f"{where}, pick", self.text(where, data, "pick"), PICKS, "a way to pick"), Pick.BEST)
        rule.overlord, rule.against = self.texts(where, data, "overlord"), self.texts(where, data, "against")
        if rule.type == ACOLYTE and (rule.card or rule.faction or rule.has):
            self.problem(where, "an Acolyte is bought unseen (rule B4), so card, faction and has cannot be asked of it; leave them out")
        return rule

    def play(self, where: str, data: dict[str, Any], found: PriorityList) -> None:
        self.keys(where, data, PLAY_KEYS)
        for key in ("first", "last", "keep", "junk", "influences"):
            setattr(found, key, self.texts(where, data, key))
        found.build = self.condition(where, data, "build", found.build)
        found.overlord = self.condition(where, data, "overlord", [])
        if "curse" in data:
            found.curse = CURSES.get(self.word(f"{where}, curse", self.text(where, data, "curse"), CURSES, "an answer to a CURSE"), Curse.DISCARD_JUNK)

    # Entries

    def keys(self, where: str, data: dict[str, Any], known: tuple[str, ...]) -> None:
        for key in data:
            if key not in known:
                self.problem(where, f"{quoted(key)} is not an entry here" + (did_you_mean(key, known) or f"; there are {', '.join(known)}"))

    def word(self, where: str, text: str, words: Iterable[str], what: str) -> str:
        words = list(words)
        found = one_of(text, words)
        if found is None and text:
            self.problem(where, f"{quoted(text)} is not {what}" + (did_you_mean(text, words) or f"; there are {', '.join(words)}"))
        return found or ""

    def text(self, where: str, data: dict[str, Any], key: str) -> str:
        value = data.get(key, "")
        if not isinstance(value, str):
            self.problem(f"{where}, {key}", f"{_shown(value)} is not a text; put it in quotation marks")
            return ""
        if key in data and not value.strip() and key != "plan":
            self.problem(f"{where}, {key}", "it is empty; leave it out, or write something")
        return value

    def texts(self, where: str, data: dict[str, Any], key: str) -> list[str]:
        value = data.get(key, [])
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            self.problem(f"{where}, {key}", f'{_shown(value)} is not possible; write a text or a list of texts, as in {key} = ["one", "another"]')
            return []
        if key in data and not value:
            self.problem(f"{where}, {key}", "the list is empty; leave it out, or write something into it")
        return [str(item) for item in value]

    def number(self, where: str, data: dict[str, Any], key: str, otherwise: int) -> int:
        value = data.get(key, otherwise)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
            self.problem(f"{where}, {key}", f"{_shown(value)} is not possible; give a whole number from 0 to {MOST}")
            return otherwise
        return value

    def condition(self, where: str, data: dict[str, Any], key: str, otherwise: Code) -> Code:
        if key not in data:
            return otherwise
        text = self.text(where, data, key)
        try:
            return parse(text) if text.strip() else otherwise
        except ConditionError as error:
            self.problem(f"{where}, {key}", str(error))
            return otherwise


def _shown(value: Any) -> str:
    """Return a value about as the file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{shown(value)}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)
