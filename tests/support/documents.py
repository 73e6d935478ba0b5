"""What stands in the pages."""

import re
from pathlib import Path


def blocks(path: Path, sort: str = "python") -> list[str]:
    """The blocks of code of one sort in a page."""
    return re.findall(rf"```{sort}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
