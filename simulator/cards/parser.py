"""Reading the ability language: text -> abilities by the table of words (language.Grammar), or every problem in it at once.

Strict patterns are tried first. Where none fits, the same patterns with open slots find out what the writer meant, so that the message can name the
wrong piece alone and suggest what is near it. After a problem reading goes on behind it.
"""

import re

from terrors.simulator.cards.grammar import Ability, Body, FieldError, Form, Grammar, Rank, Word
from terrors.simulator.terms.text import closest, quoted

MAX_DEPTH = 8  # bodies within bodies; more is a slip of the pen
MAX_ALTERNATIVES = 20  # of one `choose`
AND_OR = re.compile(r" (?:and|or) |\)|$", re.IGNORECASE)  # where an unknown piece ends
LOOSE_JOINT = re.compile(r" ?[,&+/.] ?| plus ", re.IGNORECASE)  # what people write for `;`


def read(grammar: Grammar, text: str) -> tuple[tuple[Ability, ...], list[str]]:
    """Return the abilities in a tidied text without `;`, and what is wrong with it."""
    reader = Reader(grammar, text)
    return reader.whole(), reader.problems


class Reader:
    """Reads one tidied text from left to right; `at` is how far it has come, `problems` what was wrong on the way."""

    def __init__(self, grammar: Grammar, text: str) -> None:
        """Begin at the start of a text."""
        self.grammar, self.text, self.at = grammar, text, 0
        self.depth = 0  # bodies around the present place
        self.parens = 0  # parentheses around it
        self.problems: list[str] = []

    def whole(self) -> tuple[Ability, ...]:
        """Return the abilities of the whole text."""
        abilities = self.block(in_choice=False)
        if self.at < len(self.text):
            self.problems.append(f"{quoted(self.text)}: ')' without '('")
        return abilities

    def eat(self, literal: str) -> bool:
        """Go on behind a literal text if it stands here, and return whether it did."""
        found = self.text[self.at : self.at + len(literal)].casefold() == literal
        self.at += len(literal) * found
        return found

    def block(self, in_choice: bool) -> tuple[Ability, ...]:
        """Read abilities joined by `and`, up to `or` (in a choice), `)` or the end."""
        start, before, stray_or = self.at, len(self.problems), False
        out = self.item(in_choice)
        while True:
            if self.eat(" and "):
                out += self.item(in_choice)
            elif not in_choice and self.eat(" or "):
                out += self.item(in_choice)
                stray_or = True
            else:
                break
        if stray_or and len(self.problems) == before:
            self.problems.append(f"{quoted(self.text[start : self.at])}: a choice is written 'choose … or …'")
        return out

    def item(self, in_choice: bool) -> tuple[Ability, ...]:
        """Read one ability, or several in parentheses."""
        if self.depth > MAX_DEPTH or self.parens > MAX_DEPTH:
            self.problems.append(f"'{self.text[:40]}…': no more than {MAX_DEPTH} abilities within abilities")
            self.at = len(self.text)
            return ()
        if self.eat("("):
            return self.parentheses()
        for form in self.grammar.forms:
            if match := form.strict.match(self.text, self.at):
                return self.take(form, match, in_choice)
        return self.unknown(in_choice)

    def parentheses(self) -> tuple[Ability, ...]:
        """Read what stands in parentheses, up to and with the closing one."""
        before = len(self.problems)
        self.parens += 1
        inner = self.block(in_choice=False)
        self.parens -= 1
        if not self.eat(")"):
            if len(self.problems) == before:
                self.problems.append(f"{quoted(self.text)}: '(' without ')'")
        elif rest := self.text[self.at : self.next_end(self.at)]:
            self.problems.append(f"{quoted(rest.strip())}: write 'and' before it")
            self.at += len(rest)
        return inner

    def next_end(self, at: int) -> int:
        """Return the place where a piece that is not understood ends."""
        found = AND_OR.search(self.text, at)
        return found.start() if found else len(self.text)

    def take(self, form: Form, match: re.Match[str], in_choice: bool) -> tuple[Ability, ...]:
        """Return the ability that a pattern has matched, with its body."""
        word, piece, before = form.word, match[0].strip().removesuffix(":"), len(self.problems)
        self.at = match.end()
        fields: dict[str, int] = {"amount": 1} if "{amount" in word.pattern else {}
        fields |= word.fixed
        wrong = ""
        try:
            for name, slot in form.pattern.fields.items():
                fields[name] = slot.read(match[name])
            if word.per and match["per"]:
                fields |= self.grammar.read_count(match["per"])
        except FieldError as error:
            wrong = str(error)
        ability = Ability(word.effect, body=self.body(word, piece, in_choice), **fields)  # type: ignore[arg-type]
        wrong = wrong or word.check(ability)
        if word.rank is Rank.STATIC and self.depth:
            wrong = wrong or "Armor and CLAIM stand alone, never behind ':' or in a choice"
        if wrong:
            self.problems.insert(before, f"{quoted(piece)}: {wrong}")
            return ()
        return (ability,)

    def body(self, word: Word, piece: str, in_choice: bool) -> tuple[tuple[Ability, ...], ...]:
        """Read the abilities behind a word that needs some behind it."""
        if word.body is Body.NONE:
            return ()
        if self.at >= len(self.text):
            self.problems.append(f"{quoted(piece)}: nothing stands behind it")
            return ()
        self.depth += 1
        if word.body is Body.BLOCK:
            blocks = [self.block(in_choice)]
        else:
            blocks = self.alternatives()
        self.depth -= 1
        return tuple(blocks)

    def alternatives(self) -> list[tuple[Ability, ...]]:
        """Read the blocks of a choice."""
        start, before = self.at, len(self.problems)
        blocks = [self.block(in_choice=True)]
        while self.eat(" or "):
            blocks.append(self.block(in_choice=True))
        if not 2 <= len(blocks) <= MAX_ALTERNATIVES and len(self.problems) == before:
            self.problems.append(f"{quoted('choose ' + self.text[start : self.at])}: a choice has 2 to {MAX_ALTERNATIVES} alternatives, with 'or' between them")
        return blocks

    def unknown(self, in_choice: bool) -> tuple[Ability, ...]:
        """Find out what was meant where nothing fits, say so, and go on behind it."""
        piece = self.text[self.at : self.next_end(self.at)]
        if not piece:
            rest = self.text[self.at :].strip()
            self.problems.append(f"{quoted(self.text)}: an ability is missing" + (f" before {quoted(rest)}" if rest else ""))
            return ()
        for form in self.grammar.forms:
            if form.bare and (match := form.bare.match(self.text, self.at)):
                self.problems.append(f"{quoted(match[0])}: ':' and what comes of it must follow")
                self.at = match.end()
                return ()
        mistaken = self.mistaken_slots()
        for form, match, problem in mistaken:
            if "did you mean" in problem or form.word.body is Body.BLOCK:
                self.problems.append(problem)
                self.at = match.end()
                self.body(form.word, piece, in_choice)
                return ()
        head, colon, _ = piece.partition(":")
        problem = self.whole_piece(piece)
        if not problem and mistaken:
            _, match, problem = mistaken[0]
            self.at = match.end()
        elif not problem and colon:
            self.problems.append(f"{quoted(head)}: what stands before ':' is neither a condition nor a cost")
            self.at += len(head) + 1
            return self.block(in_choice) if self.eat(" ") else ()
        else:
            self.at += len(piece)
        self.problems.append(problem or f"{quoted(piece)} is not an ability")
        return ()

    def mistaken_slots(self) -> list[tuple[Form, re.Match[str], str]]:
        """Return the forms that fit here but for their slots, each with its match and what is wrong with the slots."""
        found = []
        for form in self.grammar.forms:
            if match := form.loose.match(self.text, self.at):
                try:
                    for name, slot in form.pattern.fields.items():
                        slot.read(match[name])
                except FieldError as error:
                    found.append((form, match, f"{quoted(match[0].strip().removesuffix(':'))}: {error}"))
        return found

    def whole_piece(self, piece: str) -> str:
        """Return what may be wrong with a piece as a whole; empty if nothing comes to mind."""
        before_per, per, _ = piece.partition(" per ")
        if per and self.readable(before_per):
            return f"{quoted(piece)}: {quoted(before_per)} takes no 'per'"
        several = LOOSE_JOINT.split(piece.rstrip("."))
        if (len(several) > 1 or piece.endswith(".")) and all(map(self.readable, several)):
            return f"{quoted(piece)}: abilities have ';' between them, or 'and' behind ':', and no full stop"
        head, colon, _ = piece.partition(":")
        if colon and (near := closest(head, self.candidates(head, self.grammar.heads), 0.75)):
            return f"{quoted(head)} is neither a condition nor a cost; did you mean {near}?"
        if near := closest(piece, self.candidates(piece, self.grammar.examples)):
            return f"{quoted(piece)} is not an ability; did you mean {near}?"
        return ""

    def readable(self, text: str) -> bool:
        """Whether a text is one ability, without a body."""
        return any(form.strict.fullmatch(text) for form in self.grammar.forms)

    def candidates(self, piece: str, examples: list[str]) -> list[str]:
        """Return examples of the table, with the number that the piece has."""
        given = re.search(r"[0-9]+", piece)
        return [re.sub(r"[0-9]+", given[0], example) if given else example for example in examples]
