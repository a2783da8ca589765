"""A pool by group: known probabilities, batch after batch, most where favour would show."""

import numpy as np
import pytest

from leadline.completions.pair_weights import PairWeights
from leadline.data.judgments import Judgments
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.labels.audit_sample import AuditSample
from leadline.labels.favour import OwnedDocuments
from leadline.measures.measure import parse_numerator
from leadline.pooling.strategies import pools
from tests.labels.small_world import MEASURE, noisy, small_runs, with_labels
from tests.labels.test_favour import favouring

DESIGN = AuditSample(n=120, batches=3)


def world(favoured: str | None = None) -> tuple[Runs, Judgments]:
    runs, judgments = small_runs(n_topics=10, n_docs=100)
    label = noisy(judgments)
    if favoured is not None:
        label = favouring(runs, judgments, label, favoured)
    labelled = with_labels(runs, label)
    return labelled, Judgments(labelled.pairs, judgments.judged, judgments.grade, max_grade=3)


def drawn(runs: Runs, judgments: Judgments, seed: int, batches: int = 3) -> Pool:
    pool = None
    for _ in range(batches):
        pool = DESIGN.next_batch(runs, seed, judgments, pool)
    assert pool is not None
    return pool


def test_its_name_says_what_it_is() -> None:
    assert str(AuditSample(n=400)) == "AuditSample(n=400)"
    assert pools.parse("AuditSample(n=120, batches=3)") == DESIGN


def test_about_as_many_are_drawn_as_asked_and_chances_say_how_often() -> None:
    runs, judgments = world()
    looked = PairWeights.of(runs, parse_numerator(MEASURE)).pair
    sizes, weights = [], []
    for seed in range(30):
        pool = drawn(runs, judgments, seed)
        sizes.append(len(pool))
        assert (pool.inclusion[looked] > 0).all()
        weights.append((1 / pool.inclusion[pool.member]).sum())
    assert abs(np.mean(sizes) - 120) < 3 * 120**0.5 / 30**0.5 + 4
    # Each drawn pair stands for 1 / pi of them, so that together they stand for all.
    assert abs(np.mean(weights) - len(looked)) < 3.5 * np.std(weights) / 30**0.5


def test_later_batches_look_at_the_suspect() -> None:
    runs, judgments = world("b")
    owned = OwnedDocuments.of(PairWeights.of(runs, parse_numerator(MEASURE)), runs.group)
    looked = PairWeights.of(runs, parse_numerator(MEASURE)).pair
    theirs = np.zeros(len(runs.pairs), bool)
    theirs[looked[owned.member[owned.names.index("b")]]] = True
    share = np.zeros(2)
    for seed in range(6):
        pool = drawn(runs, judgments, seed)
        assert pool.batch is not None
        for at, batch in enumerate(((1,), (2, 3))):
            new = np.isin(pool.batch, batch)
            share[at] += (new & theirs).sum() / new.sum() / 6
    assert share[1] > share[0] + 0.1


def test_a_file_of_what_was_drawn_is_all_that_the_next_batch_needs() -> None:
    runs, judgments = world()
    whole = drawn(runs, judgments, 1)
    first = drawn(runs, judgments, 1, 2)
    inclusion = np.where(first.member, first.inclusion, 0.0)
    stratum = np.where(first.member, 0, -1).astype(np.int16)
    file = Pool(runs.pairs, first.member, inclusion, stratum, "file", batch=first.batch)
    again = DESIGN.next_batch(runs, 1, judgments, file)
    np.testing.assert_array_equal(again.member, whole.member)
    np.testing.assert_allclose(again.inclusion, whole.inclusion)


def test_the_order_of_the_runs_changes_nothing() -> None:
    runs, judgments = world()
    turned = runs.only(np.arange(len(runs.names))[::-1].copy())
    pools_made = [drawn(each, judgments, 2) for each in (runs, turned)]
    np.testing.assert_array_equal(pools_made[0].member, pools_made[1].member)


def test_what_is_missing_is_said() -> None:
    runs, judgments = world()
    first = drawn(runs, judgments, 1, 1)
    nothing = judgments.only(np.zeros(len(judgments.grade), bool))
    with pytest.raises(ValueError, match="not judged"):
        DESIGN.next_batch(runs, 1, nothing, first)
    plain, human = small_runs(n_topics=10, n_docs=100)
    with pytest.raises(ValueError, match="`labels`"):
        DESIGN.next_batch(plain, 1, human, DESIGN.pool(plain, 1))
    with pytest.raises(ValueError, match="all 3 batches"):
        DESIGN.next_batch(runs, 1, judgments, drawn(runs, judgments, 1))
    with pytest.raises(ValueError, match="gain must be"):
        AuditSample(n=1, gain=0.0)
    with pytest.raises(ValueError, match="at least 1"):
        AuditSample(n=0)
    for share in (0.0, 1.0):
        with pytest.raises(ValueError, match="scores, a share"):
            AuditSample(n=1, scores=share)
