"""The log of who did what: the latest first, and never changed."""

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leadline.app.sql_ledger import AuditLog
from tests.app.rooms import in_file


def test_deeds_are_kept_and_read_piece_by_piece(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    audit_log = AuditLog(database, lambda: "now")
    for number in range(5):
        audit_log.add("boss", "close", f"person {number}")
    last = audit_log.last(2)
    assert [deed.about for deed in last] == ["person 4", "person 3"]
    assert [deed.about for deed in audit_log.last(9, last[-1].id)] == [
        "person 2",
        "person 1",
        "person 0",
    ]
    for statement in ("UPDATE deed SET who = 'x'", "DELETE FROM deed"):
        with pytest.raises(DBAPIError, match="append-only"), database.engine.begin() as connection:
            connection.execute(text(statement))
    database.close()
