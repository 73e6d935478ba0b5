"""The process of a command: some seconds of work, with much loaded that nobody throws away."""

from __future__ import annotations

import atexit
import gc
import os

# For NumPy, which is not loaded yet; processes that are started from here have it from us. Our matrices are small, so that threads would wait for each other;
# and room for what a strategy or a log may hold is large and mostly empty, so that pages of two megabytes would be cleared for a few numbers in each.
FOR_NUMPY = {"OPENBLAS_NUM_THREADS": "1", "NUMPY_MADVISE_HUGEPAGE": "0"}
NEW_OBJECTS = 50_000  # before Python looks for garbage: what is imported is half a million of them, and none is


def start() -> None:
    """Run the command that this process is for. What the user has set for NumPy stays."""
    for name, value in FOR_NUMPY.items():
        os.environ.setdefault(name, value)
    gc.set_threshold(NEW_OBJECTS, 20, 50)
    atexit.register(gc.freeze)  # whoever leaves need not look for garbage: that took half a second at the end of `balance`
    from terrors.cli.main import main

    main(prog_name="terrors")
