"""A lab as a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.commands import COMMAND


class RunningLab:
    """A server process on a card file."""

    def __init__(self, file: Path, *options: str):
        command = [*COMMAND, "lab", "--cards", str(file), "--no-open", "--pilot", "greedy", "--jobs", "2", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=file.parent)
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        assert line.startswith("The lab: "), line + (self.process.stderr.read() if self.process.poll() is not None else "")  # type: ignore[union-attr]
        self.address = line.split()[-1]
        self.host = self.address.split("/")[2]
        self.token = self.address.split("/")[3]

    def request(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, token: str | None = None) -> tuple[int, str]:
        """The status and the text of an answer."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        sent = json.dumps(body) if body is not None else None
        head = ({"Content-Type": "application/json"} if body is not None else {}) | (headers or {})
        connection.request(method, f"/{self.token if token is None else token}{path}", sent, head)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def ask(self, what: str, body: Any = None) -> dict[str, Any]:
        """The answer to a question that is not refused."""
        status, text = self.request("GET" if body is None else "POST", f"/{what}", body)
        assert status == 200, text
        return json.loads(text)

    def listen(self, question: str) -> Iterator[dict[str, Any]]:
        """The events of a question, as they come in; left, the connection is closed."""
        return self.events(f"answer/{question}")

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """The events of a stream."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("GET", f"/{self.token}/{path}")
        response = connection.getresponse()
        try:
            for raw in response:
                line = raw.decode().strip()
                if line == "event: end":
                    return
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))
        finally:
            response.close()
            connection.close()

    def end(self, how: int = signal.SIGINT) -> tuple[int, str]:
        """End the process; its exit code and what it said on stderr."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said
