"""The same question has the same answer in every verb: estimate, adjust, compare, gate."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.pooling.strategies import Depth
from tests.shared_data.where import collection as shared

MEASURES = ("P@10", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG@10", "AP")
QUESTIONS = 10
DEPTH = 5
SAME = 2e-6
"""Some sums are in single precision."""


def one_group_unpooled(whole: Collection, group: str) -> Collection:
    """Return the collection with a pool of depth 5 of the other groups' runs."""
    new = np.array([mine == group for mine in whole.runs.group])
    known = Depth(DEPTH).pool(whole.runs.only(~new)).restrict(whole.judgments)
    groups = pl.DataFrame(
        {"run": whole.runs.names, "group": whole.runs.group, "type": "", "pooled": ~new}
    )
    return replace(whole, judgments=known, groups=groups)


def difference(frame: pl.DataFrame, new: str, old: str) -> dict[str, float]:
    """Return new minus old from a table of pairs in either direction."""
    row = frame.filter((pl.col("run_a") == new) & (pl.col("run_b") == old))
    if len(row):
        return row.row(0, named=True)
    (turned,) = frame.filter((pl.col("run_a") == old) & (pl.col("run_b") == new)).to_dicts()
    ends = [(name, name.replace("lower", "upper")) for name in turned if name.endswith("_lower")]
    for low, high in ends:
        if turned[low] is not None:
            turned[low], turned[high] = -turned[high], -turned[low]
    for name in ("difference", "expected"):
        if turned.get(name) is not None:
            turned[name] = -turned[name]
    return turned


@pytest.mark.parametrize("name", ["demo", "robust2004_pooled42", "trec_dl21_half"])
def test_ten_questions_have_one_answer(name: str) -> None:
    whole = leadline.read(COLLECTION if name == "demo" else shared(name), depth=100)
    random = np.random.default_rng(33)
    runs = list(whole.runs.names)
    chosen = np.sort(random.choice(len(runs), min(16, len(runs)), replace=False))
    whole = replace(whole, runs=whole.runs.only(chosen))
    groups = sorted(set(whole.runs.group))
    asked = 0
    for group in random.permutation(groups)[:2].tolist():
        part = one_group_unpooled(whole, group)
        new = [
            run for run, mine in zip(part.runs.names, part.runs.group, strict=True) if mine == group
        ]
        old = [run for run in part.runs.names if run not in new]
        for measure in MEASURES:
            a, b = str(random.choice(old)), str(random.choice(new))
            ask(part, measure, a, b, new)
            asked += 1
    assert asked == QUESTIONS


def ask(part: Collection, measure: str, old: str, new: str, unpooled: list[str]) -> None:
    """Ask every verb what `new` scores, and how far it is ahead of `old`."""
    estimated = leadline.estimate(part, measures=measure, estimators="Regression")
    rows = estimated.frame.filter(pl.col("topic") == "all")
    score = {row["run"]: row for row in rows.to_dicts()}
    adjusted = leadline.adjust(part, new=unpooled, measures=measure, method="Regression")
    by_run = {row["run"]: row for row in adjusted.frame.to_dicts()}
    # Some of the collections hold an extract of their corpus.
    gated = leadline.gate(part, baseline=old, new=new, measures=measure, missing_docs="skip")
    by_gate = gated.frame.row(0, named=True)
    compared = leadline.compare(part, measures=measure, details=True).frame
    by_compare = difference(compared, new, old)
    # Scores
    assert by_run[new]["adjusted"] == pytest.approx(score[new]["value"], abs=SAME)
    for end in ("pred_lower", "pred_upper"):
        assert (by_run[new][end] is None) == (score[new][end] is None)
        if score[new][end] is not None:
            assert by_run[new][end] == pytest.approx(score[new][end], abs=SAME)
    # Differences
    assert by_gate["combined_lower"] is not None
    assert by_gate["pred_lower"] is not None
    expected = score[new]["value"] - score[old]["value"]
    for found in (by_gate["expected"], by_compare["expected"]):
        assert found == pytest.approx(expected, abs=SAME)
    for other in (estimated.differences().frame, adjusted.differences().frame):
        found = difference(other, new, old)
        assert found["difference"] == pytest.approx(expected, abs=SAME)
        for end in ("pred_lower", "pred_upper"):
            assert found[end] == pytest.approx(by_gate[end], abs=SAME)
    for end in ("pred_lower", "pred_upper", "combined_lower", "combined_upper"):
        assert by_compare[end] == pytest.approx(by_gate[end], abs=SAME)
