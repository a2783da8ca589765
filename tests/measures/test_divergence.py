"""Measures that read equal a dense twin on random small collections, and on AMBIENT."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.api.evaluate import Evaluation, evaluate
from leadline.measures.diversity import sketch_subtopics, sketch_texts
from leadline.measures.measure import measures
from tests.measures.one_topic import OneTopic, one_topic, same
from tests.reference import divergence as text_twin
from tests.reference import diversity as twin
from tests.shared_data.where import collection
from tests.tries import tries

READING = [("ABS", "nb"), ("ABS", "rb"), ("DELTA", "nb"), ("DELTA", "rb")]


@tries(20)
@given(
    case=one_topic(weighed=False),
    k=st.integers(1, 6),
    mu=st.sampled_from([0.5, 10.0, 2500.0]),
    theta=st.sampled_from([0.0, 0.5, 0.8]),
    clip=st.booleans(),
)
def test_measures_that_read_equal_a_dense_twin(
    case: OneTopic, k: int, mu: float, theta: float, clip: bool
) -> None:
    texts = {doc: text_twin.words(text) for doc, text in case.texts.items()}
    whole = text_twin.Collection(texts)
    relevant = {
        subtopic: [doc for doc in case.judged if subtopic in twin.covered(doc, case.judged)]
        for subtopic in "abc"
    }
    expected = {}
    for kind, bias in READING:
        more = f"mu={mu}" + (f", theta={theta}" if bias == "rb" else "")
        more += "" if clip else ", clip=false"
        name = f"{kind}{bias}({more})@{k}"
        expected[name] = text_twin.divergence(
            whole, case.ranking, relevant, kind, bias, k, mu, theta, clip
        )
    found = list(case.scores(list(expected), docs=case.texts).values())
    for (name, value), ours in zip(expected.items(), found, strict=True):
        assert same(ours, value), (name, ours, value)


def ambient(every: int) -> None:
    """Scores of every so many runs, on all topics, equal the dense twin's."""
    folder = collection("ambient")
    names = [f"{kind}{bias}@20" for kind, bias in READING]
    runs = sorted((folder / "runs").iterdir())[::every]
    found = evaluate(folder / "qrels.ndeval.txt", runs, names, docs=folder)
    assert found.lists is not None
    rows = pl.read_csv(
        folder / "qrels.ndeval.txt", separator=" ", has_header=False, infer_schema=False
    )
    docs = pl.read_ndjson(_unpacked(folder / "docs.jsonl.gz"))
    whole = text_twin.Collection(
        {name: text_twin.words(text) for name, text in docs["id", "text"].rows()}
    )
    relevant: dict[str, dict[str, list[str]]] = {}
    for topic, subtopic, doc, grade in rows.rows():
        if int(grade) > 0:
            relevant.setdefault(topic, {}).setdefault(subtopic, []).append(doc)
    lists, n_compared = found.lists, 0
    assert lists.documents is not None
    assert lists.in_documents is not None
    for run in range(len(lists.runs)):
        for at, topic in enumerate(lists.topics):
            part = slice(lists.start[run, at], lists.stop[run, at])
            ranking = lists.documents.names.gather(lists.in_documents[part]).to_list()
            gains = text_twin.subtopic_gains(whole, ranking, relevant[topic], 20)
            for kind, bias in READING:
                rank = np.array(text_twin.rank_gains(gains, kind))
                weights = 0.2 * 0.8 ** np.arange(len(rank)) if bias == "rb" else 1.0
                value = found.scores[f"{kind}{bias}@20"].value[run, at]
                assert abs(value - float((rank * weights).sum())) <= 1e-9
                n_compared += 1
    assert n_compared == len(runs) * 44 * 4


def _unpacked(path: object) -> bytes:
    from leadline.io.source import read_source

    return read_source(path).data  # type: ignore[arg-type]


def test_one_run_of_ambient_equals_a_dense_twin() -> None:
    ambient(every=39)


