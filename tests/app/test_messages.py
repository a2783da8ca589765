"""Messages to all: the last one that was not withdrawn is shown, also after a restart."""

from pathlib import Path

from leadline.app.sql_ledger import MessagesToAll
from tests.app.rooms import in_file


def test_the_last_message_that_was_not_withdrawn(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    messages = MessagesToAll(database)
    assert messages.current() is None
    first, second = (messages.send("boss", text) for text in ("hello", "read this"))
    assert messages.current() == second
    assert messages.withdraw(second.id)
    assert not messages.withdraw(99)
    assert messages.current() == first
    again = MessagesToAll(database)
    assert again.all == messages.all
    database.close()
