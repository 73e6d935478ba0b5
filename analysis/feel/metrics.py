"""How games feel: a registry of metrics. Each is a ratio of sums over games (or a sum of such ratios), so that `clusters.ratio` gives its interval.

docs/ANALYSIS.md ("Feel") defines each in words; the tests work each out by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from terrors.analysis.feel.sample_games import SampleGames
from terrors.analysis.stats.ratios import Term

LEADS_FROM = 0.6  # chance from which somebody is in the lead; between 0.4 and 0.6 nobody takes it from anybody
DOWN = 0.2  # a winner who was down to this has come back
SAFE = 0.8  # a winner who never falls below it any more is past the point of no return
NEAR = 4  # turns, two of each player: how far ahead a snowball is looked for
EARLY = 0.05  # of the games may be over when it is
OPENING = 4  # turns of the opening, two of each player

KEYWORDS = {
    "curses": "CURSEs that the rival had to answer.",
    "destroyed": "Cards hit by DESTROY.",
    "sacrificed": "Cards removed by SACRIFICE.",
    "haunts": "HAUNT Actions.",
    "hordes": "Hordes formed.",
    "horde_activations": "Horde abilities activated.",
    "relics_used": "Relics activated.",
    "overlord_used": "Uses of the overlord's ability.",
}


@dataclass(frozen=True)
class Metric:
    """One metric. `needs`: games, turns, street or chances, whatever it cannot do without."""

    name: str
    needs: str
    unit: str
    meaning: str
    terms: Callable[[SampleGames], list[Term]] | None = None
    share: bool = False  # from 0 to 1, shown of 100
    scale: float = 1.0
    quantile: float | None = None  # of the games' length, instead of terms


def _ones(played: SampleGames) -> np.ndarray:
    return np.ones(len(played))


def _mean_length(played: SampleGames) -> list[Term]:
    return [Term(played.length, _ones(played))]


# What the chances say: only of judged games


def _told(played: SampleGames) -> np.ndarray:
    """Return by game whether its chances are known."""
    assert played.chance is not None
    return played.sums(~np.isnan(played.chance)) == played.length


def _winners(played: SampleGames) -> np.ndarray:
    """Return the later winner's chance after each row."""
    assert played.chance is not None
    return np.where(played.result[played.game] == 1, played.chance, 1 - played.chance)


def lead_changes(played: SampleGames) -> np.ndarray:
    """Return by game how often the lead went from one player to the other. Who wins has the lead at the end."""
    assert played.chance is not None
    leads = np.flatnonzero((played.chance >= LEADS_FROM) | (played.chance <= 1 - LEADS_FROM))
    first, game = played.chance[leads] >= 0.5, played.game[leads]
    changed = (game[1:] == game[:-1]) & (first[1:] != first[:-1])
    return np.bincount(game[1:][changed], minlength=len(played))


def comebacks(played: SampleGames) -> np.ndarray:
    """Return by game whether the winner was down to 20 % after some turn."""
    decided = played.result[played.game] != 0.5
    return played.sums((_winners(played) <= DOWN) & ~played.over & decided) > 0


def no_return(played: SampleGames) -> np.ndarray:
    """Return by game the last turn after which the winner's chance was below 80 %, as a share of the game's turns; 0 if it never was."""
    below = np.flatnonzero((_winners(played) < SAFE) & ~played.over)
    last = np.zeros(len(played))
    last[played.game[below]] = played.turn[below]  # rows are in order: the last one stays
    return last / played.length


def _of_told(measure: Callable[[SampleGames], np.ndarray], decided: bool = False) -> Callable[[SampleGames], list[Term]]:
    def terms(played: SampleGames) -> list[Term]:
        counted = _told(played) & ((played.result != 0.5) | (not decided))
        return [Term(np.where(counted, measure(played), 0.0), counted.astype(float))]

    return terms


# Snowball


