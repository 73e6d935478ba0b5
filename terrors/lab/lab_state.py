"""What a lab knows: the versions of the file that were opened, who can play, what is being played, and what waits to be listened to."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from terrors.analysis.contract.margins import Margins
from terrors.lab.live_games import LiveGames, LiveQuestion, LiveSide
from terrors.lab.sheet import EditedSet, EditError, OpenedSet, edit_set, edits_data, edits_of
from terrors.reports.theme import use_factions
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.strategies import Strategy, all_names, find

PATIENCE = 60.0  # seconds that a question waits for somebody to listen
Asked = dict[str, Any]


@dataclass
class Pending:
    """A question that was asked and that nobody listens to yet."""

    sides: tuple[LiveSide, LiveSide]
    edited: list[str]
    until: float
    asked_at: float = field(default_factory=time.monotonic)


class Lab:
    """The files that were opened, who can play, and what is being played."""

    def __init__(self, opened: OpenedSet, rules: Mapping[str, Any], margins: Margins, pilot: str, jobs: int, protected: Sequence[str] = ()) -> None:
        """Open a lab on a card file. `pilot`: who plays unless the page says otherwise. `protected`: what nothing may propose to change."""
        self.rules, self.margins, self.pilot, self.protected = dict(rules), margins, pilot, tuple(protected)
        self.sets: dict[str, OpenedSet] = {}  # every version that was opened: a tab may still be at an earlier one
        self.take_up(opened)
        self.games = LiveGames(jobs)
        self.jobs, self.place = jobs, Path.cwd()  # where runs of reports go, as those of the commands do
        self.pending: dict[str, Pending] = {}
        self.pages: dict[str, Path] = {}  # reports that were made, by the number in their address

    def strategy(self, name: Any) -> Strategy:
        """Return a strategy that ships, by name: no path is looked up."""
        if not isinstance(name, str) or (name not in all_names() and name != self.pilot):
            raise EditError(f"pilot: {str(name)[:40]!r} is not one of {', '.join(all_names())}.")
        return find(name)

    def opened_as(self, digest: Any) -> OpenedSet:
        """Return the set that a page was opened with; the present one if that is not known any more."""
        return self.sets.get(digest, self.opened) if isinstance(digest, str) else self.opened

    def take_up(self, opened: OpenedSet) -> None:
        """Let a version of the file be the present one."""
        self.opened = opened
        self.sets[opened.digest] = opened
        use_factions(opened.cards.dialect.factions)

    def warm_up(self) -> None:
        """Load what the first question will need."""
        side = self.games.side(self.opened.cards, self.rules, self.strategy(self.pilot))
        question = LiveQuestion(side, side, lambda: None, most=200)
        self.games.open(question)
        while question.rounds < question.most and not question.failed:
            time.sleep(0.02)
        self.games.close(question)

    def ask(self, asked: Asked) -> Asked:
        """Return what became of the edits, with the number of a question to listen to if the set can be played."""
        opened, edits = self.opened_as(asked.get("digest")), edits_of(asked.get("edits"))
        found, against = edit_set(opened.cards, edits), edit_set(opened.cards, edits_of(asked.get("against", [])))
        pilot = self.strategy(asked.get("pilot", self.pilot))
        until = asked.get("until", 1.0)
        if not isinstance(until, int | float) or isinstance(until, bool):
            raise EditError("until: give points of win rate, for instance 1; 0 goes on.")
        said = edits_data(opened.cards, edits, found) | {"digest": opened.digest}
        before, after = (self.games.side(one.cards, self.rules, pilot) for one in (against, found))
        number = secrets.token_urlsafe(12)
        self._forget()
        self.pending[number] = Pending((before, after), _edited(found, against), float(until))
        return said | {"question": number}

    def edited(self, asked: Asked) -> CardSet:
        """Return the set of a page, as far as it can be read."""
        return edit_set(self.opened_as(asked.get("digest")).cards, edits_of(asked.get("edits"))).cards

    def job(self, asked: Asked) -> Job:
        """Return the set of a page in the hands of its pilot, as the commands take it."""
        plan = Plan(strategies=(self.strategy(asked.get("pilot", self.pilot)).name,), pairing="mirror", rules=self.rules)
        return replace(Job.of(plan, ""), cards=self.edited(asked))

    def _forget(self) -> None:
        now = time.monotonic()
        for number in [number for number, one in self.pending.items() if now - one.asked_at > PATIENCE]:
            del self.pending[number]


def _edited(found: EditedSet, against: EditedSet) -> list[str]:
    return list(dict.fromkeys([*found.edited, *against.edited]))
