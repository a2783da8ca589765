"""Messages of organisers to everybody who judges."""

from dataclasses import asdict, dataclass

from sqlalchemy import insert, select, update

from leadline.judging.room.database import Database
from leadline.judging.room.deeds import now
from leadline.judging.room.schema import messages


@dataclass(frozen=True)
class Message:
    """What was told to all, by whom and when, and whether it was withdrawn."""

    id: int
    who: str
    time: str
    text: str
    withdrawn: bool = False


class MessagesToAll:
    """All messages, as the database has them; kept in memory, since every page asks."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.engine.connect() as connection:
            rows = connection.execute(select(messages).order_by(messages.c.id)).mappings()
            self.all = [Message(**{**row, "withdrawn": bool(row["withdrawn"])}) for row in rows]

    def current(self) -> Message | None:
        """The last one that was not withdrawn."""
        return next((each for each in reversed(self.all) if not each.withdrawn), None)

    def send(self, who: str, text: str) -> Message:
        """Tell all; everybody sees it with the next document."""
        number = 1 + max((each.id for each in self.all), default=0)
        made = Message(number, who, now(), text)
        with self.database.transaction() as connection:
            connection.execute(insert(messages), [asdict(made)])
        self.all.append(made)
        return made

    def withdraw(self, number: int) -> bool:
        """Show a message no more; whether there is one of that number."""
        at = next((at for at, each in enumerate(self.all) if each.id == number), None)
        if at is None:
            return False
        with self.database.transaction() as connection:
            gone = update(messages).where(messages.c.id == number).values(withdrawn=True)
            connection.execute(gone)
        before = self.all[at]
        self.all[at] = Message(before.id, before.who, before.time, before.text, True)
        return True
