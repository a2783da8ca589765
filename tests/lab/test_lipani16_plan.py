"""Leaving an organisation out equals building the pool anew; pools of every figure."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.lab.papers import lipani16
from leadline.lab.papers.lipani16 import (
    CUTOFFS,
    QUICK,
    RATES,
    FixedDraw,
    cells,
    forget,
    inequality,
    left_out,
    reference_depth,
    sizes,
    strategies,
)
from leadline.lab.papers.runner import Setting
from leadline.measures.precision import P
from leadline.pooling.strategies import Stratified
from tests.lab.plain_demo import dicts
from tests.reference import adjuster_experiments as plain
from tests.reference import adjusters as plain_adjusters
from tests.reference import measures as plain_measures


def test_leaving_an_organisation_out_equals_rebuilding_the_pool() -> None:
    """Without correction and with WebberLeaveOneOut, on two depth pools."""
    setting = Setting(str(COLLECTION), reference_depth=20)
    runs, truth, group_of = dicts()
    marked = leadline.read(COLLECTION).groups
    pooled_names = marked.filter(pl.col("pooled"))["run"].to_list()
    runs = {name: runs[name] for name in pooled_names}
    topics = list(truth)

    def score(ranking: list[str], judged: dict[str, int]) -> float:
        return plain_measures.precision(ranking, judged, 10)

    reference = plain.judge(plain.depth_pool(list(runs.values()), 20), truth)
    kept = {name: runs[name] for name in plain.best_runs(runs, reference, topics, score)}
    groups = {name: group_of[name] for name in kept}
    organisation = groups[next(iter(sorted(kept)))]
    found = left_out(setting, 10, organisation, np.random.default_rng(0))
    mine = {name: run for name, run in kept.items() if groups[name] == organisation}
    others = {name: run for name, run in kept.items() if groups[name] != organisation}
    true = plain.judge(plain.depth_pool(list(kept.values()), 20), truth)
    assert found["runs"] == len(mine)
    for depth in (5, 10):

        def pooler(some: list[plain_adjusters.Run], depth: int = depth) -> set[tuple[str, str]]:
            return plain.depth_pool(some, depth)

        errors = found["errors"][f"Depth(d={depth})"]
        qrels = plain.judge(pooler(list(others.values())), truth)
        order = [name for name in pooled_names if name in mine]
        for name, none, webber in zip(
            order, errors["None"][0], errors["WebberLeaveOneOut"][0], strict=True
        ):
            target = plain_adjusters.mean_score(kept[name], topics, true, score)
            raw = plain_adjusters.mean_score(kept[name], topics, qrels, score)
            assert none == pytest.approx(raw - target, abs=1e-12)
            put = plain.webber_by_rebuilding(others, kept[name], truth, pooler, topics, score)
            assert webber == pytest.approx(put - target, abs=1e-12)


@pytest.mark.parametrize(
    ("reference", "depths"), [(100, [5, *range(10, 101, 10)]), (20, [5, 10, 20]), (3, [1, 2, 3])]
)
def test_pools_are_no_deeper_than_the_reference(reference: int, depths: list[int]) -> None:
    made = strategies(reference)
    assert [strategy.last_rank for strategy in made["figure1"]] == depths
    assert len(made["figure2"]) == len(RATES)
    for strategy in [*made["figure2"], *made["figure3"]]:
        assert strategy.last_rank is not None
        assert strategy.last_rank <= reference


def test_the_reference_is_the_papers_unless_given() -> None:
    assert reference_depth(Setting("x")) == 100
    assert reference_depth(Setting("x", reference_depth=7)) == 7
    with pytest.raises(ValueError, match="at least 1, not 0"):
        reference_depth(Setting("x", reference_depth=0))


def test_every_organisation_is_left_out_once_for_each_cutoff() -> None:
    setting = Setting(str(COLLECTION), reference_depth=20)
    names = [cell.name for cell in cells(setting)]
    assert names[0] == "sizes"
    assert len(set(names)) == len(names)
    others = [name for name in names[1:] if not name.startswith("Eq. 1 ")]
    assert len(others) == len(names) - 1 - len(CUTOFFS)
    assert {name.split(" ")[0] for name in others} == {f"P@{cutoff}" for cutoff in CUTOFFS}


def test_one_organisation_cannot_be_left_out(tmp_path: Path) -> None:
    groups = tmp_path / "groups.tsv"
    names = leadline.read(COLLECTION).runs.names
    groups.write_text("run\tgroup\n" + "".join(f"{name}\tg\n" for name in names))
    with pytest.raises(ValueError, match="at least two"):
        cells(Setting(str(COLLECTION), groups=str(groups)))
    forget()
    groups.write_text("run\torganisation\n")
    with pytest.raises(ValueError, match="needs the columns run and group"):
        cells(Setting(str(COLLECTION), groups=str(groups)))
    forget()


def test_sizes_are_what_each_stratification_expects_to_take() -> None:
    setting = Setting(str(COLLECTION), reference_depth=20)
    found = sizes(setting, np.random.default_rng(0))
    read = leadline.read(COLLECTION)
    runs = read.runs.only(read.pooled)
    layers, topics = found["pools"][0]
    expected, begin = 0.0, 0
    for size, rate in layers:
        inside = (runs.best_rank > begin) & (runs.best_rank <= begin + size)
        expected += rate * int(inside.sum())
        begin += size
    assert sum(topics) == pytest.approx(expected)
    assert found["runs"] == len(runs.names)


def test_a_fixed_number_of_each_stratum_of_each_topic_is_drawn() -> None:
    runs = leadline.read(COLLECTION).runs
    strategy = Stratified(((5, 1.0), (15, 0.3)), "fixed")
    drawn = FixedDraw(strategy, runs, 3, best=runs.best_rank)
    member = drawn.member(runs.best_rank)
    assert (member == strategy.pool(runs, 3).member).all()
    below = (runs.best_rank > 5) & (runs.best_rank <= 20)
    for topic in range(len(runs.pairs.topics)):
        here = below & (runs.pairs.topic == topic)
        assert int((member & here).sum()) == round(0.3 * int(here.sum()))
    # Pairs of which others have a worse rank can only leave.
    assert not (drawn.member(np.minimum(runs.best_rank, 1000) + 3) & ~member).any()


def test_sampled_pools_are_drawn_several_times() -> None:
    setting = Setting(str(COLLECTION), quick=True, reference_depth=20)
    group = next(cell.name for cell in cells(setting) if cell.name.startswith("P@10 "))
    found = left_out(setting, 10, group.removeprefix("P@10 "), np.random.default_rng(0))
    by_pool = {name: each["None"] for name, each in found["errors"].items()}
    sampled = [draws for name, draws in by_pool.items() if "fixed" in name]
    assert {len(draws) for draws in sampled} == {QUICK}
    assert any(draws[0] != draws[1] for draws in sampled)
    assert all(len(draws) == 1 for name, draws in by_pool.items() if name.startswith("Depth("))
    forget()


def test_eq_1_is_counted_as_by_building_every_pool() -> None:
    """Of some triples of run, withdrawn run and depth, the increments are those of new pools."""
    setting = Setting(str(COLLECTION), quick=True, reference_depth=6)
    found = inequality(setting, 10, np.random.default_rng(0))
    runs, truth, _ = lipani16._stage(setting, 10)
    n_runs = len(runs.names)
    measure = P(k=10)

    def scores(pooled: list[int], depth: int) -> np.ndarray:
        mask = np.isin(np.arange(n_runs), pooled)
        inside = runs.only(mask).best_rank <= depth
        return measure.score(Lists.of(runs.cut(10), truth.only(inside))).mean()

    everyone = list(range(n_runs))
    whole = [scores(everyone, depth) for depth in range(1, 7)]
    fails = own = 0
    for gone in everyone:
        rest = [run for run in everyone if run != gone]
        part = [scores(rest, depth) for depth in range(1, 7)]
        for depth in range(5):
            less = (whole[depth + 1] - whole[depth]) < (part[depth + 1] - part[depth]) - 1e-12
            fails += int(less.sum())
            own += int(less[gone])
    assert (found["fails"], found["own_fails"]) == (fails, own)
    assert found["cases"] == n_runs * n_runs * 5
    assert fails > 0
    forget()
