"""LARA asks for the pair whose calibrated label leaves most doubt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.data.draw import draw
from leadline.judging.lara import LARA
from tests.collections import Small, small_collections
from tests.reference.rivals import lara_chances
from tests.tries import tries


@given(small=small_collections(n_docs=6, n_topics=2), seed=st.integers(0, 3))
@tries(10)
def test_every_step_is_of_the_most_doubtful(small: Small, seed: int) -> None:
    small = Small(small.runs, small.grades, small.max_grade, labelled=True)
    runs, _ = small.tables()
    names = [runs.pairs.name(at) for at in range(len(runs.pairs))]
    share = runs.pairs.needed_labels.share
    said = {
        name: 0.5 if np.isnan(each) else float(each)
        for name, each in zip(names, share, strict=True)
    }
    luck = dict(zip(names, draw(seed, names).tolist(), strict=True))
    order = LARA(top=2, rate=0.1, seed=seed)
    stepper, judged, left = order.start(runs), {}, {names[at] for at in runs.pair}
    while chosen := stepper.next(1):
        pair = names[chosen[0].pair]
        twin = lara_chances(said, judged, 2, 0.1)
        doubt = {each: min(abs(p - 0.5) for p in twin[each]) for each in left}
        least = min(doubt.values())
        # The twin's fit is good to four digits: which of the nearly equal comes first is luck's.
        assert doubt[pair] <= least + 1e-3
        same = [each for each in left if said[each] == said[pair]]
        assert luck[pair] == min(luck[each] for each in same)
        left.discard(pair)
        judged[pair] = grade = small.grades[pair[0]].get(pair[1], 0) % 3
        stepper.tell(chosen[0].pair, grade)
    assert not left


def test_without_labels_the_remedy_is_told() -> None:
    with pytest.raises(ValueError, match="`labels`"):
        leadline.next(None, {"r": {"1": {"a": 1.0}}}, "LARA")
    with pytest.raises(ValueError, match="top must"):
        LARA(top=0)
    with pytest.raises(ValueError, match="rate must"):
        LARA(rate=-0.1)
