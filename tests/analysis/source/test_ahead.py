"""What is read ahead is the same, in order, and what goes wrong there is heard here."""

import threading

import pytest

from terrors.analysis.source.ahead import ahead, beside


def test_items_come_in_their_order_and_no_more_than_one_is_made_ahead():
    made = []

    def numbers():
        for n in range(5):
            made.append(n)
            yield n

    coming = ahead(numbers())
    assert next(coming) == 0
    assert list(coming) == [1, 2, 3, 4]
    assert made == [0, 1, 2, 3, 4]
    made.clear()
    few = ahead(numbers())
    next(few)
    few.close()
    assert made in ([0], [0, 1])


def test_what_goes_wrong_is_raised_where_it_is_waited_for():
    def broken():
        yield 1
        raise ValueError("torn")

    coming = ahead(broken())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="torn"):
        next(coming)
    with pytest.raises(ZeroDivisionError):
        beside(lambda: 1 // 0)()


def test_a_task_goes_on_while_something_else_is_done():
    go = threading.Event()
    result = beside(lambda: go.wait(20))
    go.set()
    assert result()
