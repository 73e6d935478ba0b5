"""Playing one game through the engine and through the naive implementation, side by side."""

from __future__ import annotations

import random
from typing import Any

from simulator.box import Box
from simulator.enums import DRAW, Slot, Status
from simulator.game import Game
from simulator.view import slots_in_play, token_of
from tests.naive import NaiveGame

UNLIMITED_FROM = 1 << 20


def engine_state(game: Game) -> dict[str, Any]:
    """The engine's state in the words of NaiveGame.state()."""
    r, box = game.record, game.box

    def names(pile: Any, top_first: bool = False) -> list[str]:
        cards = [box.instance_name(c) for c in pile.card[: pile.n]]
        return cards[::-1] if top_first else cards

    winner = None if r.status == Status.PLAYING else "draw" if r.winner == DRAW else int(r.winner)
    return {
        "turn": int(r.turn),
        "active": int(r.active),
        "asked": int(r.asked),
        "over": r.status != Status.PLAYING,
        "winner": winner,
        "limit": bool(r.limits),
        "street": [box.instance_name(c) for c in r.street[: r.street_n]],
        "market": names(r.market, True),
        "acolytes": names(r.acolytes, True),
        "reserve": tuple(-1 if n > UNLIMITED_FROM else int(n) for n in (r.haunt_tokens, r.muster_tokens)),
        "removed": sorted(names(r.removed)),
        "players": [_player(box, r.player[seat], names) for seat in range(2)],
    }


def _player(box: Box, p: Any, names: Any) -> dict[str, Any]:
    def at(slot: int) -> str:
        return box.instance_name(p.play[slot].card) if slot >= 0 else ""

    return {
        "health": int(p.health),
        "coin": int(p.coin),
        "power": int(p.power),
        "regeneration": int(p.regeneration),
        "armor": int(p.armor),
        "tokens": int(p.tokens),
        "overlord": box.names[p.overlord],
        "overlord_used": bool(p.overlord_used),
        "hand": names(p.hand),
        "deck": names(p.deck, True),
        "discard": names(p.discard),
        "removed": names(p.removed),
        "play": [
            (at(s), token_of(p.play[s].marks), at(p.play[s].left), at(p.play[s].right), bool(p.play[s].marks & Slot.IN_HORDE)) for s in slots_in_play(p)
        ],
    }


def differences(engine: Any, naive: Any, path: str = "") -> list[str]:
    """Where two states differ, in words."""
    if isinstance(engine, dict):
        return [d for key in engine.keys() | naive.keys() for d in differences(engine.get(key), naive.get(key), f"{path}.{key}")]
    if isinstance(engine, list) and isinstance(naive, list) and engine and isinstance(engine[0], dict):
        return [d for i, (a, b) in enumerate(zip(engine, naive, strict=True)) for d in differences(a, b, f"{path}[{i}]")]
    return [] if engine == naive else [f"{path}: engine {engine!r}, naive {naive!r}"]


def choose(texts: list[str], engine: Game, luck: random.Random) -> str:
    """Any legal thing, now and then with a part of an amount."""
    text = luck.choice(texts)
    if text in ("attack", "heal") or text.startswith("convert "):
        options = engine.options
        most = int(options.amount[engine.legal_actions().index(text)])
        if luck.random() < 0.5:
            amount = luck.randint(1, most)
            return f"{text} {amount}" if not text.startswith("convert ") else text.replace("convert ", f"convert {amount} ")
    return text


def play_both(box: Box, csv_text: str, rules: dict[str, Any], seed: int, first: str, second: str) -> tuple[int, list[str]]:
    """Play one random game through both; the number of decisions, and the differences at the first point where there are any (with what led there)."""
    luck = random.Random(seed)
    engine = Game(box, first=first, second=second, seed=seed)
    naive = NaiveGame(csv_text, rules, seed, first, second)
    history: list[str] = []
    while True:
        if engine.over != naive.over:
            return len(history), [f"over: engine {engine.over}, naive {naive.over}", *history[-12:]]
        if engine.turn > 0 or engine.over:
            found = differences(engine_state(engine), naive.state())
            found = [d for d in found if not (engine.over and d.startswith(".asked"))]
            if found:
                return len(history), [*found, *history[-12:]]
        if engine.over:
            return len(history), []
        ours, theirs = engine.legal_actions(), naive.options()
        if sorted(ours) != sorted(theirs) or engine.record.asked != naive.asked:
            only = f"only engine {sorted(set(ours) - set(theirs))}, only naive {sorted(set(theirs) - set(ours))}, asked {engine.record.asked}/{naive.asked}"
            return len(history), [only, f"engine {ours}", f"naive {theirs}", *history[-12:]]
        text = choose(ours, engine, luck)
        history.append(f"turn {engine.turn} {engine.asked}: {text}")
        engine.apply(text)
        naive.apply(text)
