"""Designed pools: known chances, batch after batch, the same for any order of the runs."""

import numpy as np
import pytest

from leadline.designs.designed import Designed
from leadline.estimators.assisted import Assisted
from leadline.estimators.evidence import Evidence
from leadline.measures.measure import parse_measure
from leadline.pools.strategy import pools
from leadline.tables.judgments import Judgments
from leadline.tables.pairs import Pairs
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

N_RUNS, N_TOPICS, N_DOCS, DEPTH = 8, 6, 30, 10
MEASURE = "RBP(p=0.8, norm=true)@10"


def collection(order: list[int] | None = None) -> tuple[Runs, Judgments]:
    """Runs of rising quality: the better, the nearer their ranking is to the truth."""
    random = np.random.default_rng(5)
    grade = (random.random((N_TOPICS, N_DOCS)) < 0.3).astype(int)
    topics = [str(topic + 1) for topic in range(N_TOPICS)]
    docs = [f"d{doc:02}" for doc in range(N_DOCS)]
    rankings = [
        [
            np.argsort(-(grade[topic] * run / N_RUNS + random.random(N_DOCS)))[:DEPTH]
            for topic in range(N_TOPICS)
        ]
        for run in range(N_RUNS)
    ]
    order = list(range(N_RUNS)) if order is None else order
    pairs = Pairs.of(np.repeat(topics, N_DOCS).tolist(), docs * N_TOPICS)
    entry = np.concatenate(
        [
            pairs.find([topics[topic]] * DEPTH, [docs[doc] for doc in rankings[run][topic]])
            for run in order
            for topic in range(N_TOPICS)
        ]
    )
    length = np.full((N_RUNS, N_TOPICS), DEPTH, np.int64)
    runs = Runs.trusted(pairs, tuple(f"run{run}" for run in order), entry, length)
    flat = np.zeros(len(pairs), np.int16)
    at = pairs.find(np.repeat(topics, N_DOCS).tolist(), docs * N_TOPICS)
    flat[at] = grade.ravel()
    return runs, Judgments(pairs, np.ones(len(pairs), np.bool_), flat)


def drawn(design: Designed, runs: Runs, judgments: Judgments, seed: int, batches: int) -> Pool:
    pool = None
    for _ in range(batches):
        pool = design.next_batch(runs, seed, judgments, pool)
    assert pool is not None
    return pool


def test_its_name_comes_back() -> None:
    design = Designed(n=400, measure="nDCG@10", aim="run1,run2")
    assert pools.parse(str(design)) == design


def test_a_batch_keeps_what_was_drawn_and_never_lowers_a_chance() -> None:
    runs, judgments = collection()
    design = Designed(n=60, measure=MEASURE, batches=3)
    before = design.pool(runs, 1)
    after = design.next_batch(runs, 1, judgments, before)
    assert (after.member >= before.member).all()
    assert (after.inclusion >= before.inclusion - 1e-12).all()
    assert set(np.unique(after.batch[after.member])) == {1, 2}  # type: ignore[index]
    looked_at = np.unique(runs.pair)
    assert (after.inclusion[looked_at] > 0).all()


def test_the_order_of_the_runs_changes_nothing() -> None:
    runs, judgments = collection()
    turned, same = collection(list(range(N_RUNS))[::-1])
    design = Designed(n=60, measure=MEASURE, batches=3)
    one, other = drawn(design, runs, judgments, 3, 3), drawn(design, turned, same, 3, 3)
    assert (one.member == other.member).all()
    assert one.inclusion == pytest.approx(other.inclusion, abs=1e-9)


def test_what_was_drawn_must_be_judged_before_the_next_batch() -> None:
    runs, judgments = collection()
    design = Designed(n=60, measure=MEASURE, batches=3)
    pool = design.pool(runs, 1)
    known = judgments.judged.copy()
    known[np.flatnonzero(pool.member)[0]] = False
    grade = np.where(known, judgments.grade, 0)
    with pytest.raises(ValueError, match=f"1 of {len(pool)} pairs"):
        design.next_batch(runs, 1, Judgments(runs.pairs, known, grade), pool)


@pytest.mark.parametrize("aim", ["best", "run1", "run1,nobody"])
def test_an_aim_that_is_none_is_refused(aim: str) -> None:
    runs, judgments = collection()
    design = Designed(n=60, measure=MEASURE, aim=aim, batches=2)
    with pytest.raises(ValueError, match="aim must be"):
        drawn(design, runs, judgments, 0, 2)


@pytest.mark.parametrize("aim", ["differences", "scores", "run1,run7"])
def test_estimates_from_many_draws_have_no_bias(aim: str) -> None:
    runs, judgments = collection()
    measure = parse_measure(MEASURE)
    truth = Assisted().gains(
        Evidence(measure, runs, drawn(Designed(n=10**6), runs, judgments, 0, 1).restrict(judgments))
    )
    assert truth.of_mean is not None
    design = Designed(n=50, measure=MEASURE, aim=aim, batches=3, best=3)
    scores = []
    for seed in range(60):
        pool = drawn(design, runs, judgments, seed, 3)
        found = Assisted().gains(Evidence(measure, runs, pool.restrict(judgments), pool)).of_mean
        assert found is not None
        scores.append(found.value)
    table = np.array(scores)
    error = table.std(axis=0, ddof=1) / np.sqrt(len(table))
    assert (np.abs(table.mean(axis=0) - truth.of_mean.value) < 4 * error).all()