@pytest.mark.slow
def test_every_run_of_ambient_equals_a_dense_twin() -> None:
    ambient(every=1)


@pytest.mark.parametrize(
    ("name", "told"),
    [("ABSnb(mu=0)", "mu must be above 0"), ("DELTArb(theta=1)", "theta must be at least 0")],
)
def test_parameters_without_sense_are_refused(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        measures.parse(name)


def test_lists_without_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="needs lists with documents"):
        measures.parse("ABSnb").score(sketch_subtopics("a"))


def test_what_the_reader_has_seen_before_does_not_rise() -> None:
    """The second document says the same again; an empty one changes nothing of what was seen."""
    lists = sketch_texts("tide | tide |", {"a": "tide tide"}, "tide fog sail reef")
    absolute, rises = (
        measures.parse(f"{kind}nb(mu=1)@3").score(lists) for kind in ("ABS", "DELTA")
    )
    one = measures.parse("ABSnb(mu=1)@1").score(lists).value[0, 0]
    two = measures.parse("ABSnb(mu=1)@2").score(lists).value[0, 0] - one
    assert absolute.value[0, 0] == pytest.approx(one + two + two)
    assert rises.value[0, 0] == pytest.approx(two)


def test_a_topic_whose_subtopics_have_no_document_is_undefined() -> None:
    lists = sketch_texts("tide", {"a:0": "fog"}, "tide fog")
    assert np.isnan(measures.parse("ABSnb").score(lists).value).all()
    nowhere = replace(lists, in_documents=np.array([-1], np.int32))
    assert np.isnan(measures.parse("ABSnb").score(nowhere).value).all()


def zeros(result: Evaluation) -> list[str]:
    return [str(each) for each in result.notices.problems if each.code == "zeros"]


def test_it_is_said_why_many_scores_are_zero() -> None:
    texts = {"far": "sail sail", "mute": "", "empty": "", "moon": "tide " * 9}
    # By topic: nothing closer than the collection; nothing to learn from; nothing to read.
    rows = [("1", "a", "moon"), ("1", "b", "moon"), ("2", "a", "empty"), ("3", "a", "moon")]
    schema = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String}
    qrels = pl.DataFrame(rows, schema=schema, orient="row").with_columns(grade=1)
    run = {"1": {"far": 1.0}, "2": {"far": 1.0}, "3": {"mute": 1.0}}
    result = evaluate(qrels, run, ["DELTArb@5", "ABSnb@5"], docs=texts)
    assert result.frame.filter(topic="all")["value"].to_list() == [0.0, 0.0]
    assert zeros(result) == [
        "DELTArb@5, ABSnb@5: 3 of 3 scores are 0: the list has no text (1); the topic's relevant "
        "documents say no more than the whole collection does (1); no rank comes closer to a "
        "subtopic than the whole collection is (1). With documents of 2 words, clip=false and mu=6 "
        "tell such lists apart"
    ]
    read = leadline.read(qrels, run, subtopics=True)
    assert zeros(evaluate(read, None, ["DELTArb@5", "ABSnb@5"], docs=texts)) == zeros(result)
    near = evaluate(qrels, {"1": {"moon": 1.0}, "3": {"moon": 1.0}}, "DELTArb@5", docs=texts)
    assert zeros(near) == []


def test_as_many_zeros_are_told_as_there_are_on_ambient() -> None:
    folder = collection("ambient")
    pool = leadline.pool(folder, strategy="Depth(d=1)", all_runs=True).frame
    for name in ("DELTArb@20", "DELTArb(mu=86, clip=false)@20"):
        result = evaluate(folder, None, name, pool=pool, per_topic=True)
        values = result.frame.filter(pl.col("topic") != "all")["value"]
        n_zero = int((values == 0).sum())
        told = f"{name}: {n_zero} of {len(values):,} scores are 0: no rank comes closer to"
        many = n_zero > 0.1 * len(values)
        assert [each.startswith(told) for each in zeros(result)] == ([True] if many else [])
        assert many == ("clip" not in name)
