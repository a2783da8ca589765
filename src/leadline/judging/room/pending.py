"""What is to be written by one commit: several acts that are answered together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from leadline.judging.ledger import Entry
from leadline.judging.room.sql_ledger import Place


@dataclass
class Pending:
    """Entries and places in the order in which they came, all or none of which will be written."""

    entries: list[Entry] = field(default_factory=list)
    kept: list[Place] = field(default_factory=list)
    freed: list[Place] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.entries or self.kept or self.freed)

    def bars(self, freed: Sequence[Place]) -> bool:
        """Whether these can only be freed after this is written: what is freed goes first."""
        here = {(place.topic, place.doc, place.who) for place in self.kept}
        return any((place.topic, place.doc, place.who) in here for place in freed)

    def add(self, entries: Sequence[Entry], kept: Sequence[Place], freed: Sequence[Place]) -> None:
        """Write this too."""
        self.entries += entries
        self.kept += kept
        self.freed += freed
