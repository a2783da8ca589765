"""MTC beside its plain twin, and on an example that is done by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.lab.benchmark.entrants.samples import MinimalCollection, TopicMatrix
from leadline.lab.benchmark.question import Truth
from tests.lab.asked import everything, question

Known = dict[int, bool]


def plain_a(ranking: list[int], i: int, j: int) -> float:
    if i not in ranking or j not in ranking:
        return 0.0
    return 1 / (1 + max(ranking.index(i), ranking.index(j)))


def plain_weight(rankings: list[list[int]], known: Known, i: int) -> float:
    docs = {doc for ranking in rankings for doc in ranking}
    relevant = {doc for doc in docs if known.get(doc)}
    possible = {doc for doc in docs if known.get(doc, True)}
    spreads = []
    for counted in (relevant | {i}, possible | {i}):
        sums = [sum(plain_a(ranking, i, j) for j in counted) for ranking in rankings]
        mean = sum(sums) / len(sums)
        spreads.append((sum((each - mean) ** 2 for each in sums) / len(sums)) ** 0.5)
    return max(spreads)


def plain_expected(ranking: list[int], docs: set[int], known: Known) -> float:
    p = {doc: float(known[doc]) if doc in known else 0.5 for doc in docs}
    total = 0.0
    for at, doc in enumerate(ranking):
        total += p[doc] / (at + 1) + sum(p[doc] * p[other] / (at + 1) for other in ranking[:at])
    return total / sum(p.values()) if sum(p.values()) else 0.0


rankings_and_known = st.tuples(
    st.lists(st.permutations(range(6)).map(lambda p: p[:4]), min_size=2, max_size=4),
    st.dictionaries(st.integers(0, 5), st.booleans(), max_size=4),
)


def matrix(rankings: list[list[int]], known: Known) -> TopicMatrix:
    pair = np.unique(np.concatenate([np.array(r) for r in rankings])).astype(np.int64)
    place = np.searchsorted(pair, np.array(rankings)).astype(np.int64)
    nothing = np.zeros(len(pair), np.bool_)
    made = TopicMatrix(pair, place, nothing, nothing.copy())
    for at, doc in enumerate(pair.tolist()):
        if doc in known:
            made.tell(at, known[doc])
    return made


@given(rankings_and_known)
def test_weights_and_expected_ap_are_the_twins(drawn: tuple[list[list[int]], Known]) -> None:
    rankings, known = drawn
    made = matrix(rankings, known)
    docs = {int(doc) for doc in made.pair}
    known = {doc: value for doc, value in known.items() if doc in docs}
    for at, doc in enumerate(made.pair.tolist()):
        expected = -1 if doc in known else plain_weight(rankings, known, doc)
        assert made.weights()[at] == pytest.approx(expected, abs=1e-12)
    for told, ranking in zip(made.expected(), rankings, strict=True):
        assert told == pytest.approx(plain_expected(ranking, docs, known), abs=1e-9)


def test_an_example_by_hand() -> None:
    """Lists 0 1 and 1 0, nothing judged: all is symmetric but each document at its first rank."""
    made = matrix([[0, 1], [1, 0]], {})
    # Of document 0: 1 and 1/2 if it alone is relevant, 1 + 1/2 and 1/2 + 1/2 if both may be.
    assert made.weights().tolist() == pytest.approx([0.25, 0.25])
    # 1/2 + (1/2 + 1/4) / 2 over one relevant document to be expected.
    assert made.expected().tolist() == pytest.approx([0.875, 0.875])


def test_who_judges_all_has_the_true_ap() -> None:
    asked = everything("AP")
    # The number of relevant documents is that of the returned ones here.
    told, true = MinimalCollection().answer(asked).by_topic, Truth.of(asked).by_topic
    assert told is not None
    returned = np.zeros(len(asked.runs.pairs), np.bool_)
    returned[asked.runs.pair] = True
    for topic in range(true.shape[1]):
        mine = asked.runs.pairs.topic == topic
        relevant = asked.hidden.grade >= 1
        share = (mine & relevant).sum() / (mine & relevant & returned).sum()
        assert told[:, topic] == pytest.approx(true[:, topic] * share)


def test_it_is_about_ap() -> None:
    with pytest.raises(ValueError, match="about AP, not RBP"):
        MinimalCollection().answer(question("best", 20))
    asked = question("best", 20, "AP")
    MinimalCollection().answer(asked)
    assert asked.judgments == 20
