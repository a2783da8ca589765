"""What groups found alone, and what leaving one out does, against plain loops."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.completions.contributions import Groups, contributions, left_out
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import measures
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.views.small import plain, ranks_of


def grouped(small: Small, names: list[int], pooled: list[bool]) -> tuple[Runs, Judgments, Groups]:
    runs, judgments = small.tables()
    n = len(runs.names)
    runs = replace(runs, group=tuple(f"g{name}" for name in names[:n]))
    return runs, judgments, Groups.of(runs, np.array(pooled[:n]))


NAMES = ("RBP(p=0.8)", "P@3", "nDCG@3", "AP", "RBP(p=0.5, gains=exp2, judged_only=true)", "bpref")

grouped_runs = given(
    small_collections(n_runs=4),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.integers(1, 5),
)


@grouped_runs
def test_contributions_are_counted_as_by_hand(
    small: Small, names: list[int], pooled: list[bool], depth: int
) -> None:
    runs, judgments, groups = grouped(small, names, pooled)
    told = contributions(runs, judgments, groups, depth)
    expected = np.zeros((4, len(groups.names)), int)
    brought_by = np.full(len(runs.pairs), -1)
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
            if alone:
                brought_by[pair] = group
    columns = (told.found, told.alone, told.pooled_alone, told.pooled_alone_relevant)
    assert [column.tolist() for column in columns] == expected.tolist()
    assert told.brought_by.tolist() == brought_by.tolist()
    assert groups.n_runs.sum() == len(runs.names)
    assert groups.n_pooled.sum() == groups.pooled.sum()


@grouped_runs
def test_leaving_a_group_out_is_scoring_without_its_own_judgments(
    small: Small, names: list[int], pooled: list[bool], depth: int
) -> None:
    runs, judgments, groups = grouped(small, names, pooled)
    some = [measures.parse(name) for name in NAMES]
    brought_by = contributions(runs, judgments, groups, depth).brought_by
    whole = [measure.score(Lists.of(runs, judgments)) for measure in some]
    for measure, left in zip(
        some, left_out(some, whole, runs, judgments, groups, brought_by), strict=True
    ):
        for group in range(len(groups.names)):
            truth = measure.score(
                Lists.of(runs, plain(judgments, judgments.judged & (brought_by != group)))
            )
            np.testing.assert_allclose(left.value[group], truth.mean(), atol=1e-12)
            np.testing.assert_allclose(left.lower[group], truth.mean_lower(), atol=1e-12)
            np.testing.assert_allclose(left.upper[group], truth.mean_upper(), atol=1e-12)


def test_without_its_group_the_interval_still_holds_the_score() -> None:
    read = leadline.read(COLLECTION)
    runs, pooled = read.runs, read.groups["pooled"].to_numpy()
    groups = Groups.of(runs, pooled)
    judged = plain(read.judgments, read.judgments.judged & Depth(4).pool(runs.only(pooled)).member)
    measure = measures.parse("RBP(p=0.8)")
    whole = measure.score(Lists.of(runs, judged))
    brought_by = contributions(runs, judged, groups, 4).brought_by
    (left,) = left_out([measure], [whole], runs, judged, groups, brought_by)
    changed = 0
    for group in range(len(groups.names)):
        assert (left.lower[group] <= whole.mean() + 1e-12).all()
        assert (left.upper[group] >= whole.mean_upper() - 1e-12).all()
        changed += bool((left.value[group] < whole.mean() - 1e-6).any())
    assert changed >= 4, "some groups found what nobody else did"
