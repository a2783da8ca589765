"""The attacks that once stopped a server, in short form: signed-in people judge meanwhile.

All of them at once, in full and through nginx: `test_load.py`.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import disturbing
from leadline.app.opening import demo_project
from tests.app.server import serving, tokens, with_token
from tests.app.visitors import judge

Attack = Coroutine[Any, Any, None]
MANY, READERS, WRONG = 300, 100, 100
LONG = ("1", "sea-124")
"""The topic and the document that has a title of 30 MB."""

ATTACKS: dict[str, Callable[[int, str], list[Attack]]] = {
    "slow bodies": lambda port, _: [disturbing.slow_body(port, "127.0.0.66") for _ in range(MANY)],
    "unread requests": lambda port, _: [
        disturbing.slow_reader(port, "127.0.0.67") for _ in range(READERS)
    ],
    "wrong password: 403": lambda port, _: [disturbing.wrong_passwords(port, "127.0.0.68")],
    "large body": lambda port, _: [disturbing.large_bodies(port, "127.0.0.69")],
    "long document: 200": lambda port, token: [
        disturbing.keep_opening(port, "127.0.0.70", token, *LONG)
    ],
}
"""By what each is counted."""

HELD = {"slow bodies": MANY, "unread requests": 50 * READERS}
"""What holds connections open: so much of it comes before anybody judges, and it stays."""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a server, and tokens of an organiser and an assessor."""
    folder: Path = demo_project(tmp_path_factory.mktemp("attacked") / "sea")
    disturbing.write_long_document(folder, *LONG)
    settings = (folder / "judge.toml").read_text().replace("docs.jsonl.gz", "docs.jsonl")
    (folder / "judge.toml").write_text(settings)
    known = tokens(folder, ["ann"]) | tokens(folder, ["boss"], role="organiser")
    with serving(folder, "--accounts") as server:
        yield server.address, known


@contextmanager
def going_on(attack: list[Attack]) -> Iterator[None]:
    """Run an attack in a thread of its own until this ends."""
    loop = asyncio.new_event_loop()
    tasks: list[asyncio.Task[None]] = [loop.create_task(each) for each in attack]
    everything = asyncio.gather(*tasks, return_exceptions=True)
    thread = threading.Thread(target=loop.run_until_complete, args=[everything])
    thread.start()
    try:
        yield
    finally:
        for task in tasks:
            loop.call_soon_threadsafe(task.cancel)
        thread.join(30)
        loop.close()


def count(what: str) -> int:
    return sum(n for name, n in list(disturbing.done.items()) if name.startswith(what))


def wait_for(what: str, wanted: int) -> None:
    end = time.monotonic() + 30
    while count(what) < wanted and time.monotonic() < end:
        time.sleep(0.01)
    assert count(what) >= wanted, f"there is no attack: {dict(disturbing.done)}"


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_stops_nobody(
    attacked: tuple[str, dict[str, str]], attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, known = attacked
    monkeypatch.setattr(disturbing, "WRONG", WRONG)
    disturbing.done.clear()
    made = ATTACKS[attack](int(address.rsplit(":", 1)[1]), known["boss"])
    with going_on(made), with_token(address, known["ann"]) as ann:
        wait_for(attack, HELD.get(attack, 1))
        for grade in (0, 1, 0):
            judge(ann, grade)
        if attack not in HELD:
            wait_for(attack, count(attack) + 1)
