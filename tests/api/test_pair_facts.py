"""Lengths, places of query terms and times of labels, from folders and tables of all kinds."""

import os
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from leadline.api.audit import label_times, pair_facts
from leadline.data.pairs import Pairs
from leadline.labels.audit import NOWHERE

PAIRS = Pairs.of(["1", "1", "2"], ["a", "b", "c"])


def folder(path: Path) -> Path:
    path.mkdir()
    (path / "topics.tsv").write_text("1\tlead lines\n2\tthe tide\n")
    texts = {"a": "The lead line was heavy", "b": "nothing of it"}
    lines = [f'{{"id": "{doc}", "text": "{text}"}}\n' for doc, text in texts.items()]
    (path / "docs.jsonl").write_text("".join(lines))
    return path


def test_length_and_position_are_told_where_there_is_a_text(tmp_path: Path) -> None:
    facts = pair_facts(PAIRS, np.arange(3), folder(tmp_path / "in"), None, None)
    assert facts.length is not None
    assert facts.position is not None
    np.testing.assert_array_equal(facts.length, [5, 3, np.nan])
    # "lead" is the fifth of 23 letters.
    np.testing.assert_allclose(facts.position, [4 / 23, NOWHERE, np.nan])


def test_without_a_folder_nothing_is_known() -> None:
    facts = pair_facts(PAIRS, np.arange(3), None, None, None)
    assert (facts.length, facts.position, facts.time) == (None, None, None)


@pytest.mark.parametrize(
    "times",
    [
        ["2026-01-01", "2026-01-02"],
        ["2026-01-01T00:00:00Z", "2026-01-02 00:00:00.0"],
        [date(2026, 1, 1), date(2026, 1, 2)],
        [datetime(2026, 1, 1), datetime(2026, 1, 2)],
        [1767225600.0, 1767312000.0],
        ["1767225600", "1767312000"],
    ],
)
def test_times_come_in_many_forms(times: list[object]) -> None:
    labels = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "c"], "grade": [1, 0], "date": times})
    made = label_times(PAIRS, labels)
    assert made is not None
    np.testing.assert_array_equal(np.isnan(made), [False, True, False])
    assert made[2] - made[0] == 86400


def test_a_table_without_times_and_plain_qrels_have_none(tmp_path: Path) -> None:
    qrels = tmp_path / "labels.qrels"
    qrels.write_text("1 0 a 1\n")
    assert label_times(PAIRS, qrels) is None
    assert label_times(PAIRS, {"1": {"a": 1}}) is None
    table = tmp_path / "labels.csv"
    table.write_text("topic,doc,grade\n1,a,1\n")
    assert label_times(PAIRS, table) is None
    table.write_text("topic,doc,grade,date\n1,a,1,soon\n2,c,1,\n")
    assert label_times(PAIRS, table) is None


def test_a_pipe_is_not_read_again(tmp_path: Path) -> None:
    """It would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert label_times(Pairs.of(["1"], ["a"]), tmp_path / "pipe") is None
