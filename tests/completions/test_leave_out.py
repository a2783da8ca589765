"""Pooled groups taken out of the pool in turn: losses, places, adjusted scores, sentences."""

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.adjust import LeaveOut
from leadline.io.datasets import COLLECTION

DEPTH = 10


@pytest.fixture(scope="module")
def left_out() -> LeaveOut:
    made = leadline.adjust(COLLECTION, leave_out=True, measures="P@10", pool_depth=DEPTH)
    assert isinstance(made, LeaveOut)
    return made


def scores_without(group: str) -> dict[str, float]:
    """P@10 of all pooled runs by what the other groups' first ten documents bring, counted."""
    read = leadline.read(COLLECTION)
    runs, relevant = read.runs, np.where(read.judgments.judged, read.judgments.grade, 0) >= 1
    others = [r for r in np.flatnonzero(read.pooled) if runs.group[r] != group]
    pool: set[int] = set()
    n_topics = len(runs.pairs.topics)
    heads = {
        (r, t): runs.pair[runs.start[r, t] : runs.stop[r, t]][:DEPTH].tolist()
        for r in range(len(runs.names))
        for t in range(n_topics)
    }
    for r in others:
        for t in range(n_topics):
            pool.update(heads[r, t])
    return {
        runs.names[r]: float(
            np.mean(
                [sum(relevant[p] and p in pool for p in heads[r, t]) / 10 for t in range(n_topics)]
            )
        )
        for r in np.flatnonzero(read.pooled)
    }


def test_losses_and_places_are_those_of_a_pool_without_the_group(left_out: LeaveOut) -> None:
    whole = scores_without("nobody")
    for group in ("farlight", "corran"):
        without = scores_without(group)
        for row in left_out.frame.filter(pl.col("group") == group).iter_rows(named=True):
            run = row["run"]
            assert row["complete"] == pytest.approx(whole[run])
            assert row["unadjusted"] == pytest.approx(without[run])
            assert row["loss"] == pytest.approx(whole[run] - without[run])
            better = sum(other > without[run] + 1e-9 for other in without.values())
            assert row["place_unpooled"] == better + 1
            assert row["place"] == sum(other > whole[run] + 1e-9 for other in whole.values()) + 1


def test_every_pooled_run_has_a_row_and_a_sentence(left_out: LeaveOut) -> None:
    read = leadline.read(COLLECTION)
    pooled = {read.runs.names[run] for run in np.flatnonzero(read.pooled)}
    assert set(left_out.frame["run"]) == pooled
    assert len(left_out.sentences) == len(pooled)
    (own,) = [line for line in left_out.sentences if line.startswith("farlight-hand")]
    row = left_out.frame.row(by_predicate=pl.col("run") == "farlight-hand", named=True)
    assert f"unpooled, it would lose {row['loss']:.3f} and fall from place " in own
    assert f"from place {row['place']} to {row['place_unpooled']}; adjusted" in own
    assert own.endswith(f"against {row['complete']:.3f} by all judgments")


def test_the_adjusted_score_is_what_adjust_says_of_a_run_that_was_not_pooled() -> None:
    """farlight has one run, so to name it as new is to take its group out of the pool."""
    how = {"measures": "P@10", "method": "WebberSystems", "pool_depth": DEPTH}
    new = leadline.adjust(COLLECTION, new="farlight-hand", **how)
    out = leadline.adjust(COLLECTION, new="farlight-hand", leave_out=True, **how)
    assert out.frame["run"].to_list() == ["farlight-hand"]
    for column in ("unadjusted", "adjusted", "pred_lower", "pred_upper", "lower", "upper"):
        assert out.frame[column].to_list() == pytest.approx(new.frame[column].to_list())


def test_workers_change_nothing() -> None:
    how = {"measures": "P@10", "method": "WebberSystems", "pool_depth": DEPTH, "leave_out": True}
    one, two = (leadline.adjust(COLLECTION, workers=n, **how).frame for n in (1, 2))
    assert one.equals(two)


def test_a_judged_run_named_as_new_is_said_and_leave_out_is_offered() -> None:
    made = leadline.adjust(COLLECTION, new="farlight-hand", measures="P@10")
    (said,) = [problem for problem in made.notices.problems if problem.code == "all-judged"]
    assert "nothing to adjust. `leave_out` shows what" in said.message
    sparse = leadline.adjust(COLLECTION, new="farlight-hand", measures="P@10", pool_depth=DEPTH)
    assert not [problem for problem in sparse.notices.problems if problem.code == "all-judged"]


def test_what_cannot_be_left_out_is_refused() -> None:
    with pytest.raises(ValueError, match="give `leave_out`"):
        leadline.adjust(COLLECTION, measures="P@10")
    with pytest.raises(ValueError, match="omit `reference`"):
        leadline.adjust(COLLECTION, leave_out=True, reference=COLLECTION / "qrels.txt.gz")
    with pytest.raises(ValueError, match="all pooled runs are of one group"):
        leadline.adjust(
            COLLECTION, leave_out=True, measures="P@10", run_names="corran-*", pool_depth=DEPTH
        )
    read = leadline.read(COLLECTION)
    outside = next(read.runs.names[run] for run in np.flatnonzero(~read.pooled))
    with pytest.raises(ValueError, match=f"{outside} was not pooled"):
        leadline.adjust(COLLECTION, leave_out=True, new=outside, pool_depth=DEPTH)
    made = leadline.adjust(COLLECTION, leave_out=True, measures="P@5", new="corran-lsa60")
    with pytest.raises(ValueError, match="one group at a time"):
        made.differences()
