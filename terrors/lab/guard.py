"""Who may ask: only pages of this lab, in a browser on this machine.

The server listens on the loopback address alone, but any page in the designer's browser could send requests there. So each request must carry the token of
the address, name this server as its Host (a name that was bent to point here does not), and, if it says where it comes from, come from here. What is changed
is changed by POST with JSON, which no form of another page can send.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.responses import PlainTextResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 1_000_000  # of what is sent here
HEADERS = {
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}


class Guard:
    """Lets requests through to the app whose address, Host and Origin are right; the token is taken off their path."""

    def __init__(self, app: App, token: str, port: int) -> None:
        """Take what a right request has."""
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}
        self.origins = {b"http://" + host for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        said = self.refusal(scope)
        if said:
            await PlainTextResponse(said, 403)(scope, receive, _with_headers(send))
            return
        inner = dict(scope)
        inner["path"] = scope["path"][1 + len(self.token) :]
        inner["raw_path"] = inner["path"].encode()
        await self.app(inner, receive, _with_headers(send))

    def refusal(self, scope: Scope) -> str:
        """Return why a request is refused; nothing if it is not."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        if headers.get(b"host", [b""])[0] not in self.hosts or len(headers.get(b"host", [])) != 1:
            return "This lab answers on its own address only."
        if any(origin not in self.origins for origin in headers.get(b"origin", [])):
            return "This lab answers its own pages only."
        parts = scope["path"].split("/", 2)
        if len(parts) < 3 or not secrets.compare_digest(parts[1].encode(), self.token.encode()):
            return "The address lacks the token of this lab, or has that of another one: open the address that `terrors lab` prints."
        if scope["method"] not in ("GET", "POST"):
            return "There is nothing here but pages to read and questions to ask."
        if scope["method"] == "POST":
            if headers.get(b"content-type", [b""])[0].split(b";")[0].strip() != b"application/json":
                return "Questions are asked in JSON."
            size = headers.get(b"content-length", [b""])[0]
            if not size.isdigit() or int(size) > MOST_BYTES:
                return "This is more than a question."
        return ""


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds the headers that every answer has."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS.items()]
        await send(message)

    return sending


def kept_token(place: Path) -> str:
    """Return the token of this user's labs: made once, in a file that nobody else can read, so that an address that was kept can be opened again."""
    file = place / "lab-token"
    with suppress(OSError):
        if os.name != "posix" or file.stat().st_mode & 0o077 == 0:
            token = file.read_text(encoding="ascii").strip()
            if len(token) >= 32 and token.replace("-", "").replace("_", "").isalnum():
                return token
    token = secrets.token_urlsafe(32)
    with suppress(OSError):  # without a place for it, it lasts as long as the server
        place.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            file.unlink()
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(token)
    return token
