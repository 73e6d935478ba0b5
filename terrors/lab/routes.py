"""What the lab answers to: a page, questions about edits, the answers as they come in, Save. All of a request's state comes with it."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from terrors.analysis.contract.margins import Margins
from terrors.lab.lab_page import lab_page
from terrors.lab.live_answer import LiveAnswer, answer
from terrors.lab.live_games import LiveGames, LiveQuestion, LiveSide
from terrors.lab.saving import save
from terrors.lab.sheet import Edit, EditedSet, EditError, OpenedSet, digest_of, edit_set, edits_data, edits_of
from terrors.reports.theme import use_factions
from terrors.simulator.terms.errors import WordedError
from terrors.strategies import Strategy, all_names, find

WIDTHS = (2.0, 1.0, 0.5, 0.25)  # points, to choose from
MOST_ROUNDS = 40_000  # of one question: half a million games with four overlords
PATIENCE = 60.0  # seconds that a question waits for somebody to listen
PAUSE = 0.12  # seconds between two answers, at least
GROWTH = 1.15  # of the rounds, from one answer to the next
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

    def __init__(self, opened: OpenedSet, rules: Mapping[str, Any], margins: Margins, pilot: str, jobs: int) -> None:
        """Open a lab on a card file. `pilot`: who plays unless the page says otherwise."""
        self.rules, self.margins, self.pilot = dict(rules), margins, pilot
        self.sets: dict[str, OpenedSet] = {}  # every version that was opened: a tab may still be at an earlier one
        self.take_up(opened)
        self.games = LiveGames(jobs)
        self.pending: dict[str, Pending] = {}

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

    def _forget(self) -> None:
        now = time.monotonic()
        for number in [number for number, one in self.pending.items() if now - one.asked_at > PATIENCE]:
            del self.pending[number]


def _edited(found: EditedSet, against: EditedSet) -> list[str]:
    return list(dict.fromkeys([*found.edited, *against.edited]))


class LabApp:
    """The answers to requests."""

    def __init__(self, lab: Lab) -> None:
        """Answer for a lab."""
        self.lab = lab

    def app(self) -> Starlette:
        """Return all routes."""
        routes = [
            Route("/", self.page),
            Route("/ask", self.ask, methods=["POST"]),
            Route("/answer/{number}", self.answers),
            Route("/state", self.state),
            Route("/reload", self.reload, methods=["POST"]),
            Route("/save", self.save, methods=["POST"]),
        ]
        return Starlette(routes=routes, exception_handlers={WordedError: _refused})

    async def page(self, request: Request) -> Response:
        """Return the page."""
        return HTMLResponse(await asyncio.to_thread(lab_page, self.lab.opened, self.lab.pilot, self.lab.margins, WIDTHS))

    async def ask(self, request: Request) -> Response:
        """Take edits; return what the loader says to them, and where the answer will be."""
        return JSONResponse(await asyncio.to_thread(self.lab.ask, await _json(request)))

    async def answers(self, request: Request) -> Response:
        """Return the answer to a question as it comes in."""
        pending = self.lab.pending.pop(request.path_params["number"], None)
        if pending is None:
            return JSONResponse({"error": "This question is not known any more; ask it again."}, 404)
        return event_stream(self.listen(pending))

    async def listen(self, pending: Pending) -> AsyncIterator[Asked]:
        """Yield answers until they are as sharp as was asked for. When nobody listens any more, its games stop."""
        loop, more = asyncio.get_running_loop(), asyncio.Event()
        before, after = pending.sides
        question = LiveQuestion(before, after, lambda: _tell(loop, more), MOST_ROUNDS)
        self.lab.games.open(question)
        told = 0
        try:
            while True:
                if question.failed:
                    yield {"error": question.failed}
                    return
                rounds = question.rounds
                if rounds >= max(1, told * GROWTH) or rounds >= question.most:
                    found = await asyncio.to_thread(answer, before, after, rounds, pending.edited, self.lab.margins)
                    told = rounds
                    done = rounds >= question.most or (found is not None and found.widest <= pending.until)
                    yield _told(found, before, after, rounds, done)
                    if done:
                        return
                    await asyncio.sleep(PAUSE)
                more.clear()
                if question.rounds < max(1, told * GROWTH):
                    await _wait(more)
        finally:
            self.lab.games.close(question)

    async def state(self, request: Request) -> Response:
        """Say which version of the file is on disk, and whether games are played for anybody."""
        digest = await asyncio.to_thread(digest_of, self.lab.opened.path)
        return JSONResponse({"digest": digest, "busy": self.lab.games.busy, "played": self.lab.games.played})

    async def reload(self, request: Request) -> Response:
        """Take up the file as it is on disk now."""
        opened = await asyncio.to_thread(OpenedSet.read, self.lab.opened.path, self.lab.opened.shipped)
        self.lab.take_up(opened)
        return JSONResponse({"digest": opened.digest})

    async def save(self, request: Request) -> Response:
        """Write the edits into the file."""
        asked = await _json(request)
        opened = self.lab.opened_as(asked.get("digest"))
        edits: list[Edit] = edits_of(asked.get("edits"))
        new, kept = await asyncio.to_thread(lambda: save(opened, edits, edit_set(opened.cards, edits)))
        self.lab.take_up(new)
        return JSONResponse({"digest": new.digest, "file": new.path.name, "kept": kept.name})


def _told(found: LiveAnswer | None, before: LiveSide, after: LiveSide, rounds: int, done: bool) -> Asked:
    """Return an answer as the page takes it; before the first one, how far the games are."""
    games = 2 * after.cells * rounds * (1 if before is after else 2)
    return (found.data if found else {}) | {"played": games, "done": done}


def _tell(loop: asyncio.AbstractEventLoop, more: asyncio.Event) -> None:
    """Wake the listener, from any thread."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(more.set)


async def _wait(more: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(more.wait(), 5.0)
    except TimeoutError:
        return


def event_stream(events: AsyncIterator[Asked]) -> Response:
    """Return events as a browser's EventSource takes them; after the last one it is told not to come back."""

    async def lines() -> AsyncIterator[str]:
        async for event in events:
            yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
        yield "event: end\ndata: {}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


async def _json(request: Request) -> Asked:
    """Return the question in a request."""
    try:
        asked = json.loads(await request.body())
    except ValueError:
        raise EditError("this is no JSON.") from None
    if not isinstance(asked, dict):
        raise EditError("a question is a JSON object.")
    return asked


async def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)
