"""Runs in TREC's format: rows of sound files at once, every fault of the others."""

import subprocess
import sys
from pathlib import Path

import pytest

from leadline.io.problems import InputError, Notices
from leadline.io.source import Source
from leadline.io.trec import check_run, plain_rows, read_run


def test_a_usual_run_needs_no_closer_look() -> None:
    text = b"401 Q0 FT911-3 1 21.0926 x\n401 Q0 LA010189-0001 2 -0.5 x\n402 Q0 a 1 1e-3 x\n"
    rows = plain_rows([text, text])
    assert rows is not None
    assert rows.run_start.tolist() == [0, 3]
    assert rows.starts.tolist() == [0, 2, 3, 5]
    assert rows.topic.to_list() == ["401", "402"] * 2
    assert rows.run_score.tolist() == [21.0926, -0.5, 1e-3] * 2


def test_a_line_commented_out_is_no_row() -> None:
    assert plain_rows([b"1 Q0 a 1 5 x\n#1 Q0 b 2 4 x\n"]) is None


def test_a_faulty_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("1 Q0 a 1 5 x\n1 Q0 b 2 1_0 x\n")
    with pytest.raises(InputError, match="r:2: the score must be a number"):
        read_run(Source("r", tmp_path / "r"), Notices())


def test_a_document_that_comes_three_times_is_kept_once() -> None:
    data = b"1 Q0 a 1 5 x\n2 Q0 a 1 5 x\n\n1 Q0 a 2 4 x\n1 Q0 a 3 3 x\n"
    rows, number, problems = check_run(Source("r", held=data))
    assert number.tolist() == [1, 2]
    assert rows.run_score.tolist() == [5, 5]
    assert [(each.line, "first on line 1" in each.message) for each in problems] == [
        (4, True),
        (5, True),
    ]


def test_reading_plain_files_loads_no_polars() -> None:
    code = (
        "import sys; from leadline.io.inputs import runs_from;"
        "from leadline.io.by_content import qrels_from;"
        "from leadline.io.formats import Reading; from pathlib import Path;"
        "Path('q').write_text('1 0 a 1\\n'); Path('r').write_text('1 Q0 a 1 5 x\\n');"
        "assert len(qrels_from('q', Reading()).grade) == 1;"
        "assert len(runs_from('r')[0].rows(Reading())) == 1; print('polars' in sys.modules)"
    )
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == "False"
