"""Records that Python reads and writes as attributes: `game.player[0].health`.

NumPy has such records (`np.record`), but looks up every attribute in Python code, three times as slowly and, with records within records, six times.
Here a field of a record is found by NumPy itself, which returns records within records as this class, since their types say so.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np


class Record(np.void):  # type: ignore[misc]
    """One record. Compiled code takes it as what it is, a piece of memory with a layout."""

    __slots__ = ()

    # Numba asks for the memory by this name. NumPy would answer with all fields spelled out, which takes longer than most of what is then called.
    data = property(np.asarray)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except (KeyError, ValueError):
            raise AttributeError(f"a record has no field {name!r}; it has {', '.join(self.dtype.names or ())}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except KeyError:
            raise AttributeError(f"a record has no field {name!r}; it has {', '.join(self.dtype.names or ())}") from None


@functools.cache
def with_attributes(dtype: np.dtype) -> np.dtype:
    """Return the same layout with each element a Record, and each record within it."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((with_attributes(base), shape))
    if dtype.names is None:
        return dtype
    fields = {
        "names": list(dtype.names),
        "formats": [with_attributes(dtype[name]) for name in dtype.names],
        "offsets": [dtype.fields[name][1] for name in dtype.names],  # type: ignore[index]
        "itemsize": dtype.itemsize,
    }
    return np.dtype((Record, np.dtype(fields, align=dtype.isalignedstruct)))  # type: ignore[call-overload]


def record(dtype: np.dtype) -> Any:
    """Return one zeroed record of that type."""
    return np.zeros(1, with_attributes(dtype))[0]


def records(array: np.ndarray) -> np.ndarray:
    """Return the same memory with each element a Record."""
    return array.view(with_attributes(array.dtype))
