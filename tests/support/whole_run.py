"""A plan that many tests play, each in another way; its rows must always be the same."""

import hashlib

import polars as pl

from terrors.simulator.runs.parquet_tables import SORTED_BY
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run
from tests.support.places import FROZEN

PLAN = Plan(games=2_400, cards=str(FROZEN), strategies=("greedy", "random"), deny_lottery=0.1, decisions=12)
TABLES = ("games", "turns", "purchases", "decisions", "cards")


def content(run: Run) -> dict[str, str]:
    """The rows of every table, as hashes."""
    found = {}
    for table in TABLES:
        frame = getattr(run, table).collect()
        frame = frame.sort(SORTED_BY.get(table, frame.columns[:6]), maintain_order=True)
        found[table] = hashlib.sha256(frame.write_ipc(None, compat_level=pl.CompatLevel.oldest()).getvalue()).hexdigest()
    return found
