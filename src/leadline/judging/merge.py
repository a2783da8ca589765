"""From several people's judgments of a pair to one grade: the one rule for rooms and exports."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, get_args

from leadline.judging.ledger import SPENT, Entry, Kind, in_force

Rule = Literal["majority", "latest", "adjudicated"]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Vote:
    """What one assessor said of a pair; no grade if it was "cannot tell"."""

    who: str
    grade: int | None
    kind: Kind = "person"
    note: str = ""
    time: str = ""


def majority(grades: Sequence[int]) -> int | None:
    """The grade that most gave; of several given equally often, the lowest.

    >>> majority([2, 0, 2]), majority([1, 0])
    (2, 0)
    """
    counts = Counter(grades)
    most = max(counts.values(), default=0)
    return min((grade for grade, count in counts.items() if count == most), default=None)


def latest(grades: Sequence[int]) -> int | None:
    """The grade that was given last.

    >>> latest([2, 0, 1])
    1
    """
    return grades[-1] if grades else None


def unanimous(grades: Sequence[int]) -> int | None:
    """The grade that all gave; none while they differ, until an organiser adjudicates.

    >>> unanimous([1, 1]), unanimous([1, 0])
    (1, None)
    """
    return grades[0] if len(set(grades)) == 1 else None


RULES: dict[Rule, Callable[[Sequence[int]], int | None]] = {
    "majority": majority,
    "latest": latest,
    "adjudicated": unanimous,
}


@dataclass(frozen=True)
class Merging:
    """Which judgments of a pair are merged, how, and how many it takes."""

    merge: Rule = "majority"
    per_pair: int = 1

    def __post_init__(self) -> None:
        if self.merge not in get_args(Rule):
            listed = ", ".join(get_args(Rule))
            raise ValueError(f"merge must be one of {listed}, not {self.merge!r}")

    @staticmethod
    def apart(kind: Kind) -> bool:
        """Whether such an assessor's judgments are kept apart: those of machines are."""
        return kind == "machine"


class Votes(Generic[Key]):
    """What each assessor said of each pair, what organisers decided, and what it comes to.

    The votes on a pair are never changed, only replaced, so that a copy need not go through them.
    """

    def __init__(self, merging: Merging) -> None:
        self.merging = merging
        self.by_pair: dict[Key, Mapping[str, Vote]] = {}
        self.decided: dict[Key, int] = {}
        self._differ: dict[Key, None] = {}

    def copy(self) -> "Votes[Key]":
        """The same, and stays so."""
        made: Votes[Key] = Votes(self.merging)
        made.by_pair = dict(self.by_pair)
        made.decided, made._differ = dict(self.decided), dict(self._differ)
        return made

    def of(self, pair: Key) -> Mapping[str, Vote]:
        """The votes on a pair by assessor, in the order in which they were given."""
        return self.by_pair.get(pair, {})

    def add(self, pair: Key, entry: Entry) -> None:
        """Let a judgment or a decision count; other acts say nothing of a pair."""
        if entry.act == "adjudicate" and entry.grade is not None:
            self.decided[pair] = entry.grade
        elif entry.act in ("judge", "cannot tell"):
            vote = Vote(entry.who, entry.grade, entry.kind, entry.note, entry.time)
            # Given anew, it is the latest.
            self.by_pair[pair] = {**self._of_others(pair, entry.who), entry.who: vote}
        self._compare(pair)

    def remove(self, pair: Key, entry: Entry) -> None:
        """Take back what was added."""
        if entry.act == "adjudicate":
            self.decided.pop(pair, None)
        elif entry.act in ("judge", "cannot tell"):
            votes = self._of_others(pair, entry.who)
            if votes:
                self.by_pair[pair] = votes
            else:
                self.by_pair.pop(pair, None)
        self._compare(pair)

    def _of_others(self, pair: Key, who: str) -> dict[str, Vote]:
        return {name: vote for name, vote in self.of(pair).items() if name != who}

    def _compare(self, pair: Key) -> None:
        differ = len({vote.grade for vote in self.counted(pair)}) > 1
        if differ and pair not in self.decided:
            self._differ.setdefault(pair)
        else:
            self._differ.pop(pair, None)

    def counted(self, pair: Key) -> list[Vote]:
        """The votes on a pair that are merged, in the order in which they were given."""
        return [vote for vote in self.of(pair).values() if not self.merging.apart(vote.kind)]

    def outcome(self, pair: Key) -> int | None:
        """A pair's grade, SPENT if nobody could tell, None as long as it has no outcome.

        It has none while too few have judged it, or while the rule finds that they differ. What an
        organiser decided overrules all.
        """
        if pair in self.decided:
            return self.decided[pair]
        votes = self.counted(pair)
        if not votes or len(votes) < self.merging.per_pair:
            return None
        grades = [vote.grade for vote in votes if vote.grade is not None]
        return RULES[self.merging.merge](grades) if grades else SPENT

    def disputed(self) -> list[Key]:
        """Pairs on which those who judged differ and nobody has decided, oldest dispute first."""
        return list(self._differ)


def by_machine(entries: Iterable[Entry]) -> dict[str, dict[str, dict[str, int]]]:
    """The grade that each machine gave, by topic and doc: evidence, never a judgment."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for entry in in_force(list(entries)):
        if entry.kind == "machine" and entry.act == "judge" and entry.grade is not None:
            found.setdefault(entry.who, {}).setdefault(entry.topic, {})[entry.doc] = entry.grade
    return found


def merged(entries: Iterable[Entry], merging: Merging) -> dict[tuple[str, str], int]:
    """One grade for each topic and doc of a ledger that has one by these rules."""
    votes: Votes[tuple[str, str]] = Votes(merging)
    for entry in in_force(list(entries)):
        votes.add((entry.topic, entry.doc), entry)
    outcomes = {pair: votes.outcome(pair) for pair in (*votes.by_pair, *votes.decided)}
    return {pair: grade for pair, grade in outcomes.items() if grade is not None and grade >= 0}
