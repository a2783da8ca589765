"""The reference measures against independent tools and hand-worked values."""

import io
import math
import random
import shutil
from typing import Any

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from rbp_eval import (  # type: ignore[import-untyped, unused-ignore]
    Ordering,
    Rbp,
    RelType,
    load_qrels,
    load_run,
)
from rbp_eval.dcg import (  # type: ignore[import-untyped, unused-ignore]
    DcgOptions,
    compute_dcg,
)

from tests.tries import tries

from . import measures as m
from .bounds import rbp_bounds
from .random_topics import DOCS, MAX_GRADE, Topic, close_pair, ranked, topics

# The oracles compute in double precision but may sum in another order.
TOLERANCE = 1e-12

cutoffs = st.integers(1, 12)
thresholds = st.integers(1, 3)
persistences = st.sampled_from([0.5, 0.8, 0.95])


def scores(ranking: list[str]) -> dict[str, float]:
    """Distinct scores, highest first: the tools sort by score and break ties their own way."""
    return {doc: float(len(ranking) - i) for i, doc in enumerate(ranking)}


def trec_eval(name: str, topic: Topic, rel: int = 1) -> float:
    """Value of a trec_eval measure; a pooled but unjudged doc has grade -1 there."""
    qrels = {"1": {**topic.grades, **dict.fromkeys(topic.pooled, -1)}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=rel)
    return float(evaluator.evaluate({"1": scores(topic.ranking)})["1"][name])


def close(value: float) -> object:
    """value within the oracles' rounding."""
    return pytest.approx(value, abs=TOLERANCE)


def or_zero(value: float) -> float:
    """trec_eval says 0 where a value is undefined."""
    return 0.0 if math.isnan(value) else value


@given(topics(), thresholds)
def test_whole_list_measures_equal_trec_eval(topic: Topic, rel: int) -> None:
    ranking, grades, _ = topic
    assert trec_eval("num_ret", topic, rel) == m.num_ret(ranking, grades)
    assert trec_eval("num_rel", topic, rel) == m.num_rel(ranking, grades, rel)
    assert trec_eval("num_rel_ret", topic, rel) == m.num_rel_ret(ranking, grades, rel)
    assert trec_eval("set_P", topic, rel) == close(m.precision(ranking, grades, rel=rel))
    assert trec_eval("set_recall", topic, rel) == close(or_zero(m.recall(ranking, grades, rel=rel)))
    assert trec_eval("Rprec", topic, rel) == close(or_zero(m.rprec(ranking, grades, rel)))
    assert trec_eval("recip_rank", topic, rel) == close(m.rr(ranking, grades, rel=rel))
    assert trec_eval("map", topic, rel) == close(or_zero(m.ap(ranking, grades, rel=rel)))
    assert trec_eval("bpref", topic, rel) == close(or_zero(m.bpref(ranking, grades, rel)))
    infap = or_zero(m.infap(ranking, grades, topic.pooled, rel))
    assert trec_eval("infAP", topic, rel) == close(infap)
    assert trec_eval("11pt_avg", topic, rel) == close(
        or_zero(m.interpolated_ap(ranking, grades, rel=rel))
    )
    assert trec_eval("set_F", topic, rel) == close(or_zero(m.set_f(ranking, grades, rel=rel)))
    assert trec_eval("set_map", topic, rel) == close(or_zero(m.set_ap(ranking, grades, rel)))
    assert trec_eval("utility", topic, rel) == close(m.utility(ranking, grades, rel=rel))
    nonrel = m.num_nonrel_ret(ranking, grades, rel)
    assert trec_eval("num_nonrel_judged_ret", topic, rel) == nonrel
    for level in (0.0, 0.1, 0.7, 1.0):
        iprec = or_zero(m.interpolated_precision(ranking, grades, level, rel))
        assert trec_eval(f"iprec_at_recall_{level:.2f}", topic, rel) == close(iprec)


