"""Worlds: judged grades stay, every document has one grade, and scores are those of plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions import drawn_scores
from leadline.completions.drawn_scores import DrawnScores, drawable
from leadline.completions.estimator import Evidence
from leadline.completions.worlds import Worlds
from leadline.data.arrays import Int16s
from leadline.data.lists import Lists
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.reference import measures as plain
from tests.tries import tries

N = 3
TWINS = {
    "nDCG@3": lambda ranking, grades: plain.ndcg(ranking, grades, 3),
    "AP": plain.ap,
    "Recall@2": lambda ranking, grades: plain.recall(ranking, grades, 2),
    "RR": plain.rr,
}


class Given(Worlds):
    """Worlds that are told."""

    def __init__(self, evidence: Evidence, table: Int16s) -> None:
        super().__init__(evidence, len(table))
        self.table = table

    def open_grades(self, topics: slice, pairs: slice) -> Int16s:
        return self.table[:, pairs].copy()


@pytest.mark.parametrize("name", TWINS)
@tries(10)
@given(small_collections(n_docs=6, n_runs=3, n_topics=3, judged=0.5), st.integers(0, 99))
def test_scores_of_every_draw_are_those_of_the_plain_twin(
    name: str, small: Small, seed: int
) -> None:
    runs, judgments = small.tables()
    evidence = Evidence(parse_measure(name), runs, judgments)
    top = judgments.max_grade
    shape = (N, len(runs.pairs))
    table = np.random.default_rng(seed).integers(0, top + 1, shape).astype(np.int16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_scores, "CELLS", 1 + seed)
        drawn = Given(evidence, table).draws()
    assert drawn.shape == (N, *runs.start.shape)
    for draw in range(N):
        for at, topic in enumerate(runs.pairs.topics):
            pairs = np.flatnonzero(runs.pairs.topic == at)
            grades = {
                runs.pairs.name(int(pair))[1]: int(
                    judgments.grade[pair] if judgments.judged[pair] else table[draw, pair]
                )
                for pair in pairs
            }
            for run, of_run in enumerate(runs.names):
                true = TWINS[name](small.runs[of_run].get(topic, []), grades)
                ours = drawn[draw, run, at]
                assert math.isnan(ours) if math.isnan(true) else ours == pytest.approx(true)


@tries(10)
@given(small_collections(n_docs=6, n_runs=3, n_topics=3), st.integers(0, 99))
def test_the_score_is_the_mean_of_the_draws_inside_what_is_certain(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    measure = parse_measure("nDCG@3")
    evidence = Evidence(measure, runs, judgments)
    shape = (4, len(runs.pairs))
    random = np.random.default_rng(seed)
    table = random.integers(0, judgments.max_grade + 1, shape).astype(np.int16)
    drawn = DrawnScores(evidence, Given(evidence, table).draws())
    scores = drawn.scores("told")
    assert scores.obtained == "told"
    certain = measure.score(Lists.of(runs, judgments))
    for run in range(len(runs.names)):
        for topic in range(len(runs.pairs.topics)):
            several = [x for x in drawn.draws[:, run, topic].tolist() if not math.isnan(x)]
            if not several:
                assert math.isnan(scores.value[run, topic])
                continue
            low, high = certain.lower[run, topic], certain.upper[run, topic]
            # A world is possible, so the interval holds it.
            assert all(low - 1e-9 <= each <= high + 1e-9 for each in several)
            assert scores.value[run, topic] == pytest.approx(sum(several) / len(several))
    # In each draw the mean over topics, then over draws.
    means = [
        np.mean(defined)
        for draw in range(4)
        if len(defined := drawn.draws[draw, 0][~np.isnan(drawn.draws[draw, 0])])
    ]
    assert scores.of_mean is not None
    if means:
        assert scores.of_mean.value[0] == pytest.approx(np.mean(means))


def test_without_known_errors_there_are_none() -> None:
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {"x": 1}}, 1)
    runs, judgments = small.tables()
    evidence = Evidence(parse_measure("AP"), runs, judgments)
    told = np.array([[0, 0], [0, 1]], np.int16)
    drawn = DrawnScores(evidence, Given(evidence, told).draws(), error_factor=None)
    assert drawn.draws[:, 0, 0].tolist() == [1.0, 1.0]
    assert np.isnan(drawn.scores("told").mean_error()).all()
    assert drawn.scores("told").standard_error is None


def test_measures_without_an_interval_are_not_drawn() -> None:
    able = ["nDCG@10", "AP", "Recall@5", "RR", "ERR@20", "Rprec", "Success@1"]
    assert all(drawable(parse_measure(name)) for name in able)
    unable = ["bpref", "nDCG(judged_only=true)@10", "infAP", "Judged@10", "alpha_nDCG@10"]
    assert not any(drawable(parse_measure(name)) for name in unable)
