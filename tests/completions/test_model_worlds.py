"""Worlds by a model: grades as likely as it says, one a document, none beyond the depth."""

import math

import numpy as np
import pytest

import leadline
from leadline.completions.estimator import Evidence
from leadline.completions.gain_model import GainModel, fit_gain_model
from leadline.completions.model_worlds import MOST_GRADES, ModelWorlds, grade_steps
from leadline.completions.regression import Regression
from leadline.completions.run_effects import ListEffects
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from tests.collections import Small


def demo(depth: int, name: str = "nDCG@10") -> Evidence:
    """The bundled collection with a pool of that depth."""
    read = leadline.read(COLLECTION)
    pool = Depth(depth).pool(read.runs.only(read.pooled))
    shallow = pool.restrict(read.judgments)
    return Evidence(parse_measure(name), read.runs, shallow, pool, read.pooled)


def fitted(evidence: Evidence) -> GainModel:
    return fit_gain_model(evidence, Regression().features(evidence), table=grade_steps(evidence))


def worlds(evidence: Evidence, n: int, deep: int = 100, seed: int = 0) -> ModelWorlds:
    model = fitted(evidence)
    effects = [ListEffects.none(evidence.runs)] * len(model.steps)
    return ModelWorlds(evidence, model, effects, n, seed, deep)


def test_grades_are_as_likely_as_the_model_says_on_average() -> None:
    """Noise in logits is centred: it moves single draws and not the mean of many."""
    evidence = demo(5)
    drawn = worlds(evidence, 400)
    topics = slice(0, len(evidence.runs.pairs.topics))
    pairs = slice(0, len(evidence.runs.pairs))
    grade = drawn.open_grades(topics, pairs)
    for step in drawn.model.steps:
        told = 1 / (1 + np.exp(-step.unshrunk[drawn.open]))
        often = (grade[:, drawn.open] >= step.least).mean(axis=0)
        assert often.sum() == pytest.approx(told.sum(), rel=0.2)
        assert np.corrcoef(often, told)[0, 1] > 0.9


def test_what_lies_deeper_is_never_relevant_and_judged_grades_stay() -> None:
    evidence = demo(3, "AP")
    drawn = worlds(evidence, 20, deep=6)
    n_topics, n_pairs = len(evidence.runs.pairs.topics), len(evidence.runs.pairs)
    grade = drawn.open_grades(slice(0, n_topics), slice(0, n_pairs))
    best = evidence.runs.best_rank
    assert not grade[:, best > 6].any()
    assert grade[:, drawn.open].any()
    drawn.prepare(slice(0, n_topics))
    judged = evidence.judgments.judged
    kept = drawn._grade[:, :-1][:, judged]
    assert (kept == evidence.judgments.grade[judged]).all()


def test_where_all_is_judged_every_draw_is_the_score() -> None:
    read = leadline.read(COLLECTION)
    measure = parse_measure("AP")
    drawn = worlds(Evidence(measure, read.runs, read.judgments), 2, deep=1).draws()
    truth = measure.score(Lists.of(read.runs, read.judgments)).value
    assert drawn[1] == pytest.approx(truth, nan_ok=True)


def test_chances_are_those_of_a_plain_loop() -> None:
    """One document by hand: logits moved by model, list effects, level and slope of the topic."""
    evidence = demo(5)
    model = fitted(evidence)
    effects = [
        ListEffects.of(evidence.runs, evidence.judgments, step.logit, step.relevant, 10)
        for step in model.steps
    ]
    drawn = ModelWorlds(evidence, model, effects, 30, 3, 100)
    at = int(np.flatnonzero(drawn.open)[7])
    topic = int(evidence.runs.pairs.topic[at])
    lists = evidence.runs.entries.list[
        (evidence.runs.pair == at) & (evidence.runs.entries.rank <= 100)
    ]
    pairs = np.flatnonzero((evidence.runs.pairs.topic == topic) & drawn.open)
    chance = drawn._chance(slice(topic, topic + 1), pairs)[np.flatnonzero(pairs == at)[0]]
    first, last = np.searchsorted(evidence.runs.pairs.topic, [topic, topic + 1])
    ours = drawn.open_grades(slice(topic, topic + 1), slice(int(first), int(last)))[:, at - first]
    expected = [0] * 30
    least = [1.0] * 30
    for step, models, moved, slopes in zip(
        model.steps, drawn._draws, drawn._moved, drawn._slopes, strict=True
    ):
        feature = step.standard(np.array([at]))[0]
        away = []
        for draw in range(30):
            z = sum(b * x for b, x in zip(models.coefficient[draw], feature, strict=True))
            z += models.level[draw, topic]
            z += sum(moved[each, draw] for each in lists) / len(lists)
            z += slopes[draw, topic, 0] + slopes[draw, topic, 1] * step.evidence[at]
            away.append(float(z))
        middle = sum(away) / 30
        variance = sum((z - middle) ** 2 for z in away) / 30
        logit = float(step.unshrunk[at])
        p = 1 / (1 + math.exp(-logit))
        for draw in range(30):
            z = logit - 0.5 * variance * (1 - 2 * p) + away[draw]
            least[draw] = min(least[draw], 1 / (1 + math.exp(-z)))
            if chance[draw] < least[draw]:
                expected[draw] = step.least
    assert ours.tolist() == expected


def test_the_same_seed_gives_the_same_worlds_and_another_does_not() -> None:
    evidence = demo(5)
    first, again, other = (worlds(evidence, 5, seed=seed).draws() for seed in (1, 1, 2))
    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)


def test_every_grade_that_was_given_has_a_step() -> None:
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {"x": 3, "y": 1}}, 4)
    evidence = Evidence(parse_measure("AP"), *small.tables())
    assert grade_steps(evidence).tolist() == [0, 1, 1, 2, 2]
    many = {f"d{grade}": grade for grade in range(MOST_GRADES + 2)}
    small = Small({"a": {"1": list(many)}}, {"1": many}, MOST_GRADES + 1)
    with pytest.raises(ValueError, match="map_grades"):
        grade_steps(Evidence(parse_measure("AP"), *small.tables()))
