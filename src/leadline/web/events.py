"""Server-sent events: what the organiser sees, sent when it changes."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from leadline.judging.room.room import Unavailable
from leadline.web.accounts import SignedIn

if TYPE_CHECKING:
    from leadline.web.site import Site

PAUSE = 0.5
SHARE = 25.0
"""A pause is so many times as long as what it took to look, so that looking costs little."""

SIGN_OF_LIFE = 15.0


async def stream(site: "Site", who: SignedIn) -> AsyncIterator[str]:
    """Events until the server closes, or this one may not look any more."""
    seen, last, pause = -1, time.monotonic(), PAUSE
    yield "retry: 2000\n\n"
    while not site.closing.is_set() and site.accounts.may_stay(who):
        if site.judging.room.version != seen:
            begin = time.monotonic()
            try:
                made = await run_in_threadpool(site.snapshots.now)
                seen = made["version"]
                yield f"event: standing\nid: {seen}\ndata: {json.dumps(made)}\n\n"
                last = time.monotonic()
                pause = max(PAUSE, SHARE * (last - begin))
            except Unavailable:
                pass
        elif time.monotonic() - last > SIGN_OF_LIFE:
            last = time.monotonic()
            yield ": still here\n\n"
        try:
            await asyncio.wait_for(site.closing.wait(), pause)
        except TimeoutError:
            continue
