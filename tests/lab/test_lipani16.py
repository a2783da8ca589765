"""lipani16 on the demo: files as promised."""

from pathlib import Path

import polars as pl

from leadline.io.datasets import COLLECTION
from leadline.lab.papers import lipani16
from leadline.lab.reproduce import reproduce
from tests.lab.test_lipani16_tables import SETTING, results

COLUMNS = {
    "table1": "sizes,percents,judged_per_run",
    "figure1": "measure,depth,corrector,mae",
    "figure2": "measure,rate,corrector,mae",
    "figure3": "measure,stratification,corrector,mae",
}


def test_files_have_the_promised_columns(tmp_path: Path) -> None:
    result = reproduce("lipani16", COLLECTION, tmp_path, quick=True, reference_depth=20)
    for name, columns in COLUMNS.items():
        text = (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert text.startswith(columns)
        assert text.count("\n") > 1
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert "<svg" in page
    assert result.lines
    named = pl.read_csv(tmp_path / "figure1.csv")["corrector"].unique().to_list()
    assert sorted(named) == [
        "Lipani(merge=average)",
        "Lipani(merge=replace)",
        "None",
        "WebberLeaveOneOut",
    ]


def test_what_was_noticed_comes_before_the_claims() -> None:
    lines = lipani16.lines(results(), lipani16.frames(results(), SETTING))
    assert lines[0] == "noticed"
    assert "Webber" in lines[1]
