"""What disturbs a judging server: connections that never finish a request, and a long document.

It runs in a process of its own, since its work would otherwise hold up the clocks of those who are
measured: `python -m benchmarks.disturbing PORT TOKEN TOPIC DOC`, until it is ended.
"""

import asyncio
import contextlib
import json
import resource
import socket
import sys
from pathlib import Path

HALF_OPEN = 1_100
FILES = 1_024
"""Files that the server may have open: fewer than there are half-open connections."""

REQUEST = b"POST /api/next HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n"
HITS = 35_000
AGAIN = 0.5
"""Seconds after which the document is opened again, and lost connections are made anew."""


def write_long_document(folder: Path, topic: str, doc: str) -> None:
    """A megabyte with 35,000 words of the query."""
    text = "tides and so on, as it goes. " * HITS
    (folder / "docs.jsonl").write_text(json.dumps({"id": doc, "text": text}), encoding="utf-8")
    (folder / "topics.tsv").write_text(f"topic\tquery\n{topic}\ttides\n", encoding="utf-8")


async def keep_half_open(port: int, n: int = HALF_OPEN) -> None:
    """So many connections with half a request each; those that are dropped are made anew."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = n + 500
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    held: list[socket.socket] = []
    loop = asyncio.get_running_loop()
    try:
        while True:
            held = [each for each in held if _is_open(each)]
            while len(held) < n:
                one = socket.socket()
                one.setblocking(False)
                held.append(one)
                with contextlib.suppress(OSError):
                    await loop.sock_connect(one, ("127.0.0.1", port))
                    await loop.sock_sendall(one, REQUEST)
            await asyncio.sleep(AGAIN)
    finally:
        for each in held:
            each.close()


def _is_open(one: socket.socket) -> bool:
    try:
        return one.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


async def keep_opening(port: int, token: str, topic: str, doc: str) -> None:
    """The long document, again and again, as an organiser."""
    import httpx

    address, headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
        while True:
            answer = await client.get("/api/document", params={"topic": topic, "doc": doc})
            assert answer.status_code == 200, answer.text[:200]
            await asyncio.sleep(AGAIN)


async def disturb(port: int, token: str, topic: str, doc: str) -> None:
    """Both at once."""
    await asyncio.gather(keep_half_open(port), keep_opening(port, token, topic, doc))


if __name__ == "__main__":
    asyncio.run(disturb(int(sys.argv[1]), *sys.argv[2:]))
