"""The page of webber09: sentences with their numbers, intervals that hold too seldom marked."""

import re

from leadline.lab.papers.webber09 import claims, frames, is_trec8, report
from tests.lab.test_webber09_tables import RESULTS, SETTING, cell

FRAMES = frames(RESULTS, SETTING)


def test_claims_have_our_numbers() -> None:
    said = claims(RESULTS, FRAMES)
    assert said[0].startswith("manual newcomers: not being pooled costs 0.500 with 2 pooled runs")
    assert "0.100 with 10" in said[0]
    assert any("95.0% of draws or more at 20 and more common topics" in each for each in said)
    assert any("in 80%, 80%, 80% of draws" in each for each in said)


def test_the_paper_is_compared_on_its_own_collection_only() -> None:
    assert not is_trec8(RESULTS)
    own = {name: each | {"runs": 129, "topics": 50} for name, each in RESULTS.items()}
    assert is_trec8(own)
    table = re.compile(r"raw, printed.*?</table>", re.DOTALL)
    mine, theirs = (
        table.search(report(each, frames(each, SETTING), SETTING)) for each in (RESULTS, own)
    )
    assert mine is not None
    assert theirs is not None
    assert "<th>manual</th><th>2</th><td></td>" in mine[0]
    # Robust04's numbers are context for other newcomers on every collection.
    assert '<th>automatic</th><th>2</th><td class="aside">0.127</td><td>0.500</td>' in mine[0]
    assert "<th>manual</th><th>2</th><td></td>" not in theirs[0]


def test_the_page_is_whole() -> None:
    page = report(RESULTS, FRAMES, SETTING)
    assert "sea: 24 runs, 20 topics" in page
    assert "because it was a quick run" in page
    assert '<td class="off">90.0%</td>' in page
    assert '<td class="off">95.0%</td>' not in page
    assert page.count("<svg") == 1
    assert "noticed" in page


def test_without_manual_runs_there_is_no_table_4() -> None:
    only = {"automatic 2": cell(2)}
    assert "Table 4" not in report(only, frames(only, SETTING), SETTING)


def test_printed_errors_stand_beside_those_over_the_other_topics() -> None:
    page = report(RESULTS, FRAMES, SETTING)
    assert "adjusted, other topics" in page
    assert "only retains documents that the pool of the others judged" in page
    # Table 2 prints .044 for 2 pooled runs and 10 common topics of Robust04.
    assert '<td class="aside">0.044</td>' in page
    assert "0.123" in page
    assert "all of the paper's 500 samples" in page.replace("&#39;", "'")
    assert "the paper says always" not in page
