"""The server process: a socket on the loopback address, the app behind its guard, until it is interrupted."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable

import uvicorn

from terrors.lab.guard import Guard
from terrors.lab.lab_state import Lab
from terrors.lab.routes import LabApp
from terrors.simulator.terms.errors import WordedError

LOOPBACK = "127.0.0.1"
PORT = 8417  # unless it is taken: then any that is free


class ServerError(WordedError):
    """Raised for a lab that cannot be opened, in one sentence."""


def bound(port: int | None) -> socket.socket:
    """Return a socket on the loopback address. `port`: None for the usual one, or any other if somebody has it."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, PORT if port is None else port))
    except OSError as error:
        if port is not None or error.errno not in (errno.EADDRINUSE, errno.EACCES):
            listener.close()
            raise ServerError(f"port {port or PORT}: {error.strerror or error}; give another one (--port), or none.") from None
        listener.bind((LOOPBACK, 0))
    return listener


def serve(lab: Lab, token: str, port: int | None, ready: Callable[[str], None]) -> None:
    """Serve the lab until it is interrupted. `ready` is told the address when pages can be opened."""
    with bound(port) as listener:
        number = listener.getsockname()[1]
        app = Guard(LabApp(lab).app(), token, number)
        config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none", timeout_graceful_shutdown=1, server_header=False)
        listener.listen(64)
        threading.Thread(target=lab.warm_up, daemon=True, name="warming up").start()
        ready(f"http://{LOOPBACK}:{number}/{token}/")
        uvicorn.Server(config).run(sockets=[listener])
