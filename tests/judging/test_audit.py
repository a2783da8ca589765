"""What LikelyWinner draws by chance gives scores without bias, and a check of its model."""

import numpy as np
import pytest

from leadline.completions.pair_weights import PairWeights
from leadline.judging.likely_winner import (
    FEWEST_BATCHES,
    MOST_DEVIATIONS,
    Audit,
    AuditBatch,
    LikelyWinner,
)
from tests.judging.test_likely_winner import SMALL, follow, truth
from tests.judging.test_weighted_sample import collection
from tests.reference import likely as plain


def test_about_the_share_that_was_asked_for_is_drawn_by_chance() -> None:
    runs, judgments = collection()
    drawn = 0
    for seed in range(20):
        stepper = LikelyWinner(measure="P@5", pilot=10, batch=10, audit=0.4, seed=seed).start(runs)
        follow(stepper, judgments, 50)
        assert stepper.likely is not None
        drawn += stepper.likely.audit.n_drawn
    # Of 20 sessions with at most four batches of ten, of which four each are expected by chance.
    assert 0.7 < drawn / (20 * 3 * 4) < 1.5


def test_scores_of_the_audit_have_no_bias_though_the_chosen_ones_have() -> None:
    runs, judgments = collection()
    scores, error = [], []
    for seed in range(80):
        order = LikelyWinner(measure="P@5", pilot=10, batch=8, audit=0.4, seed=seed)
        stepper = order.start(runs)
        follow(stepper, judgments, 70)
        assert stepper.likely is not None
        found = stepper.likely.audit.scores
        assert found is not None
        scores.append(found.value)
        error.append(found.standard_error)
    mean, deviation = np.mean(scores, axis=0), np.std(scores, axis=0, ddof=1)
    assert np.abs(mean - truth(runs, judgments)).max() < 4 * deviation.max() / 80**0.5
    # Means of estimated variances are near the variances there are.
    ratio = np.sqrt(np.mean(np.square(error), axis=0)) / deviation
    assert ratio.mean() == pytest.approx(1, abs=0.35)


def test_scores_of_the_audit_are_those_of_the_plain_twin() -> None:
    runs, judgments = collection()
    order = LikelyWinner(measure="P@5", pilot=10, batch=8, audit=0.4, seed=3)
    stepper = order.start(runs)
    assert stepper.likely is not None
    audit = stepper.likely.audit
    made: list[AuditBatch] = []
    for _ in range(60):
        follow(stepper, judgments, 1)
        made += [batch for batch in audit.batches if all(batch is not each for each in made)]
    assert audit.scores is not None
    weights = PairWeights.of(runs, order.weighted)
    names = [str(pair) for pair in weights.pair.tolist()]
    of_run = [
        {names[at]: float(row[at]) for at in row.nonzero()[0]} for row in weights.matrix.toarray()
    ]
    batches = [
        (
            {names[at] for at in batch.left.nonzero()[0]},
            dict(zip(names, batch.chance.tolist(), strict=True)),
            dict(zip(names, batch.expected.tolist(), strict=True)),
            {names[at] for at in batch.drawn.nonzero()[0]},
        )
        for batch in made[: audit.n_batches]
    ]
    gain = dict(zip(names, (judgments.grade[weights.pair] >= 1) * 1.0, strict=True))
    scores, variances, degrees = plain.audited(of_run, batches, gain)
    assert audit.scores.value == pytest.approx(scores, abs=1e-9)
    assert audit.scores.standard_error**2 == pytest.approx(variances, abs=1e-9)
    assert audit.scores.degrees is not None
    assert np.diag(audit.scores.degrees) == pytest.approx(degrees, rel=1e-6)
    # Student's quantile, not 1.96.
    assert (audit.scores.margin() > 1.97 * audit.scores.standard_error).all()


def test_few_heavy_draws_have_no_interval_and_so_no_standard_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs, judgments = collection()
    order = LikelyWinner(measure="P@5", pilot=10, batch=8, audit=0.4, seed=3)
    stepper = order.start(runs)
    follow(stepper, judgments, 60)
    assert stepper.likely is not None
    monkeypatch.setattr("leadline.judging.likely_winner.FEWEST_DEGREES", 1e9)
    scores = stepper.likely.audit.scores
    assert scores is not None
    assert "degrees of freedom" in scores.withheld
    assert np.isfinite(scores.value).all()
    for error in (scores.standard_error, scores.margin(), scores.difference_error()):
        assert np.isnan(error).all()


def test_no_scores_are_offered_before_the_fifth_batch() -> None:
    runs, judgments = collection()
    stepper = SMALL.start(runs)
    follow(stepper, judgments, 10 + 10)
    assert stepper.likely is not None
    assert stepper.likely.audit.n_batches < FEWEST_BATCHES
    assert stepper.likely.audit.scores is None


def test_the_check_fails_in_words_when_the_drawn_are_not_as_expected() -> None:
    audit = Audit(None)  # type: ignore[arg-type]
    assert audit.failed is None
    audit._surprise = [(0.0, 0.25)] * 9
    assert audit.deviations == 0
    audit._surprise = [(-0.5, 0.25)] * 9
    # Nine times half a deviation of .5 too little: -4.5 over the root of 2.25.
    assert audit.deviations == pytest.approx(-3.0)
    assert abs(audit.deviations) <= MOST_DEVIATIONS
    assert audit.failed is None
    audit._surprise = [(-0.5, 0.25)] * 16
    assert audit.failed == (
        "of the last 16 documents sampled at random less were relevant than the model expected "
        "(4.0 standard deviations)"
    )
