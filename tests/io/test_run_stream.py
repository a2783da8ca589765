"""Runs come in their order, small ones together, large ones in parts of whole topics."""

from pathlib import Path
from unittest.mock import patch

import pytest

from leadline.io import lines as pieces
from leadline.io import run_stream
from leadline.io.inputs import runs_from
from leadline.io.run_stream import RunStream


def lines(*topics: int, docs: int = 3) -> str:
    return "".join(
        f"{topic} Q0 d{doc} {doc} {-doc}.5 x\n" for topic in topics for doc in range(docs)
    )


def read(folder: Path, piece: int, cut: bool = True) -> list[tuple[list[str], list[list[str]]]]:
    """The names of each batch, and the topics of each of its parts."""
    found = []
    with patch.object(pieces, "PIECE", piece), patch.object(run_stream, "PIECE", piece):
        for batch, parts in RunStream(runs_from(folder), "float32", cut):
            rows = [(part.rows, part.cut) for part in parts]
            assert len(rows) == 1 or all(was_cut for _, was_cut in rows)
            topics = [["closer look"] if each is None else each.topics[0] for each, _ in rows]
            found.append(([run.name for run in batch], topics))
    return found


def test_small_files_are_read_together(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(lines(1))
    size = (tmp_path / "a").stat().st_size
    assert [names for names, _ in read(tmp_path, 3 * size)] == [["a", "b", "c"]]
    assert [names for names, _ in read(tmp_path, 2 * size)] == [["a", "b"], ["c"]]
    assert [names for names, _ in read(tmp_path, size)] == [["a"], ["b"], ["c"]]


def test_a_large_file_comes_in_parts_of_whole_topics(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(lines(1, 2, 3, 4))
    ((names, topics),) = read(tmp_path, 60)
    assert names == ["a"]
    assert len(topics) > 1
    assert [topic for part in topics for topic in part] == ["1", "2", "3", "4"]
    assert read(tmp_path, 60, cut=False) == [(["a"], [["1", "2", "3", "4"]])]


def test_lists_are_ranked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 Q0 low 1 1 x\n1 Q0 high 2 2 x\n")
    for _, parts in RunStream(runs_from(tmp_path), "float32"):
        for part in parts:
            assert part.rows is not None
            assert part.ranking is not None
            assert part.ranking.arrange(part.rows.run_score).tolist() == [2.0, 1.0]


@pytest.mark.parametrize("piece", [60, 1 << 20])
def test_what_needs_a_closer_look_is_marked(piece: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(lines(1) + "1 Q0 short\n" + lines(2, 3, 4, 5))
    ((_, topics),) = read(tmp_path, piece)
    assert ["closer look"] in topics


def test_white_space_that_changes_further_down_needs_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(lines(1) + lines(2).replace(" ", "\t"))
    assert read(tmp_path, 1 << 20) == [(["a"], [["1", "2"]])]


def test_what_is_no_file_needs_a_closer_look() -> None:
    ((batch, parts),) = [
        (b, list(p)) for b, p in RunStream(runs_from({"1": {"a": 1.0}}), "float32")
    ]
    assert [run.name for run in batch] == ["run"]
    assert [part.rows is None or len(part.rows) == 0 for part in parts] == [True]
