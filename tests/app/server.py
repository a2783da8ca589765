"""A real server in a process of its own, and a client that speaks to it as a program would."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from leadline.app.accounts import Accounts
from leadline.app.database import Database, sqlite_url
from leadline.app.opening import DATABASE
from leadline.cli.judge import WAY_IN
from tests.cli.program import command


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Server:
    process: subprocess.Popen[bytes]
    address: str
    log: Path
    folder: Path

    def link(self) -> str:
        """The link that lets somebody in: the one of the owner, or the first organiser's."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with contextlib.suppress(FileNotFoundError):
                found = (self.folder / WAY_IN).read_text(encoding="utf-8").strip()
                if found:
                    return found
            time.sleep(0.02)
        raise AssertionError(self.said())

    def kill(self) -> None:
        """End it as a power cut would: nothing is flushed, nobody is told."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")


def start(
    folder: Path, *options: object, port: int | None = None, files: int | None = None
) -> Server:
    """A server that answers; `files` is how many the system lets it have open."""
    limited = [] if files is None else ["prlimit", f"--nofile={files}"]
    port = port or free_port()
    log = folder.parent / f"server-{port}.log"
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*limited, *command(), "judge", str(folder), "--port", str(port), *map(str, options)],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
    server = Server(process, f"http://127.0.0.1:{port}", log, folder)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AssertionError(server.said())
        with contextlib.suppress(httpx.HTTPError):
            httpx.get(f"{server.address}/static/icon.svg", timeout=5)
            return server
        time.sleep(0.05)
    server.kill()
    raise AssertionError(f"no answer within a minute: {server.said()}")


@contextlib.contextmanager
def serving(folder: Path, *options: object) -> Iterator[Server]:
    server = start(folder, *options)
    try:
        yield server
    finally:
        server.stop()


class Client(httpx.Client):
    """Someone with a cookie; every change carries the token."""

    def __init__(self, address: str, **more: Any) -> None:
        super().__init__(base_url=address, timeout=30, **more)
        self.csrf = ""

    def come_in(self, server: Server) -> "Client":
        """As whoever started the server, where there is no sign-in."""
        assert self.get(httpx.URL(server.link()).path).status_code == 200
        self.csrf = self.get("/api/me").json()["csrf"]
        return self

    def send(self, request: httpx.Request, **more: Any) -> httpx.Response:
        if self.csrf and request.method == "POST":
            request.headers.setdefault("X-Leadline-CSRF", self.csrf)
        return super().send(request, **more)


def tokens(
    folder: Path, names: list[str], database: str | None = None, **person: Any
) -> dict[str, str]:
    """Tokens of assessors, made before the server holds the database."""
    held = Database(database or sqlite_url(folder / DATABASE))
    try:
        accounts = Accounts(held)
        person = {"role": "assessor", **person}
        return {name: accounts.token(accounts.add(name, **person)) for name in names}
    finally:
        held.close()


def with_token(address: str, token: str) -> httpx.Client:
    return httpx.Client(base_url=address, timeout=30, headers={"Authorization": f"Bearer {token}"})
