"""Keys are found where they stand, and no others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.pairs import KeyTable


@given(
    st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 40), min_size=1),
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40)),
)
def test_a_key_table_finds_every_key_and_no_other(known: set[int], asked: list[int]) -> None:
    """Small keys all share their first bits, so that the search behind the table is tried too."""
    key = np.array(sorted(known), np.uint64)
    wanted = np.array([*asked, *sorted(known)], np.uint64)
    position, place = KeyTable(key).find(wanted)
    assert (key[place] == wanted[position]).all()
    assert position.tolist() == [at for at, each in enumerate(wanted.tolist()) if each in known]
