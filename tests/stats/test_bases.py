"""What the run behind is given, and whether the test speaks for the run ahead."""

import numpy as np
import pytest
from scipy import stats

from leadline.data.scores import Scores
from leadline.stats.pairwise import row_means, set_against
from leadline.stats.significance import tests
from tests.stats.compared import compared


@pytest.mark.parametrize("unjudged_as", ["lower", "upper", "projected", "both-projected"])
@pytest.mark.parametrize(("tails", "side"), [(1, "greater"), (2, "two-sided")])
def test_the_run_that_is_ahead_is_tested_against_what_the_other_is_given(
    unjudged_as: str, tails: int, side: str
) -> None:
    pairs = compared(unjudged_as=unjudged_as, tails=tails, correction="none")
    scores = pairs.scores
    with np.errstate(invalid="ignore"):
        # NaN on the topics for which a run returns nothing.
        projected = scores.lower + scores.residual * scores.lower / (1 - scores.residual)
    mine = projected if unjudged_as == "both-projected" else scores.value
    theirs = {"lower": scores.value, "upper": scores.upper}.get(unjudged_as, projected)
    ahead = np.nanmean(mine[pairs.first] - mine[pairs.second], axis=1)
    assert np.allclose(pairs.difference, ahead)
    for row in range(0, len(pairs.first), 23):
        a, b = pairs.first[row], pairs.second[row]
        if pairs.difference[row] < 0:
            a, b = b, a
        tested = mine[a] - theirs[b]
        peer = stats.ttest_1samp(tested[~np.isnan(tested)], 0.0, alternative=side)
        assert abs(pairs.p[row] - peer.pvalue) < 1e-12
        assert pairs.p_corrected[row] == pairs.p[row]


def test_the_more_the_other_is_given_the_fewer_are_significant() -> None:
    shares = [
        compared(unjudged_as=unjudged_as, tails=1, correction="none").discriminated
        for unjudged_as in ("lower", "projected", "upper")
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[2]


def test_a_top_far_above_is_no_win_of_the_run_behind() -> None:
    pairs = compared("P@10", unjudged_as="upper", tails=2, correction="none")
    against = np.nanmean(pairs.outcome.rows, axis=1) < 0
    assert (against & (pairs.p < 0.05)).any()
    assert not pairs.significant[against].any()


@pytest.mark.parametrize("name", ["wilcoxon", "sign", "t"])
def test_where_the_mean_and_the_ranks_disagree_nothing_is_shown(name: str) -> None:
    # The second is a little better on 37 topics, the first much better on 3.
    value = np.full((2, 40), 0.2)
    value[1] += np.linspace(0.001, 0.009, 40)
    value[0, :3] = 0.8
    topics = tuple(map(str, range(40)))
    scores = Scores(("a", "b"), topics, "X", value, value, value, np.ones((2, 40)))
    pair = np.array([0]), np.array([1])
    found = set_against(scores, *pair, tests.parse(name), "lower", 2, np.random.default_rng(0))
    assert found.difference[0] > 0
    if name != "t":
        assert found.p[0] < 0.001
    assert found.supports[0] == (name == "t")


def test_scores_that_a_measure_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="bpref has no interval here"):
        compared("bpref", unjudged_as="upper")
    for name in ("AP", "nDCG@10", "DCG@10"):
        with pytest.raises(ValueError, match="has no projected score"):
            compared(name, unjudged_as="projected")


def test_of_equals_the_first_by_name_is_ahead() -> None:
    value = np.array([[0.5, 0.0], [0.0, 0.5]])
    scores = Scores(("b", "a"), ("1", "2"), "X", value, value, value, np.ones((2, 2)))
    pair = np.array([0]), np.array([1])
    found = set_against(scores, *pair, tests.parse("t"), "lower", 2, np.random.default_rng(0))
    assert found.difference[0] == 0
    assert found.rows[0].tolist() == [-0.5, 0.5]
    assert not found.supports[0]


def test_means_leave_out_what_is_undefined() -> None:
    rows = np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, np.nan]])
    assert row_means(rows)[0] == 1.5
    assert np.isnan(row_means(rows)[1])
