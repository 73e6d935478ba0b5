"""The machine behind the ability language: what a table of words is made of, and how it writes abilities. It knows none of the words itself.

The table is in vocabulary.py, reading in parser.py. A row's `pattern` is the ability as a designer writes it, and works both ways:

    "buy a monster costing {amount} or less with {a:resources}"

`{field}` or `{field:slot}` stands for a field of `Ability` and how it is written; `card(s)` is singular or plural by the amount; `a` may also be `an`,
`one` or `1`. Reading tries the patterns strictly. Where none fits, the same patterns with open slots find out what the writer meant, so that the error
can name the wrong piece alone ("'2 Gold': 'Gold' is not a resource").

How abilities combine: `and` joins, `or` stands between the alternatives of `choose`, a head (`if …:`, `pay …:`) takes all that follows it, up to the
next alternative, `)`, or the end. Parentheses may say otherwise: `if Undead in play: (pay 1 Health: DRAW 1) and 1 Power`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

from terrors.simulator.terms.enums import Effect, Faction, Per
from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.text import did_you_mean

BOUNDARY = r"(?= and | or |\)|$)"  # where an ability ends; text is tidied before, so one space is enough


@dataclass(frozen=True)
class Ability:
    """One ability; what the fields mean for each effect stands in enums.py."""

    effect: Effect
    amount: int = 0
    a: int = 0
    b: int = 0
    per: Per = Per.NONE
    of: int = 0  # Faction that `per` counts
    body: tuple[tuple["Ability", ...], ...] = ()  # one block behind IF and COST, one per alternative of CHOOSE


@dataclass(frozen=True)
class Trigger:
    """A triggered ability (P3)."""

    event: int  # Event, or that of a faction that only some sets have (enums.played_event)
    first: bool  # only the first time in a turn, else each time
    body: tuple[Ability, ...]
    of: Faction = field(default=Faction.NONE, compare=False)  # whose monsters are played, where the event is about that


class LanguageError(WordedError):
    """Raised for a text that cannot be read; `problems` has all that is wrong with it, one sentence each."""

    def __init__(self, problems: Iterable[str]) -> None:
        """Take the problems in the order of the text."""
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class FieldError(ValueError):
    """Raised for a value that its slot does not allow, already worded."""


class Rank(IntEnum):
    """The order in which the abilities of a card are resolved (P2). Static ones are not resolved at all."""

    STATIC = 0
    RESOURCE = 1
    KEYWORD = 2
    UNIQUE = 3


class Body(IntEnum):
    """The sorts of things that may follow a word."""

    NONE = 0
    BLOCK = 1  # abilities joined by `and`
    CHOICE = 2  # blocks with `or` between them


WIDE = {ord("\u2212"): "-"} | {0xFF01 + i: chr(0x21 + i) for i in range(94)}  # a real minus sign, and full-width letters, digits and punctuation
PLAIN = WIDE | dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))  # and without letters that nobody sees
SPACES, PUNCTUATION, COLON = re.compile(r"\s+"), re.compile(r" ?([:,]) ?(?=[^0-9 ]|$)"), re.compile(r" ?: ?")


def tidy(text: str) -> str:
    """Return a text with one plain space wherever there is space, none before punctuation: what the patterns rely on."""
    text = SPACES.sub(" ", text.translate(PLAIN)).strip()
    text = COLON.sub(": ", PUNCTUATION.sub(r"\1 ", text))
    return text.replace("( ", "(").replace(" )", ")").strip()


@dataclass(frozen=True)
class FieldForm:
    """The way one field is written: `pattern` is what it strictly looks like, `loose` what a mistaken one may look like."""

    noun: str
    pattern: str
    read: Callable[[str], int]
    write: Callable[[int], str]
    loose: str = r"[^\s:;,()]+"


def number(noun: str, high: int, one: str = "1") -> FieldForm:
    """Return the form of whole numbers from 1 to `high`; `one` is how 1 is written. Any number is read, so that absurd ones are named as such."""

    def read(text: str) -> int:
        if text.casefold() in ("a", "an", "one"):
            return 1
        if not re.fullmatch(r"-?[0-9]+(?:[.,][0-9]+)?", text):
            raise FieldError(f"'{text}' is not a number; write it in digits")
        if not re.fullmatch(r"-?[0-9]+", text):
            raise FieldError(f"{noun} are whole numbers from 1 to {high}")
        digits = text.lstrip("-0")
        if text.startswith("-") or len(digits) > 4 or not 1 <= int(digits or "0") <= high:
            raise FieldError(f"{noun} go from 1 to {high}")
        return int(digits)

    return FieldForm("a number", r"(?:-?[0-9]+(?:[.,][0-9]+)?|an?|one)\b", read, lambda n: one if n == 1 else str(n))


def one_of(noun: str, values: Mapping[str, int]) -> FieldForm:
    """Return the form of a field that holds one of these names; a plural `s` is fine."""
    by_folded = {name.casefold(): value for name, value in values.items()}
    by_folded |= {name + "s": value for name, value in by_folded.items()}
    names = {value: name for name, value in values.items()}

    def read(text: str) -> int:
        if text.casefold() not in by_folded:
            listed = ", ".join(list(values)[:-1]) + " or " + list(values)[-1]
            raise FieldError(f"'{text}' is not {noun}" + (did_you_mean(text, values) or f" ({listed})"))
        return by_folded[text.casefold()]

    def write(value: int) -> str:
        return value.label if isinstance(value, Faction) and value.label else names[value]

    return FieldForm(noun, rf"(?:{'|'.join(map(re.escape, values))})s?\b", read, write)


def any_of(noun: str, flags: Mapping[str, int]) -> FieldForm:
    """Return the form of a field that holds several of these names with `or` between them, as flags."""
    single = one_of(noun, flags)

    def read(text: str) -> int:
        total = 0
        for name in re.split(r" or |, ", text, flags=re.IGNORECASE):
            total |= single.read(name.strip())
        return total

    def write(value: int) -> str:
        return " or ".join(name for name, flag in flags.items() if value & flag)

    return FieldForm(noun, rf"{single.pattern}(?:(?: or |, ){single.pattern})*", read, write, r"[^\s:;,()]+(?:(?: or |, )[^\s:;,()]+)*")


# What a pattern is made of: slots, `card(s)`, `(one|many)`, and literal text in between.
PIECE = re.compile(r"\{(?P<field>\w+)(?::(?P<slot>\w+))?\}|\((?P<one>[^()|]*)\|?(?P<many>[^()]*)\)")


@dataclass(frozen=True)
class Pattern:
    """A pattern of the table with the slots that it names."""

    text: str
    slots: Mapping[str, FieldForm]

    def slot(self, piece: re.Match[str]) -> FieldForm:
        """Return the form in which a field of the pattern is written; it is named like the field unless the pattern says otherwise."""
        return self.slots[piece["slot"] or piece["field"]]

    @cached_property
    def fields(self) -> dict[str, FieldForm]:
        """The fields that the pattern has slots for."""
        return {piece["field"]: self.slot(piece) for piece in PIECE.finditer(self.text) if piece["field"]}

    def regex(self, end: str, loose: bool = False) -> re.Pattern[str]:
        """Return the regular expression that reads the pattern, followed by `end`."""
        out, at = "", 0
        for piece in PIECE.finditer(self.text):
            out += _literal(self.text[at : piece.start()])
            if piece["field"]:
                slot = self.slot(piece)
                out += f"(?P<{piece['field']}>{slot.loose if loose else slot.pattern})"
            else:
                out += f"(?:{piece['one']})?"
            at = piece.end()
        return re.compile(out + _literal(self.text[at:]) + end, re.IGNORECASE)

    def write(self, fields: Mapping[str, int]) -> str:
        """Return the pattern with its slots filled."""

        def fill(piece: re.Match[str]) -> str:
            if piece["field"]:
                return self.slot(piece).write(fields[piece["field"]])
            if not piece["many"]:  # "card(s)"
                return "" if fields["amount"] == 1 else piece["one"]
            return piece["one"] if fields["amount"] == 1 else piece["many"]

        return PIECE.sub(fill, self.text)


def _literal(text: str) -> str:
    return re.sub(r"\ba\b", "(?:an?|one|1)", re.escape(text).replace("\\ ", " "))


@dataclass(frozen=True)
class Word:
    """One row of the table: a form of the language, with all that is known about it."""

    effect: Effect
    pattern: str
    meaning: str
    say: str  # the ability as an English verb phrase
    examples: tuple[str, ...]
    rank: Rank = Rank.UNIQUE
    fixed: Mapping[str, int] = field(default_factory=dict)  # fields that this pattern means without a slot for them
    also: tuple[str, ...] = ()  # other ways to write it; an amount that is left out is 1
    per: bool = False  # may be followed by `per …`
    body: Body = Body.NONE
    optional: bool = False  # may be declined (K11), so it reads "you may …"
    check: Callable[[Ability], str] = lambda ability: ""  # what is wrong with it, if anything


@dataclass(frozen=True)
class Count:
    """A row of the table of what may stand behind `per`."""

    per: Per
    pattern: str
    meaning: str
    say: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Form:
    """One way to write a word. Its regular expressions are made when first needed: most programs never meet a mistake, many never read a card."""

    word: Word
    pattern: Pattern

    @property
    def end(self) -> str:
        """The regular expression of what must follow, so that a word is not found in the middle of another."""
        if self.word.body is Body.CHOICE:
            return r"(?: one:|:)?(?: |$)"
        if self.word.body is Body.BLOCK:
            return " ?"
        return (r"(?: per (?P<per>[^:;()]+?))?" if self.word.per else "") + BOUNDARY

    @cached_property
    def strict(self) -> re.Pattern[str]:
        """The regular expression of a form that is right."""
        return self.pattern.regex(self.end)

    @cached_property
    def loose(self) -> re.Pattern[str]:
        """The regular expression of a form that is right but for its slots."""
        return self.pattern.regex(self.end, loose=True)

    @cached_property
    def bare(self) -> re.Pattern[str] | None:
        """The regular expression of a head whose `:` was forgotten."""
        return Pattern(self.pattern.text.rstrip(":"), self.pattern.slots).regex(BOUNDARY) if self.word.body is Body.BLOCK else None


class Grammar:
    """The table, ready to read and to write with."""

    def __init__(self, words: Iterable[Word], counts: Iterable[Count], slots: Mapping[str, FieldForm]) -> None:
        """Take the table: its words, what may stand behind `per`, and how fields are written."""
        self.words, self.counts, self.slots = tuple(words), tuple(counts), slots
        self.forms = [Form(word, Pattern(text, slots)) for word in self.words for text in (word.pattern, *word.also)]
        self.examples = [example for word in self.words for example in word.examples]
        self.heads = [example.partition(":")[0] for word in self.words if word.body is Body.BLOCK for example in word.examples]
        self.count_examples = [example[example.index("per ") :] for count in self.counts for example in count.examples]

    def word_of(self, ability: Ability) -> Word:
        """Return the row that writes this ability."""
        for word in self._by_effect.get(ability.effect, ()):
            if all(getattr(ability, name) == value for name, value in word.fixed.items()):
                return word
        raise ValueError(f"no word of the ability language says {ability}")

    @cached_property
    def _by_effect(self) -> dict[Effect, list[Word]]:
        rows: dict[Effect, list[Word]] = {}
        for word in sorted(self.words, key=lambda word: -len(word.fixed)):  # what says most comes first: `SACRIFICE this:` before `pay …:`
            rows.setdefault(word.effect, []).append(word)
        return rows

    def count_of(self, ability: Ability) -> Count:
        """Return the row that writes what this ability is counted by."""
        return next(count for count in self.counts if count.per is ability.per)

    def fill(self, template: str, ability: Ability) -> str:
        """Return a pattern or a `say` of the table, filled with this ability's values."""
        return Pattern(template, self.slots).write(vars(ability))

    def fill_count(self, template: str, ability: Ability) -> str:
        """Return the same for what stands behind `per`, which is always singular."""
        return Pattern(template, self.slots).write(vars(ability) | {"amount": 1})

    def read_count(self, text: str) -> dict[str, int]:
        """Return the fields that `per …` stands for."""
        for count, pattern, regex in self._count_regexes:
            if match := regex.match(text):
                return {"per": count.per, "of": 0} | {name: slot.read(match[name]) for name, slot in pattern.fields.items()}
        for _, pattern, _ in self._count_regexes:
            if match := pattern.regex("$", loose=True).match(text):
                for name, slot in pattern.fields.items():
                    slot.read(match[name])  # raises, and says why
        raise FieldError(f"'per {text}' counts nothing" + did_you_mean(f"per {text}", self.count_examples))

    @cached_property
    def _count_regexes(self) -> list[tuple[Count, Pattern, re.Pattern[str]]]:
        patterns = [(count, Pattern(count.pattern, self.slots)) for count in self.counts]
        return [(count, pattern, pattern.regex("$")) for count, pattern in patterns]

    def write(self, abilities: Iterable[Ability], joint: str, in_choice: bool = False) -> str:
        """Return the normal form. A head that would swallow what follows it is put in parentheses."""
        block = tuple(abilities)
        return joint.join(
            f"({text})" if self._swallows(ability, joint != "; " and i < len(block) - 1, in_choice) else text
            for i, (ability, text) in enumerate((ability, self._write_one(ability)) for ability in block)
        )

    def _swallows(self, ability: Ability, followed: bool, in_choice: bool) -> bool:
        return bool(ability.body) and (followed or (in_choice and any(inner.effect is Effect.CHOOSE for inner in walk((ability,)))))

    def _write_one(self, ability: Ability) -> str:
        word = self.word_of(ability)
        text = self.fill(word.pattern, ability)
        if ability.per:
            text += " per " + self.fill_count(self.count_of(ability).pattern, ability)
        if word.body is Body.CHOICE:
            return text + " " + " or ".join(self.write(block, " and ", in_choice=True) for block in ability.body)
        return text + "".join(" " + self.write(block, " and ") for block in ability.body)


def walk(abilities: Iterable[Ability]) -> Iterator[Ability]:
    """Yield the abilities and all that stand in their bodies."""
    for ability in abilities:
        yield ability
        for block in ability.body:
            yield from walk(block)
