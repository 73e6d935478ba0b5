"""cards.csv → `CardSet`: all that the rest of the toolkit knows about a card.

    cards = load_cards()                      # the reference set; load_cards("mine.csv") for another
    cards.by_name("Ghoul").cost
    cards.replace(["Ghoul.cost=3"])           # a what-if, with the same checks; numbers within abilities: "Ghoul.abilities[DRAW 1]=2"
    cards.with_cards([{"name": "Hag", …}])    # a scenario's own cards

Cells and single cards are in card.py, the file format in csv_file.py. Here: what only the whole set can tell. Every problem is reported at once.
"""

import csv
import dataclasses
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from terrors.simulator.cards.advice import warnings_of
from terrors.simulator.cards.card import COLUMNS, Card, cells_of, plain, read_card
from terrors.simulator.cards.card_numbers import find_number, with_value
from terrors.simulator.cards.csv_file import read_rows
from terrors.simulator.cards.definitions import read_definitions
from terrors.simulator.cards.dialect import STANDARD, Dialect
from terrors.simulator.cards.grammar import FieldError
from terrors.simulator.cards.vocabulary import Rank, emit, rank
from terrors.simulator.terms.enums import CardType, Pile
from terrors.simulator.terms.errors import CardFileError, WordedError
from terrors.simulator.terms.limited_file import read_limited
from terrors.simulator.terms.text import did_you_mean, listed, quoted, shown

__all__ = ["COLUMNS", "Card", "CardFileError", "CardSet", "UnknownCardError", "load_cards"]

# What the engine's records hold: the capacities of layout.py, which this module does not import, since it needs NumPy. A test holds them together.
MAX_CARDS = 4096
MAX_COPIES = 16384
MAX_ROWS = 32768
MAX_ACOLYTES = 64
MAX_INFLUENCES = 16
MIN_INFLUENCES = 2  # S3: two are chosen
STRUCTURE = {"name", "pile", "type", "faction", "overlord"}  # columns without which the set as a whole cannot be judged


class UnknownCardError(WordedError, LookupError):
    """Raised for a name that no card of the set has."""


def folded(name: str) -> str:
    """Return a name as names are compared: they are the same whatever their case."""
    return plain(name).casefold()