def snowball_turn(played: SampleGames, group: int) -> int:
    """Return the turn from which the growth of leads is taken: even, so that both had as many turns, and so early that few games end within the next four."""
    lengths = np.sort(played.length[played.group == group])
    return max(NEAR, (int(lengths[int(EARLY * len(lengths))]) - NEAR) // 2 * 2)


def _around(played: SampleGames) -> tuple[np.ndarray, np.ndarray]:
    """Return by row the turns since the snowball turn of its group, and by game whether it lasted so long."""
    turns = np.array([snowball_turn(played, g) for g in range(len(played.groups))])[played.group]
    return played.turn - turns[played.game], played.length >= turns


def centred(played: SampleGames, values: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return values by game minus the mean of their match-up (`Played.matchup`); 0 for games that do not count."""
    number = np.unique(played.matchup, return_inverse=True)[1]
    count = np.bincount(number, games)
    mean = np.bincount(number, np.where(games, values, 0)) / np.maximum(count, 1)
    return np.where(games, values - mean[number], 0.0)


def _slope(played: SampleGames, lead: np.ndarray, growth: np.ndarray, games: np.ndarray) -> list[Term]:
    """Return the slope of a line through leads and growths; both without what is usual for the match-up."""
    x, y = centred(played, lead, games), centred(played, growth, games)
    return [Term(x * y, x * x)]


def health_snowball(played: SampleGames) -> list[Term]:
    """Return how many Health a lead of one grows by in the next four turns."""
    since, games = _around(played)
    lead = played.sums(np.where(since == 0, played.health_lead, 0))
    at_end = (since == NEAR) | (played.over & (since >= 0) & (since < NEAR))
    return _slope(played, lead, played.sums(np.where(at_end, played.health_lead, 0)) - lead, games)


def made(played: SampleGames) -> np.ndarray:
    """Return by row the Coin and Power that the first player made, minus the second's."""
    both = played.column("coin") + played.column("power")
    return np.where(played.first, both, -both)


def income_snowball(played: SampleGames) -> list[Term]:
    """Return how many Coin and Power of lead in four turns come after one of lead in the four turns before."""
    since, games = _around(played)
    before, after = (since > -NEAR) & (since <= 0), (since > 0) & (since <= NEAR)
    return _slope(played, played.sums(np.where(before, made(played), 0)), played.sums(np.where(after, made(played), 0)), games)


# Openings


def opening(played: SampleGames) -> np.ndarray:
    """Return by game the Coin and Power of each of the first four turns; 0 for a turn that was not played."""
    out = np.zeros((len(played), 2 * OPENING))
    for turn in range(1, OPENING + 1):
        rows = np.flatnonzero(played.turn == turn)
        out[played.game[rows], 2 * turn - 2] = played.column("coin")[rows]
        out[played.game[rows], 2 * turn - 1] = played.column("power")[rows]
    return out


def opening_scores(played: SampleGames) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return by game what the opening adds to the first player's expected result; the result minus what is usual in the match-up; the third, 0 the least lucky.

    Both, and where the thirds end, are learnt from the fitting half: least squares within match-ups, a line a group.
    """
    x, fits = opening(played), ~played.judged
    number = np.unique(played.matchup, return_inverse=True)[1]
    score, rest, third = np.zeros(len(played)), np.zeros(len(played)), np.zeros(len(played), np.int64)
    count = np.bincount(number, fits)
    usual = (np.bincount(number, np.where(fits, played.result, 0)) + 0.5) / (count + 1)
    mean = np.column_stack([np.bincount(number, np.where(fits, column, 0)) for column in x.T]) / np.maximum(count, 1)[:, None]
    x = np.where((count > 0)[number][:, None], x - mean[number], 0.0)
    rest = played.result - usual[number]
    for g in range(len(played.groups)):
        mine = played.group == g
        a, b = x[mine & fits], rest[mine & fits]
        weights = np.linalg.solve(a.T @ a + np.eye(a.shape[1]), a.T @ b)
        score[mine] = x[mine] @ weights
        ends = np.quantile(score[mine & fits], [1 / 3, 2 / 3]) if len(a) else np.zeros(2)
        third[mine] = np.searchsorted(ends, score[mine], "right")
    return score, rest, third


def opening_luck(played: SampleGames) -> list[Term]:
    """Return the share of the variance of results that the opening explains, out of sample."""
    score, rest, _ = opening_scores(played)
    explained = rest**2 - (rest - score) ** 2
    return [Term(explained * played.judged, rest**2 * played.judged)]


def lucky_third(played: SampleGames) -> list[Term]:
    """Return the win rate of the luckier third of openings minus that of the unluckier one."""
    _, _, third = opening_scores(played)
    terms = []
    for which, sign in ((2, 1.0), (0, -1.0)):
        games = (third == which) & played.judged
        terms.append(Term(np.where(games, played.result, 0), games.astype(float), sign))
    return terms


# Turns and the Street


def dead_turns(played: SampleGames) -> list[Term]:
    """Return the share of turns in which nothing was bought, no damage dealt and nothing healed."""
    dead = (played.column("bought") == 0) & (played.column("damage") == 0) & (played.column("healed") == 0)
    return [Term(played.sums(dead), played.length)]


def _street(played: SampleGames, name: str) -> np.ndarray:
    assert played.street is not None
    return played.street[name].to_numpy().astype(float)


def street_untouched(played: SampleGames) -> list[Term]:
    """Return the share of turns in which nobody got anything of the Street."""
    return [Term(played.length - _street(played, "busy"), played.length)]


def street_wait(played: SampleGames) -> list[Term]:
    """Return the turns that a card lies in the Street for each that is got from there."""
    return [Term(played.street_size * played.length, _street(played, "taken"))]


# How good the chances are


def _scored(said: str, log_loss: bool) -> Callable[[SampleGames], list[Term]]:
    def terms(played: SampleGames) -> list[Term]:
        assert played.chance is not None
        rows = np.flatnonzero(~np.isnan(played.chance) & ~played.over)
        game = played.game[rows]
        p, y = np.clip(getattr(played, said)[rows].astype(float), 1e-6, 1 - 1e-6), played.result[game]
        loss = -(y * np.log(p) + (1 - y) * np.log1p(-p)) if log_loss else (p - y) ** 2
        return [Term(np.bincount(game, loss, len(played)), np.bincount(game, minlength=len(played)))]

    return terms


def _scores() -> list[Metric]:
    """Return the metrics of how wrong the model is, and how wrong two simpler minds are."""
    who = {"chance": "the model", "health_only": "somebody who looks at nothing but both players' Health", "constant": "somebody who looks at nothing"}
    out = []
    for name, title, coin, log_loss in (("brier", "Brier score", "0.25", False), ("log_loss", "log-loss", "0.69", True)):
        for said, words in who.items():
            meaning = f"How wrong {words} is about who will win, after each turn ({title})."
            unit = f"0 = always right, {coin} = a coin"
            out.append(Metric(name if said == "chance" else f"{name}_{said}", "chances", unit, meaning, _scored(said, log_loss)))
    return out


TURNS, GAMES_100, TURNS_100 = "turns", "of 100 games", "of 100 turns"

METRICS: tuple[Metric, ...] = (
    Metric("length", "games", TURNS, "Turns of a game, both players' counted, on average.", _mean_length),
    Metric("length_short", "games", TURNS, "One game of twenty is over after so many turns, or sooner.", quantile=0.05),
    Metric("length_median", "games", TURNS, "Half of the games are over after so many turns.", quantile=0.5),
    Metric("length_long", "games", TURNS, "One game of twenty takes longer than so many turns.", quantile=0.95),
    Metric(
        "lead_changes", "chances", "a game",
        "How often the lead goes from one player to the other; a lead is a chance to win of 60 % or more.",
        _of_told(lead_changes),
    ),
    Metric(
        "comebacks", "chances", GAMES_100,
        "Games won by a player who was down to a chance of 20 % or less; by arithmetic there cannot be more than 25.",
        _of_told(comebacks), share=True, scale=100,
    ),
    Metric(
        "no_return", "chances", "of 100 parts of a game",
        "When the winner's chance was last below 80 %: what comes after is played out rather than fought out.",
        _of_told(no_return, decided=True), scale=100,
    ),
    Metric(
        "snowball_health", "turns", "Health for each of the lead",
        "By how much a lead in Health grows within two more turns of each player; 0: leads stay as they are, below 0: they shrink.",
        health_snowball,
    ),
    Metric(
        "snowball_income", "turns", "Coin and Power for each of the lead",
        "How much of a lead in Coin and Power comes again in the next two turns of each player; 1: all of it, above 1: it grows.",
        income_snowball,
    ),
    Metric("dead_turns", "turns", TURNS_100, "Turns in which a player bought nothing, dealt no damage and healed nothing.", dead_turns, share=True, scale=100),
    Metric(
        "opening_luck", "turns", "of 100 parts of the variance",
        "How much of who wins is known from the Coin and Power of both players' first two turns.",
        opening_luck, scale=100,
    ),
    Metric(
        "lucky_third", "turns", "points of win rate",
        "Games that the first player wins more of 100 with the luckier third of openings than with the unluckier third.",
        lucky_third, scale=100,
    ),
    Metric("street_untouched", "street", TURNS_100, "Turns in which nobody got a card from the Street.", street_untouched, share=True, scale=100),
    Metric("street_wait", "street", "turns", "Turns, both players' counted, that a card lies in the Street for each that is got from there.", street_wait),
    *_scores(),
)  # fmt: skip
