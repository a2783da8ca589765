"""Letting connections in: at once as a rule, slowly while many come that say nothing.

To let one in costs far more than to knock. Whoever knocks without end would keep the server busy
with that alone, so that those who are inside wait.
"""

import asyncio
import logging
import socket
from collections.abc import Callable

from leadline.web.connections import Connections

MANY = 64
"""Connections that have said nothing, from which on others are let in slowly."""

PAUSE = 0.004
"""Seconds between two who are let in slowly."""

NO_FILES = 0.5
"""Seconds to wait where the system has no file left for a connection."""

log = logging.getLogger(__name__)


async def let_in(
    door: socket.socket, create: Callable[[], asyncio.BaseProtocol], held: Connections
) -> None:
    """Let in whoever comes, until cancelled."""
    loop = asyncio.get_running_loop()
    door.setblocking(False)
    while True:
        try:
            come, _ = await loop.sock_accept(door)
        except OSError as error:
            gone = isinstance(error, ConnectionError)
            await asyncio.sleep(0 if gone else NO_FILES)
            continue
        try:
            await loop.connect_accepted_socket(create, come)
        except Exception as error:
            # Whatever is wrong with one of them is no reason to let in nobody else.
            log.warning("a connection could not be let in: %s", type(error).__name__)
            come.close()
        if len(held.silent) > MANY:
            await asyncio.sleep(PAUSE)
