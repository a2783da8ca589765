"""Runs are checked alike whether they are read together, in parts or one by one."""

from pathlib import Path
from unittest.mock import patch

import pytest

from leadline.io import lines as pieces
from leadline.io import run_stream
from leadline.io.formats import Reading
from leadline.io.inputs import runs_from
from leadline.io.problems import InputError
from leadline.io.run_stream import RunStream
from leadline.io.topics_seen import TopicsSeen
from leadline.io.validate_runs import CheckedRows, validate_runs

GOOD = "".join(f"{topic} Q0 d{doc} 1 {9 - doc} x\n" for topic in (1, 2, 3) for doc in range(4))
TIED = "1 Q0 a 1 1.00000001 x\n1 Q0 b 2 1.0 x\n2 Q0 a 1 3 x\n"
SCATTERED = "".join(f"{topic} Q0 d{doc} 1 {9 - doc} x\n" for doc in range(4) for topic in (1, 2, 4))


def docs(part: CheckedRows) -> list[str]:
    order = part.ranking.arrange(part.rows.doc.start * 0 + range(len(part.rows)))
    return part.rows.doc.gather(order).to_list()


@pytest.mark.parametrize("piece", [16, 4 << 20])
def test_every_run_comes_once_with_its_topics(piece: int, tmp_path: Path) -> None:
    for name, text in (("a", GOOD), ("b", TIED), ("c", SCATTERED)):
        (tmp_path / name).write_text(text)
    reading, seen = Reading(), TopicsSeen(["1", "2", "3"], "qrels", None)
    said: list[tuple[int, int]] = []
    with patch.object(pieces, "PIECE", piece), patch.object(run_stream, "PIECE", piece // 4):
        stream = RunStream(runs_from(tmp_path), "float32")
        done = list(validate_runs(stream, reading, seen, docs, lambda *n: said.append(n)))
    names = [name for runs in done for name in runs.names]
    topics = [topics for runs in done for topics in runs.topics]
    assert names == ["a", "b", "c"]
    assert [sorted(each.judged) for each in topics] == [[0, 1, 2], [0, 1], [0, 1]]
    assert [each.unjudged for each in topics] == [[], [], ["4"]]
    assert sum(len(part) for runs in done for part in runs.results) == 12 + 3 + 12
    assert said[-1] == (3, 3)
    seen.report(reading.notices, "lowest", "ignore")
    assert sorted((each.file, each.code) for each in reading.notices.problems) == [
        ("b", "made-ties"),
        ("b", "missing-topic"),
        ("c", "missing-topic"),
        ("qrels", "unjudged-topic"),
    ]


def test_a_faulty_run_among_small_ones_is_told_of_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(GOOD)
    (tmp_path / "b").write_text(TIED + "1 Q0 a 7 0.5 x\n")
    stream = RunStream(runs_from(tmp_path), "float32")
    runs = validate_runs(stream, Reading(), TopicsSeen(["1"], "qrels", None), docs)
    assert next(runs).names == ["a"]
    with pytest.raises(InputError, match=r"b:4: doc a is listed twice for topic 1"):
        next(runs)
