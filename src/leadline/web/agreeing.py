"""How people agree and how each judges, from copies: the more is judged, the longer it takes."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leadline.judging.ledger import Entry
from leadline.judging.merge import Votes
from leadline.judging.room.assessor_agreement import graded, krippendorff_alpha, pairwise
from leadline.judging.room.gold_question import GoldAnswer
from leadline.judging.room.quality import Thresholds, quality
from leadline.judging.room.room import Room

MOST_PAIRS = 200


@dataclass(frozen=True)
class Said:
    """What everybody said of documents and gold questions until now."""

    votes: Votes[int]
    acts: dict[str, list[tuple[int, Entry]]]
    machines: frozenset[str]
    answers: dict[str, Sequence[GoldAnswer]]
    grades: tuple[int, ...]
    expected: Thresholds

    @classmethod
    def of(cls, room: Room, expected: Thresholds) -> "Said":
        """A copy; asked under the room's lock."""
        state = room.state
        people = [who for who, tally in state.tallies.items() if tally.kind == "person"]
        answers = room.gold.answers
        return cls(
            state.votes.copy(),
            {
                who: list(zip(state.act_pairs.get(who, []), state.acts.get(who, []), strict=True))
                for who in sorted({*people, *answers})
            },
            frozenset(who for who, tally in state.tallies.items() if tally.kind == "machine"),
            {who: tuple(each) for who, each in answers.items()},
            state.rules.grades,
            expected,
        )

    def agreement(self) -> dict[str, Any]:
        """People among themselves, and every machine with each of them, never mixed."""
        several = {pair: said for pair, said in self.votes.by_pair.items() if len(said) > 1}
        people = graded(several, ["person"])
        both = graded(several, ["person", "machine"])
        alpha = krippendorff_alpha(people)
        return {
            "alpha": None if alpha is None or math.isnan(alpha) else round(alpha, 4),
            "alpha_pairs": sum(len(said) > 1 for said in people.values()),
            "grades": list(self.grades),
            "pairs": [
                {
                    "first": each.first,
                    "second": each.second,
                    "machine": each.first in self.machines or each.second in self.machines,
                    "n": each.n,
                    "same": round(each.same, 4),
                    "kappa": None if each.kappa is None else round(each.kappa, 4),
                    "confusion": [list(row) for row in each.confusion],
                }
                for each in pairwise(both, self.grades)[:MOST_PAIRS]
            ],
            "people": [
                asdict(quality(who, acts, self.votes, self.answers.get(who, ()), self.expected))
                for who, acts in self.acts.items()
            ],
        }
