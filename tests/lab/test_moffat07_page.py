"""The page of moffat07: both readings, certainty with the fewest marked, the paper's claim."""

import re

import pytest

from leadline.lab.papers import moffat07 as moffat07_page
from leadline.lab.papers.moffat07 import (
    TABLES,
    certainty_table,
    claims,
    figures,
    frames,
    is_trec8,
    projected_holds,
    report,
)
from leadline.lab.papers.moffat07_plan import METHODS
from leadline.views.page import Marked, Table
from tests.lab.test_moffat07_tables import SETTING, results

FRAMES = frames(results(), SETTING)


@pytest.mark.parametrize("title", TABLES)
def test_every_table_has_both_readings(title: str) -> None:
    table = TABLES[title](results(), FRAMES).parts()[-1]
    assert isinstance(table, Table)
    titles = [row[1] for row in table.rows if isinstance(row[1], str)]
    assert titles.count("its reading") == titles.count("ours") > 0
    # Not the paper's collection, so nothing is set against what it printed.
    assert "printed" not in titles


def test_relevant_and_handled_stand_together() -> None:
    table = TABLES["Table 2"](results(), FRAMES).parts()[0]
    assert isinstance(table, Table)
    assert table.rows[0] == ("DepthFirst", "its reading", "300 : 1100", "500 : 2300")
    assert table.rows[1][2] == Marked("290 to 300", "aside")


def test_the_paper_is_compared_on_its_own_collection_only() -> None:
    assert not is_trec8(results())
    own = results()
    own["paper everything"] |= {"runs": ["r"] * 129, "n_topics": 50, "judged": 86830}
    assert is_trec8(own)


def test_the_fewest_judgments_are_marked() -> None:
    rows = {row[0]: row for row in certainty_table(FRAMES).rows}
    assert rows["MoffatC"][1] == Marked("100", "best")
    assert rows["Random"][1:] == ("-", "-", "-", "-")


def test_the_papers_claim_is_put_to_the_test() -> None:
    # Projected 1/4 + 1/4 of the first run is above its final .3, the second's .1 equals it.
    assert "in its reading 0 of 2 projected scores are below it" in projected_holds(results())
    lower = results()
    lower["paper everything"]["ranges"]["0.8"]["base"] = [0.6, 0.1]
    assert "in its reading 1 of 2" in projected_holds(lower)


def test_the_page_is_whole() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "on sea: 2 runs, 3 topics, 3,000 judgments, 4,000 pairs" in page
    assert page.count("<svg") == 7
    assert "not within 4,000 judgments" in page
    assert all(name in page for name in METHODS)
    assert not re.search(r"\bnan\b", page)


def test_without_the_extra_figures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moffat07_page, "can_draw", lambda: False)
    assert "leadline[charts]" in str(figures(FRAMES, "")[0])


def test_claims_of_the_text_stand_beside_our_numbers() -> None:
    made = results()
    said = claims(made, frames(made, SETTING))
    # By DepthFirst run x, the best by MAP, lies between .25 and .75, run y at .1.
    assert "0 runs have an upper end above its base, 0 above its upper end" in said[0]
    assert "Runs 1 and 2 (x, y)" in said[1]
    assert "up to 0.12 apart (x after 1,000 judgments: 0.500 and 0.375)" in said[2]
    made["paper found DepthFirst"] = [[5000, 100, 5500]]
    made["paper found MoffatC"] = [[5000, 131, 5400]]
    assert "Here: 31% more (131 against 100)." in claims(made, frames(made, SETTING))[0]


def test_variants_are_shown_in_both_readings() -> None:
    page = report(results(), frames(results(), SETTING), SETTING)
    assert "Variants of Method C" in page
    assert page.count("MoffatC(power=2)") == 2
    assert "MoffatC, topic by topic" in page
