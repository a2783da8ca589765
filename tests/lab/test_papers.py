"""Papers are found by their names, and each keeps its protocol."""

from pathlib import Path

import polars as pl
import pytest

from leadline.lab.papers.runner import Setting, files_of, load, papers, typed_frame


@pytest.mark.parametrize("name", papers())
def test_a_paper_has_what_is_asked_of_it(name: str) -> None:
    paper = load(name)
    for each in ("cells", "frames", "report", "lines", "forget"):
        assert callable(getattr(paper, each))
    assert set(paper.OPTIONS) <= set(Setting.__dataclass_fields__) - {"folder", "quick"}
    assert paper.__doc__.splitlines()[0].endswith(".")


def test_modules_behind_a_paper_are_no_papers() -> None:
    assert "moffat07_plan" not in papers()
    assert "runner" not in papers()
    with pytest.raises(ValueError, match="no paper named moffat08: choose one of hui17, "):
        load("moffat08")


def test_frames_have_types_whatever_their_rows() -> None:
    frame = typed_frame([], ["order", "n", "value"], ["order"], ["n"])
    assert frame.schema == {"order": pl.String, "n": pl.Int64, "value": pl.Float64}
    full = typed_frame([("a", None, 1)], ["order", "n", "value"], ["order"], ["n"])
    assert full.rows() == [("a", None, 1.0)]


class Toy:
    """A paper of one number."""

    def report(self, results: object, frames: object, setting: Setting) -> str:
        return f"<p>{setting.name}</p>"


def test_files_are_csv_to_six_digits_and_a_page(tmp_path: Path) -> None:
    frames = {"table1": pl.DataFrame({"x": [1 / 3], "n": [2]})}
    texts = files_of(Toy(), {}, frames, Setting(str(tmp_path / "sea")))  # type: ignore[arg-type]
    assert texts == {"table1.csv": "x,n\n0.333333,2\n", "report.html": "<p>sea</p>"}
