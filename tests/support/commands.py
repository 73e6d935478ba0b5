"""Commands, given as a person gives them, in this process."""

from click.testing import CliRunner, Result

from terrors.cli.main import main


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
