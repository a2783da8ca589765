"""A collection holds what plain dicts of dicts say, however it was read."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import leadline
from leadline.completions.model import DEEP
from leadline.data.arrays import topic_order
from leadline.data.lists import Lists
from leadline.data.names import Names
from leadline.io import lines as pieces
from leadline.io import run_stream
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from leadline.io.read import read
from leadline.io.rows import doc_keys, topic_keys
from leadline.measures.measure import last_rank, measures
from tests.collisions import key_of, name_with_key
from tests.tries import tries

Run = dict[str, dict[str, float]]
Judged = dict[str, dict[str, int]]

topics = st.sampled_from(["1", "2", "10", "b"])
docs = st.sampled_from(["d1", "d2", "D1", "doc-with-a-longer-name", "doc-with-a-longer-nama", "é"])
lists = st.dictionaries(docs, st.sampled_from([0.0, 1.0, 1.0 + 1e-12, -3.5]), min_size=1)
a_run = st.dictionaries(topics, lists, min_size=1)
some_runs = st.lists(a_run, min_size=1, max_size=4).map(
    lambda found: {f"run{at}": run for at, run in enumerate(found)}
)
qrels = st.dictionaries(
    topics, st.dictionaries(docs, st.integers(0, 3), min_size=1), min_size=1, max_size=4
)


def in_order(scores: dict[str, float]) -> list[str]:
    key = {doc: (np.float32(score), doc.encode()) for doc, score in scores.items()}
    return sorted(scores, key=lambda doc: key[doc], reverse=True)


@contextmanager
def files(runs: dict[str, Run], piece: int) -> Iterator[list[Path]]:
    """The runs as files that are cut into pieces of so many bytes."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        paths = []
        for name, run in runs.items():
            lines = [
                f"{topic} Q0 {doc} 1 {score!r} x\n"
                for topic, scores in run.items()
                for doc, score in scores.items()
            ]
            paths.append(Path(folder) / f"{name}.run")
            paths[-1].write_text("".join(lines), encoding="utf-8")
        for module in (pieces, run_stream):
            stack.enter_context(patch.object(module, "PIECE", piece))
        yield paths


def check(found: Collection, runs: dict[str, Run], judged: Judged, depth: int | None) -> None:
    pairs = found.runs.pairs
    known = topic_order(judged)
    assert list(pairs.topics) == known
    expected = {(topic, doc) for topic, grades in judged.items() for doc in grades}
    for run, scores in enumerate(runs.values()):
        for at, topic in enumerate(known):
            ranked = in_order(scores.get(topic, {}))[:depth]
            expected |= {(topic, doc) for doc in ranked}
            bounds = slice(found.runs.start[run, at], found.runs.stop[run, at])
            entries = [pairs.name(pair) for pair in found.runs.pair[bounds].tolist()]
            assert entries == [(topic, doc) for doc in ranked]
    names = [pairs.name(pair) for pair in range(len(pairs))]
    assert names == sorted(expected, key=lambda name: (known.index(name[0]), name[1].encode()))
    grade = {name: judged[name[0]].get(name[1]) for name in names}
    assert found.judgments.judged.tolist() == [grade[name] is not None for name in names]
    assert found.judgments.grade.tolist() == [grade[name] or 0 for name in names]


@given(some_runs, qrels, st.sampled_from([16, 64, 4 << 20]), st.sampled_from([None, 1, 2]))
@tries(20)
def test_a_collection_equals_its_plain_twin(
    runs: dict[str, Run], judged: Judged, piece: int, depth: int | None
) -> None:
    common = {name: run for name, run in runs.items() if set(run) & set(judged)}
    if not common:
        return
    check(read(judged, common, depth=depth), common, judged, depth)
    with files(common, piece) as paths:
        check(read(judged, paths, depth=depth), common, judged, depth)


@given(some_runs, qrels)
@tries(12)
def test_the_order_of_runs_changes_nothing(runs: dict[str, Run], judged: Judged) -> None:
    one = read(None, runs)
    other = read(None, dict(reversed(runs.items())))
    assert one.runs.pairs.frame().equals(other.runs.pairs.frame())
    for run, name in enumerate(one.runs.names):
        mask = np.array([each == name for each in other.runs.names])
        alone = one.runs.only(np.arange(len(runs)) == run)
        assert_array_equal(alone.pair, other.runs.only(mask).pair)


