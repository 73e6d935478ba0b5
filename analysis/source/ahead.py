"""Two things at a time: what is to be read next is read while what is there is reckoned with. Polars and NumPy let go of Python's lock for most of both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
END = object()


def beside(task: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> Callable[[], T]:
    """Begin a task in a thread of its own, and return a function that waits for what it returns, or raises what it raised."""
    done: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            done.append(task(*arguments, **options))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)  # whoever presses Ctrl-C does not wait for it
    thread.start()

    def result() -> T:
        thread.join()
        if failed:
            raise failed[0]
        return done[0]

    return result


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the same items, the next one being made while one is looked at; no more than one, so that they take little memory.

    All are made by one thread: what one takes from memory and gives back, the next one can take. With a thread for each, that was 100 MB.
    """
    coming = iter(items)
    with ThreadPoolExecutor(1) as maker:
        waiting = maker.submit(next, coming, END)
        while (item := waiting.result()) is not END:
            waiting = maker.submit(next, coming, END)
            yield cast("T", item)
