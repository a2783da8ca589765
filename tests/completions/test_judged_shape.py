"""Which judgments are a pool or a sample, and which are neither."""

import numpy as np
import pytest

import leadline
from leadline.completions.coverage import shape_doubts
from leadline.completions.estimator import TrainingData
from leadline.data.judgments import Judgments
from leadline.io.datasets import COLLECTION
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth, UniformSample
from tests.shared_data.where import collection

MEASURE = RBP(p=0.8)


def picked(folder: object, budget: int) -> TrainingData:
    """What MoffatC picks, as judgments."""
    read = leadline.read(folder)
    frame = leadline.next(
        read,
        order="MoffatC(p=0.8, batch=20)",
        budget=budget,
        simulate=f"{folder}/qrels.txt.gz",
        unanswered="nonrelevant",
    ).frame
    keys = set(frame.select("topic", "doc").iter_rows())
    pairs = read.runs.pairs
    judged = np.array([pairs.name(pair) in keys for pair in range(len(pairs))])
    grade = np.where(judged, read.judgments.grade, 0).astype(np.int16)
    return TrainingData(MEASURE, read.runs, Judgments(pairs, judged, grade), None, read.pooled)


@pytest.mark.parametrize("depth", [1, 5, 20])
def test_a_pool_is_not_in_doubt_named_or_not(depth: int) -> None:
    read = leadline.read(COLLECTION)
    pool = Depth(depth).pool(read.runs)
    judgments = pool.restrict(read.judgments)
    assert shape_doubts(TrainingData(MEASURE, read.runs, judgments, pool)) == ()
    assert shape_doubts(TrainingData(MEASURE, read.runs, judgments)) == ()


def test_a_sample_is_not_in_doubt() -> None:
    read = leadline.read(COLLECTION)
    pool = UniformSample(d=20, rate=0.2).pool(read.runs, 1)
    judgments = pool.restrict(read.judgments)
    assert shape_doubts(TrainingData(MEASURE, read.runs, judgments, pool)) == ()


@pytest.mark.parametrize("budget", [100, 400, 1000])
def test_what_an_order_picks_is_in_doubt(budget: int) -> None:
    (doubt,) = shape_doubts(picked(COLLECTION, budget))
    assert "neither a pool nor a sample" in doubt


def test_relevant_documents_alone_are_in_doubt() -> None:
    read = leadline.read(COLLECTION)
    known = read.judgments.only(read.judgments.grade > 0)
    assert shape_doubts(TrainingData(MEASURE, read.runs, known, None, read.pooled))


@pytest.mark.slow
def test_a_thousand_picks_on_trec8_are_in_doubt() -> None:
    folder = collection("trec8_adhoc")
    assert shape_doubts(picked(folder, 1000))
    read = leadline.read(folder)
    assert shape_doubts(TrainingData(MEASURE, read.runs, read.judgments, None, read.pooled)) == ()


def test_a_pool_judged_in_part_is_not_in_doubt_unless_only_relevant_documents_are() -> None:
    read = leadline.read(COLLECTION)
    luck = np.random.default_rng(0).random(len(read.runs.pairs)) < 0.8
    known = Depth(10).pool(read.runs).restrict(read.judgments).only(luck)
    assert shape_doubts(TrainingData(MEASURE, read.runs, known, None, read.pooled)) == ()
    # Runs whose first documents are mostly relevant, and nothing else is judged.
    relevant = known.only(known.grade > 0)
    best = read.runs.only(np.array([name.startswith("eastwick") for name in read.runs.names]))
    (doubt,) = shape_doubts(TrainingData(MEASURE, best, relevant))
    assert "neither a pool nor a sample" in doubt
