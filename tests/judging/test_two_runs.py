"""Two runs by sampled batches: a valid stop, restarts, skipped pairs, certificates."""

import json
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.completions.pair_weights import PairWeights
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.certificate import commitment, two_run_certificate, verify
from leadline.judging.ledger import Entry, Ledger
from leadline.judging.session import Session
from leadline.judging.stops import NonInferior
from leadline.judging.two_runs import SampledBatches
from tests.judging.test_weighted_sample import MEASURE, collection

AIM = "run1,run7"
ORDER = SampledBatches(AIM, MEASURE, batch=10)


def play(session: Session, judgments: Judgments, most: int = 10_000) -> int:
    """Answer until the session asks for nothing more."""
    n = 0
    while n < most and (choices := session.ask()):
        session.tell(choices[0].pair, int(judgments.grade[choices[0].pair]))
        n += 1
    return n


def truth(runs: Runs, judgments: Judgments) -> float:
    weights = PairWeights.of(runs, ORDER.weighted)
    score = weights.scores(judgments.grade[weights.pair].astype(np.float64))
    return float(score[runs.names.index("run1")] - score[runs.names.index("run7")])


def test_it_stops_and_says_which_run_is_not_worse() -> None:
    runs, judgments = collection()
    session = Session(runs, ORDER, NonInferior())
    play(session, judgments)
    difference = truth(runs, judgments)
    assert difference < -0.1
    reason = session.reason()
    assert reason is not None
    assert reason.startswith("run7 is not worse than run1 by more than 0.01 on these topics")
    sample = session.standing.two_runs
    assert sample is not None
    lower, upper = sample.interval()
    assert lower <= difference <= upper
    assert sample.decision(0.01, 0.05) == "b"
    assert f"{len(session.grades):,} sampled judgments" in reason


def test_only_what_the_runs_weigh_differently_is_asked_for() -> None:
    runs, judgments = collection()
    session = Session(runs, ORDER)
    play(session, judgments)
    matrix = PairWeights.of(runs, ORDER.weighted).matrix
    apart = (matrix[[1]] - matrix[[7]]).toarray()[0]
    pair = PairWeights.of(runs, ORDER.weighted).pair
    assert set(session.grades) == set(pair[apart != 0].tolist())
    sample = session.standing.two_runs
    assert sample is not None
    assert sample.interval() == pytest.approx([truth(runs, judgments)] * 2)


def test_false_decisions_are_rare_when_looked_at_after_every_batch() -> None:
    runs, judgments = collection()
    difference = truth(runs, judgments)
    random = np.random.default_rng(0)
    false = 0
    for seed in range(60):
        # Judgments that make the runs equal on average: a coin for every pair.
        coin = Judgments(
            judgments.pairs, judgments.judged, random.integers(0, 2, len(judgments.grade))
        )
        order = SampledBatches(AIM, MEASURE, batch=10, seed=seed)
        session = Session(runs, order, NonInferior())
        play(session, coin)
        sample = session.standing.two_runs
        assert sample is not None
        decision, value = sample.decision(0.01, 0.05), truth(runs, coin)
        false += (decision == "a" and value < -0.01) or (decision == "b" and value > 0.01)
    assert difference
    # 3 expected at most; 9 would happen by chance once in 500 such tests.
    assert false < 9


def test_a_session_that_was_interrupted_goes_on_as_if_it_had_not_been() -> None:
    runs, judgments = collection()
    whole = Session(runs, ORDER, NonInferior())
    play(whole, judgments)
    ledger = Ledger()
    first = Session(runs, ORDER, NonInferior(), ledger=ledger)
    play(first, judgments, 17)
    again = Session(runs, ORDER, NonInferior(), ledger=Ledger([*ledger.entries]))
    play(again, judgments)
    assert list(again.grades) == list(whole.grades)
    assert again.reason() == whole.reason()


def test_a_judgment_that_is_corrected_counts_as_corrected() -> None:
    runs, judgments = collection()
    session = Session(runs, ORDER)
    play(session, judgments, 25)
    pair = session.undo()
    assert pair is not None
    session.tell(pair, 1 - int(judgments.grade[pair]))
    sample = session.standing.two_runs
    assert sample is not None
    assert sample.n_complete >= 1
    at = int(np.flatnonzero(sample.pair == pair)[0])
    assert sample.low[at] == 1 - judgments.grade[pair]


