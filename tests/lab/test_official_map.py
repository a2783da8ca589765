"""MAP comes from the published table, if that names every run, and else from the judgments."""

from dataclasses import replace
from pathlib import Path

import pytest

from leadline.io.read import read
from leadline.lab.papers.runner import OFFICIAL_MAP, official_map

QRELS = {"1": {"a": 1, "b": 0}}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("x\t0.25\ny\t0.5\nz\t0.75\n", ([0.25, 0.5], True)),
        ("x\t0.25\n", ([1.0, 0.5], False)),
        (None, ([1.0, 0.5], False)),
    ],
)
def test_the_official_table_counts_if_it_names_every_run(
    tmp_path: Path, table: str | None, expected: tuple[list[float], bool]
) -> None:
    if table is not None:
        (tmp_path / OFFICIAL_MAP).write_text(table)
    means, official = official_map(replace(read(QRELS, RUNS), folder=tmp_path))
    assert (means.tolist(), official) == expected
