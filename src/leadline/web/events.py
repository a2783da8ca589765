"""Server-sent events: what the organiser sees, sent when it changes."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from leadline.judging.room.room_lock import Unavailable
from leadline.web.person import SignedIn

if TYPE_CHECKING:
    from leadline.web.site import Site

PAUSE = 0.5
SHARE = 25.0
"""A pause is so many times as long as what it took to look, so that looking costs little."""

LONGEST = 10.0
"""Seconds that a pause lasts at most, since the page calls what it shows live."""

SIGN_OF_LIFE = 15.0
MAY_STAY = 2.0
"""Seconds after which it is looked up again whether somebody may still look."""


async def stream(site: "Site", who: SignedIn) -> AsyncIterator[str]:
    """Events until the server closes, or this one may not look any more."""
    site.streams[who.person.name] += 1
    try:
        async for event in _events(site, who):
            yield event
    finally:
        site.streams[who.person.name] -= 1


async def _events(site: "Site", who: SignedIn) -> AsyncIterator[str]:
    seen, last, due, looked = -1, time.monotonic(), 0.0, time.monotonic()
    yield "retry: 2000\n\n"
    while not site.closing.is_set():
        now = time.monotonic()
        if now - looked > MAY_STAY:
            looked = now
            with contextlib.suppress(SQLAlchemyError):
                if await site.aside(site.accounts.look_up, who.use, who.hash) is None:
                    return
        if site.snapshots.version != seen and now >= due:
            try:
                made = await run_in_threadpool(site.snapshots.now)
                seen = made["version"]
                yield f"event: standing\nid: {seen}\ndata: {json.dumps(made)}\n\n"
                last = time.monotonic()
                due = last + min(LONGEST, SHARE * (last - now))
            except (Unavailable, SQLAlchemyError):
                due = time.monotonic() + PAUSE
        elif now - last > SIGN_OF_LIFE:
            last = now
            yield ": still here\n\n"
        try:
            await asyncio.wait_for(site.closing.wait(), PAUSE)
        except TimeoutError:
            continue
