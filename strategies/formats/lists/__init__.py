"""Priority lists: strategies written as a TOML file instead of Python (docs/STRATEGIES.md).

    reading.py ─▶ filling.py ─▶ playing.py
    the file      its rows in    one compiled strategy that
    as data       a work area    plays by whatever rows it finds

conditions.py is the little language behind `when`. Nothing is compiled for a file: all lists are played by the same compiled function.
"""

from terrors.strategies.formats.lists.strategy import ListStrategy

__all__ = ["ListStrategy"]
