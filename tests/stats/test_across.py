"""Runs compared over several collections: macro means, blocked tests, bounds, tables."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import leadline
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from leadline.measures.measure import parse_measure
from leadline.stats.across import across_collections
from leadline.stats.pairwise import compare_pairs
from leadline.stats.significance import T, tests

RUNS = ["anstey-bm25", "eastwick-mmr", "farlight-hand", "farlight-novice"]


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The demo collection as two: topics up to 8, and the others."""
    packed = (COLLECTION / "qrels.txt.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()
    folders = []
    for name, kept in (("small", range(1, 9)), ("large", range(9, 100))):
        folder = tmp_path_factory.mktemp("collections") / name
        (folder / "runs").mkdir(parents=True)
        for run in RUNS:
            (folder / "runs" / f"{run}.gz").write_bytes(
                (COLLECTION / "runs" / f"{run}.gz").read_bytes()
            )
        some = [line for line in lines if int(line.split()[0]) in kept]
        (folder / "qrels.txt").write_text("\n".join(some) + "\n")
        folders.append(folder)
    return folders


def test_a_score_is_the_mean_of_the_collections_and_a_bound_is_too(halves: list[Path]) -> None:
    made = leadline.compare(halves, measures="RBP(p=0.8)")
    each = [leadline.evaluate(folder, measures="RBP(p=0.8)").frame for folder in halves]
    tiers = made.tiers.frame.sort("run")
    for column in ("value", "lower", "upper"):
        mean = np.mean([frame.sort("run")[column].to_numpy() for frame in each], axis=0)
        assert tiers[column].to_numpy() == pytest.approx(mean)
    assert tiers["small score"].to_list() == pytest.approx(each[0].sort("run")["value"].to_list())
    assert list(made.collections) == ["small", "large"]
    apart = [leadline.compare(folder, measures="RBP(p=0.8)").frame for folder in halves]
    for column in ("difference", "lower", "upper"):
        mean = np.mean([frame[column].to_numpy() for frame in apart], axis=0)
        assert made.frame[column].to_numpy() == pytest.approx(mean, abs=1e-12)


def test_t_is_that_of_welch_within_collections(halves: list[Path]) -> None:
    made = leadline.compare(halves, measures="P@10", correction=None)
    row = made.frame.row(0, named=True)
    differences = []
    for folder in halves:
        scores = leadline.evaluate(folder, measures="P@10").scores["P@10"]
        at = [scores.runs.index(row[name]) for name in ("run_a", "run_b")]
        differences.append(scores.value[at[0]] - scores.value[at[1]])
    errors = [d.var(ddof=1) / len(d) for d in differences]
    t = sum(d.mean() for d in differences) / np.sqrt(sum(errors))
    df = sum(errors) ** 2 / sum(
        e**2 / (len(d) - 1) for e, d in zip(errors, differences, strict=True)
    )
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), df))


@pytest.mark.parametrize("test", ["t", "randomisation(n=500)", "tukey(n=500)"])
def test_one_collection_is_compared_as_ever(test: str) -> None:
    read = leadline.read(COLLECTION).with_runs(RUNS)
    one = compare_pairs(read.runs, read.judgments, parse_measure("P@10"), test=test)
    across = across_collections(["sea"], [one])
    assert across.outcome.p == pytest.approx(one.outcome.p)
    assert_frame_equal(across.frame(), one.frame(), abs_tol=1e-9)


def test_p_is_uniform_where_runs_do_not_differ_and_collections_do() -> None:
    """Two collections of 8 and 60 topics whose scores spread differently, and level differently."""
    random = np.random.default_rng(1)
    n = 4000
    tables = [
        random.normal(0.2, 0.3, (2 * n, 8)),
        random.normal(0.7, 0.05, (2 * n, 60)),
    ]
    first, second = np.arange(n), np.arange(n, 2 * n)
    p = T().across(tables, first, second, 2, random)
    for level in (0.01, 0.05, 0.2):
        assert (p < level).mean() == pytest.approx(level, abs=4 * np.sqrt(level / n))


def test_all_topics_in_one_heap_would_count_the_larger_collection_more() -> None:
    """One run is better on 4 topics, the other on 40: over collections they are level."""
    small, large = np.full((2, 4), 0.5), np.full((2, 40), 0.5)
    random = np.random.default_rng(0)
    small[0] += random.normal(0.2, 0.1, 4)
    large[1] += random.normal(0.2, 0.1, 40)
    one, two = np.array([0]), np.array([1])
    for name in ("t", "randomisation(n=2000)"):
        test = tests.parse(name)
        assert test.across([small, large], one, two, 2, random)[0] > 0.3
        assert (
            test.p(np.concatenate([small[:1] - small[1:], large[:1] - large[1:]], 1), 2, random)
            < 0.01
        )


def test_runs_that_a_collection_lacks_are_left_out_and_said(halves: list[Path]) -> None:
    (halves[1] / "runs" / "extra.txt").write_text("9 Q0 doc 1 1.0 extra\n")
    made = leadline.compare(halves, measures="P@10")
    assert made.tiers.frame.height == len(RUNS)
    (said,) = [each for each in made.notices.problems if each.code == "not-everywhere"]
    assert "extra" in said.message
    (halves[1] / "runs" / "extra.txt").unlink()


def test_names_paths_and_collections_read_before_give_the_same(halves: list[Path]) -> None:
    by_list = leadline.compare(halves, measures="P@10").frame
    named = dict(zip(("a", "b"), map(leadline.read, halves), strict=True))
    made = leadline.compare(named, measures="P@10")
    assert list(made.collections) == ["a", "b"]
    assert_frame_equal(made.frame, by_list)
    assert_frame_equal(leadline.compare(halves[0], halves[1], "P@10").frame, by_list)


def test_the_table_of_a_paper_has_a_column_for_each_collection_and_the_mean(
    halves: list[Path],
) -> None:
    made = leadline.compare(halves, measures="P@10").for_paper()
    assert [name for name in made.frame.columns if " " not in name] == [
        "run",
        "small",
        "large",
        "mean",
    ]
    assert "on small (8 topics), large (12 topics), and the mean of these" in made.caption
    assert "topics paired within their collection" in made.caption
    row = made.frame.row(0, named=True)
    assert row["mean"] == pytest.approx((row["small"] + row["large"]) / 2)


def test_what_does_not_hold_over_collections_is_refused(halves: list[Path]) -> None:
    with pytest.raises(ValueError, match="wilcoxon does not compare runs over several collections"):
        leadline.compare(halves, test="wilcoxon")
    with pytest.raises(ValueError, match="`details` is for one collection"):
        leadline.compare(halves, details=True)
    with pytest.raises(InputError, match="one at a time; compare and report take several"):
        leadline.evaluate(halves[0], halves[1])
    with pytest.raises(ValueError, match="two runs that all 2 collections have"):
        leadline.compare(halves, run_names="anstey-bm25")
    assert isinstance(leadline.compare(halves, measures="P@5").wide(), pl.DataFrame)
