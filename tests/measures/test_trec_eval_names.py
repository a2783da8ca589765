"""trec_eval's names for several measures, and its spelling of ours."""

import re

import pytest
import pytrec_eval

from leadline.measures.measure import parse_measure, parse_measures
from leadline.measures.names import ABSENT, SETS, expanded, spelled


def test_depths_and_levels_are_told_one_by_one() -> None:
    names = ["P.5,10", "ndcg_cut_5,10", "nDCG@20,30", "iprec_at_recall.0.1,.25"]
    assert [str(each) for each in parse_measures(names)] == [
        *("P@5", "P@10", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG@30"),
        *("IPrec(recall=0.1)", "IPrec(recall=0.25)"),
    ]


def test_a_name_without_depth_has_those_of_trec_eval() -> None:
    found = [str(each) for each in parse_measures("ndcg_cut")]
    assert found == [f"nDCG@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert len(expanded("iprec_at_recall")) == 11


@pytest.mark.parametrize("name", SETS)
def test_every_name_of_a_set_is_a_measure_that_is_spelled_as_trec_eval_spells_it(name: str) -> None:
    for each in expanded(name):
        assert spelled(str(parse_measure(each))) == re.sub(r"^([a-zP]+)\.", r"\1_", each)


def test_a_name_for_several_is_refused_where_one_is_wanted() -> None:
    with pytest.raises(ValueError, match="official stands for 29 measures: name the one"):
        parse_measure("official")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("utility_2,-1,0,0", "Utility(a=2.0)"),
        ("IPrec@0.5", "IPrec(recall=0.5)"),
        ("ndcg_at_10", "nDCG@10"),
        ("mrr_at_10", "RR@10"),
        ("unj_20", "Unjudged@20"),
    ],
)
def test_single_names_with_more_than_a_depth(theirs: str, ours: str) -> None:
    assert str(parse_measure(theirs)) == ours


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("hit@10", "did you mean Success@10"),
        ("mean_average_precision", "did you mean AP"),
        ("reciprocal_rank@10", "did you mean RR@10"),
        ("hit_rate@10", "did you mean Success@10"),
        ("hole@10", "did you mean Unjudged@10"),
        ("F1", "did you mean SetF"),
        ("precision", "P needs @ and a depth: P@10"),
        ("nDGC@10", "did you mean nDCG@10"),
    ],
)
def test_what_others_call_it_is_suggested_with_its_depth(asked: str, answer: str) -> None:
    with pytest.raises(ValueError, match=answer):
        parse_measure(asked)


@pytest.mark.parametrize("name", sorted(pytrec_eval.supported_measures))
def test_every_name_of_trec_eval_is_answered(name: str) -> None:
    """By a measure, or by a sentence that says what to write or to take instead."""
    try:
        assert parse_measures(name)
    except ValueError as error:
        said = str(error)
        assert f"there is no {name} here: take " in said or f"{name} needs @ and a depth" in said
        assert "did you mean" not in said


def test_what_is_taken_instead_is_there() -> None:
    for instead in ABSENT.values():
        first = instead.split(",")[0].split(" ")[0]
        assert first.startswith("--") or parse_measures(first.replace("@k", "@10"))
