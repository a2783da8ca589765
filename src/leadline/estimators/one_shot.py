"""One relevant document of each topic, and what reads like it."""

from dataclasses import dataclass

import numpy as np

from leadline.diversity.bm25 import BM25
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence


@estimators.register
@dataclass(frozen=True)
class OneShot(Estimator):
    """The k documents that read most like one relevant document of the topic, less by less.

    Formula: gain = r_max * (k - i) / k for the i-th nearest by BM25, i = 0, 1, ..., k - 1; else 0

    The one document is the topic's best judged one, the first by name of several; its words are the
    query. Documents are those that some run returns or somebody judged, for whatever topic. Where
    nothing relevant is judged, and beyond a list's end, unjudged documents are worth nothing.

    One-shot labelling, MaxRep by BM25: MacAvaney and Soldaini, SIGIR 2023; theirs has k = 128.
    """

    k: int = 128

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}")

    @property
    def reads(self) -> bool:
        return True

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """Gains by nearness."""
        if evidence.words is None:
            raise ValueError("OneShot needs the texts of the documents: name them with `docs`")
        words, pairs = evidence.words, evidence.runs.pairs
        index, rows = BM25(words), np.arange(len(words.start) - 1)
        ends = np.searchsorted(pairs.topic, np.arange(len(pairs.topics) + 1))
        gain = np.zeros(len(pairs))
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            known = evidence.known_gain[first:last]
            if not known.any():
                continue
            example = int(pairs.doc[first + int(np.argmax(known))])
            element, _ = words.elements(np.array([example]))
            said = words.words.gather(np.repeat(words.word[element], words.count[element]))
            score = index.scores(said, rows)
            score[example] = 0.0
            # Of equals the first by name; what shares no word is no neighbour.
            nearest = np.argsort(-np.round(score, 9), kind="stable")[: self.k]
            nearest = nearest[score[nearest] > 0]
            of_doc = np.zeros(len(rows))
            of_doc[nearest] = evidence.max_gain * (self.k - np.arange(len(nearest))) / self.k
            gain[first:last] = of_doc[pairs.doc[first:last]]
        return evidence.filled(gain[evidence.runs.pair])