@given(topics(), cutoffs, thresholds)
def test_cut_off_measures_equal_trec_eval(topic: Topic, k: int, rel: int) -> None:
    ranking, grades, _ = topic
    assert trec_eval(f"P_{k}", topic, rel) == close(m.precision(ranking, grades, k, rel))
    assert trec_eval(f"recall_{k}", topic, rel) == close(or_zero(m.recall(ranking, grades, k, rel)))
    assert trec_eval(f"success_{k}", topic, rel) == close(m.success(ranking, grades, k, rel))
    assert trec_eval(f"map_cut_{k}", topic, rel) == close(or_zero(m.ap(ranking, grades, k, rel)))


@given(topics(), cutoffs, thresholds)
def test_rr_at_k_is_rr_of_the_cut_list(topic: Topic, k: int, rel: int) -> None:
    # trec_eval has no cut-off for reciprocal rank; it does not depend on R, so cutting is safe.
    cut = topic._replace(ranking=topic.ranking[:k])
    value = m.rr(topic.ranking, topic.grades, k, rel)
    assert trec_eval("recip_rank", cut, rel) == close(value)


@given(topics(), cutoffs)
def test_ndcg_of_grades_equals_trec_eval(topic: Topic, k: int) -> None:
    ranking, grades, _ = topic
    assert trec_eval("ndcg", topic) == close(or_zero(m.ndcg(ranking, grades)))
    assert trec_eval(f"ndcg_cut_{k}", topic) == close(or_zero(m.ndcg(ranking, grades, k)))


@given(topics(), cutoffs, thresholds, st.sampled_from(["binary", "grade", "exp2"]))
def test_ndcg_of_mapped_gains_equals_trec_eval(topic: Topic, k: int, rel: int, gains: str) -> None:
    # trec_eval's ndcg takes the grade as gain and ignores the relevance level, so the
    # oracle gets the gains, all whole numbers here, in place of the grades.
    table = m.gain_table(gains, rel, MAX_GRADE)
    mapped = {doc: int(table[grade]) for doc, grade in topic.grades.items()}
    value = or_zero(m.ndcg(topic.ranking, topic.grades, k, gains, rel))
    assert trec_eval(f"ndcg_cut_{k}", topic._replace(grades=mapped)) == close(value)


@given(topics(), st.none() | cutoffs)
def test_judged_equals_ir_measures(topic: Topic, k: int | None) -> None:
    name = ir_measures.Judged if k is None else ir_measures.Judged @ k
    qrels, run = {"1": topic.grades}, {"1": scores(topic.ranking)}
    (metric,) = ir_measures.iter_calc([name], qrels, run)
    assert metric.value == close(m.judged(topic.ranking, topic.grades, k))


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("k", [1, 3, 5, 20])
def test_err_and_exp2_ndcg_equal_gdeval(k: int) -> None:
    # One call for many topics, since each call starts Perl.
    rng = random.Random(k)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(1, 101):
        grades = {doc: rng.randint(0, MAX_GRADE) for doc in rng.sample(DOCS, rng.randint(1, 9))}
        # gdeval leaves out a topic without relevant docs.
        grades["relevant"] = rng.randint(1, MAX_GRADE)
        qrels[str(number)] = grades
        run[str(number)] = scores(rng.sample([*DOCS, "relevant"], rng.randint(1, 10)))
    err, ndcg = ir_measures.ERR @ k, ir_measures.nDCG(dcg="exp-log2") @ k
    found = list(ir_measures.gdeval.iter_calc([err, ndcg], qrels, run))
    assert len(found) == 200
    for metric in found:
        ranking, grades = list(run[metric.query_id]), qrels[metric.query_id]
        if metric.measure == err:
            value = m.err(ranking, grades, k, max_grade=MAX_GRADE)
        else:
            value = m.ndcg(ranking, grades, k, "exp2")
        # gdeval prints five decimals.
        assert metric.value == pytest.approx(value, abs=0.51e-5)


def rbp_eval_base_and_residual(
    topic: Topic, p: float, depth: float, rel: int = 1
) -> tuple[float, float]:
    """RBP and its residual at a depth, from rbp_eval."""
    qrels, run = rbp_eval_files(topic)
    qrels.set_reltype(RelType.BINARY, float(rel))
    calculator = Rbp(qrels, Ordering.SCORE, [p])
    calculator.init(run.get_qdocs_by_index(0))
    (value,), _ = calculator.calc_to_depth(depth)
    return value.sum, value.err


