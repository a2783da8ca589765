"""A word that is not among the choices is refused by name."""

from typing import Literal

import pytest

from leadline.registry import check_choice


def test_other_words_are_refused_with_those_that_are_known() -> None:
    check_choice("tails", 2, Literal[1, 2])
    with pytest.raises(ValueError, match="`tails` must be one of 1, 2, not '2'"):
        check_choice("tails", "2", Literal[1, 2])
