"""One import makes Leadline's measures work inside ir_measures."""

import math

import ir_measures
import pandas as pd
import pytest

import leadline
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


@pytest.mark.parametrize("run", [[], [ir_measures.ScoredDoc("9", "a", 1.0)]])
def test_a_run_without_a_judged_topic_scores_zero(run: list[ir_measures.ScoredDoc]) -> None:
    asked = [measure("P@2"), measure("RBP(p=0.8)", "upper")]
    found = ir_measures.calc_aggregate(asked, QRELS, run)
    assert found[asked[0]] == 0
    assert found[asked[1]] == pytest.approx(1), "beyond the end of an empty list all is open"
    subtopics = [ir_measures.Qrel("1", "a", 1, "1"), ir_measures.Qrel("1", "a", 1, "2")]
    assert measure("StRec@5").calc_aggregate(subtopics, run) == 0


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (ir_measures.StRecall @ 5, "StRec@5"),
        (ir_measures.IPrec(rel=2) @ 0.1, "IPrec(recall=0.1, rel=2)"),
        (ir_measures.INSQ(T=2.0, max_rel=3), "INSQ(t=2.0, gains=linear, max_grade=3)"),
        (ir_measures.INST(max_rel=1), "INST(t=1.0, max_grade=1)"),
        (ir_measures.BPM(max_rel=1) @ 20, "BPM(t=1.0, max_grade=1)@20"),
        (ir_measures.NERR10(max_rel=1), "NERR10(p=0.9, max_grade=1)"),
        (ir_measures.SDCG(min_rel=0, max_rel=3) @ 10, "SDCG(gains=linear, max_grade=3)@10"),
        (ir_measures.Compat(p=0.9), "Compat(p=0.9)"),
        (ir_measures.NumRet(rel=1), "NumRelRet"),
        (ir_measures.RBP(rel=1), "RBP(p=0.8)"),
    ],
)
def test_measures_of_ir_measures_are_taken_with_their_defaults(theirs: object, ours: str) -> None:
    assert str(measure(theirs)) == f"Leadline({ours})"
    assert str(leadline.parse_measure(theirs)) == ours


def test_a_depth_may_follow() -> None:
    assert measure("nDCG") @ 10 == measure("nDCG@10")
    assert measure("P", "upper") @ 5 == measure("P@5", "upper")
    with pytest.raises(NamingError):
        measure("P").calc_aggregate(QRELS, RUN)
