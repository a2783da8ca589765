"""What a judgment from elsewhere must be like."""

from dataclasses import replace

import pytest

from leadline.app.exchange import (
    LONGEST_NAME,
    LONGEST_PERSON,
    LONGEST_WORDS,
    MOST_SECONDS,
    fault,
    is_time,
)
from leadline.judging.ledger import Entry

GOOD = Entry("judge", "1", "d", 1, "ann", "2030-01-31T12:00:00.000+00:00", "why", None, 2.5)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"who": "a\u202eb"}, "odd characters"),
        ({"doc": "d" * (LONGEST_NAME + 1)}, "a name of more"),
        ({"who": "w" * (LONGEST_PERSON + 1)}, "a name of more"),
        ({"note": "n" * (LONGEST_WORDS + 1)}, "a note of more"),
        ({"prompt": "n" * (LONGEST_WORDS + 1)}, "a note of more"),
        ({"seconds": MOST_SECONDS * 1.01}, "seconds"),
        ({"time": ""}, "a time that is none"),
        ({"time": "2030-02-31"}, "a time that is none"),
    ],
)
def test_what_is_odd_or_endless_is_said(values: dict[str, object], told: str) -> None:
    wrong = fault(replace(GOOD, **values), "now")  # type: ignore[arg-type]
    assert wrong is not None
    assert told in wrong


def test_what_fits_is_taken() -> None:
    assert fault(GOOD, "now") is None
    assert fault(replace(GOOD, time="now", seconds=float(MOST_SECONDS)), "now") is None
    assert fault(replace(GOOD, who="w" * LONGEST_PERSON, doc="d" * LONGEST_NAME), "now") is None


def test_a_time_is_no_longer_than_its_column() -> None:
    assert is_time("2030-01-31T12:00:00.123456+00:00")
    assert not is_time("2030-01-31T12:00:00.123456+00:00:00.000000000000000000")
