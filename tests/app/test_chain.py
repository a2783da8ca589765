"""A chain of rows: whatever is changed, left out, put in or moved is found."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from leadline.app.schema import CHAINED as TABLES
from leadline.app.schema import START, check, link

CHAINED = TABLES["entry"]
Rows = list[dict[str, Any]]
said = st.one_of(st.none(), st.integers(0, 9), st.text(max_size=3), st.floats(0, 1))


def chained(contents: list[list[Any]]) -> Rows:
    rows, end = [], START
    for number, values in enumerate(contents, 1):
        row = dict(zip(CHAINED, values, strict=True))
        end = link(end, row)
        rows.append({**row, "id": number, "hash": end})
    return rows


contents = st.lists(st.lists(said, min_size=len(CHAINED), max_size=len(CHAINED)), max_size=5)


@given(contents)
def test_a_chain_that_nobody_touched_holds(made: list[list[Any]]) -> None:
    rows = chained(made)
    found = check(rows)
    assert (found.rows, found.wrong) == (len(rows), None)
    assert found.end == (rows[-1]["hash"] if rows else START)


@given(contents.filter(len), st.data())
def test_a_changed_row_is_found(made: list[list[Any]], data: st.DataObject) -> None:
    rows = chained(made)
    at = data.draw(st.integers(0, len(rows) - 1))
    name = data.draw(st.sampled_from(CHAINED))
    rows[at][name] = f"{rows[at][name]!r} changed"
    assert check(rows).wrong == at + 1


@given(contents.filter(lambda made: len(made) > 1), st.data())
def test_a_row_left_out_before_the_end_is_found(made: list[list[Any]], data: st.DataObject) -> None:
    rows = chained(made)
    at = data.draw(st.integers(0, len(rows) - 2))
    left = rows[:at] + rows[at + 1 :]
    assert check(left).wrong is not None


def test_a_row_without_a_hash_is_wrong_wherever_it_stands() -> None:
    rows = chained([[n] * len(CHAINED) for n in range(3)])
    for at in range(3):
        without = [{**row, "hash": None} if n == at else row for n, row in enumerate(rows)]
        assert check(without).wrong == at + 1
    assert check([{**row, "hash": None} for row in rows]).wrong == 1


def test_only_the_same_numbers_may_have_been_spelt_otherwise() -> None:
    [row] = chained([[5.0] * len(CHAINED)])
    for name in ("seconds", "confidence"):
        assert check([{**row, name: -5.0}]).wrong == 1
        assert check([{**row, name: 4.0}]).wrong == 1
