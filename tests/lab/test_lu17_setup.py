"""What lu17 is made from: pooled runs, a deep pool as truth, errors against its intervals."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import leadline
from leadline.completions.estimator import estimators
from leadline.data.scores import Scores
from leadline.io.datasets import COLLECTION
from leadline.lab.papers.lu17_plan import ZERO, Lu17Setup, errors, forget, setup
from leadline.measures.rbp import RBP


@pytest.fixture(autouse=True)
def _free_memory() -> Iterator[None]:
    yield
    forget()


@pytest.fixture(scope="module")
def on() -> Lu17Setup:
    return setup(str(COLLECTION), 10, None)


def test_other_groups_change_who_is_left_out(tmp_path: Path) -> None:
    table = tmp_path / "groups.tsv"
    names = setup(str(COLLECTION), 10, None).runs.names
    table.write_text("run\tgroup\n" + "".join(f"{name}\t{name[0]}\n" for name in names))
    setup.cache_clear()
    on = setup(str(COLLECTION), 10, str(table))
    assert on.runs.names == names
    assert on.runs.group == tuple(name[0] for name in names)


def test_only_pooled_runs_count_to_the_reference_depth(on: Lu17Setup) -> None:
    read = leadline.read(COLLECTION)
    pooled = [name for name, is_ in zip(read.runs.names, read.pooled, strict=True) if is_]
    assert list(on.runs.names) == pooled
    assert on.cut.length.max() == 10
    assert (on.judgments.judged == (on.runs.best_rank <= 10)).all()


@pytest.mark.parametrize(
    ("depth", "shallow"), [(100, (10, 20, 30)), (20, (10,)), (10, (1, 2, 3)), (2, (1,))]
)
def test_shallow_pools_are_shallower_than_the_reference(
    depth: int, shallow: tuple[int, ...]
) -> None:
    on = setup(str(COLLECTION), depth, None)
    assert on.depths == shallow
    assert set(shallow) <= set(on.all_depths)
    assert max(on.all_depths) < depth


def test_errors_are_distances_from_the_interval() -> None:
    ends = np.array([[0.2, 0.2, 0.2, 0.2]]), np.array([[0.4, 0.4, 0.4, 0.4]])
    truth = Scores(("x",), tuple("1234"), "X", ends[0], *ends, np.ones((1, 4)))
    found = errors(np.array([[0.1, 0.3, 0.6, 0.4 + ZERO / 2]]), truth)
    assert found[0].tolist() == pytest.approx([0.1, 0.0, 0.2, 0.0])
    assert found[0, 3] == 0


def test_bounds_hold_the_truth_and_the_whole_pool_is_the_truth(on: Lu17Setup) -> None:
    truth = on.truth()
    evidence = on.evidence(*on.shallow(2))
    low, high = (
        on.scores(estimators.parse(name), evidence)[0] for name in ("LowerBound", "UpperBound")
    )
    assert (low.value <= truth.lower + 1e-12).all()
    assert (high.value >= truth.upper - 1e-12).all()
    whole = on.evidence(*on.shallow(10))
    again = on.scores(estimators.parse("LowerBound"), whole)[0]
    assert again.value == pytest.approx(truth.lower)
    assert not errors(again.value, truth).any()


def test_a_pool_of_some_runs_is_theirs(on: Lu17Setup) -> None:
    some = np.arange(len(on.runs.names)) < 2
    pool, judgments = on.shallow(3, some)
    assert (pool.member == (on.runs.only(some).best_rank <= 3)).all()
    assert not judgments.judged[~pool.member].any()


def test_gains_learnt_with_rbp_serve_another_measure(on: Lu17Setup) -> None:
    estimator = estimators.parse("LowerBound")
    _, gains = on.scores(estimator, on.evidence(*on.shallow(10)))
    found = on.scaled_dcg(estimator, gains)
    assert found.value.shape == on.truth().value.shape
    assert isinstance(on.measure, RBP)
