"""How commands fail: one sentence on stderr that names the thing and the remedy, an exit code, no traceback.

2 = bad input, 130 = interrupted, 141 = the reader of a pipe has gone (as any other tool that is cut off by `head`).
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

CHECK_FAILED, BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
# Errors that are worded for people, by their home. Looked up only where that module has been imported: an error that was raised has come from somewhere.
WORDED = {
    "simulator.cardfile": "CardFileError",
    "simulator.cards": "UnknownCardError",
    "simulator.language": "LanguageError",
    "simulator.ruleset": "RulesError",
    "simulator.box": "PlanError",
    "simulator.table": "TableError",
    "simulator.notation": "NotationError",
    "simulator.scenario": "ScenarioError",
    "simulator.transcript": "BadAnswerError",
    "simulator.matches": "StrategyAnswerError",
    "simulator.folder": "FolderError",
    "simulator.run": "RunError",
    "simulator.job": "WorkerError",
    "analysis.reading": "AnalysisError",
    "analysis.training": "TrainingError",
    "reports.material": "ReportError",
    "strategies.registry": "StrategyError",
}
# What a terminal without Unicode shows instead; the notation reads these too (docs/SCENARIOS.md).
PLAIN = {"→": "->", "·": "|", "…": "...", "−": "-", "–": "-", "’": "'", "─": "-", "×": "x"}


def worded() -> tuple[type[BaseException], ...]:
    """The classes of errors whose text is a sentence for people."""
    return tuple(getattr(sys.modules[module], name) for module, name in WORDED.items() if module in sys.modules)


def fail(ctx: click.Context, sentence: str) -> NoReturn:
    """Leave with a sentence about bad input."""
    click.echo(sentence, err=True)
    ctx.exit(BAD_INPUT)


def _plain_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(character, "?") for character in error.object[error.start : error.end]), error.end


def make_streams_safe() -> None:
    """Let no character that a terminal does not know, and no byte that is no text, stop a command."""
    codecs.register_error("terrors", _plain_characters)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a stream that somebody has replaced
            stream.reconfigure(errors="terrors")  # type: ignore[union-attr]
    with suppress(AttributeError, ValueError):
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]


def _usage_sentence(error: click.UsageError) -> str:
    """Click's complaint and where to look, in one line."""
    path = error.ctx.command_path if error.ctx else "terrors"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{path}: {message[0].lower()}{message[1:]}; see '{path} --help'."


class WordedGroup(click.Group):
    """A group of commands that fail in words."""

    def main(  # type: ignore[override]
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
        except worded() as error:
            click.echo(_sentence(error), err=True)
        return BAD_INPUT

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command; when the reader of its output has gone, stop quietly."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            with suppress(OSError, ValueError):  # so that the interpreter's own last flush finds somewhere to go
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(PIPE_CLOSED)


def _sentence(error: BaseException) -> str:
    """The error's own words; a LookupError's text has no full stop yet."""
    text = str(error)
    return text if "\n" in text or text.endswith((".", "?")) else f"{text}."
