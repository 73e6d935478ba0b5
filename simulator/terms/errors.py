"""`WordedError`: the one base of all errors that are worded for people. Each stands in the module that raises it, unless several rooms of the house do."""


class WordedError(ValueError):
    """An error whose text is one sentence for people: it names the thing and the remedy. The command line prints it as it is, without a traceback."""


class CardFileError(WordedError):
    """Raised for a card set that cannot be used; `problems` has all that is wrong with it, one line each."""

    def __init__(self, problems: list[str]) -> None:
        """Take the problems in the order in which they are to be shown."""
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class PlanError(WordedError):
    """Raised for something asked for that this card set cannot give, in one sentence."""


class RunError(WordedError):
    """Raised for a run that cannot be made, opened or trusted, in one sentence."""


class AnalysisError(WordedError):
    """Raised for a question that these runs cannot answer, in one sentence."""


class ReportError(WordedError):
    """Raised for a page that cannot be made, in one sentence."""
