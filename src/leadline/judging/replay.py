"""From a ledger back to the state of the order that asked."""

from dataclasses import dataclass, field

from leadline.judging.ledger import Entry
from leadline.orders.order import Choice, Order, Stepper


def in_force(entries: list[Entry]) -> list[Entry]:
    """The acts that were not undone, in their order."""
    return [entries[at] for at in in_force_at(entries)]


def in_force_at(entries: list[Entry]) -> list[int]:
    """Where in a ledger the acts are that were not undone."""
    undone: set[int] = set()
    last: dict[tuple[str, str, str], list[int]] = {}
    for at, entry in enumerate(entries):
        acts = last.setdefault((entry.topic, entry.doc, entry.who), [])
        if entry.act != "undo":
            acts.append(at)
            continue
        undone.add(at)
        if acts:
            undone.add(acts.pop())
    return [at for at in range(len(entries)) if at not in undone]


@dataclass
class Replay:
    """Asks a stepper for what a ledger says that it was asked for.

    `ahead` are pairs that were handed out and not yet answered, in that order. Once an answer is
    not among them - the ledger is of another order or of other runs - the rest is only told.
    """

    stepper: Stepper
    order: Order
    handed: int = 0
    ahead: list[Choice] = field(default_factory=list)
    lost: bool = False

    def meet(self, pair: int, asked: int) -> None:
        """Lead the stepper to where this pair has been handed out."""
        if self.lost:
            return
        alone = asked == self.handed + 1 and not self.ahead
        if alone and not self.order.learns_from_asking:
            # It would be handed out now; to look for it would only take time.
            self.handed = asked
            return
        while self.handed < asked:
            chosen = self.stepper.next(1)
            if not chosen:
                break
            self.handed += 1
            self.ahead += chosen
        others = [choice for choice in self.ahead if choice.pair != pair]
        if len(others) < len(self.ahead):
            self.ahead = others
        else:
            self._lose()

    def _lose(self) -> None:
        self.lost = True
        for choice in self.ahead:
            self.stepper.release(choice.pair)
        self.ahead.clear()
