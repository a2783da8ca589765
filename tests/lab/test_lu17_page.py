"""The page of lu17: the paper's numbers above ours, where they can be compared."""

from typing import Any

import pytest

from leadline.lab.papers import lu17 as lu17_page
from leadline.lab.papers.lu17 import (
    BY_RUNS,
    compared,
    error_table,
    figures,
    frames,
    is_rob04,
    ours,
    printed1,
    printed2,
    printed3,
    report,
    show_table1,
    table1_row,
)
from leadline.lab.papers.published import published
from leadline.views.page import Marked
from tests.lab.test_lu17_tables import SETTING, results

FRAMES = frames(results(), SETTING)


def test_ours_are_written_as_the_paper_writes_them() -> None:
    rows = ours(FRAMES["table2"])
    assert rows["LowerBound", None] == ["0.400 (38)", "0.400 (38)"]
    assert rows["TwoStage(fit=scores)", 0.0] == ["0.100 (38)", "0.100 (38)"]


def test_only_the_papers_estimators_have_printed_numbers() -> None:
    known = published("lu17")["table2_rob04"]
    first = f"{known['rmse']['LowerBound'][0]:.3f} ({known['acc_percent']['LowerBound'][0]})"
    assert printed2("LowerBound", None) is not None
    assert (printed2("LowerBound", None) or [""])[0] == first
    assert printed2("TwoStage(group_by=runs)", None) == printed2("TwoStage", None)
    # La has a row of its own.
    assert printed2("TwoStage(fit=scores)", None) == ["0.045 (9)", "0.016 (26)", "0.007 (47)"]
    assert printed3("TwoStage(fit=scores)", None) == ["0.060 (9)"]
    assert printed2("Regression", None) is None
    assert printed3("TwoStage(fit=scores)", 0.018) is None
    assert printed3("TwoStage(fit=scores)", 0.0) is not None


def test_what_is_as_printed_is_told_from_what_is_not() -> None:
    table = error_table(
        "c", ["depth 1", "depth 2"], FRAMES["table2"].filter(estimator="LowerBound"), None
    )
    assert table.rows == [["LowerBound", "ours", "0.400 (38)", "0.400 (38)"]]

    def printed(name: str, theta: float | None) -> list[str]:
        return ["0.400 (38)", "0.123 (9)"]

    beside = error_table("c", ["1", "2"], FRAMES["table2"].filter(estimator="LowerBound"), printed)
    assert beside.rows[0] == ["LowerBound", "printed", "0.400 (38)", "0.123 (9)"]
    assert beside.rows[1][2:] == [Marked("0.400 (38)", "same"), Marked("0.400 (38)", "off")]


def test_the_paper_is_compared_on_its_own_collection_only() -> None:
    assert not is_rob04(results())
    every: dict[str, Any] = {"runs": ["r"] * 42, "topics": ["t"] * 49}
    every |= {"n_judged": 34792, "depth": 100}
    assert is_rob04({"everything": every})
    assert [row[0] for row in show_table1(FRAMES, False).rows] == ["ours"]
    assert len(printed1()) == 5
    same, total = compared(FRAMES)
    assert 0 <= same < total


def test_a_printed_number_counts_once() -> None:
    printed = published("lu17")
    n2 = sum(len(row) for row in printed["table2_rob04"]["rmse"].values())
    n3 = len(printed["table3_rob04_leave_one_group_out_depth10"]["rmse"])
    # Three depths are printed, of which these results have two; Table 1 has five cells of two.
    _, total = compared(FRAMES)
    assert total == 2 * (n2 * 2 // 3 + n3) + 2 * min(5, len(table1_row(FRAMES)))
    assert compared(FRAMES, BY_RUNS)[1] == total


def test_theta_weights_discrimination_and_variation_are_told() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "theta=0.018, Linear: raises it at depth 1, 2." in page
    assert "tau distance of about 0.050 and a dist of about 12.5: grey lines" in page
    assert "Model weights" in page
    assert "0.75" in page
    assert "<td>0.600</td>" in page.replace(' class="number"', "")
    assert "tau distance: InfRBP; dist: InfRBP" in page
    assert "Not in the paper: Midpoint, Uniform, Regression." in page


def test_the_page_is_whole() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "on sea: 3 runs, 2 topics; the pool of depth 10 counts" in page
    assert "Table 3" in page
    assert "printed</th>" not in page
    assert page.count("<svg") == 9
    assert "NaN" not in page


def test_one_group_has_no_table_3() -> None:
    alone = {k: ({} if k.startswith("without") else v) for k, v in results().items()}
    assert "Leave one group out" not in report(alone, frames(alone, SETTING), SETTING)


def test_without_the_extra_figures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lu17_page, "can_draw", lambda: False)
    (section,) = figures(results(), FRAMES)
    assert "leadline[charts]" in str(section.parts[0])
