"""Dishonest judges are found and named, honest ones seldom accused: TREC DL 2021, 400 judgments."""

import numpy as np
import pytest

from scripts.audit_power import World, bounds, summary, try_dishonest, try_honest
from tests.shared_data.where import collection

STRATEGY = "ByGroup(n=400)"


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


def test_a_noisy_judge_leaves_less_to_be_found() -> None:
    good, noisy = (bounds(world(judge))["mean"] for judge in JUDGES)
    for told in (good, noisy):
        assert told["weight"] < told["count"] <= told["likelihood"]
    assert all(good[way] > noisy[way] for way in good)


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "least"), [(JUDGES[0], 0.95), (JUDGES[1], 0.9)])
def test_dishonest_judges_are_named_and_honest_ones_are_not_accused(
    judge: str, least: float
) -> None:
    told = tried(judge, 260, 6)
    assert told["found and named"] >= least
    assert told["honest accused"] <= 0.05
