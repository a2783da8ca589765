"""Collections made by chance: ties, holes, odd grades and names, lists short or missing."""

import random
from dataclasses import dataclass

NAMES = ["a", "A", "b", "007", "7", "nan", "x#", '"q"', "a,b", "Z-9", "z_9", "-1", "d.1"]
NAMES += ["\u00e9", "e\u0301"]
GRADES = [0, 0, 0, 1, 1, 2, 3, 7, -1]
SCORES = ["1", "1.0", "2", "1.00000001", "0", "-0.0", "-3e2", "1e30", "inf", "-inf", ".5", "2e7"]


@dataclass(frozen=True)
class Generated:
    """Judgments as (topic, second field, doc, grade); lists of (doc, score as it is written)."""

    judged: list[tuple[str, str, str, int]]
    lists: dict[str, list[tuple[str, str]]]

    def qrels(self) -> bytes:
        """As a file of qrels."""
        return "".join(f"{t} {s} {d} {g}\n" for t, s, d, g in self.judged).encode()

    def run(self) -> bytes:
        """As a run's file, topics in turn, so that their lines do not stand together."""
        longest = max(map(len, self.lists.values()), default=0)
        lines = [
            f"{topic} Q0 {docs[rank][0]} {rank} {docs[rank][1]} t\n"
            for rank in range(longest)
            for topic, docs in self.lists.items()
            if rank < len(docs)
        ]
        return "".join(lines).encode()


def generated(seed: int, subtopics: bool = False) -> Generated:
    """A small collection; with subtopics, scores without ties, which pyndeval breaks otherwise."""
    chance = random.Random(seed)
    topics = chance.sample(["1", "2", "10", "q1", "\u00fc"], chance.randint(1, 4))
    judged, lists = [], {}
    grades = GRADES[:-1] if subtopics else GRADES
    for topic in topics:
        for doc in chance.sample(NAMES, chance.randint(1, len(NAMES))):
            seconds = chance.sample(["1", "2", "3"], chance.randint(1, 3)) if subtopics else ["0"]
            judged += [(topic, second, doc, chance.choice(grades)) for second in seconds]
        # pytrec_eval never ends on a topic of which nothing is judged.
        judged.append((topic, "0", "judged", 0))
    for topic in [*topics, "unjudged"]:
        if chance.random() < 0.8:
            docs = chance.sample(NAMES, chance.randint(1, len(NAMES)))
            scores = [chance.choice(SCORES) for _ in docs]
            if subtopics:
                scores = [str(1 + number / 8) for number in chance.sample(range(99), len(docs))]
            lists[topic] = list(zip(docs, scores, strict=True))
    if not set(lists) & set(topics):
        lists[topics[0]] = [("a", "1")]
    return Generated(judged, lists)
