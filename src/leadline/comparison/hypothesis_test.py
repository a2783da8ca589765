"""What every significance test is: a named thing that turns paired differences into p-values."""

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from leadline.naming.registry import Named, Registry
from leadline.tables.arrays import Floats, Int64s

Tails = Literal[1, 2]

DEFAULT_TEST = "t"
"""What compare and report ask unless told: it is about means, which is what people compare."""


class Test(Named):
    """A frozen dataclass with fields as parameters; a subclass says how probable differences are.

    Named in lower case, as people write them: `t`, `randomisation(n=1000)`.
    """

    __test__ = False
    """Not a test of pytest's."""

    familywise = False
    """Whether its p-values already allow for the number of pairs."""

    null: ClassVar[str] = ""
    """What is put to the test: that which a small p speaks against, in words."""

    row_by_row = False
    """Whether it takes long, and the p of a row is the same whatever rows are tested with it."""

    by_mean = True
    """Whether it looks at the mean of the differences, not at their ranks or signs."""

    @classmethod
    def registered_name(cls) -> str:
        return cls.__name__.lower()

    @abstractmethod
    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        """One p for each row of differences over topics; NaN cells are topics that do not count.

        One tail asks whether the differences are above 0, two whether they are not 0. NaN where
        nothing can be said: no topic, or no difference anywhere.
        """

    def between(
        self,
        mine: Floats,
        theirs: Floats,
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        """p of each pair: row first[i] of one table of scores against row second[i] of another."""
        return self.p(mine[first] - theirs[second], tails, random)


tests: Registry[Test] = Registry("test", "leadline.comparison", str.lower)