@dataclass(frozen=True)
class CardSet:
    """The cards of a file, in its order."""

    cards: tuple[Card, ...]
    path: Path | None = None
    dialect: Dialect = STANDARD
    notes: tuple[str, ...] = field(default=(), compare=False)  # on how the file was read, one line each

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {folded(card.name): at for at, card in enumerate(self.cards)}

    def index(self, name: str) -> int:
        """Return the place of a card in the file's order, by name in any case."""
        at = self._index.get(folded(name))
        if at is None:
            raise UnknownCardError(f"no card is named {quoted(name)}" + did_you_mean(name, (card.name for card in self.cards)))
        return at

    def by_name(self, name: str) -> Card:
        """Return the card of that name, in any case; `UnknownCardError` suggests what is near."""
        return self.cards[self.index(name)]

    def pile(self, pile: Pile) -> tuple[Card, ...]:
        """Return the cards of one pile, in the file's order."""
        return tuple(card for card in self.cards if card.pile is pile)

    @cached_property
    def overlords(self) -> tuple[Card, ...]:
        """The overlords of the set (S1)."""
        return self.pile(Pile.OVERLORD)

    @cached_property
    def starting(self) -> tuple[Card, ...]:
        """The cards that starting decks are made of (S4)."""
        return self.pile(Pile.STARTING)

    @cached_property
    def acolytes(self) -> tuple[Card, ...]:
        """The cards of the Acolyte pile (S5)."""
        return self.pile(Pile.ACOLYTE)

    @cached_property
    def market(self) -> tuple[Card, ...]:
        """The cards of the Market (S6)."""
        return self.pile(Pile.MARKET)

    def influences_of(self, overlord: str) -> tuple[Card, ...]:
        """Return the Influence cards of an overlord (S3)."""
        name = folded(self.by_name(overlord).name)
        return tuple(card for card in self.cards if card.type is CardType.INFLUENCE and folded(card.overlord) == name)

    def to_csv(self) -> str:
        """Return the set in normal form: what reads back as the same set. Columns of the designer's own are not part of it."""
        out = io.StringIO()
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"name": definition} for definition in self.dialect.rows())
        writer.writerows(cells_of(card) for card in self.cards)
        return out.getvalue()

    @cached_property
    def sha256(self) -> str:
        """The identity of the content: how the file is laid out does not matter."""
        return hashlib.sha256(self.to_csv().encode()).hexdigest()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about what can be played and was perhaps not meant, one line each."""
        label = self.path.name if self.path else ""
        return tuple(_where(label, card, column) + message for card, column, message in warnings_of(self.cards))

    def replace(self, overrides: str | Iterable[str], check_set: bool = True) -> "CardSet":
        """Return the set with some cells changed, each as "Ghoul.cost=3" or "Ghoul.abilities[DRAW 1]=2"."""
        changed: dict[int, dict[str, str]] = {}
        read: dict[int, Card] = {}  # cards whose text was changed: numbers in it are those of the new text
        problems: list[str] = []
        for text in [overrides] if isinstance(overrides, str) else overrides:
            try:
                at, column, piece, value = self._override(text)
                cells = changed.get(at) or cells_of(self.cards[at])
                cells[column] = value if piece is None else _with_number(read.get(at, self.cards[at]), cells, column, piece, value, self.dialect)
            except (UnknownCardError, FieldError) as error:
                problems.append(f"{quoted(text)}: {error}")
            else:
                changed[at] = cells
                if piece is None:
                    read[at] = read_card(cells, dialect=self.dialect)[0]
        cards = list(self.cards)
        for at, cells in changed.items():
            cards[at], wrong = read_card({**cells, **self.cards[at].own}, self.cards[at].row, self.dialect)
            problems += [f"{self.cards[at].name}, {column}: {message}" for column, message in wrong]
        return _checked(dataclasses.replace(self, cards=tuple(cards)), problems, label="", check_set=check_set)

    def _override(self, text: str) -> tuple[int, str, str | None, str]:
        """Return place, column, piece (what stands in brackets, None if nothing does) and value of a change.

        Names may have dots and equals signs in them, so the first reading that names a card counts.
        """
        found = re.finditer(r"\.\s*(\w+)\s*(?:\[([^\]]*)\])?\s*=", text)
        readings = [(text[: match.start()], match[1].casefold(), match[2], text[match.end() :]) for match in found]
        if not readings:
            raise FieldError("an override is written as Card.column=value")
        name, column, piece, value = next((reading for reading in readings if folded(reading[0]) in self._index), readings[0])
        at = self.index(name.strip())
        if column not in COLUMNS:
            raise FieldError(f"{quoted(column)} is not a column" + did_you_mean(column, COLUMNS, 0.7))
        return at, column, piece, value

    def with_cards(self, cards: Iterable[Mapping[str, object]], check_set: bool = False) -> "CardSet":
        """Return the set with cards given as column → value added, or put in the place of those with the same name.

        What is left out is empty; `copies` is 1, and the pile follows from the type (a monster or relic without a cost is no market card, so it
        counts as a starting card). Unless `check_set`, the set need not be complete: an overlord may be without Influence cards.
        """
        out, problems, seen = list(self.cards), [], set()
        for number, given in enumerate(cards, 1):
            cells, wrong = _cells_from(given)
            card, more = read_card(cells, dialect=self.dialect)
            label = shown(card.name) or f"card {number}"
            wrong += [f"{column}: {message}" for column, message in more]
            if folded(card.name) in seen:
                wrong.append("name: there are two of that name")
            problems += [f"{label}, {problem}" for problem in wrong]
            seen.add(folded(card.name))
            at = self._index.get(folded(card.name))
            if at is None:
                out.append(card)
            else:
                out[at] = card
        return _checked(dataclasses.replace(self, cards=tuple(out)), problems, label="", check_set=check_set)


def _with_number(card: Card, cells: dict[str, str], column: str, piece: str, value: str, dialect: Dialect) -> str:
    """Return a cell with one number in it changed. The number is looked for in the card as it was, so that several changes do not get in each other's way."""
    now = read_card(cells, dialect=dialect)[0]
    try:
        number = find_number(card, column, piece)
    except FieldError:
        number = find_number(now, column, piece)  # or it is named as an earlier change has left it
    if not re.fullmatch(r"\s*[0-9]{1,4}\s*", value) or not number.low <= int(value) <= number.high:
        raise FieldError(f"{quoted(value.strip())} is not a whole number from {number.low} to {number.high}")
    return cells_of(with_value(now, number, int(value)))[column]


