"""Completions: the plain twin, judged grades, order, seeds, and scores of every kind."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.completions.draw import Completions, centred
from leadline.completions.model import RelevanceModel
from leadline.completions.named_random import combined, name_keys, normal, uniform
from leadline.contracts.collections import SmallCollection, small_collections
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.pairs import Pairs
from leadline.data.runs import Runs
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from tests.reference import completions as plain
from tests.reference import measures as reference

MEASURES = ("RBP(p=0.8)", "P@2", "nDCG@3", "nDCG", "AP", "AP@2", "ERR@3", "RR", "Recall@2")


def source_of(small: SmallCollection) -> Any:
    runs, judgments = small.tables()
    return SimpleNamespace(runs=runs, judgments=judgments)


def demo(depth: int) -> Any:
    read = leadline.read(COLLECTION)
    known = Depth(depth).pool(read.runs).restrict(read.judgments)
    return SimpleNamespace(runs=read.runs, judgments=known, full=read.judgments)


def drawable(small: SmallCollection) -> bool:
    return any(docs for lists in small.runs.values() for docs in lists.values())


SMALL = [small for small in small_collections(40, seed=3) if drawable(small)]


def plain_drawing(model: RelevanceModel, n: int, seed: int, small: SmallCollection) -> Any:
    """The twin, with the effects that the model draws."""
    names, own_names = model.design.effect_names
    topics = model.design.topics
    effects, noises, means = [], [], []
    for step in model.steps:
        fit = step.fit
        shared = fit.draw_shared(normal(name_keys(names), n, seed, "effect"))
        own, noise = [], []
        for at, key in enumerate(model.design.topic_keys):
            keys = combined(key, name_keys(own_names))
            parts = fit.draw_own(at, normal(keys, n, seed, "topic effect"), shared)
            own.append(fit.l[at][:, None] + sum(parts))
            noise.append(parts[1])
        g = fit.g[:, None] + shared
        effects.append(
            [
                (
                    g[:, draw].tolist(),
                    {topic: own[at][:, draw].tolist() for at, topic in enumerate(topics)},
                )
                for draw in range(n)
            ]
        )
        noises.append(
            [{topic: noise[at][:, i].tolist() for at, topic in enumerate(topics)} for i in range(n)]
        )
        means.append(
            (fit.g.tolist(), {topic: fit.l[at].tolist() for at, topic in enumerate(topics)})
        )
    groups = dict(zip(model.design.names, model.design.group, strict=True))
    rows = plain.Rows(small.runs, groups, model.rotation.tolist())
    thresholds = [step.least for step in model.steps]
    return plain.Drawing(rows, thresholds, effects, noises, means, model.prior.widening)


@pytest.mark.parametrize("small", SMALL[:12], ids=str)
def test_completions_are_those_of_the_plain_twin(small: SmallCollection) -> None:
    model = RelevanceModel.fit(source_of(small))
    drawn = model.draw(8, seed=5)
    twin = plain_drawing(model, 8, 5, small)
    keys = model.design.pair_keys(drawn.pair)
    topics, docs = drawn.runs.pairs.names(drawn.pair)
    for row, (topic, doc) in enumerate(zip(topics, docs, strict=True)):
        p = twin.probabilities(topic, doc)
        for draw in range(8):
            chance = plain.uniform(int(keys[row]), draw, 5, "document")
            here = [step[draw] for step in p]
            # In single precision a number next to the threshold may fall on its other side.
            if min(abs(chance - each) for each in here) > 1e-4:
                assert drawn.drawn[row, draw] == twin.grade(chance, here)


@pytest.mark.parametrize("small", SMALL[:12], ids=str)
def test_scores_are_those_of_the_plain_measures(small: SmallCollection) -> None:
    drawn = RelevanceModel.fit(source_of(small)).draw(4, seed=1)
    pairs, table = drawn.runs.pairs, drawn.grade
    plainly = {
        "P@2": lambda ranking, grades: reference.precision(ranking, grades, 2),
        "AP": reference.ap,
        "RR": reference.rr,
        "Recall@2": lambda ranking, grades: reference.recall(ranking, grades, 2),
        "nDCG@3": lambda ranking, grades: reference.ndcg(ranking, grades, 3),
    }
    for name, score in plainly.items():
        scores = drawn.scores(parse_measure(name))
        assert scores.shape == (4, *drawn.runs.start.shape)
        for draw in range(4):
            grades: dict[str, dict[str, int]] = {topic: {} for topic in pairs.topics}
            for pair in range(len(pairs)):
                topic, doc = pairs.name(pair)
                grades[topic][doc] = int(table[draw, pair])
            for run, lists in enumerate(small.runs.values()):
                for at, topic in enumerate(pairs.topics):
                    known = grades[topic]
                    found = scores[draw, run, at]
                    if np.isnan(found):
                        assert not any(known.values())
                    elif any(known.values()) or name.startswith("P@"):
                        assert found == pytest.approx(score(lists.get(topic, []), known), abs=1e-6)


def as_judged(drawn: Completions, draw: int) -> Judgments:
    everything = np.ones(len(drawn.runs.pairs), np.bool_)
    top = drawn.judgments.max_grade
    return Judgments(drawn.runs.pairs, everything, drawn.grade[draw], max_grade=top)


@pytest.mark.parametrize("name", MEASURES)
def test_a_completion_scores_as_if_it_had_been_judged(name: str) -> None:
    drawn = RelevanceModel.fit(demo(3)).draw(3)
    measure = parse_measure(name)
    scores = drawn.scores(measure)
    for draw in range(3):
        whole = measure.score(Lists.of(drawn.runs, as_judged(drawn, draw)))
        np.testing.assert_allclose(scores[draw], whole.value, atol=1e-6)


def test_scores_of_some_runs_are_those_of_all() -> None:
    source = demo(3)
    drawn = RelevanceModel.fit(source).draw(3)
    for name in ("RBP(p=0.8)", "AP"):
        some = drawn.scores(parse_measure(name), source.runs.only(np.array([4, 1])))
        assert np.array_equal(some, drawn.scores(parse_measure(name))[:, [4, 1]], equal_nan=True)


def test_a_measure_without_bounds_cannot_be_scored() -> None:
    drawn = RelevanceModel.fit(demo(3)).draw(2)
    with pytest.raises(ValueError, match="no bounds by judgments alone"):
        drawn.scores(parse_measure("bpref"))


def test_judged_pairs_keep_their_grade_in_every_completion() -> None:
    source = demo(5)
    known = source.judgments
    grade = RelevanceModel.fit(source).draw(20).grade
    assert (grade[:, known.judged] == known.grade[known.judged]).all()
    assert grade[:, ~known.judged].any()


def test_with_everything_judged_all_completions_equal_the_truth() -> None:
    for small in SMALL:
        runs, judgments = small.tables()
        full = Judgments(
            runs.pairs,
            np.ones(len(runs.pairs), np.bool_),
            judgments.grade,
            max_grade=judgments.max_grade,
        )
        drawn = RelevanceModel.fit(SimpleNamespace(runs=runs, judgments=full)).draw(3)
        assert not len(drawn.pair)
        for name in MEASURES:
            measure = parse_measure(name)
            truth = measure.score(Lists.of(runs, full)).value
            np.testing.assert_allclose(drawn.scores(measure), np.stack([truth] * 3), atol=1e-12)


def test_a_seed_gives_the_same_completions_and_another_others() -> None:
    model = RelevanceModel.fit(demo(5))
    first, again, other = model.draw(10, 7), model.draw(10, 7), model.draw(10, 8)
    assert (first.drawn == again.drawn).all()
    assert (first.drawn != other.drawn).any()


def reordered(runs: Runs, judgments: Judgments, order: list[int], topics: list[int]) -> Any:
    """The same runs and topics in another order."""
    old = runs.pairs
    block = [np.flatnonzero(old.topic == topic) for topic in topics]
    pair = np.concatenate(block)
    number = np.empty(len(pair), np.int32)
    number[pair] = np.arange(len(pair))
    topic = np.repeat(np.arange(len(topics), dtype=np.int32), [len(each) for each in block])
    names = tuple(old.topics[at] for at in topics)
    pairs = Pairs(names, topic, old.held, old.at[pair])
    lists = [runs.pair[runs.start[run, at] : runs.stop[run, at]] for run in order for at in topics]
    moved = Runs.trusted(
        pairs,
        tuple(runs.names[run] for run in order),
        number[np.concatenate(lists)],
        runs.length[np.ix_(order, topics)],
        tuple(runs.group[run] for run in order),
    )
    known = Judgments(
        pairs, judgments.judged[pair], judgments.grade[pair], max_grade=judgments.max_grade
    )
    return SimpleNamespace(runs=moved, judgments=known), pair


@pytest.mark.parametrize("unpooled", [False, True])
def test_the_order_of_runs_and_topics_does_not_matter(unpooled: bool) -> None:
    source = demo(5)
    runs = source.runs
    random = np.random.default_rng(2)
    order = random.permutation(len(runs.names)).tolist()
    topics = random.permutation(len(runs.pairs.topics)).tolist()
    pooled = np.ones(len(order), np.bool_)
    if unpooled:
        pooled = np.array([group != runs.group[0] for group in runs.group])
    moved, pair = reordered(runs, source.judgments, order, topics)
    one = RelevanceModel.fit(source, pooled=pooled).draw(6, 3)
    other = RelevanceModel.fit(moved, pooled=pooled[order]).draw(6, 3)
    assert (one.grade[:, pair] == other.grade).all()
    for name in ("RBP(p=0.8)", "nDCG@10"):
        measure = parse_measure(name)
        turned = one.scores(measure)[:, order][:, :, topics]
        np.testing.assert_allclose(turned, other.scores(measure), rtol=1e-9)


def test_blocks_of_topics_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = RelevanceModel.fit(demo(5))
    whole = model.draw(10)
    expected = whole.scores(parse_measure("AP")), whole.scores(parse_measure("RBP(p=0.8)"))
    monkeypatch.setattr("leadline.completions.draw.CELLS", 1000)
    parts = model.draw(10)
    assert (whole.drawn == parts.drawn).all()
    np.testing.assert_array_equal(parts.scores(parse_measure("AP")), expected[0])
    np.testing.assert_allclose(parts.scores(parse_measure("RBP(p=0.8)")), expected[1], rtol=1e-6)


def test_grades_are_as_frequent_as_the_model_says() -> None:
    """Widening moves single draws, and not the mean of many."""
    model = RelevanceModel.fit(demo(5))
    pair = model.open
    drawn = model.draw(400)
    narrow = replace(model, prior=replace(model.prior, widening=1.0)).draw(400)
    at = np.searchsorted(drawn.pair, pair)
    for least in (1, 2):
        often = (drawn.drawn[at] >= least).mean(axis=1)
        plainly = (narrow.drawn[at] >= least).mean(axis=1)
        assert often.sum() == pytest.approx(plainly.sum(), rel=0.05)
        assert np.corrcoef(often, model.probability(pair, least))[0, 1] > 0.9
    spread = drawn.means(parse_measure("P@10")).std(axis=0)
    assert spread.mean() > 1.05 * narrow.means(parse_measure("P@10")).std(axis=0).mean()


@pytest.mark.parametrize("spread", [0.1, 1.5, 8.0])
def test_centring_reaches_the_target(spread: float) -> None:
    z = np.random.default_rng(0).normal(-3, spread, (50, 200)).astype(np.float32)
    target = np.geomspace(0.0001, 0.9, 50)
    p = 1 / (1 + np.exp(-centred(z, target)))
    np.testing.assert_allclose(p.mean(axis=1), target, rtol=0.001)


def test_random_numbers_belong_to_names() -> None:
    keys = name_keys(["a", "b", "c"])
    whole = normal(keys, 5, 0, "x")
    assert (normal(keys[[2, 0]], 5, 0, "x") == whole[[2, 0]]).all()
    assert (normal(keys, 3, 0, "x") == whole[:, :3]).all()
    assert (normal(keys, 5, 0, "y") != whole).all()
    many = uniform(name_keys(map(str, range(2000))), 50, 1, "x")
    assert many.mean() == pytest.approx(0.5, abs=0.01)
    assert many.var() == pytest.approx(1 / 12, abs=0.002)
    assert abs(np.corrcoef(many[:-1].ravel(), many[1:].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(many[:, :-1].ravel(), many[:, 1:].ravel())[0, 1]) < 0.02
