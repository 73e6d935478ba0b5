"""What a batch of games writes down, against a diary that the naive implementation keeps: turns, purchases, counts by card, and the table before decisions.

Only for rules as plain Python (NUMBA_DISABLE_JIT): the strategies of these games are Python, and play the naive game along.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.decision_columns import DECISION_LISTS, PLAY_LISTS
from terrors.simulator.kernel.layout import COUNT_FIELDS, TALLY_FIELDS
from terrors.simulator.play.match import Match, MatchRecords
from terrors.simulator.play.notation import option_texts
from terrors.simulator.terms.enums import Action, BoughtFrom, Place, Question, To
from tests.naive import NaiveGame
from tests.naive.effects import MOST_CARDS
from tests.naive.table import Card, GameEnd
from tests.trust.differential import SPENDING, Plan, ReadyBox, differences, plain, ready_box

NONE_IN = ("action", "card", "other", "instance", "other_instance", "cause", "cause_instance", "to")  # columns of a decision that may name nothing


class Diarist(NaiveGame):
    """A game that keeps a diary in the words of docs/RUNS.md."""

    def __init__(self, plan: Plan):
        self.turns: list[dict[str, int]] = []
        self.deals: list[tuple[int, int, str, int, int, int]] = []  # turn, seat, card, Coin paid, from where, to where
        self.seen: dict[tuple[int, str], set[int]] = defaultdict(set)  # by seat and card: in which turns it lay in the Street
        self.affordable: dict[tuple[int, str], set[int]] = defaultdict(set)
        self.buying: list[tuple[Card, int, int, int]] = []
        self.whole: dict[str, int] | None = None  # the tally of an Action Phase that is over
        super().__init__(plan.cards, plan.rules, plan.number, plan.first, plan.second)

    def take_turn(self) -> Iterator[Any]:
        self.whole = None
        self.done: Counter[str] = Counter()
        self.look()
        try:
            yield super().take_turn()
        except GameEnd:
            self.write_turn()
            raise
        self.write_turn()

    def cleanup(self, player: Any) -> None:
        self.whole = self.tally()
        super().cleanup(player)

    def tally(self) -> dict[str, int]:
        """What has happened in this turn; an action counts when it is begun, even if the game or the phase ends before it is through."""
        tally = super().tally()
        tally["curses"] += self.done["curses"]
        return tally | {name: self.done[name] for name in ("cards_played", "relics_used", "overlord_used", "haunts")}

    def act_play(self, card: Card) -> Iterator[Any]:
        self.done["cards_played"] += 1
        return super().act_play(card)

    def act_relic(self, card: Card) -> Iterator[Any]:
        self.done["relics_used"] += 1
        return super().act_relic(card)

    def act_overlord(self) -> Iterator[Any]:
        self.done["overlord_used"] += 1
        return super().act_overlord()

    def act_haunt(self, card: Card) -> Iterator[Any]:
        self.done["haunts"] += 1
        return super().act_haunt(card)

    def write_turn(self) -> None:
        me, foe = self.me, self.foe
        if self.whole is not None:  # what was drawn before and after the Cleanup Phase
            self.whole["cards_drawn"] += self.phase.tally["cards_drawn"]
        row = {"turn": self.turn, "seat": me.seat, "health": me.health, "rival_health": foe.health}
        self.turns.append(row | (self.whole or self.tally()) | {"deck": len(me.deck), "discard": len(me.discard), "hand": len(me.hand)})

    def do_curse(self, a: Any, source: Card | None) -> Iterator[Any]:
        """A CURSE that is answered with the last Health is a CURSE too, though nothing comes of it any more."""
        before = self.phase.events["CURSE"]
        try:
            yield super().do_curse(a, source)
        except GameEnd:
            self.done["curses"] += self.phase.events["CURSE"] == before
            raise

    # What was to be had

    def look(self) -> None:
        for card in self.street:
            self.seen[self.active, card.name].add(self.turn)

    def leave_street(self, card: Card) -> None:
        self.look()
        super().leave_street(card)
        self.look()

    def actions(self) -> dict[str, tuple]:
        """An action is due: what there is Coin for can be bought, if anything can (E2)."""
        for card in self.street:
            if self.me.owned < MOST_CARDS and card.row.cost is not None and card.row.cost <= self.me.pool["Coin"]:
                self.affordable[self.active, card.name].add(self.turn)
        return super().actions()

    # What was got

    def purchase(self, card: Card, price: dict[str, int], to_deck: bool) -> Iterator[Any]:
        source = BoughtFrom.STREET if card in self.street else BoughtFrom.ACOLYTE
        self.buying.append((card, price.get("Coin", 0), source, To.RELICS if card.relic else To.DECK if to_deck else To.DISCARD))
        return super().purchase(card, price, to_deck)

    def event(self, *kinds: str, own: Card | None = None) -> Iterator[Any]:
        if "card bought" in kinds:
            card, *rest = self.buying.pop()
            self.deals.append((self.turn, self.active, card.name, *rest))
        return super().event(*kinds, own=own)

    def do_take(self, a: Any, source: Card | None) -> Iterator[Any]:
        owned = self.me.owned
        yield super().do_take(a, source)
        if self.me.owned > owned:
            self.deals.append((self.turn, self.active, self.me.discard[-1].name, 0, BoughtFrom.FREE, To.DISCARD))

    def counts(self) -> dict[tuple[int, str], dict[str, int]]:
        """By seat and card, what the cards table of this one game says."""
        found: dict[tuple[int, str], dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNT_FIELDS, 0))
        for name, of in (("seen", self.seen), ("affordable", self.affordable)):
            for key, turns in of.items():
                found[key] |= {f"games_{name}": 1, f"turns_{name}": len(turns)}
        for turn, seat, card, *_ in self.deals:
            row = found[seat, card]
            row["bought"] += 1
            if row["bought"] == 1:
                points = 1 if self.winner == "draw" else 2 * (self.winner == seat)
                row |= {"games_bought": 1, "first_bought_turns": turn, "points_when_bought": points}
        return dict(found)

    # The table before a decision

    def lists(self) -> dict[str, list[str]]:
        """The cards whose places are known to anybody, piles from the bottom to the top; hordes first, then the other cards in play."""
        one, two = self.players
        groups = sorted((group for group in self.phase.groups if len(group) > 1), key=lambda group: self.me.play.index(group[0]))
        in_hordes = [card for group in groups for card in group]
        lists = {"street": self.street, "street_removed": self.removed}
        for name, player in (("first", one), ("second", two)):
            hordes = in_hordes if player is self.me else []
            lists |= {f"{name}_hand": player.hand, f"{name}_play": hordes + [card for card in player.play if card not in hordes]}
            lists |= {f"{name}_deck_cards": player.deck[::-1], f"{name}_discard_cards": player.discard, f"{name}_removed": player.removed}
        self.horde_numbers = [number for number, group in enumerate(groups, 1) for _ in group]
        return {name: [card.tag for card in lists[name]] for name in DECISION_LISTS}

    def numbers(self) -> dict[str, int]:
        """The numbers of a decision's row that are there before it."""
        one, two = self.players
        pool = self.me.pool
        return {
            "turn": self.turn, "active": self.active, "seat": self.asked, "coin": pool["Coin"], "power": pool["Power"], "regeneration": pool["Regeneration"],
            "first_health": one.health, "second_health": two.health, "first_deck": len(one.deck), "second_deck": len(two.deck),
            "first_discard": len(one.discard), "second_discard": len(two.discard), "market": len(self.market), "acolytes": len(self.acolytes),
            "haunt_tokens": 32_767 if self.haunts is None else self.haunts, "muster_tokens": 32_767 if self.musters is None else self.musters,
            "first_muster": one.tokens, "second_muster": two.tokens, "first_known": one.known, "second_known": two.known, "claims": self.phase.claims,
            "actions": self.phase.actions, "limits": self.limits,
        }  # fmt: skip


