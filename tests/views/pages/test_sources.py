"""What was read, what was noticed, and how to make the page again."""

import platform

import leadline
from leadline.io.problems import Problem
from leadline.views.page import Origin, again_section, read_section
from tests.views.boards import rows_of, tables

ORIGIN = Origin("my <qrels>", "my runs", "abc123")


def test_counts_of_what_was_read() -> None:
    runs, judgments = tables(n_topics=2)
    page = read_section(runs, judgments, ORIGIN, [], "depth 2")
    assert "<dd>my &lt;qrels&gt;</dd>" in page
    assert "<dd>3 runs of 3 groups</dd>" in page
    # Three runs of two documents on two topics; a and b are relevant, c is not.
    assert "<dd>12, 2 in the longest</dd>" in page
    assert "<dd>6: 2 of grade 0, 4 of grade 1</dd>" in page
    assert "<dd>depth 2</dd>" in page
    assert "Nothing was noticed." in page


def test_nothing_judged_has_no_grades() -> None:
    page = read_section(*tables(grades={}), ORIGIN, [], "")
    assert "<dt>judged pairs</dt><dd>0</dd>" in page


def test_every_notice_is_a_row() -> None:
    notices = [
        Problem("a.run", 1234, "warning", "x", "say <this>"),
        Problem("", None, "notice", "y", "and that"),
    ]
    page = read_section(*tables(), ORIGIN, notices, "")
    assert "<summary>2 notices</summary>" in page
    assert rows_of(page, "notices-table") == [
        ["a.run", "1,234", "warning", "x", "say <this>"],
        ["input", "", "notice", "y", "and that"],
    ]


def test_the_page_says_how_to_make_it_again() -> None:
    page = again_section("leadline report 'a b' > c", 7, ORIGIN)
    assert "<pre>leadline report &#39;a b&#39; &gt; c</pre>" in page
    assert f"<dd>{leadline.__version__}</dd>" in page
    assert f"Python {platform.python_version()}, numpy " in page
    assert "<dt>seed</dt><dd>7</dd>" in page
    assert "abc123" in page
    assert "digest" not in again_section("", 7, Origin("", ""))
