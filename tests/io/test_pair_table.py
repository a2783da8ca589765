"""Pairs have one number each, whatever their keys are."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.names import Keys, Names
from leadline.io import read as pair_table
from leadline.io.read import PairTable
from leadline.io.rows import doc_keys, topic_keys

# Short, of a word, and longer than two, some alike but for their beginning or their end.
docs = st.sampled_from(
    ["a", "b", "\0", "a\0", "eight888", "eight88x", "ninebytes", "Ninebytes", "x" * 30, "x" * 29]
)
runs = st.lists(
    st.dictionaries(st.integers(0, 3), st.lists(docs, min_size=1, unique=True), min_size=1),
    min_size=1,
    max_size=6,
)


def add(table: PairTable, run: dict[int, list[str]], bits: int) -> list[int]:
    """The numbers of a run's pairs, by keys of so many bits."""
    topic = np.array(list(run), np.int32)
    n_rows = np.array([len(names) for names in run.values()])
    doc = Names.of([name for names in run.values() for name in names])
    topic_key = cut(topic_keys(Names.of([str(name) for name in run])), bits)
    key = cut(doc_keys(doc), bits) ^ np.repeat(topic_key, n_rows)
    with patch.object(pair_table, "doc_keys", lambda names: cut(doc_keys(names), bits)):
        return table.number(topic, topic_key, n_rows, doc, key).tolist()


def cut(key: Keys, bits: int) -> Keys:
    return key & np.uint64(((1 << bits) - 1) << (64 - bits))


@pytest.mark.parametrize("bits", [64, 2, 0])
@pytest.mark.parametrize("segment", [1 << 16, 3])
def test_a_pair_has_one_number(bits: int, segment: int) -> None:
    @given(runs)
    def check(given_runs: list[dict[int, list[str]]]) -> None:
        twin: dict[tuple[int, str], int] = {}
        table = PairTable()
        with patch.object(pair_table, "_SEGMENT", segment):
            for run in given_runs:
                pairs = [(topic, doc) for topic, names in run.items() for doc in names]
                numbers = add(table, run, bits)
                assert [twin.setdefault(*item) for item in zip(pairs, numbers, strict=True)] == (
                    numbers
                )
        assert sorted(twin.values()) == list(range(len(table)))
        held = zip(table.topic.tolist(), table.doc_name.to_list(), strict=True)
        assert {pair: at for at, pair in enumerate(held)} == twin

    check()


def test_a_crowded_topic_among_many_is_found_again() -> None:
    """Its share of the slots is far too small for it."""
    table = PairTable()
    table.number(
        np.arange(20_000, dtype=np.int32),
        topic_keys(Names.of([str(n) for n in range(20_000)])),
        np.ones(20_000, np.int64),
        Names.of(["d"] * 20_000),
        doc_keys(Names.of(["d"] * 20_000)) ^ topic_keys(Names.of([str(n) for n in range(20_000)])),
    )
    crowd = {7: [str(n) for n in range(50_000)]}
    first = add(table, crowd, 64)
    assert add(table, crowd, 64) == first
    assert len(set(first)) == 50_000
