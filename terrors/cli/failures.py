"""How commands fail: one sentence on stderr that names the thing and the remedy, an exit code, no traceback.

2 = bad input, 130 = interrupted, 141 = the reader of a pipe has gone (as any other tool that is cut off by `head`).
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from terrors.cli.progress import clear_line
from terrors.cli.project import tell_cards
from terrors.simulator.terms.errors import WordedError

CHECK_FAILED, BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
# What a terminal without Unicode shows instead; the notation reads these too (docs/SCENARIOS.md).
PLAIN = {"→": "->", "·": "|", "…": "...", "−": "-", "–": "-", "’": "'", "─": "-", "×": "x"}


def fail(ctx: click.Context, sentence: str) -> NoReturn:
    """Leave with a sentence about bad input."""
    click.echo(sentence, err=True)
    ctx.exit(BAD_INPUT)


def _plain_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(character, "?") for character in error.object[error.start : error.end]), error.end


# What a terminal obeys instead of showing it: control characters, and what turns text round. Line ends and tabs aside, and bold and colours as our own words
# have them (terrors/table/colours.py).
OBEYED = re.compile(r"(\x1b\[(?:[01]|0;3[1-6])m)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class ShownText:
    """A stream of text in which nothing is a command to the terminal: names come from files that others may have written."""

    def __init__(self, stream: Any) -> None:
        """Take the stream; all but writing is its own."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; in the place of what a terminal would obey stands a question mark. A line of progress makes room for it."""
        if text and "\r" not in text:  # which only progress has
            clear_line()
        self._stream.write(OBEYED.sub(lambda found: found[1] or "?", text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        """Return what the stream itself has; not its bytes, which would get past `write`."""
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self._stream, name)


def make_streams_safe() -> None:
    """Let no character that a terminal does not know, and no byte that is no text, stop a command; and none of them command the terminal."""
    codecs.register_error("terrors", _plain_characters)
    with suppress(AttributeError, ValueError):
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a stream that somebody has replaced
            stream.reconfigure(errors="terrors")  # type: ignore[union-attr]
    if "_TERRORS_COMPLETE" in os.environ:  # the shell asks which commands there are: bytes, and no names from files
        return
    sys.stdout, sys.stderr = (stream if isinstance(stream, ShownText) else ShownText(stream) for stream in (sys.stdout, sys.stderr))


def _usage_sentence(error: click.UsageError) -> str:
    """Return Click's complaint and where to look, in one line."""
    path = error.ctx.command_path if error.ctx else "terrors"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{path}: {message[0].lower()}{message[1:]}; see '{path} --help'."


class WordedGroup(click.Group):
    """A group of commands that fail in words."""

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, complete_var: str | None = None, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run a command and exit with its code."""
        make_streams_safe()
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        sys.exit(self._code(args, prog_name, complete_var, **extra))

    def _code(self, args: Sequence[str] | None, prog_name: str | None, complete_var: str | None, **extra: Any) -> int:
        try:
            result = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            return result if isinstance(result, int) else 0
        except click.UsageError as error:
            click.echo(_usage_sentence(error), err=True)
        except click.ClickException as error:
            click.echo(error.format_message(), err=True)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            return INTERRUPTED
        except WordedError as error:
            click.echo(_sentence(error), err=True)
        except OSError as error:  # a disk that is full, a place that nobody may use: no fault of ours, and nothing that a traceback would explain
            if error.filename is None:
                _let_go_of_output()
            where = error.filename if error.filename is not None else "the output"
            click.echo(f"{where}: {error.strerror or error}; mend that, and give the command again.", err=True)
        return BAD_INPUT

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command; when the reader of its output has gone, stop quietly."""
        try:
            result = super().invoke(ctx)
            tell_cards()
            sys.stdout.flush()
            return result
        except click.exceptions.Exit:  # a check that failed has done its work too
            tell_cards()
            raise
        except BrokenPipeError:
            _let_go_of_output()
            ctx.exit(PIPE_CLOSED)


def _let_go_of_output() -> None:
    """Let the interpreter's own last flush find somewhere to go."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: BaseException) -> str:
    """Return the error's own words; a LookupError's text has no full stop yet."""
    text = str(error)
    return text if "\n" in text or text.endswith((".", "?")) else f"{text}."
