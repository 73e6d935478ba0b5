"""Whether data has the shape that somebody expects of it: JSON files can be edited, cut off, or written by another version.

A shape is a list with one entry that describes all of its own; a dict, in which `name?` may be missing or null and `*` stands for any name; a frozenset of
the texts that are possible; a function that says whether a value will do; or a type, or several in a tuple.
"""

from __future__ import annotations

from typing import Any

NUMBER = (int, float)


def count(value: Any) -> bool:
    """Whether it is a whole number that counts something."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def misfit(data: Any, shape: Any, where: str = "") -> str | None:
    """Return where data first differs from a shape, as `findings.3.state`; None if it fits."""
    here = where or "its content"
    if isinstance(shape, list):
        if not isinstance(data, list):
            return here
        return next((found for i, one in enumerate(data) if (found := misfit(one, shape[0], f"{where}.{i}".lstrip(".")))), None)
    if isinstance(shape, dict):
        if not isinstance(data, dict):
            return here
        for name, inner in shape.items():
            for key in list(data) if name == "*" else [name.removesuffix("?")]:
                if data.get(key) is None and name.endswith("?"):
                    continue
                if found := misfit(data.get(key), inner, f"{where}.{key}".lstrip(".")):
                    return found
        return None
    return None if _fits(data, shape) else here


def _fits(data: Any, shape: Any) -> bool:
    """Whether a single value is what a shape says; true and false are no numbers."""
    if isinstance(shape, frozenset):
        return isinstance(data, str) and data in shape
    if not isinstance(shape, type | tuple):
        return bool(shape(data))
    return isinstance(data, shape) and (not isinstance(data, bool) or shape is bool)
