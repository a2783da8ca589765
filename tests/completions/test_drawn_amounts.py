"""Draws of what unjudged documents add equal those of plain loops, with the same chances."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.drawn_amounts import LIGHT, _heavy, drawn_amounts
from leadline.completions.level_spread import DEGREES
from leadline.completions.logistic import sigmoid
from leadline.completions.prediction import Prediction
from leadline.completions.run_effects import LIST_SCALE
from tests.collections import Small, small_collections
from tests.completions.last_is_new import SMALL, pool_bias
from tests.reference import new_runs as plain
from tests.tries import tries

N = 30


@given(
    small_collections(n_docs=6, n_runs=3, n_topics=2, judged=0.6),
    st.sampled_from(["P@3", "SDCG(gains=linear)@3"]),
)
@tries(20)
def test_draws_equal_the_twin(small: Small, measure: str) -> None:
    grades = [grade for judged in small.grades.values() for grade in judged.values()]
    if len(small.runs) < 2 or len({grade >= 1 for grade in grades}) < 2:
        return
    told = Prediction.of(pool_bias(small, measure, 1), beside=True)
    if not len(told.pair):
        return
    misfit = np.linspace(0.1, 3.0, N)
    found = drawn_amounts(told, misfit, np.random.default_rng(3))
    entries, chances = the_same_draws(told, misfit, np.random.default_rng(3))
    twin = np.array(plain.drawn_amounts(entries, chances, len(told.names)))
    pooled = slice(len(told.new), None)
    twin[:, pooled] += (told.amounts() - twin.mean(axis=0))[pooled]
    np.testing.assert_allclose(found, twin, rtol=1e-9, atol=1e-12)


def the_same_draws(
    told: Prediction, misfit: Any, random: np.random.Generator
) -> tuple[list[tuple[int, str, float, list[tuple[float, list[float]]]]], dict[str, list[float]]]:
    """Entries with their probabilities in every draw, and the chance of every document."""
    n, n_new = len(misfit), len(told.new)
    of_model, *seeds = random.integers(2**63, size=3)
    some = told.entries.weight > 0
    in_new = set(told.pair[some & (told.run < n_new)].tolist())
    chances: dict[str, list[float]] = {}
    moved = np.zeros((len(told.names), n))
    lists = np.zeros((told.n_topics, len(told.names), n))
    begin = 0
    for names, seed in zip((told.new, told.beside), seeds, strict=True):
        of_runs, of_lists, of_docs = (np.random.default_rng([seed, kind]) for kind in range(3))
        by_name = [begin + names.index(name) for name in sorted(names)]
        size = len(names), n
        by_t = not begin
        moved[by_name] = (
            of_runs.standard_t(DEGREES, size) if by_t else of_runs.standard_normal(size)
        )
        own = {pair for pair in told.pair[some].tolist() if (pair in in_new) == (not begin)}
        for pair, row in zip(sorted(own), of_docs.logistic(size=(len(own), n)), strict=True):
            chances[str(pair)] = sigmoid(row).tolist()
        lists[:, by_name] = of_lists.standard_normal((told.n_topics, len(names), n))
        begin += len(names)
    probabilities: list[list[tuple[float, list[float]]]] = [[] for _ in told.pair]
    for step, (level, error) in zip(told.model.steps, told.levels, strict=True):
        models = step.drawn(n, np.random.default_rng(of_model))
        for at, (of, row) in enumerate(zip(told.entries.list, told.entries.row, strict=True)):
            run, topic = divmod(int(of), told.n_topics)
            spread = np.sqrt((run < n_new) * misfit**2 + error[run] ** 2)
            z = step.logit[row] + level[run] + spread * moved[run] + LIST_SCALE * lists[topic, run]
            z += models.coefficient @ step.standard(np.array([row]))[0] + models.level[:, topic]
            probabilities[at].append((step.rise, sigmoid(z).tolist()))
    weight = told.entries.weight / told.n_topics
    listed = zip(told.run, told.pair, weight, probabilities, strict=True)
    return [(int(run), str(pair), float(w), steps) for run, pair, w, steps in listed if w], chances


@pytest.mark.parametrize("cells", [1, 100])
def test_what_is_held_at_once_changes_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Prediction.of(pool_bias(SMALL, "P@3", 1), beside=True)
    whole = drawn_amounts(told, np.ones(50), np.random.default_rng(0))
    monkeypatch.setattr("leadline.completions.drawn_amounts.CELLS", cells)
    assert drawn_amounts(told, np.ones(50), np.random.default_rng(0)) == pytest.approx(whole)


def test_new_runs_are_drawn_alike_with_pooled_ones_beside_them() -> None:
    evidence = pool_bias(SMALL, "P@3", 1)
    alone, both = (
        drawn_amounts(Prediction.of(evidence, beside=beside), np.ones(50), np.random.default_rng(0))
        for beside in (False, True)
    )
    assert both[:, :1] == pytest.approx(alone, rel=1e-6)
    assert len(np.unique(alone)) > 1


def test_the_wider_the_misfit_the_further_apart_are_the_draws() -> None:
    told = Prediction.of(pool_bias(SMALL, "P@3", 1))
    near, far = (
        drawn_amounts(told, np.full(400, misfit), np.random.default_rng(0)).var()
        for misfit in (0.05, 3.0)
    )
    assert near < far


def test_the_lightest_entries_are_not_drawn_one_by_one() -> None:
    docs = [f"d{at}" for at in range(60)]
    small = Small({"a": {"1": docs[::-1]}, "new": {"1": docs}}, {"1": {"d59": 1, "d58": 0}}, 1)
    told = Prediction.of(pool_bias(small, "RBP(p=0.8)", 2))
    heavy = _heavy(told)
    weight = told.entries.weight
    assert 0 < weight[~heavy].sum() <= LIGHT * weight.sum()
    assert weight[heavy].min() > weight[~heavy].max()
    drawn = drawn_amounts(told, np.full(2000, 0.5), np.random.default_rng(0))
    # Nothing at all in some draws: those in which none of the others is relevant.
    assert drawn.min() == 0.0
    assert drawn[drawn > 0].min() >= weight[heavy].min()
    equal = Prediction.of(pool_bias(small, "P@50", 2))
    assert _heavy(equal).all()


def test_without_unjudged_documents_nothing_is_added() -> None:
    evidence = pool_bias(SMALL, "P@3", 1)
    none = Prediction.of(evidence, among=np.zeros(len(evidence.runs.pairs), np.bool_))
    assert drawn_amounts(none, np.ones(3), np.random.default_rng(0)).tolist() == [[0.0]] * 3
