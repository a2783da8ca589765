"""Grades that the unjudged documents of some runs might have: joint draws of a fitted model."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.estimator import Evidence
from leadline.completions.features import FLOOR, PLACES, RankFeatures, voices
from leadline.completions.gain_model import GainModel, GradeStep, fit_gain_model
from leadline.completions.logistic import sigmoid
from leadline.completions.regression import effect_depth
from leadline.completions.run_effects import (
    EFFECT_DEPTH,
    LIST_SCALE,
    NEW_RUN_MISFIT,
    judged_tops,
    run_levels,
)
from leadline.data.arrays import Bools, Floats, Int16s, Int64s
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.measures.dcg import DCG
from leadline.measures.measure import Measure

ELSEWHERE_DEPTH = 50
"""Documents that some contributing run ranks so high may be relevant, and count in an ideal."""

MODEL_FACTOR = 1.5
"""How much larger than the spread of its draws the variance of a model's error is taken to be."""

CELLS = 1 << 23
"""Entries of lists that are scored at once."""


@dataclass(frozen=True, eq=False)
class DrawnGrades:
    """`grade` [draws, pairs] of the unjudged `pair`s that `runs` list, in ascending order.

    `elsewhere` [draws, topics, grades] counts the unjudged documents that they do not list.
    """

    evidence: Evidence
    runs: Runs
    pair: Int64s
    grade: Int16s
    elsewhere: Int64s

    def scores(self, measure: Measure) -> Floats:
        """[draws, runs, topics]: the measure in every draw, as if all had been judged."""
        n, size = len(self.grade), len(self.runs.pair)
        step = max(1, CELLS // max(1, size))
        parts = [self._scores(measure, slice(at, min(at + step, n))) for at in range(0, n, step)]
        return np.concatenate(parts)

    def _scores(self, measure: Measure, part: slice) -> Floats:
        runs, judgments = self.runs, self.evidence.judgments
        drawn, n, shape = self.grade[part], part.stop - part.start, self.runs.start.shape
        grade = np.tile(judgments.grade[runs.pair], (n, 1))
        open_ = ~judgments.judged[runs.pair]
        grade[:, open_] = drawn[:, np.searchsorted(self.pair, runs.pair[open_])]
        counts = judgments.counts + self.elsewhere[part]
        topic = runs.pairs.topic[self.pair]
        present, first = np.unique(topic, return_index=True)
        for each in range(1, counts.shape[2]) if len(first) else ():
            of = np.add.reduceat(drawn == each, first, axis=1, dtype=np.int64)
            counts[:, present, each] += of
        shift = (np.arange(n) * len(runs.pair))[:, None, None]
        lists = Lists(
            tuple(f"{at}" for at in range(n * shape[0])),
            runs.pairs.topics,
            (runs.start + shift).reshape(-1, shape[1]),
            (runs.stop + shift).reshape(-1, shape[1]),
            np.ones(grade.size, np.bool_),
            grade.ravel(),
            np.repeat(counts, shape[0], axis=0),
            judgments.max_grade,
        )
        return measure.score(lists).value.reshape(n, *shape)


def draw_grades(
    evidence: Evidence, runs: Runs, newcomer: Bools, n: int, seed: int = 0
) -> DrawnGrades:
    """n draws of the grades of what these runs return, by the model of Regression.

    P(grade >= g) is that of a drawn model, moved by the mean of the drawn effects of the lists that
    return the document. Effects are learnt from each run's judged documents; those of a `newcomer`
    count twice for its unjudged ones, which are its own, and lie further off, as for Predicted. A
    document has one uniform number in each draw, so a better grade is never likelier than a lesser
    one. Documents of the contributing runs that these do not list are counted, not drawn one by
    one: their number at each grade is Poisson.
    """
    judged = evidence.judgments.judged
    model, rows = _grade_model(evidence, runs)
    pair = np.unique(runs.pair[~judged[runs.pair]]).astype(np.int64)
    at = np.searchsorted(rows, pair)
    elsewhere = np.setdiff1d(np.flatnonzero(~judged[rows]), at)
    topic, n_topics = evidence.runs.pairs.topic[pair], len(evidence.runs.pairs.topics)
    share = _shares(runs, judged, pair)
    random = np.random.default_rng(seed)
    chance = random.random((n, len(pair)))
    of_run = random.standard_normal((n, len(runs.names)))
    of_list = random.standard_normal((n, len(runs.names), n_topics))
    again = int(random.integers(2**62))
    probability = np.ones((n, len(pair)))
    grade = np.zeros((n, len(pair)), np.int16)
    expected: list[tuple[int, Floats]] = []
    for step in model.steps:
        # Every step begins with the same chances: the grades of a document go together.
        models = step.drawn(n, np.random.default_rng(again))
        effect, error = _effects(evidence, runs, newcomer, step, rows)
        moved = (effect + of_run * error)[:, :, None] + LIST_SCALE * of_list
        z = step.logit[at] + models.coefficient @ step.standard(at).T + models.level[:, topic]
        for run, part in enumerate(share):
            z += moved[:, run, topic] * part
        np.minimum(probability, sigmoid(z), out=probability)
        grade[chance < probability] = step.least
        of_topic = np.bincount(step.topic[elsewhere], sigmoid(step.logit[elsewhere]), n_topics)
        expected.append((step.least, of_topic.astype(np.float64, copy=False)))
    counts = np.zeros((n, n_topics, evidence.judgments.max_grade + 1), np.int64)
    _draw_counts(expected, counts, np.random.default_rng([again, 1]))
    return DrawnGrades(evidence, runs, pair, grade, counts)


def draw_coins(evidence: Evidence, runs: Runs, n: int, seed: int = 0) -> DrawnGrades:
    """n draws in which every unjudged document of these runs has any grade with equal chance.

    No model: what follows tells which documents matter, not what is likely.
    """
    judgments = evidence.judgments
    pair = np.unique(runs.pair[~judgments.judged[runs.pair]]).astype(np.int64)
    random = np.random.default_rng(seed)
    grade = random.integers(0, judgments.max_grade + 1, (n, len(pair)), np.int16)
    nowhere = np.zeros((n, *judgments.counts.shape), np.int64)
    return DrawnGrades(evidence, runs, pair, grade, nowhere)


def _grade_model(evidence: Evidence, runs: Runs) -> tuple[GainModel, Int64s]:
    """A regression for every grade, and the pairs it knows: judged, listed, or near the top."""
    teachers = evidence.contributors
    known = evidence.judgments.judged.copy()
    known[runs.pair] = True
    known[teachers.top(ELSEWHERE_DEPTH).pair] = True
    rows = np.flatnonzero(known)
    cheap = evidence.runs.pairs.cheap
    said = None if cheap is None else cheap.on(known)
    postings, voice = teachers.postings_of(rows), voices(teachers.group)
    feature = RankFeatures(postings, voice, FLOOR, PLACES, said)
    return fit_gain_model(evidence.but(measure=DCG()), feature, rows), rows


def _shares(runs: Runs, judged: Bools, pair: Int64s) -> Floats:
    """[runs, pairs]: the same share for every list that returns a pair, 1 together."""
    entry = np.flatnonzero(~judged[runs.pair])
    held = np.zeros((len(runs.names), len(pair)))
    held[runs.entries.run[entry], np.searchsorted(pair, runs.pair[entry])] = 1.0
    share: Floats = held / held.sum(axis=0)
    return share


def _effects(
    evidence: Evidence, runs: Runs, newcomer: Bools, step: GradeStep, rows: Int64s
) -> tuple[Floats, Floats]:
    """How much better than the model says each run's unjudged documents are, in logits."""
    n_runs, n_topics = runs.start.shape
    level, error = np.zeros(n_runs), np.zeros(n_runs)
    places = np.array([evidence.runs.names.index(name) for name in runs.names], np.int64)
    whole = evidence.runs.only(places)
    for new, depth in ((True, EFFECT_DEPTH), (False, effect_depth(evidence))):
        pair, of = judged_tops(whole, evidence.judgments, depth)
        row = np.searchsorted(rows, pair)
        told = step.logit[row], step.relevant[row], of // max(1, n_topics)
        own, own_error = run_levels(*told, n_runs, new=new)
        some = newcomer == new
        level[some], error[some] = own[some], own_error[some]
    return level, np.where(newcomer, np.hypot(error, NEW_RUN_MISFIT), error)


def _draw_counts(
    expected: list[tuple[int, Floats]], counts: Int64s, random: np.random.Generator
) -> None:
    """Numbers of documents at each grade: Poisson at the first, thinned at each better one."""
    shape = counts.shape[:2]
    last, before = 0, np.zeros(shape[1])
    for grade, of_topic in expected:
        if not last:
            counts[:, :, grade] = random.poisson(of_topic, shape)
        else:
            of_topic = np.minimum(of_topic, before)
            rate = np.divide(of_topic, before, out=np.zeros(shape[1]), where=before > 0)
            better = random.binomial(counts[:, :, last], rate)
            counts[:, :, last] -= better
            counts[:, :, grade] = better
        last, before = grade, of_topic
