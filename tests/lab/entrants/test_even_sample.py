"""Horvitz and Thompson's estimate from an even sample."""

import numpy as np

from leadline.lab.benchmark.entrants.samples import EvenSample
from leadline.lab.benchmark.question import Question, Truth
from tests.lab.asked import everything, part, question


def test_a_sample_of_all_is_the_truth() -> None:
    asked = everything("P@10")
    assert np.allclose(EvenSample().answer(asked).value, Truth.of(asked).value)


def test_over_many_draws_there_is_no_bias() -> None:
    on = question("scores", 60)
    told = []
    for seed in range(300):
        asked = Question(on.measure, part().runs, part().answers, 60, seed)
        told.append(EvenSample().answer(asked).value)
    off = np.array(told) - Truth.of(on).value
    assert (np.abs(off.mean(axis=0)) < 4 * off.std(axis=0) / 300**0.5 + 0.002).all()
