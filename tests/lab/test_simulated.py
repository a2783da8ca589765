"""Simulated collections are what their page says."""

import numpy as np
import pytest

from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.lab.benchmark.simulated import N_DOCS, N_TOPICS, SIMULATED, simulated
from leadline.measures.measure import parse_measure


@pytest.fixture(scope="module")
def made() -> dict[str, Runs]:
    return {name: simulated(name).runs for name in SIMULATED}


def overlap(runs: Runs, a: int, b: int) -> float:
    """The share of documents that two runs have in common."""
    lists = [set(runs.pair[runs.start[run, 0] : runs.stop[run, -1]].tolist()) for run in (a, b)]
    return len(lists[0] & lists[1]) / len(lists[0])


def test_runs_of_a_family_return_much_the_same(made: dict[str, Runs]) -> None:
    families, mixed = made["simulated/families"], made["simulated/mixed"]
    assert families.group[0] == families.group[1] != families.group[6]
    assert overlap(families, 0, 1) > overlap(families, 0, 6) + 0.2
    assert overlap(families, 0, 1) > overlap(mixed, 0, 1) + 0.1


def test_the_last_family_has_documents_of_its_own(made: dict[str, Runs]) -> None:
    runs = made["simulated/newcomer"]
    own = np.array([group == runs.groups[-1] for group in runs.group])
    theirs = set(runs.only(~own).pair.tolist())
    alone = [pair not in theirs for pair in np.unique(runs.only(own).pair).tolist()]
    assert np.mean(alone) > 0.25


def test_everything_is_judged_and_topics_differ(made: dict[str, Runs]) -> None:
    whole = simulated("simulated/mixed")
    assert whole.judgments.judged.sum() == N_TOPICS * N_DOCS
    n_relevant = whole.judgments.counts[:, 1]
    assert n_relevant.min() < 0.05 * N_DOCS < 0.12 * N_DOCS < n_relevant.max()
    scores = parse_measure("RBP(p=0.8)").score(Lists.of(whole.runs, whole.judgments)).mean()
    assert scores.max() > 2 * scores.min(), "runs of mixed quality"


def test_it_is_always_the_same(made: dict[str, Runs]) -> None:
    again = simulated("simulated/newcomer").runs
    assert again.pair.tolist() == made["simulated/newcomer"].pair.tolist()
