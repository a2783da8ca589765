"""Topics come in one order, whatever the order they are given in."""

from hypothesis import given
from hypothesis import strategies as st

from leadline.data.arrays import topic_order

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=3)


@given(st.lists(names | st.integers(0, 2000).map(str)), st.randoms())
def test_topics_come_in_one_order(topics: list[str], random: object) -> None:
    shuffled = list(topics)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert topic_order(topics) == topic_order(shuffled)
