"""A line that never ends is refused while it is unpacked, with file and line."""

import gzip
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.api.evaluate import evaluate
from leadline.app.backup import project_of, restore
from leadline.app.database import Database
from leadline.io import source as module
from leadline.io.problems import InputError

RUN = b"1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n"
LONG = 3 << 20


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 1 << 20)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("plain.run", RUN + b"x" * LONG, 3),
        ("blanks.run", b"1  Q0 a 1 9 x\n" + b"x" * LONG, 2),
        ("mac.run", RUN.replace(b"\n", b"\r") + b"x" * LONG, 3),
        ("one.run", b"x" * LONG, 1),
        ("nested.json", b'{"1": {"' + b"x" * LONG + b'": 1}}', 1),
        ("lines.jsonl", b'{"query_id": "1", "doc_id": "a", "score": 1}\n{"' + b"x" * LONG, 2),
        ("table.csv", b"query_id,doc_id,score\n1,a,2\n" + b"x" * LONG, 3),
    ],
)
@pytest.mark.usefixtures("short")
def test_runs(tmp_path: Path, name: str, content: bytes, line: int) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match=f"{name}.gz:{line}: .*longer than"):
        evaluate(tmp_path / "qrels", packed, measures=["P@2"])


@pytest.mark.parametrize("before", [b"", b'{"format": "leadline judge backup", "version": 2, '])
def test_backups(tmp_path: Path, before: bytes) -> None:
    packed = tmp_path / "kept.gz"
    packed.write_bytes(gzip.compress(before + b" " * (20 << 20)))
    for read in (project_of, lambda path: restore(Database("sqlite://"), path)):
        with pytest.raises(InputError, match=r"kept\.gz:1: .*longer than"):
            read(packed)


@pytest.mark.slow
def test_six_gigabytes_in_one_line_need_no_more_than_one(tmp_path: Path) -> None:
    packed = tmp_path / "bomb.gz"
    with gzip.open(packed, "wb", compresslevel=9) as out:
        for _ in range(6 << 10):
            out.write(b" " * (1 << 20))
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    code = (
        "import sys; from leadline.api.evaluate import evaluate; "
        "evaluate(sys.argv[1], sys.argv[2], measures=['P@2'])"
    )
    limit = 2 << 30
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "qrels"), str(packed)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "longer than" in done.stderr