def rbp_eval_files(topic: Topic) -> tuple[Any, Any]:
    """The topic as rbp_eval's own qrels and run, which have no types."""
    qrels = "".join(f"1 0 {doc} {grade}\n" for doc, grade in topic.grades.items())
    run = "".join(f"1 Q0 {doc} 0 {score} x\n" for doc, score in scores(topic.ranking).items())
    return load_qrels(io.StringIO(qrels)), load_run(io.StringIO(run))


@given(topics(), persistences, cutoffs, thresholds)
def test_rbp_equals_rbp_eval(topic: Topic, p: float, k: int, rel: int) -> None:
    ranking, grades, _ = topic
    whole, _ = rbp_eval_base_and_residual(topic, p, math.inf, rel)
    cut, _ = rbp_eval_base_and_residual(topic, p, k, rel)
    assert whole == close(m.rbp(ranking, grades, p, rel=rel))
    assert cut == close(m.rbp(ranking, grades, p, k, rel=rel))
    assert cut == close(m.rbp(ranking, grades, p, k, norm=True, rel=rel) * (1 - p**k))


@given(topics(), cutoffs)
def test_dcg_equals_rbp_eval(topic: Topic, k: int) -> None:
    qrels, run = rbp_eval_files(topic)
    qrels.set_reltype(RelType.FRACT, 1.0)
    # rank_adjust=1 discounts by log2(i + 1) from rank 1 on; the default is log2(i) from rank 2.
    options = DcgOptions(depth=k, rank_adjust=1, normalised=False)
    ordered = run.get_qdocs_by_index(0).get_scores(Ordering.SCORE)
    value = m.dcg(topic.ranking, topic.grades, k)
    assert compute_dcg(qrels, "1", ordered, options) == close(value)


@given(topics(max_grade=1), persistences)
@tries(20)
def test_rbp_bounds_equal_rbp_eval_base_and_residual(topic: Topic, p: float) -> None:
    base, residual = rbp_eval_base_and_residual(topic, p, math.inf)
    low, high = rbp_bounds(topic.ranking, topic.grades, 1, p)
    assert base == close(low)
    assert residual == close(high - low)


def test_rbp_bounds_scale_the_tail_by_the_highest_gain_and_drop_it_at_k() -> None:
    ranking, grades, _ = ranked("2?")
    # Gains 0, 1/3, 2/3, 1: (1/2)(2/3), then + (1/4)(1) for the unjudged rank and the tail each.
    assert rbp_bounds(ranking, grades, 3, 0.5, gains="linear") == close_pair(1 / 3, 1 / 3 + 1 / 2)
    assert rbp_bounds(ranking, grades, 3, 0.5, gains=[(1, 0.5)]) == close_pair(1 / 4, 1 / 2)
    assert rbp_bounds(ranking, grades, 3, 0.5, k=2) == close_pair(1 / 2, 3 / 4)
    assert rbp_bounds(ranking, grades, 3, 0.5, k=2, norm=True) == close_pair(2 / 3, 1)
    assert rbp_bounds(ranking, grades, 3, 0.5, k=5) == close_pair(1 / 2, 3 / 4)


@pytest.mark.parametrize(
    ("gains", "rel", "table"),
    [
        ("binary", 1, [0, 1, 1, 1]),
        ("binary", 2, [0, 0, 1, 1]),
        ("binary", 0, [0, 1, 1, 1]),
        ("grade", 1, [0, 1, 2, 3]),
        ("grade", 2, [0, 0, 2, 3]),
        ("exp2", 1, [0, 1, 3, 7]),
        ("linear", 1, [0, 1 / 3, 2 / 3, 1]),
        ("exp2_scaled", 1, [0, 1 / 8, 3 / 8, 7 / 8]),
        ("exp2_scaled", 3, [0, 0, 0, 7 / 8]),
        ([(2, 0.5)], 1, [0, 0, 0.5, 0.5]),
        ([(3, 1.0), (1, 0.2)], 1, [0, 0.2, 0.2, 1]),
        ([(3, 1.0), (1, 0.2)], 2, [0, 0, 0.2, 1]),
        ([(0, 9.0), (1, 0.2)], 0, [0, 0.2, 0.2, 0.2]),
    ],
)
def test_gain_tables(gains: m.Gains, rel: int, table: list[float]) -> None:
    assert m.gain_table(gains, rel, 3) == pytest.approx(table)