def _cells_from(given: Mapping[str, object]) -> tuple[dict[str, str], list[str]]:
    """Return a card given as column → value as cells, with what was left out filled in, and what is wrong with it."""
    cells: dict[str, str] = {}
    problems = []
    for key, value in given.items():
        column = str(key).strip().casefold()
        if column not in COLUMNS:
            problems.append(f"{quoted(str(key))} is not a column{did_you_mean(column, COLUMNS, 0.7)}")
        elif isinstance(value, bool):
            cells[column] = "yes" if value else "no"
        elif value is None or isinstance(value, str | int):
            cells[column] = "" if value is None else str(value)
        else:
            problems.append(f"{column}: {quoted(str(value))} is neither text nor a whole number")
    cells["copies"] = cells.get("copies") or "1"
    if not cells.get("pile"):
        kind = cells.get("type", "").strip().casefold()
        cells["pile"] = kind if kind in ("overlord", "influence") else "market" if cells.get("cost") else "starting"
    return cells, problems


def _checked(found: CardSet, problems: list[str], label: str, check_set: bool = True) -> CardSet:
    """Return the set, unless something is wrong with it."""
    if check_set and not problems:
        problems = [_where(label, card, column) + message for card, column, message in set_problems(found.cards)]
    if problems:
        raise CardFileError(problems)
    return found


def _where(label: str, card: Card | None, column: str = "") -> str:
    """Return where a problem is: "cards.csv, row 14, Ghoul, abilities: "."""
    parts = [label, f"row {card.row}" if card and card.row else "", shown(card.name) if card else "", column]
    place = ", ".join(part for part in parts if part)
    return f"{place}: " if place else ""


SetProblem = tuple[Card | None, str, str]  # the card, if it is about one; the column, if about one; the message


def set_problems(cards: Sequence[Card]) -> list[SetProblem]:
    """Return all that is wrong with the set as a whole."""
    return [*_double_names(cards), *_overlord_problems(cards), *_pile_problems(cards), *_too_many(cards)]


def _double_names(cards: Sequence[Card]) -> Iterator[SetProblem]:
    first: dict[str, Card] = {}
    for card in cards:
        other = first.setdefault(folded(card.name), card)
        if other is not card:
            yield card, "name", "the name is there twice" + (f", first in row {other.row}" if other.row else "")


def _overlord_problems(cards: Sequence[Card]) -> Iterator[SetProblem]:
    """Yield what is wrong with the overlords (S3): two players need two of different factions, with two Influence cards each."""
    overlords = {folded(card.name): card for card in cards if card.type is CardType.OVERLORD}
    influences = Counter(folded(card.overlord) for card in cards if card.type is CardType.INFLUENCE)
    if not overlords:
        yield None, "", "there are no overlords"
    elif len({card.faction for card in overlords.values()}) < 2:
        yield None, "", "there are no two overlords of different factions"
    for card in cards:
        if card.type is CardType.INFLUENCE and folded(card.overlord) not in overlords:
            suggestion = did_you_mean(card.overlord, (overlord.name for overlord in overlords.values()))
            yield card, "overlord", f"{quoted(card.overlord)} is not an overlord of this set{suggestion}"
    for name, card in overlords.items():
        if influences[name] < MIN_INFLUENCES:
            has = f"only {influences[name]} Influence card" if influences[name] else "no Influence cards"
            yield card, "", f"the overlord has {has}, and {MIN_INFLUENCES} are needed"
        elif influences[name] > MAX_INFLUENCES:
            yield card, "", f"the overlord has {influences[name]} Influence cards, and {MAX_INFLUENCES} are the most"


