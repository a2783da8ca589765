"""Names in one text are hashed, compared and sorted as the names themselves would be."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.names import Names

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
names = st.text(letters, max_size=20) | st.text("ab", max_size=30)
columns = st.lists(names, min_size=1, max_size=12)


@given(columns)
def test_names_come_back_as_they_were(given_names: list[str]) -> None:
    column = Names.of(given_names)
    assert column.to_list() == given_names
    assert column.series.to_list() == given_names
    assert Names.of(pl.Series(given_names, dtype=pl.String)).to_list() == given_names
    back = np.arange(len(given_names))[::-1]
    assert column.gather(back).to_list() == given_names[::-1]
    assert column.gather(back).series.to_list() == given_names[::-1]


def test_there_may_be_no_names() -> None:
    column = Names.of([])
    assert column.to_list() == column.series.to_list() == column.keys(1).tolist() == []
    assert Names.of(pl.Series([], dtype=pl.String)).changed().tolist() == []


@given(columns, columns)
def test_equal_names_have_equal_keys_wherever_they_stand(a: list[str], b: list[str]) -> None:
    key = dict(zip(a, Names.of(a).keys(1).tolist(), strict=True))
    key |= dict(zip(b, Names.of(b).keys(1).tolist(), strict=True))
    assert Names.of(a).keys(1).tolist() == [key[name] for name in a]
    assert len(set(key.values())) == len(key)
    assert Names.of(a).keys(1).tolist() != Names.of(a).keys(2).tolist()


@given(st.lists(st.tuples(names, names) | names.map(lambda name: (name, name)), min_size=1))
def test_names_are_equal_as_they_are(pairs: list[tuple[str, str]]) -> None:
    a, b = (Names.of([pair[side] for pair in pairs]) for side in (0, 1))
    for _ in range(2):
        assert a.equals(b).tolist() == b.equals(a).tolist() == [x == y for x, y in pairs]
        # Once more with what was remembered, carried along by gathering.
        at = np.arange(len(pairs))
        a, b = a.gather(at), b.gather(at)


@given(columns)
def test_a_change_is_where_a_name_differs_from_the_one_before(given_names: list[str]) -> None:
    found = Names.of(given_names).changed().tolist()
    before = [None, *given_names[:-1]]
    assert found == [x != y for x, y in zip(given_names, before, strict=True)]


@given(columns, st.data())
def test_names_fall_byte_by_byte(given_names: list[str], data: st.DataObject) -> None:
    n = len(given_names)
    within = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    order = Names.of(given_names).falling(np.array(within, np.int64)).tolist()
    wanted = sorted(range(n), key=lambda at: given_names[at].encode(), reverse=True)
    wanted = sorted(wanted, key=lambda at: within[at])
    found = [(within[at], given_names[at]) for at in order]
    assert found == [(within[at], given_names[at]) for at in wanted]
    assert sorted(order) == list(range(n))
