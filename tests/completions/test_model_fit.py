"""A model that does not fit what it learnt from says so, and tells no error."""

from collections.abc import Callable

import numpy as np
import pytest

import leadline
from leadline.completions.estimator import TrainingData
from leadline.completions.model import RelevanceModel
from leadline.completions.regression import Regression, fit_doubts, relevance_model
from leadline.data.judgments import Judgments
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from tests.collections import Small
from tests.shared_data.where import collection

DOCS = [f"d{rank:02}" for rank in range(1, 21)]
TOPICS = [f"{number:02}" for number in range(10)]


def of_model(chance: float, relevant: Callable[[int], bool]) -> tuple[str, ...]:
    """What is said of a model with one probability for all, of runs that list all alike."""
    lists = dict.fromkeys(TOPICS, DOCS)
    grades = {
        topic: {doc: int(relevant(rank)) for rank, doc in enumerate(DOCS, 1)} for topic in TOPICS
    }
    runs, judgments = Small({"a": lists, "b": lists}, grades, 1).tables()
    model = RelevanceModel.of(runs, judgments)
    fit = model.steps[0].fit
    fit.g[:], fit.l[:] = 0.0, 0.0
    fit.g[0] = np.log(chance / (1 - chance))
    return fit_doubts(model)


def test_a_step_to_nothing_in_the_middle_of_a_pool_is_seen() -> None:
    # 0 of 30 documents, where 15 are expected with a deviation of sqrt(7.5): 5.5 of them.
    (doubt,) = of_model(0.5, lambda rank: rank < 8 and rank % 2 == 0)
    assert doubt.startswith("0.0% of the judged documents whose best rank is at ranks 8 to 10 have")
    assert "grade 1 or more, where the model expects 50.0%" in doubt


def test_a_number_within_half_as_many_again_is_in_no_doubt() -> None:
    # All at the first rank, 10 where 8 are expected; ranks 2 and 3: 20 where 16 are.
    assert of_model(0.8, lambda rank: True) == ()


def test_a_few_documents_are_in_no_doubt() -> None:
    # None of 10 at the first rank where 2.5 are expected: 1.8 deviations; 10 of 20 at the next two
    # where 5 are: 2.6 deviations.
    assert of_model(0.25, lambda rank: rank in (3, 7, 9, 12, 16, 20)) == ()


@pytest.mark.parametrize("depth", [5, 10, 20])
def test_a_pool_of_the_demo_is_in_no_doubt(depth: int) -> None:
    sea = leadline.read(COLLECTION)
    pool = Depth(depth).pool(sea.runs)
    evidence = TrainingData(parse_measure("P@20"), sea.runs, pool.restrict(sea.judgments))
    assert fit_doubts(relevance_model(evidence)) == ()


def test_judgments_of_trec_covid_filled_up_below_rank_seven_have_no_error() -> None:
    """Before, 73 to 95% of the intervals held."""
    read = leadline.read(collection("trec_covid_round1"))
    runs = read.runs.cut(20)
    everything = np.ones(len(runs.pairs), np.bool_)
    known = read.judgments
    filled = Judgments(runs.pairs, everything, np.where(known.judged, known.grade, 0))
    pool = Depth(10).pool(runs)
    evidence = TrainingData(parse_measure("RBP(p=0.8)"), runs, pool.restrict(filled), pool)
    gains = Regression().gains(evidence)
    assert "at ranks 8 to 10" in gains.doubts[0]
    assert gains.of_mean is not None
    assert np.isnan(gains.of_mean.standard_error).all()