class Chooser:
    """A strategy that takes any option, and the same one in the naive game; it keeps what the table looked like there."""

    name = "chooser"

    def __init__(self, ready: ReadyBox, log: Any, plans: list[Plan]):
        self.ready, self.log = ready, log
        self.diaries = {plan.number: Diarist(plan) for plan in plans}
        self.asked = Counter[int]()
        self.luck = random.Random(f"diary {plans[0].number}")
        self.tables: dict[int, tuple[dict[str, int], dict[str, list[str]], list[int]]] = {}  # by the row that a decision is going to have

    def work(self, box: Any) -> None:
        return None

    def compiled(self, game: Any, box: Any, options: Any, work: Any, me: int) -> int:
        """Choose."""
        seed = int(game.seed)
        naive = self.diaries[seed]
        self.asked[seed] += 1
        texts = option_texts(self.ready.box, game, options)
        choice = self.luck.randrange(len(texts))
        if len(set(texts)) == 1:  # triggers of cards that have left play: only the engine asks which
            return choice
        go_on(naive)
        if game.question == Question.CHOOSE:
            texts = [plain(text) for text in texts]
        text = next((theirs for theirs in naive.options() if texts[choice] in (theirs, plain(theirs))), None)
        assert text is not None, (texts, naive.options())
        choice = texts.index(texts[choice])
        option = options.at[choice]
        if option.action in SPENDING and self.luck.random() < 0.5:
            options.spend = self.luck.randint(1, option.amount)
            verb, _, rest = text.partition(" ")
            text = f"{verb} {options.spend} {rest}".strip()
        if naive.turn:
            self.tables[int(self.log.decisions_n)] = naive.numbers(), naive.lists(), naive.horde_numbers
        naive.apply(text)
        return choice


