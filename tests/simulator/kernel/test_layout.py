"""The records: fields that can be read by name, compiled and interpreted."""

import numpy as np
import pytest

from terrors.simulator.kernel import layout, work_layout
from terrors.simulator.kernel.records import record

RECORDS = {name: value for module in (layout, work_layout) for name, value in vars(module).items() if isinstance(value, np.dtype) and value.names}


def fields(dtype: np.dtype) -> set[str]:
    """All names in a record, those of records within it too."""
    base = dtype.subdtype[0] if dtype.subdtype else dtype
    return {name for field in base.names or () for name in (field, *fields(base[field]))}


@pytest.mark.parametrize("name", RECORDS)
def test_no_field_is_hidden_by_an_attribute_of_numpy(name):
    """Interpreted, `work.mean` would be NumPy's function and not the number."""
    assert not [field for field in fields(RECORDS[name]) if hasattr(np.void, field)]


def test_the_check_sees_fields_within_fields():
    assert fields(np.dtype([("a", [("mean", "i4")], (2,))])) == {"a", "mean"}


def test_a_record_gives_its_own_memory_and_not_a_description_of_it():
    """Numba asks for `data` at each call: NumPy's own answer spells out every field, 8 µs for a game."""
    game = record(layout.GAME)
    memory = game.player[1].data
    memory["health"] = 7
    assert game.player[1].health == 7
    assert isinstance(memory, np.ndarray)
    assert np.shares_memory(memory, game.data)
