"""webber09 on the demo: files as promised."""

from pathlib import Path

import polars as pl

from leadline.io.datasets import COLLECTION
from leadline.lab.papers import webber09
from leadline.lab.reproduce import reproduce
from tests.lab.test_webber09_tables import RESULTS, SETTING

ERRORS = "unadjusted,mixed,plain,adjusted,unadjusted_rest,adjusted_rest"
COLUMNS = {
    "figure1": "width,treatment,mean,q1,q3",
    "table1": "newcomers,width,raw,adjusted",
    "table2": f"newcomers,treatment,width,common,{ERRORS}",
    "table3": f"newcomers,treatment,width,common,{ERRORS}",
    "table4": f"newcomers,treatment,width,common,{ERRORS}",
}


def test_files_have_the_promised_columns(tmp_path: Path) -> None:
    result = reproduce("webber09", COLLECTION, tmp_path, quick=True)
    for name, columns in COLUMNS.items():
        text = (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert text.startswith(columns)
        assert text.count("\n") > 1
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert "<svg" in page
    assert result.lines


def test_newcomers_may_be_named(tmp_path: Path) -> None:
    names = "farlight-hand,holmsand-random"
    reproduce("webber09", COLLECTION, tmp_path, quick=True, newcomers=names)
    assert pl.read_csv(tmp_path / "table1.csv")["newcomers"].unique().to_list() == [names]


def test_what_was_noticed_comes_first() -> None:
    lines = webber09.lines(RESULTS, webber09.frames(RESULTS, SETTING))
    assert lines[0] == "noticed"
    assert len(lines) > 2
