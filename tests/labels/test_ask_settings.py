"""Numbers that cannot be meant are refused by name."""

from typing import Any

import pytest

from leadline.labels.client import AskSettings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -1.0),
        ("temperature", float("nan")),
        ("max_tokens", 0),
        ("concurrency", 0),
        ("per_minute", 0.0),
        ("timeout", 0.0),
        ("tries", 0),
        ("backoff", float("inf")),
    ],
)
def test_bounds(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"`{name}` must be from"):
        AskSettings("m", **{name: value})


def test_a_model_has_a_name() -> None:
    for odd in ("", " ", "\udcff", "a\nb"):
        with pytest.raises(ValueError, match="`model` must be the name"):
            AskSettings(odd)
