"""Pools from files: every row is looked at, and what is wrong is told with its line."""

from pathlib import Path

import polars as pl
import pytest

from leadline.data.pairs import Pairs
from leadline.io.pool_csv import PoolTable, drawn_in_batches, pool_from, pool_over
from leadline.io.problems import InputError


def test_a_pool_has_all_columns_whatever_the_file_has(tmp_path: Path) -> None:
    (tmp_path / "pool").write_bytes(b'"doc","topic"\r\n"a ""b""",1\r\n"a ""b""",1\r\nc,2\r\n')
    pool = pool_from(tmp_path / "pool")
    assert pool.columns == ["topic", "doc", "stratum", "inclusion", "drawn"]
    assert pool.rows() == [("1", 'a "b"', 0, 1.0, True), ("2", "c", 0, 1.0, True)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"topic,doc\n\n,a\n", ":3: the topic is missing"),
        (b"topic,doc\n1,\n", ":2: the doc is missing"),
        (b"topic,doc,inclusion\n1,a,0.5\n1,b,1\n1,a,1\n", ":4: another stratum, inclusion"),
        (b"topic,doc,drawn\n1,a,true\n1,a,false\n", ":3: another stratum, inclusion or drawn"),
        (b"topic,doc,inclusion\n1,a,nan\n", ":2: the inclusion probability must be"),
        (b"topic,doc,stratum\n1,a," + b"9" * 30 + b"\n", ":2: the stratum must be"),
        (b"topic,doc\n1,\xe9\n", ":2: is not UTF-8"),
        (b"topic,doc\n1,a,b\n", ":2: expected 2 columns"),
        (b"topic;doc\n1;a\n", "is no pool: it has no column topic"),
        (b"topic,doc\n", "is empty"),
        (b",,\n", "is empty but for separators"),
        (b"\0", ":1: holds a NUL byte"),
        (b"", "is empty"),
    ],
)
def test_an_odd_pool_is_refused_with_its_line(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "pool").write_bytes(content)
    with pytest.raises(InputError, match=told):
        pool_from(tmp_path / "pool")


def test_names_of_a_parquet_file_must_be_text(tmp_path: Path) -> None:
    pl.DataFrame({"topic": [["1"]], "doc": ["a"]}).write_parquet(tmp_path / "pool")
    with pytest.raises(InputError, match="the topic must be text or a number, found List"):
        pool_from(tmp_path / "pool")


def test_a_pool_that_was_read_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("topic,doc,batch\n1,z,1\n")
    table = PoolTable.of(path)
    path.unlink()
    assert drawn_in_batches(table)
    with pytest.raises(InputError, match=r"pool\.csv: holds no document"):
        pool_over(Pairs.of(["1"], ["a"]), table)
