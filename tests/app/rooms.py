"""Rooms over small collections, in a database in memory or in a file."""

from pathlib import Path

from leadline.app.database import Database, sqlite_url
from leadline.app.room import Room
from leadline.app.sql_ledger import SqlLedger
from leadline.data.runs import Runs
from leadline.judging.order import orders
from leadline.judging.project import Rules
from leadline.judging.session import Session
from leadline.judging.stops import stops
from tests.collections import Small


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def some_runs(n_docs: int = 8) -> Runs:
    docs = [f"d{number}" for number in range(n_docs)]
    lists = {"a": {"1": docs, "2": docs[::-1]}, "b": {"1": docs[::-1], "2": docs[1:]}}
    return Small(lists, {"1": {}, "2": {}}, 1).tables()[0]


def room_over(
    database: Database,
    runs: Runs,
    rules: Rules | None = None,
    order: str = "CertainWinner(p=0.8)",
    stop: str = "",
    clock: Clock | None = None,
) -> Room:
    made = orders.parse(order)
    rule = stops.parse(stop) if stop else None
    return Room(
        lambda: Session(runs, made, rule), SqlLedger(database), rules or Rules(), clock or Clock()
    )


def in_file(path: Path) -> Database:
    return Database(sqlite_url(path))
