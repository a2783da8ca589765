"""A server with accounts, to be attacked."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from tests.app.server import Client, Server


@contextlib.contextmanager
def closing_server(server: Server) -> Iterator[Server]:
    try:
        yield server
    finally:
        server.stop()


@dataclass
class Fort:
    """A server with accounts: an organiser and an assessor, signed in."""

    server: Server
    organiser: Client
    assessor: Client


def accept(address: str, link: str, password: str, **more: Any) -> Client:
    client = Client(address, **more)
    page = client.get(httpx.URL(link).path)
    form = re.search(r'name="form" value="([^"]+)"', page.text)
    assert form is not None
    done = client.post(httpx.URL(link).path, data={"form": form.group(1), "password": password})
    assert done.status_code == 303, done.text
    client.csrf = client.get("/api/me").json()["csrf"]
    return client
