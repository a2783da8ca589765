"""An answer to a gold question is right if it is the grade that is known."""

import pytest

from leadline.app.gold import GoldAnswer


@pytest.mark.parametrize(("said", "right"), [(2, True), (0, False), (None, False)])
def test_only_the_known_grade_is_right(said: int | None, right: bool) -> None:
    assert GoldAnswer("1", "a", "me", said, 2, False, "2026-01-01").right is right
