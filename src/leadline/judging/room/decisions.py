"""What organisers do in a room: adjudicate, end, take in judgments from elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass

from leadline.judging.ledger import Entry
from leadline.judging.room.intake import UnknownImport
from leadline.judging.room.room_core import Assessor, Refused, RoomCore


@dataclass
class Decisions(RoomCore):
    """Acts that count for all."""

    def adjudicate(self, who: Assessor, pair: int, grade: int, note: str = "") -> None:
        """The grade of a pair for good, whatever the assessors said."""
        if grade not in self.rules.grades:
            raise Refused("grade", f"there is no grade {grade}")
        with self.lock:
            self.ready()
            entry = self._entry("adjudicate", pair, who, grade, note, None)
            self._write([entry])
            self._apply(entry, pair)

    def undo_adjudication(self, who: Assessor, pair: int) -> None:
        """Take back the last decision on a pair: what the assessors said counts again."""
        with self.lock:
            self.ready()
            if self.state.name(pair) in self.gold.questions:
                raise Refused("gold", "this is a gold question: remove it from those first")
            decided = [
                acts[-1]
                for name in self.state.acts
                if (acts := [a for a in self.state.acts[name] if self._is_on(a, pair)])
                and acts[-1].act == "adjudicate"
            ]
            if not decided:
                raise Refused("unknown", "nobody adjudicated this document, or judged it since")
            # By the ledger, not by times: a clock may be set back.
            last = next(each for each in reversed(self.ledger.entries) if each in decided)
            note = f"undone by {who.name}"
            entry = self._entry("undo", pair, Assessor(last.who, last.kind), None, note, None)
            self._write([entry])
            self._apply(entry, pair)

    def end(self, who: Assessor, ended: bool = True) -> None:
        """Nobody gets or judges anything any more, until it is reopened."""
        with self.lock:
            self.ready()
            if (self.state.ended is not None) == ended:
                return
            entry = Entry("end" if ended else "reopen", "", "", who=who.name, time=self._now())
            self._write([entry])
            self._apply(entry, -1)

    def add_entries(self, added: list[Entry], who: str = "", form: str = "") -> int:
        """Judgments from elsewhere, all of them or none; the number by which they can be undone.

        Everything is made anew with them.
        """
        with self.lock:
            self.ready()
            return self._anew(lambda: self.intake.add(added, who, self._now(), form))

    def undo_import(self, who: Assessor, number: int) -> int:
        """Take back what came with an import; how many judgments that were."""
        with self.lock:
            self.ready()
            return self._anew(lambda: self.intake.undo(number, who.name, self._now()))

    def _anew(self, change: Callable[[], int]) -> int:
        try:
            done = self._guarded(change)
            self._guarded(self._rebuild)
        except UnknownImport as error:
            raise Refused("unknown", str(error)) from None
        return done
