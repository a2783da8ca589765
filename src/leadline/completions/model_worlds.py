"""Worlds drawn from a fitted model: what is left open of it, then every document by chance."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.completions.gain_model import GainModel
from leadline.completions.logistic import sigmoid
from leadline.completions.run_effects import ListEffects
from leadline.completions.topic_slopes import TopicSlopes
from leadline.completions.worlds import Worlds
from leadline.data.arrays import Floats, Int16s

if TYPE_CHECKING:
    from leadline.completions.estimator import Evidence


MOST_GRADES = 32
"""Every grade has a regression of its own."""


def grade_steps(evidence: "Evidence") -> Floats:
    """A table that rises by 1 at every grade that some document was given."""
    judgments = evidence.judgments
    given = np.zeros(judgments.max_grade + 1, np.bool_)
    given[judgments.grade[judgments.judged]] = True
    given[0] = False
    if given.sum() > MOST_GRADES:
        raise ValueError(
            f"{int(given.sum())} different grades are too many to draw from, {MOST_GRADES} are the "
            "most: read some as others with `map_grades`"
        )
    return np.cumsum(given).astype(np.float64)


class ModelWorlds(Worlds):
    """grade >= g where u < P(grade >= g), u uniform, one a document and draw.

    P is that of a drawn model: coefficients and levels of topics as they might be too, and the mean
    of the drawn effects of the lists that return the document in their first `deep` ranks. A
    document that no run returns there is not relevant: a pool of that depth would not find it.
    """

    def __init__(
        self,
        evidence: "Evidence",
        model: GainModel,
        effects: Sequence[ListEffects],
        n: int,
        seed: int,
        deep: int,
    ) -> None:
        super().__init__(evidence, n)
        self.model, self.seed = model, seed
        top = evidence.runs.cut(deep)
        self.open = (top.best_rank <= deep) & ~evidence.judgments.judged
        self._returned = _shares(top.pair, top.entries.list, len(self.open), top.start.size)
        self._draws, self._moved, self._slopes, self._evidence = [], [], [], []
        for step, effect in zip(model.steps, effects, strict=True):
            # Every step begins with the same chances: the grades of a document go together.
            random = np.random.default_rng(seed)
            self._draws.append(step.drawn(n, random))
            moved = effect.drawn(evidence.runs.names, n, random)
            self._moved.append((moved + effect.effect).T.astype(np.float32))
            told, judged = step.evidence, step.judged
            known = step.unshrunk[judged], told[judged], step.relevant[judged], step.topic[judged]
            slopes = TopicSlopes.fit(*known, step.n_topics)
            self._slopes.append(slopes.drawn(n, random).astype(np.float32))
            self._evidence.append(told.astype(np.float32))

    def open_grades(self, topics: slice, pairs: slice) -> Int16s:
        """Grades by chance of those that may be relevant, 0 of the others."""
        drawn = np.zeros((self.n, pairs.stop - pairs.start), np.int16)
        rows = pairs.start + np.flatnonzero(self.open[pairs])
        if not len(rows):
            return drawn
        chance = self._chance(topics, rows)
        topic = self.evidence.runs.pairs.topic[rows]
        least = np.full((len(rows), self.n), np.inf, np.float32)
        grade = np.zeros((len(rows), self.n), np.int16)
        returned = self._returned[rows]
        for step, models, moved, slopes, told in zip(
            self.model.steps, self._draws, self._moved, self._slopes, self._evidence, strict=True
        ):
            z = step.standard(rows).astype(np.float32) @ models.coefficient.T.astype(np.float32)
            z += models.level.T.astype(np.float32)[topic]
            z += returned @ moved
            level, slope = slopes[:, topic].transpose(2, 1, 0)
            z += level
            z += slope * told[rows][:, None]
            z += _centred(step.unshrunk[rows], z)[:, None]
            np.exp(-np.clip(z, -80, 80, out=z), out=z)
            # No better grade is likelier than a lesser one.
            np.minimum(least, 1 / (1 + z), out=least)
            grade[chance < least] = step.least
        drawn[:, rows - pairs.start] = grade.T
        return drawn

    def _chance(self, topics: slice, rows: Any) -> Floats:
        """[pairs, draws]: uniform numbers, a stream for each topic by its name."""
        names, topic = self.evidence.runs.pairs.topics, self.evidence.runs.pairs.topic[rows]
        n_rows = np.bincount(topic - topics.start, minlength=topics.stop - topics.start)
        parts = [
            np.random.default_rng([self.seed, _number(names[topics.start + at])]).random(
                (int(count), self.n), np.float32
            )
            for at, count in enumerate(n_rows)
        ]
        return np.concatenate(parts)


def _centred(logit: Floats, moved: Any) -> Any:
    """The logits of documents such that, moved so far by the draws, they reach the grade as often.

    A logit that is moved up and down alike makes a rare document likelier on average: by half the
    variance in logits, times 1 - 2 p.
    """
    rise = 0.5 * moved.var(axis=1) * (1 - 2 * sigmoid(logit))
    return (logit - rise).astype(np.float32)


def _number(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())


def _shares(pair: Any, of: Any, n_pairs: int, n_lists: int) -> Any:
    """[pairs, lists]: the same share for every list that returns a pair, 1 together."""
    from scipy.sparse import csr_array

    share = 1 / np.bincount(pair, minlength=n_pairs)[pair]
    return csr_array((share.astype(np.float32), (pair, of)), shape=(n_pairs, n_lists))
