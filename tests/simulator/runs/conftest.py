"""The run that others are compared with."""

import pytest

from terrors.simulator.runs.run import Run, simulate
from tests.support.whole_run import PLAN, content


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Run:
    """The plan played by one worker without interruption. To be read only: whoever changes something works on a copy."""
    return simulate(PLAN, tmp_path_factory.mktemp("whole") / "run", jobs=1, chunk=400)


@pytest.fixture(scope="session")
def expected(whole) -> dict[str, str]:
    """What its tables hold."""
    return content(whole)
