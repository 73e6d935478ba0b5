"""The language behind `when`: `my turn <= 8 and (coin > 3 or owned Relic = 0)`, parsed into the steps of a stack machine.

    condition   = truth {or truth}            truth   = test {and test}
    test        = not test | ( condition ) | sum sign sum {sign sum}
    sum         = value {+ value | - value}   value   = whole number | word | owned set | ( sum )
    sign        = <  <=  >  >=  =  !=

A word is one of `WORDS` and may be two words (`rival health`). A set behind `owned` is a faction, a type, a keyword or a card's name (in quotation marks if
there is more than letters in it): those are looked up when a box of cards is there (filling.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from terrors.simulator.kernel.work_layout import LIST_DEPTH
from terrors.simulator.terms.text import did_you_mean, quoted
from terrors.strategies.formats.lists.playing import Instruction, Quantity

WORDS = {number.name.replace("_", " ").lower(): number for number in Quantity}
SIGNS = {
    "<": Instruction.LESS, "<=": Instruction.AT_MOST, ">": Instruction.MORE, ">=": Instruction.AT_LEAST, "=": Instruction.EQUAL,
    "==": Instruction.EQUAL, "!=": Instruction.UNEQUAL,
    "≤": Instruction.AT_MOST, "≥": Instruction.AT_LEAST, "≠": Instruction.UNEQUAL,
}  # fmt: skip
JOINTS = {"and", "or", "not"}
OWNED = "owned"
LARGEST = 1_000_000
_PIECE = re.compile(r"\s*(?:(\d+)|([^\W\d]\w*)|\"([^\"]*)\"|'([^']*)'|(<=|>=|==|!=|[<>=≤≥≠()+-])|(\S))")

Code = list[tuple[Instruction, int | str]]  # the argument of OWNED is the set's name


class ConditionError(ValueError):
    """Raised for a condition that cannot be read; the text is the end of a sentence."""


@dataclass(frozen=True)
class Lexeme:
    """A number, a word, a quoted name or a sign, as it is written."""

    sort: str
    text: str


@dataclass(frozen=True)
class Part:
    """A parsed piece of a condition: its steps, and whether it is a truth or a number."""

    code: Code
    is_truth: bool
    text: str


def pieces_of(text: str) -> list[Lexeme]:
    """Return the pieces that a condition is written with."""
    pieces = []
    for found in _PIECE.finditer(text.strip()):
        number, word, double, single, sign, other = found.groups()
        name = double if double is not None else single
        if other:
            raise ConditionError(f"{quoted(other)} has no meaning in {quoted(text)}; a condition reads like 'turn >= 6 and coin < 4'")
        if name is not None:
            pieces.append(Lexeme("name", name))
        elif number:
            pieces.append(Lexeme("number", number))
        elif word:
            pieces.append(Lexeme("joint" if word.lower() in JOINTS else "word", word))
        else:
            pieces.append(Lexeme("sign", sign))
    return pieces


def parse(text: str) -> Code:
    """Return the steps of a condition; ConditionError says what cannot be read."""
    parser = _Parser(text)
    part = parser.truths()
    if parser.next is not None:
        raise ConditionError(f"{quoted(parser.next.text)} is one too many in {quoted(text)}; join two conditions by 'and' or 'or'")
    _need_truth(part)
    depth = deepest = 0
    for step, _ in part.code:
        depth += 1 if step in (Instruction.NUMBER, Instruction.LOOK, Instruction.OWNED) else 0 if step == Instruction.NOT else -1
        deepest = max(deepest, depth)
    if deepest > LIST_DEPTH:
        raise ConditionError(f"it is nested too deeply: {deepest} values at once, {LIST_DEPTH} are possible; use fewer parentheses")
    return part.code


def _need_truth(part: Part) -> None:
    if not part.is_truth:
        raise ConditionError(f"{quoted(part.text)} is a number, not a condition; compare it, as in '{part.text} >= 3'")


def _need_number(part: Part, sign: str) -> None:
    if part.is_truth:
        raise ConditionError(f"{quoted(part.text)} is not a number, and {sign} needs one on each side")


class _Parser:
    """A parser with one method per line of the grammar, from the loosest binding to the tightest."""

    def __init__(self, text: str) -> None:
        self.text, self.pieces, self.at = text, pieces_of(text), 0
        if not self.pieces:
            raise ConditionError("it is empty; leave it out, or write a condition like 'turn >= 6 and coin < 4'")

    @property
    def next(self) -> Lexeme | None:
        return self.pieces[self.at] if self.at < len(self.pieces) else None

    def take(self, sort: str, *texts: str) -> Lexeme | None:
        """Return the next piece if it is of that sort and one of these, and go on behind it."""
        piece = self.next
        if piece is None or piece.sort != sort or (texts and piece.text.lower() not in texts):
            return None
        self.at += 1
        return piece

    def truths(self) -> Part:
        return self._joined("or", Instruction.OR, lambda: self._joined("and", Instruction.AND, self.test))

    def _joined(self, word: str, step: Instruction, inner) -> Part:
        part = inner()
        while self.take("joint", word):
            other = inner()
            _need_truth(part)
            _need_truth(other)
            part = Part([*part.code, *other.code, (step, 0)], True, f"{part.text} {word} {other.text}")
        return part

    def test(self) -> Part:
        if self.take("joint", "not"):
            part = self.test()
            _need_truth(part)
            return Part([*part.code, (Instruction.NOT, 0)], True, f"not {part.text}")
        left = self.sum()
        links: list[Part] = []
        while sign := self.take("sign", *SIGNS):
            right = self.sum()
            _need_number(left, sign.text)
            _need_number(right, sign.text)
            links.append(Part([*left.code, *right.code, (SIGNS[sign.text], 0)], True, f"{left.text} {sign.text} {right.text}"))
            left = right
        if not links:
            return left
        part = links[0]
        for link in links[1:]:  # 3 <= turn <= 8
            part = Part([*part.code, *link.code, (Instruction.AND, 0)], True, f"{part.text} and {link.text}")
        return part

    def sum(self) -> Part:
        part = self.value()
        while sign := self.take("sign", "+", "-"):
            other = self.value()
            _need_number(part, sign.text)
            _need_number(other, sign.text)
            part = Part(
                [*part.code, *other.code, (Instruction.ADD if sign.text == "+" else Instruction.SUBTRACT, 0)], False, f"{part.text} {sign.text} {other.text}"
            )
        return part

    def value(self) -> Part:
        if self.take("sign", "("):
            part = self.truths()
            if not self.take("sign", ")"):
                raise ConditionError(f"a ')' is missing in {quoted(self.text)}")
            return Part(part.code, part.is_truth, f"({part.text})")
        if number := self.take("number"):
            if int(number.text) > LARGEST:
                raise ConditionError(f"{quoted(number.text)} is too large; numbers go up to {LARGEST:,}")
            return Part([(Instruction.NUMBER, int(number.text))], False, number.text)
        if self.take("word", OWNED):
            return self.owned()
        if words := self.words():
            return self.word(words.replace("_", " "))
        found = self.next
        if found is not None and found.sort == "name":
            raise ConditionError(f"{quoted(found.text)} stands alone; how many of a card you have is 'owned \"{found.text}\"'")
        what = f"before {quoted(found.text)}" if found else "at the end"
        raise ConditionError(f"something is missing {what} in {quoted(self.text)}; a condition reads like 'turn >= 6 and coin < 4'")

    def words(self) -> str:
        """Return all words up to the next sign, joint or number."""
        words = []
        while word := self.take("word"):
            words.append(word.text)
        return " ".join(words)

    def owned(self) -> Part:
        named = self.take("name")
        text = named.text if named else self.words()
        if not text:
            raise ConditionError(f"what is owned? Write a faction, a type, a keyword or a card's name behind 'owned' in {quoted(self.text)}")
        return Part([(Instruction.OWNED, text)], False, f"owned {text}")

    def word(self, text: str) -> Part:
        number = WORDS.get(text.lower())
        if number is None:
            raise ConditionError(
                f"{quoted(text)} is not known" + (did_you_mean(text.lower(), [*WORDS, OWNED]) or f"; there are {', '.join(WORDS)} and owned …")
            )
        return Part([(Instruction.LOOK, int(number))], False, text.lower())
