"""Minimal test collections (MTC): the documents that tell most about differences in AP."""

from dataclasses import dataclass

import numpy as np

from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.runs import Runs

UNKNOWN = 0.5
"""The chance of a document that nobody judged to be relevant."""


@entrants.register
@dataclass(frozen=True)
class MinimalCollection(Entrant):
    """Documents by how far they can move differences in AP; then the AP to be expected.

    Formula: w_i = max(sd_r(sum over j in R or i of a_rij), sd_r(sum over j not in N of a_rij))

    a_rij = 1 / max(rank of i, rank of j) in run r, 0 where it does not return both, so that AP
    times the number of relevant documents is the sum over relevant pairs of a_rij. R are the
    documents judged relevant, N those judged not: the first sum is what AP gains if i is relevant,
    the second what it can lose if i is not. The paper has two systems and their difference; with
    more, the root mean square over all pairs of runs is sqrt(2) times the deviation over runs. The
    pair of highest weight of all topics is judged. Expected AP: every unjudged document is relevant
    with chance 1/2, E = (sum_i p_i / rank_i + sum over i above j of p_i p_j / rank_j) / sum p.

    Carterette, Allan and Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006.
    """

    tasks = ("scores", "best", "five")

    @property
    def title(self) -> str:
        return "MTC"

    def answer(self, question: Question) -> Reply:
        """Of AP."""
        rel = question.ap_rel
        if rel is None:
            raise ValueError(f"MTC is about AP, not {question.measure}")
        state = [TopicMatrix.of(question.runs, at) for at in range(len(question.runs.pairs.topics))]
        weight = [topic.weights() for topic in state]
        best = np.array([each.max(initial=-1.0) for each in weight])
        for _ in range(question.budget):
            at = int(best.argmax())
            if best[at] < 0:
                break
            doc = int(weight[at].argmax())
            grade = int(question.judge([int(state[at].pair[doc])])[0])
            state[at].tell(doc, grade >= rel)
            weight[at] = state[at].weights()
            best[at] = weight[at].max(initial=-1.0)
        by_topic = np.stack([topic.expected() for topic in state], axis=1)
        return Reply(by_topic.mean(axis=1), by_topic=by_topic)


@dataclass(eq=False)
class TopicMatrix:
    """The documents of a topic, in which run they stand at which rank, and what is known of them.

    `place` [runs, ranks] is the document at every rank, -1 beyond a list's end.
    """

    pair: Int64s
    place: Int64s
    judged: Bools
    relevant: Bools

    @classmethod
    def of(cls, runs: Runs, topic: int) -> "TopicMatrix":
        """Nothing judged yet."""
        start, stop = runs.start[:, topic], runs.stop[:, topic]
        lists = [runs.pair[a:b] for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
        pair = np.unique(np.concatenate(lists)).astype(np.int64)
        place = np.full((len(lists), max(map(len, lists), default=0)), -1, np.int64)
        for run, docs in enumerate(lists):
            place[run, : len(docs)] = np.searchsorted(pair, docs)
        nothing = np.zeros(len(pair), np.bool_)
        return cls(pair, place, nothing, nothing.copy())

    def tell(self, doc: int, relevant: bool) -> None:
        """What a document turned out to be."""
        self.judged[doc], self.relevant[doc] = True, relevant

    def weights(self) -> Floats:
        """How far each unjudged document can move the differences; -1 for the judged."""
        gain = self._sums(self.relevant.astype(np.float64))
        loss = self._sums((~self.judged | self.relevant).astype(np.float64))
        weight = np.maximum(gain.std(axis=0), loss.std(axis=0))
        return np.where(self.judged, -1.0, weight)

    def _sums(self, counted: Floats) -> Floats:
        """[runs, docs]: the sum over counted documents, and the document itself, of a_rij."""
        some = self.place >= 0
        rank = np.arange(1, self.place.shape[1] + 1)
        count = np.where(some, counted[self.place], 0.0)
        above = np.cumsum(count, axis=1) - count
        share = count / rank
        below = share.sum(axis=1, keepdims=True) - np.cumsum(share, axis=1)
        sums = np.zeros((len(self.place), len(self.pair)))
        run = np.nonzero(some)[0]
        sums[run, self.place[some]] = ((above + 1) / rank + below)[some]
        return sums

    def expected(self) -> Floats:
        """AP of every run as it is to be expected, 0 if nothing can be relevant."""
        chance = np.where(self.judged, self.relevant, UNKNOWN).astype(np.float64)
        p = np.where(self.place >= 0, chance[self.place], 0.0)
        rank = np.arange(1, p.shape[1] + 1)
        above = np.cumsum(p, axis=1) - p
        whole = max(float(chance.sum()), 1e-9)
        total: Floats = (p * (1 + above) / rank).sum(axis=1) / whole
        return total
