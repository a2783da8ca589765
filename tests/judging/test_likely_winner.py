"""LikelyWinner: batches by what a model says, a share of each by chance, and honest scores
from that.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.pair_weights import PairWeights
from leadline.contracts import check_order
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.likely_winner import LikelyWinner, _InBatches
from leadline.judging.order import Stepper
from tests.collections import Small, small_collections
from tests.judging.test_weighted_sample import collection
from tests.reference import likely as plain
from tests.tries import tries

SMALL = LikelyWinner(measure="P@5", pilot=10, batch=10)


def follow(stepper: Stepper, judgments: Judgments, n: int) -> list[int]:
    asked = []
    while len(asked) < n and (chosen := stepper.next()):
        asked.append(chosen[0].pair)
        stepper.tell(chosen[0].pair, int(judgments.grade[chosen[0].pair]))
    return asked


def truth(runs: Runs, judgments: Judgments) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    weights = PairWeights.of(runs, SMALL.weighted)
    return weights.scores((judgments.grade[weights.pair] >= 1) * 1.0)


def test_gains_are_shares_of_the_best_grade_told() -> None:
    small = Small({"x": {"1": ["a", "b", "c"]}, "y": {"1": ["d", "b"]}}, {"1": {}}, 3)
    runs = small.tables()[0]
    for measure in ("RBP(p=0.5, gains=linear)", "RBP(p=0.5, gains=linear, max_grade=3)"):
        stepper = LikelyWinner(measure=measure).start(runs)
        assert isinstance(stepper, _InBatches)
        for doc, grade in (("a", 1), ("b", 3), ("c", 0)):
            stepper.tell(int(runs.pairs.find(["1"], [doc])[0]), grade)
        docs = [runs.pairs.name(int(pair))[1] for pair in stepper.pair]
        gain = dict(zip(docs, stepper.gain.tolist(), strict=True))
        assert gain == pytest.approx({"a": 1 / 3, "b": 1.0, "c": 0.0, "d": 0.0})


def test_it_keeps_the_contract() -> None:
    check_order(LikelyWinner(measure="P@3", pilot=2, batch=3, audit=0.4), n=8)


@given(small=small_collections(n_docs=6, n_runs=4), k=st.integers(1, 2))
@tries(10)
def test_weights_are_those_of_the_plain_twin(small: Small, k: int) -> None:
    runs, judgments = small.tables()
    stepper = LikelyWinner("P@3", k=k, pilot=1, batch=3, audit=0.0).start(runs, judgments)
    pair = PairWeights.of(runs, LikelyWinner("P@3").weighted).pair.tolist()
    # No model chooses the pilot. Another batch would have another posterior.
    n_pilot = max(0, 1 - int(judgments.judged[pair].sum()))
    chosen = [*stepper.next(n_pilot + 1), *stepper.queue]
    state = stepper.likely
    assert state is not None
    if state.posterior is None:
        return
    lists = {
        name: {topic: list(small.runs[name].get(topic, [])) for topic in runs.pairs.topics}
        for name in runs.names
    }
    found = state.posterior
    # Equals that rounding tells apart have no say in who is best.
    mean = dict(zip(runs.names, np.round(found.mean, 11).tolist(), strict=True))
    both = {
        (a, b): float(found.covariance[i, j])
        for i, a in enumerate(runs.names)
        for j, b in enumerate(runs.names)
    }
    expected = dict(zip(map(runs.pairs.name, pair), found.expected.tolist(), strict=True))
    rivals = plain.rivals_of_the_best(mean, both, k)
    gone = {choice.pair for choice in chosen[:n_pilot]}
    unjudged = [each for each in pair if not judgments.judged[each] and each not in gone]
    weight = {
        each: plain.order_weight(runs.pairs.name(each), lists, [1 / 3] * 3, expected, rivals)
        for each in unjudged
    }
    heaviest = sorted(weight.values(), reverse=True)
    picked = [choice for choice in chosen[n_pilot:] if choice.weight]
    for choice, most in zip(picked, heaviest, strict=False):
        assert choice.weight == pytest.approx(weight[choice.pair], abs=1e-9)
        assert choice.weight == pytest.approx(most, abs=1e-9)


def test_the_best_run_leads_when_little_is_judged_and_for_certain_in_the_end() -> None:
    runs, judgments = collection()
    stepper = SMALL.start(runs)
    follow(stepper, judgments, 10**6)
    assert stepper.likely is not None
    stepper.likely.audit.settle(stepper.gain)  # type: ignore[attr-defined]
    assert stepper.likely.posterior is not None
    best = int(np.argmax(truth(runs, judgments)))
    assert stepper.likely.posterior.best()[best]


def test_two_runs_are_told_apart_by_what_they_do_not_share() -> None:
    runs, judgments = collection()
    order = LikelyWinner(measure="P@5", aim="run1,run7", pilot=2, batch=6, audit=0.0)
    stepper = order.start(runs)
    asked = follow(stepper, judgments, 14)[2:]
    weights = PairWeights.of(runs, order.weighted)
    a, b = (weights.matrix[[runs.names.index(name)]].toarray()[0] for name in ("run1", "run7"))
    decides = set(weights.pair[a != b].tolist())
    assert set(asked) <= decides


@pytest.mark.parametrize("aim", ["first", "run1", "run1,nobody"])
def test_an_aim_that_is_none_is_refused(aim: str) -> None:
    runs, judgments = collection()
    with pytest.raises(ValueError, match="aim must be"):
        follow(LikelyWinner(measure="P@5", aim=aim, pilot=2, batch=2).start(runs), judgments, 6)


def test_the_best_k_and_the_whole_order_ask_for_other_pairs_than_the_best() -> None:
    runs, judgments = collection()
    courses = {
        tuple(follow(order.start(runs), judgments, 40))
        for order in (
            SMALL,
            LikelyWinner("P@5", 3, pilot=10, batch=10),
            LikelyWinner("P@5", aim="order"),
        )
    }
    assert len(courses) == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 0}, "at least 1"),
        ({"audit": 1.0}, "audit must be a share"),
        ({"measure": "RR"}, "no sum of weights"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LikelyWinner(**wrong)  # type: ignore[arg-type]


@given(small_collections())
def test_judgments_told_at_once_are_those_told_one_by_one(small: Small) -> None:
    runs, judgments = small.tables()
    steppers = [LikelyWinner(measure="RBP(p=0.5, gains=linear)").start(runs) for _ in range(2)]
    steppers[0].tell_all(judgments)
    Stepper.tell_all(steppers[1], judgments)
    for name in ("judged", "grade", "gain", "best"):
        at_once, one_by_one = (getattr(stepper, name) for stepper in steppers)
        assert np.array_equal(at_once, one_by_one), name
