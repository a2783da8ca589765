"""Anytime-valid intervals: mean wealth 1 over all draws, the twin, the ends."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from leadline.completions.anytime import (
    IntervalBets,
    MarginBets,
    SampledBatch,
    WealthProcess,
    record_batches,
)
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.pool import SamplingRecord
from tests.reference import anytime as twin

N_PAIRS = 4


def process(contrasts: Floats, record: SamplingRecord, gain: Floats, bets: object = None):  # type: ignore[no-untyped-def]
    reached = np.ones(len(record.pair), np.bool_)
    wealth = WealthProcess(
        csr_array(contrasts),
        bets or IntervalBets(),
        record.planned,
        reached,  # type: ignore[arg-type]
    )
    for batch in record_batches(record, gain, gain):
        wealth.add(batch)
    return wealth


def as_record(
    batches: list[tuple[Floats, Floats, Bools]], n: int, planned: int = 3
) -> SamplingRecord:
    batch: Int64s = np.zeros(n, np.int64)
    for number, (_, _, drawn) in enumerate(batches, 1):
        batch[drawn] = number
    rows = np.array([pi for _, pi, _ in batches]), np.array([f for f, _, _ in batches])
    return SamplingRecord(np.arange(n), batch, *rows, planned)


KINDS = ("fair", "adversarial", "chasing", "certain")


def adaptive(
    kind: str, random: np.random.Generator, gain: Floats
) -> "itertools.chain[tuple[float, SamplingRecord]]":
    """Yield the probability and the record of every course of two batches, the second adaptive."""
    first = random.uniform(0.05, 0.95, N_PAIRS)
    base, slope = random.uniform(0.1, 0.9, N_PAIRS), random.uniform(-0.3, 0.3, N_PAIRS)
    predicted = random.random(N_PAIRS)
    if kind == "adversarial":
        predicted = 1 - gain
    if kind == "certain":
        first[0] = 1.0

    def courses():  # type: ignore[no-untyped-def]
        for hit in itertools.product((False, True), repeat=N_PAIRS):
            drawn = np.array(hit)
            odds = float(np.where(drawn, first, 1 - first).prod())
            if not odds:
                continue
            seen = gain[drawn].mean() if drawn.any() else 0.3
            pi = np.clip(base + slope * seen + 0.1 * drawn.sum(), 0.02, 0.98)
            f = np.clip(predicted + (seen - 0.5) * slope, 0, 1)
            if kind == "adversarial":
                f = 1 - gain
            if kind == "chasing":
                pi = np.clip(np.where(gain > 0.5, pi * 2, pi / 4), 0.02, 0.98)
            for more in itertools.product((False, True), repeat=N_PAIRS):
                then = np.array(more)
                if (then & drawn).any():
                    continue
                share = np.where(then, pi, 1 - pi)[~drawn].prod()
                batches = [(predicted, first, drawn), (f, pi, then)]
                yield odds * float(share), as_record(batches, N_PAIRS)

    return courses()  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bets", ["interval", "margin"])
def test_over_all_draws_the_mean_wealth_is_1(kind: str, bets: str) -> None:
    random = np.random.default_rng([KINDS.index(kind), bets == "margin"])
    for design in range(15):
        contrasts = random.normal(0, 0.3, (2, N_PAIRS))
        gain = random.random(N_PAIRS) if design % 2 else random.integers(0, 2, N_PAIRS) * 1.0
        truth = contrasts @ gain
        total, mean = 0.0, 0.0
        for odds, record in adaptive(kind, random, gain):
            rule = IntervalBets() if bets == "interval" else MarginBets(0.01)
            wealth = process(contrasts, record, gain, rule)
            side = np.array([1.0, -1.0])[:, None, None]
            mean = mean + odds * np.exp(
                wealth.log_wealth - wealth.stake * side * truth[None, :, None]
            )
            total += odds
        assert total == pytest.approx(1, abs=1e-12)
        assert np.abs(mean - 1).max() < 1e-12


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_it_equals_its_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, n_batches = 6, int(random.integers(1, 5))
    contrasts, gain = random.normal(0, 0.3, (3, n)), random.random(n)
    contrasts[0, :2] = 0.0
    batch = random.integers(0, n_batches + 1, n)
    probability = random.uniform(0.01, 1, (n_batches, n))
    probability[random.random((n_batches, n)) < 0.1] = 1.0
    # What has probability 1 is drawn.
    for number in range(n_batches):
        certain = (probability[number] == 1) & ((batch == 0) | (batch > number + 1))
        batch[certain] = number + 1
    prediction = random.random((n_batches, n))
    record = SamplingRecord(np.arange(n), batch, probability, prediction, 20)
    wealth = process(contrasts, record, gain)
    lower, upper = wealth.interval()
    for contrast, amount in enumerate(contrasts.tolist()):
        ends = [0.0, 0.0]
        for number, side in enumerate((1, -1)):
            plain = twin.Wealth(amount, side, 20)
            for at in range(n_batches):
                drawn = np.flatnonzero(batch == at + 1).tolist()
                plain.add(prediction[at].tolist(), probability[at].tolist(), drawn, gain.tolist())
            found = wealth.log_wealth[number, contrast]
            assert found == pytest.approx(plain.log_wealth, rel=1e-9, abs=1e-9)
            assert wealth.stake[number, contrast] == pytest.approx(plain.stake)
            ends[number] = plain.end
        assert lower[contrast] == pytest.approx(min(ends), abs=1e-9)
        assert upper[contrast] == pytest.approx(max(ends), abs=1e-9)


def test_no_interval_widens_and_ends_do_not_cross() -> None:
    random = np.random.default_rng(4)
    n, widened = 60, 0
    for _ in range(20):
        contrasts, gain = random.normal(0, 0.1, (3, n)), random.integers(0, 2, n) * 1.0
        wealth = WealthProcess(csr_array(contrasts), IntervalBets(), 40, np.ones(n, np.bool_))
        open_, before = np.ones(n, np.bool_), wealth.interval()
        for _ in range(8):
            pi = np.where(open_, random.uniform(0.05, 0.2, n), 0.0)
            drawn = random.random(n) < pi
            wealth.add(SampledBatch(open_, np.full(n, 0.9), pi, drawn, gain, gain))
            open_ = open_ & ~drawn
            lower, upper = wealth.interval()
            assert (lower >= before[0]).all()
            assert (upper <= before[1]).all()
            assert (lower <= upper).all()
            # By this look alone some end would be wider than before.
            threshold = np.log(40)
            widened += int((wealth.log_wealth_at(0, lower - 1e-6) < threshold - 1e-3).sum())
            before = lower, upper
    assert widened


def test_before_any_batch_the_interval_is_that_of_the_bounds() -> None:
    wealth = WealthProcess(
        csr_array(np.array([[0.5, -0.25]])), IntervalBets(), 10, np.ones(2, np.bool_)
    )
    assert [end.tolist() for end in wealth.interval()] == [[-0.25], [0.5]]


def test_a_pair_that_could_not_be_drawn_widens_the_ends() -> None:
    record = as_record([(np.full(2, 0.5), np.ones(2), np.ones(2, np.bool_))], 2)
    wealth = WealthProcess(
        csr_array(np.array([[0.5, -0.25]])), IntervalBets(), 10, np.array([True, False])
    )
    for batch in record_batches(record, np.ones(2), np.ones(2)):
        wealth.add(batch)
    assert [end.tolist() for end in wealth.interval()] == [[0.25], [0.5]]


def test_a_drawn_pair_that_nobody_could_judge_counts_the_worst_for_each_side() -> None:
    random = np.random.default_rng(1)
    contrasts = random.normal(0, 0.3, (2, 5))
    drawn = np.array([True, True, False, True, False])
    record = as_record([(random.random(5), np.full(5, 0.4), drawn)], 5)
    gain = random.random(5)
    low, high = gain.copy(), gain.copy()
    low[1], high[1] = 0.0, 1.0
    reached = np.ones(5, np.bool_)
    unknown = WealthProcess(csr_array(contrasts), IntervalBets(), 3, reached)
    for batch in record_batches(record, low, high):
        unknown.add(batch)
    for possible in (0.0, 1.0):
        filled = np.where(np.arange(5) == 1, possible, gain)
        judged = process(contrasts, record, filled)
        assert (unknown.interval()[0] <= judged.interval()[0] + 1e-12).all()
        assert (unknown.interval()[1] >= judged.interval()[1] - 1e-12).all()


def test_when_all_is_judged_the_interval_is_the_truth() -> None:
    random = np.random.default_rng(2)
    contrasts, gain = random.normal(0, 0.3, (2, 5)), random.random(5)
    record = as_record([(random.random(5), np.ones(5), np.ones(5, np.bool_))], 5)
    lower, upper = process(contrasts, record, gain).interval()
    assert lower == pytest.approx(contrasts @ gain)
    assert upper == pytest.approx(contrasts @ gain)


CONFSEQ = (
    (0.2, (0.093, 0.276), (0.106, 0.317), (0.133, 0.382), (0.075, 0.307)),
    (0.5, (0.285, 0.544), (0.309, 0.621), (0.439, 0.730), (0.339, 0.640)),
)
"""Ends by confseq 0.0.11: betting_cs(x, N=400, running_intersection=True) on the same samples.