def _pile_problems(cards: Sequence[Card]) -> Iterator[SetProblem]:
    if not any(card.pile is Pile.MARKET for card in cards):
        yield None, "", "there are no market cards"
    if not any(card.pile is Pile.STARTING for card in cards):
        yield None, "", "there are no starting cards"
    acolytes = [card for card in cards if card.pile is Pile.ACOLYTE]
    costs = sorted({card.cost for card in acolytes if card.cost is not None})
    if len(costs) > 1:
        yield None, "", f"the Acolytes cost {listed([str(cost) for cost in costs])}; they are bought unseen and cost the same (B1, S5)"
    if (copies := sum(card.copies for card in acolytes)) > MAX_ACOLYTES:
        yield None, "", f"there are {copies} Acolytes, and {MAX_ACOLYTES} are the most"


def _too_many(cards: Sequence[Card]) -> Iterator[SetProblem]:
    """Yield everything of which there is more than the engine's records can hold (layout.py)."""
    copies = sum(card.copies for card in cards)
    rows = sum(program_rows(card) for card in cards)
    if len(cards) > MAX_CARDS:
        yield None, "", f"there are {len(cards)} different cards, and {MAX_CARDS} are the most"
    if copies > MAX_COPIES:
        yield None, "", f"there are {copies} copies of cards, and {MAX_COPIES} are the most"
    if rows > MAX_ROWS:
        yield None, "", f"the abilities of all cards take {rows} steps, and {MAX_ROWS} are the most"


def program_rows(card: Card) -> int:
    """Return the number of program rows that the card's abilities make. Its own resource abilities are part of its record, and make none."""
    own = [ability for ability in card.abilities if rank(ability) is not Rank.RESOURCE]
    blocks = [own, card.lit, *(trigger.body for trigger in card.triggers), *card.horde]
    return sum(len(emit(block)) for block in blocks)


def reference_path() -> Path:
    """Return the path of the cards.csv that ships: beside the rooms, in a checkout as when installed."""
    return Path(__file__).resolve().parents[2] / "cards.csv"


def example_path(name: str) -> Path:
    """Return the path of a card set that ships as an example, by its name: `first-draft`."""
    return reference_path().parent / "examples" / f"{name.replace('-', '_')}.csv"


def load_cards(path: str | Path | None = None) -> CardSet:
    """Return the card set of a file (None = the reference set), or raise a `CardFileError` that lists every problem in it."""
    file = reference_path() if path is None else Path(path)
    try:
        return _read(file, read_limited(file))
    except (OSError, ValueError):
        return _read(file, b"")  # which says what is wrong with it


@lru_cache(maxsize=8)
def _read(file: Path, content: bytes) -> CardSet:
    """Return the card set of a file. What it has in it is read once: a command asks for the same cards many times."""
    rows = read_rows(file)
    dialect, undefined = read_definitions(rows.definitions)
    whole = not rows.problems and not undefined
    cards: list[Card] = []
    found = [(row, f"{file.name}, row {row}: {problem}") for row, problem in undefined]
    for row, cells in rows.cards:
        card, wrong = read_card(cells, row, dialect)
        if not cells["copies"].strip():
            wrong.append(("copies", "an empty cell is not a number of copies"))
        cards.append(card)
        whole = whole and STRUCTURE.isdisjoint(column for column, _ in wrong)
        found += [(row, _where(file.name, card, column) + message) for column, message in wrong]
    late = set_problems(cards) if whole else list(_double_names([card for card in cards if card.name]))
    found += [(card.row if card else 1 << 30, _where(file.name, card, column) + message) for card, column, message in late]
    problems = rows.problems + [message for _, message in sorted(found, key=lambda problem: problem[0])]
    return _checked(CardSet(tuple(cards), file, dialect, tuple(rows.notes)), problems, label=file.name, check_set=False)
