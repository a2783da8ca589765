"""Judgments taken away at random: the right number of them, and read all at once."""

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.papers.hui17_plan import DEPTH, READING, hui17_setup, read_samples, sample
from leadline.measures.text_diversity import ABSnb

FOLDER = str(COLLECTION)


@pytest.mark.parametrize("percent", [1, 7, 50, 100])
def test_a_sample_keeps_what_it_should(percent: int) -> None:
    on = hui17_setup(FOLDER)
    kept = sample(on, percent, 3, np.random.default_rng(1))
    for topic in range(len(on.grades.topics)):
        here = on.grades.topic == topic
        relevant, others = here & on.relevant, here & ~on.relevant
        n = max(1, -(-int(relevant.sum()) * percent // 100))
        assert (kept[:, relevant].sum(axis=1) == n).all()
        share = int(others.sum()) * percent / 100
        assert (abs(kept[:, others].sum(axis=1) - share) <= 0.5).all()
    assert percent == 100 or not (kept[0] == kept[1]).all()


def test_all_samples_at_once_are_as_good_as_one_by_one() -> None:
    on = hui17_setup(FOLDER)
    kept = sample(on, 20, 3, np.random.default_rng(2))
    every = (*READING, on.short)
    found, _ = read_samples(FOLDER, kept, every)
    for number, docs in enumerate(kept):
        lists = on.judged_only(docs)
        for each in every:
            assert found[str(each)][number] == pytest.approx(each.score(lists).mean(), abs=1e-12)


def test_gains_below_0_are_only_for_rises() -> None:
    kept = sample(hui17_setup(FOLDER), 50, 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="only worked out for measures of rises"):
        read_samples(FOLDER, kept, (ABSnb(DEPTH, clip=False),))
