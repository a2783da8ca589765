"""What every estimator is: a named thing that tells what unjudged documents are worth."""

from abc import abstractmethod
from typing import ClassVar

from leadline.estimators.drawn_scores import DrawnScores, drawable
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimated_ratios import EstimatedRatios
from leadline.estimators.evidence import Evidence
from leadline.measures.weighted import Weighted
from leadline.naming.registry import Named, Registry


class Estimator(Named):
    """A frozen dataclass with fields as parameters; a subclass says what unjudged documents gain.

    Gains lie between 0 and the largest gain of the measure, so estimates lie in the interval that
    is certain. `theta` is the gamma up to which a topic is left as it is, None where a method has
    no such threshold. `by_residual` tells of a method that gives all that is open in a list the
    same gain, so that what lies beyond its end counts as much as what stands in it. `needs_labels`
    tells of one that lives by the labels of cheap judges, `any_measure` of one that estimates nDCG,
    AP and others too that are no sum of weights and gains.
    """

    theta: float | None = None
    by_residual: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    any_measure: ClassVar[bool] = False

    @property
    def reads(self) -> bool:
        """Whether it needs the words of the documents."""
        return False

    @abstractmethod
    def gains(self, evidence: Evidence) -> EstimatedGains:
        """A gain for every entry of `evidence.runs`, with the scores' error if it is known."""

    def drawn(self, evidence: Evidence) -> DrawnScores | EstimatedRatios:
        """Scores as they might be, of any measure that has an interval."""
        able = [name for name, each in estimators.classes().items() if each.any_measure]
        raise ValueError(
            f"{evidence.measure} is no sum of weights and gains, and {self} gives gains of single "
            f"documents only: {', '.join(able)} estimate it; {self} estimates RBP, P@k, DCG@k and "
            "SDCG@k"
        )

    def estimated(self, evidence: Evidence) -> EstimatedGains | DrawnScores | EstimatedRatios:
        """Gains for a weighted measure, scores as they might be for any other."""
        measure = evidence.measure
        if measure.judged_only:
            raise ValueError(
                f"{measure} leaves unjudged documents out: there is nothing to estimate"
            )
        if isinstance(measure, Weighted):
            return self.gains(evidence)
        if not drawable(measure):
            raise ValueError(
                f"{measure} has no interval by judgments alone, so it cannot be estimated: take "
                "nDCG@k, AP, Recall@k, RR, ERR@k, RBP, P@k, DCG@k or SDCG@k for instance"
            )
        return self.drawn(evidence)


estimators: Registry[Estimator] = Registry("estimator", "leadline.estimators")
