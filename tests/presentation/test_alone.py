"""What groups found alone, and what leaving one out does, against plain loops."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.demo import COLLECTION
from leadline.measures.measure import measures
from leadline.pools.depth import Depth
from leadline.presentation.pages.contributions import Groups, finds, left_out
from leadline.presentation.pages.judged_coverage import coverage, pool_depth
from leadline.presentation.pages.open_weight import open_weight, pair_number
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs
from tests.collections import Small, small_collections
from tests.presentation.small import plain


def ranks_of(runs: Runs) -> dict[int, list[tuple[int, int]]]:
    """For every pair the (run, rank) that return it."""
    found: dict[int, list[tuple[int, int]]] = {}
    for run in range(len(runs.names)):
        for topic in range(len(runs.pairs.topics)):
            part = runs.pair[runs.start[run, topic] : runs.stop[run, topic]]
            for rank, pair in enumerate(part.tolist(), 1):
                found.setdefault(pair, []).append((run, rank))
    return found


def grouped(small: Small, names: list[int], pooled: list[bool]) -> tuple[Runs, Judgments, Groups]:
    runs, judgments = small.tables()
    n = len(runs.names)
    runs = replace(runs, group=tuple(f"g{name}" for name in names[:n]))
    return runs, judgments, Groups.of(runs, np.array(pooled[:n]))


made = given(
    small_collections(n_runs=4),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.integers(1, 5),
)


@made
def test_finds_are_counted_as_by_hand(
    small: Small, names: list[int], pooled: list[bool], depth: int
) -> None:
    runs, judgments, groups = grouped(small, names, pooled)
    found = finds(runs, judgments, groups, depth, 1)
    expected = np.zeros((4, len(groups.names)), int)
    for pair, places in ranks_of(runs).items():
        relevant = judgments.grade[pair] >= 1
        all_of = {int(groups.of_run[run]) for run, _ in places}
        inside = {
            int(groups.of_run[run]) for run, rank in places if rank <= depth and groups.pooled[run]
        }
        for group in all_of:
            expected[0, group] += relevant
            expected[1, group] += relevant and all_of == {group}
        for group in inside:
            alone = inside == {group} and judgments.judged[pair]
            expected[2, group] += alone
            expected[3, group] += alone and relevant
    columns = (found.found, found.alone, found.pooled_alone, found.pooled_alone_relevant)
    assert [each.tolist() for each in columns] == expected.tolist()


@made
def test_leaving_a_group_out_is_scoring_without_its_own_judgments(
    small: Small, names: list[int], pooled: list[bool], depth: int
) -> None:
    runs, judgments, groups = grouped(small, names, pooled)
    for name in ("RBP(p=0.8)", "P@3", "nDCG@3", "AP"):
        measure = measures.parse(name)
        left = left_out(measure, runs, judgments, groups, depth)
        for group in range(len(groups.names)):
            kept = judgments.judged.copy()
            for pair, places in ranks_of(runs).items():
                inside = {
                    int(groups.of_run[run])
                    for run, rank in places
                    if rank <= depth and groups.pooled[run]
                }
                kept[pair] &= inside != {group}
            truth = measure.score(Lists.of(runs, plain(judgments, kept)))
            np.testing.assert_allclose(left.value[group], truth.mean(), atol=1e-12)
            np.testing.assert_allclose(left.lower[group], truth.mean_lower(), atol=1e-12)
            np.testing.assert_allclose(left.upper[group], truth.mean_upper(), atol=1e-12)


def test_without_its_group_the_interval_still_holds_the_score() -> None:
    read = leadline.read(COLLECTION)
    pooled = read.groups["pooled"].to_numpy()
    groups = Groups.of(read.runs, pooled)
    kept = Runs(
        read.runs.pairs,
        tuple(np.array(read.runs.names)[pooled]),
        np.concatenate(
            [
                read.runs.pair[read.runs.start[r, 0] : read.runs.stop[r, -1]]
                for r in np.flatnonzero(pooled)
            ]
        ),
        *_moved(read.runs, pooled),
    )
    judged = plain(read.judgments, read.judgments.judged & Depth(4).pool(kept).member)
    assert pool_depth(read.runs, judged, pooled) == 4
    measure = measures.parse("RBP(p=0.8)")
    whole = measure.score(Lists.of(read.runs, judged))
    left = left_out(measure, read.runs, judged, groups, 4)
    changed = 0
    for group in range(len(groups.names)):
        assert (left.lower[group] <= whole.mean() + 1e-12).all()
        assert (left.upper[group] >= whole.mean_upper() - 1e-12).all()
        changed += bool((left.value[group] < whole.mean() - 1e-6).any())
    assert changed >= 4, "some groups found what nobody else did"


def _moved(
    runs: Runs, kept: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"
) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    length = (runs.stop - runs.start)[kept]
    stop = length.cumsum().reshape(length.shape)
    return stop - length, stop


@given(small_collections(n_runs=3))
def test_coverage_is_counted_as_by_hand(small: Small) -> None:
    runs, judgments = small.tables()
    found = coverage(runs, judgments)
    rank = {run: [] for run in range(len(runs.names))}  # type: ignore[var-annotated]
    for pair, places in ranks_of(runs).items():
        for run, at in places:
            rank[run].append((at, bool(judgments.judged[pair])))
    for run, entries in rank.items():
        for column, (first, last) in enumerate(zip(found.first, found.last, strict=True)):
            inside = [judged for at, judged in entries if first <= at <= last]
            share = found.share[run, column]
            assert np.isnan(share) if not inside else share == np.mean(inside)
    assert sum(map(len, rank.values())) == 0 or found.last[-1] == max(
        at for entries in rank.values() for at, _ in entries
    )


def test_the_pool_depth_is_found_although_a_few_judgments_lack() -> None:
    read = leadline.read(COLLECTION)
    everyone = np.ones(len(read.runs.names), np.bool_)
    for depth in (1, 5, 12):
        member = Depth(depth).pool(read.runs).member
        # Every fiftieth document of the pool was lost.
        lost = np.zeros(len(member), np.bool_)
        lost[np.flatnonzero(member)[::50]] = True
        judged = plain(read.judgments, read.judgments.judged & member & ~lost)
        assert pool_depth(read.runs, judged, everyone) == depth
    nothing = plain(read.judgments, np.zeros(len(read.runs.pairs), np.bool_))
    assert pool_depth(read.runs, nothing, everyone) == 0


@given(small_collections(n_runs=4))
def test_open_weight_gives_the_joint_interval_of_every_pair(small: Small) -> None:
    from leadline.measures.joint_difference import joint_differences
    from leadline.measures.rbp import RBP

    runs, judgments = small.tables()
    measure = RBP(p=0.7, gains="exp2")
    found = open_weight(runs, judgments, measure)
    n = len(runs.names)
    for b in range(n):
        truth = joint_differences(runs, judgments, measure, b)
        for a in range(n):
            if a == b:
                continue
            first, second = np.array([min(a, b)]), np.array([max(a, b)])
            shared = found.shared[pair_number(first, second, n)[0]]
            upper = truth.value[a] + found.own[a] - shared
            lower = truth.value[a] - found.own[b] + shared
            np.testing.assert_allclose(upper, truth.upper[a], atol=1e-12)
            np.testing.assert_allclose(lower, truth.lower[a], atol=1e-12)
