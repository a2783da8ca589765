"""All pairs by the test: what was tested is told in words."""

from leadline.views.report_page import significance_section
from tests.views.boards import board, head_of, rows_of


def test_the_test_and_its_share_are_told() -> None:
    one = board()
    pairs = one.pairwise
    assert pairs is not None
    page = significance_section([one, board("P@1")])
    assert f"Test: {pairs.test}, two-tailed, unjudged as {pairs.unjudged_as}, alpha 0.05" in page
    assert f"It tests that {pairs.null}." in page
    assert page.count("differ significantly.") == 2
    assert "of 3 pairs" in page
    # The script fills it.
    assert rows_of(page, "pairs-table") == []
    assert head_of(page, "pairs-table")[0] == "other run"


def test_one_run_has_nothing_to_compare() -> None:
    page = significance_section([board(rankings={"only": ["a", "x"]})])
    assert "nothing to compare" in page
    assert "<table" not in page
