"""The stratifications of the paper are those that it prints."""

import json

import numpy as np
import pytest

from leadline.pooling.strategies import stratifications
from tests.reference import pools as plain
from tests.shared_data.where import DATA


def test_stratifications_are_those_of_the_paper() -> None:
    path = DATA.parent / "published" / "lipani16.json"
    if not path.is_file():
        pytest.skip(f"no published values in {path.parent}")
    table = json.loads(path.read_text())["table1"]["stratifications"]
    printed = [list(zip(row["sizes"], row["percent"], strict=True)) for row in table]
    ours = [[(size, round(100 * rate)) for size, rate in strata] for strata in stratifications()]
    assert sorted(ours) == sorted(printed)
    twins = sorted(plain.stratifications(100, 10))
    for mine, theirs in zip(sorted(map(list, stratifications())), twins, strict=True):
        assert np.allclose(mine, theirs, atol=1e-12)
