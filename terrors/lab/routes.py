"""What the lab answers to: a page, questions about edits, the answers as they come in, Save. All of a request's state comes with it."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from terrors.analysis.numbers.wishes import Wanted
from terrors.lab.errands import ErrandDesk, Work, advice_data, card_value, changed_cells, numbers_data, overlord_value, report_page
from terrors.lab.lab_page import lab_page
from terrors.lab.lab_state import Asked, Lab, Pending
from terrors.lab.live_answer import LiveAnswer, answer
from terrors.lab.live_games import LiveQuestion, LiveSide, games_with
from terrors.lab.saving import save
from terrors.lab.sheet import Edit, EditError, OpenedSet, digest_of, edit_set, edits_of, texts_of
from terrors.lab.web_game import answers_of, hint_for, play_on, setup_of
from terrors.reports.page.replays import Packer
from terrors.simulator.terms.enums import CardType
from terrors.simulator.terms.errors import WordedError

WIDTHS = (2.0, 1.0, 0.5, 0.25)  # points, to choose from
MOST_ROUNDS = 40_000  # of one question: half a million games with four overlords
PAUSE = 0.12  # seconds between two answers, at least
GROWTH = 1.15  # of the rounds, from one answer to the next
LOTTERIES = (60_000, 200_000, 600_000)  # games of a number lottery, to choose from
EDITS = (1, 2, 3)  # of a suggestion, at most
CHOICES = {"widths": WIDTHS, "lotteries": LOTTERIES, "edits": EDITS}
GAMES_SHOWN = 3


class LabApp:
    """The answers to requests."""

    def __init__(self, lab: Lab) -> None:
        """Answer for a lab."""
        self.lab = lab
        self.errands = ErrandDesk()

    def app(self) -> Starlette:
        """Return all routes."""
        routes = [
            Route("/", self.page),
            Route("/ask", self.ask, methods=["POST"]),
            Route("/answer/{number}", self.answers),
            Route("/state", self.state),
            Route("/reload", self.reload, methods=["POST"]),
            Route("/save", self.save, methods=["POST"]),
            Route("/play", self.play, methods=["POST"]),
            Route("/hint", self.hint, methods=["POST"]),
            Route("/games", self.games, methods=["POST"]),
            Route("/change", self.change, methods=["POST"]),
            Route("/errand", self.errand, methods=["POST"]),
            Route("/errand/{number}", self.errand_events),
            Route("/report/{number}", self.report),
        ]
        return Starlette(routes=routes, exception_handlers={WordedError: _refused})

    async def page(self, request: Request) -> Response:
        """Return the page."""
        return HTMLResponse(await asyncio.to_thread(lab_page, self.lab.opened, self.lab.pilot, self.lab.margins, CHOICES))

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
        return JSONResponse({"digest": digest, "busy": self.lab.games.busy or bool(self.errands.running), "played": self.lab.games.played})

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

    # A game in the page, and games to look at

    async def play(self, request: Request) -> Response:
        """Return the table of a person's game after the answers that came with the request."""
        asked = await _json(request)
        setup, answers = setup_of(asked), answers_of(asked.get("answers"))
        return JSONResponse(await asyncio.to_thread(lambda: play_on(self.lab.job(asked), setup, answers)))

    async def hint(self, request: Request) -> Response:
        """Return what the pilot would do in the person's place."""
        asked = await _json(request)
        setup, answers = setup_of(asked), answers_of(asked.get("answers"))
        return JSONResponse({"hint": await asyncio.to_thread(lambda: hint_for(self.lab.job(asked), setup, answers))})

    async def games(self, request: Request) -> Response:
        """Return some games of the set of the page to step through; with a card, games in which somebody bought it."""
        asked = await _json(request)
        return JSONResponse(await asyncio.to_thread(lambda: _games(self.lab, asked)))

    # What takes its time

    async def change(self, request: Request) -> Response:
        """Return a change of a number, as the lottery names it, as edits of cells."""
        asked = await _json(request)
        return JSONResponse({"edits": await asyncio.to_thread(lambda: changed_cells(self.lab.edited(asked), texts_of(asked.get("set"))))})

    async def errand(self, request: Request) -> Response:
        """Take an errand; return the number under which to listen to it."""
        asked = await _json(request)
        work = await asyncio.to_thread(self._work, asked)
        return JSONResponse({"errand": self.errands.take(work)})

    def _work(self, asked: Asked) -> Work:
        lab, kind = self.lab, asked.get("kind")
        if kind == "report":
            cards = lab.edited(asked)
            return lambda tell: {"page": self._keep(report_page(cards, lab.rules, lab.place, tell))}
        job = lab.job(asked)
        if kind == "numbers":
            games = asked.get("games")
            if games not in LOTTERIES:
                raise EditError(f"games: give one of {', '.join(map(str, LOTTERIES))}.")
            return lambda tell: numbers_data(job, games, lab.jobs, tell)
        if kind == "suggest":
            most = asked.get("most")
            if most not in EDITS:
                raise EditError(f"most: give a number of edits, one of {', '.join(map(str, EDITS))}.")
            wanted = Wanted(lab.margins, keep=(*texts_of(asked.get("keep", [])), *lab.protected), max_edits=most)
            return lambda tell: advice_data(job, wanted, LOTTERIES[1], lab.jobs, tell)
        if kind == "card":
            card = job.cards.by_name(str(asked.get("card")))
            if card.type is CardType.OVERLORD:
                return lambda tell: overlord_value(job, card.name, lab.margins.overlord, lab.jobs, tell)
            return lambda tell: card_value(job, card.name, lab.margins.card, lab.jobs, tell)
        raise EditError("kind: there are numbers, suggest, card and report.")

    async def errand_events(self, request: Request) -> Response:
        """Return what an errand tells, and its result."""
        work = self.errands.waiting.pop(request.path_params["number"], None)
        if work is None:
            return JSONResponse({"error": "This errand is not known any more; ask again."}, 404)
        return event_stream(self.errands.listen(work))

    def _keep(self, page: Path) -> str:
        """Return the number under which a report can be opened from now on."""
        number = secrets.token_urlsafe(12)
        self.lab.pages[number] = page
        return number

    async def report(self, request: Request) -> Response:
        """Return a report that was made here."""
        page = self.lab.pages.get(request.path_params["number"])
        if page is None:
            return JSONResponse({"error": "This report is not known any more."}, 404)
        return HTMLResponse(await asyncio.to_thread(page.read_text, "utf-8"))


def _games(lab: Lab, asked: Asked) -> Asked:
    """Return games of the set of a page, packed for the viewer."""
    job, card = lab.job(asked), asked.get("card")
    chosen = list(range(GAMES_SHOWN)) if card is None else games_with(job, job.cards.index(str(card)), GAMES_SHOWN)
    packer = Packer(job)
    return packer.data([packer.pack(number) for number in chosen])


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
    except (ValueError, RecursionError):
        raise EditError("this is no JSON.") from None
    if not isinstance(asked, dict):
        raise EditError("a question is a JSON object.")
    return asked


async def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)