def go_on(naive: NaiveGame) -> None:
    """Do in the naive game what the engine does without asking a strategy: the only action that there is."""
    while not naive.over and len(naive.options()) == 1:
        naive.apply(naive.options()[0])


def diary_problems(plan: Plan, told: bool, games: int = 2) -> list[str]:
    """Play some games as a batch, and return where its log is not what the naive ones have in their diaries."""
    ready = ready_box(plan.cards, tuple(plan.rules.items()))
    plans = [replace(plan, number=plan.number + i) for i in range(games)]
    desk = MatchRecords()
    chooser = Chooser(ready, desk.log, plans)
    match = Match(ready.box, chooser, chooser, desk)
    rows = np.zeros(games, layout.RESULT)
    rows["seed"], rows["first"], rows["second"], rows["told"] = list(chooser.diaries), ready.box.kind(plan.first), ready.box.kind(plan.second), told
    desk.log.keep_turns = desk.log.keep_purchases = desk.log.keep_counts = 1
    assert match.play(rows) == games
    diaries = list(chooser.diaries.values())
    for naive in diaries:
        go_on(naive)
    found = _games_problems(rows, diaries, list(chooser.asked.values()))
    found += _log_problems(desk.log, ready, diaries)
    found += _count_problems(match.counts[0], ready, diaries)
    return found + (_table_problems(desk.log, ready, chooser) if told else [])


def _games_problems(rows: np.ndarray, diaries: list[Diarist], asked: list[int]) -> list[str]:
    """The rows of the games."""
    found = []
    for row, naive, questions in zip(rows, diaries, asked, strict=True):
        ours = {
            name: int(row[name])
            for name in ("winner", "limits", "turns", "actions", "decisions", "first_health", "second_health", "first_denied", "second_denied")
        }
        winner = 2 if naive.winner == "draw" else naive.winner
        theirs = {"winner": winner, "limits": naive.limits, "turns": naive.turn, "actions": naive.total_actions, "decisions": questions,
                  "first_health": naive.players[0].health, "second_health": naive.players[1].health, "first_denied": 0, "second_denied": 0}  # fmt: skip
        found += differences(ours, theirs, f"game {row['seed']}")
    return found


def _log_problems(log: Any, ready: ReadyBox, diaries: list[Diarist]) -> list[str]:
    """Rows of turns and of purchases."""
    names = ("row", "turn", "seat", "health", "rival_health", *TALLY_FIELDS, "deck", "discard", "hand")
    turns = [{name: int(getattr(log.turns, name)[i]) for name in names} for i in range(log.turns_n)]
    theirs = [{"row": i} | {name: min(n, 32_767) for name, n in turn.items()} for i, naive in enumerate(diaries) for turn in naive.turns]
    deals = [tuple(int(getattr(log.purchases, name)[i]) for name in ("row", "turn", "seat", "kind", "paid", "source", "to")) for i in range(log.purchases_n)]
    their_deals = [(i, turn, seat, ready.names.index(card), *map(int, rest)) for i, naive in enumerate(diaries) for turn, seat, card, *rest in naive.deals]
    found = [] if deals == their_deals else [f"purchases: engine {set(deals) - set(their_deals)}, naive {set(their_deals) - set(deals)}"]
    if len(turns) != len(theirs):
        return [*found, f"{len(turns)} turns instead of {len(theirs)}"]
    return found + differences(turns, theirs, "turns")


