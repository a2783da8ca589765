"""Whose topic it is: assigned to people by an organiser, or taken whole by who began it."""

from dataclasses import dataclass, field

from sqlalchemy import delete, insert, select

from leadline.judging.room.database import Database
from leadline.judging.room.schema import topic_holders


@dataclass(frozen=True)
class Holding:
    """The people of a topic, and whether they took it themselves."""

    people: tuple[str, ...]
    taken: bool


@dataclass
class TopicHolders:
    """Topics that belong to somebody; all others are for whoever asks.

    An assigned topic is judged by those whom it is assigned to. One that was taken is open to
    others as long as fewer than k people have taken it.
    """

    database: Database
    per_pair: int
    by_topic: dict[str, Holding] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reload()

    def reload(self) -> None:
        """What the database has."""
        found: dict[str, Holding] = {}
        with self.database.engine.connect() as connection:
            rows = connection.execute(select(topic_holders).order_by(topic_holders.c.id))
            for row in rows.mappings():
                before = found.get(row["topic"], Holding((), True))
                people = (*before.people, row["who"])
                found[row["topic"]] = Holding(people, before.taken and bool(row["taken"]))
        self.by_topic = found

    def mine(self, topic: str, who: str) -> bool:
        """Whether this person has the topic."""
        held = self.by_topic.get(topic)
        return held is not None and who in held.people

    def may_have(self, topic: str, who: str) -> bool:
        """Whether this person may judge documents of the topic."""
        held = self.by_topic.get(topic)
        if held is None or who in held.people:
            return True
        return held.taken and len(held.people) < self.per_pair

    def assign(self, topic: str, people: list[str]) -> None:
        """The topic is these people's from now on; nobody's if there are none."""
        self._write(topic, Holding(tuple(dict.fromkeys(people)), False))

    def take(self, topic: str, who: str) -> None:
        """The topic is this person's, whole, unless it is already."""
        if not self.mine(topic, who):
            held = self.by_topic.get(topic, Holding((), True))
            self._write(topic, Holding((*held.people, who), held.taken))

    def give_up(self, who: str) -> list[str]:
        """This person has no topic any more; those that the person had."""
        gone = [topic for topic in self.by_topic if self.mine(topic, who)]
        for topic in gone:
            held = self.by_topic[topic]
            rest = tuple(each for each in held.people if each != who)
            self._write(topic, Holding(rest, held.taken))
        return gone

    def _write(self, topic: str, held: Holding) -> None:
        rows = [{"topic": topic, "who": who, "taken": held.taken} for who in held.people]
        with self.database.transaction() as connection:
            connection.execute(delete(topic_holders).where(topic_holders.c.topic == topic))
            if rows:
                connection.execute(insert(topic_holders), rows)
        if rows:
            self.by_topic[topic] = held
        else:
            self.by_topic.pop(topic, None)
