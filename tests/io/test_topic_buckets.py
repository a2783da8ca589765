"""Rows by topic on disk: all of them, each topic in one frame, in the order in which they came."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.partitioned import TopicBuckets


@given(
    st.lists(st.lists(st.sampled_from("abcdé"), max_size=20), max_size=6),
    st.integers(1, 5),
)
def test_nothing_is_lost_or_mixed(chunks: list[list[str]], n_buckets: int) -> None:
    row, rows = 0, []
    with TopicBuckets(n_buckets) as buckets:
        for chunk in chunks:
            frame = pl.DataFrame({"topic": pl.Series(chunk, dtype=pl.String)})
            frame = frame.with_columns(row=pl.int_range(row, row + len(chunk)))
            row += len(chunk)
            rows += frame.rows()
            buckets.add(frame)
        frames = [frame.rows() for frame in buckets.frames()]
    assert sorted(each for frame in frames for each in frame) == sorted(rows)
    homes = [{topic for topic, _ in frame} for frame in frames]
    assert sum(map(len, homes)) == len({topic for topic, _ in rows})
    for frame in frames:
        for topic in {topic for topic, _ in frame}:
            places = [place for name, place in frame if name == topic]
            assert places == sorted(places)


def test_the_files_go_also_when_work_is_broken_off() -> None:
    buckets = TopicBuckets(2)
    folder = Path(buckets.folder.name)
    buckets.add(pl.DataFrame({"topic": ["a"]}))
    assert list(folder.iterdir())
    with pytest.raises(KeyboardInterrupt), buckets:
        raise KeyboardInterrupt
    assert not folder.exists()
