"""Who has which document: k places at every pair, lent for a while, kept once judged."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


class SteadyClock:
    """Seconds since 1970 that go on where they were when the machine's clock is set back."""

    def __init__(self, source: Callable[[], float] = time.time) -> None:
        self._source = source
        self._last, self._ahead = source(), 0.0

    def __call__(self) -> float:
        """Return the time now, never less than before."""
        now = self._source()
        self._ahead = max(self._ahead, self._last - now)
        self._last = now + self._ahead
        return self._last


@dataclass(frozen=True, slots=True)
class Holder:
    """Someone at a pair: the slot (none for one who is kept apart), and until when it is lent.

    `until` is None once the person has judged.
    """

    slot: int | None
    until: float | None

    def lapsed(self, now: float) -> bool:
        """Whether someone else may take the slot."""
        return self.until is not None and self.until <= now


@dataclass
class Leases:
    """At most `per_pair` people at a pair, those included who have judged it."""

    per_pair: int
    at: dict[int, dict[str, Holder]] = field(default_factory=dict)
    waiting: dict[str, list[int]] = field(default_factory=dict)

    def free_slot(self, pair: int, now: float) -> tuple[int, str | None] | None:
        """A slot that can be lent and the person who lets it lapse; None if all are taken."""
        holders = self.at.get(pair, {})
        slots = {holder.slot: who for who, holder in holders.items() if holder.slot is not None}
        for slot in range(self.per_pair):
            if slot not in slots:
                return slot, None
        for slot, who in slots.items():
            if holders[who].lapsed(now):
                return slot, who
        return None

    def holder(self, pair: int, who: str) -> Holder | None:
        """This person's place at a pair."""
        return self.at.get(pair, {}).get(who)

    def lend(self, pair: int, who: str, holder: Holder, first: bool = False) -> None:
        """Let a person have a pair, after what this person has already, or before it."""
        self.at.setdefault(pair, {})[who] = holder
        queue = self.waiting.setdefault(who, [])
        if pair in queue:
            queue.remove(pair)
        queue.insert(0 if first else len(queue), pair)

    def keep(self, pair: int, who: str) -> None:
        """The person has judged the pair and keeps the place for good."""
        slot = self.at[pair][who].slot
        self.at[pair][who] = Holder(slot, None)
        self._forget(pair, who)

    def free(self, pair: int, who: str) -> None:
        """The person gives the place up."""
        holders = self.at.get(pair, {})
        holders.pop(who, None)
        if not holders:
            self.at.pop(pair, None)
        self._forget(pair, who)

    def _forget(self, pair: int, who: str) -> None:
        queue = self.waiting.get(who, [])
        if pair in queue:
            queue.remove(pair)

    def lent(self, pair: int, now: float) -> int:
        """How many have the pair before them now."""
        holders = self.at.get(pair, {}).values()
        return sum(h.until is not None and not h.lapsed(now) for h in holders)