def _count_problems(counts: np.ndarray, ready: ReadyBox, diaries: list[Diarist]) -> list[str]:
    """Counts by seat and card, of all games together."""
    found, total = [], defaultdict(Counter)
    for naive in diaries:
        for key, row in naive.counts().items():
            total[key].update(row)
    for seat in range(2):
        for kind in range(counts.shape[1]):
            ours = dict(zip(COUNT_FIELDS, counts[seat, kind].tolist(), strict=True))
            theirs = {name: total[seat, ready.names[kind]][name] for name in COUNT_FIELDS}
            found += differences(ours, theirs, f"counts of {ready.names[kind]} in seat {seat}")
    return found


def _table_problems(log: Any, ready: ReadyBox, chooser: Chooser) -> list[str]:
    """The numbers and lists of each decision that somebody was asked for."""
    found, at, unseen = [], 0, set(chooser.tables)
    for i in range(log.decisions_n):
        if (log.decisions.question[i] == Question.LOOK) != (log.decisions.looked[i] > 0):
            found.append(f"decision {i}: {log.decisions.looked[i]} cards are looked at, and question {log.decisions.question[i]} is asked")
        found += [f"decision {i}: {name} is {getattr(log.decisions, name)[i]}, and none is -1" for name in NONE_IN if getattr(log.decisions, name)[i] < -1]
        lists, hordes = {}, []
        for name in DECISION_LISTS:
            n = int(getattr(log.decisions, name)[i])
            lists[name] = [ready.tags[card] for card in log.decision_card[at : at + n].tolist()]
            its_hordes = log.decision_horde[at : at + n].tolist()
            if name in PLAY_LISTS:
                hordes += [horde for horde in its_hordes if horde]
            elif any(its_hordes) or log.decision_marks[at : at + n].any():
                found.append(f"decision {i}: cards of {name} are in hordes or have marks, as only cards in play have")
            at += n
        if i in chooser.tables:
            unseen.remove(i)
            numbers, their_lists, their_hordes = chooser.tables[i]
            ours = {name: int(getattr(log.decisions, name)[i]) for name in numbers}
            theirs = {name: min(n, 32_767) for name, n in numbers.items()}
            found += [f"decision {i}: {text}" for text in _card_problems(log.decisions, i, lists, ready)]
            found += differences(ours | lists | {"hordes": hordes}, theirs | their_lists | {"hordes": their_hordes}, f"decision {i}")
    return found + [f"no row for decision {i}" for i in sorted(unseen)]


def _card_problems(rows: Any, i: int, lists: dict[str, list[str]], ready: ReadyBox) -> list[str]:
    """Whether the card that was chosen lies where the row says, and the card that asks is the one that it names."""
    sides = ("first", "second")
    me, rival, asked = sides[rows.active[i]], sides[1 - rows.active[i]], sides[rows.seat[i]]
    at = {Place.HAND: f"{asked}_hand", Place.STREET: "street", Place.DISCARD: f"{me}_discard_cards", Place.DECK: f"{me}_deck_cards",
          Place.PLAY: f"{me}_play", Place.RIVAL_PLAY: f"{rival}_play"}  # fmt: skip
    found, instance, cause = [], int(rows.instance[i]), int(rows.cause_instance[i])
    if instance >= 0 and rows.action[i] != Action.TRIGGER and ready.tags[instance] not in lists.get(at.get(rows.place[i], ""), ()):
        found.append(f"{ready.tags[instance]} is not in place {rows.place[i]}")
    if instance < 0 <= rows.card[i] and rows.action[i] not in (Action.OVERLORD, Action.TRIGGER):
        found.append(f"{ready.names[rows.card[i]]} is chosen, and which copy is not said")
    if instance >= 0 and ready.kinds[instance] != rows.card[i]:
        found.append(f"{ready.tags[instance]} is no {ready.names[rows.card[i]]}")
    if cause >= 0 and ready.kinds[cause] != rows.cause[i]:
        found.append(f"{ready.tags[cause]} asks, not {ready.names[rows.cause[i]]}")
    return found
