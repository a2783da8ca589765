"""Whoever comes is let in at once, and slowly while too many are inside who say nothing."""

import asyncio
import socket
import time
from typing import Any

import pytest

from leadline.web import doorway
from leadline.web.connections import Connections
from leadline.web.serve import listen
from tests.web.server import free_port

COME = 20


async def seconds_to_let_in(held: Connections) -> float:
    inside: list[object] = []

    class Inside(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            inside.append(transport)

    port = free_port()
    with listen("127.0.0.1", port) as door:
        task = asyncio.create_task(doorway.let_in(door, Inside, held))
        knocking = [socket.create_connection(("127.0.0.1", port)) for _ in range(COME)]
        begun = time.monotonic()
        while len(inside) < COME:
            await asyncio.sleep(0.001)
        took = time.monotonic() - begun
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for transport in inside:
            transport.close()  # type: ignore[attr-defined]
        for each in knocking:
            each.close()
    return took


def test_all_come_in_and_while_many_say_nothing_one_after_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doorway, "PAUSE", 0.05)
    held = Connections(10)
    quick = asyncio.run(seconds_to_let_in(held))
    silent: dict[Any, None] = dict.fromkeys(range(doorway.MANY + 1))
    held.silent = silent
    slow = asyncio.run(seconds_to_let_in(held))
    assert slow >= (COME - 1) * 0.05 > quick


async def let_in_after_one_that_breaks() -> int:
    tried: list[int] = []

    def create() -> asyncio.Protocol:
        tried.append(1)
        if len(tried) == 1:
            raise ZeroDivisionError
        return asyncio.Protocol()

    port = free_port()
    with listen("127.0.0.1", port) as door:
        task = asyncio.create_task(doorway.let_in(door, create, Connections(10)))
        knocking = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        end = time.monotonic() + 10
        while len(tried) < 3 and not task.done() and time.monotonic() < end:
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for each in knocking:
            each.close()
    return len(tried)


def test_one_that_breaks_shuts_out_nobody_else() -> None:
    assert asyncio.run(let_in_after_one_that_breaks()) == 3