The package of Waudby-Smith and Ramdas has no wheel for Python 3.11, its source pins a pybind11
older than that, and NumPy 2 has no np.float_. These are from betting.py of its source with
np.float_ = np.float64; that module needs nothing compiled.
"""


def test_of_a_plain_mean_it_is_about_as_wide_as_the_intervals_of_confseq() -> None:
    random = np.random.default_rng(3)
    n, n_batches, rate = 400, 5, 0.05
    ratios = []
    for share, *ends in CONFSEQ:
        for low, high in ends:
            gain = (random.random(n) < share).astype(np.float64)
            open_, batches = np.ones(n, np.bool_), []
            for _ in range(n_batches):
                drawn = open_ & (random.random(n) < rate)
                batches.append((np.full(n, share), np.full(n, rate), drawn))
                # confseq saw them in this order.
                random.permutation(np.flatnonzero(drawn))
                open_ &= ~drawn
            record = as_record(batches, n, planned=round(n * n_batches * rate))
            (lower,), (upper,) = process(np.full((1, n), 1 / n), record, gain).interval()
            assert lower <= gain.mean() <= upper
            assert low <= gain.mean() <= high
            # Both are about the same sample: they overlap by more than half.
            assert min(upper, high) - max(lower, low) > (high - low) / 2
            ratios.append(float((upper - lower) / (high - low)))
    assert 0.8 < np.median(ratios) < 1.2, ratios
