"""An even sample with Horvitz and Thompson's estimate: the plainest design without bias."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.sampled_mean import mean_of_draws
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.tables.draw import draw_pairs


@entrants.register
@dataclass(frozen=True)
class EvenSample(Entrant):
    """Every pair that the measure looks at is judged with the same chance.

    Formula: S_r = sum over drawn p of W_rp h_p / pi

    Horvitz and Thompson, A generalization of sampling without replacement, JASA 1952.
    """

    tasks = ("scores", "best", "five")

    @property
    def title(self) -> str:
        return "even sample + Horvitz-Thompson"

    def answer(self, question: Question) -> Reply:
        """Of weighted measures."""
        weights = question.weights
        chance = min(1.0, question.budget / len(weights.pair))
        luck = draw_pairs(question.seed, question.runs.pairs, weights.pair)
        rows = np.flatnonzero(luck < chance)
        grade = question.judge(weights.pair[rows])
        gain = question.weighted.gain(question.max_grade)[grade]
        part = weights.matrix[:, rows].toarray() * (gain / chance)
        return Reply.of_mean(mean_of_draws(part.sum(axis=1), part, np.full(len(rows), chance)))
