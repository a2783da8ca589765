"""The passes of moffat07: which there are, and what each tells, on small lists."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from leadline.completions.contest import RunScores
from leadline.data.judgments import Judgments
from leadline.data.scores import Scores
from leadline.io.datasets import COLLECTION
from leadline.judging.by_weight import Heaviest, MoffatC
from leadline.lab.papers.moffat07_plan import (
    CUTS,
    METHODS,
    OTHERS,
    OURS,
    STOPS,
    VARIANTS,
    _found,
    cells,
    everything,
    forget,
    handled,
    judged,
    pass_setup,
    significant,
    topic_by_topic,
    variant,
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
    for cut, relevant, n_handled in rows:
        assert cut in (*CUTS, len(known) // 2)
        first = known[:cut]
        assert relevant == int((on.judgments.grade[first] >= 1).sum())
        assert n_handled == int(first[-1]) + 1
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


def test_topic_by_topic_gives_every_topic_its_share_without_feedback() -> None:
    on = pass_setup(FOLDER, "float32")
    order = MoffatC(p=0.8)
    pairs = topic_by_topic(on, order, 200, "nonrelevant")
    n_topics = len(on.runs.pairs.topics)
    assert len(pairs) == len(set(pairs.tolist())) == 200
    topic = on.runs.pairs.topic[pairs]
    assert np.bincount(topic, minlength=n_topics).tolist() == [200 // n_topics] * n_topics
    assert (np.diff(topic) >= 0).all()
    # Nothing that is found inside a topic changes what is chosen there, but it does later on.
    last = on.runs.pairs.topic == topic[-1]
    first = on.runs.pairs.topic == topic[0]
    for where, same in ((last, True), (first, False)):
        other = Judgments(
            on.runs.pairs,
            on.judgments.judged,
            np.where(where, 1 - np.minimum(on.judgments.grade, 1), on.judgments.grade),
            max_grade=on.judgments.max_grade,
        )
        again = topic_by_topic(replace(on, judgments=other), order, 200, "nonrelevant")
        assert (again.tolist() == pairs.tolist()) == same
    # The first topic, of which nothing is known before, is judged as by Method B there.
    weights = RunScores(on.runs, order.weighted)
    alone = weights.mean_residual * (weights.mean_residual / 2) ** 3
    table = Heaviest(weights.start, weights.run, weights.c, weights.open)
    stop = int(on.runs.pairs.topic_start[1])
    assert pairs[0] == int(np.argmax(table.weights(alone, 0, stop)))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_has_what_its_table_shows(name: str) -> None:
    cell = variant(FOLDER, OURS, name, np.random.default_rng(0))
    assert cell["found"]
    assert len(cell["residual"]) == 3
    if name == "MoffatC(power=3)":
        plain = handled(MoffatC(p=0.8), pass_setup(FOLDER, "float32"), max(CUTS), "bypass")
        assert cell["found"] == _found(pass_setup(FOLDER, "float32"), plain)
