"""Files by URL: read, listed and matched as those of a disk."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

import leadline
from leadline.io.problems import InputError
from leadline.io.source import files_below, is_url, matching_urls, open_url, url_size

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def storage() -> Iterator[Any]:
    """A storage that lives in this process."""
    made = fsspec.filesystem("memory")
    lines = "".join(f"{topic} Q0 d{doc} 1 {-doc} x\n" for topic in (1, 2) for doc in range(9))
    made.pipe("/box/runs/one.run", lines.encode())
    made.pipe("/box/runs/deep/two.run", lines.replace("d", "e").encode())
    made.pipe("/box/qrels", b"1 0 d0 1\n2 0 d3 1\n")
    yield made
    made.rm("/box", recursive=True)


def test_files_are_listed_matched_and_read(storage: Any) -> None:
    assert is_url("memory://box/qrels")
    with open_url("memory://box/qrels") as file:
        assert file.read() == b"1 0 d0 1\n2 0 d3 1\n"
    assert url_size("memory://box/qrels") == 18
    assert url_size("memory://box/none") == 0
    below = ["memory://box/runs/deep/two.run", "memory://box/runs/one.run"]
    assert files_below("memory://box/runs/") == below
    assert files_below("memory://box/qrels") == []
    assert [each.rsplit("/", 1)[1] for each in matching_urls("memory://box/runs/*.run")] == [
        "one.run"
    ]


@pytest.mark.parametrize("runs", ["memory://box/runs/one.run", "memory://box/runs/*.run"])
def test_a_run_by_url_is_scored_as_any_other(runs: str, storage: Any) -> None:
    result = leadline.evaluate("memory://box/qrels", runs, "RR")
    assert result.frame["value"].to_list() == [(1 + 1 / 4) / 2]
    assert result.frame["run"].to_list() == ["one"]


def test_a_folder_by_url_is_all_its_files(storage: Any) -> None:
    result = leadline.evaluate("memory://box/qrels", "memory://box/runs", "RR")
    assert result.frame["run"].to_list() == ["one", "two"]


def test_partitions_by_url_are_runs(storage: Any) -> None:
    import io

    import polars as pl

    for number, topic in enumerate(("1", "2")):
        packed = io.BytesIO()
        pl.DataFrame({"topic": [topic], "doc": ["d0"], "score": [1.0]}).write_parquet(packed)
        storage.pipe(f"/box/table/run=mine/{number}.parquet", packed.getvalue())
    result = leadline.evaluate("memory://box/qrels", "memory://box/table", "RR")
    assert result.frame.select("run", "value").rows() == [("mine", 0.5)]


def test_what_is_missing_or_unknown_is_told(storage: Any) -> None:
    with pytest.raises(InputError, match="memory://box/none: no such file"):
        leadline.evaluate("memory://box/none", "memory://box/runs", "RR")
    with pytest.raises(InputError, match="nowhere://box: cannot be read"):
        open_url("nowhere://box")


def test_without_fsspec_it_says_what_to_install() -> None:
    with (
        patch.dict("sys.modules", {"fsspec": None}),
        pytest.raises(InputError, match="to read a URL, install fsspec"),
    ):
        open_url("s3://box/qrels")
