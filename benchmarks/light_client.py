"""A client that costs little: the load's own work must not show in what it measures."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class LightClient:
    """One connection that is kept, one request at a time, with a token."""

    port: int
    token: str
    _reader: asyncio.StreamReader | None = field(default=None, init=False)
    _writer: asyncio.StreamWriter | None = field(default=None, init=False)

    async def post(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        """Status and what the answer says; tried again if the server had closed the connection."""
        try:
            return await self._post(path, body)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.close()
            return await self._post(path, body)

    async def _post(self, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        sent = b"" if body is None else json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        self._writer.write(head.encode() + sent)
        told = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(told.partition("content-length:")[2].split("\r\n")[0])
        answer = await self._reader.readexactly(length)
        return int(told.split(" ", 2)[1]), json.loads(answer)

    def close(self) -> None:
        """Let go of the connection."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None
