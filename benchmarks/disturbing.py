"""Attacks on a judging server through its proxy, all at once, each from an address of its own.

Slow bodies (a byte every eight seconds), readers that never read, wrong passwords, large bodies of
nobody, and a document with a title of 30 MB that is opened again and again. It runs in a process of
its own, since its work would otherwise hold up the clocks of those who are measured:
`python -m benchmarks.disturbing PORT TOKEN TOPIC DOC`, until it is ended. It prints every ten
seconds what it has done.
"""

import asyncio
import contextlib
import json
import os
import resource
import socket
import sys
from collections import Counter
from pathlib import Path

import httpx

SLOW, READERS, WRONG = 1_000, 1_000, 580
LARGE = 100 * 1024 * 1024
TITLE = 30 * 1024 * 1024
AGAIN = 0.5
done: Counter[str] = Counter()


def write_long_document(folder: Path, topic: str, doc: str) -> None:
    """A document with a title of 30 MB and a megabyte of text full of the query's word."""
    text = "tides and so on, as it goes. " * 35_000
    document = {"id": doc, "title": "<" * TITLE, "text": text}
    (folder / "docs.jsonl").write_text(json.dumps(document), encoding="utf-8")
    (folder / "topics.tsv").write_text(f"topic\tquery\n{topic}\ttides\n", encoding="utf-8")


def _request(path: str, length: int = 0, method: str = "POST") -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode()
    )


async def _connection(port: int, place: str) -> socket.socket:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.setblocking(False)
    try:
        one.bind((place, 0))
        await asyncio.get_running_loop().sock_connect(one, ("127.0.0.1", port))
    except BaseException:
        one.close()
        raise
    return one


async def slow_body(port: int, place: str) -> None:
    """Send a body byte by byte, on ever new connections."""
    loop = asyncio.get_running_loop()
    while True:
        with contextlib.suppress(OSError):
            one = await _connection(port, place)
            try:
                await loop.sock_sendall(one, _request("/sign-in", 1_000))
                done["slow bodies"] += 1
                for _ in range(1_000):
                    await asyncio.sleep(8)
                    await loop.sock_sendall(one, b"x")
                    done["slow bytes"] += 1
            finally:
                one.close()
        await asyncio.sleep(1)


async def slow_reader(port: int, place: str) -> None:
    """Ask fifty times on one connection and read nothing."""
    loop = asyncio.get_running_loop()
    asked = _request("/static/organise.js", method="GET") * 50
    while True:
        with contextlib.suppress(OSError, TimeoutError):
            one = await _connection(port, place)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            try:
                async with asyncio.timeout(30):
                    await loop.sock_sendall(one, asked)
                    done["unread requests"] += 50
                    await asyncio.sleep(30)
            finally:
                one.close()
        await asyncio.sleep(1)


def _client(port: int, place: str) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(local_address=place)
    headers = {"Host": f"localhost:{port}"}
    return httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", transport=transport, headers=headers, timeout=60
    )


async def wrong_passwords(port: int, place: str) -> None:
    """All at once, again and again."""
    async with _client(port, place) as client:
        first = await client.get("/sign-in")
        form = first.text.partition('name="form" value="')[2].partition('"')[0]
        # A refused form brings a new cookie: it is left out, so that every password is checked.
        kept = {"Cookie": f"leadline_form={form}"}

        async def one(n: int) -> None:
            data = {"form": form, "name": f"a{n % 20}", "password": f"a wrong password {n}"}
            client.cookies.clear()
            with contextlib.suppress(httpx.HTTPError):
                answer = await client.post("/sign-in", data=data, headers=kept)
                done[f"wrong password: {answer.status_code}"] += 1

        while True:
            await asyncio.gather(*(one(n) for n in range(WRONG)))
            await asyncio.sleep(AGAIN)


async def large_bodies(port: int, place: str) -> None:
    """A hundred megabytes of nobody."""

    async def pieces() -> "object":
        for _ in range(LARGE // (1 << 16)):
            yield b"[{},{},{}]" * 6_553 + b"      "

    async with _client(port, place) as client:
        while True:
            try:
                asked = "/api/import/file?format=qrels&by=x"
                answer = await client.post(asked, content=pieces())  # type: ignore[arg-type]
                done[f"large body: {answer.status_code}"] += 1
            except httpx.HTTPError:
                done["large body: cut off"] += 1
            await asyncio.sleep(AGAIN)


async def keep_opening(port: int, place: str, token: str, topic: str, doc: str) -> None:
    """The long document, again and again, as an organiser."""
    async with _client(port, place) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        while True:
            with contextlib.suppress(httpx.HTTPError):
                answer = await client.get("/api/document", params={"topic": topic, "doc": doc})
                done[f"long document: {answer.status_code}, {len(answer.content):,} bytes"] += 1
            await asyncio.sleep(AGAIN)


async def tell() -> None:
    """What was done so far."""
    while True:
        await asyncio.sleep(10)
        print("; ".join(f"{what} {n:,}" for what, n in sorted(done.items())), flush=True)


async def disturb(port: int, token: str, topic: str, doc: str) -> None:
    """All attacks at once, with what the machine has left: attackers have machines of their own."""
    os.nice(19)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SLOW + READERS + WRONG + 500
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    await asyncio.gather(
        *(slow_body(port, "127.0.0.66") for _ in range(SLOW)),
        *(slow_reader(port, "127.0.0.67") for _ in range(READERS)),
        wrong_passwords(port, "127.0.0.68"),
        large_bodies(port, "127.0.0.69"),
        keep_opening(port, "127.0.0.70", token, topic, doc),
        tell(),
    )


if __name__ == "__main__":
    asyncio.run(disturb(int(sys.argv[1]), *sys.argv[2:]))
