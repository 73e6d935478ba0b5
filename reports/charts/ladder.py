"""The ladder as a picture: ratings with their intervals, and who wins against whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

BLUE_ORANGE = LinearSegmentedColormap.from_list("blue-orange", ["#1f4e79", "#6ea6cd", "#f7f7f7", "#f0a058", "#b35806"])  # told apart without red and green


def finding(data: dict[str, Any]) -> str:
    """Return what the picture shows in words: who leads, as far as these games can tell."""
    leaders = [data["rungs"][0]["name"]]
    for step in data["steps"]:
        if step["clear"]:
            break
        leaders.append(step["lower"])
    return f"{leaders[0]} leads" if len(leaders) == 1 else f"{', '.join(leaders[:-1])} and {leaders[-1]} lead, too close to call"


def draw(data: dict[str, Any], path: Path) -> None:
    """Draw the ladder into a PNG file."""
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
    left.set_title(finding(data), loc="left")
    shares = np.array([[np.nan if a == b else 100 * data["matrix"][a][b]["share"] for b in order] for a in order])
    picture = right.imshow(shares, cmap=BLUE_ORANGE, vmin=0, vmax=100, aspect="auto")
    right.set_xticks(range(n), order, rotation=45, ha="right")
    right.set_yticks(range(n), order)
    for i in range(n):
        for j in range(n):
            if i != j:
                dark = abs(shares[i, j] - 50) > 32
                right.text(j, i, f"{shares[i, j]:.0f}", ha="center", va="center", fontsize=8, color="white" if dark else "black")
    right.set_title("Wins of 100, the row against the column", loc="left")
    figure.colorbar(picture, ax=right, shrink=0.6, label="wins of 100")
    games = sum(data["games"].values())
    figure.supxlabel(f"{games:,} games in groups with the same luck; all match-ups, both seats.", fontsize=9, color="0.4")
    figure.savefig(path, dpi=130)
    plt.close(figure)
