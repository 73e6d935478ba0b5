"""Something that asks to stop after a while, as a user who presses Ctrl-C does."""

from collections.abc import Callable
from itertools import count


def stop_after(times: int) -> Callable[[], bool]:
    """Return a function that says no so many times, and then yes."""
    asked = count(1)
    return lambda: next(asked) > times
