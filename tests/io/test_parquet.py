"""Parquet files are read, or refused without a panic."""

import io

import polars as pl
import pytest

from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.tabular import Parquet


def test_a_damaged_file_is_refused_wherever_it_is_cut() -> None:
    whole = io.BytesIO()
    pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]}).write_parquet(whole)
    data = whole.getvalue()
    assert Parquet().table(Source("x", held=data)).rows() == [("1", "a", 1.0)]
    for stop in (4, 8, len(data) // 2, len(data) - 1):
        with pytest.raises(InputError, match="cannot be read"):
            Parquet().table(Source("x", held=data[:stop]))


def test_a_topic_may_look_like_its_first_bytes() -> None:
    assert not Parquet().looks_like(Source("x", held=b"PAR1 Q0 a 1 5 x\n"))
