"""The reference diversity measures against ndeval and by hand; the divergence ones by hand."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from . import divergence as v
from . import diversity as d

DOCS = [f"d{i}" for i in range(9)]

# Every measure of ndeval, from ranking, judged, k, alpha and beta.
Measure = Callable[[list[str], d.Judged, int, float, float], float]
MEASURES: dict[str, Measure] = {
    "ERR-IA@{k}": lambda r, j, k, alpha, beta: d.err_ia(r, j, k, alpha),
    "nERR-IA@{k}": lambda r, j, k, alpha, beta: d.nerr_ia(r, j, k, alpha),
    "alpha-DCG@{k}": lambda r, j, k, alpha, beta: d.alpha_dcg(r, j, k, alpha),
    "alpha-nDCG@{k}": lambda r, j, k, alpha, beta: d.alpha_ndcg(r, j, k, alpha),
    "NRBP": lambda r, j, k, alpha, beta: d.nrbp(r, j, alpha, beta),
    "nNRBP": lambda r, j, k, alpha, beta: d.nnrbp(r, j, alpha, beta),
    "MAP-IA": lambda r, j, k, alpha, beta: d.ap_ia(r, j),
    "P-IA@{k}": lambda r, j, k, alpha, beta: d.p_ia(r, j, k),
    "strec@{k}": lambda r, j, k, alpha, beta: d.strec(r, j, k),
}

rankings = st.lists(st.sampled_from(DOCS), min_size=1, unique=True)
# -2 is the Web Track's label for spam.
grades = st.sampled_from([-2, 0, 0, 0, 1, 1, 2])
judgments = st.dictionaries(
    st.sampled_from(DOCS),
    st.dictionaries(st.sampled_from(["1", "2", "3", "4"]), grades, min_size=1),
    min_size=1,
)


def ndeval(
    ranking: list[str], judged: d.Judged, names: list[str], alpha: float, beta: float
) -> dict[str, float]:
    """What ndeval says of the measures."""
    pyndeval = pytest.importorskip("pyndeval", reason="pyndeval is the oracle")
    qrels = [("t", s, doc, grade) for doc, of_doc in judged.items() for s, grade in of_doc.items()]
    run = [("t", doc, float(-rank)) for rank, doc in enumerate(ranking)]
    evaluator = pyndeval.RelevanceEvaluator(qrels, names, alpha=alpha, beta=beta)
    return dict(evaluator.evaluate(run)["t"])


@given(
    rankings,
    judgments,
    st.integers(1, 20),
    st.sampled_from([0.5, 0.5, 0.2, 0.0, 1.0]),
    st.sampled_from([0.5, 0.8]),
    st.booleans(),
)
def test_all_measures_equal_ndeval(
    ranking: list[str], judged: d.Judged, k: int, alpha: float, beta: float, condense: bool
) -> None:
    if condense:
        ranking = d.condensed(ranking, judged)
    if not ranking:
        return
    names = [name.format(k=k) for name in MEASURES]
    oracle = ndeval(ranking, judged, names, alpha, beta)
    for name, measure in zip(names, MEASURES.values(), strict=True):
        value = measure(ranking, judged, k, alpha, beta)
        if name in ("ERR-IA@1", "alpha-DCG@1"):
            # ndeval forgets to divide the first rank's gain by the number of subtopics.
            value *= len(d.subtopics_of(judged))
        if d.subtopics_of(judged):
            assert oracle[name] == pytest.approx(value, abs=1e-12), name
        else:
            # ndeval says 0, and NaN for nNRBP.
            assert math.isnan(value)


# a covers both subtopics, b the first, x none; c covers the second and is not retrieved.
RANKING = ["a", "x", "b"]
JUDGED = {"a": {"1": 1, "2": 2}, "b": {"1": 1, "2": 0}, "c": {"2": 1}, "n": {"3": 0}}


def test_subtopics_need_a_relevant_doc() -> None:
    assert d.subtopics_of(JUDGED) == ["1", "2"]
    assert d.subtopics_of(JUDGED, 2) == ["2"]
    assert d.condensed(["a", "x", "n"], JUDGED) == ["a", "n"]


def test_cascade_measures_by_hand() -> None:
    # Novel gains 1/2 + 1/2, 0, (1/2)(1/2).
    ideal_ideal = 1 + 1 / 2 / math.log2(3) + 1 / 4 / 2
    value = (1 + 1 / 4 / 2) / ideal_ideal
    assert d.alpha_dcg(RANKING, JUDGED, 3) == pytest.approx(value)
    assert d.alpha_dcg(RANKING, JUDGED, 3, scaled=False) == pytest.approx(1 + 1 / 4 / 2)
    # Ideal: a, then c and b with 1/4 each.
    ideal = 1 + 1 / 4 / math.log2(3) + 1 / 4 / 2
    assert d.alpha_ndcg(RANKING, JUDGED, 3) == pytest.approx((1 + 1 / 4 / 2) / ideal)
    assert d.err_ia(RANKING, JUDGED, 3) == pytest.approx((1 + 1 / 12) / (1 + 1 / 4 + 1 / 12))
    assert d.nerr_ia(RANKING, JUDGED, 3) == pytest.approx((1 + 1 / 12) / (1 + 1 / 8 + 1 / 12))
    assert d.nrbp(RANKING, JUDGED) == pytest.approx(3 / 4 * (1 + 1 / 16))
    assert d.nnrbp(RANKING, JUDGED) == pytest.approx((1 + 1 / 16) / (1 + 1 / 8 + 1 / 16))


def test_best_conceivable_gains_are_those_of_the_methods_page() -> None:
    assert d.best_conceivable(5, 0.5, "log2") == pytest.approx(1.5185, abs=5e-5)
    assert 0.5 * d.best_conceivable(5, 0.5, "rank") == pytest.approx(0.6885, abs=5e-5)


def test_other_measures_by_hand() -> None:
    assert d.strec(RANKING, JUDGED, 1) == 1
    assert d.strec(["b", "a"], JUDGED, 1) == 1 / 2
    assert d.p_ia(RANKING, JUDGED, 3) == pytest.approx((2 / 3 + 1 / 3) / 2)
    # Subtopic 1: a at 1, b at 3, of two; subtopic 2: a at 1, of two.
    assert d.ap_ia(RANKING, JUDGED) == pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2)


def test_intents_weigh_subtopics() -> None:
    intents = {"1": 0.9, "2": 0.1}
    assert d.p_ia(RANKING, JUDGED, 3, intents=intents) == pytest.approx(0.9 * 2 / 3 + 0.1 / 3)
    gains = d.novel_gains(["c", "b", "a"], JUDGED, 0.5, 1, intents)
    assert gains == pytest.approx([0.1, 0.9, 0.45 + 0.05])
    uniform = {"1": 0.5, "2": 0.5}
    for measure in (d.alpha_ndcg, d.nerr_ia, d.err_ia):
        assert measure(RANKING, JUDGED, 3, intents=uniform) == measure(RANKING, JUDGED, 3)


def test_the_ideal_takes_the_last_docno_of_a_tie() -> None:
    # p and q both gain 2 of 3 subtopics; after q (2 and 3) r has more to add than after p.
    judged = {"p": {"1": 1, "2": 1}, "q": {"2": 1, "3": 1}, "r": {"1": 1}}
    assert d.ideal_ranking(judged, 0.5) == ["q", "p", "r"]
    assert d.ideal_ranking(judged, 1.0) == ["q", "r", "p"]


def test_err_ia_as_printed_by_hand() -> None:
    # Grades 1 and 2 of 2 stop with 1/4 and 3/4.
    subtopic_1 = 1 / 4 + 1 / 3 * (3 / 4) * (1 / 4)
    value = d.err_ia_as_printed(RANKING, JUDGED, 3, 2)
    assert value == pytest.approx((subtopic_1 + 3 / 4) / 2)
    # Binary grades: the two forms differ by a factor only.
    binary = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    ratio = d.err_ia_as_printed(RANKING, binary, 3, 1) / d.err_ia(RANKING, binary, 3)
    assert ratio == pytest.approx(0.5 * d.best_conceivable(3, 0.5, "rank"))


TEXTS = {"d1": ["x", "x", "y"], "d2": ["y", "z"], "d3": ["z", "z", "z"], "empty": []}


def test_words() -> None:
    assert v.words("L'été, naïve_1: 3.5") == ["l", "été", "naïve_1", "3", "5"]


def test_language_models_by_hand() -> None:
    collection = v.Collection(TEXTS)
    assert collection.vocabulary == ["x", "y", "z"]
    assert collection.background == pytest.approx([2 / 8, 2 / 8, 4 / 8])
    # mu = 4: (2 + 1, 1 + 1, 0 + 2) / (3 + 4).
    assert collection.model(["d1"], 4) == pytest.approx([3 / 7, 2 / 7, 2 / 7])
    assert collection.model(["empty"], 4) == pytest.approx(collection.background)
    assert v.kld(np.array([0.5, 0.5]), np.array([0.25, 0.75])) == pytest.approx(
        0.5 * math.log(2) + 0.5 * math.log(2 / 3)
    )


def test_gains_by_hand() -> None:
    collection = v.Collection(TEXTS)
    # The list that is the subtopic has gain 1; one that reads like the collection has 0.
    gains = v.subtopic_gains(collection, ["empty", "d1"], {"1": ["d1"], "2": []}, 20, 4)
    assert gains == {"1": pytest.approx([0, 1])}
    assert v.rank_gains({"1": [0.5, 0.2, 0.6], "2": [0.1, 0.3, 0.3]}, "ABS") == [0.5, 0.3, 0.6]
    assert v.rank_gains({"1": [0.5, 0.2, 0.6], "2": [0.1, 0.3, 0.3]}, "DELTA") == pytest.approx(
        [0.5, 0.2, 0.4]
    )
    # Going away from all subtopics costs nothing.
    assert v.rank_gains({"1": [0.5, 0.2]}, "DELTA") == [0.5, 0]
    # A list unlike the subtopic is further from it than the collection, and clipped.
    assert v.subtopic_gains(collection, ["d3"], {"1": ["d1"]}, 20, 4) == {"1": [0]}
    assert v.subtopic_gains(collection, ["d3"], {"1": ["empty"]}, 20, 4) == {"1": [0]}


def test_divergence_measures_by_hand() -> None:
    collection = v.Collection(TEXTS)
    ranking, relevant = ["empty", "d1", "empty"], {"1": ["d1"]}

    def value(kind: str, bias: str, k: int = 20) -> float:
        return v.divergence(collection, ranking, relevant, kind, bias, k)  # type: ignore[arg-type]

    assert value("ABS", "nb") == pytest.approx(2)
    assert value("ABS", "nb", 2) == pytest.approx(1)
    assert value("ABS", "rb") == pytest.approx(0.2 * (0.8 + 0.64))
    assert value("DELTA", "nb") == pytest.approx(1)
    assert value("DELTA", "rb") == pytest.approx(0.2 * 0.8)
    assert math.isnan(v.divergence(collection, ranking, {"1": []}, "ABS", "nb"))
    assert v.divergence(collection, [], relevant, "ABS", "nb") == 0


def test_the_sparse_formula_of_the_methods_page_holds() -> None:
    # KLD(q||R) from the terms that occur in R alone, but for constants of q.
    collection = v.Collection(TEXTS)
    q, counts, mu = collection.model(["d1"], 4), collection.counts(["d2", "d3"]), 4
    smooth = mu * collection.background
    value = np.sum(q * np.log(q)) - np.sum(q * np.log(smooth)) + math.log(counts.sum() + mu)
    value -= np.sum(q * np.log(1 + counts / smooth))
    assert v.kld(q, collection.model(["d2", "d3"], mu)) == pytest.approx(value)