def test_a_skipped_pair_may_have_any_gain() -> None:
    runs, judgments = collection()
    session = Session(runs, ORDER)
    first = session.ask()[0].pair
    session.skip(first)
    play(session, judgments)
    sample = session.standing.two_runs
    assert sample is not None
    lower, upper = sample.interval()
    at = int(np.flatnonzero(sample.pair == first)[0])
    assert upper - lower == pytest.approx(abs(sample.weight[at]))
    assert lower - 1e-12 <= truth(runs, judgments) <= upper + 1e-12


def test_the_stop_needs_the_order() -> None:
    runs, _ = collection()
    with pytest.raises(ValueError, match="SampledBatches"):
        Session(runs, SampledBatchesNot(), NonInferior())


def SampledBatchesNot() -> Any:
    from leadline.judging.order import Random

    return Random()


@pytest.mark.parametrize("aim", ["run1", "run1,run2,run3", ""])
def test_an_aim_is_two_runs(aim: str) -> None:
    with pytest.raises(ValueError, match="two runs"):
        SampledBatches(aim)


def test_a_run_that_is_not_there_is_named() -> None:
    runs, _ = collection()
    with pytest.raises(ValueError, match="there is no run nobody"):
        SampledBatches("run1,nobody").start(runs)


def certificate() -> dict[str, Any]:
    runs, judgments = collection()
    session = Session(runs, ORDER, NonInferior())
    play(session, judgments)
    entry = session.ledger.entries[0]
    assert (entry.act, entry.note) == ("commit", commitment(0))
    sample = session.standing.two_runs
    assert sample is not None
    made = two_run_certificate(sample, runs.pairs, session.grades, session.ledger.entries)
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


def test_a_certificate_is_verified() -> None:
    made = certificate()
    found = leadline.verify_certificate(made)
    assert found.valid
    assert "the ledger committed to the seed before the first batch" in found.lines
    assert found.lines[-1] == "decision at margin 0.01: b"


def test_an_altered_judgment_is_named() -> None:
    made = certificate()
    row = made["judgments"][4]
    row["grade"] = 1 - row["grade"]
    problem = verify(made).problems[0]
    assert f"judgment of {row['doc']} of topic {row['topic']}" in problem
    assert "was altered" in problem


def _rechained(made: dict[str, Any]) -> dict[str, Any]:
    """Make the digests right again, as a forger would."""
    from leadline.judging.certificate import _chained

    digest = _chained(made["seed_commitment"], made["seed"])
    for row in made["judgments"]:
        digest = _chained(digest, row["batch"], row["topic"], row["doc"], row["grade"])
        row["digest"] = digest
    made["ledger_digest"] = digest
    return made


def test_a_judgment_that_was_left_out_is_found_by_the_seed() -> None:
    made = certificate()
    gone = made["judgments"].pop(3)
    problems = verify(_rechained(made)).problems
    assert f"{gone['doc']} of topic {gone['topic']} was drawn but is not in batch 1" in problems[0]


def test_another_seed_is_refused() -> None:
    made = certificate()
    made["seed"] = 1
    assert "not the seed that the ledger committed to" in verify(_rechained(made)).problems[0]


def test_another_interval_is_refused() -> None:
    made = certificate()
    made["intervals"][1][0][0] += 0.01
    assert "the interval of run1 minus run7 after batch 2 is" in verify(made).problems[0]


def test_another_decision_is_refused() -> None:
    made = certificate()
    made["decision"] = "a"
    assert verify(made).problems == ("the decision is b, not a",)


def test_without_a_commitment_it_is_said() -> None:
    made = certificate()
    made["seed_commitment"] = ""
    assert any("is not excluded" in line for line in verify(_rechained(made)).lines)


def test_a_ledger_that_has_judgments_gets_no_commitment() -> None:
    runs, judgments = collection()
    topic, doc = runs.pairs.name(int(runs.pair[0]))
    ledger = Ledger([Entry("judge", topic, doc, 1)])
    Session(runs, ORDER, ledger=ledger)
    assert [entry.act for entry in ledger.entries] == ["judge"]
    assert judgments is not None