def test_a_scale_of_grade_0_only_has_gain_0() -> None:
    for gains in ("binary", "grade", "exp2", "linear", "exp2_scaled"):
        assert m.gain_table(gains, 1, 0) == [0.0]


def test_gains_refuse_what_they_cannot_map() -> None:
    with pytest.raises(ValueError, match="unknown gains"):
        m.gain_table("cubic", 1, 3)
    with pytest.raises(ValueError, match="listed grade 4"):
        m.gain_table([(4, 1.0)], 1, 3)
    with pytest.raises(ValueError, match=r"not in 0\.\.3"):
        m.dcg(["a"], {"a": 4}, max_grade=3)
    with pytest.raises(ValueError, match=r"not in 0\.\.1"):
        m.dcg(["a"], {"a": 1, "b": -1})
    with pytest.raises(ValueError, match="need max_grade"):
        m.err(["a"], {"a": 1})
    with pytest.raises(ValueError, match="norm needs k"):
        m.rbp(["a"], {"a": 1}, 0.8, norm=True)


def test_sdcg_by_hand() -> None:
    # Ranks 1..3 discount by 1, log2(3) and 2.
    ranking, grades, _ = ranked("1?2")
    weights = 1 + 1 / math.log2(3) + 1 / 2
    assert m.sdcg(ranking, grades, 3) == close((1 + 1 / 2) / weights)
    assert m.sdcg(ranking, grades, 3, "linear", max_grade=2) == close((1 / 2 + 1 / 2) / weights)
    assert m.sdcg(ranking[:1], grades, 3) == close(1 / weights)
    assert m.sdcg(ranking, grades, 1, rel=2) == 0.0


def test_undefined_values_are_nan() -> None:
    ranking, grades, _ = ranked("0?")
    assert math.isnan(m.recall(ranking, grades))
    assert math.isnan(m.rprec(ranking, grades))
    assert math.isnan(m.ap(ranking, grades))
    assert math.isnan(m.ndcg(ranking, grades))
    assert math.isnan(m.bpref(ranking, grades))
    assert math.isnan(m.infap(ranking, grades, set()))
    assert math.isnan(m.judged([], grades))
    assert math.isnan(m.judged([], grades, 5))


def test_defined_values_without_relevant_docs_or_without_a_list() -> None:
    ranking, grades, _ = ranked("0?")
    for empty_or_not in (ranking, []):
        assert m.precision(empty_or_not, grades) == 0.0
        assert m.precision(empty_or_not, grades, 5) == 0.0
        assert m.rr(empty_or_not, grades) == 0.0
        assert m.success(empty_or_not, grades) == 0.0
        assert m.dcg(empty_or_not, grades) == 0.0
        assert m.sdcg(empty_or_not, grades, 5) == 0.0
        assert m.rbp(empty_or_not, grades, 0.8) == 0.0
        assert m.err(empty_or_not, grades, max_grade=1) == 0.0
    assert m.ap([], {"a": 1}) == 0.0
    assert m.precision(ranking, {}) == 0.0


def test_condensed_keeps_the_order_of_the_judged_docs() -> None:
    assert m.condensed(["c", "x", "a", "y"], {"a": 0, "b": 1, "c": 2}) == ["c", "a"]


def test_infap_counts_a_doc_both_judged_and_pooled_as_judged() -> None:
    ranking, grades, _ = ranked("01")
    assert m.infap(ranking, grades, {"a"}) == m.infap(ranking, grades, set())
