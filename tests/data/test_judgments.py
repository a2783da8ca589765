"""Judgments hold grades of judged pairs, and refuse what makes no sense."""

import numpy as np
import pytest

from leadline.data.judgments import Judgments
from leadline.data.pairs import Pairs

PAIRS = Pairs.of(["1", "1", "2"], ["a", "b", "a"])


def judgments_of(**changes: object) -> Judgments:
    values = {"judged": [True, False, True], "grade": [2, 0, 0]}
    return Judgments(PAIRS, **{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grade": [2, 1, 0]}, "not judged has a grade"),
        ({"grade": [-1, 0, 0]}, "negative"),
        ({"judged": [True]}, "shape"),
        ({"max_grade": 1}, "above the scale"),
        ({"pooled": [False, True, True]}, "not marked pooled"),
        ({"inclusion": [0.0, 0.5, 1.0]}, "inclusion"),
    ],
)
def test_judgments_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    assert judgments_of().max_grade == 2
    with pytest.raises(ValueError, match=message):
        judgments_of(**changes)


def test_judgments_of_some_pairs_keep_the_scale_and_tell_of_no_sample() -> None:
    known = judgments_of(inclusion=[0.5, 0.5, 1.0], max_grade=3)
    some = known.only(np.array([False, True, True]))
    assert some.judged.tolist() == [False, False, True]
    assert some.grade.tolist() == [0, 0, 0]
    assert (some.max_grade, some.inclusion) == (3, None)
