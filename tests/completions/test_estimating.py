"""Estimators shared among workers give what each gives alone, with the evidence as it was here."""

from pathlib import Path

import leadline
from leadline.completions.estimator import TrainingData, estimate_each, estimators
from leadline.io.parallel import hired
from leadline.measures.measure import parse_measures
from tests.api.test_scored_pieces import Travelling

DEMO = Path(leadline.__file__).parent / "demo" / "collection"


def test_what_travels_comes_back_as_it_is_here() -> None:
    collection = leadline.read(DEMO)
    measures = parse_measures(["P@10", "AP"])
    evidence = TrainingData(measures[0], collection.runs, collection.judgments)
    cells = [(measure, estimators.parse("LowerBound")) for measure in measures]
    cells.append((measures[0], estimators.parse("ListMean")))
    here = estimate_each(evidence, cells)
    told: list[tuple[int, int]] = []
    with hired(dask=Travelling()):
        there = estimate_each(evidence, cells, lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    for (measure, estimator), (ours, scores), (theirs, same) in zip(
        cells, here, there, strict=True
    ):
        direct = estimator.estimated(evidence.but(measure=measure)).scores(str(estimator))
        assert (scores.value == direct.value).all()
        assert (same.value == scores.value).all()
        assert same.obtained == scores.obtained
        assert type(theirs) is type(ours)
        # Nothing of the evidence was copied on the way.
        assert theirs.evidence.runs is collection.runs
        assert theirs.evidence.measure == measure
