"""The spellings of trec_eval, ndeval and ir_measures are understood where they are unambiguous."""

import ir_measures
import pytest
from ir_measures import AP, ERR, RBP, RR, Judged, P, R, Rprec, SetP, Success, infAP, nDCG

from leadline.measures.measure import measures
from leadline.registry import NamingError


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("map_cut.10", "AP@10"),
        ("P_10", "P@10"),
        ("P.5", "P@5"),
        ("recall_1000", "Recall@1000"),
        ("recall.5", "Recall@5"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("Rprec", "Rprec"),
        ("recip_rank", "RR"),
        ("bpref", "bpref"),
        ("infAP", "infAP"),
        ("success_1", "Success@1"),
        ("set_P", "SetP"),
        ("set_recall", "Recall"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"),
    ],
)
def test_the_spellings_of_trec_eval_are_understood(theirs: str, ours: str) -> None:
    assert str(measures.parse(theirs)) == ours
    assert str(measures.parse(f" {theirs} ")) == ours


# Their objects, so that the text is what ir_measures itself prints.
FROM_IR_MEASURES = [
    (AP, "AP"),
    (AP @ 100, "AP@100"),
    (AP(rel=2), "AP(rel=2)"),
    (AP(rel=2) @ 10, "AP(rel=2)@10"),
    (AP(judged_only=True), "AP(judged_only=true)"),
    (P @ 10, "P@10"),
    (P(rel=2) @ 10, "P(rel=2)@10"),
    (P(rel=2, judged_only=True) @ 10, "P(rel=2, judged_only=true)@10"),
    (R @ 100, "Recall@100"),
    (R(rel=2) @ 100, "Recall(rel=2)@100"),
    (nDCG, "nDCG"),
    (nDCG @ 10, "nDCG@10"),
    (nDCG(dcg="log2") @ 10, "nDCG@10"),
    (nDCG(dcg="exp-log2") @ 10, "nDCG(gains=exp2)@10"),
    (nDCG(dcg="log2", judged_only=True) @ 10, "nDCG(judged_only=true)@10"),
    (nDCG(judged_only=True, dcg="exp-log2") @ 10, "nDCG(gains=exp2, judged_only=true)@10"),
    (RR, "RR"),
    (RR @ 10, "RR@10"),
    (RR(rel=2) @ 10, "RR(rel=2)@10"),
    (Rprec, "Rprec"),
    (Rprec(rel=2), "Rprec(rel=2)"),
    (Success @ 5, "Success@5"),
    (SetP, "SetP"),
    (RBP(p=0.5), "RBP(p=0.5)"),
    (RBP(p=0.5, rel=2), "RBP(p=0.5, rel=2)"),
    (RBP(rel=1, p=0.5) @ 10, "RBP(p=0.5)@10"),
    (ERR @ 20, "ERR@20"),
    (infAP, "infAP"),
    (Judged @ 10, "Judged@10"),
    (ir_measures.Bpref, "bpref"),
    (ir_measures.Bpref(rel=2), "bpref(rel=2)"),
    (ir_measures.SetR, "Recall"),
    (ir_measures.NumRel, "NumRel"),
    (ir_measures.NumRet, "NumRet"),
]


@pytest.mark.parametrize(
    ("theirs", "ours"), FROM_IR_MEASURES, ids=[str(theirs) for theirs, _ in FROM_IR_MEASURES]
)
def test_the_spellings_of_ir_measures_are_understood(theirs: object, ours: str) -> None:
    assert measures.parse(str(theirs)) == measures.parse(ours)
    assert str(measures.parse(str(theirs))) == ours


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("MAP", "AP"),
        ("MAP@100", "AP@100"),
        ("MAP(rel=2)@10", "AP(rel=2)@10"),
        ("MRR", "RR"),
        ("MRR@10", "RR@10"),
        ("NDCG@10", "nDCG@10"),
        ("RPrec", "Rprec"),
        ("nDCG(cutoff=10)", "nDCG@10"),
        ('nDCG(dcg="exp-log2")@10', "nDCG(gains=exp2)@10"),
        ("nDCG(dcg = 'exp-log2', rel=2)@10", "nDCG(gains=exp2, rel=2)@10"),
        ("nDCG(judged_only=True, dcg='log2')@10", "nDCG(judged_only=true)@10"),
        ("nDCG(rel=2, dcg='log2', judged_only=True)@10", "nDCG(rel=2, judged_only=true)@10"),
        ("P(rel=2,judged_only=True)@5", "P(rel=2, judged_only=true)@5"),
    ],
)
def test_other_ways_to_write_them_are_understood(theirs: str, ours: str) -> None:
    assert measures.parse(theirs) == measures.parse(ours)


@pytest.mark.parametrize("text", ["NumRet(rel=1)", "NumRet(rel=2)"])
def test_a_spelling_that_means_two_things_is_not_taken_for_the_wrong_one(text: str) -> None:
    # In ir_measures this is the number of relevant documents returned, not of all returned.
    try:
        found = measures.parse(text)
    except NamingError:
        return
    assert type(found).__name__ == "NumRelRet"


@pytest.mark.parametrize(
    "text", ["P_", "P_x", "P_1_0", "P_-5", "P_0", "map_10", "ndcg_cut_", "P_10@5"]
)
def test_almost_an_alias_is_refused(text: str) -> None:
    with pytest.raises(NamingError):
        measures.parse(text)
