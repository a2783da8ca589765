"""PostgreSQL restarted under load while a second server tries to start: one owner at any time."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from leadline.app.database import Database, NotHeld
from tests.app.postgres import Postgres
from tests.app.server import free_port, serving, start, tokens, with_token
from tests.app.test_durability import (
    CLIENTS,
    Judge,
    check,
    entries_of,
    made_runs,
    needs_postgres,
    wait_for,
)
from tests.cli.program import command


class Rival(threading.Thread):
    """Starts a second server on the project, again and again; one that answers is remembered."""

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(daemon=True)
        self.folder, self.url = folder, url
        self.over = threading.Event()
        self.tries = 0
        self.answered = 0

    def run(self) -> None:
        while not self.over.is_set():
            port = free_port()
            typed = [*command(), "judge", str(self.folder), "--port", str(port)]
            process = subprocess.Popen(
                [*typed, "--database", self.url],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
            )
            self.tries += 1
            while process.poll() is None and not self.over.is_set():
                with contextlib.suppress(httpx.HTTPError):
                    httpx.get(f"http://127.0.0.1:{port}/static/icon.svg", timeout=2)
                    # It has the project now; so that the first one can have it again, it ends.
                    self.answered += 1
                    process.kill()
                time.sleep(0.1)
            process.kill()
            process.wait()


def restarted(tmp_path: Path, restarts: int) -> None:
    folder = made_runs(tmp_path / "project")
    names = [f"judge {number:02}" for number in range(CLIENTS)]
    with Postgres() as database:
        url = database.database("judging")
        secrets = tokens(folder, names, url)
        server = start(folder, "--rate", 1000, "--database", url)
        over = threading.Event()
        judges = [Judge(who, with_token(server.address, secrets[who]), over) for who in names]
        rival = Rival(folder, url)
        try:
            for thread in (*judges, rival):
                thread.start()
            chance = random.Random(restarts)
            for _ in range(restarts):
                wait_for(judges, chance.randint(15, 60))
                database.stop()
                time.sleep(chance.random() * 0.3)
                database.start()
            wait_for(judges, 20)
        finally:
            over.set()
            rival.over.set()
            server.stop()
            for thread in (*judges, rival):
                thread.join(60)
            for judge in judges:
                judge.client.close()
        n = check(judges, entries_of(url))
        assert "Traceback" not in server.said(), server.said()[-3000:]
    print(
        f"{restarts} restarts, {n:,} judgments acknowledged and all there; a second server tried "
        f"{rival.tries} times and had the project {rival.answered} times"
    )
    assert n >= 15 * restarts
    assert rival.tries > 0
    assert rival.answered == 0


@needs_postgres
def test_a_restart_of_postgresql_loses_nothing(tmp_path: Path) -> None:
    restarted(tmp_path, 1)


@needs_postgres
def test_whoever_held_it_has_it_again_after_a_restart_although_nobody_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Postgres() as server:
        url = server.database("judging")
        Database(url).close()
        begin = time.monotonic()
        first = Database(url)
        assert time.monotonic() - begin < 3, "nobody holds it: there is nobody to wait for"
        held = first.epoch
        # While it cannot come back, another one waits, and is there first.
        monkeypatch.setattr("leadline.app.database.LOOK_EVERY", 1.0)
        time.sleep(0.5)
        server.stop()
        server.start()
        monkeypatch.setattr("leadline.app.database.PATIENCE", 0.2)
        with pytest.raises(ValueError, match="in use"):
            Database(url)
        with first.transaction():
            assert first.epoch == held
        # One that had the project meanwhile is found out, whether the lock is ours again or not.
        with first.engine.begin() as other:
            other.exec_driver_sql("UPDATE owner SET epoch = epoch + 2")
        with pytest.raises(NotHeld), first.transaction():
            pass
        server.stop()
        server.start()
        time.sleep(1)
        with pytest.raises(NotHeld), first.transaction():
            pass
        # It does not stand in the way of others either.
        Database(url).close()
        first.hold_again()
        with first.transaction():
            assert first.epoch == held + 6
        first.close()
        Database(url).close()


@pytest.mark.slow
@needs_postgres
def test_twenty_restarts_of_postgresql_lose_nothing(tmp_path: Path) -> None:
    restarted(tmp_path, 20)


@contextlib.contextmanager
def hanging(database: Postgres) -> Iterator[None]:
    """It neither answers nor goes away."""
    stopped = database.processes()
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)


@needs_postgres
def test_a_postgresql_that_hangs_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = made_runs(tmp_path / "project", n_runs=2, n_topics=2, depth=50)
    with Postgres() as database:
        url = database.database("judging")
        secrets = tokens(folder, ["ann", "bob"], url)
        with serving(folder, "--database", url, "--accounts") as server:
            ann, bob = (with_token(server.address, secrets[who]) for who in ("ann", "bob"))
            document = ann.post("/api/next").json()["assignment"]
            pair = {"topic": document["topic"], "doc": document["doc"]}
            bob.post("/api/next")
            with hanging(database):
                slow = threading.Thread(
                    target=lambda: ann.post("/api/judgments", json={**pair, "grade": 1})
                )
                slow.start()
                time.sleep(0.3)
                begin = time.monotonic()
                answers = [bob.post("/api/next") for _ in range(3)]
                assert {answer.status_code for answer in answers} == {503}
                assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers)
                for path in ("/static/judge.js", "/sign-in"):
                    assert httpx.get(f"{server.address}{path}", timeout=2).status_code == 200
                out = httpx.post(f"{server.address}/sign-out", timeout=2)
                assert out.status_code == 303
                slow.join()
                # One waits until the connection is cut off; nobody waits for ever.
                assert time.monotonic() - begin < 25
            end = time.monotonic() + 30
            while (
                told := ann.post("/api/judgments", json={**pair, "grade": 1})
            ).status_code != 200:
                assert time.monotonic() < end, told.text
                time.sleep(0.2)
            ann.close()
            bob.close()
