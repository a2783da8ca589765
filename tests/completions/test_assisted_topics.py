"""Estimates topic by topic: their mean is ModelAssisted's, and each has no bias by itself."""

from dataclasses import replace

import numpy as np

import leadline
from leadline.completions.estimator import TrainingData
from leadline.completions.sample import FEWEST_DRAWN, assisted_by_topic
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_numerator
from leadline.pooling.strategies import pools


def test_the_mean_over_topics_is_assisteds_and_topics_have_no_bias() -> None:
    read = leadline.read(COLLECTION)
    measure = parse_numerator("P@5")
    everything = np.ones(len(read.runs.pairs), np.bool_)
    answers = Judgments(read.runs.pairs, everything, read.judgments.grade, max_grade=3)
    truth = measure.score(Lists.of(read.runs, answers)).value
    strategy = pools.parse("UniformSample(d=5, rate=0.5)")
    told = []
    for seed in range(30):
        known = strategy.pool(read.runs, seed).restrict(answers)
        by_topic, mean = assisted_by_topic(TrainingData(measure, read.runs, known))
        assert np.allclose(by_topic.mean(axis=1), mean.value)
        few = known.judged.sum() < FEWEST_DRAWN
        assert np.isnan(mean.standard_error).all() == few
        told.append(by_topic)
    off = np.array(told) - truth
    error = off.std(axis=0, ddof=1) / 30**0.5
    # Of 480 lists some lie two errors off by chance; none far more, and all together nowhere.
    z = off.mean(axis=0)[error > 1e-9] / error[error > 1e-9]
    assert np.abs(z).mean() < 1.2
    assert abs(off.mean()) < 0.01


def test_where_all_is_drawn_for_sure_the_scores_are_the_truth() -> None:
    read = leadline.read(COLLECTION)
    measure = parse_numerator("P@5")
    known = pools.parse("Depth(d=5)").pool(read.runs).restrict(read.judgments)
    sure = replace(known, inclusion=known.judged.astype(np.float64))
    by_topic, _ = assisted_by_topic(TrainingData(measure, read.runs, sure))
    truth = measure.score(Lists.of(read.runs, read.judgments)).value
    assert np.allclose(by_topic, truth, atol=1e-9)
