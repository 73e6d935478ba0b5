"""Writes simulator/kernel/record_types.py from layout.py and work_layout.py: `python docs/make_record_types.py`. A test fails when it is out of date."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType

import numpy as np

from terrors.simulator.kernel import layout, work_layout

FILE = Path(__file__).parents[1] / "simulator" / "kernel" / "record_types.py"
HEAD = '''"""The records of layout.py and work_layout.py as types, for editors and type checks. Made by `python docs/make_record_types.py`; not to be edited."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

import numpy as np

U64 = np.uint64  # luck, and words of bits
Item = TypeVar("Item")


class Array(Generic[Item]):
    """An array within a record. What is written into it is converted to what it holds."""

    shape: tuple[int, ...]

    def __getitem__(self, at: Any) -> Item:
        raise NotImplementedError

    def __setitem__(self, at: Any, value: Any) -> None:
        raise NotImplementedError


class Plane(Generic[Item]):
    """An array of two dimensions within a record."""

    @overload
    def __getitem__(self, at: int) -> Array[Item]: ...

    @overload
    def __getitem__(self, at: tuple[int, int]) -> Item: ...

    def __getitem__(self, at: Any) -> Any:
        raise NotImplementedError

    def __setitem__(self, at: Any, value: Any) -> None:
        raise NotImplementedError
'''
# Where the name of a layout is not that of its type: OPINION is an OpinionRecord.
NAMES = {"OPTIONS_RECORD": "OptionsRecord", "COLUMNS_OF_TURNS": "TurnColumns", "COLUMNS_OF_PURCHASES": "PurchaseColumns"}
NAMES |= {"COLUMNS_OF_DECISIONS": "DecisionColumns"}
COMMENT = re.compile(r'^\s*\("(\w+)", .*\), +# (.*)$', re.MULTILINE)  # behind a field


class Layouts:
    """All record layouts by name, in an order in which each stands behind those that it is made of."""

    def __init__(self, *modules: ModuleType) -> None:
        """Find the layouts."""
        self.types: dict[np.dtype, str] = {}
        self.homes: dict[str, str] = {}
        self.comments: dict[str, dict[str, str]] = {}
        for module in modules:
            source = inspect.getsource(module)
            for name, found in vars(module).items():
                if isinstance(found, np.dtype) and found.names and found not in self.types:
                    self.types[found] = called = NAMES.get(name) or "".join(part.capitalize() for part in name.split("_")) + "Record"
                    own = source.partition(f"\n{name} = np.dtype(")[2].partition("\n)")[0]
                    self.homes[called] = f"{module.__name__.rpartition('.')[2]}.{name}"
                    self.comments[called] = dict(COMMENT.findall(own))

    def type_of(self, field: np.dtype) -> str:
        """Return the type of a field, as an annotation."""
        if field.subdtype is not None:
            base, shape = field.subdtype
            return f"{'Array' if len(shape) == 1 else 'Plane'}[{self.type_of(base)}]"
        if field.names:
            return "PileRecord" if field.names == layout.pile(1).names else self.types[field]
        return "float" if field.kind == "f" else "U64" if field.str.endswith("u8") else "int"

    def text(self, name: str, found: np.dtype, what: str) -> str:
        """Return a record as a class."""
        comments = self.comments.get(name, {})
        lines = [f"    {field}: {self.type_of(found[field])}" + (f"  # {comments[field]}" if field in comments else "") for field in found.names or ()]
        return "\n".join([f"class {name}:", f'    """{what}"""', "", *lines])


def text() -> str:
    """Return the text of the file."""
    layouts = Layouts(layout, work_layout)
    parts = [HEAD, "\n" + layouts.text("PileRecord", layout.pile(1), "The record of layout.pile.")]
    parts += ["\n" + layouts.text(name, found, f"The record of {layouts.homes[name]}.") for found, name in layouts.types.items()]
    return "\n".join(f"{part}\n" for part in parts).replace("\n\n\n\n", "\n\n\n")


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
