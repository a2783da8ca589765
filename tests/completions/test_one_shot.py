"""OneShot equals its plain twin: nearness to one relevant document."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.completions.baselines import OneShot
from leadline.completions.estimator import TrainingData, estimators
from leadline.io.documents import documents_from
from leadline.io.problems import Notices
from leadline.measures.rbp import RBP
from leadline.measures.texts import Reader, Tokeniser
from tests.collections import Small, small_collections
from tests.reference.rivals import one_shot
from tests.tries import tries

WORDS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=6)


@given(
    small=small_collections(n_docs=6, n_topics=2),
    texts=st.lists(WORDS, min_size=6, max_size=6),
    k=st.integers(1, 8),
)
@tries(15)
def test_gains_equal_their_twin(small: Small, texts: list[list[str]], k: int) -> None:
    runs, judgments = small.tables()
    names = runs.pairs.docs
    if not len(names):
        return
    documents = {name: texts[int(name[1:])] for name in names}
    source = documents_from({name: " ".join(words) for name, words in documents.items()})
    words = Reader(source).words(names, Tokeniser(), Notices())
    evidence = TrainingData(RBP(p=0.8, gains="grade"), runs, judgments, words=words)
    told = OneShot(k).gains(evidence)
    for entry, pair in enumerate(runs.pair.tolist()):
        topic, doc = runs.pairs.name(pair)
        twin = one_shot(documents, small.grades[topic], k)
        expected = evidence.max_gain * twin[doc]
        if doc in small.grades[topic]:
            expected = evidence.known_gain[pair]
        assert told.gain[entry] == pytest.approx(expected)


def test_it_reads() -> None:
    one = estimators.parse("OneShot")
    assert one.reads
    runs, judgments = Small({"r": {"1": ["a"]}}, {"1": {"a": 1}}, 1).tables()
    with pytest.raises(ValueError, match="`docs`"):
        one.gains(TrainingData(RBP(p=0.8), runs, judgments))
    with pytest.raises(ValueError, match="k must be"):
        OneShot(0)


def test_from_files() -> None:
    docs = {"a": "red whales sing", "b": "whales sing low", "c": "tin cans"}
    run = {"1": {"c": 3.0, "b": 2.0}}
    told = leadline.estimate(
        {"1": {"a": 1}}, {"r": run}, "P@2", "OneShot(k=4)", docs=documents_from(docs)
    )
    # b is the nearest of two others and has all of the gain; c shares no word with a.
    assert np.allclose(told.frame["value"].to_list(), [0.5])
