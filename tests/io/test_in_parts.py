"""A run in parts is read alike by all who take runs."""

from collections.abc import Iterator

import polars as pl

from leadline.io.by_content import run_from
from leadline.io.formats import Reading
from leadline.io.rows import InParts, Rows


class Two(InParts):
    """Two topics, a frame each."""

    size = 100

    def frames(self, rows: int = 1) -> Iterator[pl.DataFrame]:
        for topic in ("1", "2"):
            yield pl.DataFrame({"topic": [topic], "doc": ["a"], "run_score": [1.0]})

    def rows(self, reading: Reading) -> Rows:
        return Rows.of_frame(pl.concat(list(self.frames())))


def test_whoever_wants_it_whole_gets_it() -> None:
    assert run_from(Two(), "two", Reading()).topic.to_list() == ["1", "2"]
