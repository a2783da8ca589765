"""One import makes Leadline's measures work inside ir_measures."""

import math

import ir_measures
import pandas as pd
import pytest

from leadline.ir_measures import measure
from leadline.registry import NamingError

QRELS = [
    ir_measures.Qrel("1", "a", 1),
    ir_measures.Qrel("1", "b", 0),
    ir_measures.Qrel("2", "a", 1),
    ir_measures.Qrel("3", "a", 0),
]
RUN = [
    ir_measures.ScoredDoc("1", "b", 3.0),
    ir_measures.ScoredDoc("1", "x", 2.0),
    ir_measures.ScoredDoc("1", "a", 1.0),
]


def test_values_equal_those_of_ir_measures_own_providers() -> None:
    pairs = [(ir_measures.P @ 2, "P@2"), (ir_measures.RR, "RR"), (ir_measures.nDCG @ 3, "nDCG@3")]
    asked = [each for theirs, ours in pairs for each in (theirs, measure(ours))]
    qrels = [qrel for qrel in QRELS if qrel.query_id != "3"]
    found = ir_measures.calc_aggregate(asked, qrels, RUN)
    for theirs, ours in pairs:
        assert abs(found[theirs] - found[measure(ours)]) < 1e-12


def test_ends_of_the_interval_and_share_judged() -> None:
    asked = [measure("P@3", end) for end in ("value", "lower", "upper", "judged")]
    by_topic = {
        (str(metric.measure), metric.query_id): metric.value
        for metric in ir_measures.iter_calc(asked, QRELS, RUN)
    }
    assert by_topic["Leadline(P@3)", "1"] == pytest.approx(1 / 3)
    assert by_topic["Leadline(P@3, upper)", "1"] == pytest.approx(2 / 3)
    assert by_topic["Leadline(P@3, judged)", "1"] == pytest.approx(2 / 3)
    assert by_topic["Leadline(P@3)", "2"] == 0, "a topic that the run misses scores its lowest"


def test_undefined_topics_are_left_out_of_the_mean() -> None:
    asked = measure("AP")
    values = {metric.query_id: metric.value for metric in asked.iter_calc(QRELS, RUN)}
    assert math.isnan(values["3"])
    assert asked.calc_aggregate(QRELS, RUN) == pytest.approx((1 / 3 + 0) / 2)


def test_data_frames_work_as_they_do_in_pyterrier() -> None:
    qrels = pd.DataFrame([tuple(q)[:3] for q in QRELS], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame([tuple(d) for d in RUN], columns=["query_id", "doc_id", "score"])
    assert measure("RR").calc_aggregate(qrels, run) == pytest.approx(1 / 9)


def test_measures_are_named_as_ir_measures_parses_them() -> None:
    assert str(ir_measures.parse_measure("Leadline(name='RBP(p=0.8)')")) == "Leadline(RBP(p=0.8))"
    assert measure("ndcg_cut_10") == measure("nDCG@10")


def test_a_wrong_name_is_told_at_once() -> None:
    with pytest.raises(NamingError, match="did you mean nDCG"):
        measure("nDGC@10")
    with pytest.raises(ValueError, match="end must be one of"):
        measure("AP", "middle")  # type: ignore[arg-type]


def test_counts_are_summed_and_gmap_multiplied() -> None:
    qrels = [qrel for qrel in QRELS if qrel.query_id != "3"]
    run = [*RUN, ir_measures.ScoredDoc("2", "a", 1.0)]
    asked = [measure("NumRet"), measure("GMAP")]
    found = ir_measures.calc_aggregate(asked, qrels, run)
    assert found[asked[0]] == 4
    assert found[asked[1]] == pytest.approx((1 / 3) ** 0.5)


def test_a_real_experiment_of_pyterrier_has_our_measures() -> None:
    pt = pytest.importorskip("pyterrier", reason="python-terrier is not installed")
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["how deep", "which knot"]})
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["d1", "d3"], "label": [1, 1]})
    ranked = {"qid": ["1", "1", "2"], "docno": ["d2", "d1", "d3"], "score": [3.0, 2.0, 1.0]}
    bm25 = pd.DataFrame({**ranked, "rank": [0, 1, 0]})
    dense = bm25.assign(score=[2.0, 3.0, 1.0])
    ours = [measure("RBP(p=0.8)@2"), measure("RBP(p=0.8)@2", "upper")]
    table = pt.Experiment(
        [pt.Transformer.from_df(bm25), dense],
        topics,
        qrels,
        [*ours, "map"],
        names=["bm25", "dense"],
    )
    # .2 on the second topic, .16 or .2 on the first; d2 is not judged.
    assert table[str(ours[0])].tolist() == pytest.approx([0.18, 0.2])
    assert table[str(ours[1])].tolist() == pytest.approx([0.28, 0.28])
    assert table["map"].tolist() == pytest.approx([0.75, 1.0])
