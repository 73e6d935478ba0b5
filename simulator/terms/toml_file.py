"""Reading TOML files: what is wrong with one is said in the same words everywhere."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from terrors.simulator.terms.limited_file import read_limited


def read_toml(path: str | Path, error_class: type[Exception], what: str) -> dict[str, Any]:
    """Return the content of a TOML file, a byte order mark or not; or raise `error_class` with a sentence that names the file and calls its content `what`."""
    try:
        return tomllib.loads(read_limited(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"))
    except OSError as error:
        raise error_class(f"{path}: {what} cannot be read ({error.strerror or error}); give the path of a TOML file.") from None
    except UnicodeDecodeError as error:
        raise error_class(f"{path}: this is not a TOML file: byte {error.start + 1:,} is no UTF-8 text.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise error_class(f"{path}: this is not a TOML file: {str(error).rstrip('.')}.") from None
