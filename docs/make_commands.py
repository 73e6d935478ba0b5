"""Writes docs/COMMANDS.md from the commands themselves: `python docs/make_commands.py`. A test fails when the page is out of date."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import click

from terrors.cli.main import main

ANY_SEED = re.compile(r"; 0<=x<=18446744073709551615|\s*\[0<=x<=18446744073709551615\]")  # says nothing to a reader
LONGEST_LINE = 300
PAGE = Path(__file__).parent / "COMMANDS.md"
HEAD = """# All commands and their options

Made by `python docs/make_commands.py` from the commands themselves; `terrors COMMAND --help` prints the same.
Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted.
"""


def commands(command: click.Command, path: str) -> list[tuple[str, click.Command]]:
    """Return a command and those in it, by name."""
    inner = command.commands.items() if isinstance(command, click.Group) else ()
    return [(path, command), *(found for name, item in inner for found in commands(item, f"{path} {name}"))]


def cell(text: str) -> str:
    """Return a text as a cell of a table."""
    return ANY_SEED.sub("", " ".join(text.split())).replace("|", "\\|")


def usage(path: str, command: click.Command) -> str:
    """Return how a command is called."""
    context = click.Context(command, info_name=path)
    return " ".join([path, *command.collect_usage_pieces(context)])


def rows(command: click.Command) -> list[str]:
    """Return a row for each option."""
    found = []
    for option in command.params:
        if isinstance(option, click.Option):
            record = option.get_help_record(click.Context(command))
            if record is not None:
                found.append(f"| `{cell(record[0])}` | {cell(record[1])} |")
    return found


def paragraph(text: str) -> str:
    """Return a paragraph in one line; a long one has a line for each sentence."""
    text = " ".join(text.split())
    return re.sub(r"(?<=[.:;]) (?=[A-Z`])", "\n", text) if len(text) > LONGEST_LINE else text


def section(path: str, command: click.Command) -> str:
    """Return a command as text: how it is called, what it does, its options."""
    lines = [f"## `{path}`", "", f"    {usage(path, command)}"]
    if path != "terrors":  # whose help is the list of commands
        told = inspect.cleandoc(command.help or "").replace("\b\n", "").split("\f")[0]
        lines += ["", "\n\n".join(paragraph(part) for part in told.split("\n\n"))]
    lines += ["", "| option | meaning |", "|---|---|", *rows(command)] if rows(command) else []
    return "\n".join(lines)


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *(f"{section(path, command)}\n" for path, command in commands(main, "terrors"))])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
