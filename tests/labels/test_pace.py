"""Asks wait as long as they are told to, and no longer than that makes sense."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from leadline.labels.client import LONGEST_BACKOFF, Pace, retry_after


def test_waits_double_and_end_somewhere() -> None:
    pace = Pace(backoff=1.0)
    for failures in range(1, 7):
        assert 0.5 * 2 ** (failures - 1) <= pace.after(failures) <= 2 ** (failures - 1)
    assert pace.after(5000) <= LONGEST_BACKOFF


def test_nobody_goes_while_one_was_told_to_rest() -> None:
    async def both() -> float:
        pace = Pace()
        pace.rest(0.05)
        pace.rest(0.01)
        begin = time.monotonic()
        await asyncio.gather(pace.turn(), pace.turn())
        return time.monotonic() - begin

    assert asyncio.run(both()) >= 0.05


def test_so_many_a_minute() -> None:
    async def four() -> float:
        pace = Pace(per_minute=3000)
        begin = time.monotonic()
        await asyncio.gather(*(pace.turn() for _ in range(4)))
        return time.monotonic() - begin

    assert asyncio.run(four()) >= 3 * 0.02


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1", "retry-after-ms": "20"}, 0.02),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 99 Oct"}, None),
    ],
)
def test_what_retry_after_says(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_is_a_time_to_wait_for() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3000 < (retry_after({"retry-after": date}) or 0) <= 3600
