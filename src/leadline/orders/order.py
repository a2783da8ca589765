"""What every order is: a named thing that starts a stepper, which is asked and told."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.naming.registry import Named, Registry
from leadline.tables.arrays import Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

if TYPE_CHECKING:
    from leadline.orders.audit import LikelyState


@dataclass(frozen=True)
class Choice:
    """A pair to judge, and how much it weighed when it was chosen (None if the order has none)."""

    pair: int
    weight: float | None


class Stepper(ABC):
    """An order under way over certain runs.

    `next` hands out pairs and never the same twice; each is then out with an assessor until `tell`
    brings its grade, or `release` brings it back unjudged.
    """

    @abstractmethod
    def next(self, k: int = 1) -> list[Choice]:
        """The k pairs to judge next; fewer if there are no more worth judging."""

    @abstractmethod
    def tell(self, pair: int, grade: int) -> None:
        """A pair's grade, whether it was asked for or not."""

    @abstractmethod
    def spend(self, pair: int) -> None:
        """A pair that was asked for will never be judged: count it as handled, and as nothing."""

    @abstractmethod
    def release(self, pair: int) -> None:
        """A pair that was asked for was not judged and may be asked for again."""

    @property
    def likely(self) -> "LikelyState | None":
        """What is likely by a model that is checked as the order goes on; None without one."""
        return None

    def weights(self, first: int, last: int) -> Floats | None:
        """What the pairs from `first` up to `last` weigh now, 0 if they are not to be asked for.

        None where pairs have no weights of their own. A pair taken by its weight is told of by
        `spend`, as one that is out.
        """
        return None

    def tell_all(self, judgments: Judgments) -> None:
        """Report all these judgments; one by one, unless a stepper knows better."""
        for pair in judgments.judged.nonzero()[0]:
            self.tell(int(pair), int(judgments.grade[pair]))

    def retract(self, pair: int, grade: int | None) -> bool:
        """Forget what was told of a pair (None: that it is spent), which is then out again.

        False where that cannot be done; whoever asks must start anew then.
        """
        return False


class Order(Named):
    """A frozen dataclass with fields as parameters.

    `exhaustive` tells whether every pair that some run returns is asked for in the end, or only
    what can still matter. The order in which runs are given plays no part. `heeds_labels` tells
    whether labels of cheap judges change it, `needs_labels` whether it lives by them.
    """

    exhaustive: ClassVar[bool] = True
    heeds_labels: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False

    @property
    def weighted(self) -> Weighted:
        """The measure that the order judges by: RBP with its `p` and `rel` unless it says."""
        return RBP(p=getattr(self, "p", 0.8), rel=getattr(self, "rel", 1))

    @property
    def learns_from_asking(self) -> bool:
        """Whether it matters to the order what it was asked, and not only what it was told.

        Some remember which run a document was asked of, or how much of a batch is left.
        """
        return True

    @abstractmethod
    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper that knows these judgments already."""

    @staticmethod
    def resume(stepper: Stepper, judgments: Judgments | None) -> Stepper:
        """The stepper after it was told all judgments."""
        if judgments is not None:
            stepper.tell_all(judgments)
        return stepper


orders: Registry[Order] = Registry("order", "leadline.orders")
