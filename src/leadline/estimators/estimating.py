"""Several estimators on the same evidence, by as many workers as there are."""

from contextlib import closing
from dataclasses import fields
from typing import Any

from leadline.estimators.drawn_scores import DrawnScores
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimated_ratios import EstimatedRatios
from leadline.estimators.estimator import Estimator
from leadline.estimators.evidence import Evidence
from leadline.files.problems import Progress
from leadline.measures.measure import Measure
from leadline.tables.scores import Scores
from leadline.workers.workforce import Alone, current_workforce

Estimated = EstimatedGains | DrawnScores | EstimatedRatios


def estimate_each(
    evidence: Evidence,
    cells: list[tuple[Measure, Estimator]],
    progress: Progress | None = None,
) -> list[tuple[Estimated, Scores]]:
    """What each estimator gives for its measure, and the scores that follow."""
    force = current_workforce()
    one = _Estimating(evidence, isinstance(force, Alone))
    each: list[tuple[Estimated, Scores]] = []
    with closing(force.in_order(_estimated, one, cells)) as coming:
        for (measure, _), (estimated, scores) in zip(cells, coming, strict=True):
            if isinstance(estimated, tuple):
                kind, given = estimated
                estimated = kind(evidence=one.on(measure), **given)
            each.append((estimated, scores))
            if progress is not None:
                progress(len(each), len(cells))
    return each


class _Estimating:
    """Evidence for one measure after the other; `here` if what comes of it need not travel."""

    def __init__(self, evidence: Evidence, here: bool) -> None:
        self.evidence, self.here = evidence, here

    def on(self, measure: Measure) -> Evidence:
        """The evidence for this measure, the same as before if that was asked for last."""
        if measure != self.evidence.measure:
            self.evidence = self.evidence.but(measure=measure)
        return self.evidence


def _estimated(one: _Estimating, cell: tuple[Measure, Estimator]) -> tuple[Any, Scores]:
    """What an estimator gives, without the evidence if it must travel; and the scores."""
    measure, estimator = cell
    evidence = one.on(measure)
    estimated = estimator.estimated(evidence)
    scores = estimated.scores(str(estimator))
    if one.here or estimated.evidence is not evidence:
        return estimated, scores
    given = {each.name: getattr(estimated, each.name) for each in fields(estimated)}
    del given["evidence"]
    return (type(estimated), given), scores
