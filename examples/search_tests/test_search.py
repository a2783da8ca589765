"""The tests of the ranking: is a new version worse than the one in production?"""

import pytest
import search

import leadline
from leadline.pytest_plugin import assert_not_worse


@pytest.fixture(scope="session")
def runs():
    """What each version returns for the judged topics."""
    versions = {"old": search.old, "new": search.new, "broken": search.broken}
    return {
        name: leadline.run(search.COLLECTION, retriever=version, depth=100, name=name).frame
        for name, version in versions.items()
    }


def test_the_new_ranking_is_not_worse(leadline_gate, runs):
    """The new version passes, skips if the data do not decide, or fails."""
    leadline_gate(baseline={"old": runs["old"]}, new={"new": runs["new"]}, measures="nDCG@10")


def test_nor_by_the_classic_scores_of_our_dashboard(leadline_gate, runs):
    """With unjudged documents as non-relevant."""
    leadline_gate(
        baseline={"old": runs["old"]}, new={"new": runs["new"]}, measures="RR", unjudged_as="lower"
    )


def test_a_mistake_would_be_found(runs):
    """Without settings and fixture: a function that raises an AssertionError."""
    with pytest.raises(AssertionError, match="broken is worse than old"):
        assert_not_worse(
            search.COLLECTION,
            baseline={"old": runs["old"]},
            new={"broken": runs["broken"]},
            measures="nDCG@10",
        )
