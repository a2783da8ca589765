"""Measures of diversity and of texts in every verb: compared, or refused by name and truthfully."""

from collections.abc import Callable

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION

DIVERSE = ("ERR_IA@10", "alpha_nDCG@10", "ABSnb@10")
PAIR = "anstey-bm25", "corran-lsa60"


@pytest.mark.parametrize("measure", DIVERSE)
def test_compare_differs_by_what_evaluate_scores(measure: str) -> None:
    scores = leadline.evaluate(COLLECTION, measures=[measure, "P@10"])
    pairs = leadline.compare(COLLECTION, measures=["P@10", measure], details=True)
    assert pairs["measure"].unique(maintain_order=True).to_list() == ["P@10", measure]
    for name in ("P@10", measure):
        mean = dict(scores.filter(pl.col("measure") == name).select("run", "value").iter_rows())
        row = pairs.filter(measure=name, run_a=PAIR[0], run_b=PAIR[1]).row(0, named=True)
        assert row["difference"] == pytest.approx(mean[PAIR[0]] - mean[PAIR[1]], abs=1e-12)
        assert 0 < row["p"] <= 1


def test_bounds_of_a_difference_are_those_of_two_scores() -> None:
    pool = leadline.pool(COLLECTION, strategy="Depth(d=3)", all_runs=True).frame
    scores = leadline.evaluate(COLLECTION, measures="ERR_IA@10", pool=pool)
    row = leadline.compare(COLLECTION, measures="ERR_IA@10", pool=pool).filter(
        run_a=PAIR[0], run_b=PAIR[1]
    )
    ends = {run: scores.filter(run=run).row(0, named=True) for run in PAIR}
    assert row["upper"][0] <= ends[PAIR[0]]["upper"] - ends[PAIR[1]]["lower"] + 1e-12
    assert row["lower"][0] < row["difference"][0] < row["upper"][0]
    assert row["lower"][0] >= ends[PAIR[0]]["lower"] - ends[PAIR[1]]["upper"] - 1e-12


@pytest.mark.parametrize("measure", DIVERSE)
@pytest.mark.parametrize(
    "ask",
    [
        lambda measure: leadline.report(COLLECTION, measures=measure),
        lambda measure: leadline.adjust(COLLECTION, new=PAIR[0], measures=measure),
        lambda measure: leadline.adjust(
            COLLECTION, new=PAIR[0], measures=measure, method="WebberSystems"
        ),
        lambda measure: leadline.gate(COLLECTION, baseline=PAIR[0], new=PAIR[1], measures=measure),
    ],
)
def test_other_verbs_name_the_measure_and_what_it_is_scored_from(
    ask: Callable[[str], object], measure: str
) -> None:
    what = "the documents' texts" if measure.startswith("ABS") else "judgments per subtopic"
    with pytest.raises(ValueError, match=f"{measure} is scored from {what}, which leadline"):
        ask(measure)


def test_a_measure_of_diversity_is_not_estimated_from_labels() -> None:
    with pytest.raises(ValueError, match="ERR_IA@10 cannot be estimated from a sample"):
        leadline.compare(COLLECTION, measures="ERR_IA@10", unjudged_as="assisted")
