"""Pairs are sorted, distinct and found again."""

from hypothesis import given
from hypothesis import strategies as st

from leadline.data.pairs import Pairs

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=3)


@given(st.lists(st.tuples(names, names), max_size=30))
def test_pairs_are_sorted_distinct_and_found_again(rows: list[tuple[str, str]]) -> None:
    topic, doc = [row[0] for row in rows], [row[1] for row in rows]
    pairs = Pairs.of(topic, doc)
    assert len(pairs) == len(set(rows))
    assert [pairs.name(at) for at in pairs.find(topic, doc)] == rows
    assert pairs.find(["no such topic"], ["no such doc"]).tolist() == [-1]
    order = [(pairs.topics.index(t), d.encode()) for t, d in map(pairs.name, range(len(pairs)))]
    assert order == sorted(order)
