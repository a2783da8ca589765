"""Parts of lists: every list comes once, with its documents, however small the parts are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions import drawn_scores
from leadline.completions.drawn_scores import DrawnScores, list_parts
from leadline.completions.estimator import TrainingData
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.tries import tries


@tries(10)
@given(
    small_collections(n_docs=6, n_runs=3, n_topics=4),
    st.integers(1, 60),
    st.sampled_from([2, None]),
)
def test_every_list_comes_once_with_its_documents(
    small: Small, cells: int, depth: int | None
) -> None:
    runs, judgments = small.tables()
    measure = parse_measure("AP" if depth is None else f"AP@{depth}")
    evidence = TrainingData(measure, runs, judgments)
    seen: dict[int, list[int]] = {}
    last = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_scores, "CELLS", cells)
        for topics, parts in list_parts(evidence, 2):
            assert topics.start == last
            last = topics.stop
            for part in parts:
                rows = zip(part.list, part.topic, part.pair, part.length, strict=True)
                for place, topic, pair, length in rows:
                    assert int(place) not in seen
                    assert topics.start <= topic < topics.stop
                    assert place % len(runs.pairs.topics) == topic
                    assert (pair[length:] == -1).all()
                    seen[int(place)] = pair[:length].tolist()
    assert last == len(runs.pairs.topics)
    start, stop = runs.start.ravel(), runs.stop.ravel()
    whole = {
        place: runs.pair[start[place] : stop[place]][:depth].tolist()
        for place in range(runs.start.size)
    }
    assert seen == whole


def test_few_cells_are_held_at_once() -> None:
    documents = [f"d{number}" for number in range(50)]
    small = Small({"a": {"1": documents, "2": documents}}, {"1": {"d0": 1}, "2": {"d0": 1}}, 1)
    runs, judgments = small.tables()
    evidence = TrainingData(parse_measure("AP"), runs, judgments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_scores, "CELLS", 500)
        sizes = [10 * part.pair.size for _, parts in list_parts(evidence, 10) for part in parts]
    assert np.max(sizes) <= 500


def test_draws_that_are_all_the_same_have_no_error_not_even_of_the_last_digit() -> None:
    topics = [str(number) for number in range(7)]
    runs = {"a": {topic: ["d0", "d1"] for topic in topics}, "b": {t: ["d1"] for t in topics}}
    small = Small(runs, {topic: {"d0": 1} for topic in topics}, 1)
    evidence = TrainingData(parse_measure("RR"), *small.tables())
    draws = np.random.default_rng(1).random((200, 2, 7))
    draws[:, 0] = 0.1 + draws[0, 0]  # no binary fraction, whose mean of 200 is another number
    scores = DrawnScores(evidence, draws).scores("drawn")
    assert scores.standard_error is not None
    assert (scores.standard_error[0] == 0).all()
    assert (scores.standard_error[1] > 0).all()
    assert scores.of_mean is not None
    assert (scores.of_mean.covariance[0] == 0).all()
    assert scores.of_mean.covariance[1, 1] > 0
