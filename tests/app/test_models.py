"""What is sent to us is whole, of its kind, and nothing more."""

from typing import Any

import pytest
from pydantic import ValidationError

from leadline.app.models import Body, EndIn, JudgmentIn, NameIn, PersonIn

PAIR = {"topic": "1", "doc": "d"}


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (JudgmentIn, PAIR),
        (JudgmentIn, PAIR | {"grade": 0, "note": "tab\tand\nline", "seconds": 1.5}),
        (PersonIn, {"name": "Zoë"}),
        (PersonIn, {"name": "llm", "role": "assessor", "kind": "machine"}),
        (EndIn, {"ended": False}),
    ],
)
def test_what_makes_sense_is_taken(model: type[Body], values: dict[str, Any]) -> None:
    made = model(**values).model_dump()
    assert {name: made[name] for name in values} == values


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (JudgmentIn, {"topic": "1"}),
        (JudgmentIn, PAIR | {"more": 1}),
        (JudgmentIn, PAIR | {"topic": ""}),
        (JudgmentIn, PAIR | {"topic": "x" * 501}),
        (JudgmentIn, PAIR | {"doc": "a\x00b"}),
        (JudgmentIn, PAIR | {"grade": "1"}),
        (JudgmentIn, PAIR | {"grade": True}),
        (JudgmentIn, PAIR | {"grade": -1}),
        (JudgmentIn, PAIR | {"grade": 1001}),
        (JudgmentIn, PAIR | {"note": "x" * 4001}),
        (JudgmentIn, PAIR | {"note": "\x1b[2J"}),
        (JudgmentIn, PAIR | {"seconds": float("nan")}),
        (JudgmentIn, PAIR | {"seconds": -0.5}),
        (JudgmentIn, PAIR | {"seconds": 1e6}),
        (PersonIn, {"name": "x" * 61}),
        (PersonIn, {"name": "ann", "role": "owner"}),
        (NameIn, {"name": ""}),
        (EndIn, {"ended": "yes"}),
    ],
)
def test_what_makes_none_is_refused(model: type[Body], values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model(**values)
