"""The reference measures of sampled judgments: by hand, by trec_eval, by trying every sample."""

import itertools
import math
import random
from collections.abc import Iterator

import pytest
import pytrec_eval

from . import inferred as i
from . import measures as m

# a, b, c, d in stratum 1, of which b and d were drawn; x, y in stratum 2, all drawn.
STRATA = {"a": 1, "b": 1, "c": 1, "d": 1, "x": 2, "y": 2}
GRADES = {"b": 1, "d": 0, "x": 2, "y": 0}


def samples(
    truth: dict[str, int], inclusion: dict[str, float]
) -> Iterator[tuple[float, dict[str, int]]]:
    """Every set of docs that can be drawn independently, judged, with its probability."""
    for drawn in itertools.product([False, True], repeat=len(truth)):
        probability = 1.0
        grades = {}
        for doc, is_drawn in zip(truth, drawn, strict=True):
            probability *= inclusion[doc] if is_drawn else 1 - inclusion[doc]
            if is_drawn:
                grades[doc] = truth[doc]
        yield probability, grades


def test_relevant_by_stratum_by_hand() -> None:
    assert i.relevant_by_stratum(STRATA, GRADES) == {1: 2, 2: 1}
    assert i.relevant_by_stratum(STRATA, GRADES, 2) == {1: 0, 2: 1}
    assert i.relevant_by_stratum({"a": 1}, {}) == {1: 0}


def test_xinfap_by_hand() -> None:
    # R = 3. b at rank 3, below a (stratum 1, not judged) and x (judged, relevant); x at rank 2.
    ranking = ["a", "x", "b", "other"]
    e = 0.00001
    unknown = e / (3 * e)
    at_x = 1 / 2 + unknown / 2
    at_b = 1 / 3 + (unknown + (1 + e) / (1 + 3 * e)) / 3
    expected = 2 / 3 * at_b + 1 / 3 * at_x
    assert i.xinfap(ranking, STRATA, GRADES) == pytest.approx(expected)
    assert i.xinfap(["a", "b"], STRATA, GRADES) == pytest.approx(2 / 3 * (1 / 2 + unknown / 2))
    # A doc outside the strata is not relevant.
    assert i.xinfap(["z", "x"], STRATA, GRADES) == pytest.approx(1 / 3 * 1 / 2)
    assert math.isnan(i.xinfap(ranking, STRATA, {"d": 0}))


def test_infndcg_by_hand() -> None:
    # Two docs of stratum 1 in the list, b judged at rank 3: 2 * 1/2. x has 2 at rank 2.
    ranking = ["a", "x", "b"]
    dcg = 2 * (1 / 2) + 2 / math.log2(3)
    # One doc of grade 2, two of grade 1.
    ideal = 2 + 1 / math.log2(3) + 1 / 2
    assert i.infndcg(ranking, STRATA, GRADES) == pytest.approx(dcg / ideal)
    assert i.infndcg(ranking, STRATA, GRADES, 2) == pytest.approx(
        (2 / math.log2(3)) / (2 + 1 / math.log2(3))
    )
    assert math.isnan(i.infndcg(ranking, STRATA, {"d": 0}))
    # 1 of 2 drawn in a stratum of 3: 1.5 docs round to 2.
    strata, grades = {"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 0}
    assert i.infndcg(["a"], strata, grades) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_statap_and_totals_by_hand() -> None:
    # One relevant doc drawn at 1/2 stands for two, one drawn for certain for itself: R = 3.
    grades, inclusion = {"b": 1, "d": 0, "x": 2}, {"b": 0.5, "d": 0.5, "x": 1.0}
    assert i.total_relevant(grades, inclusion) == 3
    ranking = ["a", "x", "b"]
    expected = (1 / 2 * 1 + (1 + 2) / 3 * 2) / 3
    assert i.statap(ranking, grades, inclusion) == pytest.approx(expected)
    expected = (1 / 2 * 1 + (1 + 1) / 3 * 2) / 3
    assert i.statap(ranking, grades, inclusion, own="known") == pytest.approx(expected)
    dcg = 2 / math.log2(3) + 1 / 0.5 / 2
    assert i.total_dcg(ranking, grades, inclusion) == pytest.approx(dcg)
    assert i.total_dcg(ranking, grades, inclusion, 2) == pytest.approx(2 / math.log2(3))
    assert i.standard_error({"b": 3.0, "x": 1.0}, inclusion) == pytest.approx(math.sqrt(0.5 * 36))


@pytest.mark.parametrize("seed", range(5))
def test_one_stratum_with_trec_evals_smoothing_is_infap(seed: int) -> None:
    rng = random.Random(seed)
    docs = [f"d{n}" for n in range(10)]
    strata = dict.fromkeys(rng.sample(docs, 8), "pool")
    grades = {doc: rng.randint(0, 2) for doc in rng.sample(sorted(strata), 5)}
    ranking = rng.sample(docs, 7)
    unjudged = set(strata) - set(grades)
    value = i.infap(ranking, grades, unjudged)
    stratified = i.xinfap(ranking, strata, grades, smoothing="trec_eval")
    assert stratified == pytest.approx(value, nan_ok=True, abs=1e-12)
    if math.isnan(value):
        return
    qrels = {"1": {**grades, **dict.fromkeys(unjudged, -1)}}
    run = {"1": {doc: float(-rank) for rank, doc in enumerate(ranking)}}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)["1"]["infAP"]
    assert oracle == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_complete_judgments_give_the_complete_measures(seed: int) -> None:
    rng = random.Random(seed)
    docs = [f"d{n}" for n in range(10)]
    strata = {doc: rng.randint(1, 3) for doc in docs}
    grades = {doc: rng.randint(0, 2) for doc in docs}
    inclusion = dict.fromkeys(docs, 1.0)
    ranking = rng.sample(docs, 7)
    ap = m.ap(ranking, grades)
    assert i.xinfap(ranking, strata, grades) == pytest.approx(ap, abs=1e-4)
    assert i.infndcg(ranking, strata, grades) == pytest.approx(m.ndcg(ranking, grades, 1000))
    assert i.statap(ranking, grades, inclusion) == pytest.approx(ap)
    assert i.statap(ranking, grades, inclusion, own="known") == pytest.approx(ap)
    assert i.total_dcg(ranking, grades, inclusion, 5) == pytest.approx(m.dcg(ranking, grades, 5))


def test_totals_are_unbiased_over_all_samples() -> None:
    truth = {"a": 1, "b": 0, "c": 2, "d": 1, "e": 0}
    inclusion = {"a": 0.3, "b": 0.5, "c": 0.9, "d": 0.5, "e": 1.0}
    ranking = ["c", "e", "a", "x", "d"]
    mean_relevant = mean_dcg = mean_ap = mean_square = mean_variance = 0.0
    for probability, grades in samples(truth, inclusion):
        relevant = i.total_relevant(grades, inclusion)
        mean_relevant += probability * relevant
        mean_square += probability * relevant**2
        error = i.standard_error(i.relevance_values(grades), inclusion)
        mean_variance += probability * error**2
        mean_dcg += probability * i.total_dcg(ranking, grades, inclusion, 4)
        if relevant > 0:
            # The sum that statAP divides by R.
            ap = i.statap(ranking, grades, inclusion, own="known")
            mean_ap += probability * ap * relevant
    assert mean_relevant == pytest.approx(3)
    assert mean_dcg == pytest.approx(m.dcg(ranking, truth, 4))
    assert mean_ap == pytest.approx(m.ap(ranking, truth) * 3)
    assert mean_variance == pytest.approx(mean_square - 3**2)
