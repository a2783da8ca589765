"""Files of another kind are named with a remedy; what a reader cannot see in a file is said."""

import bz2
import io
import lzma
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import leadline
from leadline.io import lines
from leadline.io.problems import InputError
from tests.cli.program import call

RUN = "".join(f"1 Q0 d{rank} {rank} {9 - rank} x\n" for rank in range(1, 9))
QRELS = "1 0 d1 1\n1 0 d2 0\n"


def zipped(text: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("a.run", text)
    return held.getvalue()


def tarred(text: str, mode: str = "w") -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode) as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo("a.run")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text.encode()))
    return held.getvalue()


FOREIGN: dict[str, tuple[Callable[[str], bytes], str]] = {
    "zip": (zipped, "is a zip archive: unpack it with unzip"),
    "tar": (tarred, "is a tar archive: unpack it with tar -xf"),
    "tar.gz": (lambda text: tarred(text, "w:gz"), "is a tar archive"),
    "bz2": (lambda text: bz2.compress(text.encode()), "by bzip2: unpack it with bunzip2"),
    "xz": (lambda text: lzma.compress(text.encode()), "by xz: unpack it with unxz"),
    "utf-16": (lambda text: text.encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
    "utf-16-be": (lambda text: text.encode("utf-16-be"), "iconv -f UTF-16 -t UTF-8"),
    "html": (lambda _: b"\n<!DOCTYPE html>\n<html>404</html>\n", "error page of a download"),
    "semicolons": (lambda text: text.replace(" ", ";").encode(), "separated by semicolons"),
    "header": (lambda _: b"qid;docno;score\n1;d1;9,5\n", "decimal commas by points"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_of_another_kind_is_named_with_a_remedy(kind: str, tmp_path: Path) -> None:
    make, message = FOREIGN[kind]
    run, qrels = tmp_path / "x.run", tmp_path / "qrels"
    run.write_bytes(make(RUN))
    qrels.write_bytes(make(QRELS))
    for ask in (
        lambda: leadline.evaluate({"1": {"d1": 1}}, run, "P@10"),
        lambda: leadline.evaluate(qrels, {"1": {"d1": 1.0}}, "P@10"),
    ):
        with pytest.raises(InputError, match=message) as refused:
            ask()
        assert len(refused.value.problems) == 1
    assert message in leadline.lint([run])["message"].to_list()[0]


def test_a_file_of_another_kind_is_named_as_it_comes_by_a_pipe() -> None:
    done = call("evaluate", "-", "x.run", stdin=QRELS.encode("utf-16"))
    assert (done.code, "<stdin>: is UTF-16 text" in done.err) == (2, True)


def test_faults_beyond_those_that_are_explained_take_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST_EXPLAINED", 20)
    run = tmp_path / "x.run"
    run.write_text("1 Q0 d 1 1 x\n" + "1 Q0 d 1\n" * 10 + "1 Q0 d 1 x x\n" * 30)
    with pytest.raises(InputError, match=r"and 20 more like these \(score\)") as refused:
        leadline.evaluate({"1": {"d": 1}}, run, "P@10")
    problems = refused.value.problems
    assert len(problems) == 40
    assert len({id(each) for each in problems}) == 21
    # Lint names each that is explained, and once that there are more.
    assert len(leadline.lint([run])) == 21
    read = leadline.evaluate({"1": {"d": 1}}, run, "P@10", skip_bad_lines=True)
    assert "40 faulty lines were skipped" in str(read.notices.lines())


MEASURED = """
import resource, sys
import leadline
try:
    leadline.evaluate({"1": {"d": 1}}, sys.argv[1], "P@10")
except ValueError as error:
    assert sys.argv[2] in str(error), error
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(path: Path, message: str) -> int:
    """Return the peak memory in kilobytes of an evaluation that ends so."""
    command = [sys.executable, "-c", MEASURED, str(path), message]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_explaining_faults_takes_no_more_than_a_few_times_the_file(tmp_path: Path) -> None:
    least = peak(tmp_path / "missing.run", "no such file")
    nul, faulty = tmp_path / "nul.run", tmp_path / "faulty.run"
    with nul.open("wb") as file:
        file.write(b"1 Q0 d 1 1 x\n" * 5)
        file.truncate(500_000_000)
    topics = (f"{topic} Q0 d 1 1\n" * 1000 for topic in range(2, 1500))
    faulty.write_text("1 Q0 d 1 1 x\n" + "".join(topics))
    assert peak(nul, "NUL byte") - least < 50_000
    # 20 MB; each fault as an object of its own took 450 MB.
    assert peak(faulty, "more like these (fields)") - least < 150_000


def test_invisible_characters_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "a.run").write_text("1 Q0 d\u200b1 1 2 x\n1 Q0 d2 2 1 x\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n1 0 d\u00a02 0\n1 0 \u4e2d 0\n", "utf-8")
    said = leadline.evaluate(tmp_path, measures="P@10").notices.lines()
    assert any(line.startswith("a: invisible") and "holds U+200B" in line for line in said)
    assert any("qrels.txt: invisible" in line and "holds U+00A0" in line for line in said)
    found = leadline.lint([tmp_path]).filter(code="invisible")
    assert found["line"].to_list() == [2, 1]


def test_whole_scores_that_floats_cannot_tell_apart_are_said(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    scores = [2**53 + 2, 2**53 + 1, 2**53, 5, 5]
    run.write_text("".join(f"1 Q0 d{at} 1 {score} x\n" for at, score in enumerate(scores)))
    found = leadline.lint([run]).filter(code="beyond-whole")
    assert (found["line"].to_list(), found["message"][0][:12]) == ([3], "1 neighbours")
    for ties in ("float32", "float64"):
        said = leadline.evaluate({"1": {"d1": 1}}, run, "P@10", ties=ties).notices.lines()
        assert any("1 neighbours have equal scores above 2^53" in line for line in said)
    said = leadline.evaluate({"1": {"d1": 1}}, run, "P@10", ties="file-order").notices.lines()
    assert not any("2^53" in line for line in said)


def test_subfolders_of_a_folder_of_runs_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "old").mkdir(parents=True)
    (folder / "a.run").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    message = "1 subfolder not read: old. Name the folder itself to read its runs"
    assert any(message in line for line in leadline.evaluate(tmp_path).notices.lines())
    assert leadline.lint([tmp_path])["message"].to_list() == [message]