@given(some_runs, qrels)
@tries(12)
def test_evaluate_scores_what_a_collection_holds(runs: dict[str, Run], judged: Judged) -> None:
    common = {name: run for name, run in runs.items() if set(run) & set(judged)}
    if not common:
        return
    names = ["P@2", "AP", "nDCG@3", "RBP(p=0.8)", "Recall"]
    held = read(judged, common)
    lists = Lists.of(held.runs, held.judgments)
    scores = leadline.evaluate(judged, common, names).scores
    for name in names:
        again = measures.parse(name).score(lists)
        for column in ("value", "lower", "upper"):
            assert_array_equal(getattr(again, column), getattr(scores[name], column))


TOPIC, DOC = "topic-A-00000001", "document-0000001"
OTHER_TOPIC = name_with_key(key_of(TOPIC, 1), 1)
OTHER_DOC = name_with_key(key_of(DOC, 2), 2)
PAIR_KEY = key_of(TOPIC, 1) ^ key_of(DOC, 2)
THIRD_TOPIC = "topic-B-00000001"
THIRD_DOC = name_with_key(PAIR_KEY ^ key_of(THIRD_TOPIC, 1), 2)


def test_the_names_made_for_these_tests_collide() -> None:
    assert topic_keys(Names.of([TOPIC])) == topic_keys(Names.of([OTHER_TOPIC]))
    assert doc_keys(Names.of([DOC])) == doc_keys(Names.of([OTHER_DOC]))
    pairs = [
        topic_keys(Names.of([t])) ^ doc_keys(Names.of([d]))
        for t, d in ((TOPIC, DOC), (THIRD_TOPIC, THIRD_DOC))
    ]
    assert pairs[0] == pairs[1]
    assert len({TOPIC, OTHER_TOPIC, THIRD_TOPIC}) == len({DOC, OTHER_DOC, THIRD_DOC}) == 3


COLLISIONS: list[tuple[Judged, dict[str, Run]]] = [
    # The run has a topic with the key of the judged one, and the judged one too, or not.
    ({TOPIC: {DOC: 1}, "9": {"x": 1}}, {"r": {OTHER_TOPIC: {DOC: 1.0}, "9": {"x": 1.0}}}),
    ({TOPIC: {DOC: 1}}, {"r": {OTHER_TOPIC: {DOC: 2.0}, TOPIC: {"x": 3.0, DOC: 1.0}}}),
    ({TOPIC: {DOC: 1}, OTHER_TOPIC: {DOC: 0}}, {"r": {OTHER_TOPIC: {DOC: 2.0}, TOPIC: {DOC: 1.0}}}),
    # A document with the key of the judged one, in one list with it or not, or in another run.
    ({TOPIC: {DOC: 1}}, {"r": {TOPIC: {OTHER_DOC: 1.0}}}),
    ({TOPIC: {DOC: 1}}, {"r": {TOPIC: {OTHER_DOC: 2.0, DOC: 1.0}}}),
    ({TOPIC: {DOC: 1}}, {"r": {TOPIC: {OTHER_DOC: 2.0}}, "s": {TOPIC: {DOC: 1.0}}}),
    ({TOPIC: {DOC: 1, OTHER_DOC: 2}}, {"r": {TOPIC: {OTHER_DOC: 2.0, DOC: 1.0}}}),
    # A pair whose topic and document are both others.
    ({TOPIC: {DOC: 1}, THIRD_TOPIC: {"x": 0}}, {"r": {THIRD_TOPIC: {THIRD_DOC: 1.0}}}),
    ({TOPIC: {DOC: 1}, THIRD_TOPIC: {THIRD_DOC: 0}}, {"r": {THIRD_TOPIC: {THIRD_DOC: 1.0}}}),
    (
        {TOPIC: {DOC: 1}, THIRD_TOPIC: {"x": 0}},
        {"r": {THIRD_TOPIC: {THIRD_DOC: 1.0}, TOPIC: {DOC: 1.0}}, "s": {TOPIC: {DOC: 1.0}}},
    ),
]


