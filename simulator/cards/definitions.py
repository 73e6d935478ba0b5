"""The definitions of a card file (dialect.py) → the dialect of its set, and what is wrong with them."""

from collections.abc import Sequence

from terrors.simulator.cards.dialect import DEFINITION, FACTIONS, STANDARD, Dialect, name_problem, read_factions
from terrors.simulator.cards.vocabulary import LanguageError, parse_abilities, text_of_all
from terrors.simulator.terms.text import quoted


def read_definitions(rows: Sequence[tuple[int, str]]) -> tuple[Dialect, list[tuple[int, str]]]:
    """Return what the definitions of a file come to, and their problems, each with its row. Factions count for all of it, a keyword from its row on."""
    problems: list[tuple[int, str]] = []
    pairs: list[tuple[int, str, str]] = []
    for row, text in rows:
        if match := DEFINITION.fullmatch(text):
            pairs.append((row, match[1].strip(), match[2].strip()))
        else:
            problems.append((row, f"{quoted(text)}: a definition has a name before '=', as in 'FRENZY = 1 Power and DRAW 1'"))
    factions = STANDARD.factions
    declared = [(row, text) for row, name, text in pairs if name.casefold() == FACTIONS]
    for row, text in declared:
        factions, wrong = read_factions(text)
        problems += [(row, f"{FACTIONS}: {problem}") for problem in wrong]
    problems += [(row, f"{FACTIONS}: they are given twice; write all of them in one row") for row, _ in declared[1:]]
    dialect = Dialect(factions or STANDARD.factions)
    for row, name, text in pairs:
        if name.casefold() == FACTIONS:
            continue
        try:
            bad_name = name_problem(name, "a keyword", "FRENZY = 1 Power and DRAW 1") or _taken(name, dialect)
            meaning = text_of_all(parse_abilities(text, dialect), " and ")
        except LanguageError as error:
            problems += [(row, f"{name}: {problem}") for problem in error.problems]
            continue
        if bad_name or not meaning:
            problems.append((row, bad_name or f"{quoted(name)} stands for nothing; write the abilities behind '='"))
        else:
            dialect = Dialect(dialect.factions, {**dialect.keywords, name: meaning})
    return dialect, problems


def _taken(name: str, dialect: Dialect) -> str:
    """Return what is wrong with the name of a keyword that means something already; empty if it does not."""
    try:
        parse_abilities(name, dialect)
    except LanguageError:
        return ""
    return f"{quoted(name)} is a word of the language already; the keyword needs another name"
