"""Killed again and again: every acknowledged judgment is there, none twice, no pair over k."""

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from leadline.app.database import Database, sqlite_url
from leadline.app.opening import DATABASE
from leadline.app.sql_ledger import SqlLedger
from leadline.judging.ledger import Entry, in_force
from leadline.judging.project import Project, write_project
from tests.app.postgres import Postgres, can_run_postgres
from tests.app.server import free_port, start, tokens, with_token

CLIENTS = 20
PER_PAIR = 2


def made_runs(folder: Path, n_runs: int = 6, n_topics: int = 20, depth: int = 400) -> Path:
    """Runs with more documents than anybody judges before the last kill."""
    (folder / "runs").mkdir(parents=True)
    for run in range(n_runs):
        lines = [
            f"{topic} Q0 d{(rank * (run + 1) * 7 + topic) % 1009:04} {rank} {depth - rank} r{run}"
            for topic in range(1, n_topics + 1)
            for rank in range(depth)
        ]
        (folder / "runs" / f"run{run}.txt").write_text("\n".join(lines) + "\n")
    write_project(
        folder,
        Project(
            order="MoffatA(p=0.9)",
            stop="",
            topics="",
            assessors_per_document=PER_PAIR,
            lease_minutes=30.0,
        ),
    )
    return folder


@dataclass
class Judge(threading.Thread):
    """Judges as fast as it can; what was acknowledged is remembered, what was not is sent again."""

    who: str
    client: httpx.Client
    over: threading.Event
    acknowledged: list[tuple[str, str, int]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lost: int = 0

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def ask(self, path: str, body: dict[str, object] | None = None) -> dict[str, object] | None:
        while not self.over.is_set():
            try:
                answer = self.client.post(path, json=body)
            except httpx.HTTPError:
                time.sleep(0.02)
                continue
            if answer.status_code == 200:
                found: dict[str, object] = answer.json()
                return found
            if answer.status_code == 409 and answer.json()["code"] == "not yours":
                # A place that was lent and not yet on the disk when the database was cut off.
                path, body = "/api/next", None
                self.lost += 1
                continue
            if answer.status_code not in (429, 503):
                self.wrong.append(f"{answer.status_code} {answer.text}")
                return None
            time.sleep(0.02)
        return None

    def run(self) -> None:
        turn = self.ask("/api/next")
        while turn is not None and not self.over.is_set():
            document = turn["assignment"]
            if document is None:
                time.sleep(0.1)
                turn = self.ask("/api/next")
                continue
            topic, doc = document["topic"], document["doc"]  # type: ignore[index]
            grade = (hash((topic, doc)) + len(self.acknowledged)) % 4
            body = {"topic": topic, "doc": doc, "grade": grade, "seconds": 0.1}
            lost = self.lost
            turn = self.ask("/api/judgments", body)
            if turn is not None and lost == self.lost:
                self.acknowledged.append((topic, doc, grade))


def acknowledged(judges: list[Judge]) -> int:
    return sum(len(judge.acknowledged) for judge in judges)


def wait_for(judges: list[Judge], more: int) -> None:
    """Until so many judgments more are acknowledged: then the next kill comes, amid others."""
    wanted, end = acknowledged(judges) + more, time.monotonic() + 60
    while acknowledged(judges) < wanted and time.monotonic() < end:
        time.sleep(0.002)


def torture(folder: Path, database: str | None, kills: int) -> list[Judge]:
    names = [f"judge {number:02}" for number in range(CLIENTS)]
    secrets = tokens(folder, names, database)
    port = free_port()
    options = ["--rate", "1000"]
    if database is not None:
        options += ["--database", database]
    server = start(folder, *options, port=port)
    over = threading.Event()
    judges = [Judge(who, with_token(server.address, secrets[who]), over) for who in names]
    for judge in judges:
        judge.start()
    try:
        chance = random.Random(kills)
        for _ in range(kills):
            wait_for(judges, chance.randint(15, 60))
            server.kill()
            server = start(folder, *options, port=port)
        wait_for(judges, 20)
    finally:
        over.set()
        server.kill()
        for judge in judges:
            judge.join(40)
            judge.client.close()
    return judges


def check(judges: list[Judge], entries: list[Entry]) -> int:
    assert [judge.wrong for judge in judges if judge.wrong] == []
    there = Counter((e.who, e.topic, e.doc, e.grade) for e in entries if e.act == "judge")
    known = [(judge.who, *each) for judge in judges for each in judge.acknowledged]
    missing = [each for each in known if each not in there]
    assert missing == [], f"{len(missing)} of {len(known)} acknowledged are lost"
    twice = Counter((e.who, e.topic, e.doc) for e in entries if e.act == "judge")
    assert max(twice.values()) == 1, "a judgment is there twice"
    per_pair = Counter((e.topic, e.doc) for e in in_force(entries) if e.act == "judge")
    assert max(per_pair.values()) <= PER_PAIR, "a pair was judged by too many"
    # One a client may be written and not acknowledged when the last kill comes.
    assert len(known) <= len(entries) <= len(known) + CLIENTS
    return len(known)


def entries_of(url: str) -> list[Entry]:
    held = Database(url)
    try:
        return SqlLedger(held).entries
    finally:
        held.close()


def sqlite(tmp_path: Path, kills: int) -> None:
    folder = made_runs(tmp_path / "project", n_topics=min(20, 2 + kills))
    judges = torture(folder, None, kills)
    n = check(judges, entries_of(sqlite_url(folder / DATABASE)))
    assert sum(judge.lost for judge in judges) == 0
    print(f"SQLite: {kills} kills, {n:,} judgments acknowledged and all there")
    assert n >= 15 * kills


def postgresql(tmp_path: Path, kills: int) -> None:
    folder = made_runs(tmp_path / "project", n_topics=min(20, 2 + kills))
    with Postgres() as server:
        url = server.database("judging")
        judges = torture(folder, url, kills)
        n = check(judges, entries_of(url))
    print(f"PostgreSQL: {kills} kills, {n:,} judgments acknowledged and all there")
    assert n >= 15 * kills


needs_postgres = pytest.mark.skipif(
    not can_run_postgres(), reason="needs a PostgreSQL server: apt-get install postgresql"
)


def test_a_kill_on_sqlite_loses_nothing(tmp_path: Path) -> None:
    sqlite(tmp_path, 1)


@pytest.mark.slow
def test_a_hundred_kills_on_sqlite_lose_nothing(tmp_path: Path) -> None:
    sqlite(tmp_path, 100)


@pytest.mark.slow
@needs_postgres
def test_fifty_kills_on_postgresql_lose_nothing(tmp_path: Path) -> None:
    postgresql(tmp_path, 50)
