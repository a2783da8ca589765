"""A campaign kept by PostgreSQL: topics, gold, messages, the log; backups go to SQLite and back."""

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leadline.app.backup import back_up, restore
from leadline.app.database import Database
from leadline.app.gold import Gold, GoldQuestion
from leadline.app.room import Assessor
from leadline.app.sql_ledger import AuditLog, MessagesToAll, SqlLedger
from leadline.judging.project import Rules
from tests.app.postgres import Postgres, can_run_postgres
from tests.app.rooms import in_file, room_over, some_runs

ANN = Assessor("ann")


@pytest.mark.skipif(not can_run_postgres(), reason="needs a PostgreSQL server")
def test_a_campaign_on_postgresql_and_its_backup(tmp_path: Path) -> None:
    rules = Rules(per_pair=2, topic_batch=3, take_topics=True)
    with Postgres() as server:
        database = Database(server.database("one"))
        room = room_over(database, some_runs(), rules, "MoffatA(p=0.8)")
        room.adjudicate(Assessor("boss"), room.state.pair("1", "d0"), 1)
        room.gold.put([GoldQuestion("1", "d0", 1, "why", training=True)])
        room.state.topics.holders.assign("2", ["ben"])
        messages, audit_log = MessagesToAll(database), AuditLog(database)
        messages.send("boss", "hello")
        messages.withdraw(messages.send("boss", "gone").id)
        audit_log.add("boss", "close", "x")
        answers = [room.judge(ANN, room.next(ANN) or 0, 1) for _ in range(4)]
        assert [answer is not None for answer in answers] == [True, False, False, False]
        first = room.ledger.entries[1]
        room.revise(ANN, room.state.pair(first.topic, first.doc), 0)
        with pytest.raises(DBAPIError, match="append-only"), database.engine.begin() as connection:
            connection.execute(text("DELETE FROM deed"))
        beside = Database(str(database.engine.url.render_as_string(False)), hold=False)
        assert back_up(beside, tmp_path / "kept.gz", "") == 6
        beside.close()
        # Into SQLite, from there into PostgreSQL again, and on from there.
        small = in_file(tmp_path / "x.sqlite")
        assert restore(small, tmp_path / "kept.gz") == 6
        back_up(small, tmp_path / "again.gz", "")
        other = Database(server.database("two"))
        assert restore(other, tmp_path / "again.gz") == 6
        for found in (small, other):
            assert SqlLedger(found).entries == room.ledger.entries
            assert Gold(found).answers == room.gold.answers
            assert MessagesToAll(found).all == messages.all
            assert AuditLog(found).last(5) == audit_log.last(5)
        again = room_over(other, some_runs(), rules, "MoffatA(p=0.8)")
        assert again.state.topics.holders.by_topic == room.state.topics.holders.by_topic
        again.judge(ANN, again.next(ANN) or 0, 1)
        AuditLog(other).add("boss", "go on")
        assert again.ledger.check().wrong is None
        for held in (database, small, other):
            held.close()
