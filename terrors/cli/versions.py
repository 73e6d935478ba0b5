"""Which versions of everything this is: for `terrors --version`, and for whoever has to repeat a run."""

from __future__ import annotations

import platform
from importlib import metadata

SHORT = 12  # letters of a hash that are enough to tell two versions apart
LIBRARIES = ("numba", "numpy", "polars", "matplotlib", "jinja2")


def installed(name: str) -> str | None:
    """Return the version of an installed package; None if it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def version_words() -> str:
    """Return all versions as text. What cannot be told is said too: this is what one asks of an installation that does not work."""
    libraries = ", ".join(f"{name} {installed(name) or 'missing'}" for name in LIBRARIES)
    return "\n".join(
        (
            f"terrors {installed('terrors') or '(not installed)'}",
            f"engine  {engine_words()}",
            f"cards   {cards_words()}",
            f"python  {platform.python_version()}; {libraries}",
        )
    )


def engine_words() -> str:
    """Return the rules as a short hash of their sources: the same wherever the same games are played."""
    try:
        from terrors.simulator.kernel.jit import SOURCE_HASH
    except ImportError as error:
        return f"cannot be loaded: {error}; see terrors doctor"
    return SOURCE_HASH[:SHORT]


def cards_words() -> str:
    """Return the reference set as a short SHA-256, as reports and run.json have it in full."""
    from terrors.simulator.cards.card_set import load_cards
    from terrors.simulator.terms.errors import CardFileError

    try:
        cards = load_cards()
    except (CardFileError, OSError) as error:
        return f"cannot be read: {str(error).splitlines()[0]}"
    return f"{cards.sha256[:SHORT]}, the reference set"
