"""Events: one when something changed, and none once it is over."""

import asyncio
import json
from typing import Any

import pytest

from leadline.app import snapshot as events
from leadline.app.accounts import Person, SignedIn
from leadline.app.room import Unavailable
from leadline.app.site import Site
from leadline.app.snapshot import stream
from tests.app.visitors import judge, signed_in

ANN = SignedIn(Person("ann", "organiser"), "csrf")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "PAUSE", 0.001)
    monkeypatch.setattr(events, "SHARE", 0.0)


def data(text: str) -> Any:
    name, number, line = text.splitlines()[:3]
    assert name == "event: standing"
    made = json.loads(line.removeprefix("data: "))
    assert number == f"id: {made['version']}"
    return made


def test_a_change_is_sent_once_and_closing_ends_it(site: Site) -> None:
    bob = signed_in(site, "bob")

    async def look() -> list[str]:
        seen = []
        async for text in stream(site, ANN):
            seen.append(text)
            if len(seen) == 2:
                await asyncio.to_thread(judge, bob, 1)
            if len(seen) > 2 and data(seen[-1])["judged"]:
                site.closing.set()
        return seen

    first, *rest = asyncio.run(look())
    assert first == "retry: 2000\n\n"
    judged = [data(text)["judged"] for text in rest]
    assert (judged[0], judged[-1]) == (0, 1)
    versions = [data(text)["version"] for text in rest]
    assert versions == sorted(set(versions))


def test_a_sign_of_life_comes_where_nothing_changes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "SIGN_OF_LIFE", 0.0)

    async def look() -> list[str]:
        seen = []
        async for text in stream(site, ANN):
            seen.append(text)
            if len(seen) == 4:
                site.closing.set()
        return seen

    assert asyncio.run(look())[2:] == [": still here\n\n"] * 2


def test_no_pause_is_so_long_that_the_page_is_not_live(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # To look took long, for instance because many did.
    monkeypatch.setattr(events, "SHARE", 1e9)
    monkeypatch.setattr(events, "LONGEST", 0.01, raising=False)
    bob, first, came = signed_in(site, "bob"), [], []

    async def look() -> None:
        async for text in stream(site, ANN):
            if text.startswith("event") and not first:
                first.append(data(text)["version"])
                await asyncio.to_thread(judge, bob, 1)
            elif text.startswith("event") and data(text)["judged"]:
                came.append(text)
                site.closing.set()

    asyncio.run(asyncio.wait_for(look(), 20))
    assert came


@pytest.mark.parametrize("shut", ["close", "sign out"])
def test_who_is_signed_in_no_more_sees_no_more(
    site: Site, monkeypatch: pytest.MonkeyPatch, shut: str
) -> None:
    monkeypatch.setattr(events, "MAY_STAY", 0.0)
    secret = site.accounts.sign_in(site.accounts.add("eve", "organiser"))
    eve = site.accounts.enter("account", secret)
    assert eve is not None

    async def look() -> int:
        seen = 0
        async for _ in stream(site, eve):
            seen += 1
            if seen == 2 and shut == "close":
                site.accounts.close("eve")
            elif seen == 2:
                site.accounts.forget("account", secret)
        return seen

    assert asyncio.run(asyncio.wait_for(look(), 20)) == 2


def test_a_database_that_does_not_answer_is_asked_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = site.snapshots.now, []

    def now() -> dict[str, Any]:
        asked.append(1)
        if len(asked) == 1:
            raise Unavailable("gone")
        site.closing.set()
        return real()

    monkeypatch.setattr(site.snapshots, "now", now)

    async def look() -> list[str]:
        return [text async for text in stream(site, ANN)]

    assert len(asyncio.run(look())) == 2
    assert len(asked) == 2
