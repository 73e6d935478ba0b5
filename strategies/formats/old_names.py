"""What a strategy file from before the rooms moved below `terrors` has to say now: the sentence that refuses it says so, line by line.

In a checkout the bare names can still be imported, from the current folder. That would be a second copy of the registry and of the rules, which knows nothing
of the first: so they are refused there too. A module of the user's own that happens to have such a name is theirs, and is left alone.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from terrors.simulator.terms.text import listed
from terrors.strategies.formats.known import PLANS

ROOMS = ("simulator", "strategies", "analysis", "reports")
PUBLIC = ("strategy", "find", "Strategy")  # what `terrors` itself has of what authors need
RENAMED = {  # modules that strategies are written with and that have other names now; the others are found by theirs
    "simulator.ask": "terrors.simulator.rules.options",
    "simulator.engine": "terrors.simulator.engine.agenda",
    "simulator.rules": "terrors.simulator.rules.resources",
    "strategies.answers": "terrors.strategies.kit.decisions",
    "strategies.common": "terrors.strategies.kit.simple",
    "strategies.opinions": "terrors.strategies.kit.taste",
    "strategies.prospects": "terrors.strategies.kit.valuation",
    "strategies.turns": "terrors.strategies.kit.turn",
}


def complaint(source: bytes) -> str:
    """Return the sentence, without the file's name, about the old names that a strategy's source imports; empty if there are none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ""  # whoever imports the file says what is wrong with it
    found = [(line, room, now) for line, room, now in _old_imports(tree) if not _is_users_own(room)]
    if not found:
        return ""
    rooms = list(dict.fromkeys(f"'{room}'" for _, room, _ in found))
    lines = "; ".join(f"in line {line} '{now}'" for line, _, now in found)
    return f"{listed(rooms)} {'is' if len(rooms) == 1 else 'are'} now found below terrors: write {lines} (docs/STRATEGIES.md)."


def _old_imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, room and what to write now of each import that begins with the name of a room."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in ROOMS:
                    yield node.lineno, alias.name.partition(".")[0], _written(f"import {_now(alias.name)}", alias)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level and node.module.partition(".")[0] in ROOMS:
            homes: dict[str, list[str]] = {}
            for alias in node.names:
                homes.setdefault(_home(node.module, alias.name), []).append(_written(alias.name, alias))
            for home, names in homes.items():
                yield node.lineno, node.module.partition(".")[0], f"from {home} import {', '.join(names)}"


def _written(text: str, alias: ast.alias) -> str:
    """Return what is imported, with the name that the file gives to it."""
    return f"{text} as {alias.asname}" if alias.asname else text


def _home(module: str, name: str) -> str:
    """Return the module from which to import a name that the file imports from an old one."""
    if "." in module:
        return _now(module)
    if name in PUBLIC:
        return "terrors"
    return _now(f"{module}.{name}").rpartition(".")[0] or f"terrors.{module}"


def _now(module: str) -> str:
    """Return the present name of an old module: the renamed one, or the only one of that name in its room."""
    if module in RENAMED:
        return RENAMED[module]
    room, _, rest = module.partition(".")
    here = PLANS.parent / room
    homes = [path.relative_to(PLANS.parent).with_suffix("") for path in here.rglob(f"{rest.rpartition('.')[2]}.py")] if rest else []
    return ".".join(["terrors", *homes[0].parts]) if len(homes) == 1 else f"terrors.{module}"


def _is_users_own(room: str) -> bool:
    """Whether a bare name means a module of the user's, and neither nothing nor a room of a checkout."""
    try:
        spec = importlib.util.find_spec(room)
    except (ImportError, ValueError):
        return False
    if spec is None:
        return False
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    return not any((folder.parent / "terrors" / "__init__.py").is_file() for folder in folders)
