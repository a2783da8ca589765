"""Dishonest judges are found and named, honest ones seldom accused: TREC DL 2021, 400 judgments."""

import numpy as np
import pytest

from scripts.audit_power import EVERYTHING, World, bounds, summary, try_dishonest, try_honest
from tests.shared_data.where import collection

STRATEGY = "AuditSample(n=400)"


JUDGES = ("umbrela-gpt4", "binary-llama3.2")


def world(judge: str) -> World:
    folder = collection("trec_dl21_half")
    return World.of(folder, folder / "judges" / f"{judge}.qrels.gz")


def tried(judge: str, n: int, seed: int) -> dict[str, float]:
    of_judge = world(judge)
    made = (try_dishonest(of_judge, STRATEGY, draw, seed, "honest") for draw in range(n))
    found = [each for each in made if each is not None]
    return summary(found, [try_honest(of_judge, STRATEGY, draw, seed) for draw in range(n)])


def test_most_of_a_few_dishonest_judges_are_named() -> None:
    told = tried("umbrela-gpt4", 7, 1)
    # With a chance of .95 each, three or more of six are missed once in 400.
    assert told["found and named"] * told["dishonest judges"] >= told["dishonest judges"] - 2
    assert np.isclose(told["mean of favour told"], 0.05, atol=0.015)
    assert told["honest accused"] <= 3 / 7


def test_a_judge_that_labels_by_grade_and_rank_is_not_accused() -> None:
    """With every pair judged the audit before, which knew no ranks, accused 10 of these 30."""
    of_judge = world("umbrela-gpt4")
    made = [try_honest(of_judge, EVERYTHING, draw, 77, "rank") for draw in range(30)]
    # With a chance of .05 each, five or more are accused once in 60.
    assert sum(map(bool, made)) <= 4


def test_labels_of_a_real_judge_follow_fused_rank_within_a_grade() -> None:
    of_judge = world("umbrela-gpt4")
    drawn = of_judge.honest(np.random.default_rng(1), "rank")
    for label in (of_judge.label, drawn):
        seen = of_judge.human.judged & (of_judge.human.grade == 0) & (label >= 0)
        fifth = of_judge.fused_fifth
        low, high = (label[seen & (fifth == at)].mean() for at in (0, 4))
        assert high > 1.5 * low


def test_a_noisy_judge_leaves_less_to_be_found() -> None:
    good, noisy = (bounds(world(judge))["mean"] for judge in JUDGES)
    for told in (good, noisy):
        assert told["weight"] < told["count"] <= told["likelihood"]
    assert all(good[way] > noisy[way] for way in good)


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES)
def test_judges_that_label_by_grade_and_rank_are_not_accused(judge: str) -> None:
    of_judge = world(judge)
    made = [try_honest(of_judge, STRATEGY, draw, 7, "rank") for draw in range(400)]
    # Expected are .03 at most, with a standard error of .009.
    assert np.mean([bool(each) for each in made]) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "least"), [(JUDGES[0], 0.95), (JUDGES[1], 0.9)])
def test_dishonest_judges_are_named_and_honest_ones_are_not_accused(
    judge: str, least: float
) -> None:
    told = tried(judge, 260, 6)
    assert told["found and named"] >= least
    assert told["honest accused"] <= 0.05
