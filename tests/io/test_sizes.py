"""Sizes as people write them."""

import pytest

from leadline.io.source import parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("1GB", 10**9), ("1g", 10**9), (" 2 MiB ", 2 << 20), ("300000", 300000), ("0.5kb", 500)],
)
def test_a_number_and_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "1 GBB", "1XB", "IB", "0", 0, -5])
def test_anything_else_is_refused(text: str | int) -> None:
    with pytest.raises(ValueError, match="a size "):
        parse_size(text)
