"""`leadline reproduce`: where to look, and what is refused."""

from pathlib import Path

from leadline.io.datasets import COLLECTION
from tests.cli.program import call


def test_an_unknown_paper_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    result = call("reproduce", "moffat08", COLLECTION, "-o", tmp_path / "out")
    assert result.code == 2
    assert "moffat08" in result.err
    assert "moffat07" in result.err
    assert not (tmp_path / "out").exists()


def test_bad_input_is_refused(tmp_path: Path) -> None:
    assert call("reproduce", "moffat07", tmp_path / "none", "-o", tmp_path / "out").code == 2
    assert call("reproduce", "moffat07", COLLECTION, "-o", tmp_path, "--workers", "0").code == 2
    assert call("reproduce", "moffat07", COLLECTION).code == 2
    (tmp_path / "file").write_text("")
    assert call("reproduce", "moffat07", COLLECTION, "-o", tmp_path / "file").code == 2


def test_a_faulty_run_is_named_also_from_a_worker(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text("1 0 a 1\n")
    (folder / "runs" / "bad").write_text("1 Q0 a 1 x tag\n")
    result = call("reproduce", "moffat07", folder, "-o", tmp_path / "out", "--workers", "2")
    assert result.code == 2
    assert "bad:1" in result.err
    assert "Traceback" not in result.err
