"""Scores as they might be too: the same lists under many draws of a model."""

from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Floats, Int32s, Int64s

CELLS = 1 << 21
"""Numbers in a block of probabilities."""


@dataclass(frozen=True, eq=False)
class UnjudgedEntries:
    """Unjudged entries of lists: in which list each stands, what it weighs, which document it is.

    `list` is in ascending order. `row` is the document's row in a table of features.
    """

    list: Int32s | Int64s
    weight: Floats
    row: Int32s | Int64s
    n_lists: int

    def drawn_sums(
        self, logit: Floats, feature: Floats, coefficient: Floats, moved: Floats
    ) -> Floats:
        """[draws, lists]: the sum of weight times probability over the entries of each list.

        `logit` is what the model says of each entry. In every draw it is moved by its `feature` (a
        row an entry) times that draw's `coefficient`, and by what the list is `moved`.
        """
        n_draws = len(coefficient)
        sums = np.zeros((self.n_lists, n_draws))
        # Half the digits are plenty for a standard error, and exp is many times as fast. But sums
        # of products in so few digits differ from processor to processor, in the eighth.
        lists = moved.T.astype(np.float32)
        size = max(1, CELLS // max(1, n_draws))
        for begin in range(0, len(self.list), size):
            part = slice(begin, begin + size)
            of, weight = self.list[part], self.weight[part].astype(np.float32)
            z = (feature[part] @ coefficient.T).astype(np.float32)
            z += lists[of]
            z += logit[part].astype(np.float32)[:, None]
            # exp(88) is the last that fits.
            np.exp(-np.clip(z, -80, 80, out=z), out=z)
            z += 1
            np.divide(weight[:, None], z, out=z)
            first = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
            sums[of[first]] += np.add.reduceat(z, first, axis=0)
        return sums.T
