"""The relevance model: prior, few runs, new groups, warm starts, labels, samples."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.completions.estimator import TrainingData
from leadline.completions.model import RelevanceModel
from leadline.completions.prior import RelevancePrior, default_prior
from leadline.data.labels import NoisyLabels
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth

P10 = parse_measure("P@10")


@pytest.fixture(scope="module")
def collection() -> Any:
    return leadline.read(COLLECTION)


def pooled_to(collection: Any, depth: int, runs: Any = None) -> Any:
    runs = collection.runs if runs is None else runs
    known = Depth(depth).pool(runs).restrict(collection.judgments)
    return SimpleNamespace(runs=runs, judgments=known)


def nothing_judged(collection: Any) -> Any:
    known = collection.judgments.only(np.zeros(len(collection.runs.pairs), np.bool_))
    return SimpleNamespace(runs=collection.runs, judgments=known)


def test_estimates_are_closer_to_the_truth_than_counting_unjudged_as_0(collection: Any) -> None:
    source = pooled_to(collection, 5)
    model = RelevanceModel.fit(source)
    drawn = model.draw(100)
    for name in ("P@10", "RBP(p=0.95)", "nDCG@10", "AP"):
        measure = parse_measure(name)
        truth = measure.score(Lists.of(source.runs, collection.judgments)).mean()
        judged = measure.score(Lists.of(source.runs, source.judgments)).mean()
        error = drawn.means(measure).mean(axis=0) - truth
        assert np.sqrt((error**2).mean()) < 0.7 * np.sqrt(((judged - truth) ** 2).mean())


def test_a_collection_and_evidence_say_which_runs_are_pooled(collection: Any) -> None:
    pool = Depth(5).pool(collection.runs.only(collection.pooled))
    known = pool.restrict(collection.judgments)
    read = RelevanceModel.fit(replace(collection, judgments=known))
    evidence = TrainingData(P10, collection.runs, known, pool, collection.pooled)
    assert RelevanceModel.fit(evidence).design.names == read.design.names
    assert len(read.design.names) == collection.pooled.sum()


def test_with_nothing_judged_the_prior_is_returned(collection: Any) -> None:
    model = RelevanceModel.fit(nothing_judged(collection))
    prior = default_prior().coefficients(len(model.design.groups))
    assert [step.least for step in model.steps] == [1, 2, 3]
    for nth, step in enumerate(model.steps):
        # The effects of a further grade are added to those of the grade below it.
        level = prior.level if not nth else -prior.grade_step
        assert step.fit.g[0] == pytest.approx(level)
        coefficient = model.rotation @ step.fit.g[model.design.columns["feature"]]
        np.testing.assert_allclose(coefficient, 0 if nth else prior.mean, atol=1e-6)
        assert not step.fit.l.any()
        for block in step.fit.blocks:
            assert block.variance == pytest.approx(block.prior_variance, rel=1e-3)
    assert any("nothing is judged" in caveat for caveat in model.caveats)
    scores = model.draw(50).means(P10)
    truth = P10.score(Lists.of(collection.runs, collection.judgments)).mean()
    assert np.corrcoef(scores.mean(axis=0), truth)[0, 1] > 0.3
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    assert ((low <= truth) & (truth <= high)).mean() > 0.8


@pytest.mark.parametrize("n_runs", [1, 2, 3, 5])
def test_few_runs_work_and_the_model_says_so(collection: Any, n_runs: int) -> None:
    runs = collection.runs.only(np.arange(0, 4 * n_runs, 4))
    source = pooled_to(collection, 5, runs)
    model = RelevanceModel.fit(source)
    drawn = model.draw(100)
    bounds = P10.score(Lists.of(runs, source.judgments))
    means = drawn.means(P10)
    assert (means >= bounds.mean_lower() - 1e-6).all()
    assert (means <= bounds.mean_upper() + 1e-6).all()
    everyone = RelevanceModel.fit(pooled_to(collection, 5)).draw(100).means(P10)
    open_ = means.std(axis=0) > 0
    assert open_.any()
    assert means.std(axis=0)[open_].mean() > everyone.std(axis=0).mean()
    assert any("group" in caveat for caveat in model.caveats)
    assert drawn.caveats == model.caveats


def test_a_single_group_has_a_caveat(collection: Any) -> None:
    one = np.array([group == collection.runs.group[0] for group in collection.runs.group])
    model = RelevanceModel.fit(pooled_to(collection, 5, collection.runs.only(one)))
    assert "one group" in model.caveats[0]


def test_a_run_of_a_new_group_does_not_make_its_own_documents_relevant(collection: Any) -> None:
    """Its ranks are no evidence; its documents are drawn with effects of new groups."""
    new = np.array([group == "Corran" for group in collection.runs.group])
    known = Depth(5).pool(collection.runs.only(~new)).restrict(collection.judgments)
    source = SimpleNamespace(runs=collection.runs, judgments=known)
    model = RelevanceModel.fit(source, pooled=~new)
    assert model.unpooled is not None
    assert not set(model.design.names) & set(np.array(collection.runs.names)[new])
    drawn = model.draw(200)
    plain = replace(model, unpooled=None).draw(200)
    truth = P10.score(Lists.of(collection.runs, collection.judgments)).mean()
    low, high = np.quantile(drawn.means(P10), [0.005, 0.995], axis=0)
    assert ((low <= truth) & (truth <= high))[new].all()
    spread, without = drawn.means(P10).std(axis=0), plain.means(P10).std(axis=0)
    assert (spread[new] > without[new]).all()
    effects = model.unpooled.effects[0]
    assert effects is not None
    assert set(effects.scales) == {"group", "run", "list"}


def test_new_groups_beside_a_single_pooled_one_have_the_effects_of_the_prior(
    collection: Any,
) -> None:
    pooled = np.array([group == collection.runs.group[0] for group in collection.runs.group])
    known = Depth(5).pool(collection.runs.only(pooled)).restrict(collection.judgments)
    source = SimpleNamespace(runs=collection.runs, judgments=known)
    model = RelevanceModel.fit(source, pooled=pooled)
    assert model.unpooled is not None
    assert model.unpooled.effects == (None,) * len(model.steps)
    assert set(model.unpooled.caveats) < set(model.caveats)
    assert model.draw(10).means(P10).std(axis=0)[~pooled].all()


def test_a_warm_fit_ends_where_a_cold_one_does(collection: Any) -> None:
    shallow, deep = pooled_to(collection, 4), pooled_to(collection, 5)
    warm = RelevanceModel.fit(deep, warm=RelevanceModel.fit(shallow))
    cold = RelevanceModel.fit(deep)
    assert warm.design is not cold.design
    for one, other in zip(warm.steps, cold.steps, strict=True):
        assert one.fit.n_iterations < other.fit.n_iterations
        p, q = (1 / (1 + np.exp(-step.fit.logit())) for step in (one, other))
        np.testing.assert_allclose(p, q, atol=0.05)


def test_labels_that_agree_with_the_judgments_improve_predictions(collection: Any) -> None:
    source = pooled_to(collection, 3)
    grade = collection.judgments.grade
    labels = NoisyLabels(("model",), (grade >= 1).astype(np.int16)[None, :])
    truth = P10.score(Lists.of(source.runs, collection.judgments)).mean()
    errors = []
    for said in (None, labels):
        means = RelevanceModel.fit(source, labels=said).draw(100).means(P10).mean(axis=0)
        errors.append(np.sqrt(((means - truth) ** 2).mean()))
    assert errors[1] < 0.5 * errors[0]


def test_other_features_have_columns_of_their_own(collection: Any) -> None:
    source = pooled_to(collection, 3)
    likeness = (collection.judgments.grade >= 1).astype(np.float64)
    model = RelevanceModel.fit(source, features={"likeness": likeness})
    assert model.design.n_other == 1
    assert model.steps[0].fit.g[model.design.columns["other"]][0] > 1


def test_a_pool_judged_in_part_by_rank_is_a_sample(collection: Any) -> None:
    """Judgments that depend on ranks alone need no weights, and are no reason to refuse."""
    source = pooled_to(collection, 10)
    best = source.runs.best_rank
    chance = np.random.default_rng(0).random(len(source.runs.pairs))
    judged = source.judgments.only((best <= 3) & (chance < 0.8) | (chance < 0.3))
    model = RelevanceModel.fit(SimpleNamespace(runs=source.runs, judgments=judged))
    scores = model.draw(200).means(P10)
    truth = P10.score(Lists.of(source.runs, collection.judgments)).mean()
    low, high = np.quantile(scores, [0.005, 0.995], axis=0)
    assert ((low <= truth) & (truth <= high)).mean() > 0.9
    assert (high - low).max() < 0.3


def test_no_pooled_run_is_an_error(collection: Any) -> None:
    with pytest.raises(ValueError, match="no run is marked as pooled"):
        RelevanceModel.fit(collection, pooled=np.zeros(len(collection.runs.names), np.bool_))


def test_a_prior_survives_its_file(tmp_path: Path) -> None:
    prior = default_prior()
    prior.write(tmp_path / "prior.json")
    again = RelevancePrior.read(tmp_path / "prior.json")
    assert again.widening == prior.widening
    assert again.unpooled == prior.unpooled
    np.testing.assert_allclose(again.many.covariance, prior.many.covariance)
    assert (np.linalg.eigvalsh(prior.few.covariance) > 0).all()
