"""The table of batches: columns of one length, that nobody changes."""

import numpy as np
import pytest

from leadline.data.pool import BatchDraws


def test_columns_have_a_row_a_batch_and_are_kept_from_changes() -> None:
    half = np.full((2, 3), 0.5)
    draws = BatchDraws(np.arange(3), np.array([0, 1, 2]), half, half, half)
    with pytest.raises(ValueError, match="read-only"):
        draws.chance[0, 0] = 1.0
    with pytest.raises(ValueError, match="expected"):
        BatchDraws(np.arange(3), np.array([0, 1, 2]), half, half[:1], half)
