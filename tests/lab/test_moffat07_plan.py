"""The passes of moffat07: which there are, and what each tells, on small lists."""

from collections.abc import Iterator

import numpy as np
import pytest

from leadline.data.scores import Scores
from leadline.io.datasets import COLLECTION
from leadline.lab.papers.moffat07_plan import (
    CUTS,
    METHODS,
    OTHERS,
    OURS,
    STOPS,
    _found,
    cells,
    everything,
    forget,
    judged,
    pass_setup,
    significant,
    within,
)
from leadline.lab.papers.runner import Setting

FOLDER = str(COLLECTION)


@pytest.fixture(autouse=True)
def _free_memory() -> Iterator[None]:
    yield
    forget()


@pytest.mark.parametrize(("quick", "repeats"), [(True, 5), (False, 20)])
def test_quick_cuts_repeats_and_no_order(quick: bool, repeats: int) -> None:
    names = [cell.name for cell in cells(Setting("x", quick))]
    assert len(set(names)) == len(names)
    for reading in ("paper", "ours"):
        assert {f"{reading} found {name}" for name in METHODS} <= set(names)
        assert f"{reading} everything" in names
    assert {f"ours certain {name}" for name in OTHERS} <= set(names)
    assert sum(name.startswith("paper ties") for name in names) == repeats


def test_relevant_documents_are_counted_at_what_was_judged() -> None:
    on = pass_setup(FOLDER, "float32")
    pairs = np.arange(len(on.judgments.judged))
    rows = _found(on, pairs)
    known = np.flatnonzero(on.judgments.judged)
    for cut, relevant, handled in rows:
        assert cut in (*CUTS, len(known) // 2)
        first = known[:cut]
        assert relevant == int((on.judgments.grade[first] >= 1).sum())
        assert handled == int(first[-1]) + 1
    assert _found(on, pairs[:0]) == []


@pytest.mark.parametrize(
    ("wanted", "n", "kept"),
    [
        ((1000, 2000), 2000, [1000, 2000]),
        ((10000,), 4200, [2000]),
        ((10000,), 9, [4]),
        ((5,), 1, [1]),
    ],
)
def test_cut_offs_are_those_that_a_collection_reaches(
    wanted: tuple[int, ...], n: int, kept: list[int]
) -> None:
    assert within(wanted, n) == kept


def scores(value: np.ndarray, upper: np.ndarray) -> Scores:
    names = tuple(f"r{at}" for at in range(len(value)))
    topics = tuple(str(at) for at in range(value.shape[1]))
    return Scores(names, topics, "X", value, value, upper, np.ones(value.shape))


def test_shares_of_significant_pairs() -> None:
    noise = np.random.default_rng(0).uniform(0, 0.001, (3, 20))
    # Two runs alike, one far below; its tops reach above both.
    value = np.array([[0.5], [0.5], [0.1]]) + noise
    upper = np.where(np.arange(3)[:, None] == 2, 0.9, value)
    base, top, _ = significant(scores(value, upper), 3)
    assert base == pytest.approx(2 / 3)
    assert top == pytest.approx(0.0)
    assert significant(scores(value, upper), 1) == [None, None, None]


def test_a_pass_tells_ranges_residuals_and_certainty() -> None:
    cell = judged(FOLDER, OURS, "MoffatA", 0.8, 300, np.random.default_rng(0))
    n_runs = len(pass_setup(FOLDER, "float32").runs.names)
    for ranges in cell["ranges"].values():
        assert len(ranges["base"]) == n_runs
        assert min(ranges["residual"]) >= 0
    assert set(cell["certain"]["until"]) == set(STOPS)
    steps, contenders = zip(*cell["certain"]["contenders"], strict=True)
    assert steps == (0, 100, 200, 300)
    assert contenders[0] == n_runs - 1
    assert "chosen" not in cell


def test_everything_is_in_the_order_of_map() -> None:
    told = everything(FOLDER, OURS, np.random.default_rng(0))
    on = pass_setup(FOLDER, "float32")
    assert told["runs"] == [on.runs.names[run] for run in on.by_map]
    assert told["judged"] == int(on.judgments.judged.sum())
    # With all judgments no residual is left but the tails.
    assert max(told["ranges"]["0.5"]["residual"]) < max(told["ranges"]["0.95"]["residual"])
