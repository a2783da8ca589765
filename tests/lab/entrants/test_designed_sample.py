"""WeightedSample samples as the product draws them."""

import numpy as np
import pytest

from leadline.completions.sample import assisted
from leadline.judging.weighted_sample import WeightedSample
from leadline.lab.benchmark.entrants.samples import DesignedSample
from tests.lab.asked import question


def test_judging_as_it_goes_is_as_good_as_knowing_all_answers() -> None:
    asked = question("scores", 60)
    weights = asked.weights
    design = WeightedSample(n=60, measure="RBP(p=0.8)")
    drawn = design.all_batches(weights, asked.seed, asked.hidden)
    sample = design.sample(weights, asked.hidden, drawn, asked.seed)
    answer = DesignedSample().answer(asked)
    assert np.allclose(answer.value, assisted(weights, sample).value)
    assert asked.judgments == drawn.drawn.sum()


def test_with_few_drawn_no_interval_is_offered() -> None:
    assert DesignedSample().answer(question("scores", 60)).lower is None


def test_shrunk_is_another_answer_from_the_same_judgments() -> None:
    plain, pulled = question("scores", 60), question("scores", 60)
    one, other = DesignedSample().answer(plain), DesignedSample(shrink=True).answer(pulled)
    assert (plain.known.judged == pulled.known.judged).all()
    assert not np.allclose(one.value, other.value)


def test_ndcg_is_estimated_and_what_has_no_numerator_is_not() -> None:
    assert np.isfinite(DesignedSample().answer(question("scores", 40, "nDCG@10")).value).all()
    with pytest.raises(ValueError, match="neither a sum of weights and gains nor nDCG@k"):
        DesignedSample().answer(question("scores", 40, "AP"))
