"""The ladder as a picture: ratings with their intervals, and who wins against whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def draw(data: dict[str, Any], path: Path) -> None:
    """Draw it into a PNG file."""
    order = [rung["name"] for rung in data["rungs"]]
    ratings = np.array([rung["rating"] for rung in data["rungs"]])
    halves = np.array([rung["half_width"] for rung in data["rungs"]])
    n = len(order)
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 1.6 + 0.42 * n), width_ratios=[1, 1.25], layout="constrained")
    at = np.arange(n)[::-1]
    left.axvline(0, color="0.8", zorder=0)
    left.errorbar(ratings, at, xerr=halves, fmt="o", color="#1f4e79", ecolor="#1f4e79", capsize=3)
    left.set_yticks(at, order)
    left.set_ylim(-0.6, n - 0.4)
    left.set_xlabel(f"rating in Elo points above {data['zero']} (95 % interval)")
    left.set_title(f"{order[0]} is the strongest, {order[-1]} the weakest", loc="left")
    shares = np.array([[np.nan if a == b else 100 * data["matrix"][a][b]["share"] for b in order] for a in order])
    picture = right.imshow(shares, cmap="PuOr_r", vmin=0, vmax=100, aspect="auto")
    right.set_xticks(range(n), order, rotation=45, ha="right")
    right.set_yticks(range(n), order)
    for i in range(n):
        for j in range(n):
            if i != j:
                dark = abs(shares[i, j] - 50) > 32
                right.text(j, i, f"{shares[i, j]:.0f}", ha="center", va="center", fontsize=8, color="white" if dark else "black")
    right.set_title("Wins of 100, the row against the column", loc="left")
    figure.colorbar(picture, ax=right, shrink=0.6)
    games = sum(data["games"].values())
    figure.supxlabel(f"{games:,} games in groups with the same luck; all match-ups, both seats.", fontsize=9, color="0.4")
    figure.savefig(path, dpi=130)
    plt.close(figure)
