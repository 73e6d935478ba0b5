"""Commands, given as a person gives them, in this process."""

import sys
from typing import Any

from click.testing import CliRunner, Result

from terrors.cli.main import main
from tests.support.places import FROZEN

CARDS = str(FROZEN)
COMMAND = [sys.executable, "-c", "from terrors.cli.process import start; start()"]  # in a process of its own


def run(*arguments: str, **extra: Any) -> Result:
    return CliRunner().invoke(main, list(arguments), **extra)


def without_warnings(stderr: str) -> list[str]:
    """The lines of stderr, without what the card file is warned of: the frozen set has Horde indicators that no printed game has (H8)."""
    return [line for line in stderr.strip().splitlines() if not line.startswith("Warning: ")]


def terrors(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def worked(*arguments: object) -> str:
    """What a command that does its work prints."""
    result = terrors(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object) -> str:
    """The one sentence with which a command refuses."""
    result = terrors(*arguments)
    assert result.exit_code == 2, result.output
    assert len(result.stderr.strip().splitlines()) == 1
    assert isinstance(result.exception, SystemExit)
    return result.stderr.strip()


def sentence(result: Result, code: int = 2) -> str:
    """What a failed command says: one line, no traceback, nothing on stdout."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.endswith((".\n", "?\n"))
    return result.stderr.strip()
