"""The error of a card file, which every module that reads one raises."""

from terrors.simulator.terms.errors import WordedError


class CardFileError(WordedError):
    """Raised for a card set that cannot be used; `problems` has all that is wrong with it, one line each."""

    def __init__(self, problems: list[str]) -> None:
        """Take the problems in the order in which they are to be shown."""
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))
