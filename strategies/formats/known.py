"""Which strategy files this user has let run on this machine: code that comes with somebody's run is played only if it is one of them.

A Python file is known if it ships with the toolkit, or once it has been imported here: by a command that named it, or after --trust. What has run may run
again; that is no new risk. Known is the content and not the name. The list lies beside the compiled code in the cache, which is executed as well.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from terrors.simulator.kernel import jit

PLANS = Path(__file__).parents[1]  # the folder of the strategies that ship,
SIBLINGS = PLANS / "siblings"  # and of others like them, trained with other seeds
DATA = (".toml", ".json")  # files that are read and never executed: priority lists and numbers


def _mark(data: bytes) -> Path:
    """Return the empty file that says that a source is known."""
    return jit.CACHE_ROOT / "known_strategies" / hashlib.sha256(data).hexdigest()


def _passed(data: bytes) -> Path:
    """Return the empty file that says that a source has passed its check, with this engine."""
    return jit.CACHE_ROOT / "checked_strategies" / hashlib.sha256(jit.ENGINE_HASH.encode() + data).hexdigest()


def has_passed(data: bytes) -> bool:
    """Whether a Python file with this content has kept to the contract in a process of its own (tried_out.py)."""
    return _passed(data).exists()


def note_passed(data: bytes) -> None:
    """Note that it has. Where nothing can be noted, it is checked again."""
    _touch(_passed(data))


def _touch(mark: Path) -> None:
    with suppress(OSError):
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch()


def is_known(data: bytes) -> bool:
    """Whether a Python file with this content ships with the toolkit, or has been imported on this machine."""
    return _mark(data).exists() or any(path.read_bytes() == data for path in PLANS.glob("*.py"))


def remember(data: bytes) -> None:
    """Note that a Python file with this content has been imported. Where nothing can be noted, --trust is asked for again."""
    _touch(_mark(data))