@pytest.mark.parametrize(("judged", "runs"), COLLISIONS)
@pytest.mark.parametrize("piece", [40, 4 << 20])
def test_keys_that_collide_change_nothing(
    judged: Judged, runs: dict[str, Run], piece: int, tmp_path: Path
) -> None:
    path = tmp_path / "qrels.txt"
    lines = [
        f"{topic} 0 {doc} {g}\n" for topic, grades in judged.items() for doc, g in grades.items()
    ]
    path.write_text("".join(lines))
    plain = {name: {topic: run.get(topic, {}) for topic in judged} for name, run in runs.items()}
    with files(runs, piece) as paths:
        check(read(path, paths), runs, judged, None)
        scores = leadline.evaluate(path, paths, ["NumRelRet", "NumRet"]).scores
    for at, topic in enumerate(topic_order(judged)):
        for run, lists_ in enumerate(plain.values()):
            listed = lists_[topic]
            n_found = sum(judged[topic].get(doc, 0) > 0 for doc in listed)
            assert scores["NumRelRet"].value[run, at] == n_found
            assert scores["NumRet"].value[run, at] == len(listed)


def test_a_pair_is_found_by_name_where_keys_collide() -> None:
    pairs = read({TOPIC: {DOC: 1, OTHER_DOC: 0}}, {TOPIC: {DOC: 1.0}}).runs.pairs
    asked = [DOC, OTHER_DOC, DOC, "x"]
    found = [pairs.name(at)[1] if at >= 0 else None for at in pairs.find([TOPIC] * 4, asked)]
    assert found == [DOC, OTHER_DOC, DOC, None]


def test_a_topic_that_only_shares_a_key_is_none_in_common() -> None:
    with pytest.raises(InputError, match="no topic in common"):
        leadline.evaluate({TOPIC: {DOC: 1}}, {OTHER_TOPIC: {DOC: 1.0}}, "P@1")


QRELS = {"1": {"a": 1}, "2": {"a": 0}}


@pytest.mark.parametrize("verb", ["evaluate", "compare", "estimate", "next", "pool", "report"])
def test_every_verb_refuses_a_run_without_a_common_topic(verb: str) -> None:
    runs = {"good": {"1": {"a": 1.0, "b": 0.5}}, "bad": {"001": {"a": 1.0}}}
    with pytest.raises(InputError, match="bad: has no topic in common with qrels: the run has 001"):
        getattr(leadline, verb)(QRELS, runs)


def test_what_runs_lack_is_said_once() -> None:
    notices = read(QRELS, {"1": {"a": 1.0}, "7": {"b": 1.0}}).notices
    assert sorted(problem.code for problem in notices.problems) == [
        "missing-topic",
        "unjudged-topic",
    ]


def test_a_collection_is_given_back_but_for_what_restricts_it() -> None:
    whole = read(QRELS, {"1": {"a": 1.0, "b": 0.5}, "2": {"c": 1.0}})
    assert read(whole).runs is whole.runs
    assert read(whole, topics=["1"]).runs.pairs.topics == ("1",)
    assert read(whole, depth=1).runs.length.tolist() == [[1, 1]]


def test_topics_of_no_run_are_said_or_refused_without_judgments_too() -> None:
    run = {"1": {"a": 1.0}, "2": {"b": 1.0}}
    found = read(None, run, topics=["2", "3"])
    assert found.runs.pairs.topics == ("2",)
    assert "no run returns anything for 3" in found.notices.lines()[0]
    with pytest.raises(InputError, match="no run returns anything for the topics given: 9"):
        read(None, run, topics=["9"])


@pytest.mark.parametrize("name", ["P@5", "nDCG@10", "RBP(p=0.8)@20", "P(judged_only=true)@5"])
def test_lists_that_are_cut_compare_as_whole_ones(name: str) -> None:
    """Only where nothing below the depth can matter are they cut."""
    whole = read(COLLECTION)
    measure = measures.parse(name)
    scores = measure.score(Lists.of(whole.runs, whole.judgments))
    found = leadline.compare(COLLECTION, None, name).pairs[name]
    for column in ("value", "lower", "upper"):
        assert_array_equal(getattr(found.scores, column), getattr(scores, column))
    longest = int(whole.runs.length.max())
    asked = longest if "judged_only" in name else max(measure.depth or 0, DEEP)
    assert int(found.runs.length.max()) == min(asked, longest)


def test_several_measures_are_read_to_the_deepest() -> None:
    asked = [measures.parse(name) for name in ("P@5", "nDCG@10")]
    assert last_rank(asked) == 10
    assert last_rank([*asked, measures.parse("AP")]) is None
