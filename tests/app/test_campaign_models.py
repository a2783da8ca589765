"""What may be sent about organising many people."""

import pytest
from pydantic import ValidationError

from leadline.app.models import AssignIn, GoldIn, MessageIn, SettingsIn


def test_what_makes_no_sense_is_not_understood() -> None:
    AssignIn(topics=["1"], people=[])
    SettingsIn(changes={"title": "x", "blind": True, "batch": 3, "least_gold": 0.5})
    for model, wrong in (
        (AssignIn, {"topics": [], "people": []}),
        (GoldIn, {"topic": "1", "doc": "d", "grade": -1}),
        (MessageIn, {"text": "\x00"}),
        (SettingsIn, {"changes": {"title": ["x"]}}),
        (SettingsIn, {"changes": {}}),
    ):
        with pytest.raises(ValidationError):
            model(**wrong)  # type: ignore[arg-type]
