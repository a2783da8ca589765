"""All pairs of real collections: Moffat et al.'s Table 5, identical runs, one matrix for all."""

import numpy as np
import pytest

import leadline
from leadline.io.collection import Collection
from leadline.measures.measure import parse_measure
from leadline.stats.pairwise import compare_pairs
from tests.shared_data.where import collection


@pytest.fixture(scope="module")
def trec8() -> Collection:
    return leadline.read(collection("trec8_adhoc"), ties="file-order")


@pytest.mark.slow
def test_table_5_with_all_judgments_is_printed_within_one_pair(trec8: Collection) -> None:
    fractions = []
    for unjudged_as in ("lower", "upper", "projected"):
        pairs = compare_pairs(
            trec8.runs,
            trec8.judgments,
            parse_measure("RBP(p=0.8)"),
            unjudged_as=unjudged_as,
            tails=1,
            correction="none",
        )
        best = np.argsort(-pairs.scores.mean(), kind="stable")[:43]
        chosen = np.isin(pairs.first, best) & np.isin(pairs.second, best)
        assert chosen.sum() == 903
        fractions.append(float((pairs.p[chosen] < 0.05).mean()))
    assert np.abs(np.array(fractions) - [0.502, 0.498, 0.502]).max() <= 1.5 / 903


@pytest.mark.slow
@pytest.mark.parametrize("test", ["wilcoxon", "t", "randomisation", "tukey"])
def test_every_pair_of_trec8(trec8: Collection, test: str) -> None:
    pairs = compare_pairs(
        trec8.runs, trec8.judgments, parse_measure("RBP(p=0.8)"), test=test, correction="bh"
    )
    frame = pairs.frame()
    assert len(frame) == 8256
    # Two pairs of runs were submitted with the same lists.
    same = [("Mer8Adtd1", "Mer8Adtd2"), ("isa25t", "isa50t")]
    assert frame.filter(verdict="equal").select("run_a", "run_b").rows() == same
    tested = frame.filter(frame["verdict"] != "equal")
    assert tested["p"].null_count() == 0
    assert 0.2 < pairs.discriminated < 0.7


def test_trec_covid_has_runs_of_every_kind() -> None:
    read = leadline.read(collection("trec_covid_round1"))
    pairs = compare_pairs(read.runs, read.judgments, parse_measure("nDCG@10"), test="t")
    frame = pairs.frame()
    assert len(frame) == 143 * 142 // 2
    assert (frame["lower"] <= frame["difference"] + 1e-12).all()
    assert set(frame["verdict"]) <= {"better", "worse", "undecided", "equal"}
