"""LARA: unjudged documents get the grade that calibrated labels make likely."""

import pytest

import leadline
from leadline.completions.estimator import estimators


def test_an_unjudged_document_has_the_grade_that_its_label_had_with_people() -> None:
    # The judge says 1 of what people find worth 2 of 2, and 0 of the others.
    docs = [f"d{at:02}" for at in range(40)]
    good = set(docs[::2])
    labels = {"1": {doc: int(doc in good) for doc in docs}}
    qrels = {"1": {doc: 2 * (doc in good) for doc in docs[:30]}}
    run = {"1": {doc: 1.0 - at / 100 for at, doc in enumerate(docs[30:34])}}
    how = "LARA(rate=1)"
    told = leadline.estimate(qrels, {"r": run}, "P@4", how, labels={"gpt": labels})
    assert told.frame["value"].to_list() == [pytest.approx(1 / 2)]


def test_a_rate_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="rate"):
        estimators.parse("LARA(rate=-1)")
