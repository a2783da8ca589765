"""What every estimator is: a named thing that gives a gain to every unjudged entry of the lists."""

from abc import abstractmethod
from typing import ClassVar

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.evidence import Evidence
from leadline.naming.registry import Named, Registry


class Estimator(Named):
    """A frozen dataclass with fields as parameters; a subclass says what unjudged documents gain.

    Gains lie between 0 and the largest gain of the measure, so estimates lie in the interval that
    is certain. `theta` is the gamma up to which a topic is left as it is, None where a method has
    no such threshold. `by_residual` tells of a method that gives all that is open in a list the
    same gain, so that what lies beyond its end counts as much as what stands in it. `needs_labels`
    tells of one that lives by the labels of cheap judges.
    """

    theta: float | None = None
    by_residual: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False

    @property
    def reads(self) -> bool:
        """Whether it needs the words of the documents."""
        return False

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to say of the parameters that it was given."""
        return ()

    @abstractmethod
    def gains(self, evidence: Evidence) -> EstimatedGains:
        """A gain for every entry of `evidence.runs`, with the scores' error if it is known."""


estimators: Registry[Estimator] = Registry("estimator", "leadline.estimators")
