"""Words are what the pattern finds, by either way to make them."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.texts import Tokeniser


@given(st.lists(st.text(max_size=40), max_size=4))
def test_both_ways_to_make_words_agree(texts: list[str]) -> None:
    for how in (Tokeniser(), Tokeniser("ascii"), Tokeniser(stop="english")):
        assert how.totals(texts) == Counter(word for text in texts for word in how.split(text))


@given(st.text(max_size=60))
def test_words_are_what_the_pattern_finds(text: str) -> None:
    assert Tokeniser().split(text) == re.findall(r"\w+", text.lower())
    assert Tokeniser("ascii").split(text) == re.findall(r"[a-z0-9]+", text.lower())


def test_stems_and_stop_words() -> None:
    how = Tokeniser(stop="english", stem="english")
    assert how.split("The sailors are sailing") == ["sailor", "sail"]
    assert how.totals(["the sails", "sailing"]) == {"sail": 2}
    with pytest.raises(ValueError, match="one of"):
        Tokeniser(stem="klingon").split("x")
