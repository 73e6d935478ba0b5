"""Whether data has the shape that somebody expects of it: JSON files can be edited, cut off, or written by another version."""

from __future__ import annotations

from typing import Any

NUMBER = (int, float)
# A list has one entry that describes all of its own; `name?` may be missing or null; `*` stands for any name; a type or a tuple of types is what it says.
FINDINGS: dict[str, Any] = {
    "runs": [{"folder": str, "key": str, "games": int, "command?": str}],
    "groups": [{"group": str}],
    "stands_on": {
        "games": int, "pairs?": int, "draws?": int, "turn_limit?": int, "action_limit?": int, "strategies": {"*": str}, "rules?": dict, "changes?": dict,
        "source?": {"*": int}, "lottery?": NUMBER, "warnings?": [str],
    },
    "margins": {"*": NUMBER},
    "lamps": [{"family": str, "state": str, "sentence": str, "findings?": [str]}],
    "look_first": [str],
    "findings": [
        {
            "id": str, "family": str, "subject": {"*": str}, "state": str, "sentence": str, "size?": NUMBER, "low?": NUMBER, "high?": NUMBER, "group?": str,
            "class?": str, "word?": str, "unit?": str, "reason?": str, "pairs?": int, "p?": NUMBER, "more_games?": int, "by_group?": {"*": str},
        }
    ],
}  # fmt: skip


def misfit(data: Any, shape: Any, where: str = "") -> str | None:
    """Where data first differs from a shape, as `findings.3.state`; None if it fits."""
    if isinstance(shape, list):
        if not isinstance(data, list):
            return where
        return next((found for i, one in enumerate(data) if (found := misfit(one, shape[0], f"{where}.{i}"))), None)
    if isinstance(shape, dict):
        if not isinstance(data, dict):
            return where
        for name, inner in shape.items():
            keys = list(data) if name == "*" else [name.removesuffix("?")]
            for key in keys:
                if data.get(key) is None and name.endswith("?"):
                    continue
                if found := misfit(data.get(key), inner, f"{where}.{key}".lstrip(".")):
                    return found
        return None
    return None if isinstance(data, shape) else where
