"""A folder with good qrels and a good run, ready to be ruined, and what every refusal promises."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.cli.program import Result, call
from tests.io.plain_files import text

QRELS = ["1 0 d1 1", "1 0 d2 0", "2 0 d3 2"]


RUN = ["1 Q0 d1 1 3.0 tag", "1 Q0 d2 2 2.0 tag", "2 Q0 d3 1 1.5 tag"]


LINT_COLUMNS = "file,line,level,code,message"


@dataclass(frozen=True)
class Bad:
    """A line that ruins a file, and what its message must hold."""

    line: bytes | str
    says: tuple[str, ...]
    kind: str = "run"
    skipped: bool = field(default=True)
    """Whether --skip-bad-lines can leave out this line and go on."""

    @property
    def good(self) -> bytes:
        return text(RUN if self.kind == "run" else QRELS)

    @property
    def content(self) -> bytes:
        line = self.line.encode() if isinstance(self.line, str) else self.line
        return self.good + line + b"\n"


@dataclass(frozen=True)
class Folder:
    """A folder with good qrels and a good run, ready to be ruined."""

    path: Path

    def write(self, name: str, content: bytes) -> Path:
        file = self.path / name
        file.write_bytes(content)
        return file

    def evaluate(
        self,
        *inputs: object,
        measure: str = "P@2",
        options: tuple[object, ...] = (),
        program: Callable[..., Result] = call,
    ) -> Result:
        """`leadline evaluate ... -o out.csv` in this folder, which must not change if it fails."""
        before = self.listing()
        out = self.path / "out.csv"
        result = program("evaluate", *inputs, "-m", measure, *options, "-o", out)
        if result.code:
            assert self.listing() == before
        return result

    def listing(self) -> dict[str, bytes]:
        files = [file for file in self.path.rglob("*") if file.is_file()]
        return {str(file.relative_to(self.path)): file.read_bytes() for file in files}


def inputs_of(folder: Folder, kind: str, file: Path) -> tuple[Path, Path]:
    """The file in its place, something good in the other."""
    if kind == "run":
        return folder.path / "qrels.txt", file
    return file, folder.path / "good.run"


def check_refused(result: Result, *says: str) -> None:
    assert "Traceback" not in result.err
    assert result.code == 2, result.err
    assert result.out == ""
    for each in says:
        assert each in result.err
    # One line of words for a person, not a page of internals.
    assert "polars" not in result.err
    assert "Warning:" not in result.err


def check_linted(result: Result, file: Path, line: int | None) -> list[dict[str, str]]:
    assert "Traceback" not in result.err
    assert result.code == 1, result.err
    assert result.out.splitlines()[0] == LINT_COLUMNS
    errors = [row for row in result.rows() if row["level"] == "error"]
    assert {row["file"] for row in errors} == {str(file)}
    assert {row["line"] for row in errors} == {"" if line is None else str(line)}
    assert all(row["code"] and row["message"] for row in errors)
    return errors
